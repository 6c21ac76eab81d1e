package export

import (
	"iter"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

func rowsOf[T any](rows ...T) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for i := range rows {
			if !yield(&rows[i], nil) {
				return
			}
		}
	}
}

// TestUnknown decides what the archives of the repository do not have: tags that may be missing,
// hints, and a fetch that is allowed for one token and unknown for another.
func TestUnknown(t *testing.T) {
	f := report.FetchRow{
		FetchedURL:  report.FetchedURL{URL: "http://a.example/"},
		RecordPlace: report.RecordPlace{WARCFilename: "a.warc"},
		Decision:    report.Decision{Verdict: allowed, Reason: "rule"}, TagsFrom: "unknown", Trust: "listed",
	}
	pages := &decider{
		options: &Options{Purposes: []string{"train"}},
		pages:   results.FollowRows(rowsOf[report.RestrictionRow](), "restrictions"),
	}
	if w, err := pages.decide(&f); err != nil || w.Reason != "tags_unknown" || w.Fate != words.Leave {
		t.Errorf("unknown tags: %+v, %v", w, err)
	}
	hint := f
	hint.TagsFrom, hint.Hints = "head", "cache,train"
	if w, err := pages.decide(&hint); err != nil || w.Reason != "hint" || w.Fate != words.Leave ||
		w.Purpose != "train" {
		t.Errorf("a hint: %+v, %v", w, err)
	}
	hint.Hints = "cache"
	if w, err := pages.decide(&hint); err != nil || w.Reason != "allowed" || w.Fate != words.Keep {
		t.Errorf("a hint that nobody asked about: %+v, %v", w, err)
	}
	head := hint
	head.FetchMethod = "HEAD"
	if w, err := pages.decide(&head); err != nil || w.Reason != "not_a_page" {
		t.Errorf("an answer to HEAD: %+v, %v", w, err)
	}
	tokens := &decider{options: &Options{}, whatIf: &whatIf{
		tokens: []string{"A", "B", "C"}, groups: map[int64][]int32{},
		verdicts: results.FollowRows(rowsOf(
			report.GroupVerdictRow{
				URL: f.URL, WARCFilename: f.WARCFilename, RobotsID: 7, Group: 1,
				Decision: report.Decision{Verdict: allowed},
			},
			report.GroupVerdictRow{
				URL: f.URL, WARCFilename: f.WARCFilename, RobotsID: 7, Group: 2,
				Decision: report.Decision{Verdict: unknown, Reason: "truncated"},
			},
		), "group_verdicts"),
		agents: results.FollowRows(rowsOf(
			report.RobotsAgentRow{RobotsID: 7, Group: 1, Agent: "A"},
			report.RobotsAgentRow{RobotsID: 7, Group: 2, Agent: "B"},
			report.RobotsAgentRow{RobotsID: 7, Group: 1, Agent: "C"},
		), "robots_agents"),
	}}
	if w, err := tokens.decide(&f); err != nil || w.Reason != "robots_unknown" || w.Detail != "truncated" ||
		w.Agent != "B" ||
		w.RobotsID != 7 {
		t.Errorf("a token that is unknown: %+v, %v", w, err)
	}
}

// Images, PDFs and EPUBs may carry a reservation inside; what the crawler found in the content counts before what the
// server declared.
func TestSealed(t *testing.T) {
	for _, c := range []struct {
		detected, declared string
		want               int64
	}{
		{"", "image/png", 1},
		{"", "application/pdf", 1},
		{"", "application/epub+zip", 1},
		{"application/pdf", "text/html", 1},
		{"text/html", "application/pdf", 0},
		{"", "text/html", 0},
		{"", "", 0},
	} {
		l := &list{options: Options{By: ByRecord}}
		e := l.entryOf(&report.FetchRow{ContentMIMEDetected: c.detected, ContentMIMEType: c.declared}, &decision{})
		if e.sealed != c.want {
			t.Errorf("%q, %q: %d", c.detected, c.declared, e.sealed)
		}
	}
}
