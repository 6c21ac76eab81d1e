package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/finding"
)

// timeline writes the captures around the moment of the fetch.
func (t *text) timeline() {
	t.section("Captures of robots.txt of %s", cmp.Or(t.shown(t.Fetch.Origin), "an origin that cannot be read"))
	if len(t.Captures)+t.Skipped+t.Undated == 0 {
		t.line("  There are none in these archives.")
	}
	hidden, fetchShown, isKept := 0, false, t.kept()
	left := func() {
		if hidden > 0 {
			t.line("       … %s left out", report.Count(int64(hidden), "capture"))
		}
		hidden = 0
	}
	unread := t.Unread
	unreadUntil := func(m *evaluate.Moment) { // nil: all that are left
		for len(unread) > 0 && (m == nil || unread[0].MicrosSince(m.Time) <= 0) {
			left()
			t.line("  ?    %-28s  an index reports a capture, and no input holds it", when(unread[0]))
			unread = unread[1:]
		}
	}
	mark := func() {
		unreadUntil(&t.Moment)
		left()
		t.line("  ---  %-28s  the fetch", when(t.Moment))
		fetchShown = true
	}
	for i := range t.Captures {
		c := &t.Captures[i]
		if c.After && !fetchShown {
			mark()
		}
		hidden += c.Skipped
		if !isKept[i] {
			hidden++
			continue
		}
		unreadUntil(&c.Time)
		left()
		t.line("  %s  %-28s  %s", marks(c), when(c.Time), t.captured(c))
	}
	if !fetchShown && len(t.Captures) > 0 {
		mark()
	}
	hidden += t.Skipped
	left()
	if t.Undated > 0 {
		t.line("       … %s without a usable date", report.Count(int64(t.Undated), "capture"))
	}
	unreadUntil(nil)
	if len(t.Captures) > 0 {
		t.line("  G governs; C the crawler may have acted on this copy (RFC 9309 §2.4); ! speaks against the verdict")
	}
}

// kept chooses the captures that are shown: those that decide, then the nearest to the fetch.
func (t *text) kept() []bool {
	kept, order := make([]bool, len(t.Captures)), make([]int, len(t.Captures))
	first := slices.IndexFunc(t.Captures, func(c evaluate.ExplainedCapture) bool { return c.After })
	if first < 0 {
		first = len(t.Captures)
	}
	for i := range order {
		order[i] = i
	}
	distance := func(i int) int {
		switch c := &t.Captures[i]; {
		case c.IsDecisive():
			return -2
		case c.Copy && c.Says != nil && c.Says.Verdict != t.Verdict:
			return -1
		case i < first:
			return first - 1 - i
		}
		return i - first
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(distance(a), distance(b)) })
	for _, i := range order[:min(len(order), t.limit(maxCaptures))] {
		kept[i] = true
	}
	return kept
}

func when(m evaluate.Moment) string {
	return cmp.Or(formatted(m, "2006-01-02 15:04:05.999999 UTC"), "no date")
}

func marks(c *evaluate.ExplainedCapture) string {
	m := []byte("   ")
	if c.Governs() {
		m[0] = 'G'
	}
	if c.Copy {
		m[1] = 'C'
	}
	if slices.Contains(c.Roles, evaluate.RoleContests) || slices.Contains(c.Roles, evaluate.RoleContradicts) {
		m[2] = '!'
	}
	return string(m)
}

// captured states of a capture who made it, its outcome and what it means for the fetch.
func (t *text) captured(c *evaluate.ExplainedCapture) string {
	who := cmp.Or(t.shown(c.Agent), finding.Version(t.Fetch.Type, c.Type), "(no token)")
	s := who + ": " + c.Outcome
	if c.URL != "" {
		s = who + ", from " + t.shown(c.URL) + ": " + c.Outcome
	}
	if c.Reason != "" && c.Reason != c.Outcome {
		s += ", " + c.Reason
	}
	switch {
	case c.Type == facts.TypeLogLine.String():
		s += " (a line of a log)"
	case c.Status != nil:
		s += fmt.Sprintf(" (status %d)", *c.Status)
	}
	if c.Says != nil {
		s += ": " + t.says(c.Says)
	}
	if len(c.Doubts) > 0 {
		s += "; " + strings.Join(c.Doubts, ", ")
	}
	return s
}

// way writes how the governing capture was reached.
func (t *text) way() {
	g := t.governing
	if g == nil {
		return
	}
	t.section("How the governing capture was reached")
	if g.Type == facts.TypeRow.String() {
		t.item("row", "%d of %s; no record: a table alone reports the capture", g.Record.Number, t.shown(g.Record.File))
	} else {
		t.item("record", "%s, %s", g.Type, t.record(&g.Record))
	}
	limit := t.limit(maxWay)
	for i, step := range g.Way {
		if i == limit {
			t.item("", "… %s left out", report.Count(int64(len(g.Way)-limit), "step"))
			break
		}
		where := "these archives do not hold it"
		if step.Record != nil {
			where = t.record(step.Record)
		}
		label := "original"
		switch {
		case step.Kind == "redirect":
			t.item("redirect to", "%s: %s", t.shown(step.URL), where)
			continue
		case step.Kind == "rival":
			label = "or perhaps to"
		case step.Kind == "named":
			t.item("names", "%s, which has another payload digest", where)
			continue
		case g.Status != nil && *g.Status == 304:
			label = "renews"
		}
		t.item(label, "%s", where)
	}
	if g.Final != nil {
		t.item("at the end", "status %d", *g.Final)
	}
	if b := g.Body; b != nil {
		by := "got by " + t.crawler(b.Agent)
		for i := range t.Captures {
			if c := &t.Captures[i]; c.Record.File == b.Record.File && c.Record.Offset == b.Record.Offset {
				by = cmp.Or(finding.Version(t.Fetch.Type, c.Type), by)
			}
		}
		t.item("content", "%s, %s: %s", moment(b.Time), by, t.record(&b.Record))
	}
}
