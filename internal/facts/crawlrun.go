package facts

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// A CrawlRun is one run of a crawler, as one archive shows it: the records of one warcinfo record, or
// of a file without any. Records keep its number (Fetch.Run).
type CrawlRun struct {
	Entry     string      // of a WACZ, by its name there
	ID        recordid.ID // of the warcinfo record
	File      string      // WARC-Filename of the warcinfo record
	Fields    []Field     // what it states, sorted by name
	Voices    []Voice     // who made its requests; more than MaxVoices: too many to be kept
	Clocks    []Clock     // how far its clock was off, in the order of its records; none: it is not known to be
	Number    int32       // in the file or entry, from 1
	Unordered bool        // the order of its records does not follow their dates
	Mixed     bool        // records of several runs, too many to number
}

// A Clock is how far the clock of a run was off, by the Date fields of many servers, from one of its records on.
type Clock struct {
	From    int64 // Fetch.Index
	Seconds int64 // that it was fast; negative: slow
}

// A Voice is a User-Agent in the requests of a run.
type Voice struct {
	UserAgent  string // "": pages were requested without one
	AsksRobots bool   // robots.txt was requested with it
}

// MaxVoices bounds the User-Agents of a run that are kept.
const MaxVoices = 8

// Hear adds the User-Agent of a request.
func (r *CrawlRun) Hear(userAgent string, asksRobots bool) {
	i := slices.IndexFunc(r.Voices, func(v Voice) bool { return v.UserAgent == userAgent })
	switch {
	case i >= 0:
		r.Voices[i].AsksRobots = r.Voices[i].AsksRobots || asksRobots
	case len(r.Voices) <= MaxVoices:
		r.Voices = append(r.Voices, Voice{strings.Clone(userAgent), asksRobots})
	}
}

// A Field is what a warcinfo record states under a name.
type Field struct{ Name, Digest string } // in lower case; of the values

// stated is the digest of a field; "" where there is none.
func (r *CrawlRun) stated(name string) string {
	if i, found := r.find(name); found {
		return r.Fields[i].Digest
	}
	return ""
}

func (r *CrawlRun) find(name string) (int, bool) {
	return slices.BinarySearchFunc(r.Fields, name, func(f Field, name string) int { return cmp.Compare(f.Name, name) })
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
	at, found := r.find(key)
	switch {
	case found:
	case len(r.Fields) < maxStated:
		r.Fields = slices.Insert(r.Fields, at, Field{Name: key})
	case r.stated(more) == "":
		r.Fields = slices.Insert(r.Fields, 0, Field{more, "more"})
		return
	default:
		return
	}
	sum := sha256.Sum256(append([]byte(r.Fields[at].Digest), value...)) // arguments may hold passwords
	r.Fields[at].Digest = hex.EncodeToString(sum[:8])
}

// Known returns the run as it is kept, to be compared: what it states only if that may name the run, and is
// all of it.
func (r CrawlRun) Known() CrawlRun {
	named := func(name string) bool { return r.stated(name) != "" }
	if named(more) || !named(wgetArguments) && !slices.ContainsFunc(namesRun, named) {
		r.Fields = nil
	}
	if !named(wgetArguments) {
		r.File = ""
	}
	r.Fields = slices.DeleteFunc(slices.Clone(r.Fields),
		func(f Field) bool { return slices.Contains(differsInRun, f.Name) })
	return r
}

// namesRun are the fields of a warcinfo record that name who ran the crawler, or what for.
var namesRun = []string{"hostname", "operator", "ispartof"}

// differsInRun are the fields that differ between the archives of one run.
var differsInRun = []string{"filename", "created", "date"}

const wgetArguments = "wget-arguments"

