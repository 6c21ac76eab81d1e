package ingest

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alitto/pond/v2"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// build makes the plan of an output folder: of tasks that are there, of what tasks hold of
// inputs that are still wanted, and of new tasks.
type build struct {
	opt         ReadOptions
	fingerprint string
	root        string      // folder of the tasks
	previous    *facts.Plan // nil where there is none
	inputs      []Input     // that the plan will have, sorted by path
	tasks       []string    // that the plan will have
	kept        []bool      // by input: a task has it that was there
}

// newBuild prepares the output folder, which the caller has locked.
func newBuild(opt ReadOptions, fingerprint string) (*build, error) {
	private := filepath.Join(opt.Dir, facts.PrivateFolder)
	b := &build{opt: opt, fingerprint: fingerprint, root: filepath.Join(private, facts.FolderName(fingerprint))}
	var err error
	if b.previous, err = facts.ReadPlan(opt.Dir); err != nil && opt.Add {
		return nil, fmt.Errorf("%w (without --add)", err)
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
func (b *build) withPrevious(ctx context.Context, named []Input) (inputs []Input, err error) {
	if b.previous == nil {
		return named, nil
	}
	failed := facts.FailedPaths(b.previous.Failures)
	var more []Input
	before := 0
	for in, err := range b.previous.Planned(ctx, b.opt.Dir) {
		before++
		switch {
		case err != nil && (b.opt.Add || ctx.Err() != nil):
			return nil, cmp.Or(ctx.Err(), err)
		case err != nil: // what it had is not known, so that nothing of it is kept
			return named, nil
		case facts.IndexOf(named, in.Path) >= 0 || failed[in.Path] && !b.opt.Add:
			continue
		}
		next := in.Compact()
		if failed[in.Path] && in.Path != facts.Stdin {
			if info, err := in.Stat(ctx); err == nil { // it may have changed since
				next.SetObject(info)
			}
		}
		more = append(more, next)
	}
	if b.opt.Add {
		return sortInputs(slices.Concat(named, more)), nil
	}
	if len(more) > 0 && b.opt.Dropping != nil {
		return named, b.opt.Dropping(more, before)
	}
	return named, nil
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
	dropped, _ = durable.RemoveIf(private,
		func(name string) bool { return strings.HasPrefix(name, "facts-v") && name != current })
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
	live  []int32 // inputs that it will hold
	size  int64   // of live
}

// keep makes inputs, which are sorted by path, the inputs of the plan. It finds what tasks hold of them, if they are
// unchanged and are not to be read again. Of a task that holds others, too, a new one is made; so it is of small
// tasks where there are many.
func (b *build) keep(ctx context.Context, inputs []Input, again func(*Input) bool) error {
	b.inputs, b.kept = inputs, make([]bool, len(inputs))
	taken := make([]bool, len(inputs))
	take := func(r *rewriting) {
		for _, i := range r.live {
			taken[i] = true
		}
	}
	var whole, partial []rewriting
	for t, err := range facts.TasksIn(b.root, false) {
		if err != nil {
			return err
		}
		r := rewriting{tasks: []facts.Task{t}}
		for in, err := range t.Results(ctx) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil { // what follows is not kept
				r.live = nil
				break
			}
			i := facts.IndexOf(inputs, in.Path)
			if i >= 0 && !taken[i] && inputs[i].Same(in.Input) && !again(&inputs[i]) {
				r.live = append(r.live, int32(i))
			}
		}
		if n := len(r.live); n > 0 && n == int(t.Totals.Count) {
			take(&r)
			whole = append(whole, r)
		} else {
			partial = append(partial, r)
		}
	}
	for i := range partial {
		r := &partial[i]
		r.live = slices.DeleteFunc(r.live, func(i int32) bool { return taken[i] })
		take(r)
	}
	partial = slices.DeleteFunc(partial, func(r rewriting) bool { return len(r.live) == 0 })
	for _, list := range [...][]rewriting{whole, partial} {
		for i := range list {
			for _, in := range list[i].live {
				list[i].size += inputs[in].Size
			}
		}
	}
	whole, joined := b.joinSmall(whole)
	for _, w := range whole {
		b.take(filepath.Base(w.tasks[0].Dir), &w)
	}
	return b.rewrite(ctx, append(partial, joined...))
}

// take adds a task to the plan.
func (b *build) take(name string, r *rewriting) {
	b.tasks = append(b.tasks, name)
	for _, i := range r.live {
		b.kept[i] = true
	}
}

// rest are the inputs that no task holds.
func (b *build) rest() (rest []Input) {
	if !slices.Contains(b.kept, true) {
		return b.inputs
	}
	for i, in := range b.inputs {
		if !b.kept[i] {
			rest = append(rest, in)
		}
	}
	return rest
}

// manySmall is how many small tasks are joined. More files take longer to merge; joining
// rewrites what they hold.
const manySmall = 64

// joinSmall joins small tasks where there are many: a run every night makes one each.
func (b *build) joinSmall(tasks []rewriting) (rest, joined []rewriting) {
	var small []rewriting
	for _, t := range tasks {
		switch {
		case t.size < taskBytes/16 && len(t.live) < taskInputs/16 &&
			b.inputs[t.live[0]].Path != facts.Stdin:
			small = append(small, t)
		default:
			rest = append(rest, t)
		}
	}
	if len(small) < manySmall {
		return tasks, nil
	}
	for _, t := range small {
		if n := len(joined); n > 0 && joined[n-1].size+t.size <= taskBytes &&
			len(joined[n-1].live)+len(t.live) <= taskInputs {
			last := &joined[n-1]
			last.tasks, last.live = append(last.tasks, t.tasks...), append(last.live, t.live...)
			last.size += t.size
			continue
		}
		joined = append(joined, t)
	}
	for i := range joined {
		slices.Sort(joined[i].live)
	}
	return rest, joined
}

// rewrite makes tasks of others. What facts turn out to be damaged is not kept.
func (b *build) rewrite(ctx context.Context, all []rewriting) error {
	pool := pond.NewResultPool[string](b.opt.Workers, pond.WithQueueSize(0))
	defer pool.StopAndWait()
	running := make([]pond.ResultTask[string], len(all))
	for i, r := range all {
		running[i] = pool.SubmitErr(func() (string, error) {
			var live []Input
			for _, i := range r.live {
				live = append(live, b.inputs[i])
			}
			name := taskName(b.fingerprint, live)
			return name, b.rewriteAs(ctx, name, r.tasks, live)
		})
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
		b.take(name, &all[i])
	}
	return nil
}

func (b *build) rewriteAs(ctx context.Context, name string, tasks []facts.Task, live []Input) error {
	tmp := filepath.Join(b.root, facts.TemporaryPrefix+name)
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := facts.Rewrite(ctx, tmp, b.fingerprint, tasks, live); err != nil {
		return err
	}
	return facts.Publish(b.root, tmp, name)
}

// commit makes p, which has the inputs and tasks of b, the plan of the output folder, and removes all
// other tasks.
func (b *build) commit(ctx context.Context, p facts.Plan) error {
	p.Fingerprint, p.Tasks = b.fingerprint, b.tasks
	slices.Sort(p.Tasks)
	var tasks []facts.Task
	for _, name := range p.Tasks {
		t, err := facts.ReadTask(filepath.Join(b.root, name))
		if err != nil {
			return err
		}
		tasks = append(tasks, t)
	}
	verified, err := b.keepVerified(ctx, p.Failures)
	if err != nil {
		return err
	}
	p.Inputs = inputsPrefix + rand.Text()
	private := filepath.Dir(b.root)
	dir := filepath.Join(private, p.Inputs)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	if err := facts.WriteInputs(ctx, dir, tasks, b.inputs); err != nil {
		return err
	}
	if err := cmp.Or(durable.SyncFiles(dir), durable.SyncFolder(dir), durable.SyncFolder(private)); err != nil {
		return err
	}
	if p.Copies, err = facts.FindCopies(ctx, dir, b.knownCopies()); err != nil {
		return err
	}
	slices.SortStableFunc(p.Failures, func(a, b facts.Failure) int { return cmp.Compare(a.Name, b.Name) })
	if err := p.Commit(b.opt.Dir); err != nil {
		return err
	}
	return cmp.Or(dropBut(b.root, "", append(verified, p.Tasks...)), dropBut(private, inputsPrefix, []string{p.Inputs}))
}

// keepVerified keeps what was verified of the rows of indexes that are still there, and returns the
// names of its folders.
func (b *build) keepVerified(ctx context.Context, failures []facts.Failure) (names []string, err error) {
	failed := facts.FailedPaths(failures)
	for t, err := range facts.TasksIn(b.root, true) {
		if err != nil {
			return nil, err
		}
		name := filepath.Base(t.Dir)
		var live []Input
		for in, err := range t.Results(ctx) {
			if err != nil {
				return nil, err
			}
			if i := facts.IndexOf(b.inputs, in.Path); i >= 0 && b.inputs[i].Same(in.Input) && !failed[in.Path] {
				live = append(live, b.inputs[i])
			}
		}
		switch {
		case len(live) == int(t.Totals.Count):
			names = append(names, name)
		case len(live) > 0 && name != facts.UnreadVerified: // which is tried again anyway
			name = facts.VerifiedName(name[len(name)-16:] + "-" + taskName(b.fingerprint, live))
			if err := b.rewriteAs(ctx, name, []facts.Task{t}, live); err != nil {
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
	kept := func(path string) bool {
		i := facts.IndexOf(b.inputs, path)
		return i >= 0 && b.kept[i]
	}
	known := make(map[string]string)
	for path, original := range b.previous.Copies {
		if kept(path) && kept(original) {
			known[path] = original
		}
	}
	return known
}

const inputsPrefix = "inputs-" // begins the names of folders of files of inputs

// dropBut removes what a folder has of names that begin with a prefix, but for those to keep.
func dropBut(dir, prefix string, keep []string) error {
	slices.Sort(keep)
	_, err := durable.RemoveIf(dir, func(name string) bool {
		_, kept := slices.BinarySearch(keep, name)
		return !kept && strings.HasPrefix(name, prefix)
	})
	return err
}
