package reading

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/longtest"
)

// repeat yields one byte for ever.
type repeat struct{ octet byte }

func (r repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.octet
	}
	return len(p), nil
}

// countSink counts, so that only what ingest itself holds is measured.
type countSink struct{ fetches, captures, issues int }

func (s *countSink) Fetch(*facts.Fetch) error             { s.fetches++; return nil }
func (s *countSink) Capture(*facts.Capture, []byte) error { s.captures++; return nil }
func (s *countSink) Issue(facts.Issue) error              { s.issues++; return nil }
func (s *countSink) Event(*facts.LogEvent) error          { return nil }
func (s *countSink) Other(*facts.Fetch) error             { return nil }

// compressedMember gzips what r yields.
func compressedMember(r io.Reader) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if _, err := io.Copy(w, r); err != nil {
		panic(err) // a buffer takes anything
	}
	w.Close()
	return b.Bytes()
}

// Whatever an archive holds, memory and time are bounded, and the records before
// it count.
func TestHostileArchives(t *testing.T) {
	if !longtest.Run() {
		t.Skip("long, and of one archive each")
	}
	const big = 48 << 20
	good := warctest.Response("urn:good", "http://h/", ok200)
	header := "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/robots.txt\r\nWARC-Date: 2024\r\n"
	endless := func(prefix string, octet byte) io.Reader {
		return io.MultiReader(strings.NewReader(prefix), io.LimitReader(repeat{octet}, big))
	}
	ended := func(r io.Reader) io.Reader { return io.MultiReader(r, strings.NewReader("\r\n\r\n")) }
	longID := func(i int) warctest.Record {
		return warctest.Response(fmt.Sprintf("urn:%d:%s", i, strings.Repeat("i", 300<<10)),
			"http://h/"+strings.Repeat("u", 300<<10), ok200, "WARC-Concurrent-To: <"+strings.Repeat("c", 300<<10)+">")
	}
	var manyLong [][]byte
	for i := range 100 {
		manyLong = append(manyLong, compressedMember(strings.NewReader(longID(i).String())))
	}
	for name, c := range map[string]struct {
		hostile io.Reader
		fetches int // besides the good one
		lossy   bool
	}{
		"a header without end":     {endless("WARC/1.0\r\nX: ", 'x'), 0, true},
		"a header of empty fields": {endless("WARC/1.0\r\n", ':'), 0, true},
		"a header of folded lines": {io.MultiReader(strings.NewReader("WARC/1.0\r\nX: y"),
			strings.NewReader(strings.Repeat("\r\n z", 8<<20))), 0, true},
		"nothing but line ends": {endless("", '\n'), 0, false},
		"a length of 2^63-1": {endless(header+
			"Content-Length: 9223372036854775807\r\n\r\nHTTP/1.1 200\r\n\r\n", 0), 1, true},
		"a length of 2^64": {endless(header+"Content-Length: 18446744073709551616\r\n\r\n", 0), 0, true},
		"a robots.txt of zeros": {ended(endless(fmt.Sprintf("%sContent-Length: %d\r\n\r\nHTTP/1.1 200\r\n\r\n",
			header, big+16), 0)), 1, false},
		"an HTTP head without end": {ended(endless(fmt.Sprintf("%sContent-Length: %d\r\n\r\nHTTP/1.1 200\r\n",
			header, big+14), 'x')), 1, false},
		"HTTP/0.9 without end": {
			ended(endless(fmt.Sprintf("%sContent-Length: %d\r\n\r\n", header, big), 'x')),
			1, false,
		},
		"a million fields": {strings.NewReader(header + strings.Repeat("X: y\r\n", 100_000) +
			"Content-Length: 0\r\n\r\n\r\n\r\n"), 1, false},
		"a million WARC-Concurrent-To": {strings.NewReader(header +
			strings.Repeat("WARC-Concurrent-To: <u>\r\n", 40_000) + "Content-Length: 0\r\n\r\n\r\n\r\n"), 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			hostile := compressedMember(c.hostile)
			archive := append(warctest.GzipMembers(good), hostile...)
			inside := func() io.Reader {
				r, err := gzip.NewReader(bytes.NewReader(archive))
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			for form, src := range map[string]io.Reader{
				"members": bytes.NewReader(archive),
				"plain":   inside(),
				"pipe":    inside(),
			} {
				path := "/archive"
				if form == "pipe" {
					path = facts.Stdin
				}
				var sink countSink
				var result facts.InputResult
				peak := peakHeap(func() {
					var err error
					if result, err = readSource(t.Context(), facts.Input{Path: path, Size: 1 << 40}, src, 0, &sink,
						Options{}); err != nil {
						t.Error(err)
					}
				})
				if peak > 40<<20 {
					t.Errorf("%s: %d MiB of heap", form, peak>>20)
				}
				// In a stream the good record's own end is proven by what follows.
				if want := 1 + c.fetches; sink.fetches != want && (form == "members" || !c.lossy) {
					t.Errorf("%s: %d fetches, want %d", form, sink.fetches, want)
				}
				if lossy := result.Lossy > 0; lossy != c.lossy {
					t.Errorf("%s: %d lossy issues", form, result.Lossy)
				}
			}
		})
	}
	t.Run("long ids and URLs that wait", func(t *testing.T) {
		archive := bytes.Join(manyLong, nil)
		var sink countSink
		peak := peakHeap(func() {
			if _, err := readSource(t.Context(), facts.Input{Path: "/archive"}, bytes.NewReader(archive), 0, &sink,
				Options{}); err != nil {
				t.Error(err)
			}
		})
		if sink.fetches != len(manyLong) || peak > 120<<20 {
			t.Errorf("%d fetches, %d MiB of heap", sink.fetches, peak>>20)
		}
	})
}

