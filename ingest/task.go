package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/robotsaudit/robotsaudit/internal/pack"
	"github.com/robotsaudit/robotsaudit/internal/run"
)

// The files of a task's folder.
const (
	manifestFile = "manifest.json"
	packFile     = "bodies.pack"
)

// Manifest says what a finished task holds. It is written last; a folder without
// one is no task.
type Manifest struct {
	Fingerprint string        `json:"fingerprint"`
	Inputs      []InputResult `json:"inputs"`
	Fetches     []string      `json:"fetches"`  // names of run files
	Revisits    []string      `json:"revisits"` // of the fetches those that refer elsewhere
	Captures    []string      `json:"captures"`
	Issues      []string      `json:"issues"`
	Events      []string      `json:"events"`
}

// InputResult is what reading one input came to.
type InputResult struct {
	Input
	Container   string `json:"container"`
	Fingerprint string `json:"fingerprint"`       // of the input's content, hexadecimal
	Refusal     string `json:"refusal,omitempty"` // why nothing of it was read
	InputStats
}

// inputError is a failure to read an input at all, as opposed to damage in it.
type inputError struct {
	input Input
	err   error
}

func (e *inputError) Error() string { return fmt.Sprintf("%s: %v", e.input.Path, e.err) }
func (e *inputError) Unwrap() error { return e.err }

// taskWriter writes the facts of a task's inputs into a folder.
type taskWriter struct {
	dir      string
	fetches  *run.Writer[Fetch]
	revisits *run.Writer[Fetch]
	captures *run.Writer[Capture]
	issues   *run.Writer[Issue]
	events   *run.Writer[LogEvent]
	bodies   *pack.Writer
}

func newTaskWriter(dir string) (*taskWriter, error) {
	bodies, err := pack.Create(filepath.Join(dir, packFile))
	if err != nil {
		return nil, err
	}
	return &taskWriter{
		dir:      dir,
		fetches:  run.NewWriter(dir, FetchRuns),
		revisits: run.NewWriter(dir, RevisitRuns),
		captures: run.NewWriter(dir, CaptureRuns),
		issues:   run.NewWriter(dir, IssueRuns),
		events:   run.NewWriter(dir, EventRuns),
		bodies:   bodies,
	}, nil
}

func (w *taskWriter) fetch(f *Fetch) error {
	if f.RefersElsewhere() {
		if err := w.revisits.Add(*f); err != nil {
			return err
		}
	}
	return w.fetches.Add(*f)
}

func (w *taskWriter) capture(c *Capture, body []byte) error {
	ref, err := w.bodies.Put(body)
	if err != nil {
		return err
	}
	c.BodyDigest, c.BodyOffset, c.BodySize = string(ref.Digest[:]), ref.Offset, ref.Size
	return w.captures.Add(*c)
}

func (w *taskWriter) issue(i Issue) error { return w.issues.Add(i) }

func (w *taskWriter) event(e *LogEvent) error { return w.events.Add(*e) }

// close completes the files. The folder is a task only once its manifest is there.
func (w *taskWriter) close(m *Manifest) (err error) {
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
	return writeJSON(filepath.Join(w.dir, manifestFile), m)
}

// writeJSON writes a small file and syncs it.
func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// readOptions say how inputs are read. A nil one has the defaults.
type readOptions struct {
	progress func(int) // is told of every read; may be nil
	tmp      string    // folder for what must be on disk to be read; "" is the system's
	verify   bool      // compare the digests of all records
	cores    cores     // that may inflate ahead where they are idle; nil: none
	partSize int64     // octets of a file that are inflated ahead at a time; 0: aheadPart
}

// readInputs reads the inputs, in order, into w. Where some cannot be read, w is to be
// abandoned; the others are read to their end all the same, into nothing, so that one
// pass finds all that fail.
func (w *taskWriter) readInputs(inputs []Input, stdin io.Reader, opt *readOptions) (results []InputResult, failed []*inputError, err error) {
	var out sink = w
	for i, in := range inputs {
		result, err := readInput(in, int32(i), out, stdin, opt)
		var failure *inputError
		switch {
		case errors.As(err, &failure):
			failed, out = append(failed, failure), new(keeper)
		case err != nil:
			return nil, nil, err
		}
		results = append(results, result)
	}
	return results, failed, nil
}

