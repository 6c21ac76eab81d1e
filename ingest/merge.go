package ingest

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/reading"
)

// Merge makes the facts of opt.Dir, which the caller has locked, from the facts of other
// output folders. No archive is read. An archive that several of them hold counts once.
// With opt.Add, what opt.Dir holds already counts, too.
func Merge(ctx context.Context, dirs []string, opt ReadOptions) error {
	if err := opt.complete(); err != nil {
		return err
	}
	m := merging{Plan: facts.Plan{Digested: true}, from: make(map[string]from), seed: maphash.MakeSeed()}
	for _, dir := range dirs {
		if err := m.add(ctx, dir); err != nil {
			return err
		}
	}
	if plan, _ := facts.ReadPlan(opt.Dir); plan != nil && opt.Add {
		if err := m.add(ctx, opt.Dir); err != nil {
			return err
		}
	}
	b, err := newBuild(opt, m.Fingerprint)
	if err != nil {
		return err
	}
	inputs := sortInputs(m.inputs)
	if !opt.Add {
		if _, err := b.withPrevious(ctx, inputs); err != nil {
			return err
		}
	}
	for _, set := range m.sets {
		if err := b.copyTasks(ctx, set); err != nil {
			return err
		}
	}
	if err := b.keep(ctx, inputs, func(*Input) bool { return false }); err != nil {
		return err
	}
	if i := slices.Index(b.kept, false); i >= 0 {
		return fmt.Errorf("what was read of %s into %s cannot be read back; run 'robotsaudit ingest' there again",
			inputs[i].Name, m.from[inputs[i].Path].dir)
	}
	opt.Progress.InputsKept.Store(int64(len(inputs)))
	b.previous = &m.Plan // for its copies
	if err := b.commit(ctx, m.plan()); err != nil {
		return err
	}
	b.dropForeign()
	return nil
}

// merging is what several output folders hold.
type merging struct {
	facts.Plan
	dirs   []string
	sets   []*Facts // of dirs
	inputs []Input
	from   map[string]from // by path
	seed   maphash.Seed
}

// from is the folder that holds an input, and a hash of what reading it showed.
type from struct {
	dir   string
	shown uint64
}

// add adds the facts of an output folder.
func (m *merging) add(ctx context.Context, dir string) error {
	set, err := OpenFacts(dir)
	if err != nil {
		return err
	}
	m.Fingerprint = cmp.Or(m.Fingerprint, set.Fingerprint)
	if set.Fingerprint != m.Fingerprint {
		first, other := modeOf(m.Fingerprint), modeOf(set.Fingerprint)
		return fmt.Errorf("the archives of %s were read %s, those of %s %s; run 'robotsaudit ingest' in the same way for all", m.dirs[0], first, dir, other)
	}
	for in, err := range set.Results(ctx) {
		if err != nil {
			return err
		}
		next := in.Compact()
		path := next.Path
		shown := maphash.Comparable(m.seed, [3]string{strconv.FormatInt(in.Size, 10), in.Container, in.Fingerprint})
		other, ok := m.from[path]
		switch {
		case !ok:
			m.inputs = append(m.inputs, next)
			m.from[path] = from{dir, shown}
		case other.shown != shown:
			return fmt.Errorf("%s and %s hold different archives of one path, %s; read one of them by another path",
				other.dir, dir, path)
		}
	}
	if m.Copies == nil {
		m.Copies = make(map[string]string)
	}
	for i, original := range set.Copies {
		m.Copies[set.Input(i).Path] = set.Input(original).Path
	}
	m.Failures = append(m.Failures, set.Failures...)
	m.Digested = m.Digested && set.Digested
	m.dirs, m.sets = append(m.dirs, dir), append(m.sets, set)
	return nil
}

// plan is the plan of all folders: what one of them could not read, another may have.
func (m *merging) plan() facts.Plan {
	p := m.Plan
	p.Failures = nil
	for _, f := range m.Failures {
		if _, read := m.from[f.Path]; !read && !slices.Contains(p.Failures, f) {
			p.Failures = append(p.Failures, f)
		}
	}
	return p
}

// copyTasks copies the tasks of another output folder, as far as they are not there.
func (b *build) copyTasks(ctx context.Context, set *Facts) error {
	for i := range set.Tasks {
		t := &set.Tasks[i]
		name := filepath.Base(t.Dir)
		if _, err := facts.ReadManifest(filepath.Join(b.root, name)); err == nil {
			continue
		}
		tmp := filepath.Join(b.root, facts.TemporaryPrefix+name)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := os.CopyFS(tmp, os.DirFS(t.Dir)); err != nil {
			return err
		}
		if err := durable.SyncFiles(tmp); err != nil {
			return err
		}
		if err := facts.Publish(b.root, tmp, name); err != nil {
			return err
		}
	}
	return nil
}

// modeOf is the mode that a fingerprint is of.
func modeOf(print string) reading.Mode {
	for _, m := range reading.Modes {
		if m.Fingerprint() == print {
			return m
		}
	}
	return reading.Plain
}
