package facts

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// A CrawlRun is one run of a crawler, as one archive shows it: the records of one warcinfo record, or
// of a file without any. Records keep its number (Fetch.Run).
type CrawlRun struct {
	Entry  string            `json:"entry,omitempty"`  // of a WACZ, by its name there
	Number int32             `json:"number"`           // in the file or entry, from 1
	ID     string            `json:"id,omitempty"`     // of the warcinfo record, packed
	File   string            `json:"file,omitempty"`   // WARC-Filename of the warcinfo record
	Fields map[string]string `json:"fields,omitempty"` // what it states: digests of the values, by lower-cased name

	Unordered bool `json:"unordered,omitempty"` // the order of its records does not follow their dates
	Mixed     bool `json:"mixed,omitempty"`     // records of several runs, too many to number
}

// more is the name of a field that stands for those beyond maxStated.
const more = ""

// maxStated bounds the fields of a warcinfo record that are compared.
const (
	maxStated     = 32
	maxStatedName = 32 // bytes of a name
)

// State adds a field of the warcinfo record. An empty one states nothing. Of a field that is repeated,
// all values count.
func (r *CrawlRun) State(name, value []byte) {
	if value = bytes.TrimSpace(value); len(value) == 0 {
		return
	}
	key := strings.ToLower(string(name[:min(len(name), maxStatedName)]))
	if len(r.Fields) >= maxStated && r.Fields[key] == "" {
		r.Fields[more] = "more"
		return
	}
	if r.Fields == nil {
		r.Fields = make(map[string]string)
	}
	sum := sha256.Sum256(append([]byte(r.Fields[key]), value...)) // arguments may hold passwords
	r.Fields[key] = hex.EncodeToString(sum[:8])
}

// Known returns the run as it is kept, to be compared: what it states only if that may name the run, and is
// all of it.
func (r CrawlRun) Known() CrawlRun {
	if r.Fields[more] != "" || r.Fields[wgetArguments] == "" &&
		!slices.ContainsFunc(namesRun, func(name string) bool { return r.Fields[name] != "" }) {
		r.Fields, r.File = nil, ""
	}
	if r.Fields[wgetArguments] == "" {
		r.File = ""
	}
	for _, name := range differsInRun {
		delete(r.Fields, name)
	}
	return r
}

// namesRun are the fields of a warcinfo record that name who ran the crawler, or what for.
var namesRun = []string{"hostname", "operator", "ispartof"}

// differsInRun are the fields that differ between the archives of one run.
var differsInRun = []string{"filename", "created", "date"}

const wgetArguments = "wget-arguments"

// IsSame reports whether two archives show one run: they name one warcinfo record, or their warcinfo
// records show it, of requests with two User-Agents. WARC 1.1 §6.2 leaves their fields open.
func (r *CrawlRun) IsSame(o *CrawlRun, agent, other string) bool {
	switch {
	case r == o:
		return !r.Mixed
	case r.Mixed || o.Mixed:
		return false
	case r.ID != "" && r.ID == o.ID:
		return true
	}
	states := func(name string) bool { return r.Fields[name] != "" && r.Fields[name] == o.Fields[name] }
	isPart := states(wgetArguments) && differInNumber(r.File, o.File) && (agent == other || agent == "" || other == "")
	return (isPart || agent == other && slices.ContainsFunc(namesRun, states)) && r.agrees(o)
}

// agrees reports whether two warcinfo records agree in all fields that both state.
func (r *CrawlRun) agrees(o *CrawlRun) bool {
	for name, value := range r.Fields {
		if other := o.Fields[name]; other != "" && other != value {
			return false
		}
	}
	return true
}

// differInNumber reports whether two file names differ in one number and nothing else.
func differInNumber(a, b string) bool {
	if a == b {
		return false
	}
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	for start > 0 && digits(a[start-1:start]) { // the number may begin alike
		start--
	}
	a, b = a[start:], b[start:]
	end := 0
	for end < min(len(a), len(b)) && a[len(a)-1-end] == b[len(b)-1-end] && !digits(a[len(a)-1-end:len(a)-end]) {
		end++
	}
	return digits(a[:len(a)-end]) && digits(b[:len(b)-end])
}

// CrawlRunOf returns the run of a record; nil where its archive does not show one.
func (s *Set) CrawlRunOf(at Spot) *CrawlRun {
	if at.Run == 0 || s == nil {
		return nil
	}
	if r := findRun(s.runs.of(at.Input), at); r != nil {
		return r
	}
	if more := s.verified[at.Input]; more != nil {
		return findRun(more.Runs, at)
	}
	return nil
}

// CrawlRuns returns the runs that an archive shows.
func (s *Set) CrawlRuns(input int32) []CrawlRun { return s.runs.of(input) }

// IsSameRun reports whether two records, by requests with two User-Agents, are of one run of a crawler.
func (s *Set) IsSameRun(a, b Spot, agent, other string) bool {
	p, q := s.CrawlRunOf(a), s.CrawlRunOf(b)
	return p != nil && q != nil && p.IsSame(q, agent, other)
}

// findRun finds a run of an archive, whose runs are sorted.
func findRun(runs []CrawlRun, at Spot) *CrawlRun {
	i, found := slices.BinarySearchFunc(runs, CrawlRun{Entry: at.Entry, Number: at.Run}, compareRuns)
	if !found {
		return nil
	}
	return &runs[i]
}

func compareRuns(a, b CrawlRun) int {
	return cmp.Or(cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Number, b.Number))
}

// crawlRuns are the runs of all inputs.
type crawlRuns struct {
	first []int32 // in list, of each input
	list  []CrawlRun
	alike map[string]map[string]string // fields by their texts: the archives of a crawl share them
}

// begin begins the runs of the next input.
func (c *crawlRuns) begin() { c.first = append(c.first, int32(len(c.list))) }

// of are the runs of an input.
func (c *crawlRuns) of(input int32) []CrawlRun {
	switch {
	case int(input)+1 < len(c.first):
		return c.list[c.first[input]:c.first[input+1]]
	case int(input) < len(c.first):
		return c.list[c.first[input]:]
	}
	return nil
}

// add adds the run of a row to the input that was begun.
func (c *crawlRuns) add(row runRow) error {
	if row.Run == 0 {
		return nil
	}
	fields, known := c.alike[row.Fields]
	if !known {
		parsed, err := row.crawlRun()
		if err != nil {
			return err
		}
		if fields = parsed.Fields; c.alike == nil {
			c.alike = make(map[string]map[string]string)
		}
		c.alike[strings.Clone(row.Fields)] = fields
	}
	c.list = append(c.list, CrawlRun{
		strings.Clone(row.Entry), row.Run, strings.Clone(row.ID), strings.Clone(row.File), fields,
		row.Unordered, row.Mixed,
	})
	return nil
}

// sort puts the runs of each input in order.
func (c *crawlRuns) sort() {
	for i := range c.first {
		slices.SortFunc(c.of(int32(i)), compareRuns)
	}
}
