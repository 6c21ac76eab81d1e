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
func changesSection(c *diff.Changes) Section {
	s := Section{ID: "changes", Heading: "Changes since the audit before", Intro: []string{
		fmt.Sprintf("The audit before: %s. This one: %s.", sideText(&c.Old), sideText(&c.New)),
		fmt.Sprintf("%s %s in both audits, %s only in the one before, %s only in this one.",
			plural(c.Common, "fetch"), isAre(c.Common, "is", "are"), number(c.OnlyOld), number(c.OnlyNew)),
	}}
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
		s.Classes = append(s.Classes,
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
	t := NewTable("changes-settings", "Asked or read in another way", "", Words.Columns("What", "Before", "Now"))
	t.Notes = []string{"Verdicts may differ for that alone."}
	for _, d := range list {
		t.Add(Visible(d.Name), cmp.Or(Clip(d.Old, maxName), "none"), cmp.Or(Clip(d.New, maxName), "none"))
	}
	return t
}

func changeTable(id, caption string, k *diff.Kind) Table {
	t := NewTable(id, caption, "", Code.Columns("URL"), Moment.Columns("Time"), Words.Columns("Crawler"),
		Code.Columns("Record"), Words.Columns("Before", "Now"))
	for i := range k.List[:min(len(k.List), maxChanges)] {
		c := &k.List[i]
		url, _ := clipMiddle(c.URL, maxURL)
		t.Add(url, momentOf(c.FetchTime), tokenName(c.Agent),
			fmt.Sprintf("%s:%d", Clip(c.WARCFilename, maxName), c.WARCRecordOffset), stateText(c.Old), stateText(c.New))
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
		words += fmt.Sprintf(", line %d: %s", s.RuleLine, Clip(s.Rule, maxName))
	}
	return words + ")"
}

func changedSites(c *diff.Changes) Table {
	t := NewTable("changes-origins", "Changes by origin", "Nothing changed.", Code.Columns("Origin"),
		Number.Columns("New violations", "No longer", "Changed", "Newly unknown", "No longer unknown"))
	for i := range c.Origins[:min(len(c.Origins), maxChangedSites)] {
		o := &c.Origins[i]
		t.Add(orNoOrigin(Clip(o.Origin, maxName)), o.NewViolations, o.GoneViolations, o.Changed, o.NewlyUnknown,
			o.NoLongerUnknown)
	}
	t.leaveOut(c.OriginCount-int64(len(t.Rows)), "robotsaudit diff")
	return t
}
