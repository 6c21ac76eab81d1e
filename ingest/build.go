package ingest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alitto/pond/v2"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// build makes the plan of an output folder: of tasks that are there, of what tasks hold of
// inputs that are still wanted, and of new tasks.
type build struct {
	opt         Options
	fingerprint string
	root        string      // folder of the tasks
	previous    *facts.Plan // nil where there is none
	tasks       []string    // that the plan will have
	kept        []Input     // of these tasks, those that were not read
}

// newBuild prepares the output folder, which the caller has locked.
func newBuild(opt Options, fingerprint string) (*build, error) {
	private := filepath.Join(opt.Dir, facts.PrivateFolder)
	b := &build{opt: opt, fingerprint: fingerprint, root: filepath.Join(private, facts.FolderName(fingerprint))}
	var err error
	if b.previous, err = facts.ReadPlan(opt.Dir); err != nil && opt.Add {
		return nil, fmt.Errorf("%w, without --add", err)
	}
	if err := os.MkdirAll(b.root, 0o777); err != nil {
		return nil, err
	}
	if err := facts.DropTemporary(b.root); err != nil {
		return nil, err
	}
	return b, nil
}

// withPrevious adds the inputs of the previous plan if the options require it. Otherwise it reports
// which of them will go.
func (b *build) withPrevious(ctx context.Context, named []Input) ([]Input, error) {
	if b.previous == nil {
		return named, nil
	}
	more := without(b.previous.Inputs, named)
	failed := make(map[string]bool)
	for _, f := range b.previous.Failures {
		failed[f.Path] = true
	}
	if !b.opt.Add {
		more = slices.DeleteFunc(more, func(in Input) bool { return failed[in.Path] })
		if len(more) > 0 && b.opt.Dropping != nil {
			return named, b.opt.Dropping(more, len(b.previous.Inputs))
		}
		return named, nil
	}
	for i, in := range more {
		if !failed[in.Path] || in.Path == facts.Stdin {
			continue
		}
		if info, err := in.Stat(ctx); err == nil { // it may have changed since
			more[i].SetObject(info)
		}
	}
	return sortInputs(slices.Concat(named, more)), nil
}

// sortInputs orders inputs by path and gives each a name of its own.
func sortInputs(inputs []Input) []Input {
	slices.SortFunc(inputs, func(a, b Input) int { return cmp.Compare(a.Path, b.Path) })
	distinctNames(inputs)
	return inputs
}

// dropForeign removes facts of other fingerprints, and reports whether there were any.
func (b *build) dropForeign() (dropped bool) {
	private, current := filepath.Split(b.root)
	entries, err := os.ReadDir(private)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "facts-v") && e.Name() != current {
			os.RemoveAll(filepath.Join(private, e.Name()))
			dropped = true
		}
	}
	return dropped
}

func (b *build) warn(format string, a ...any) {
	if b.opt.Warn != nil {
		b.opt.Warn(fmt.Sprintf(format, a...))
	}
}

// rewriting is a task to be made of others.
type rewriting struct {
	tasks []facts.Task
	live  []Input // what it will hold
}

func (r *rewriting) size() (n int64) {
	for _, in := range r.live {
		n += in.Size
	}
	return n
}

// keep finds what tasks hold of the wanted inputs that are unchanged. Of a task that holds
// others, too, a new one is made; so it is of small tasks where there are many.
func (b *build) keep(ctx context.Context, wanted []Input) error {
	missing := make(map[string]Input) // wanted, and in no task so far
	for _, in := range wanted {
		missing[in.Path] = in
	}
	live := func(t *facts.Task) (live []Input) {
		for _, in := range t.Inputs {
			if w, ok := missing[in.Path]; ok && w.Same(in.Input) {
				live = append(live, w)
			}
		}
		return live
	}
	take := func(inputs []Input) {
		for _, in := range inputs {
			delete(missing, in.Path)
		}
	}
	var whole, partial []rewriting
	var others []facts.Task
	tasks, err := readTasks(b.root)
	if err != nil {
		return err
	}
	for _, t := range tasks {
		if inputs := live(&t); len(inputs) == len(t.Inputs) {
			take(inputs)
			whole = append(whole, rewriting{[]facts.Task{t}, inputs})
			continue
		}
		others = append(others, t)
	}
	for _, t := range others {
		if inputs := live(&t); len(inputs) > 0 {
			take(inputs)
			partial = append(partial, rewriting{[]facts.Task{t}, inputs})
		}
	}
	whole, joined := joinSmall(whole)
	for _, w := range whole {
		b.tasks, b.kept = append(b.tasks, filepath.Base(w.tasks[0].Dir)), append(b.kept, w.live...)
	}
	return b.rewrite(ctx, append(partial, joined...))
}

// readTasks reads the manifests of all tasks. A folder without one is no task.
func readTasks(root string) (tasks []facts.Task, err error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if facts.IsVerifiedName(e.Name()) {
			continue
		}
		if m, err := facts.ReadManifest(dir); err == nil {
			tasks = append(tasks, facts.Task{Dir: dir, Manifest: *m})
		}
	}
	return tasks, nil
}

