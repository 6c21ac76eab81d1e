package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/alitto/pond/v2"

	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/reading"
	"github.com/robotsaudit/robotsaudit/internal/records"
)

// Progress counts what Ingest has done. It may be read at any time.
type Progress struct {
	BytesTotal, BytesRead   atomic.Int64 // bytes of inputs that had to be read
	InputsTotal, InputsRead atomic.Int64
	InputsKept              atomic.Int64 // inputs whose facts were there already
}

// ReadOptions of Ingest.
type ReadOptions struct {
	Dir      string // output folder; made where it does not exist
	Workers  int    // tasks read at a time; 0: one a core
	Stdin    io.Reader
	Progress *Progress        // may be nil
	Failed   []*InputError    // arguments that named nothing, to be kept with the facts
	Warn     func(msg string) // may be nil

	// Read receives each input whose facts have been made, NotRead each that could not
	// be read, as they come; both from several goroutines. They may be nil.
	Read    func(*InputResult)
	NotRead func(*Failure)

	// Dropping receives the inputs that are no longer among those wanted, and how many there were of
	// all, before their facts are removed. They stay where it returns an error. It may be nil.
	Dropping func(gone []Input, of int) error

	Add           bool // to what is there: the facts of inputs that are not named are kept
	Reread        bool // all inputs, also those whose facts are there already
	VerifyDigests bool // compare the digests of all records, not of policy captures alone
	DigestInputs  bool // compute the SHA-256 of each input that is named but standard input
}

// complete fills in what the zero value leaves open.
func (o *ReadOptions) complete() error {
	if o.Dir == "" {
		return errors.New("ingest: ReadOptions.Dir names no output folder")
	}
	if o.Progress == nil {
		o.Progress = new(Progress)
	}
	o.Workers = reading.Workers(o.Workers)
	return nil
}

// Ingest makes the facts of inputs in opt.Dir, which the caller has locked. Facts that
// are there already are kept, so that an interrupted run goes on, and only archives that
// were added or changed are read. When ctx is done, ctx's error is returned: the same call
// then resumes after the tasks that were finished.
func Ingest(ctx context.Context, inputs []Input, opt ReadOptions) error {
	if err := opt.complete(); err != nil {
		return err
	}
	b, err := newBuild(opt, reading.ModeOf(opt.VerifyDigests).Fingerprint())
	if err != nil {
		return err
	}
	if b.dropForeign() {
		b.warn("what the output folder holds was read by another version of robotsaudit, or with other options; the " +
			"archives are read again")
	}
	named := inputs
	if inputs, err = b.withPrevious(ctx, named); err != nil {
		return err
	}
	wasNamed := func(in *Input) bool { return facts.IndexOf(named, in.Path) >= 0 }
	again := func(in *Input) bool { return (opt.Reread || in.Path == facts.Stdin) && wasNamed(in) }
	if err := b.keep(ctx, inputs, again); err != nil {
		return err
	}
	in := ingestion{root: b.root, opt: opt, fingerprint: b.fingerprint, cores: warc.NewCores(opt.Workers)}
	rest := b.rest()
	opt.Progress.InputsKept.Store(int64(len(inputs) - len(rest)))
	if i := facts.IndexOf(rest, facts.Stdin); i >= 0 && !wasNamed(&rest[i]) { // known from an earlier run alone
		in.failures = append(in.failures, facts.Failure{
			Name: rest[i].Name, Reason: "what was read of it before cannot be kept; give it again", Path: facts.Stdin,
		})
		rest = slices.Delete(slices.Clone(rest), i, i+1)
	}
	made, err := in.run(ctx, group(rest))
	if err != nil {
		return err
	}
	b.tasks = append(b.tasks, made...)
	for _, f := range opt.Failed {
		in.failures = append(in.failures, facts.Failure{Name: f.Arg, Reason: f.Reason})
	}
	if opt.DigestInputs {
		if err := digestInputs(ctx, b.root, b.tasks, named, opt.Workers); err != nil {
			return err
		}
	}
	return b.commit(ctx, facts.Plan{Failures: in.failures, Digested: opt.DigestInputs})
}

