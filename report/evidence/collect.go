package evidence

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/reading"
)

// archiveKey identifies an archive: an input, or an entry of a WACZ.
type archiveKey struct {
	input int32
	entry string
}

// bitmap is a set of the records of an archive, by their index.
type bitmap []uint64

func (b *bitmap) add(i int64) (added bool) {
	for int64(len(*b)) <= i/64 {
		*b = append(*b, 0)
	}
	added = !b.has(i)
	(*b)[i/64] |= 1 << (i % 64)
	return added
}

func (b *bitmap) has(i int64) bool { return i/64 < int64(len(*b)) && (*b)[i/64]&(1<<(i%64)) != 0 }

// The roles of records that evaluate.Role does not have.
const (
	roleFetch    = "fetch"
	roleHop      = "hop"      // the target of a redirect of a capture
	roleOriginal = "original" // of a revisit, or the copy that a 304 renews
	roleRival    = "rival"    // another record to which the redirect of the hop before may have led
	roleRedirect = "redirect" // a capture that may have led to the fetch
	roleTwin     = "twin"     // the same record in another archive, which may show what came first
	roleDuration = "duration" // a line of crawl.log: how long a capture took
	rolePage     = "page"     // the original of the fetch, whose statements count, or one of two that may be it
	roleDocument = "document" // a tdmrep.json or a licence that was read for the page
)

// cited is a record that a finding cites, by its place.
type cited struct {
	Archive int   // index into the collector's archives
	Index   int64 // of a line of a log its offset
	Length  int64 `json:",omitempty"` // of a line of a log
	Role    string
}

// collected is a finding with its citations, until its records have numbers.
type collected struct {
	violation
	Cited []cited
}

// citedArchive is an archive that holds records cited.
type citedArchive struct {
	archiveKey
	isLog  bool
	wanted bitmap              // records, by index
	lines  *run.Sorter[placed] // wanted lines of a log
	number int64               // in the bundle; -1: it is not there
}

// collector keeps of each finding that is asked for the places of the records that it rests on.
type collector struct {
	finder
	set      *facts.Set
	inputs   []facts.Input // as they are found now
	selected *selection
	missing  map[int32]string // inputs that cannot be read, and why
	findings *spool           // lines: violations, without their records
	tmp      string
	archives []*citedArchive
	keys     map[archiveKey]int // index into archives
	lacking  int64              // findings that rest on records of missing inputs
	affected map[int32]int64
	unheld   map[string]int64 // findings that rest on a record that no input holds, by the archive that would
	tables   map[string]int64 // findings that rest on a row of a table of robots.txt, by the table
	logs     map[string]int64 // findings on a request that an access log alone reports, by the log
	newest   facts.Time
	here     []cited // of the finding in hand
}

// collect collects a finding.
func (c *collector) collect(f *found) error {
	if !c.selected.has(f, c.filename) {
		return nil
	}
	if c.isUnheld(f) {
		c.lacking++
		return nil
	}
	c.cite(f)
	if there, err := c.want(); !there || err != nil {
		return err
	}
	finding, err := json.Marshal(f.finding())
	if err != nil {
		return err
	}
	return writeLine(c.findings, collected{violation{Table: f.table, Row: f.row, Finding: finding}, c.here})
}

// writeLine writes a value as a line of JSON.
func writeLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}

// maxUnheld bounds the archives that are named because an index names them.
const maxUnheld = 1 << 10

// isUnheld reports whether a finding rests on a record that no input holds, and remembers the archive that
// would: the fetch, or a capture of robots.txt that counts, is only in an index, a table or an access log.
func (c *collector) isUnheld(f *found) bool {
	var name string
	r := c.result
	switch {
	case f.fetch.Trust == facts.TrustLogged:
		c.logs[c.filename(f.fetch)]++
		return true
	case f.fetch.IsReportedByIndex():
		name = c.filename(f.fetch)
	case r.Governing != nil && r.Governing.IsListed():
		c.tables[c.filename(&r.Governing.Fetch)]++
		return true
	case r.Contester() != nil && r.Contester().IsListed():
		c.tables[c.filename(&r.Contester().Fetch)]++
		return true
	case r.UnreadCaptures:
		name = "another robots.txt"
	default:
		return false
	}
	if _, known := c.unheld[name]; !known && len(c.unheld) >= maxUnheld {
		name = "other archives"
	}
	c.unheld[name]++
	return true
}

func (c *collector) filename(f *facts.Fetch) string {
	if f.Archive != "" {
		return f.Archive
	}
	name := c.inputs[f.Input].Name
	if f.Entry != "" {
		name += "/" + f.Entry
	}
	return name
}

