package facts

import (
	"fmt"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// TestUnread: a row of an index is a capture that no input holds if something shows that it differs
// from all captures of its second.
func TestUnread(t *testing.T) {
	const (
		sha1   = "YIARRCXO6UYLRJTT475KYZXWVXYQDBYV"
		other  = "ZIARRCXO6UYLRJTT475KYZXWVXYQDBYV"
		md5    = "900150983cd24fb0d6963f7d28e17f72"
		sha256 = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
		empty  = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
	)
	moment := func(f Fetch) Fetch {
		f.Origin, f.URL = "http://a.example", "http://a.example/robots.txt"
		f.Micros, f.Precision = f.Micros+1_700_000_000_000_000, PrecisionSecond
		if f.Status == 0 {
			f.Status = -1
		}
		return f
	}
	held := func(f Fetch) *Capture {
		f = moment(f)
		f.Type, f.Precision = TypeResponse, PrecisionMicrosecond
		f.Micros += 123_456
		return &Capture{Fetch: f, Kind: CaptureRobots}
	}
	row := func(f Fetch) *Fetch {
		f = moment(f)
		f.Type, f.Trust, f.Input = TypeIndexed, TrustIndexed, 1
		return &f
	}
	inArchive := func(f Fetch, name string) *Fetch {
		f.Archive = name
		return row(f)
	}
	const own, moved = "x/robots.warc.gz", "moved.warc.gz"
	for _, c := range []struct {
		name string
		held *Capture
		row  *Fetch
		want bool
	}{
		{"nothing is held", nil, row(Fetch{}), true},
		{"another second", held(Fetch{Micros: 1_000_000}), row(Fetch{}), true},
		{"nothing tells", held(Fetch{RecordID: "urn:a", PayloadDigest: sha1, Status: 200}), row(Fetch{}), false},
		{"its place", held(Fetch{Offset: 7}), inArchive(Fetch{Offset: 7, PayloadDigest: sha1}, own), false},
		{
			"its place, another digest", held(Fetch{Offset: 7, PayloadDigest: other, Status: 200}),
			inArchive(Fetch{Offset: 7, PayloadDigest: sha1, Status: 304}, own), false,
		},
		{
			"its place, another id", held(Fetch{Offset: 7, RecordID: "urn:a"}),
			inArchive(Fetch{Offset: 7, RecordID: "urn:b"}, own), true,
		},
		{
			"its id in another case", held(Fetch{RecordID: "urn:uuid:12345678-9ABC-DEF0-1234-56789ABCDEF0"}),
			row(Fetch{RecordID: "\x00\x12\x34\x56\x78\x9a\xbc\xde\xf0\x12\x34\x56\x78\x9a\xbc\xde\xf0"}), false,
		},
		{
			"its id, another digest", held(Fetch{RecordID: "urn:a", PayloadDigest: other}),
			row(Fetch{RecordID: "urn:a", PayloadDigest: sha1}), false,
		},
		{"another archive", held(Fetch{Offset: 7}), inArchive(Fetch{Offset: 7}, moved), false},
		{"another status", held(Fetch{Status: 200}), inArchive(Fetch{Status: 404}, moved), true},
		{
			"another digest", held(Fetch{PayloadDigest: "sha1:" + other}), inArchive(Fetch{PayloadDigest: sha1}, moved),
			true,
		},
		{
			"another digest, without a place", held(Fetch{PayloadDigest: "sha1:" + other}),
			row(Fetch{PayloadDigest: sha1}), true,
		},
		{"no payload, and one", held(Fetch{PayloadDigest: empty}), inArchive(Fetch{PayloadDigest: sha1}, moved), true},
		{
			"a digest of another algorithm", held(Fetch{PayloadDigest: "sha1:" + sha1}),
			inArchive(Fetch{PayloadDigest: sha256}, moved), false,
		},
		{
			"a digest that names no algorithm", held(Fetch{PayloadDigest: "sha1:" + sha1}),
			inArchive(Fetch{PayloadDigest: md5}, moved), false,
		},
		{"another place", held(Fetch{Offset: 7}), inArchive(Fetch{Offset: 8}, own), false},
		{
			"another place, the same digest", held(Fetch{Offset: 7, PayloadDigest: sha1}),
			inArchive(Fetch{Offset: 8, PayloadDigest: sha1}, own), false,
		},
		{
			"another place, another digest", held(Fetch{Offset: 7, PayloadDigest: sha1}),
			inArchive(Fetch{Offset: 8, PayloadDigest: other}, own), true,
		},
	} {
		index := mustIndex(t, SetOf(
			InputResult{Input: Input{Path: "/data/robots.warc.gz", Name: "robots.warc.gz"}},
			InputResult{Input: Input{Name: "i.cdxj"}, InputStats: InputStats{Indexed: 1}},
		))
		u := Unread{index: &index}
		if c.held != nil {
			u.Hold(c.held)
		}
		u.Add(c.row.Unread())
		if got := len(u.Times) == 1; got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}

		// A record that is no capture is one at the row's offset, unless something shows that it is another.
		if c.held == nil {
			continue
		}
		u.Clear()
		u.Add(c.held.NoCapture())
		u.Add(c.row.Unread())
		want := c.want || c.row.Archive == "" || c.held.Offset != c.row.Offset
		if got := len(u.Times) == 1; got != want {
			t.Errorf("%s, and what is held is no capture: %t", c.name, got)
		}
	}
}

// TestUnreadCrowd: a row is compared with a bounded number of captures of its second, and then
// counts as another.
func TestUnreadCrowd(t *testing.T) {
	u := Unread{index: new(indexed)}
	for i := range maxBeside + 1 {
		u.Hold(&Capture{Fetch: Fetch{
			Micros: 1_700_000_000_000_000, Precision: PrecisionSecond,
			RecordID: recordid.ID(fmt.Sprint("urn:", i)),
		}, Kind: CaptureRobots})
	}
	for i, want := range map[int]int{maxBeside - 1: 0, maxBeside: 1} {
		u.Times = nil
		row := Fetch{
			Micros: 1_700_000_000_000_000, Precision: PrecisionSecond,
			RecordID: recordid.ID(fmt.Sprint("urn:", i)), Type: TypeIndexed,
		}
		if u.Add(row.Unread()); len(u.Times) != want {
			t.Errorf("that of capture %d: %v", i, u.Times)
		}
	}
}
