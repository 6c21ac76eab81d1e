// Package document is the compliance report of an audit as plain data: everything that a person
// reads in it, in its final words and numbers. Package figures builds it, and renderers (HTML,
// Markdown) only place it.
//
// Every text is safe to place: valid UTF-8 of bounded length, in which each character that
// cannot be seen is made visible (see prose.Visible). It may still hold characters that mean
// something to the format of a renderer, such as < or |, which the renderer escapes.
package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/robotsaudit/robotsaudit/report/prose"
)

// Disclaimer is for whoever reads a verdict.
const Disclaimer = "robots.txt is a request, not an authorization (RFC 9309, section 1): disallowed by robots.txt does not mean illegal, and allowed does not mean permitted."

// Document is a compliance report.
type Document struct {
	Title    string `json:"title"`
	Period   string `json:"period"`             // of the fetches
	Operator string `json:"operator,omitempty"` // who ran the crawl, by option; "": not given
	Date     string `json:"date,omitempty"`     // of the report, by option; "": not given

	Answer     Answer    `json:"answer"`
	Sections   []Section `json:"sections"`
	Excerpts   []Excerpt `json:"excerpts"`   // of robots.txt: Finding.Excerpt is an index
	Disclaimer string    `json:"disclaimer"` // for the first page and the foot: a request, not an authorization
}

// TitleOf is the title of a report: that which was given, or else a plain one.
func TitleOf(given string) string { return cmp.Or(prose.Visible(given), "Compliance with robots.txt") }

// Section returns the section with an ID: conduct (of access logs), actions, certainty, scope, timeline, changes (if an
// earlier audit was given), sites, violations, unproven, unknown, use, what-if, unread, method, sign-off. nil: there
// is none.
func (d *Document) Section(id string) *Section {
	i := slices.IndexFunc(d.Sections, func(s Section) bool { return s.ID == id })
	if i < 0 {
		return nil
	}
	return &d.Sections[i]
}

// Section is a part of the report: a heading and blocks, in this order. Most sections have few kinds of block.
type Section struct {
	ID       string    `json:"id"` // unique in the document, for anchors: letters and hyphens
	Heading  string    `json:"heading"`
	Intro    []string  `json:"intro,omitempty"` // paragraphs
	Terms    []Term    `json:"terms,omitempty"`
	Classes  []Class   `json:"classes,omitempty"`
	Totals   []string  `json:"totals,omitempty"` // of the classes, as sentences
	Timeline *Timeline `json:"timeline,omitempty"`
	Findings *Findings `json:"findings,omitempty"`
	Tables   []Table   `json:"tables,omitempty"`
	Blanks   []string  `json:"blanks,omitempty"` // names of lines to be filled in by hand
}

// Answer is the answer in one sentence, for the top of the first page.
type Answer struct {
	Level    Level  `json:"level"`
	Sentence string `json:"sentence"`
	// sentences that qualify it: shares, what is unknown, what was not read
	Details []string `json:"details,omitempty"`
}

// Level is the worst that the audit shows. It is for a symbol next to the answer, whose words state the
// same.
type Level string

// The levels, the worst first.
const (
	LevelViolations Level = "violations" // certain or probable ones
	LevelUnproven   Level = "unproven"   // possible or contested ones, no violation
	LevelUnknown    Level = "unknown"    // nothing disallowed, and some verdicts are unknown
	LevelNone       Level = "none"       // nothing disallowed, nothing unknown
)

// Term is a name and its description: a row of a list of definitions.
type Term struct {
	Name   string   `json:"name"`
	Values []string `json:"values"` // one or more
}

// NewTerm is a term of values.
func NewTerm(name string, values ...string) Term { return Term{name, values} }

// Class is a part of all fetches: by how certain it is that robots.txt disallowed them, in the order of a bar,
// by what changed, or by what to do.
type Class struct {
	ID      string `json:"id"`    // certain, probable, possible, contested, unknown, allowed, robots; new, gone, …
	Label   string `json:"label"` // "Certain violations"
	Count   int64  `json:"count"`
	Words   string `json:"words"`            // "41 fetches, 22.7 %"
	Meaning string `json:"meaning"`          // a sentence
	Action  string `json:"action,omitempty"` // what to do about it, a sentence
	Link    string `json:"link,omitempty"`   // ID of the section or table that lists it
	// command line that lists what is counted, in the folder of the tables
	Command string `json:"command,omitempty"`
}

