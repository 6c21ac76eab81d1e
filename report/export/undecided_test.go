package export_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/export"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// unnamedArchive is of a crawler without a name: /x is forbidden to CCBot, /y to nobody, and some tags of
// /x?t may be missing.
func unnamedArchive(t *testing.T) string {
	t.Helper()
	record := func(n int, url, http string, fields ...string) warctest.Record {
		r := warctest.Response(fmt.Sprintf("urn:uuid:00000000-0000-4000-8000-%012d", n), "http://"+url,
			"HTTP/1.1 200 OK\r\n"+http, fields...)
		r.Date = fmt.Sprintf("2024-05-01T12:00:%02dZ", n)
		return r
	}
	archive := warctest.Plain(
		record(1, "a.example/robots.txt", "\r\nUser-agent: CCBot\nDisallow: /x\n"),
		record(2, "a.example/x", "\r\nx"),
		record(3, "a.example/y", "\r\ny"),
		record(4, "a.example/x?t", "Content-Type: text/html\r\n\r\n<html><head>", "WARC-Truncated: length"),
		record(5, "b.example/robots.txt", "\r\nUser-agent: CCBot\nDisallow:\n"),
		record(6, "b.example/x", "\r\nx"),
	)
	path := filepath.Join(t.TempDir(), "unnamed.warc")
	if err := os.WriteFile(path, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestUndecided: what robots.txt allows to a crawler without a name, and forbids to one that it names.
func TestUndecided(t *testing.T) {
	archive := unnamedArchive(t)
	r, err := results.Open(audittest.Audit(t,
		evaluate.DecideOptions{Agents: []string{"CCBot", "GPTBot"}, Uses: []tag.Use{tag.UseTrain}}, archive))
	if err != nil {
		t.Fatal(err)
	}
	a, b := "http://a.example", "http://b.example"
	all := []string{a + "/x", a + "/y", a + "/x?t", b + "/x"}
	for name, c := range map[string]struct {
		options         export.Options
		decided         string
		drop, undecided []string // of all
	}{
		"neither":     {export.Options{}, "", nil, []string{a + "/x", a + "/x?t"}},
		"dropped":     {export.Options{}, "all=drop", []string{a + "/x", a + "/x?t"}, nil},
		"kept":        {export.Options{}, "all=keep", nil, nil},
		"unknown":     {export.Options{}, "robots_unknown=keep,tags_unknown=keep", nil, []string{a + "/x", a + "/x?t"}},
		"for a token": {export.Options{Agents: []string{"CCBot"}}, "", []string{a + "/x", a + "/x?t"}, nil},
		"for another": {export.Options{Agents: []string{"GPTBot"}}, "", nil, nil},
		"tags":        {export.Options{Purposes: []string{"train"}}, "", nil, []string{a + "/x", a + "/x?t"}},
		"tags, dropped": {
			export.Options{Purposes: []string{"train"}}, "robots_unknown=drop,tags_unknown=drop,hint=drop", []string{a + "/x?t"}, []string{a + "/x"},
		},
		"tags, kept": {
			export.Options{Purposes: []string{"train"}}, "tags_unknown=keep", nil, []string{a + "/x", a + "/x?t"},
		},
		"tags, one dropped": {
			export.Options{Purposes: []string{"train"}}, "tags_unknown=drop,all=keep", []string{a + "/x?t"}, nil,
		},
		"hosts":          {export.Options{By: export.ByOrigin}, "", nil, []string{a}},
		"hosts, dropped": {export.Options{By: export.ByOrigin}, "all=drop", []string{a}, nil},
		"hosts, kept":    {export.Options{By: export.ByOrigin}, "all=keep", nil, nil},
		"hosts, one dropped": {
			export.Options{By: export.ByOrigin, Purposes: []string{"train"}}, "tags_unknown=drop", []string{a}, nil,
		},
	} {
		o, key, keep := c.options, "origin", []string{a, b}
		if o.By == "" {
			o.By, key, keep = export.ByRecord, "url", slices.Clone(all)
		}
		o.Decide = choices(t, strings.FieldsFunc(c.decided, func(r rune) bool { return r == ',' })...)
		keep = slices.DeleteFunc(keep,
			func(s string) bool { return slices.Contains(c.drop, s) || slices.Contains(c.undecided, s) })
		wanted := map[words.Fate][]string{words.Drop: c.drop, words.Leave: c.undecided, words.Keep: keep}
		for _, o.List = range lists {
			want := wanted[o.List]
			var got []string
			for _, row := range rowsOf(t, r, o) {
				got = append(got, row[key].(string))
			}
			slices.Sort(got)
			if want = slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
				t.Errorf("%s, %v: %v, want %v", name, o.List, got, want)
			}
		}
	}
	o := export.Options{List: words.Leave, By: export.ByRecord}
	rows := rowsOf(t, r, o)
	if len(rows) != 2 || rows[0]["reason"] != "unnamed_crawler" || rows[0]["detail"] != "no_matching_group" {
		t.Errorf("%v", rows)
	}

	for decided, want := range map[string]words.Fate{"": words.Leave, "all=drop": words.Drop, "all=keep": words.Keep} {
		o.List, o.Decide = want, choices(t, strings.Fields(decided)...)
		if !slices.ContainsFunc(rowsOf(t, r, o), func(row map[string]any) bool { return row["reason"] == "unnamed_crawler" }) {
			t.Errorf("%s: unnamed_crawler is not in the list %v", decided, want)
		}
	}
}
