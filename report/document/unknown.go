package document

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/report"
)

// cures say what would tell an unknown verdict, by reason: an archive or an option.
var cures = map[string]string{
	"no_capture":           "Archives that hold the robots.txt of these origins, captured before the fetches, best at most 24 hours before. Common Crawl keeps it in its robotstxt subset.",
	"no_time":              "Nothing in this audit: the record has no usable date. The crawler’s log may have it.",
	"changed_between":      "Archives with more captures of robots.txt between the two that differ.",
	"conflicting_captures": "An archive that shows the order of the captures, such as the one that the crawler wrote first.",
	"refused_to_other":     "Archives with this crawler’s own captures of robots.txt.",
	"unresolved_redirect":  "The archive with the target of the redirect, captured at most an hour after it or 24 hours before.",
	"unresolved_revisit":   "The archive with the original record that the revisit or the status 304 stands for.",
	"undefined_status":     "Later captures of robots.txt; or --profile rep-08, which reads such a status as a failure.",
	"undecodable":          "Another capture of robots.txt in a coding that can be read.",
	"challenge":            "Another capture of robots.txt: this one is a page that asks for a proof that the client is no crawler.",
	"unreachable_stale":    "Archives with captures of robots.txt after the failure, at most 24 hours before the fetches.",
	"truncated":            "A whole capture of robots.txt.",
	"ambiguous_token":      "The crawler’s name, by --crawler-map: the User-Agent names two.",
	"forgeable":            "An undamaged copy of the archive.",
	"unread_capture":       "The archives with the captures of robots.txt that the index tells of.",
	"too_costly":           "Nothing: the rules hold too many wildcards for so long a URL, or there are too many captures to compare.",
	"unsupported_scheme":   "Nothing: robots.txt does not speak of the scheme.",
}

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
func (t *unknownTally) addCapture(row *captureRow) {
	if row.Reason != "unresolved_redirect" || len(row.HopURLs) == 0 || len(t.targets) >= maxExamples {
		return
	}
	if target := clip(row.HopURLs[len(row.HopURLs)-1], maxURL); !slices.Contains(t.targets, target) {
		t.targets = append(t.targets, target)
	}
}

func (t *unknownTally) endOrigin() {
	for reason, n := range t.here {
		r := t.reasons[reason]
		if r == nil {
			r = new(unknownReason)
			t.reasons[strings.Clone(reason)] = r
		}
		r.fetches += n
		r.origins++
		r.most = append(r.most, originCount{clip(t.origin, maxName), n})
		slices.SortFunc(r.most, func(a, b originCount) int {
			return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.origin, b.origin))
		})
		r.most = r.most[:min(len(r.most), maxExamples)]
	}
	clear(t.here)
}

// section is what was counted.
func (t *unknownTally) section() Tables {
	t.endOrigin()
	table := Table{
		ID: "unknown-reasons", Rows: [][]Cell{}, Caption: "Fetches with an unknown verdict, by reason",
		Columns: []Column{{"Reason", Words}, {"Fetches", Number}, {"Origins", Number}, {"Origins with most", Code}, {"What would tell", Words}},
		Empty:   "No verdict is unknown.",
	}
	reasons := slices.SortedFunc(maps.Keys(t.reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.reasons[b].fetches, t.reasons[a].fetches), cmp.Compare(a, b))
	})
	for _, reason := range reasons {
		r := t.reasons[reason]
		var most []string
		for _, o := range r.most {
			most = append(most, orNoOrigin(o.origin)+" ("+number(o.count)+")")
		}
		table.Rows = append(table.Rows, []Cell{
			{Text: t.meaning(reason)}, count(r.fetches), count(r.origins), {Text: strings.Join(most, ", ")}, {Text: t.cure(reason)},
		})
	}
	return Tables{
		Section: Section{ID: "unknown", Heading: "What is unknown", Intro: []string{
			"Of these fetches the archives do not tell what robots.txt said. They count neither as allowed nor as violations.",
		}},
		Tables: []Table{table},
	}
}

// meaning says what a reason means, without the verdict, which is said already.
func (t *unknownTally) meaning(reason string) string {
	words := strings.TrimPrefix(plainMarkdown(report.Meaning("reason", reason)), "Unknown: ")
	return Capital(cmp.Or(words, Visible(reason)))
}

func (t *unknownTally) cure(reason string) string {
	words := cures[reason]
	if reason == "unresolved_redirect" && len(t.targets) > 0 {
		words += " Targets: " + strings.Join(t.targets, ", ") + "."
	}
	return words
}
