package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/alitto/pond/v2"
	"github.com/gofrs/flock"

	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// The private part of an output folder.
const (
	factsFolder = ".robotsaudit"
	planFile    = "plan.json"
	lockFile    = "lock"
	temporary   = "tmp-" // begins the name of a folder that does not count
)

// fingerprint identifies what shapes the facts besides the inputs: their schema,
// the limits, the vocabulary of tags, whether all digests are verified. Facts of
// another fingerprint are not read.
func fingerprint(verifyDigests bool) string {
	return fingerprintOf(limits, verifyDigests)
}

func fingerprintOf(limits []limit, verifyDigests bool) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "schema %s, tags %s, limits %v, digests %v", SchemaVersion, tag.Version, limits, verifyDigests))
	return hex.EncodeToString(sum[:6])
}

// Progress counts what Ingest has done. It may be read at any time.
type Progress struct {
	BytesTotal, BytesRead   atomic.Int64 // octets of inputs that had to be read
	InputsTotal, InputsRead atomic.Int64
	InputsKept              atomic.Int64 // inputs whose facts were there already
}

// Options of Ingest.
type Options struct {
	Dir      string // output folder; made where it does not exist
	Workers  int    // tasks read at a time, at least 1
	Stdin    io.Reader
	Progress *Progress        // may be nil
	Failed   []*InputError    // arguments that named nothing, to be kept with the facts
	Warn     func(msg string) // may be nil

	Reread        bool // all inputs, also those whose facts are there already
	VerifyDigests bool // compare the digests of all records, not of policy captures alone
}

// plan is what the output folder's facts consist of.
type plan struct {
	Fingerprint string    `json:"fingerprint"`
	Tasks       []string  `json:"tasks"` // names of task folders
	Inputs      []Input   `json:"inputs"`
	Failures    []Failure `json:"failures"`

	Copies map[string]string `json:"copies,omitempty"` // path of an input → that of the one that it is a copy of
}

// Failure is an input that could not be read at all.
type Failure struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Lock takes the output folder for this process, making it where needed. Release
// gives it back.
func Lock(dir string) (release func() error, err error) {
	private := filepath.Join(dir, factsFolder)
	if err := os.MkdirAll(private, 0o777); err != nil {
		return nil, fmt.Errorf("output folder %s cannot be made (%v); give another with -o", dir, reason(err))
	}
	lock := flock.New(filepath.Join(private, lockFile))
	held, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("output folder %s cannot be written (%v); check its permissions or give another with -o", dir, reason(err))
	}
	if !held {
		return nil, fmt.Errorf("output folder %s is in use by another robotsaudit; wait for it or give another with -o", dir)
	}
	return lock.Unlock, nil
}

// Ingest makes the facts of inputs in opt.Dir, which the caller has locked. Tasks
// that are there already are kept, so that an interrupted run goes on and an added
// archive is all that is read. When ctx is done, the tasks in hand are finished
// and ctx's error is returned: the same call then resumes.
func Ingest(ctx context.Context, inputs []Input, opt Options) error {
	if opt.Progress == nil {
		opt.Progress = new(Progress)
	}
	defer dropSpares()
	print := fingerprint(opt.VerifyDigests)
	root := filepath.Join(opt.Dir, factsFolder, factsName(print))
	if err := os.MkdirAll(root, 0o777); err != nil {
		return err
	}
	if err := dropTemporary(root); err != nil {
		return err
	}
	dropForeign(filepath.Join(opt.Dir, factsFolder), factsName(print), opt.Warn)
	kept, rest, err := keepTasks(root, inputs)
	if err != nil {
		return err
	}
	if opt.Reread {
		kept, rest = nil, inputs
	}
	opt.Progress.InputsKept.Store(int64(len(inputs) - len(rest)))
	in := ingestion{root: root, opt: opt, fingerprint: print, cores: newCores(opt.Workers)}
	made, err := in.run(ctx, group(rest))
	if err != nil {
		return err
	}
	p := plan{Fingerprint: print, Tasks: append(kept, made...), Inputs: inputs, Failures: in.failures}
	for _, f := range opt.Failed {
		p.Failures = append(p.Failures, Failure{f.Arg, f.Reason})
	}
	slices.Sort(p.Tasks)
	results, err := readResults(root, p.Tasks)
	if err != nil {
		return err
	}
	p.Copies = findCopies(results)
	slices.SortFunc(p.Failures, func(a, b Failure) int { return cmp.Compare(a.Name, b.Name) })
	if err := commitPlan(opt.Dir, p); err != nil {
		return err
	}
	return dropTasks(root, p.Tasks)
}

