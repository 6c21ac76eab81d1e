package resolve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// revisitOf is a revisit of a fetch.
func revisitOf(f *facts.Fetch) *facts.Fetch {
	return &facts.Fetch{
		Type: facts.TypeRevisit, Profile: facts.RevisitIdenticalPayload, URL: f.URL, Status: f.Status,
		Micros: f.Micros + 1e6, Precision: f.Precision, PayloadDigest: f.PayloadDigest,
		RefersToURL: f.URL, RefersToMicros: f.Micros, RefersToPrec: f.Precision,
	}
}

// Of more records than are remembered the oldest are forgotten, and no other.
func TestOriginalsForgetTheOldest(t *testing.T) {
	long := strings.Repeat("x", maxOriginalText/100)
	for name, c := range map[string]struct {
		count, kept int
		url         func(i int) string
		metas       func(i int) string
	}{
		"many": {
			maxOriginals + 1000, maxOriginals,
			func(i int) string { return fmt.Sprintf("http://h/%d", i) }, func(i int) string { return fmt.Sprint(i) },
		},
		"many of one URL": {
			2*maxOriginals + 1000, maxOriginals, func(int) string { return "http://h/" },
			func(i int) string { return fmt.Sprint(i) },
		},
		"much text": {
			500, 99, func(i int) string { return fmt.Sprintf("http://h/%d", i%7) },
			func(i int) string { return long + fmt.Sprint(i) },
		},
	} {
		o := NewOriginals()
		o.Elsewhere = facts.NewCursor(func(func(*facts.Fetch, error) bool) {}, facts.PlaceOf)
		fetch := func(i int) *facts.Fetch {
			return &facts.Fetch{
				Type: facts.TypeResponse, Method: "GET", Status: 200, URL: c.url(i), Metas: c.metas(i),
				Micros: int64(i) * 1e6, Precision: facts.PrecisionSecond, PayloadDigest: fmt.Sprint("sha1:", i),
			}
		}
		for i := range c.count {
			o.add(fetch(i))
		}
		oldest := c.count - c.kept
		for i := range c.count {
			if i%17 != 0 && i != oldest-1 && i != oldest {
				continue
			}
			f := fetch(i)
			got := o.find(revisitOf(f))
			if (got != nil) != (i >= oldest) || got != nil && got.Metas != f.Metas {
				t.Fatalf("%s: record %d of %d: %+v", name, i, c.count, got)
			}
		}
		if len(o.order) > 2*maxOriginals+1 || o.size > maxOriginalText {
			t.Errorf("%s: %d entries, %d bytes", name, len(o.order), o.size)
		}
		if o.Forget(); o.find(revisitOf(fetch(c.count-1))) != nil || o.size != 0 || o.order != nil {
			t.Errorf("%s: another origin's records are found", name)
		}
	}
}

// A revisit whose digest contradicts its original's has nothing of it; digests of other
// algorithms, or of nothing, do not contradict.
func TestContradictingDigests(t *testing.T) {
	original := &original{digest: "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", status: 200}
	for digest, want := range map[string]bool{
		"sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA":          true,
		"sha-1:0000000000000000000000000000000000000000": true,
		"":                                      true,
		"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ": true,
		"sha256:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB=": true,
		"sha1:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB":                               false,
	} {
		for _, profile := range []facts.RevisitProfile{
			facts.RevisitIdenticalPayload, facts.RevisitNotModified,
			facts.RevisitOther,
		} {
			f := &facts.Fetch{Type: facts.TypeRevisit, Profile: profile, Status: 200, PayloadDigest: digest}
			if got := original.fits(f); got != want {
				t.Errorf("%s, profile %d: %t", digest, profile, got)
			}
		}
		if f := (&facts.Fetch{Type: facts.TypeResponse, Status: 304, PayloadDigest: digest}); !original.fits(f) {
			t.Errorf("%s: of a 304", digest)
		}
	}
}
