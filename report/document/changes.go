package document

import (
	"cmp"
	"fmt"
	"time"

	"github.com/robotsaudit/robotsaudit/report/diff"
)

const (
	maxChanges      = 100 // fetches listed of a kind
	maxChangedSites = 100
)

// changesSection describes the differences from an earlier audit.
func changesSection(c *diff.Changes) *Changes {
	s := &Changes{Section: Section{ID: "changes", Heading: "Changes since the audit before", Intro: []string{
		fmt.Sprintf("The audit before: %s. This one: %s.", sideText(&c.Old), sideText(&c.New)),
		fmt.Sprintf("%s %s in both audits, %s only in the one before, %s only in this one.",
			plural(c.Common, "fetch"), isAre(c.Common, "is", "are"), number(c.OnlyOld), number(c.OnlyNew)),
	}}}
	if len(c.Settings) > 0 {
		s.Tables = append(s.Tables, settingsTable(c.Settings))
	}
	for _, k := range []struct {
		id, label, meaning string
		kind               *diff.Kind
	}{
		{"new", "New violations", "Violations by this audit, and none by the one before.", &c.NewViolations},
		{"gone", "Violations no longer", "Violations by the audit before, and none by this one.", &c.GoneViolations},
		{"changed", "Changed", "Another verdict, certainty or rule.", &c.Changed},
		{"newly-unknown", "Newly unknown", "Unknown by this audit alone.", &c.NewlyUnknown},
		{"no-longer-unknown", "No longer unknown", "Unknown by the audit before alone.", &c.NoLongerUnknown},
	} {
		words := plural(k.kind.Total, "fetch")
		if k.kind.Absent > 0 {
			words += fmt.Sprintf(", of them %s not in the other audit", number(k.kind.Absent))
		}
		s.Counts = append(s.Counts,
			Class{ID: k.id, Label: k.label, Count: k.kind.Total, Words: words, Meaning: k.meaning})
		if k.kind.Total > 0 {
			s.Tables = append(s.Tables, changeTable("changes-"+k.id, k.label, k.kind))
		}
	}
	s.Tables = append(s.Tables, changedSites(c))
	return s
}

func sideText(s *diff.Side) string {
	return fmt.Sprintf("%s, %s, %s unproven, %s unknown", plural(s.Fetches, "fetch"),
		plural(s.Violations, "violation"), number(s.Unproven), number(s.Unknown))
}

func settingsTable(list []diff.Difference) Table {
	t := Table{
		ID: "changes-settings", Rows: [][]Cell{}, Caption: "Asked or read in another way",
		Columns: []Column{{"What", Words}, {"Before", Words}, {"Now", Words}},
		Notes:   []string{"Verdicts may differ for that alone."},
	}
	for _, d := range list {
		t.Rows = append(t.Rows, []Cell{
			{Text: Visible(d.Name)},
			{Text: cmp.Or(clip(d.Old, maxName), "none")},
			{Text: cmp.Or(clip(d.New, maxName), "none")},
		})
	}
	return t
}

func changeTable(id, caption string, k *diff.Kind) Table {
	t := Table{
		ID: id, Rows: [][]Cell{}, Caption: caption,
		Columns: []Column{
			{"URL", Code},
			{"Time", Moment},
			{"Crawler", Words},
			{"Record", Code},
			{"Before", Words},
			{"Now", Words},
		},
	}
	for i := range k.List[:min(len(k.List), maxChanges)] {
		c := &k.List[i]
		url, _ := clipMiddle(c.URL, maxURL)
		t.Rows = append(t.Rows, []Cell{
			{Text: url},
			{Text: momentOf(c.FetchTime)},
			{Text: tokenName(c.Agent)},
			{Text: fmt.Sprintf("%s:%d", clip(c.WARCFilename, maxName), c.WARCRecordOffset)},
			{Text: stateText(c.Old)},
			{Text: stateText(c.New)},
		})
	}
	t.leaveOut(k.Total-int64(len(t.Rows)), "robotsaudit diff")
	return t
}

func momentOf(t *time.Time) string {
	if t == nil {
		return ""
	}
	micros := t.UnixMicro()
	return moment(&micros)
}

// stateText describes an audit's verdict on a fetch.
func stateText(s *diff.State) string {
	if s == nil {
		return "not in that audit"
	}
	words := Visible(s.Verdict)
	if s.Certainty != "" {
		words += ", " + Visible(s.Certainty)
	}
	words += " (" + Visible(s.Reason)
	if s.Rule != "" {
		words += fmt.Sprintf(", line %d: %s", s.RuleLine, clip(s.Rule, maxName))
	}
	return words + ")"
}

func changedSites(c *diff.Changes) Table {
	t := Table{
		ID: "changes-origins", Rows: [][]Cell{}, Caption: "Changes by origin",
		Columns: []Column{
			{"Origin", Code},
			{"New violations", Number},
			{"No longer", Number},
			{"Changed", Number},
			{"Newly unknown", Number},
			{"No longer unknown", Number},
		},
		Empty: "Nothing changed.",
	}
	for i := range c.Origins[:min(len(c.Origins), maxChangedSites)] {
		o := &c.Origins[i]
		t.Rows = append(t.Rows, []Cell{
			{Text: orNoOrigin(clip(o.Origin, maxName))},
			count(o.NewViolations), count(o.GoneViolations),
			count(o.Changed), count(o.NewlyUnknown), count(o.NoLongerUnknown),
		})
	}
	t.leaveOut(c.OriginCount-int64(len(t.Rows)), "robotsaudit diff")
	return t
}
