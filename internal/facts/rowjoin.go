package facts

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/digest"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// indexed holds the properties of all inputs that reading rows of indexes and lists
// requires.
type indexed struct {
	any    bool // there are such rows
	named  bool // and some have names of the user's own
	others bool // there are records of TypeOther
	coarse bool // there are fetches whose date is coarser than a second, or none
	input  func(number int32) Input
	agents map[string][]archiveAgent // by the file name of an archive
	agent  string                    // for a row whose archive states none; "": unknown
}

// archiveAgent is the User-Agent that all warcinfo records of an input state; "": they do not
// agree.
type archiveAgent struct {
	input int32
	agent string
}

// mayMean reports whether a row of an index may mean an input by the name of an archive: whole parts of
// its path or name, or, of Common Crawl, whose subsets have archives of one name, the file name.
func (in Input) mayMean(archive string) bool {
	isCommonCrawl := strings.HasPrefix(path.Base(archive), "CC-")
	return isCommonCrawl || in.Name == archive || in.Path == archive || strings.HasSuffix(in.Path, "/"+archive)
}

func newIndexed(s *Set) (indexed, error) {
	x := indexed{
		any: s.Totals.Indexed > 0, named: s.Totals.ListIDs > 0, others: s.Totals.Others > 0,
		coarse: s.Totals.Coarse > 0,
		input:  s.Input, agents: make(map[string][]archiveAgent),
	}
	if !x.any {
		return x, nil
	}
	var captures InputStats           // with the User-Agents of all captures of robots.txt
	stated := make(map[string]string) // the User-Agents of all warcinfo records
	i := int32(-1)
	for r, err := range s.Results(context.Background()) {
		if err != nil {
			return x, err
		}
		i++
		for _, agent := range r.RobotsAgents {
			captures.AddRobotsAgent(agent)
		}
		for _, crawl := range r.Crawls {
			stated[crawl.UserAgent] = crawl.UserAgent
		}
		if len(r.Crawls) == 0 || len(r.Crawls) == MaxCrawls { // there may be more
			continue
		}
		agent := stated[r.Crawls[0].UserAgent]
		for _, crawl := range r.Crawls {
			if crawl.UserAgent != agent {
				agent = ""
			}
		}
		for _, name := range s.Input(i).namesInIndex() {
			x.agents[name] = append(x.agents[name], archiveAgent{i, agent})
		}
	}
	if len(captures.RobotsAgents) == 1 {
		x.agent = s.onlyAgent(captures.RobotsAgents[0], stated)
	}
	return x, nil
}

// namesInIndex are the names that an index may call an input: one or two.
func (in Input) namesInIndex() []string {
	return slices.Compact([]string{path.Base(in.Name), path.Base(in.Path)})
}

// onlyAgent is the User-Agent of all captures of robots.txt, if nothing in the set is of another crawler:
// rows may then be of that one. stated has the User-Agents of warcinfo records.
func (s *Set) onlyAgent(only string, stated map[string]string) string {
	isOther := func(agent string) bool { return agent != "" && agent != only }
	for agent := range stated {
		if isOther(agent) {
			return ""
		}
	}
	for i := range s.Tasks {
		m := &s.Tasks[i].Manifest
		if m.Totals.Fetches > 0 && len(m.UserAgents) == 0 || // they are too many
			slices.ContainsFunc(m.UserAgents, func(a UserAgentCount) bool { return isOther(string(a.UserAgent)) }) {
			return ""
		}
	}
	return only
}

// credit fills in the User-Agent of a row of an index: the User-Agent of the archive that it
// names, else the only one, unless the request itself names none.
func (x *indexed) credit(f *Fetch) {
	if !x.any || !f.IsReportedByIndex() || f.UserAgent != "" {
		return
	}
	isRequestRead := f.Trust == TrustVerified && f.Flags&FlagRequestUnread == 0
	if agent := x.agentOf(f.Archive); agent != "" {
		f.UserAgent, f.UserAgentSource = agent, SourceWarcinfo
	} else if x.agent != "" && !isRequestRead {
		f.UserAgent, f.UserAgentSource = x.agent, SourceRobotsSubset
	}
}