// cite lists the records that a finding on the fetch in hand rests on.
func (c *collector) cite(f *found) {
	r := c.result
	c.here = c.here[:0]
	c.citeFetch(r.Fetch, roleFetch)
	considered := slices.DeleteFunc(append(r.Considered(), f.others...), func(g evaluate.Ground) bool {
		return g.Capture == nil || g.Word != 0 || g.Capture.IsListed() || g.Capture.Trust == facts.TrustLogged
	})
	for _, g := range considered {
		c.citeFetch(&g.Capture.Fetch, g.Role.String())
		c.citeSteps(g.Capture.Steps())
	}
	for _, lead := range r.LedBy() {
		c.citePlaces(lead.Spots(), roleRedirect)
		c.citeSteps(lead.Steps())
	}
	// any archive that holds two records may show their order, and their run
	c.citePlaces(r.Twins(facts.SpotOf(r.Fetch)), roleTwin)
	for _, g := range considered {
		for _, twin := range g.Capture.Twins() {
			c.citePlace(twin, roleTwin)
		}
		for line := range g.Capture.Lines() {
			c.citeLine(line.Input, line.Entry, line.Offset, line.Length, roleDuration)
		}
	}
	if f.table == tableRestrictions {
		// records that state something about the use of the page
		c.citePlaces(r.Page.Originals(), rolePage)
		for _, document := range r.Page.Documents() {
			c.citeFetch(&document.Fetch, roleDocument)
			c.citeSteps(document.Steps)
		}
	}
}

// citeSteps cites the records that a capture led to.
func (c *collector) citeSteps(steps []evaluate.Step) {
	for _, step := range steps {
		role := roleOriginal
		switch step.Kind {
		case evaluate.StepHop:
			role = roleHop
		case evaluate.StepRival:
			role = roleRival
		}
		c.citePlace(step.Spot, role)
	}
}

func (c *collector) citeFetch(f *facts.Fetch, role string) {
	if t := f.Time(); t.Known() && (t.Micros > c.newest.Micros || !c.newest.Known()) {
		c.newest = t
	}
	if f.Type == facts.TypeLogLine {
		c.citeLine(f.Input, f.Entry, f.Offset, f.Length, role)
		return
	}
	c.citePlace(evaluate.Spot{Input: f.Input, Entry: f.Entry, Index: f.Index}, role)
}

// citeLine cites a line of a crawler's log.
func (c *collector) citeLine(input int32, entry string, offset, length int64, role string) {
	a := c.archive(archiveKey{input, entry})
	c.archives[a].isLog = true
	c.here = append(c.here, cited{a, offset, length, role})
}

func (c *collector) citePlaces(places []evaluate.Spot, role string) {
	for _, p := range places {
		c.citePlace(p, role)
	}
}

func (c *collector) citePlace(p evaluate.Spot, role string) {
	c.here = append(c.here, cited{Archive: c.archive(archiveKey{p.Input, p.Entry}), Index: p.Index, Role: role})
}

// archive is the index of an archive.
func (c *collector) archive(key archiveKey) int {
	i, known := c.keys[key]
	if !known {
		i = len(c.archives)
		c.keys[key], c.archives = i, append(c.archives, &citedArchive{archiveKey: key, number: -1})
	}
	return i
}

// want notes that the bundle is to have the records in hand. It reports false where an input that is missing has some.
func (c *collector) want() (there bool, err error) {
	lacking := make(map[int32]bool)
	for _, x := range c.here {
		input := c.archives[x.Archive].input
		if _, gone := c.missing[input]; gone && !lacking[input] {
			lacking[input] = true
			c.affected[input]++
		}
	}
	if len(lacking) > 0 {
		c.lacking++
		return false, nil
	}
	for _, x := range c.here {
		a := c.archives[x.Archive]
		if !a.isLog {
			a.wanted.add(x.Index)
			continue
		}
		if a.lines == nil {
			a.lines = run.NewSorter(c.tmp, placedRuns)
		}
		if err := a.lines.Add(placed{Place: reading.Place{Index: x.Index}, Length: x.Length}); err != nil {
			return false, err
		}
	}
	return true, nil
}

// citations lists records by their numbers, each role once. Number returns 0 for a record that is not there.
func citations(records []cited, number func(*cited) (int64, error)) (list []citation, err error) {
	for i := range records {
		n, err := number(&records[i])
		if err != nil {
			return nil, err
		}
		if c := (citation{n, records[i].Role}); !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list, nil
}
