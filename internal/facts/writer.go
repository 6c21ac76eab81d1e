package facts

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts/pack"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
)

// Writer writes the facts of a task's inputs into a folder.
type Writer struct {
	dir      string
	inputs   rows[inputRow]
	totals   InputTotals
	fetches  rows[Fetch]
	revisits rows[Fetch]
	captures rows[Capture]
	issues   rows[Issue]
	events   rows[LogEvent]
	bodies   *pack.Writer
	indexed  bool // some fetch comes from an index
	agents   userAgents
	parts    Manifest // the files of what was joined
}

type rows[T any] interface {
	Put(row *T) error
	Close() (names []string, err error)
}

// NewWriter begins the facts of a task in a folder that is there and empty.
func NewWriter(dir string) (*Writer, error) { return newWriter(dir, false) }

// newWriter does so, perhaps for rows that come in order: there is then one file of each kind.
func newWriter(dir string, inOrder bool) (*Writer, error) {
	bodies, err := pack.Create(filepath.Join(dir, packFile))
	if err != nil {
		return nil, err
	}
	w := newRuns(dir, "", inOrder)
	w.inputs, w.bodies = run.NewOrderedWriter(dir, inputRuns), bodies
	return w, nil
}

// newRuns returns a Writer without bodies.
func newRuns(dir, suffix string, inOrder bool) *Writer {
	return &Writer{
		dir:      dir,
		fetches:  newRun(dir, FetchRuns, suffix, inOrder),
		revisits: newRun(dir, RevisitRuns, suffix, inOrder),
		captures: newRun(dir, CaptureRuns, suffix, inOrder),
		issues:   newRun(dir, IssueRuns, suffix, inOrder),
		events:   newRun(dir, eventRuns, suffix, inOrder),
	}
}

func newRun[T any](dir string, spec run.Spec[T], suffix string, inOrder bool) rows[T] {
	if spec.Name += suffix; inOrder {
		return run.NewOrderedWriter(dir, spec)
	}
	return run.NewSorter(dir, spec)
}

// Part returns a Writer of a part of the facts, which may be used at the same time as others. It takes
// no captures, and names its files by the number of an input and that of the part. It has to be
// finished, and joined in an order that depends on the inputs alone.
func (w *Writer) Part(input int32, part int) *Writer {
	return newRuns(w.dir, fmt.Sprintf("-%d-%d", input, part), false)
}

// Finish completes the files of a part.
func (w *Writer) Finish() error { return w.closeRuns(&w.parts) }

// Join adds a part that is finished.
func (w *Writer) Join(part *Writer) {
	w.parts.Fetches = append(w.parts.Fetches, part.parts.Fetches...)
	w.parts.Revisits = append(w.parts.Revisits, part.parts.Revisits...)
	w.parts.Issues = append(w.parts.Issues, part.parts.Issues...)
	w.parts.Events = append(w.parts.Events, part.parts.Events...)
	w.agents.join(&part.agents)
}

// Input adds what an input came to. Inputs come in the order of their paths.
func (w *Writer) Input(r *InputResult) error {
	number := w.totals.Count
	w.totals.Add(r)
	return putInput(w.inputs.Put, r, 0, number)
}

// Fetch adds a fetch.
func (w *Writer) Fetch(f *Fetch) error {
	if f.refersElsewhere() {
		if err := w.revisits.Put(f); err != nil {
			return err
		}
	}
	if f.IsIndexed() && !w.indexed {
		w.indexed = true
		if w, sorts := w.fetches.(*run.Sorter[Fetch]); sorts {
			w.Hold(heldOfIndex)
		}
	}
	w.agents.add(f.UserAgent, 1)
	return w.fetches.Put(f)
}

// Other adds a record of TypeOther.
func (w *Writer) Other(f *Fetch) error { return w.fetches.Put(f) }

// heldOfIndex is how many bytes of fetches are held for an index: it has millions in an
// input, and each run of them is read by every range that is decided.
const heldOfIndex = 16 << 20

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

// Close completes the files and makes them durable. The folder is a task only once its manifest is
// there.
func (w *Writer) Close(m *Manifest) error {
	if err := w.closeRuns(m); err != nil {
		return err
	}
	var err error
	if m.Inputs, err = w.inputs.Close(); err != nil {
		return err
	}
	if err := w.bodies.Close(); err != nil {
		return err
	}
	m.Totals = w.totals
	if err := durable.SyncFiles(w.dir); err != nil {
		return err
	}
	m.UserAgents = w.agents.counts()
	return durable.WriteJSON(filepath.Join(w.dir, ManifestFile), m)
}

// closeRuns completes the runs, and sets the names of runs and parts in m.
func (w *Writer) closeRuns(m *Manifest) error {
	p := w.parts
	return cmp.Or(
		closeRun(w.fetches, &m.Fetches, p.Fetches),
		closeRun(w.revisits, &m.Revisits, p.Revisits),
		closeRun(w.captures, &m.Captures, nil),
		closeRun(w.issues, &m.Issues, p.Issues),
		closeRun(w.events, &m.Events, p.Events))
}

func closeRun[T any](w rows[T], to *[]string, more []string) error {
	names, err := w.Close()
	*to = append(names, more...)
	return err
}

// Abandon closes the files of a task that failed.
func (w *Writer) Abandon() {
	var m Manifest
	_ = w.Close(&m) // the folder is removed whatever comes of it
}

// The User-Agents of a manifest are bounded: an archive could name a new one in every request.
const (
	maxUserAgents = 64
	maxUserAgent  = 1 << 10 // bytes of one
)

// userAgents counts the fetches of each User-Agent, as long as these are few.
type userAgents struct {
	list []userAgent
	last int // in list: of the fetch before
	many bool
}

type userAgent struct {
	name    string
	fetches int64
}

func (u *userAgents) add(name string, fetches int64) {
	if u.many {
		return
	}
	if u.last >= len(u.list) || u.list[u.last].name != name {
		u.last = slices.IndexFunc(u.list, func(a userAgent) bool { return a.name == name })
	}
	if u.last < 0 {
		u.last = len(u.list)
		if u.many = len(name) > maxUserAgent || len(u.list) == maxUserAgents; u.many {
			return
		}
		u.list = append(u.list, userAgent{name: strings.Clone(name)}) // it may be part of a string that many rows share
	}
	u.list[u.last].fetches += fetches
}

func (u *userAgents) join(other *userAgents) {
	u.many = u.many || other.many
	for _, a := range other.list {
		u.add(a.name, a.fetches)
	}
}

// counts returns the counts in order; none where there are too many.
func (u *userAgents) counts() (list []UserAgentCount) {
	if u.many {
		return nil
	}
	slices.SortFunc(u.list, func(a, b userAgent) int { return strings.Compare(a.name, b.name) })
	for _, a := range u.list {
		list = append(list, UserAgentCount{[]byte(a.name), a.fetches})
	}
	return list
}
