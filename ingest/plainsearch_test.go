package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// boundaries returns the fetches' URLs, with what is said of their boundaries.
func boundaries(c *collected) (all []string) {
	for _, f := range c.fetches {
		s := f.URL + " " + f.Trust.String()
		if f.Flags&facts.FlagForgeable != 0 {
			s += ", forgeable"
		}
		all = append(all, s)
	}
	return all
}

// withLength gives the one record with this URL another length.
func withLength(t *testing.T, archive, url string, length int) []byte {
	t.Helper()
	at := strings.Index(archive, url)
	before, rest := archive[:at], archive[at:]
	if from := strings.Index(rest, "Content-Length: "); from >= 0 { // WARC
		from += len("Content-Length: ")
		to := from + strings.Index(rest[from:], "\r\n")
		return []byte(before + rest[:from] + fmt.Sprint(length) + rest[to:])
	}
	to := strings.Index(rest, "\n")
	from := strings.LastIndex(rest[:to], " ") + 1
	return []byte(before + rest[:from] + fmt.Sprint(length) + rest[to:])
}

// Behind a wrong length reading goes on at the next record that shows that it is one.
// What a page could hold as well is forgeable, and is not read where records name the
// archive's own warcinfo.
func TestBehindAWrongLength(t *testing.T) {
	warcinfo := warcinfoRecord("urn:i", "")
	named := func(e entry) entry {
		e.fields = append(e.fields[:len(e.fields):len(e.fields)], "WARC-Warcinfo-ID: <urn:i>")
		return e
	}
	one := func(n int) entry { return response(fmt.Sprintf("urn:%d", n), fmt.Sprintf("http://h/%d", n), ok200) }
	// Behind the page that holds it, a forged run goes on with the archive's own records.
	forged := "HTTP/1.1 200 OK\r\n\r\n\n" + string(plain(digested(response("urn:v", "http://victim/", ok200)))) +
		strings.TrimRight(string(plain(digested(response("urn:w", "http://victim/2", ok200)))), "\r\n")
	page := func(content string) entry { return response("urn:p", "http://h/p", content) }
	notFollowed := page(forged + "\r\n\r\nprose")
	arc := func(urls ...string) string {
		s := arcInfo("")
		for _, url := range urls {
			s += arcRecord(url, "20240501120000", ok200)
		}
		return s
	}
	const chained, forgeable = " chained", " resynced, forgeable"
	for name, c := range map[string]struct {
		archive []byte
		want    []string
		behind  string // what the issue says of the rest
	}{
		"a chain": {withLength(t, string(plain(warcinfo, one(1), one(2), one(3), one(4))), "http://h/2", 3),
			[]string{"http://h/1" + chained, "http://h/3" + forgeable, "http://h/4" + forgeable},
			"follow each other to the end of the file, and a page could hold them; records read behind it: 2"},
		"a chain, too long": {withLength(t, string(plain(warcinfo, one(1), one(2), one(3), one(4))), "http://h/2", len(ok200)+9),
			[]string{"http://h/1" + chained, "http://h/3" + forgeable, "http://h/4" + forgeable}, "records read behind it: 2"},
		"beyond the end": {withLength(t, string(plain(warcinfo, one(1), one(2), one(3), one(4))), "http://h/2", 1<<40),
			[]string{"http://h/1" + chained, "http://h/3" + forgeable, "http://h/4" + forgeable}, "records read behind it: 2"},
		"a chain of ARC": {withLength(t, arc("http://h/1", "http://h/2", "http://h/3", "http://h/4"), "http://h/2", 3),
			[]string{"http://h/1" + chained, "http://h/3" + forgeable, "http://h/4" + forgeable}, "records read behind it: 2"},
		"a chain that breaks": {append(withLength(t, string(plain(warcinfo, one(1), one(2), one(3))), "http://h/2", 3), "prose"...),
			[]string{"http://h/1" + chained}, "to the end of the input"},
		"a digest": {append(withLength(t, string(plain(warcinfo, one(1), one(2), digested(one(3)), digested(one(4)), one(5))), "http://h/2", 3), "prose"...),
			[]string{"http://h/1" + chained, "http://h/3" + forgeable, "http://h/4" + forgeable}, "matches its own digest, and a page could hold it; records read behind it: 2"},
		"two damages": {withLength(t, string(withLength(t, string(plain(warcinfo, one(1), one(2), digested(one(3)), one(4), one(5))), "http://h/2", 3)), "http://h/4", 2),
			[]string{"http://h/1" + chained, "http://h/3" + forgeable, "http://h/5" + forgeable}, "records read behind it: 1"},
		"others name the warcinfo": {withLength(t, string(plain(warcinfo, one(1), one(2), digested(one(3)), named(one(4)))), "http://h/2", 3),
			[]string{"http://h/1" + chained, "http://h/4 resynced"}, "names the archive's own warcinfo; records read behind it: 1"},
		"a forged run":                     {withLength(t, string(plain(warcinfo, one(1), page(forged), one(2))), "http://h/p", 3), []string{"http://h/1" + chained, "http://victim/" + forgeable, "http://victim/2" + forgeable, "http://h/2" + forgeable}, "a page could hold them; records read behind it: 3"},
		"a forged run, not followed":       {withLength(t, string(plain(warcinfo, one(1), notFollowed, one(2))), "http://h/p", 3), []string{"http://h/1" + chained, "http://victim/" + forgeable, "http://victim/2" + forgeable, "http://h/2" + forgeable}, ""},
		"a forged run, records name":       {withLength(t, string(plain(warcinfo, named(one(1)), page(forged), named(one(2)))), "http://h/p", 3), []string{"http://h/1" + chained, "http://h/2 resynced"}, "own warcinfo; records read behind it: 1"},
		"a forged run at the end":          {withLength(t, string(plain(warcinfo, named(one(1)), page(forged))), "http://h/p", 3), []string{"http://h/1" + chained}, "to the end of the input"},
		"a forged run behind no own one":   {withLength(t, string(plain(warcinfo, page(forged), named(one(2)))), "http://h/p", 3), []string{"http://h/2 resynced"}, "own warcinfo; records read behind it: 1"},
		"a forged run that names another":  {withLength(t, string(plain(warcinfo, named(one(1)), page(strings.ReplaceAll(forged, "WARC-Date", "WARC-Warcinfo-ID: <urn:j>\r\nWARC-Date")), named(one(2)))), "http://h/p", 3), []string{"http://h/1" + chained, "http://h/2 resynced"}, "own warcinfo"},
		"a forged record in the right one": {plain(warcinfo, one(1), page(forged), one(2)), []string{"http://h/1" + chained, "http://h/p" + chained, "http://h/2" + chained}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, c.archive)
			equal(t, "fetches", boundaries(got), c.want)
			says := func(i facts.Issue) bool { return strings.Contains(i.Detail, c.behind) }
			if len(got.issues) > 0 && (got.result.Lossy == 0 || !slices.ContainsFunc(got.issues, says)) {
				t.Errorf("%d lossy issues of %+v, want %q", got.result.Lossy, got.issues, c.behind)
			}
			resynced := int64(0)
			for _, f := range got.fetches {
				if f.Trust == facts.TrustResynced {
					resynced++
				}
			}
			if got.result.Resynced != resynced {
				t.Errorf("counted %d, want %d", got.result.Resynced, resynced)
			}
		})
	}
}