// Bytes after the end of a member are no part of any record.
func TestMemberOddities(t *testing.T) {
	a, b := warctest.Response("urn:1", "http://h/1", ok200), warctest.Response("urn:2", "http://h/2", ok200)
	trailing := warctest.Gzip(a.String() + "rubbish\n\n")
	shortened := warctest.Gzip(strings.TrimSuffix(a.String(), "dy\r\n\r\n"))
	for name, c := range map[string]struct {
		archive      []byte
		urls, issues []string
	}{
		"zeros between and behind": {bytes.Join([][]byte{warctest.GzipMembers(a), warctest.GzipMembers(b), nil},
			make([]byte, 100)), []string{"http://h/1", "http://h/2"}, nil},
		"garbage behind": {
			append(warctest.GzipMembers(a, b), "garbage"...),
			[]string{"http://h/1", "http://h/2"},
			[]string{"skipped_range"},
		},
		"more garbage behind": {
			append(warctest.GzipMembers(a, b), "garbage, a lot of it"...),
			[]string{"http://h/1", "http://h/2"},
			[]string{"skipped_range"},
		},
		"rubbish in a member": {
			append(trailing, warctest.GzipMembers(b)...),
			[]string{"http://h/1", "http://h/2"},
			[]string{"bad_record_header"},
		},
		"a record cut short": {
			append(shortened, warctest.GzipMembers(b)...),
			[]string{"http://h/1", "http://h/2"},
			[]string{"truncated_record"},
		},
		"no line ends behind": {append(warctest.Gzip(strings.TrimSuffix(a.String(), "\r\n\r\n")),
			warctest.GzipMembers(b)...), []string{"http://h/1", "http://h/2"}, nil},
		"a member that is no record": {
			bytes.Join([][]byte{warctest.GzipMembers(a), warctest.Gzip("not a record\n\n"), warctest.GzipMembers(b)},
				nil),
			[]string{"http://h/1", "http://h/2"},
			[]string{"bad_record_header"},
		},
		"a header cut short": {
			bytes.Join([][]byte{
				warctest.GzipMembers(a), warctest.Gzip("WARC/1.0\r\nWARC-Type: x"),
				warctest.GzipMembers(b),
			}, nil),
			[]string{"http://h/1", "http://h/2"},
			[]string{"bad_record_header"},
		},
		"no length": {
			bytes.Join([][]byte{
				warctest.GzipMembers(a), warctest.Gzip("WARC/1.0\r\nWARC-Type: x\r\n\r\nabc"),
				warctest.GzipMembers(b),
			}, nil),
			[]string{"http://h/1", "http://h/2"},
			[]string{"bad_content_length"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, c.archive)
			equal(t, "urls", got.urls(), c.urls)
			equal(t, "issues", got.kinds(), c.issues)
		})
	}
}