// maxOfName is how many archives of one file name are distinguished.
const maxOfName = 64

// agentOf is the User-Agent that the warcinfo records of the archive that a row names state; "":
// none, or several.
func (x *indexed) agentOf(archive string) (agent string) {
	list := x.agents[path.Base(archive)]
	if archive == "" || len(list) > maxOfName {
		return ""
	}
	found := false
	for _, a := range list {
		switch {
		case !x.input(a.input).mayMean(archive):
		case found && a.agent != agent:
			return ""
		default:
			found, agent = true, a.agent
		}
	}
	return agent
}

// sighting holds the properties by which a row is recognised as an earlier fetch.
type sighting struct {
	url            string
	id             recordid.ID
	digest         string
	method         string
	entry, archive string
	offset         int64
	input          int32
	status         int16
	other          bool // it is none
	indexed        bool // an index describes it
	verified       bool // and its record was found there
}

func sightingOf(f *Fetch) sighting {
	return sighting{
		f.URL, f.RecordID, f.PayloadDigest, f.Method, f.Entry, f.Archive, f.Offset, f.Input, f.Status,
		f.Type == TypeOther, f.IsReportedByIndex(), f.Trust == TrustVerified,
	}
}

func (s *sighting) isPlaced() bool { return !s.indexed || s.archive != "" }

func (x *indexed) holds(s *sighting, name string) bool {
	switch {
	case s.archive != "":
		return path.Base(s.archive) == name
	case s.entry != "":
		return path.Base(s.entry) == name
	}
	return slices.Contains(x.input(s.input).namesInIndex(), name)
}

const (
	maxJoined = 1 << 14 // fetches of one origin and second, or of coarse dates, that index rows are compared with
	fewSeen   = 16      // of them that are looked at one by one
)

// joiner finds the rows of indexes and lists whose fetch another row describes better: its
// record, or the same row of another index. In the order of the facts, the better row comes
// first within a second, the precision of indexes.
type joiner struct {
	*indexed
	here   Place
	second Time
	first  int              // index into seen of the fetch that the last row joined; -1: it is not there
	last   int              // of the last row that joined none; maxJoined: it is not there
	seen   []sighting       // of that origin and second
	byURL  map[string][]int // indexes into seen, by likeness of their URLs; nil while they are few, or no row needs it
	spoken map[made]string  // languages that conversion records found, of that origin and second

	coarse  map[int64][]coarseSighting // by offset: of that origin, whose date is coarser than a second, or none
	coarses int                        // how many these are
}

// coarseSighting is a record whose date is coarser than a second, or none. Indexes complete such dates.
type coarseSighting struct {
	sighting
	time Time
}

// made is the record of which a conversion record was made.
type made struct {
	id  recordid.ID
	url string
}

// learn keeps the languages that a conversion record found. In the order of the facts it stands before the record that
// it names, as its own id is not kept. Of several of one record, the first counts.
func (j *joiner) learn(f *Fetch) {
	of := made{f.RefersToID, f.URL}
	if _, known := j.spoken[of]; known || f.Languages == "" || of.id == "" || len(j.spoken) == maxJoined {
		return
	}
	if j.spoken == nil {
		j.spoken = make(map[made]string)
	}
	j.spoken[of] = f.Languages
}

// path is the part of a URL after the origin that a server sees. It is needed only where fetches
// share a second.
func (j *joiner) path(s *sighting) string { return weburl.PathQueryOf(j.here.Origin, s.url) }

// begin goes on to a fetch, and reports whether it is of another origin or second than the one before.
func (j *joiner) begin(f *Fetch) (isOther bool) {
	second := f.Time().Truncate(PrecisionSecond)
	if second.Known() {
		second.Precision = PrecisionSecond // a date without its time has the first second of it
	}
	here := PlaceOf(f)
	if here != j.here {
		j.coarse, j.coarses = nil, 0
	}
	if isOther = here != j.here || second != j.second; isOther {
		j.here, j.second, j.byURL = here, second, nil
		clear(j.seen)
		clear(j.spoken)
		j.seen = j.seen[:0]
	}
	return isOther
}

