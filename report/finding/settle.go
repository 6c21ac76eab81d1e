package finding

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// cause is why a disallowed fetch is not proven to be a violation, and what would settle it.
type cause struct {
	why  string // a sentence
	but  string // the same, within the sentence of a finding
	cure string
}

// These are the causes that no note names.
var (
	causeNoToken = cause{
		"The crawler is not known by name: robots.txt may allow it by name.",
		"robots.txt may allow this crawler by a name that is not known",
		"The crawler’s product token: audit again with --crawler TOKEN or --crawler @FILE.",
	}
	causeLater = cause{
		"robots.txt was captured only after the fetch.",
		"nothing shows that the crawler was informed before",
		"An archive that holds this robots.txt as captured before the fetch, best at most 24 hours before; or the " +
			"crawler’s log, if it names the moment at which it received robots.txt.",
	}
	causeOther = cause{
		"The capture is not known to be this crawler’s own, is more than 24 hours old, and no later one confirms it.",
		"nothing shows that this crawler was informed, or that robots.txt still said so",
		"This crawler’s own capture of robots.txt from before the fetch, or any capture at most 30 days after it.",
	}
	causeOld = cause{
		"The capture is more than 30 days old, and no later one confirms it.",
		"nothing shows that robots.txt still said so",
		"A capture of robots.txt from the 30 days before the fetch, or the 30 days after it.",
	}
	causeMoment = cause{
		"An index reports the fetch, and robots.txt is of the same second: nothing shows which came first.",
		"nothing shows that this crawler was informed before",
		"The archive that the index names: the order of its records shows which came first.",
	}
	causeReading = cause{
		"A reading that the standard leaves open allows the fetch.",
		"a reading that the standard leaves open allows it",
		"No archive: how the site meant the line and how the crawler reads it, in its documentation.",
	}
)

const oldAge = 30 * 24 * 3600

// causes are the reasons for which the finding is not proven: one or more.
func (f *Case) causes() (list []cause) {
	for _, c := range []struct {
		holds bool
		cause cause
	}{
		{f.Agent == "", causeNoToken},
		{f.Evidence == "later", causeLater},
		{f.Evidence == "stale" && !f.isOwn() && !f.has("bracketed"), causeOther},
		{f.Evidence == "stale" && prose.Value(f.RobotsAge) > oldAge && !f.has("bracketed"), causeOld},
	} {
		if c.holds && f.Certainty != "contested" {
			list = append(list, c.cause)
		}
	}
	isOpen := false
	for note := range strings.SplitSeq(f.Notes, ",") {
		w := words.Find(words.NoteWords, note)
		isOpen = isOpen || w.Effect == words.OpenReading
		if w.Effect == words.AllowingCopy || w.Effect == words.Unproven && f.Certainty != "contested" {
			list = append(list,
				cause{prose.PlainMarkdown(w.Meaning), prose.PlainMarkdown(w.But), prose.PlainMarkdown(w.Settle)})
		}
	}
	switch {
	case f.Certainty == "contested" && isOpen:
		list = append(list, causeReading)
	case f.Certainty != "contested" && len(list) == 0: // an index reports the fetch, in the second of robots.txt
		list = append(list, causeMoment)
	}
	return list
}

// Settle are what would settle an unproven finding.
func (f *Case) Settle() (cures []string) {
	for _, c := range f.causes() {
		cures = append(cures, c.cure)
	}
	return cures
}

// A Doubted finding is one that is not certain, with its reasons.
type Doubted struct {
	Certainty, Evidence string
	Agent, RobotsAgent  string // product tokens of the fetch and of the governing capture
	Age                 *int64 // of the governing capture, in seconds
	Notes               []string
}

// Why states in sentences what keeps the finding from being certain.
func (f Doubted) Why() (list []string) {
	var row Case
	row.Certainty, row.Evidence, row.Agent, row.RobotsAge = f.Certainty, f.Evidence, f.Agent, f.Age
	row.Notes, row.RobotsAgent = strings.Join(f.Notes, ","), f.RobotsAgent
	if f.Certainty == "probable" {
		return row.doubtTexts()
	}
	for _, c := range row.causes() {
		list = append(list, c.why)
	}
	return list
}

// Doubts counts unproven fetches by cause.
type Doubts map[cause]int64

func (t Doubts) Add(f *Case) {
	for _, c := range f.causes() {
		t[c]++
	}
}

func (t Doubts) Table() document.Table {
	table := document.NewTable("unproven-causes", "Why they are not proven, and what would settle them", "There is none.",
		document.Words.Columns("Why"), document.Number.Columns("Fetches"), document.Words.Columns("What would settle it"))
	table.Notes = []string{"A fetch may count in several rows."}
	for _, c := range slices.SortedFunc(maps.Keys(t),
		func(a, b cause) int { return cmp.Or(cmp.Compare(t[b], t[a]), cmp.Compare(a.why, b.why)) }) {
		table.Add(c.why, t[c], c.cure)
	}
	return table
}