// readResults reads what tasks found their inputs to be.
func readResults(root string, tasks []string) (results []InputResult, err error) {
	for _, name := range tasks {
		m, err := readManifest(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		results = append(results, m.Inputs...)
	}
	return results, nil
}

func factsName(fingerprint string) string { return "facts-v" + SchemaVersion + "-" + fingerprint }

// dropTemporary removes what an interrupted run left behind.
func dropTemporary(root string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), temporary) {
			if err := os.RemoveAll(filepath.Join(root, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropForeign removes facts of other fingerprints and says so: the archives are
// read again.
func dropForeign(private, current string, warn func(string)) {
	entries, err := os.ReadDir(private)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "facts-v") || e.Name() == current {
			continue
		}
		if warn != nil {
			warn("the output folder holds facts of another version of robotsaudit, or read with other options; the archives are read again")
		}
		os.RemoveAll(filepath.Join(private, e.Name()))
	}
}

// keepTasks finds the finished tasks all of whose inputs are still wanted and
// unchanged, and returns the inputs that are left to read.
func keepTasks(root string, inputs []Input) (kept []string, rest []Input, err error) {
	wanted := make(map[string]Input)
	for _, in := range inputs {
		wanted[in.Path] = in
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, nil, err
	}
	have := make(map[string]bool)
	for _, e := range entries {
		m, err := readManifest(filepath.Join(root, e.Name()))
		if err != nil || !usable(m, wanted, have) {
			continue
		}
		for _, in := range m.Inputs {
			have[in.Path] = true
		}
		kept = append(kept, e.Name())
	}
	for _, in := range inputs {
		if !have[in.Path] {
			rest = append(rest, in)
		}
	}
	return kept, rest, nil
}

func usable(m *Manifest, wanted map[string]Input, have map[string]bool) bool {
	for _, in := range m.Inputs {
		if in.Path == Stdin || have[in.Path] || !wanted[in.Path].same(in.Input) {
			return false
		}
	}
	return true
}

func readManifest(dir string) (*Manifest, error) {
	b, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return &m, nil
}

// group makes tasks of consecutive inputs. The size is far below the gigabyte at
// which a task would be hard to sort, so that a folder of middle-sized archives
// occupies all workers. Standard input is a task of its own: it cannot be read
// again when another input fails.
func group(inputs []Input) [][]Input {
	var tasks [][]Input
	var current []Input
	var size int64
	for _, in := range inputs {
		if len(current) > 0 && (size+in.Size > taskBytes || len(current) == taskInputs || current[0].Path == Stdin) {
			tasks = append(tasks, current)
			current, size = nil, 0
		}
		current = append(current, in)
		size += in.Size
	}
	if len(current) > 0 {
		tasks = append(tasks, current)
	}
	return tasks
}

func taskName(fingerprint string, inputs []Input) string {
	h := sha256.New()
	fmt.Fprintln(h, fingerprint)
	for _, in := range inputs {
		fmt.Fprintf(h, "%q %d %d\n", in.Path, in.Size, in.MTime)
	}
	return "task-" + hex.EncodeToString(h.Sum(nil)[:8])
}

// ingestion runs tasks on a worker pool.
type ingestion struct {
	root     string
	opt      Options
	failures []Failure

	fingerprint string
	cores       cores
}

// outcome is what became of a task.
type outcome struct {
	name     string // "" where no input could be read
	failures []Failure
}

func (g *ingestion) run(ctx context.Context, tasks [][]Input) (names []string, err error) {
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
			o, err := g.task(inputs)
			if err != nil {
				failed.Store(true)
			}
			return o, err
		}))
	}
	var errs []error
	for _, r := range running {
		o, err := r.Wait()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if o.name != "" {
			names = append(names, o.name)
		}
		g.failures = append(g.failures, o.failures...)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(errs) > 0 {
		return nil, errs[0]
	}
	return names, nil
}

// task reads inputs into a task's folder. Those that cannot be read are left out, and
// with them everything that was read of them: the others are read again, once unless
// more fail then.
func (g *ingestion) task(inputs []Input) (outcome, error) {
	g.cores.acquire()
	defer g.cores.release()
	var o outcome
	for len(inputs) > 0 {
		name, failed, err := g.attempt(inputs)
		if err != nil || len(failed) == 0 {
			o.name = name
			return o, err
		}
		left := make(map[string]bool)
		for _, f := range failed {
			o.failures = append(o.failures, Failure{f.input.Name, reason(f.err).Error()})
			left[f.input.Path] = true
		}
		inputs = slices.DeleteFunc(slices.Clone(inputs), func(in Input) bool { return left[in.Path] })
	}
	return o, nil
}