// isJoined reports whether an earlier row describes the fetch that it has begun with.
func (j *joiner) isJoined(f *Fetch) bool {
	s := sightingOf(f)
	if j.first = -1; s.indexed {
		j.first = j.firstSeen(&s)
	}
	switch {
	case j.first >= 0 || s.indexed && j.isCoarse(&s, j.second):
		return true
	case !s.indexed && !s.other && f.Precision < PrecisionSecond && j.coarses < maxJoined:
		if j.coarse == nil {
			j.coarse = make(map[int64][]coarseSighting)
		}
		j.coarse[s.offset] = append(j.coarse[s.offset], coarseSighting{s, f.Time()})
		j.coarses++
	}
	if j.last = len(j.seen); j.last == maxJoined {
		return false
	}
	if j.byURL != nil {
		key := weburl.Likeness(j.path(&s))
		j.byURL[key] = append(j.byURL[key], len(j.seen))
	}
	j.seen = append(j.seen, s)
	return false
}

// firstSeen is the index into seen of the fetch of a row; -1: it did not come before.
func (j *joiner) firstSeen(s *sighting) int {
	if len(j.seen) == 0 {
		return -1
	}
	key := weburl.Likeness(j.path(s))
	if len(j.seen) <= fewSeen {
		return slices.IndexFunc(j.seen,
			func(other sighting) bool { return weburl.Likeness(j.path(&other)) == key && j.isSame(&other, s) })
	}
	if j.byURL == nil {
		j.byURL = make(map[string][]int)
		for i := range j.seen {
			key := weburl.Likeness(j.path(&j.seen[i]))
			j.byURL[key] = append(j.byURL[key], i)
		}
	}
	for _, i := range j.byURL[key] {
		if j.isSame(&j.seen[i], s) {
			return i
		}
	}
	return -1
}

// isCoarse reports whether a row is of a record of a coarse date: its URL and place are that
// record's, and its date lies within the record's.
func (j *joiner) isCoarse(s *sighting, second Time) bool {
	return s.archive != "" && slices.ContainsFunc(j.coarse[s.offset], func(r coarseSighting) bool {
		within := !r.time.Known() || second.Known() && second.Truncate(r.time.Precision) == r.time
		return within && j.holds(&r.sighting, path.Base(s.archive)) &&
			weburl.Likeness(j.path(&r.sighting)) == weburl.Likeness(j.path(s))
	})
}

// isSame reports whether s, a row of an index, is the same fetch as other, which has its URL and
// second: by the record's id or place. Where places differ, as in archives that were moved or
// joined, the digest decides; two rows of one index are then two fetches. A row without place, id
// and digest is the same unless another value differs.
func (j *joiner) isSame(other, s *sighting) bool {
	placed := s.isPlaced() && other.isPlaced()
	switch {
	case other.other: // a row with a status is of an answer, whatever the archive has there now
		return placed && s.status < 0 && s.offset == other.offset && j.holds(other, path.Base(s.archive))
	case s.verified && other.verified: // some writers use an id twice
		return s.offset == other.offset && path.Base(s.archive) == path.Base(other.archive)
	case other.id != "" && s.id != "":
		return other.id.Is(s.id)
	case placed && s.offset == other.offset && j.holds(other, path.Base(s.archive)):
		return true
	case other.status >= 0 && s.status >= 0 && other.status != s.status, other.method != "" && s.method != "" &&
		other.method != s.method:
		return false
	case placed && other.input == s.input, weburl.Escaped(j.path(s)) != weburl.Escaped(j.path(other)):
		return false
	case s.digest != "" && other.digest != "":
		return digest.Same(s.digest, other.digest)
	}
	return !placed
}