// Records that lack the two line ends after them follow one another all the same,
// whatever they are in.
func TestMissingRecordEnds(t *testing.T) {
	var stream string
	urls := []string{"http://h/1", "http://h/2", "http://h/3"}
	for _, url := range urls {
		stream += strings.TrimSuffix(warctest.Response("urn:"+url, url, ok200).String(), "\r\n\r\n")
	}
	for name, got := range map[string]*collected{
		"plain": read(t, []byte(stream)), "one stream": read(t, warctest.Gzip(stream)),
		"pipe": readPipe(t, []byte(stream)), "one stream in a pipe": readPipe(t, warctest.Gzip(stream)),
	} {
		equal(t, name, got.urls(), urls)
		equal(t, name+": issues", got.kinds(), nil)
	}
}

// Damage in a record whose header could be read names it.
func TestDamageNamesItsRecord(t *testing.T) {
	a, b := warctest.Response("urn:1", "http://h/1", ok200), warctest.Response("urn:2", "http://h/2", ok200)
	noLength := strings.Replace(b.String(), "Content-Length: ", "Content-Length: -", 1)
	torn := b.String()[:len(b.String())-8]
	for name, got := range map[string]*collected{
		"no length, plain":  read(t, append(warctest.Plain(a), noLength...)),
		"no length, member": read(t, append(warctest.GzipMembers(a), warctest.Gzip(noLength)...)),
		"no length, stream": read(t, warctest.Gzip(a.String()+noLength)),
		"torn, plain":       read(t, append(warctest.Plain(a), torn...)),
		"torn, member":      read(t, append(warctest.GzipMembers(a), warctest.Gzip(torn)...)),
		"torn, stream":      read(t, warctest.Gzip(a.String()+torn)),
		"torn, pipe":        readPipe(t, append(warctest.Plain(a), torn...)),
	} {
		if len(got.issues) == 0 || got.issues[0].RecordID != "urn:2" {
			t.Errorf("%s: %+v", name, got.issues)
		}
	}
}

// If the length of a record is too short, the rest of its block follows in its
// member. The robots.txt was then read in part: the rest may forbid more.
func TestLengthTooShort(t *testing.T) {
	whole := warctest.Response("urn:1", "http://h/robots.txt",
		"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nAllow: /a\nDisallow: /b\n")
	length := fmt.Sprintf("Content-Length: %d", len(whole.Block))
	short := strings.Replace(whole.String(), length, fmt.Sprintf("Content-Length: %d", len(whole.Block)-13), 1)
	next := warctest.Response("urn:2", "http://h/2", ok200)
	for name, c := range map[string]struct {
		archive []byte
		issues  []string
		cut     bool
	}{
		"right": {warctest.GzipMembers(whole, next), nil, false},
		"a member of its own": {
			append(warctest.Gzip(short), warctest.GzipMembers(next)...),
			[]string{"body_cut", "bad_record_header"},
			true,
		},
		"behind another record": {
			append(warctest.Gzip(next.String()+short), warctest.GzipMembers(next)...),
			[]string{"body_cut", "bad_record_header"},
			true,
		},
		"a pipe": {
			append(warctest.Gzip(short), warctest.GzipMembers(next)...),
			[]string{"body_cut", "bad_record_header"},
			true,
		},
	} {
		got := read(t, c.archive)
		if name == "a pipe" {
			got = readPipe(t, c.archive)
		}
		equal(t, name, got.kinds(), c.issues)
		if len(got.captures) != 1 || got.captures[0].Flags&facts.FlagBodyCut != 0 != c.cut {
			t.Errorf("%s: %+v", name, got.captures)
		}
	}
}