// isSame reports whether two archives show one run: they name one warcinfo record, or their warcinfo
// records show it, of requests with two User-Agents. WARC 1.1 §6.2 leaves their fields open.
func (r *CrawlRun) isSame(o *CrawlRun, agent, other string) bool {
	switch {
	case r == o:
		return !r.Mixed
	case r.Mixed || o.Mixed:
		return false
	case r.ID != "" && r.ID == o.ID:
		return true
	}
	states := func(name string) bool { return r.stated(name) != "" && r.stated(name) == o.stated(name) }
	isPart := states(wgetArguments) && differInNumber(r.File, o.File) && (agent == other || agent == "" || other == "")
	return (isPart || agent == other && slices.ContainsFunc(namesRun, states)) && r.agrees(o)
}

// agrees reports whether two warcinfo records agree in all fields that both state.
func (r *CrawlRun) agrees(o *CrawlRun) bool {
	for _, f := range r.Fields {
		if other := o.stated(f.Name); other != "" && other != f.Digest {
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
	if r := s.inputs.run(at); r != nil {
		return r
	}
	if more := s.verified[at.Input]; more != nil {
		i, found := slices.BinarySearchFunc(more.Runs, CrawlRun{Entry: at.Entry, Number: at.Run}, compareRuns)
		if found {
			return &more.Runs[i]
		}
	}
	return nil
}

// OrderRuns sets which runs of an input are unordered, by their warcinfo records.
func (s *Set) OrderRuns(input int32, isUnordered func(recordid.ID) bool) {
	for from, to := s.inputs.rowsOf(input); from < to; from++ {
		s.inputs.unordered[from] = isUnordered(recordid.ID(s.inputs.rows.At(from).ID))
	}
}

// IsSameRun reports whether two records, by requests with two User-Agents, are of one run of a crawler.
func (s *Set) IsSameRun(a, b Spot, agent, other string) bool {
	p := s.CrawlRunOf(a)
	if p == nil || a.InRun() == b.InRun() {
		return p != nil && !p.Mixed
	}
	q := s.CrawlRunOf(b)
	return q != nil && p.isSame(q, agent, other)
}

// IsOfOthers reports whether the warcinfo records of two records name two hosts, operators or collections.
func (s *Set) IsOfOthers(a, b Spot) bool {
	p, q := s.CrawlRunOf(a), s.CrawlRunOf(b)
	return p != nil && q != nil && slices.ContainsFunc(namesRun, func(name string) bool {
		return p.stated(name) != "" && q.stated(name) != "" && p.stated(name) != q.stated(name)
	})
}

// HearRuns adds to the voices of the runs of an input, by their warcinfo records.
func (s *Set) HearRuns(input int32, voicesOf func(recordid.ID) []Voice) {
	for from, to := s.inputs.rowsOf(input); from < to; from++ {
		held := s.inputs.rows.At(from)
		run := CrawlRun{Voices: slices.Clone(s.inputs.voices[held.Voices])}
		for _, v := range voicesOf(recordid.ID(held.ID)) {
			run.Hear(v.UserAgent, v.AsksRobots)
		}
		if s.inputs.heardAt == nil {
			s.inputs.heardAt = make(map[int][]Voice)
		}
		s.inputs.heardAt[from] = run.Voices
	}
}

// ClockOf returns by how many seconds the clock was fast that dated a record; 0: nothing shows that it was off.
func (s *Set) ClockOf(at Spot) int64 {
	if s == nil || at.Run == 0 || len(s.inputs.clocks) == 0 {
		return 0
	}
	if row := s.inputs.find(at); row >= 0 {
		return ClockAt(s.inputs.clocks[row], at.Index)
	}
	return 0
}

// ClockAt returns by how many seconds the clock was fast that dated a record of a run.
func ClockAt(clocks []Clock, index int64) (seconds int64) {
	for _, c := range clocks {
		if c.From <= index {
			seconds = c.Seconds
		}
	}
	return seconds
}

// SetClocks sets how far the clocks of an input were off, by its records.
func (s *Set) SetClocks(input int32, clocks []Clock) {
	for from, to := s.inputs.rowsOf(input); from < to && len(clocks) > 0; from++ {
		s.inputs.clocks[from] = clocks
	}
}

func compareRuns(a, b CrawlRun) int {
	return cmp.Or(cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Number, b.Number))
}