// group makes tasks of consecutive inputs. The size is far below the gigabyte at
// which a task would be hard to sort, so that a folder of middle-sized archives
// occupies all workers. Standard input is a task of its own: it cannot be read
// again when another input fails.
func group(inputs []Input) (tasks [][]Input) {
	start, size := 0, int64(0)
	for i, in := range inputs {
		if i > start && (size+in.Size > taskBytes || i-start == taskInputs || inputs[start].Path == facts.Stdin) {
			tasks = append(tasks, inputs[start:i])
			start, size = i, 0
		}
		size += in.Size
	}
	if start < len(inputs) {
		tasks = append(tasks, inputs[start:])
	}
	return tasks
}

func taskName(fingerprint string, inputs []facts.Input) string {
	h := sha256.New()
	fmt.Fprintln(h, fingerprint)
	for _, in := range inputs {
		fmt.Fprintf(h, "%q %d %d %t\n", in.Path, in.Size, in.MTime, in.List)
		if in.Version != "" || in.Columns != "" {
			fmt.Fprintf(h, "%q %q\n", in.Version, in.Columns)
		}
		if in.RobotsList {
			fmt.Fprintf(h, "robots %q\n", in.Bodies)
		}
		if in.AccessLog != "" {
			fmt.Fprintf(h, "access log %q\n", in.AccessLog)
		}
	}
	return "task-" + hex.EncodeToString(h.Sum(nil)[:8])
}

// Bounds of a task. They shape the work, and no fact.
const (
	taskBytes  = 128 << 20 // bytes of consecutive inputs
	taskInputs = 4096      // inputs
)

// ingestion runs tasks on a worker pool.
type ingestion struct {
	root     string
	opt      ReadOptions
	failures []facts.Failure

	fingerprint string
	cores       warc.Cores
}

// outcome is what became of a task.
type outcome struct {
	name     string // "" where no input could be read
	failures []facts.Failure
}

func (g *ingestion) run(ctx context.Context, tasks [][]facts.Input) (names []string, err error) {
	for _, t := range tasks {
		for _, in := range t {
			g.opt.Progress.BytesTotal.Add(in.Size)
			g.opt.Progress.InputsTotal.Add(1)
		}
	}
	// The queue is bounded, and only this goroutine submits: a worker that
	// submitted to a full queue would wait for itself.
	pool := pond.NewResultPool[outcome](g.opt.Workers, pond.WithQueueSize(2*g.opt.Workers))
	defer pool.StopAndWait()
	var failed atomic.Bool
	var running []pond.ResultTask[outcome]
	for _, inputs := range tasks {
		if ctx.Err() != nil || failed.Load() {
			break
		}
		running = append(running, pool.SubmitErr(func() (outcome, error) {
			if ctx.Err() != nil || failed.Load() {
				return outcome{}, ctx.Err()
			}
			o, err := g.task(ctx, inputs)
			if err != nil {
				failed.Store(true)
			}
			return o, err
		}))
	}
	for _, r := range running {
		o, failed := r.Wait()
		err = cmp.Or(err, failed)
		if o.name != "" {
			names = append(names, o.name)
		}
		g.failures = append(g.failures, o.failures...)
	}
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return nil, err
	}
	return names, nil
}

// task reads inputs into a task's folder. Those that cannot be read are left out, and
// with them everything that was read of them: the others are read again, once unless
// more fail then.
func (g *ingestion) task(ctx context.Context, inputs []facts.Input) (outcome, error) {
	g.cores.Acquire()
	defer g.cores.Release()
	var o outcome
	for len(inputs) > 0 {
		name, failed, err := g.attempt(ctx, inputs)
		if err != nil || len(failed) == 0 {
			o.name = name
			return o, err
		}
		left := make(map[string]bool)
		for _, f := range failed {
			o.failures = append(o.failures,
				facts.Failure{Name: f.Input.Name, Reason: object.Cause(f.Err).Error(), Path: f.Input.Path})
			if g.opt.NotRead != nil {
				g.opt.NotRead(&o.failures[len(o.failures)-1])
			}
			left[f.Input.Path] = true
			g.opt.Progress.BytesTotal.Add(-f.Input.Size)
		}
		inputs = slices.DeleteFunc(slices.Clone(inputs), func(in facts.Input) bool { return left[in.Path] })
	}
	return o, nil
}