// manySmall is how many small tasks are joined. More files take longer to merge; joining
// rewrites what they hold.
const manySmall = 64

// joinSmall joins small tasks where there are many: a run every night makes one each.
func joinSmall(tasks []rewriting) (rest, joined []rewriting) {
	var small []rewriting
	for _, t := range tasks {
		switch {
		case t.size() < taskBytes/16 && len(t.live) < taskInputs/16 && t.live[0].Path != facts.Stdin:
			small = append(small, t)
		default:
			rest = append(rest, t)
		}
	}
	if len(small) < manySmall {
		return tasks, nil
	}
	for _, t := range small {
		if n := len(joined); n > 0 && joined[n-1].size()+t.size() <= taskBytes &&
			len(joined[n-1].live)+len(t.live) <= taskInputs {
			last := &joined[n-1]
			last.tasks, last.live = append(last.tasks, t.tasks...), append(last.live, t.live...)
			continue
		}
		joined = append(joined, t)
	}
	for i := range joined {
		slices.SortFunc(joined[i].live, func(a, b Input) int { return cmp.Compare(a.Path, b.Path) })
	}
	return rest, joined
}

// rewrite makes tasks of others. What facts turn out to be damaged is not kept.
func (b *build) rewrite(ctx context.Context, all []rewriting) error {
	pool := pond.NewResultPool[string](b.opt.Workers, pond.WithQueueSize(0))
	defer pool.StopAndWait()
	running := make([]pond.ResultTask[string], len(all))
	for i, r := range all {
		running[i] = pool.SubmitErr(func() (string, error) { return b.rewriteTask(ctx, r) })
	}
	for i, task := range running {
		name, err := task.Wait()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			b.warn("what was read before of %d archives cannot be kept (%v); they are read again", len(all[i].live),
				err)
			continue
		}
		b.tasks, b.kept = append(b.tasks, name), append(b.kept, all[i].live...)
	}
	return nil
}

func (b *build) rewriteTask(ctx context.Context, r rewriting) (name string, err error) {
	name = taskName(b.fingerprint, r.live)
	return name, b.rewriteAs(ctx, name, r)
}

func (b *build) rewriteAs(ctx context.Context, name string, r rewriting) error {
	tmp := filepath.Join(b.root, facts.TemporaryPrefix+name)
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := facts.Rewrite(ctx, tmp, b.fingerprint, r.tasks, r.live); err != nil {
		return err
	}
	return facts.Publish(b.root, tmp, name)
}

// commit makes p, which has the tasks of b, the plan of the output folder, and removes all
// other tasks.
func (b *build) commit(ctx context.Context, p facts.Plan) error {
	p.Fingerprint, p.Tasks = b.fingerprint, b.tasks
	slices.Sort(p.Tasks)
	var results []facts.InputResult
	for _, name := range p.Tasks {
		m, err := facts.ReadManifest(filepath.Join(b.root, name))
		if err != nil {
			return err
		}
		results = append(results, m.Inputs...)
	}
	verified, err := b.keepVerified(ctx, results)
	if err != nil {
		return err
	}
	p.Copies = facts.FindCopies(ctx, results, b.knownCopies())
	slices.SortStableFunc(p.Failures, func(a, b facts.Failure) int { return cmp.Compare(a.Name, b.Name) })
	if err := p.Commit(b.opt.Dir); err != nil {
		return err
	}
	return dropTasks(b.root, append(verified, p.Tasks...))
}

// keepVerified keeps what was verified of the rows of indexes that are still there, and returns the
// names of its folders.
func (b *build) keepVerified(ctx context.Context, results []facts.InputResult) (names []string, err error) {
	tasks, err := facts.VerifiedTasks(b.root)
	if err != nil {
		return nil, err
	}
	there := make(map[string]facts.Input)
	for _, in := range results {
		there[in.Path] = in.Input
	}
	for _, t := range tasks {
		name := filepath.Base(t.Dir)
		r := rewriting{tasks: []facts.Task{t}}
		for _, in := range t.Inputs {
			if now, ok := there[in.Path]; ok && now.Same(in.Input) {
				r.live = append(r.live, now)
			}
		}
		switch {
		case len(r.live) == len(t.Inputs):
			names = append(names, name)
		case len(r.live) > 0 && name != facts.UnreadVerified: // which is tried again anyway
			name = facts.VerifiedName(name[len(name)-16:] + "-" + taskName(b.fingerprint, r.live))
			if err := b.rewriteAs(ctx, name, r); err != nil {
				return nil, cmp.Or(ctx.Err(), err)
			}
			names = append(names, name)
		}
	}
	return names, nil
}

// knownCopies are the copies that the plan before found, among inputs that were kept: these
// are not compared again, and may be elsewhere now.
func (b *build) knownCopies() map[string]string {
	if b.previous == nil {
		return nil
	}
	kept := make(map[string]bool)
	for _, in := range b.kept {
		kept[in.Path] = true
	}
	known := make(map[string]string)
	for path, original := range b.previous.Copies {
		if kept[path] && kept[original] {
			known[path] = original
		}
	}
	return known
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
