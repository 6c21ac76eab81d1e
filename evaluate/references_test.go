package evaluate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
)

// pagesOf evaluates archives, in tasks of as many steps, and returns what is said of the
// use of their records, by id.
func pagesOf(t *testing.T, steps int, archives ...archive) map[string]string {
	t.Helper()
	p := &pageRecorder{newRecorder(), make(map[string]string)}
	runInto(t, makeFacts(t, steps, archives...), DecideOptions{}, p)
	return p.pages
}

// TestOriginalElsewhere: a revisit carries the tags of its original wherever that lies,
// and of no other record.
func TestOriginalElsewhere(t *testing.T) {
	t.Parallel()
	const (
		maxCandidates = 8 // of one name, that are distinguished

		noindex = `<head><meta name=robots content=noindex></head>`
		carried = "from=original | [noindex, noarchive]"
		unknown = "from=unknown"
		there   = "https://b.example/1"
		sha1A   = "WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
		sha1B   = "WARC-Payload-Digest: sha1:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"
		hexA    = "WARC-Payload-Digest: SHA-1:0000000000000000000000000000000000000000"
		sha256  = "WARC-Payload-Digest: sha256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFA="
	)
	// original is a record with noindex and noarchive.
	original := func(edit ...func(*rec)) rec {
		r := html(there, "-1d", noindex, "X-Robots-Tag: noarchive")
		for _, f := range edit {
			f(&r)
		}
		return r
	}
	lines := func(warc ...string) func(*rec) { return func(r *rec) { r.warc = append(r.warc, warc...) } }
	says := func(head ...string) func(*rec) { return func(r *rec) { r.head, r.body = head, "" } }
	status := func(s string) func(*rec) { return func(r *rec) { r.status = s } }
	at := func(s string) func(*rec) { return func(r *rec) { r.at = s } }
	url := func(s string) func(*rec) { return func(r *rec) { r.url = s } }
	named := func(id string) func(*rec) { return func(r *rec) { r.id = id } }
	named1, named2 := []string{
		"WARC-Refers-To-Target-URI: " + there,
		"WARC-Refers-To-Date: " + original().date(),
	}, []string{"WARC-Refers-To: <urn:test:x>"}
	byURL := func(warc ...string) rec {
		return revisit(rec{url: "http://a.example/1"}, append(append(warc, named1...), identical)...)
	}
	byID := func(warc ...string) rec {
		return revisit(rec{url: "http://a.example/1"}, append(append(warc, named2...), identical)...)
	}
	with := func(r rec, edit ...func(*rec)) rec {
		for _, f := range edit {
			f(&r)
		}
		return r
	}
	cases := map[string]struct {
		revisit rec
		others  archive
		want    string
	}{
		"by URL and date":                {byURL(), archive{original()}, carried},
		"by id alone":                    {byID(), archive{original(named("x"))}, carried},
		"by id, of the same URL":         {byID(), archive{original(named("x"), url("http://a.example/1"))}, carried},
		"by id and URL":                  {byID(named1[0]), archive{original(named("x"))}, carried},
		"by id and date":                 {byID(named1[1]), archive{original(named("x"))}, carried},
		"by URL and date, and a lost id": {byURL(named2...), archive{original()}, carried},
		"later than its revisit":         {with(byURL(), at("-2d")), archive{original()}, carried},
		"later, by id":                   {with(byID(), at("-2d")), archive{original(named("x"))}, carried},
		"later, in its own origin": {
			with(byURL(), at("-2d"), url("https://b.example/2")),
			archive{original()},
			carried,
		},
		"of the same second": {
			with(byURL(), at("-1d"), url("https://b.example/0")),
			archive{original()},
			carried,
		},
		"a revisit without a date": {
			with(byURL(), at("none"), url("https://b.example/0")),
			archive{original()},
			carried,
		},
		"the URL written otherwise": {byURL(), archive{original(url("HTTPS://B.example:443/1#top"))}, carried},
		"without a head of its own": {with(byURL(), status("-")), archive{original()}, carried},
		"not modified": {with(revisit(rec{url: "http://a.example/1", status: "304 x"},
			append(named1, notModified, sha1A)...)), archive{original(lines(sha1A))}, carried},
		"not modified, of nothing": {with(revisit(rec{url: "http://a.example/1", status: "304 x"},
			append(named1, notModified, emptyDigest)...)), archive{original(lines(sha1A))}, carried},
		"the same digest":                  {byURL(sha1A), archive{original(lines(sha1A))}, carried},
		"the same digest, in hexadecimal":  {byURL(sha1A), archive{original(lines(hexA))}, carried},
		"digests that cannot be compared":  {byURL(sha1A), archive{original(lines(sha256))}, carried},
		"an empty payload that is named":   {byURL(emptyDigest), archive{original(lines(emptyDigest))}, carried},
		"fractions of the second, one way": {byURL(), archive{original(at("2024-04-30T12:00:00.123Z"))}, carried},
		"a date that both give coarsely": {
			byID(named1[0], "WARC-Refers-To-Date: 2024-04-30"),
			archive{original(named("y"), at("2024-04-30"))},
			carried,
		},
		"own fields beside the original's": {
			with(byURL(), says("X-Robots-Tag: nosnippet")),
			archive{original()},
			"from=original | [noindex, nosnippet]",
		},
		"an original that says nothing": {byURL(), archive{original(says())}, "from=original"},

		"missing":        {byURL(), nil, unknown},
		"missing, by id": {byID(), archive{original()}, unknown},
		"missing, and own fields": {
			with(byURL(), says("X-Robots-Tag: nosnippet")), nil,
			"from=unknown | [nosnippet]",
		},
		"missing, but its like is here": {
			byURL(sha1A),
			archive{original(url("http://a.example/1"), lines(sha1A))},
			carried,
		},
		"another date":        {byURL(), archive{original(at("-25h")), original(at("-23h"))}, unknown},
		"another date, by id": {byID(named1[1]), archive{original(named("x"), at("-25h"))}, unknown},
		"a date that only one gives coarsely": {
			byID(named1[0], "WARC-Refers-To-Date: 2024-04-30"),
			archive{original(named("x"), at("2024-04-30T00:00:00Z"))},
			unknown,
		},
		"fractions of the second that differ": {
			byID(named1[0], "WARC-Refers-To-Date: 2024-04-30T12:00:00.6Z"),
			archive{original(at("2024-04-30T12:00:00.1Z"))},
			unknown,
		},
		"no date at all": {byURL(), archive{original(at("none"))}, unknown},
		"not modified, another digest": {with(revisit(rec{url: "http://a.example/1", status: "304 x"},
			append(named1, notModified, sha1B)...)), archive{original(lines(sha1A))}, unknown},
		"another URL of that origin": {byURL(), archive{original(url("https://b.example/2"))}, unknown},
		"another URL of that id": {
			byID("WARC-Refers-To-Target-URI: https://b.example/2"),
			archive{original(named("x"))},
			unknown,
		},
		"another digest":        {byURL(sha1B), archive{original(lines(sha1A))}, unknown},
		"another digest, by id": {byID(sha1B), archive{original(named("x"), lines(sha1A))}, unknown},
		"a digest shared with another URL": {
			revisit(rec{url: "http://a.example/1"}, sha1A, identical),
			archive{original(lines(sha1A))},
			unknown,
		},
		"the digest of the empty payload": {
			revisit(rec{url: there}, emptyDigest, identical),
			archive{original(lines(emptyDigest))},
			unknown,
		},
		"the revisit's own status":        {with(byURL(), status("404 x")), archive{original()}, unknown},
		"the revisit's own status, by id": {with(byID(), status("404 x")), archive{original(named("x"))}, unknown},
		"a revisit is no original":        {byID(), archive{revisit(original(named("x")), identical)}, unknown},
		"an answer to HEAD is no original": {
			byID(),
			archive{original(named("x"), func(r *rec) { r.method = "HEAD" })},
			unknown,
		},
		"header fields of it that are cut off": {
			byURL(),
			archive{original(says("X-Robots-Tag: " + strings.Repeat("noindex,", 10000)))},
			unknown + " | [noindex]",
		},

		"two, one with its digest": {
			byURL(sha1A),
			archive{original(lines(sha1A)), original(says("X-Robots-Tag: all"), lines(sha1B))},
			carried,
		},
		"two, the first with a digest": {
			byURL(sha1A),
			archive{original(named("y"), lines(sha1A)), original(named("z"), says("X-Robots-Tag: all"))},
			carried,
		},
		"two, the last with a digest": {
			byURL(sha1A),
			archive{original(named("z"), lines(sha1A)), original(named("y"), says("X-Robots-Tag: all"))},
			carried,
		},
		"two that say the same": {byURL(), archive{original(lines(sha1A)), original(lines(sha1B))}, carried},
		"two that differ": {
			byURL(),
			archive{original(lines(sha1A)), original(says("X-Robots-Tag: all"), lines(sha1B))},
			unknown,
		},
		"two that differ, by id": {
			byID(),
			archive{original(named("x")), original(named("x"), says("X-Robots-Tag: all"))},
			unknown,
		},
		"two of an id, told by status": {
			byID(),
			archive{original(named("x")), original(named("x"), status("404 x"), says("X-Robots-Tag: all"))},
			carried,
		},
		"two of the same second": {
			byURL(),
			archive{original(), original(at("2024-04-30T12:00:00.9Z"), says("X-Robots-Tag: all"))},
			unknown,
		},
		"two that differ, and their like": {
			byURL(sha1A),
			archive{
				original(lines(sha1A)), original(says("X-Robots-Tag: all"), lines(sha1A)),
				original(url("http://a.example/1"), lines(sha1A)),
			},
			unknown,
		},
		"two that differ, by digest": {
			revisit(rec{url: there}, sha1A, identical),
			archive{original(lines(sha1A)), original(says("X-Robots-Tag: all"), lines(sha1A))},
			unknown,
		},
		"two by digest, one older": {
			revisit(rec{url: there}, sha1A, identical),
			archive{original(lines(sha1A)), original(at("-2d"), says("X-Robots-Tag: all"), lines(sha1A))},
			carried,
		},
		"more than are told apart": {
			byURL(sha1A),
			slices.Concat(archive{original(lines(sha1A))}, differing(original(), maxCandidates)), unknown,
		},
		"more, and their like": {
			byURL(sha1A),
			slices.Concat(archive{original(lines(sha1A)), original(url("http://a.example/1"), lines(sha1A))},
				differing(original(), maxCandidates)), unknown,
		},
		"as many as are told apart": {
			byURL(sha1A),
			slices.Concat(archive{original(lines(sha1A))}, differing(original(), maxCandidates-1)), carried,
		},
		"many copies of what is the same": {
			byURL(sha1A),
			slices.Repeat(archive{original(lines(sha1A))}, 3*maxCandidates), carried,
		},
	}
	// Each happens on hosts of its own: all in one file, and each record in another.
	var joined archive
	var apart []archive
	for n, name := range slices.Sorted(maps.Keys(cases)) {
		for i, r := range append(archive{cases[name].revisit}, cases[name].others...) {
			if i == len(apart) {
				apart = append(apart, nil)
			}
			apart[i] = append(apart[i], r.move(n))
		}
	}
	for _, a := range apart {
		joined = append(joined, a...)
	}
	reversed := slices.Clone(apart)
	slices.Reverse(reversed)
	for way, archives := range map[string][]archive{"joined": {joined}, "apart": apart, "reversed": reversed} {
		got := pagesOf(t, 1, archives...)
		for n, name := range slices.Sorted(maps.Keys(cases)) {
			c := cases[name]
			if said := got[c.revisit.move(n).recordID()]; said != c.want {
				t.Errorf("%s, %s: got %q, want %q", name, way, said, c.want)
			}
		}
	}
}

