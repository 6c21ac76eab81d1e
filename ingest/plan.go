package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/alitto/pond/v2"
	"github.com/gofrs/flock"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/wacz"
	"github.com/robotsaudit/robotsaudit/internal/warc"
)

// fingerprint identifies what shapes the facts besides the inputs: their schema,
// the limits, the vocabulary of tags, whether all digests are verified. Facts of
// another fingerprint are not read.
func fingerprint(verifyDigests bool) string {
	return fingerprintOf(limits, verifyDigests)
}

func fingerprintOf(limits map[string]int64, verifyDigests bool) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "schema %s, tags %s, limits %v, %v, %v, %v, digests %v", facts.SchemaVersion, tag.Version, warc.Limits, wacz.Limits, httpmsg.Limits, limits, verifyDigests))
	return hex.EncodeToString(sum[:6])
}

// Progress counts what Ingest has done. It may be read at any time.
type Progress struct {
	BytesTotal, BytesRead   atomic.Int64 // bytes of inputs that had to be read
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
	DigestInputs  bool // compute the SHA-256 of each input but standard input
}

// Lock takes the output folder for this process, making it where needed. Release
// gives it back.
func Lock(dir string) (release func() error, err error) {
	private := filepath.Join(dir, facts.PrivateFolder)
	if err := os.MkdirAll(private, 0o777); err != nil {
		return nil, fmt.Errorf("output folder %s cannot be made (%v); give another with -o", dir, reason(err))
	}
	lock := flock.New(filepath.Join(private, facts.LockFile))
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
	defer warc.ReleaseMemory()
	print := fingerprint(opt.VerifyDigests)
	root := filepath.Join(opt.Dir, facts.PrivateFolder, facts.FolderName(print))
	if err := os.MkdirAll(root, 0o777); err != nil {
		return err
	}
	if err := dropTemporary(root); err != nil {
		return err
	}
	dropForeign(filepath.Join(opt.Dir, facts.PrivateFolder), facts.FolderName(print), opt.Warn)
	kept, rest, err := keepTasks(root, inputs)
	if err != nil {
		return err
	}
	if opt.Reread {
		kept, rest = nil, inputs
	}
	opt.Progress.InputsKept.Store(int64(len(inputs) - len(rest)))
	in := ingestion{root: root, opt: opt, fingerprint: print, cores: warc.NewCores(opt.Workers)}
	made, err := in.run(ctx, group(rest))
	if err != nil {
		return err
	}
	p := facts.Plan{
		Fingerprint: print, Tasks: append(kept, made...), Inputs: inputs, Failures: in.failures, Digested: opt.DigestInputs,
	}
	for _, f := range opt.Failed {
		p.Failures = append(p.Failures, facts.Failure{Name: f.Arg, Reason: f.Reason})
	}
	slices.Sort(p.Tasks)
	if opt.DigestInputs {
		if err := digestInputs(ctx, root, p.Tasks, opt.Workers); err != nil {
			return err
		}
	}
	results, err := readResults(root, p.Tasks)
	if err != nil {
		return err
	}
	p.Copies = findCopies(results)
	slices.SortFunc(p.Failures, func(a, b facts.Failure) int { return cmp.Compare(a.Name, b.Name) })
	if err := p.Commit(opt.Dir); err != nil {
		return err
	}
	return dropTasks(root, p.Tasks)
}

// readResults reads what tasks found their inputs to be.
func readResults(root string, tasks []string) (results []facts.InputResult, err error) {
	for _, name := range tasks {
		m, err := facts.ReadManifest(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		results = append(results, m.Inputs...)
	}
	return results, nil
}

// dropTemporary removes what an interrupted run left behind.
func dropTemporary(root string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), facts.TemporaryPrefix) {
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
func keepTasks(root string, inputs []facts.Input) (kept []string, rest []facts.Input, err error) {
	wanted := make(map[string]facts.Input)
	for _, in := range inputs {
		wanted[in.Path] = in
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, nil, err
	}
	have := make(map[string]bool)
	for _, e := range entries {
		m, err := facts.ReadManifest(filepath.Join(root, e.Name()))
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

func usable(m *facts.Manifest, wanted map[string]facts.Input, have map[string]bool) bool {
	for _, in := range m.Inputs {
		if in.Path == facts.Stdin || have[in.Path] || !wanted[in.Path].Same(in.Input) {
			return false
		}
	}
	return true
}

// group makes tasks of consecutive inputs. The size is far below the gigabyte at
// which a task would be hard to sort, so that a folder of middle-sized archives
// occupies all workers. Standard input is a task of its own: it cannot be read
// again when another input fails.
func group(inputs []facts.Input) [][]facts.Input {
	var tasks [][]facts.Input
	var current []facts.Input
	var size int64
	for _, in := range inputs {
		if len(current) > 0 && (size+in.Size > taskBytes || len(current) == taskInputs || current[0].Path == facts.Stdin) {
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

func taskName(fingerprint string, inputs []facts.Input) string {
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
func (g *ingestion) task(inputs []facts.Input) (outcome, error) {
	g.cores.Acquire()
	defer g.cores.Release()
	var o outcome
	for len(inputs) > 0 {
		name, failed, err := g.attempt(inputs)
		if err != nil || len(failed) == 0 {
			o.name = name
			return o, err
		}
		left := make(map[string]bool)
		for _, f := range failed {
			o.failures = append(o.failures, facts.Failure{Name: f.input.Name, Reason: reason(f.err).Error()})
			left[f.input.Path] = true
		}
		inputs = slices.DeleteFunc(slices.Clone(inputs), func(in facts.Input) bool { return left[in.Path] })
	}
	return o, nil
}

// attempt writes a task into a temporary folder and renames it once it is whole. Where
// inputs cannot be read there is no task, and they are failed.
func (g *ingestion) attempt(inputs []facts.Input) (name string, failed []*inputError, err error) {
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
	opt := readOptions{
		progress: func(n int) { g.opt.Progress.BytesRead.Add(int64(n)) },
		verify:   g.opt.VerifyDigests,
		tmp:      tmp,
		cores:    g.cores,
	}
	if m.Inputs, failed, err = readInputs(w, inputs, g.opt.Stdin, &opt); err != nil || len(failed) > 0 {
		w.Abandon()
		return "", failed, err
	}
	if err := w.Close(&m); err != nil {
		return "", nil, err
	}
	if err := durable.SyncFolder(tmp); err != nil {
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
	return name, nil, durable.SyncFolder(g.root)
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

// OpenFacts reads the current facts of an output folder.
func OpenFacts(dir string) (*Facts, error) {
	f, err := facts.Open(dir, fingerprint(false), fingerprint(true))
	if err != nil {
		return nil, err
	}
	f.Reread = reread
	return f, nil
}