// Timeline counts fetches over time.
type Timeline struct {
	Unit    Unit     `json:"unit"`
	What    string   `json:"what"`    // is counted: "Fetches"
	Periods []Period `json:"periods"` // ascending; those without fetches and captures are left out
	// what the crawler's warcinfo records say of obedience, in words; of access logs, the crawlers; those with most
	// violations first; ClaimCount.Claim is an index
	Claims  []string     `json:"claims"`
	By      string       `json:"by"`      // names what Claims are
	Counts  []ClaimCount `json:"counts"`  // sorted by period, then claim
	Undated string       `json:"undated"` // says how many fetches have no date; "": none
	More    string       `json:"more"`    // says what is left out; "": nothing
}

// ByCrawler is what Timeline.By is of access logs.
const ByCrawler = "Crawler"

// Numbers is the timeline in numbers.
func (t *Timeline) Numbers(id string) Table {
	table := NewTable(id, "The numbers of the charts", "", Moment.Columns("Start (UTC)"), Words.Columns(t.By),
		Number.Columns(t.What, "Violations", "Unknown"), Words.Columns("robots.txt"))
	for _, n := range t.Counts {
		p := t.Periods[n.Period]
		table.Add(p.Start, t.Claims[n.Claim], n.Fetches, n.Violations, n.Unknown, p.Mark)
	}
	return table
}

// Unit is the length of a period.
type Unit string

// The units. A week begins on Monday. All are in UTC.
const (
	Day   Unit = "day"
	Week  Unit = "week"
	Month Unit = "month"
	Year  Unit = "year"
)

// Period is one day, week, month or year.
type Period struct {
	Start string `json:"start"` // first day, "2024-05-03"
	Label string `json:"label"` // "3 May 2024", "week of 29 April 2024", "May 2024", "2024"
	Tally
	Changes int64  `json:"changes"` // captures of robots.txt that differ from the one before of their origin: a mark
	Mark    string `json:"mark"`    // Changes in words: "robots.txt changed on 2 origins: …"; "": none
}

// Tally counts fetches.
type Tally struct {
	Fetches    int64 `json:"fetches"`
	Violations int64 `json:"violations"` // certain and probable
	Unknown    int64 `json:"unknown"`
}

func (t *Tally) Add(o Tally) {
	t.Fetches += o.Fetches
	t.Violations += o.Violations
	t.Unknown += o.Unknown
}

// AddAtOnce adds what several goroutines may add at once.
func (t *Tally) AddAtOnce(o Tally) {
	atomic.AddInt64(&t.Fetches, o.Fetches)
	if o.Violations+o.Unknown > 0 {
		atomic.AddInt64(&t.Violations, o.Violations)
		atomic.AddInt64(&t.Unknown, o.Unknown)
	}
}

// ClaimCount is the fetches of one period and claim.
type ClaimCount struct {
	Period int `json:"period"` // index in Timeline.Periods
	Claim  int `json:"claim"`  // index in Timeline.Claims
	Tally
}

// Table is a table in its final words.
type Table struct {
	ID      string   `json:"id"` // unique in the document
	Caption string   `json:"caption"`
	Columns []Column `json:"columns"`
	Rows    [][]Cell `json:"rows"`            // as many cells as columns; sorted
	Empty   string   `json:"empty,omitempty"` // to be shown in place of a table without rows
	More    string   `json:"more,omitempty"`  // "and 1,234 more: table host_stats"; "": all rows are here
	Notes   []string `json:"notes,omitempty"` // to be shown below the table
}

// NewTable begins a table.
func NewTable(id, caption, empty string, columns ...[]Column) Table {
	return Table{ID: id, Caption: caption, Empty: empty, Columns: slices.Concat(columns...), Rows: [][]Cell{}}
}

// Add adds a row of texts and numbers. A number that is nil is an empty cell.
func (t *Table) Add(values ...any) {
	row := make([]Cell, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case Cell:
			row[i] = v
		case string:
			row[i].Text = v
		case int64:
			row[i] = Cell{Text: prose.Number(v), Number: v}
		case *int64:
			if v != nil {
				row[i] = Cell{Text: prose.Number(*v), Number: *v}
			}
		default:
			panic(fmt.Sprintf("document: a cell of type %T", v))
		}
	}
	t.Rows = append(t.Rows, row)
}

// LeaveOut states that the table has n rows less than there are, and where all are.
func (t *Table) LeaveOut(n int64, where string) {
	if n > 0 {
		t.More = fmt.Sprintf("and %s more: %s", prose.Number(n), where)
	}
}