// attempt writes a task into a temporary folder and renames it once it is whole. Where
// inputs cannot be read there is no task, and they are failed.
func (g *ingestion) attempt(ctx context.Context, inputs []facts.Input) (name string, failed []*reading.Error,
	err error,
) {
	name = taskName(g.fingerprint, inputs)
	tmp := filepath.Join(g.root, facts.TemporaryPrefix+name)
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(tmp)
	w, err := facts.NewWriter(tmp)
	if err != nil {
		return "", nil, err
	}
	m := facts.Manifest{Fingerprint: g.fingerprint}
	var counted atomic.Int64
	var size int64
	defer func() { // what was left out, such as padding, counts as read; a failed attempt does not
		g.opt.Progress.BytesRead.Add(size - counted.Load())
	}()
	opt := reading.Options{
		Progress: func(n int) { counted.Add(int64(n)); g.opt.Progress.BytesRead.Add(int64(n)) },
		Verify:   g.opt.VerifyDigests,
		Tmp:      tmp,
		Cores:    g.cores,
	}
	n, read, failed, err := readInputs(ctx, w, inputs, g.opt.Stdin, opt)
	if err != nil || len(failed) > 0 {
		w.Abandon()
		return "", failed, err
	}
	size = read
	inputs = inputs[:n]
	name = taskName(g.fingerprint, inputs)
	if err := w.Close(&m); err != nil {
		return "", nil, err
	}
	if err := facts.Publish(g.root, tmp, name); err != nil {
		return "", nil, err
	}
	g.opt.Progress.InputsRead.Add(int64(len(inputs)))
	if g.opt.Read == nil {
		return name, nil, nil
	}
	task := facts.Task{Dir: filepath.Join(g.root, name), Manifest: m}
	for r, err := range task.Results(ctx) {
		if err != nil {
			return "", nil, err
		}
		g.opt.Read(r)
	}
	return name, nil, nil
}

// grace is how long the input in hand may still be read once ctx is done, so that the task is kept up to it.
const grace = 500 * time.Millisecond

// readInputs reads the inputs, in order, into w, and returns how many, and their size. Once ctx is done, the first ones
// stand for all. Where some cannot be read, w is to be abandoned; the others are read to their end all the same, into
// nothing, so that one pass finds all that fail.
func readInputs(ctx context.Context, w *facts.Writer, inputs []Input, stdin io.Reader, opt reading.Options) (
	n int, size int64, failed []*reading.Error, err error,
) {
	inHand, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, end) })()
	var out facts.Sink = w
	for i, in := range inputs {
		switch err := ctx.Err(); {
		case err != nil && i > 0 && len(failed) == 0:
			return i, size, nil, nil
		case err != nil:
			return 0, 0, nil, err
		}
		result, err := reading.Read(inHand, in, int32(i), out, stdin, opt)
		var failure *reading.Error
		switch {
		case errors.As(err, &failure):
			failed, out = append(failed, failure), facts.Discard{}
		case err != nil:
			return 0, 0, nil, err
		case len(failed) == 0:
			err = w.Input(&result)
		}
		if err != nil && failure == nil {
			return 0, 0, nil, err
		}
		size += result.Size
	}
	return len(inputs), size, failed, nil
}

// OpenFacts reads the current facts of an output folder.
func OpenFacts(dir string) (*Facts, error) {
	var prints []string
	for _, m := range reading.Modes {
		prints = append(prints, m.Fingerprint())
	}
	f, err := facts.Open(dir, prints...)
	if err != nil {
		return nil, err
	}
	f.Reread = records.Body
	return f, nil
}
