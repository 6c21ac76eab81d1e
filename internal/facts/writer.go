package facts

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/pack"
	"github.com/robotsaudit/robotsaudit/internal/run"
)

// Writer writes the facts of a task's inputs into a folder.
type Writer struct {
	dir      string
	fetches  rows[Fetch]
	revisits rows[Fetch]
	captures rows[Capture]
	issues   rows[Issue]
	events   rows[LogEvent]
	bodies   *pack.Writer
	indexed  bool // an index tells of some fetch
	agents   userAgents
}

// rows writes the rows of a kind.
type rows[T any] interface {
	Put(row *T) error
	Close() (names []string, err error)
}

// NewWriter begins the facts of a task in a folder that is there and empty.
func NewWriter(dir string) (*Writer, error) {
	bodies, err := pack.Create(filepath.Join(dir, packFile))
	if err != nil {
		return nil, err
	}
	return &Writer{
		dir:      dir,
		fetches:  run.NewWriter(dir, FetchRuns),
		revisits: run.NewWriter(dir, RevisitRuns),
		captures: run.NewWriter(dir, CaptureRuns),
		issues:   run.NewWriter(dir, IssueRuns),
		events:   run.NewWriter(dir, EventRuns),
		bodies:   bodies,
	}, nil
}

// newOrderedWriter begins the facts of a task whose rows come in order: there is one file of
// each kind.
func newOrderedWriter(dir string) (*Writer, error) {
	bodies, err := pack.Create(filepath.Join(dir, packFile))
	if err != nil {
		return nil, err
	}
	return &Writer{
		dir:      dir,
		fetches:  run.NewOrderedWriter(dir, FetchRuns),
		revisits: run.NewOrderedWriter(dir, RevisitRuns),
		captures: run.NewOrderedWriter(dir, CaptureRuns),
		issues:   run.NewOrderedWriter(dir, IssueRuns),
		events:   run.NewOrderedWriter(dir, EventRuns),
		bodies:   bodies,
	}, nil
}

// Fetch adds a fetch.
func (w *Writer) Fetch(f *Fetch) error {
	if f.RefersElsewhere() {
		if err := w.revisits.Put(f); err != nil {
			return err
		}
	}
	if f.IsIndexed() && !w.indexed {
		w.indexed = true
		if w, sorts := w.fetches.(*run.Writer[Fetch]); sorts {
			w.Hold(heldOfIndex)
		}
	}
	w.agents.add(f.UserAgent)
	return w.fetches.Put(f)
}

// heldOfIndex is how many bytes of packed fetches are held where an index tells of them: it has
// millions in an input, and each run of them is read by every range that is decided.
const heldOfIndex = 12 << 20

// Capture adds a policy capture and keeps its body, and stores in c where that lies.
func (w *Writer) Capture(c *Capture, body []byte) error {
	ref, err := w.bodies.Put(body)
	if err != nil {
		return err
	}
	c.BodyDigest, c.BodyOffset, c.BodySize = string(ref.Digest[:]), ref.Offset, ref.Size
	return w.captures.Put(c)
}

// Issue adds an issue.
func (w *Writer) Issue(i Issue) error { return w.issues.Put(&i) }

// Event adds a log event.
func (w *Writer) Event(e *LogEvent) error { return w.events.Put(e) }

// Close completes the files. The folder is a task only once its manifest is there.
func (w *Writer) Close(m *Manifest) (err error) {
	if m.Fetches, err = w.fetches.Close(); err != nil {
		return err
	}
	if m.Revisits, err = w.revisits.Close(); err != nil {
		return err
	}
	if m.Captures, err = w.captures.Close(); err != nil {
		return err
	}
	if m.Issues, err = w.issues.Close(); err != nil {
		return err
	}
	if m.Events, err = w.events.Close(); err != nil {
		return err
	}
	if err := w.bodies.Close(); err != nil {
		return err
	}
	m.UserAgents = w.agents.counts()
	return durable.WriteJSON(filepath.Join(w.dir, ManifestFile), m)
}

// Abandon closes the files of a task that failed.
func (w *Writer) Abandon() {
	var m Manifest
	_ = w.Close(&m) // the folder is removed whatever comes of it
}

// What a manifest tells of User-Agents is bounded: an archive could name a new one in every request.
const (
	maxUserAgents = 64
	maxUserAgent  = 1 << 10 // bytes of one
)

// userAgents counts the fetches of each User-Agent, as long as these are few.
type userAgents struct {
	fetches map[string]int64
	many    bool
}

func (u *userAgents) add(userAgent string) {
	if _, known := u.fetches[userAgent]; !known && !u.many {
		if u.fetches == nil {
			u.fetches = make(map[string]int64)
		}
		u.many = len(userAgent) > maxUserAgent || len(u.fetches) == maxUserAgents
		userAgent = strings.Clone(userAgent) // it may be a part of what many rows share
	}
	if !u.many {
		u.fetches[userAgent]++
	}
}

// counts returns the counts in order; none where there are too many.
func (u *userAgents) counts() (list []UserAgentCount) {
	if u.many {
		return nil
	}
	for _, agent := range slices.Sorted(maps.Keys(u.fetches)) {
		list = append(list, UserAgentCount{[]byte(agent), u.fetches[agent]})
	}
	return list
}