// PutInWords leaves out a table of one row, and puts what it says in words.
func (t *Table) PutInWords() {
	if len(t.Rows) != 1 || t.More != "" {
		return
	}
	t.Empty = t.Caption + ": "
	for i, c := range t.Rows[0] {
		switch {
		case i == 0:
			t.Empty += c.Text
		case c.Text != "" && c.Text != "0":
			name := t.Columns[i].Name
			if len(name) < 2 || 'a' <= name[1] && name[1] <= 'z' { // no abbreviation
				name = strings.ToLower(name[:1]) + name[1:]
			}
			t.Empty += "; " + name + ": " + strings.TrimSuffix(c.Text, ".")
		}
	}
	t.Empty += "."
	t.Rows = [][]Cell{}
}

// Column is a column of a Table. The first column names the row.
type Column struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
}

// Kind decides how the cells of a column look and sort.
type Kind string

// The kinds.
const (
	Words  Kind = "words"  // running text
	Code   Kind = "code"   // a URL, a file name, a rule, a digest: fixed pitch, breaks anywhere
	Number Kind = "number" // sorts by Cell.Number; to the right
	Moment Kind = "moment" // a time, whose text sorts as it is
)

// Columns are columns of the kind.
func (k Kind) Columns(names ...string) (columns []Column) {
	for _, name := range names {
		columns = append(columns, Column{name, k})
	}
	return columns
}

// Cell is a cell of a Table.
type Cell struct {
	Text   string `json:"text"`
	Number int64  `json:"number,omitempty"` // of a column of numbers: what Text says
	Link   string `json:"link,omitempty"`   // ID of the section whose findings are of the site that Text names
}

// Findings are disallowed fetches.
type Findings struct {
	Total int64     `json:"total"` // rows of the table; List may have fewer
	List  []Finding `json:"list"`
	More  string    `json:"more,omitempty"`  // "995,000 more are in the table violations"; "": all are here
	Empty string    `json:"empty,omitempty"` // to be shown where there is none
}

// Finding is one disallowed fetch with its proof.
type Finding struct {
	ID        string `json:"id"` // unique in the document, and the same in any report that has the finding
	Certainty string `json:"certainty"`
	Sentence  string `json:"sentence"`   // the finding in one sentence
	Time      string `json:"time"`       // "2024-05-03 10:15:02 UTC"; "": no date
	Crawler   string `json:"crawler"`    // product token, or "not known"
	UserAgent string `json:"user_agent"` // "": not known
	URL       string `json:"url"`        // shortened if long, see Shortened
	Shortened bool   `json:"shortened"`  // the whole URL is in the table
	Origin    string `json:"origin"`     // as the tables of sites have it
	Rule      string `json:"rule"`       // "Disallow: /private/", or that robots.txt could not be had
	Line      int32  `json:"line"`       // of the rule; 0: none
	Excerpt   int    `json:"excerpt"`    // index in Document.Excerpts
	// capture time, age, way; group; copies considered; why not contested; doubts
	Proof    []Term   `json:"proof"`
	Settle   []string `json:"settle,omitempty"`   // what would settle an unproven finding
	Records  []Record `json:"records"`            // the fetch first, then the captures cited
	Commands []Term   `json:"commands,omitempty"` // explain it, extract it: each a command line for a shell
}

// Record is a record of an archive.
type Record struct {
	What   string `json:"what"` // "The fetch", "The robots.txt", "The body that was applied", "The copy that allows"
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	Length int64  `json:"length"` // 0: not in the tables
	ID     string `json:"id"`     // WARC-Record-ID; "": not recorded
	Digest string `json:"digest"` // "": not recorded
}

// Excerpt is a part of a robots.txt: the lines that decide, with three lines around.
type Excerpt struct {
	Source  string `json:"source"`            // a line that says which file it is from
	Lines   []Line `json:"lines,omitempty"`   // ascending
	Missing string `json:"missing,omitempty"` // says why there are no lines
}

// Line is a line of an Excerpt.
type Line struct {
	Number int    `json:"number"` // from 1; 0: lines are left out here
	Text   string `json:"text"`   // tabs are four spaces
	Mark   Mark   `json:"mark,omitempty"`
	Label  string `json:"label,omitempty"` // the mark in words: "group", "rule"
}

// Mark is the effect of a line of robots.txt.
type Mark string

// The marks.
const (
	MarkGroup Mark = "group" // begins the group that decides
	MarkRule  Mark = "rule"  // decides
)