// Offsets and lengths cut out exactly the record.
func TestOffsets(t *testing.T) {
	a, b := warctest.Response("urn:1", "http://h/1", ok200), warctest.Response("urn:2", "http://h/2", ok200)
	for name, archive := range map[string][]byte{"members": warctest.GzipMembers(a, b), "plain": warctest.Plain(a, b)} {
		got := read(t, archive)
		for _, f := range got.fetches {
			alone := read(t, archive[f.Offset:f.Offset+f.Length])
			if len(alone.fetches) != 1 || alone.fetches[0].URL != f.URL || alone.result.Lossy > 0 {
				t.Errorf("%s: %s at %d+%d reads as %v, %v", name, f.URL, f.Offset, f.Length, alone.urls(),
					alone.kinds())
			}
		}
	}
}

// The fingerprint distinguishes archives, and is the same however often one is read.
func TestContentFingerprint(t *testing.T) {
	a, b := warctest.Response("urn:1", "http://h/1", ok200), warctest.Response("urn:2", "http://h/2", ok200)
	for _, form := range []func(...warctest.Record) []byte{warctest.Plain, warctest.GzipMembers} {
		prints := map[string]bool{}
		for _, archive := range [][]byte{form(a, b), form(b, a), form(a), form(a, a)} {
			first, again := read(t, archive).result.Fingerprint, read(t, archive).result.Fingerprint
			if first != again || prints[first] || len(first) != 16 {
				t.Errorf("fingerprint %s, again %s, seen %v", first, again, prints[first])
			}
			prints[first] = true
		}
	}
}

func TestSniff(t *testing.T) {
	for name, c := range map[string]struct {
		in   []byte
		want string
	}{
		"empty":                 {nil, "empty_file"},
		"text":                  {[]byte("hello"), "not_an_archive"},
		"gzip of text":          {warctest.Gzip("hello"), "not_an_archive"},
		"gzip, cut":             {warctest.Gzip("hello")[:7], "not_an_archive"},
		"a bad zstd dictionary": {[]byte("\x5d\x2a\x4d\x18\x04\x00\x00\x00...."), "bad_dictionary"},
		"a huge one":            {[]byte("\x5d\x2a\x4d\x18\xff\xff\xff\xff...."), "bad_dictionary"},
		"zip":                   {[]byte("PK\x03\x04...."), "damaged_stream"},
		"half an ARC":           {[]byte("filedesc://x 0.0.0.0"), "not_an_archive"},
		"line ends":             {[]byte("\r\n\r\n"), "not_an_archive"},
		"a short magic":         {[]byte("WARC"), "not_an_archive"},
		"an empty gzip member":  {append([]byte("text "), warctest.Gzip("")...), "not_an_archive"},
		"Parquet of gzip pages": {append([]byte("PAR1"), warctest.Gzip("WARC/1.0\r\n\r\n")...), "not_an_archive"},
	} {
		for form, got := range map[string]*collected{"file": read(t, c.in), "pipe": readPipe(t, c.in)} {
			if k := got.kinds(); len(k) != 1 || k[0] != c.want || got.result.Lossy != 1 || got.result.Refusal == "" {
				t.Errorf("%s, %s: issues %v, refusal %q", name, form, k, got.result.Refusal)
			}
		}
	}
}