// A chain is found wherever pieces of the file begin, and none where there are too many
// to follow.
func TestChainAtAnyPiece(t *testing.T) {
	one := func(n int) entry { return response(fmt.Sprintf("urn:%d", n), fmt.Sprintf("http://h/%d", n), ok200) }
	for size := readBuffer - 400; size < readBuffer+20; size++ {
		damaged := response("urn:p", "http://h/p", strings.Repeat("x", size))
		archive := withLength(t, string(plain(damaged, one(1), one(2))), "http://h/p", 3)
		if got := read(t, archive); len(got.fetches) != 2 {
			t.Fatalf("page of %d bytes: %v, %v", size, got.urls(), got.issues)
		}
	}
}

// The search behind damage grows with the file, whatever stands there.
func TestBehindIsLinear(t *testing.T) {
	const header = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:1>\r\nWARC-Date: 2024-05-01T12:00:00Z\r\nContent-Length: %d\r\n"
	const digest = "WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n"
	records := func(n int, fields string, length func(i, size int) int) string {
		size := len(fmt.Sprintf(header, 10_000_000)) + len(fields) + 2 // all of one size
		var b strings.Builder
		b.WriteByte('\n')
		for i := range n {
			h := fmt.Sprintf(header, max(0, length(i, size)))
			b.WriteString(h + fields + strings.Repeat(" ", size-2-len(h)-len(fields)) + "\r\n")
		}
		return b.String()
	}
	for name, file := range map[string]func(n int) string{
		"lengths to the end": func(n int) string {
			return records(n, "", func(i, size int) int { return (n - 1 - i) * size }) + "prose"
		},
		"different lengths":             func(n int) string { return records(n, "", func(i, size int) int { return n*size + i }) },
		"digests to the end":            func(n int) string { return records(n, digest, func(i, size int) int { return (n - 1 - i) * size }) },
		"digests of the next":           func(n int) string { return records(n, digest, func(i, size int) int { return size }) },
		"no record":                     func(n int) string { return "\n" + strings.Repeat("WARC/1.0\r\n", 20*n) },
		"no record, with an empty line": func(n int) string { return "\n" + strings.Repeat("WARC/1.0\r\n", 20*n) + "\r\n" },
		"line ends": func(n int) string {
			return records(1, "", func(int, int) int { return 0 }) + strings.Repeat("\n", 200*n)
		},
		"ARC": func(n int) string {
			return "\n" + strings.Repeat(fmt.Sprintf("http://h/ 192.0.2.1 20240501120000 x/y %d\n", 40*n), 4*n)
		},
	} {
		work := func(n int) int64 {
			archive := file(n)
			at := &countingAt{ReaderAt: strings.NewReader(archive)}
			f := framing(warcFraming{})
			if name == "ARC" {
				f = arcFraming{}
			}
			s := plainSearch{framing: f, at: at, budget: maxProof}
			for range 3 { // as many times as there is damage
				if _, _, err := s.behind(1, ownIDs{"urn:own": true}, false); err != nil && err != errProofSpent {
					t.Fatal(name, err)
				}
			}
			if limit := 60 * int64(len(archive)); at.read > limit {
				t.Errorf("%s: %d bytes read of a file of %d", name, at.read, len(archive))
			}
			return at.read + maxProof - s.budget
		}
		for _, n := range []int{1000, 8000} {
			if once, twice := work(n), work(2*n); float64(twice) > 2.3*float64(once) {
				t.Errorf("%s: work grows from %d to %d between %d records and twice as many", name, once, twice, n)
			}
		}
	}
}

// Where a budget is met the issue says so.
func TestBehindBudget(t *testing.T) {
	one := func(n int) entry { return response(fmt.Sprintf("urn:%d", n), fmt.Sprintf("http://h/%d", n), ok200) }
	archive := withLength(t, string(plain(one(1), one(2), one(3))), "http://h/1", 3)
	r := newPlainReader(warcFraming{}, sourceAt(bytes.NewReader(archive), 0), bytes.NewReader(archive))
	r.search.budget = 10
	var c collected
	if err := newCommitter(0, "", &c).readInput(r, int64(len(archive))); err != nil {
		t.Fatal(err)
	}
	if len(c.fetches) != 0 || len(c.issues) != 2 || !strings.Contains(c.issues[0].Detail, "given up") {
		t.Errorf("%v, %+v", c.urls(), c.issues)
	}
}
