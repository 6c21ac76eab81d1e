package finding

import (
	"cmp"
	"maps"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// disproofs are the words of the grounds that keep a finding from being a violation, the strongest first.
func disproofs(grounds []string) (list []words.Word) {
	for _, name := range grounds {
		if words.NoteOf(name)&(words.Contests|words.Disproofs) != 0 {
			list = append(list, words.Find(words.GroundWords, name))
		}
	}
	return list
}

// Settle are what would settle an unproven finding.
func (f *Case) Settle() (cures []string) {
	for _, w := range disproofs(f.GroundWords()) {
		if cure := prose.PlainMarkdown(w.Settle); !slices.Contains(cures, cure) {
			cures = append(cures, cure)
		}
	}
	return cures
}

// Why states in sentences what keeps a finding of a class from being certain.
func Why(certainty string, grounds []string) (list []string) {
	if certainty != words.Probable.String() {
		for _, w := range disproofs(grounds) {
			list = append(list, prose.PlainMarkdown(w.Meaning))
		}
		return list
	}
	for _, name := range grounds {
		if meaning := meaningOf(name); !slices.Contains(list, meaning) {
			list = append(list, meaning)
		}
	}
	return list
}

// meaningOf is what the word of a ground or a note means; the word itself, if no list has it.
func meaningOf(name string) string {
	return cmp.Or(prose.PlainMarkdown(words.Find(words.GroundWords, name).Meaning), prose.Visible(name))
}

// Doubts counts unproven fetches by the grounds for which they are not proven.
type Doubts map[string]int64

// Add counts an unproven fetch.
func (t Doubts) Add(row *report.ViolationRow) {
	for _, w := range disproofs(row.GroundWords()) {
		t[w.Name]++
	}
}

// Table lists the grounds.
func (t Doubts) Table() document.Table {
	table := document.NewTable("unproven-causes", "Why they are not proven, and what would settle them", "There is none.",
		document.Words.Columns("Why"), document.Number.Columns("Fetches"), document.Words.Columns("What would settle it"))
	table.Notes = []string{"A fetch may count in several rows."}
	for _, name := range slices.SortedFunc(maps.Keys(t),
		func(a, b string) int { return cmp.Or(cmp.Compare(t[b], t[a]), cmp.Compare(meaningOf(a), meaningOf(b))) }) {
		table.Add(meaningOf(name), t[name], prose.PlainMarkdown(words.Find(words.GroundWords, name).Settle))
	}
	return table
}
