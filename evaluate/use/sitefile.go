package use

import (
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// maxSiteFiles bounds the captures of one file of an origin that are remembered; of more, the
// first.
const maxSiteFiles = 4096

// A siteFile is what is known of one file of an origin in time.
type siteFile[T any] struct {
	captures []*resolve.State // by time; a capture without a body means that there is no file
	full     bool             // there were more
	read     func([]byte) T
	parsed   T      // the one read last
	digest   string // and its body's
}

// siteFiles are the files of the origin in hand that speak of use, but for robots.txt.
type siteFiles struct {
	store    *facts.Reader
	issues   *run.Sorter[facts.Issue] // nil: they are noted elsewhere
	tdm      siteFile[tag.TDMFile]
	training [len(trainingFiles)]siteFile[*tag.TrainingFile]
}

// trainingFiles are the paths of files that may have lines of Disallow-Training.
var trainingFiles = [...]string{"/ai.txt", "/.well-known/ai.txt"}

func newSiteFiles(store *facts.Reader) *siteFiles {
	s := &siteFiles{store: store, tdm: siteFile[tag.TDMFile]{read: tag.ReadTDMFile}}
	for i := range s.training {
		s.training[i].read = tag.ReadTraining
	}
	return s
}

// IsSiteFile reports whether a capture is of a file of an origin that speaks of use, but for robots.txt.
func IsSiteFile(s *resolve.State) bool {
	return s.Kind == facts.CaptureTDMRep || s.Kind == facts.CaptureAITxt
}

// NewOrigin begins another origin. issues takes what was not read of its files; nil: it is noted elsewhere.
func (p *Reader) NewOrigin(issues *run.Sorter[facts.Issue]) {
	p.files = newSiteFiles(p.store)
	p.files.issues = issues
}

// AddFile takes the captures of the origin's files (IsSiteFile), in order of time.
func (p *Reader) AddFile(s *resolve.State) error { return p.files.add(s) }

// add takes the next capture in order of time.
func (f *siteFiles) add(s *resolve.State) error {
	u, _ := weburl.Parse(s.URL)
	isFull := false
	if i := slices.Index(trainingFiles[:], u.Path); i >= 0 {
		isFull = f.training[i].add(s)
	} else if isFull = f.tdm.add(s); f.issues != nil && s.HasBody && s.Outcome == words.OutcomeRules {
		file, err := f.tdm.of(s, f.store)
		if err != nil {
			return err
		}
		if err := NoteBroken(f.issues, &s.Fetch, file.Signals()); err != nil {
			return err
		}
	}
	if !isFull || f.issues == nil {
		return nil
	}
	return f.issues.Add(s.Issue(words.IssueLimitReached, "later captures of it are left out",
		"%s of %.200s was captured more than %d times", u.Path, s.Origin, maxSiteFiles))
}

// NoteBroken notes that a record states something in a broken form.
func NoteBroken(issues *run.Sorter[facts.Issue], f *facts.Fetch, said []tag.Signal) error {
	s := tag.Broken(said)
	if s == nil {
		return nil
	}
	return issues.Add(f.Issue(words.IssueBadStatement, "a hint at most", "%s %d: %.200s", s.Source, s.Line, s.Said()))
}

// add takes the next capture. What came to neither a whole file nor the answer that there is none,
// changes nothing. isFull is true for the first that is one too many.
func (l *siteFile[T]) add(s *resolve.State) (isFull bool) {
	isFile, isNone := s.Outcome == words.OutcomeRules && s.HasBody, s.Outcome == words.OutcomeUnavailable &&
		s.Reason == words.Unavailable
	switch {
	case !isFile && !isNone, !s.Time().Known(), l.full:
		return false
	case len(l.captures) == maxSiteFiles:
		l.full = true
		return true
	}
	l.captures = append(l.captures, s)
	return false
}

// at returns the capture of the file that was in force at t: the latest at or
// before it. It is nil where none is known, or the latest shows that there is none.
func (l *siteFile[T]) at(t facts.Time) *resolve.State {
	if !t.Known() {
		return nil
	}
	n := sort.Search(len(l.captures), func(i int) bool { return l.captures[i].Time().MicrosSince(t) > 0 })
	if n == 0 || !l.captures[n-1].HasBody {
		return nil
	}
	return l.captures[n-1]
}

func (l *siteFile[T]) of(c *resolve.State, store *facts.Reader) (T, error) {
	if l.digest != c.BodyDigest {
		body, err := store.Body(&c.Capture)
		if err != nil {
			return l.parsed, err
		}
		l.parsed, l.digest = l.read(body), c.BodyDigest
	}
	return l.parsed, nil
}

// trainingHints are what the files in force at a fetch hint at.
func (f *siteFiles) trainingHints(r *verdict.Finding) (list []Signal, err error) {
	for i := range f.training {
		file := f.training[i].at(r.Fetch.Time())
		if file == nil || r.Reason == words.RobotsTxtItself {
			continue
		}
		said, err := f.training[i].of(file, f.store)
		if err != nil {
			return nil, err
		}
		for _, s := range said.For(r.Agent, r.Path) {
			list = append(list, Signal{s, &file.Capture})
		}
	}
	return list, nil
}