// attempt writes a task into a temporary folder and renames it once it is whole. Where
// inputs cannot be read there is no task, and they are failed.
func (g *ingestion) attempt(inputs []Input) (name string, failed []*inputError, err error) {
	name = taskName(g.fingerprint, inputs)
	tmp := filepath.Join(g.root, temporary+name)
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(tmp)
	w, err := newTaskWriter(tmp)
	if err != nil {
		return "", nil, err
	}
	m := Manifest{Fingerprint: g.fingerprint}
	opt := readOptions{
		progress: func(n int) { g.opt.Progress.BytesRead.Add(int64(n)) },
		verify:   g.opt.VerifyDigests,
		tmp:      tmp,
		cores:    g.cores,
	}
	if m.Inputs, failed, err = w.readInputs(inputs, g.opt.Stdin, &opt); err != nil || len(failed) > 0 {
		w.abandon()
		return "", failed, err
	}
	if err := w.close(&m); err != nil {
		return "", nil, err
	}
	if err := syncFolder(tmp); err != nil {
		return "", nil, err
	}
	target := filepath.Join(g.root, name)
	if err := os.RemoveAll(target); err != nil { // one that keepTasks refused
		return "", nil, err
	}
	if err := os.Rename(tmp, target); err != nil {
		return "", nil, err
	}
	g.opt.Progress.InputsRead.Add(int64(len(inputs)))
	return name, nil, syncFolder(g.root)
}

// abandon closes the files of a task that failed.
func (w *taskWriter) abandon() {
	var m Manifest
	_ = w.close(&m) // the folder is removed whatever comes of it
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// commitPlan makes p the current plan of an output folder.
func commitPlan(dir string, p plan) error {
	private := filepath.Join(dir, factsFolder)
	tmp := filepath.Join(private, temporary+planFile)
	if err := writeJSON(tmp, p); err != nil {
		return err
	}
	if err := os.Rename(tmp, filepath.Join(private, planFile)); err != nil {
		return err
	}
	return syncFolder(private)
}

// dropTasks removes the tasks that are not part of the plan.
func dropTasks(root string, keep []string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !slices.Contains(keep, e.Name()) {
			if err := os.RemoveAll(filepath.Join(root, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Task is a finished task of the current plan.
type Task struct {
	Dir    string
	Global []int32 // index into Facts.Inputs of each of the task's inputs
	Manifest
}

// Path returns the path of one of the task's files.
func (t *Task) Path(name string) string { return filepath.Join(t.Dir, name) }

// PackPath returns the path of the task's bodies.
func (t *Task) PackPath() string { return t.Path(packFile) }

// Facts is what is known of an output folder's archives.
type Facts struct {
	Inputs   []InputResult // sorted by path
	Failures []Failure
	Tasks    []Task
	Dir      string // private folder for temporary files

	Fingerprint string          // of what shapes the facts
	Copies      map[int32]int32 // inputs that hold the octets of one before them, by index
}

// FetchCount returns the number of fetches in all inputs.
func (f *Facts) FetchCount() (n int64) {
	for _, in := range f.Inputs {
		n += in.Fetches
	}
	return n
}

// OpenFacts reads the current plan of an output folder.
func OpenFacts(dir string) (*Facts, error) {
	private := filepath.Join(dir, factsFolder)
	b, err := os.ReadFile(filepath.Join(private, planFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no facts; run 'robotsaudit ingest INPUT… -o %s' first", dir, dir)
	}
	if err != nil {
		return nil, err
	}
	var p plan
	if err := json.Unmarshal(b, &p); err != nil {
		return nil, fmt.Errorf("%s is damaged (%w); run 'robotsaudit ingest' again", filepath.Join(private, planFile), err)
	}
	if p.Fingerprint != fingerprint(false) && p.Fingerprint != fingerprint(true) {
		return nil, fmt.Errorf("the facts in %s are of another version of robotsaudit; run 'robotsaudit ingest' again", dir)
	}
	f := &Facts{Failures: p.Failures, Dir: private, Fingerprint: p.Fingerprint}
	for _, name := range p.Tasks {
		t := Task{Dir: filepath.Join(private, factsName(p.Fingerprint), name)}
		m, err := readManifest(t.Dir)
		if err != nil {
			return nil, fmt.Errorf("facts are missing (%w); run 'robotsaudit ingest' again", err)
		}
		t.Manifest = *m
		f.Tasks = append(f.Tasks, t)
		f.Inputs = append(f.Inputs, m.Inputs...)
	}
	f.number(p.Inputs, p.Copies)
	return f, nil
}

// number sorts the inputs, gives them the names of the current plan, and tells
// each task the numbers of its own.
func (f *Facts) number(planned []Input, copies map[string]string) {
	names := make(map[string]string)
	for _, in := range planned {
		names[in.Path] = in.Name
	}
	slices.SortFunc(f.Inputs, func(a, b InputResult) int { return cmp.Compare(a.Path, b.Path) })
	index := make(map[string]int32)
	for i := range f.Inputs {
		in := &f.Inputs[i]
		in.Name = cmp.Or(names[in.Path], in.Name)
		index[in.Path] = int32(i)
	}
	f.Copies = make(map[int32]int32)
	for path, original := range copies {
		f.Copies[index[path]] = index[original]
	}
	for i := range f.Tasks {
		t := &f.Tasks[i]
		for _, in := range t.Manifest.Inputs {
			t.Global = append(t.Global, index[in.Path])
		}
	}
}