// differing returns n records like r, of other statuses.
func differing(r rec, n int) (list archive) {
	for i := range n {
		r.status = fmt.Sprintf("%d x", 400+i)
		list = append(list, r)
	}
	return list
}

// TestOriginalsElsewhereInAnyGrouping: many revisits in many archives find the same
// originals, however inputs are grouped into tasks, and copies of both count once.
func TestOriginalsElsewhereInAnyGrouping(t *testing.T) {
	t.Parallel()
	var list []archive
	want := make(map[string]string)
	for i := range 20 {
		var a archive
		for j := range 30 {
			r := html(fmt.Sprintf("http://www.o%d.example/%d", (7*i)%20, j), fmt.Sprintf("-%dh", 100+j), "",
				fmt.Sprintf("X-Robots-Tag: max-snippet:%d", j))
			r.id = fmt.Sprintf("%d-%d", (7*i)%20, j)
			a = append(a, r)
			names := []string{identical, "WARC-Refers-To: <urn:test:" + fmt.Sprintf("%d-%d", i, j) + ">"}
			if j%2 == 0 {
				names = []string{
					identical, fmt.Sprintf("WARC-Refers-To-Target-URI: http://www.o%d.example/%d", i, j),
					"WARC-Refers-To-Date: " + r.date(),
				}
			}
			again := revisit(rec{url: fmt.Sprintf("http://o%d.example/%d", i, j), at: fmt.Sprintf("-%dh", j)}, names...)
			want[again.recordID()] = fmt.Sprintf("from=original | [max-snippet:%d]", j)
			a = append(a, again)
		}
		list = append(list, a)
	}
	list = append(list, list[3], list[5])
	var calls []string
	for _, steps := range []int{1, 11, 22} {
		p := &pageRecorder{newRecorder(), make(map[string]string)}
		totals := runInto(t, makeFacts(t, steps, list...), DecideOptions{}, p)
		if totals.Duplicates != 120 || totals.TagsUnknown != 0 {
			t.Errorf("%d duplicates, %d unknown", totals.Duplicates, totals.TagsUnknown)
		}
		for id, text := range want {
			if p.pages[id] != text {
				t.Errorf("%d tasks: %s: got %q, want %q", steps, id, p.pages[id], text)
			}
		}
		if calls != nil && !slices.Equal(calls, p.calls) {
			t.Errorf("%d tasks: other results", steps)
		}
		calls = p.calls
	}
}

// TestNoReferences: where no revisit refers to a record elsewhere no fetch is read for it.
func TestNoReferences(t *testing.T) {
	t.Parallel()
	a := archive{html("http://a.example/1", "-1h", ""), revisit(rec{url: "http://a.example/1"},
		identical, "WARC-Refers-To-Target-URI: http://a.example/1", "WARC-Refers-To-Date: 2024-05-01T11:00:00Z")}
	set, dir := makeFacts(t, 1, a), t.TempDir()
	s, err := facts.NewReader(set, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range set.Tasks {
		set.Tasks[i].Fetches = []string{"to be read by nobody"}
	}
	originals, err := resolve.FindOriginals(t.Context(), s, dir)
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range originals.Range(t.Context(), 0, Buckets) {
		t.Errorf("%v, %v", row, err)
	}
}