// readInput reads one input from its first octet to its last.
func readInput(in Input, index int32, out sink, stdin io.Reader, opt *readOptions) (InputResult, error) {
	src, err := openInput(in, stdin)
	if err != nil {
		return InputResult{}, &inputError{in, err}
	}
	defer src.Close()
	result, err := readSource(in, src, index, out, opt)
	if isReadError(err) {
		return InputResult{}, &inputError{in, err}
	}
	if err != nil {
		return InputResult{}, err
	}
	if err := unchanged(in); err != nil {
		return InputResult{}, &inputError{in, err}
	}
	return result, nil
}

// readSource reads the octets of an input. A file can be read at random, too.
func readSource(in Input, src io.Reader, index int32, out sink, opt *readOptions) (InputResult, error) {
	if opt == nil {
		opt = new(readOptions)
	}
	from := newSource(&countingReader{r: src, progress: opt.progress})
	form := sniff(from)
	if from.file.failed != nil {
		return InputResult{}, from.file.failed
	}
	at, _ := src.(io.ReaderAt)
	if in.Path == Stdin {
		at = nil
	}
	size := in.Size
	if at == nil && form.provenBehind() {
		file, err := spool(from, opt.tmp)
		if err != nil {
			return InputResult{}, err
		}
		defer file.discard()
		at, size, from = file, file.size, sourceAt(file, 0)
		opt = &readOptions{tmp: opt.tmp, verify: opt.verify} // it has been counted
	}
	if form.container == containerZip {
		if opt.progress != nil {
			opt.progress(-int(from.file.n)) // its entries will be counted
		}
		return readWACZ(in, at, size, index, out, opt)
	}
	c := newCommitter(index, "", out)
	c.verify = opt.verify
	if !form.readable() {
		err := c.report(Issue{Offset: -1, Length: in.Size, Kind: form.kind, Detail: form.refusal, Action: "not read"})
		return InputResult{Input: in, Container: form.String(), InputStats: c.stats, Refusal: form.refusal}, err
	}
	if form.container == containerCrawlLog {
		sum, err := c.readLogInput(form, from)
		return InputResult{Input: in, Container: form.String(), Fingerprint: fmt.Sprintf("%016x", sum), InputStats: c.stats}, err
	}
	reader, err := form.reader(from, at)
	if err != nil {
		return InputResult{}, err
	}
	if members, ok := reader.(*memberReader); ok {
		members.useCores(in.Size, opt)
		defer members.close()
	}
	if !form.addressable() || at == nil {
		size = -1
	}
	if err := c.readInput(reader, size); err != nil {
		return InputResult{}, err
	}
	return InputResult{
		Input: in, Container: form.String(), InputStats: c.stats, Fingerprint: fmt.Sprintf("%016x", reader.fingerprint()),
	}, nil
}

// spooled is a pipe that was copied to the disk.
type spooled struct {
	*os.File
	size int64
}

// spool copies a pipe to the disk, as far as it has not been read.
func spool(src io.Reader, folder string) (*spooled, error) {
	f, err := os.CreateTemp(folder, temporary+"*")
	if err != nil {
		return nil, err
	}
	s := &spooled{File: f}
	if s.size, err = io.Copy(f, src); err != nil {
		s.discard()
		return nil, err
	}
	return s, nil
}

func (s *spooled) discard() {
	s.Close()
	os.Remove(s.Name())
}

func openInput(in Input, stdin io.Reader) (io.ReadCloser, error) {
	if in.Path == Stdin {
		return io.NopCloser(stdin), nil
	}
	return os.Open(in.Path)
}

// unchanged checks that the file is still the one that was planned: an archive
// that a crawler is still writing is no evidence yet.
func unchanged(in Input) error {
	if in.Path == Stdin {
		return nil
	}
	info, err := os.Stat(in.Path)
	if err != nil {
		return err
	}
	if info.Size() != in.Size || info.ModTime().UnixNano() != in.MTime {
		return errors.New("the file changed while it was read; run again once it is complete")
	}
	return nil
}
