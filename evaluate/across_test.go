package evaluate

import (
	"fmt"
	"strings"
	"testing"
)

// TestRevisitAcrossArchives: robots.txt lies in one archive, and the one that is
// audited holds it only as revisits. In both orders the rules are found; without
// the first archive nothing is known.
func TestRevisitAcrossArchives(t *testing.T) {
	t.Parallel()
	original := robotsTxt("-40d", closed)
	original.warc = []string{closedDigest}
	refersTo := []string{"WARC-Refers-To-Target-URI: " + original.url, "WARC-Refers-To-Date: " + original.date()}
	for name, c := range map[string]struct {
		status string
		warc   []string
	}{
		"without a head, by digest":    {"-", []string{identical, closedDigest}},
		"without a head, by Refers-To": {"-", append([]string{identical}, refersTo...)},
	} {
		t.Run(name, func(t *testing.T) {
			again := revisit(rec{url: original.url, at: "-1h", status: c.status}, c.warc...)
			again.state = "rules rules=1"
			first, second := archive{original}, archive{again, page(certain)}
			check(t, DecideOptions{}, first, second)
			check(t, DecideOptions{}, second, first)
			again.state = "unresolved unresolved_revisit"
			check(t, DecideOptions{}, archive{again, page("unknown fresh unresolved_revisit")})
		})
	}
}

// TestOriginsApart: of many origins, one with many captures among them, each capture is
// resolved once, in its own origin, redirects out of half of them included.
func TestOriginsApart(t *testing.T) {
	t.Parallel()
	const keptRows = 256 // of captures, memory is kept for from one origin to the next
	var records archive
	captures := 0
	for i := range 40 {
		host := fmt.Sprintf("http://h%d.example", i)
		robots := rec{url: host + "/robots.txt", at: "-1h", body: closed, state: "rules rules=1"}
		if i%2 == 1 {
			target := rec{url: fmt.Sprintf("http://t%d.example/policy?x", i), at: "-59m", body: closed}
			robots = redirect(robots.url, robots.at, target.url)
			robots.state = "rules hops=1 final=200 rules=1"
			records = append(records, target)
		}
		for n := range []int{20: keptRows, 21: keptRows, 39: 0}[i] {
			r := robots
			r.at = fmt.Sprintf("-%dh", 48+n)
			if i == 21 {
				r.state = "unresolved unresolved_redirect hops=1 final=302"
			}
			records, captures = append(records, r), captures+1
		}
		records, captures = append(records, robots, rec{url: host + "/p", want: certain}), captures+1
	}
	s, _ := check(t, DecideOptions{}, records)
	got := 0
	for _, call := range s.calls {
		if strings.HasPrefix(call, "robots ") {
			got++
		}
	}
	if got != captures {
		t.Errorf("%d captures of robots.txt reported, want %d", got, captures)
	}
}

// TestDuplicateNamesTheOther: of copies of one record the issue of each but the
// first names the place of the first.
func TestDuplicateNamesTheOther(t *testing.T) {
	t.Parallel()
	filler := rec{url: "http://z.example/", at: "-3h"}
	p := page(certain)
	s, totals := check(t, DecideOptions{}, archive{robotsTxt("-1h", closed), p}, archive{filler, p})
	if totals.Duplicates != 1 || totals.ViolationsCertain != 1 {
		t.Errorf("%d duplicates, %d violations", totals.Duplicates, totals.ViolationsCertain)
	}
	var where string
	for _, call := range s.calls {
		if strings.HasPrefix(call, "issue ") {
			where = call
		}
	}
	first := strings.Index(string(archive{robotsTxt("-1h", closed), p}.bytes()),
		"WARC-Type: response\r\nWARC-Target-URI: "+p.url)
	first -= len("WARC/1.1\r\n")
	if want := fmt.Sprintf("the same record as at %d of 0.warc", first); !strings.HasPrefix(where, "issue 1 ") ||
		!strings.Contains(where, want) {
		t.Errorf("got %q, want %q in file 1", where, want)
	}
}
