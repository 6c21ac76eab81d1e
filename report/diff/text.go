package diff

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/robotsaudit/robotsaudit/report"
)

const (
	fewChanges = 20  // of a kind, and origins, shown in short
	maxShown   = 200 // bytes shown of a text from an archive
)

// WriteText writes the changes for a person at a terminal to read: the first of each kind, or all
// that are listed.
func (c *Changes) WriteText(w io.Writer, full bool) error {
	most := fewChanges
	if full {
		most = MaxListed
	}
	t := &text{names: [2]string{c.Old.Dir, c.New.Dir}, most: most}
	t.line("%s", c.Sentence())
	if text := c.PartText(); text != "" {
		t.line("%s", text)
	}
	for i, s := range []Side{c.Old, c.New} {
		t.line("%s %s: %s", [2]string{"Old", "New"}[i], t.names[i], s.Text())
	}
	t.line("Fetches, robots.txt included: in both audits %d, only in the old one %d, only in the new one %d.",
		c.Common, c.OnlyOld, c.OnlyNew)
	for _, d := range c.Settings {
		t.line("Not the same in both, so verdicts may differ for that alone: %s: %s, now %s", d.Name,
			cmp.Or(shown(d.Old), "none"), cmp.Or(shown(d.New), "none"))
	}
	for i, k := range c.Kinds() {
		t.kind(k.Name, k.Kind)
		if i == int(newViolation) && c.Repeated > 0 {
			t.line("  besides %s of URLs that violated before, at another moment", report.Count(c.Repeated, "violation"))
		}
	}
	t.origins(c)
	_, err := io.WriteString(w, t.String())
	return err
}

// text is a comparison being written.
type text struct {
	strings.Builder
	names [2]string // of the old and the new audit
	most  int       // changes of a kind
}

func (t *text) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

func (t *text) kind(name string, k *Kind) {
	if k.Total == 0 {
		t.line("\n%s: none", name)
		return
	}
	t.line("\n%s: %s%s", name, report.Count(k.Total, "fetch"), k.othersText())
	for i := range k.List[:min(len(k.List), t.most)] {
		c := &k.List[i]
		when := "no date"
		if c.FetchTime != nil {
			when = c.FetchTime.Format("2006-01-02T15:04:05Z")
		}
		t.line("  %s", shown(c.URL))
		t.line("    %s, %s, %s:%d", when, cmp.Or(shown(c.Agent), "crawler not known"),
			shown(c.WARCFilename), c.WARCRecordOffset)
		t.line("    was %s", c.Old.Text("not in this audit", shown))
		t.line("    is  %s", c.New.Text("not in this audit", shown))
	}
	t.more(k.Total, len(k.List))
}

// more states how many of total are not shown; the list has the first listed of them.
func (t *text) more(total int64, listed int) {
	if rest := total - int64(min(listed, t.most)); rest > 0 {
		t.line("  and %d more", rest)
	}
}

// othersText states what the other audit has on these fetches.
func (k *Kind) othersText() string {
	var parts []string
	if k.Absent > 0 && k.Absent < k.Total {
		parts = append(parts, fmt.Sprintf("%d not in the other audit", k.Absent))
	}
	if k.Unknown > 0 && k.Unknown < k.Total {
		parts = append(parts, fmt.Sprintf("%d unknown there", k.Unknown))
	}
	if parts == nil {
		return ""
	}
	return ", of them " + strings.Join(parts, ", ")
}

// shown makes a text from an archive safe for a terminal, and short.
func shown(s string) string { return report.Shown(s, maxShown) }

// Text describes the state, with texts from tables as shown writes them; absent: the audit has no such fetch.
func (s *State) Text(absent string, shown func(string) string) string {
	if s == nil {
		return absent
	}
	words := shown(s.Verdict)
	if s.Certainty != "" {
		words += ", " + shown(s.Certainty)
	}
	words += " (" + shown(s.Reason)
	if s.Rule != "" {
		words += fmt.Sprintf(", line %d: %s", s.RuleLine, shown(s.Rule))
	}
	return words + ")"
}

func (t *text) origins(c *Changes) {
	if c.OriginCount == 0 {
		return
	}
	t.line("\nBy origin:")
	columns := tabwriter.NewWriter(t, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "  new\tagain forbidden\tagain allowed\tagain unknown\tnot again\tjudged otherwise\tchanged\tnewly unknown\t"+
		"no longer unknown\torigin")
	for _, o := range c.Origins[:min(len(c.Origins), t.most)] {
		for _, n := range o.counts() {
			fmt.Fprintf(columns, "  %d\t", *n)
		}
		fmt.Fprintln(columns, cmp.Or(shown(o.Origin), "(unreadable)"))
	}
	columns.Flush()
	t.more(c.OriginCount, len(c.Origins))
}
