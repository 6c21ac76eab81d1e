package export_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
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
		evaluate.Options{Agents: []string{"CCBot", "GPTBot"}, Uses: []tag.Use{tag.UseTrain}}, archive))
	if err != nil {
		t.Fatal(err)
	}
	a, b := "http://a.example", "http://b.example"
	for name, c := range map[string]struct {
		options    export.Options
		drop, keep []string
		undecided  int64
	}{
		"neither": {export.Options{}, nil, []string{a + "/y", b + "/x"}, 2},
		"left":    {export.Options{Undecided: export.Leave}, nil, []string{a + "/y", b + "/x"}, 2},
		"dropped": {
			export.Options{Undecided: export.Drop},
			[]string{a + "/x", a + "/x?t"},
			[]string{a + "/y", b + "/x"},
			2,
		},
		"kept": {
			export.Options{Undecided: export.Keep},
			nil,
			[]string{a + "/x", a + "/y", a + "/x?t", b + "/x"},
			2,
		},
		"for a token": {
			export.Options{Agents: []string{"CCBot"}},
			[]string{a + "/x", a + "/x?t"},
			[]string{a + "/y", b + "/x"},
			0,
		},
		"for another": {
			export.Options{Agents: []string{"GPTBot"}},
			nil,
			[]string{a + "/x", a + "/y", a + "/x?t", b + "/x"},
			0,
		},
		"tags": {
			export.Options{Purposes: []string{"train"}},
			[]string{a + "/x?t"},
			[]string{a + "/y", b + "/x"},
			1,
		},
		"tags, kept": {
			export.Options{Purposes: []string{"train"}, KeepUnknown: true},
			nil,
			[]string{a + "/y", b + "/x"},
			2,
		},
		"tags, one dropped": {
			export.Options{Purposes: []string{"train"}, Undecided: export.Keep},
			[]string{a + "/x?t"},
			[]string{a + "/x", a + "/y", b + "/x"},
			1,
		},
		"hosts, neither": {export.Options{By: export.ByOrigin}, nil, []string{b}, 2},
		"hosts, dropped": {
			export.Options{By: export.ByOrigin, Undecided: export.Drop},
			[]string{a},
			[]string{b},
			2,
		},
		"hosts, kept": {export.Options{By: export.ByOrigin, Undecided: export.Keep}, nil, []string{a, b}, 2},
		"hosts, one dropped": {
			export.Options{By: export.ByOrigin, Purposes: []string{"train"}},
			[]string{a},
			[]string{b},
			1,
		},
	} {
		o, key := c.options, "origin"
		if o.By == "" {
			o.By, key = export.ByRecord, "url"
		}
		for keep, want := range map[bool][]string{false: c.drop, true: c.keep} {
			o.Keep = keep
			var got []string
			for _, row := range rowsOf(t, r, o) {
				got = append(got, row[key].(string))
			}
			slices.Sort(got)
			want = slices.Sorted(slices.Values(want))
			if !slices.Equal(got, want) {
				t.Errorf("%s, keep %v: %v, want %v", name, keep, got, want)
			}
			if s, err := export.Write(t.Context(), io.Discard, r, o, export.CSV); err != nil ||
				s.Undecided != c.undecided {
				t.Errorf("%s, keep %v: %d undecided, want %d (%v)", name, keep, s.Undecided, c.undecided, err)
			}
		}
	}
	rows := rowsOf(t, r, export.Options{By: export.ByRecord, Undecided: export.Drop})
	if len(rows) != 2 || rows[0]["reason"] != "unnamed_crawler" || rows[0]["detail"] != "no_matching_group" {
		t.Errorf("%v", rows)
	}

	for fate, want := range map[export.Undecided]string{
		export.Leave: `{"robotsaudit__export__unnamed_crawler":[[0,1,1.0]]}`,
		export.Drop:  `{"robotsaudit__export__drop":[[0,1,1.0]],"robotsaudit__export__unnamed_crawler":[[0,1,1.0]]}`,
	} {
		var out bytes.Buffer
		if _, err := export.WriteAttributes(t.Context(), &out, r, export.Options{By: export.ByRecord, Undecided: fate},
			strings.NewReader(`{"id":"http://a.example/x","text":"x"}`)); err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(&out)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(z); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %s, want %s (%v)", fate, got, want, err)
		}
	}
}
