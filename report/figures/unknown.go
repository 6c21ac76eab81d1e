package figures

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

const maxExamples = 3 // of origins, and of redirect targets, for a reason

// unknownTally counts unknown verdicts by reason. Fetches come origin by origin.
type unknownTally struct {
	reasons map[string]*unknownReason
	targets []string // of redirects of robots.txt that the archives do not hold
	origin  string   // in hand
	here    map[string]int64
}

type unknownReason struct {
	fetches, origins int64
	most             []originCount // the origins with most
}

type originCount struct {
	origin string
	count  int64
}

func newUnknownTally() *unknownTally {
	return &unknownTally{reasons: make(map[string]*unknownReason), here: make(map[string]int64)}
}

// addFetch counts a fetch with an unknown verdict.
func (t *unknownTally) addFetch(origin, reason string) {
	if origin != t.origin {
		t.endOrigin()
		t.origin = origin
	}
	t.here[reason]++
}

// addCapture notes the target of a redirect that the archives do not hold.
func (t *unknownTally) addCapture(row *report.RobotsRow) {
	if row.Reason != words.UnresolvedRedirect.String() || len(row.HopURLs) == 0 || len(t.targets) >= maxExamples {
		return
	}
	t.addTarget(strings.Clone(prose.Clip(row.HopURLs[len(row.HopURLs)-1], prose.MaxURL)))
}

func (t *unknownTally) addTarget(target string) {
	if len(t.targets) < maxExamples && !slices.Contains(t.targets, target) {
		t.targets = append(t.targets, target)
	}
}

// join adds what another has counted of the origins that follow.
func (t *unknownTally) join(o *unknownTally) {
	t.endOrigin()
	o.endOrigin()
	for reason, n := range o.reasons {
		r := t.reason(reason)
		r.fetches += n.fetches
		r.origins += n.origins
		for _, c := range n.most {
			r.rank(c)
		}
	}
	for _, target := range o.targets {
		t.addTarget(target)
	}
}

func (t *unknownTally) endOrigin() {
	for reason, n := range t.here {
		r := t.reason(reason)
		r.fetches += n
		r.origins++
		r.rank(originCount{strings.Clone(prose.Clip(t.origin, prose.MaxName)), n})
	}
	clear(t.here)
}

func (t *unknownTally) reason(name string) *unknownReason {
	r := t.reasons[name]
	if r == nil {
		r = new(unknownReason)
		t.reasons[strings.Clone(name)] = r
	}
	return r
}

func (r *unknownReason) rank(c originCount) {
	r.most = insertRanked(r.most, maxExamples, c, compareCounts)
}

// compareCounts puts the origin with most first.
func compareCounts(a, b originCount) int {
	return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.origin, b.origin))
}

// ranked are the reasons, the most frequent one first.
func (t *unknownTally) ranked() []string {
	return slices.SortedFunc(maps.Keys(t.reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.reasons[b].fetches, t.reasons[a].fetches), cmp.Compare(a, b))
	})
}

// section returns the counts.
func (t *unknownTally) section() document.Section {
	t.endOrigin()
	table := document.NewTable("unknown-reasons", "Fetches with an unknown verdict, by reason", "No verdict is unknown.",
		document.Words.Columns("Reason"), document.Number.Columns("Fetches", "Origins"),
		document.Code.Columns("Origins with most"), document.Words.Columns("What would settle it"))
	for _, reason := range t.ranked() {
		r := t.reasons[reason]
		var most []string
		for _, o := range r.most {
			most = append(most, prose.OrNoOrigin(o.origin)+" ("+prose.Number(o.count)+")")
		}
		table.Add(t.meaning(reason), r.fetches, r.origins, strings.Join(most, ", "), t.cure(reason))
	}
	return document.Section{ID: "unknown", Heading: "What is unknown", Tables: []document.Table{table}, Intro: []string{
		"Of these fetches the archives do not show whether robots.txt allowed them. They count neither as allowed nor as violations.",
	}}
}

// meaning is what a reason means, without the verdict, which is said already.
func (t *unknownTally) meaning(reason string) string {
	return cmp.Or(prose.PlainMarkdown(words.Find(words.Reasons, reason).Meaning), prose.Visible(reason))
}

// cure is what would settle the verdicts of a reason: an archive or an option.
func (t *unknownTally) cure(reason string) string {
	cure := prose.PlainMarkdown(words.Find(words.Reasons, reason).Settle)
	if reason == words.UnresolvedRedirect.String() && len(t.targets) > 0 {
		cure += " Targets: " + strings.Join(t.targets, ", ") + "."
	}
	return cure
}
