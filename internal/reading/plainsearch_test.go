package reading

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
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

// After a wrong length reading goes on at the next record that shows that it is one.
// What a page could hold as well is forgeable, and is not read where records name the
// archive's own warcinfo.
func TestBehindAWrongLength(t *testing.T) {
	warcinfo := warctest.Warcinfo("urn:i", "")
	named := func(e warctest.Record) warctest.Record {
		e.Fields = append(e.Fields[:len(e.Fields):len(e.Fields)], "WARC-Warcinfo-ID: <urn:i>")
		return e
	}
	one := func(n int) warctest.Record {
		return warctest.Response(fmt.Sprintf("urn:%d", n), fmt.Sprintf("http://h/%d", n), ok200)
	}
	// After the page that holds it, a forged run goes on with the archive's own records.
	forged := "HTTP/1.1 200 OK\r\n\r\n\n" +
		string(warctest.Plain(warctest.Digested(warctest.Response("urn:v", "http://victim/", ok200)))) +
		strings.TrimRight(string(warctest.Plain(warctest.Digested(warctest.Response("urn:w", "http://victim/2",
			ok200)))), "\r\n")
	page := func(content string) warctest.Record { return warctest.Response("urn:p", "http://h/p", content) }
	notFollowed := page(forged + "\r\n\r\nprose")
	arc := func(urls ...string) string {
		s := warctest.ARCInfo("")
		for _, url := range urls {
			s += warctest.ARCRecord(url, "20240501120000", ok200)
		}
		return s
	}
	const chained, forgeable = " chained", " resynced, forgeable"
	for name, c := range map[string]struct {
		archive []byte
		want    []string
		behind  string // the part of the issue about the rest
	}{
		"a chain": {
			withLength(t, string(warctest.Plain(warcinfo, one(1), one(2), one(3), one(4))), "http://h/2", 3),
			[]string{"http://h/1" + chained, "http://h/3" + forgeable, "http://h/4" + forgeable},
			"follow each other to the end of the file, and a page could hold them; records read behind it: 2",
		},
		"a chain, too long": {
			withLength(t, string(warctest.Plain(warcinfo, one(1), one(2), one(3), one(4))), "http://h/2", len(ok200)+9),
			[]string{"http://h/1" + chained, "http://h/3" + forgeable, "http://h/4" + forgeable},
			"records read behind it: 2",
		},
		"beyond the end": {
			withLength(t, string(warctest.Plain(warcinfo, one(1), one(2), one(3), one(4))), "http://h/2", 1<<40),
			[]string{"http://h/1" + chained, "http://h/3" + forgeable, "http://h/4" + forgeable},
			"records read behind it: 2",
		},
		"a chain of ARC": {
			withLength(t, arc("http://h/1", "http://h/2", "http://h/3", "http://h/4"), "http://h/2", 3),
			[]string{"http://h/1" + chained, "http://h/3" + forgeable, "http://h/4" + forgeable},
			"records read behind it: 2",
		},
		"a chain that breaks": {
			append(withLength(t, string(warctest.Plain(warcinfo, one(1), one(2), one(3))), "http://h/2", 3),
				"prose"...),
			[]string{"http://h/1" + chained},
			"to the end of the input",
		},
		"a digest": {
			append(withLength(t, string(warctest.Plain(warcinfo, one(1), one(2), warctest.Digested(one(3)),
				warctest.Digested(one(4)), one(5))), "http://h/2", 3), "prose"...),
			[]string{"http://h/1" + chained, "http://h/3" + forgeable, "http://h/4" + forgeable},
			"matches its own digest, and a page could hold it; records read behind it: 2",
		},
		"two damages": {
			withLength(t, string(withLength(t,
				string(warctest.Plain(warcinfo, one(1), one(2), warctest.Digested(one(3)), one(4), one(5))),
				"http://h/2", 3)), "http://h/4", 2),
			[]string{"http://h/1" + chained, "http://h/3" + forgeable, "http://h/5" + forgeable},
			"records read behind it: 1",
		},
		"others name the warcinfo": {
			withLength(t, string(warctest.Plain(warcinfo, one(1), one(2), warctest.Digested(one(3)), named(one(4)))),
				"http://h/2", 3),
			[]string{"http://h/1" + chained, "http://h/4 resynced"},
			"names the archive's own warcinfo; records read behind it: 1",
		},
		"a forged run": {
			withLength(t,
				string(warctest.Plain(warcinfo, one(1), page(forged), one(2))), "http://h/p", 3),
			[]string{
				"http://h/1" + chained, "http://victim/" + forgeable, "http://victim/2" + forgeable,
				"http://h/2" + forgeable,
			},
			"a page could hold them; records read behind it: 3",
		},
		"a forged run, not followed": {
			withLength(t,
				string(warctest.Plain(warcinfo, one(1), notFollowed, one(2))), "http://h/p", 3),
			[]string{
				"http://h/1" + chained, "http://victim/" + forgeable, "http://victim/2" + forgeable,
				"http://h/2" + forgeable,
			},
			"",
		},
		"a forged run, records name": {
			withLength(t,
				string(warctest.Plain(warcinfo, named(one(1)), page(forged), named(one(2)))), "http://h/p", 3),
			[]string{"http://h/1" + chained, "http://h/2 resynced"},
			"own warcinfo; records read behind it: 1",
		},
		"a forged run at the end": {
			withLength(t,
				string(warctest.Plain(warcinfo, named(one(1)), page(forged))), "http://h/p", 3),
			[]string{"http://h/1" + chained},
			"to the end of the input",
		},
		"a forged run behind no own one": {
			withLength(t,
				string(warctest.Plain(warcinfo, page(forged), named(one(2)))), "http://h/p", 3),
			[]string{"http://h/2 resynced"},
			"own warcinfo; records read behind it: 1",
		},
		"a forged run that names another": {
			withLength(t,
				string(warctest.Plain(warcinfo, named(one(1)),
					page(strings.ReplaceAll(forged, "WARC-Date", "WARC-Warcinfo-ID: <urn:j>\r\nWARC-Date")),
					named(one(2)))), "http://h/p", 3),
			[]string{"http://h/1" + chained, "http://h/2 resynced"},
			"own warcinfo",
		},
		"a forged record in the right one": {
			warctest.Plain(warcinfo, one(1), page(forged), one(2)),
			[]string{"http://h/1" + chained, "http://h/p" + chained, "http://h/2" + chained},
			"",
		},
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
	one := func(n int) warctest.Record {
		return warctest.Response(fmt.Sprintf("urn:%d", n), fmt.Sprintf("http://h/%d", n), ok200)
	}
	for size := readBuffer - 400; size < readBuffer+20; size++ {
		damaged := warctest.Response("urn:p", "http://h/p", strings.Repeat("x", size))
		archive := withLength(t, string(warctest.Plain(damaged, one(1), one(2))), "http://h/p", 3)
		if got := read(t, archive); len(got.fetches) != 2 {
			t.Fatalf("page of %d bytes: %v, %v", size, got.urls(), got.issues)
		}
	}
}
