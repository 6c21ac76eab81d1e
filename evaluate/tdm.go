package evaluate

import (
	"fmt"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/run"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// maxTDM bounds the captures of one origin's tdmrep.json that are remembered; of more, the
// first.
const maxTDM = 4096

// tdmLine is what is known of one origin's /.well-known/tdmrep.json in time.
type tdmLine struct {
	store    *facts.Reader
	issues   *run.Writer[facts.Issue] // nil: they are noted elsewhere
	captures []*State                 // by time; those without a body say that there is no file
	full     bool                     // there were more
	file     tag.TDMFile              // the one parsed last
	digest   string                   // and its body's
}

// add takes the next capture in order of time. What came to neither a whole file nor
// the answer that there is none, changes nothing.
func (l *tdmLine) add(s *State) error {
	isFile, isNone := s.Outcome == OutcomeRules && s.HasBody, s.Outcome == OutcomeUnavailable && s.Reason == resolve.Unavailable
	switch {
	case !isFile && !isNone, !s.Time().Known(), l.full:
		return nil
	case len(l.captures) == maxTDM:
		if l.full = true; l.issues == nil {
			return nil
		}
		return l.issues.Add(facts.Issue{
			Input: s.Input, Entry: s.Entry, Offset: s.Offset, Length: s.Length, RecordID: s.RecordID, Kind: facts.IssueLimitReached,
			Detail: fmt.Sprintf("tdmrep.json of %.200s was captured more than %d times", s.Origin, maxTDM), Action: "later captures of it are left out",
		})
	}
	l.captures = append(l.captures, s)
	return nil
}

// at returns the capture of the file that was in force at t: the latest at or
// before it. It is nil where none is known, or the latest says that there is none.
func (l *tdmLine) at(t facts.Time) *State {
	if l == nil || !t.Known() {
		return nil
	}
	n := sort.Search(len(l.captures), func(i int) bool { return l.captures[i].Time().MicrosSince(t) > 0 })
	if n == 0 || !l.captures[n-1].HasBody {
		return nil
	}
	return l.captures[n-1]
}

// parsed reads the file of a capture.
func (l *tdmLine) parsed(c *State) (*tag.TDMFile, error) {
	if l.digest != c.BodyDigest {
		body, err := l.store.Body(&c.Capture)
		if err != nil {
			return nil, err
		}
		l.file, l.digest = tag.ReadTDMFile(body), c.BodyDigest
	}
	return &l.file, nil
}
