package reading

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

func (c *Committer) reportDamage(d *warc.Damage, size int64) error {
	if err := c.endGap(); err != nil {
		return err
	}
	c.index++ // what stands on both sides of damage is not adjacent
	i := facts.Issue{
		Offset: d.Offset, Length: -1, RecordID: d.RecordID, Kind: d.Kind, Detail: d.Detail,
		Action: cmp.Or(d.Action, "record dropped"),
	}
	if d.More && d.Resumed == 0 {
		return c.Report(i)
	}
	skipped, detail := int64(-1), "to the end of the stream"
	switch {
	case d.More:
		skipped = d.Resumed - d.Offset
		detail = fmt.Sprintf("%d bytes; %s", skipped, cmp.Or(d.Proof.String(), "what follows proves itself"))
	case size >= d.Offset:
		skipped = size - d.Offset
		detail = fmt.Sprintf("%d bytes to the end of the input", skipped)
	}
	switch d.Kind {
	case words.IssueTruncatedRecord: // the record is what is skipped
		i.Length = skipped
		return c.Report(i)
	case words.IssueSkippedRange: // and nothing else to report
		detail = d.Detail + ": " + detail
	default:
		if err := c.Report(i); err != nil || skipped == 0 {
			return err
		}
	}
	gap := facts.Issue{
		Offset: d.Offset, Length: skipped, Kind: words.IssueSkippedRange, Detail: detail,
		Action: "not read",
	}
	if !d.More {
		return c.Report(gap)
	}
	c.gap, c.beforeGap = gap, c.Stats.Resynced
	return nil
}

// endGap reports the range skipped last, with the number of records read after it.
func (c *Committer) endGap() error {
	if c.gap.Kind == words.IssueUnknown {
		return nil
	}
	gap := c.gap
	gap.Detail += fmt.Sprintf("; records read behind it: %d", c.Stats.Resynced-c.beforeGap)
	c.gap = facts.Issue{}
	return c.Report(gap)
}

// trustOf returns how sure it is that a record is where it was found, and what it is of.
func trustOf(r *warc.Record) facts.Trust {
	if r.Resynced || r.Joint == warc.JointPossible || contradictsItself(r) {
		return facts.TrustResynced
	}
	return facts.TrustChained
}

// contradictsItself reports whether a header states two dates or two URLs: a verdict rests on both.
func contradictsItself(r *warc.Record) bool {
	return slices.ContainsFunc(r.Repeated, func(field string) bool {
		return strings.EqualFold(field, "WARC-Date") || strings.EqualFold(field, "WARC-Target-URI")
	})
}
