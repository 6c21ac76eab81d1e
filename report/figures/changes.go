package figures

import (
	"cmp"
	"fmt"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/diff"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

const (
	maxChanges      = 100 // fetches listed of a kind
	maxChangedSites = 100
)

// changesSection describes the differences from an earlier audit.
func changesSection(c *diff.Changes) document.Section {
	s := document.Section{ID: "changes", Heading: "Changes since the audit before", Intro: []string{c.Sentence()}}
	if text := c.PartText(); text != "" {
		s.Intro = append(s.Intro, text)
	}
	s.Intro = append(s.Intro,
		fmt.Sprintf("The audit before: %s. This one: %s. Fetches, robots.txt included: in both audits %s, only in the one "+
			"before %s, only in this one %s.", c.Old.Text(), c.New.Text(), prose.Number(c.Common), prose.Number(c.OnlyOld),
			prose.Number(c.OnlyNew)))
	if len(c.Settings) > 0 {
		s.Tables = append(s.Tables, settingsTable(c.Settings))
	}
	for _, k := range c.Kinds() {
		words := report.Count(k.Total, "fetch")
		if k.ID == "new" && c.Repeated > 0 {
			words += fmt.Sprintf(", besides %s of URLs that violated before, at another moment", prose.Number(c.Repeated))
		}
		s.Classes = append(s.Classes,
			document.Class{ID: k.ID, Label: k.Name, Count: k.Total, Words: words, Meaning: k.Meaning})
		if k.Total > 0 {
			s.Tables = append(s.Tables, changeTable("changes-"+k.ID, k.Name, k.Kind))
		}
	}
	s.Tables = append(s.Tables, changedSites(c))
	return s
}

func settingsTable(list []diff.Difference) document.Table {
	t := document.NewTable("changes-settings", "Asked or read in another way", "", document.Words.Columns("What", "Before", "Now"))
	t.Notes = []string{"Verdicts may differ for that alone."}
	for _, d := range list {
		t.Add(prose.Visible(d.Name), cmp.Or(prose.Clip(d.Old, prose.MaxName), "none"),
			cmp.Or(prose.Clip(d.New, prose.MaxName), "none"))
	}
	return t
}

func changeTable(id, caption string, k *diff.Kind) document.Table {
	clipped := func(s string) string { return prose.Clip(s, prose.MaxName) }
	t := document.NewTable(id, caption, "", document.Code.Columns("URL"), document.Moment.Columns("Time"),
		document.Words.Columns("Crawler"), document.Code.Columns("Record"), document.Words.Columns("Before", "Now"))
	for i := range k.List[:min(len(k.List), maxChanges)] {
		c := &k.List[i]
		url, _ := prose.ClipMiddle(c.URL, prose.MaxURL)
		var micros *int64
		if c.FetchTime != nil {
			micros = new(c.FetchTime.UnixMicro())
		}
		t.Add(url, prose.Moment(micros), prose.TokenName(c.Agent),
			fmt.Sprintf("%s:%d", prose.Clip(c.WARCFilename, prose.MaxName), c.WARCRecordOffset),
			c.Old.Text("not in that audit", clipped), c.New.Text("not in this audit", clipped))
	}
	t.LeaveOut(k.Total-int64(len(t.Rows)), "robotsaudit diff")
	return t
}

func changedSites(c *diff.Changes) document.Table {
	t := document.NewTable("changes-origins", "Changes by origin", "Nothing changed.", document.Code.Columns("Origin"),
		document.Number.Columns("New violations", "Again forbidden", "Again allowed", "Not again", "Otherwise"))
	for i := range c.Origins[:min(len(c.Origins), maxChangedSites)] {
		o := &c.Origins[i]
		t.Add(prose.OrNoOrigin(prose.Clip(o.Origin, prose.MaxName)), o.NewViolations, o.AgainForbidden, o.AgainAllowed,
			o.NotAgain, o.AgainUnknown+o.GoneViolations+o.Changed+o.NewlyUnknown+o.NoLongerUnknown)
	}
	t.LeaveOut(c.OriginCount-int64(len(t.Rows)), "robotsaudit diff")
	return t
}
