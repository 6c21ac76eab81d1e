package ingest

import (
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
)

// TestRefersElsewhere: revisits whose original need not come before them in their own
// origin lie in runs of their own, too.
func TestRefersElsewhere(t *testing.T) {
	const here = "http://a.example/page"
	archive := warctest.Response("urn:original", here, ok200).String()
	want, cases := make(map[string]bool), 0
	for name, c := range map[string]struct {
		kind    string
		undated bool
		fields  []string
		want    bool
	}{
		"nothing named":            {"revisit", false, nil, false},
		"own URL, before":          {"revisit", false, []string{refersTo(here), dated("2024-05-01T11:59:59Z")}, false},
		"own URL, the same second": {"revisit", false, []string{refersTo(here), dated("2024-05-01T12:00:00Z")}, true},
		"own URL, later":           {"revisit", false, []string{refersTo(here), dated("2024-05-01T12:00:01Z")}, true},
		"own URL, the same day":    {"revisit", false, []string{refersTo(here), dated("2024-05-01")}, true},
		"own URL, undated itself":  {"revisit", true, []string{refersTo(here), dated("2024-05-01T11:59:59Z")}, true},
		"own URL, without a date":  {"revisit", false, []string{refersTo(here)}, false},
		"own origin, before": {
			"revisit", false,
			[]string{refersTo("HTTP://A.example:80/other"), dated("2024-05-01T11:59:59Z")},
			false,
		},
		"own origin, later": {
			"revisit", false,
			[]string{refersTo("HTTP://A.example:80/other"), dated("2024-05-02T12:00:00Z")},
			true,
		},
		"another scheme": {
			"revisit", false,
			[]string{refersTo("https://a.example/page"), dated("2024-05-01T11:59:59Z")},
			true,
		},
		"another host": {
			"revisit", false,
			[]string{refersTo("http://www.a.example/page"), dated("2024-05-01T11:59:59Z")},
			true,
		},
		"another host, no date": {"revisit", false, []string{refersTo("http://www.a.example/page")}, false},
		"an id alone":           {"revisit", false, []string{"WARC-Refers-To: <urn:original>"}, true},
		"an id cut short": {
			"revisit", false,
			[]string{"WARC-Refers-To: <urn:" + strings.Repeat("x", warc.MaxRecordID) + ">"},
			false,
		},
		"an id and a date": {
			"revisit", false,
			[]string{"WARC-Refers-To: <urn:original>", dated("2024-05-01T11:59:59Z")},
			true,
		},
		"an id beside URL and date": {
			"revisit", false,
			[]string{"WARC-Refers-To: <urn:original>", refersTo(here), dated("2024-05-01T11:59:59Z")},
			false,
		},
		"no revisit": {"response", false, []string{"WARC-Refers-To: <urn:original>"}, false},
	} {
		e := warctest.Record{
			Type: c.kind, ID: "urn:" + strings.ReplaceAll(name, " ", "-"), URL: here, Block: ok200,
			Fields: c.fields,
		}
		text := e.String()
		if c.undated {
			text = strings.Replace(text, "\r\nWARC-Date: 2024-05-01T12:00:00Z", "", 1)
		}
		archive, cases = archive+text, cases+1
		if c.want {
			want[e.ID] = true
		}
	}
	tree(t, map[string]string{"in/a.warc": archive})
	set, _, _ := ingestAll(t, "in")
	task := set.Tasks[0]
	got := make(map[string]bool)
	for f, err := range run.Merge(t.Context(), []string{task.Path(task.Revisits[0])}, facts.RevisitRuns,
		run.MergeOptions[facts.Fetch]{}) {
		if err != nil {
			t.Fatal(err)
		}
		got[f.RecordID.String()] = true
	}
	equal(t, "revisits that refer elsewhere", got, want)
	if n := set.Totals.Fetches; n != int64(1+cases) {
		t.Errorf("%d fetches, want all %d", n, 1+cases)
	}
}

func refersTo(url string) string { return "WARC-Refers-To-Target-URI: " + url }
func dated(date string) string   { return "WARC-Refers-To-Date: " + date }
