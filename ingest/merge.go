package ingest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/reading"
)

// Merge makes the facts of opt.Dir, which the caller has locked, from the facts of other
// output folders. No archive is read. An archive that several of them hold counts once.
// With opt.Add, what opt.Dir holds already counts, too.
func Merge(ctx context.Context, dirs []string, opt Options) error {
	if err := opt.complete(); err != nil {
		return err
	}
	m := merging{Plan: facts.Plan{Digested: true}, results: make(map[string]from)}
	for _, dir := range dirs {
		if err := m.add(dir); err != nil {
			return err
		}
	}
	if plan, _ := facts.ReadPlan(opt.Dir); plan != nil && opt.Add {
		if err := m.add(opt.Dir); err != nil {
			return err
		}
	}
	b, err := newBuild(opt, m.Fingerprint)
	if err != nil {
		return err
	}
	m.Inputs = sortInputs(m.Inputs)
	if !opt.Add {
		if _, err := b.withPrevious(ctx, m.Inputs); err != nil {
			return err
		}
	}
	for _, set := range m.sets {
		if err := b.copyTasks(ctx, set); err != nil {
			return err
		}
	}
	if err := b.keep(ctx, m.Inputs); err != nil {
		return err
	}
	if lost := without(m.Inputs, b.kept); len(lost) > 0 {
		return fmt.Errorf("what was read of %s into %s cannot be read back; run 'robotsaudit ingest' there again",
			lost[0].Name, m.results[lost[0].Path].dir)
	}
	opt.Progress.InputsKept.Store(int64(len(b.kept)))
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
	dirs    []string
	sets    []*Facts        // of these
	results map[string]from // by path
}

// from is the result of reading an input, and the folder that holds it.
type from struct {
	InputResult
	dir string
}

// add adds the facts of an output folder.
func (m *merging) add(dir string) error {
	set, err := OpenFacts(dir)
	if err != nil {
		return err
	}
	if m.Fingerprint == "" {
		m.Fingerprint = set.Fingerprint
	}
	if set.Fingerprint != m.Fingerprint {
		first, other := modeOf(m.Fingerprint), modeOf(set.Fingerprint)
		return fmt.Errorf("the archives of %s were read %s, those of %s %s; run 'robotsaudit ingest' in the same way for all", m.dirs[0], first, dir, other)
	}
	for _, in := range set.Inputs {
		other, ok := m.results[in.Path]
		switch {
		case !ok:
			m.Inputs = append(m.Inputs, in.Input)
			m.results[in.Path] = from{in, dir}
		case other.Size != in.Size || other.Container != in.Container || other.Fingerprint != in.Fingerprint:
			return fmt.Errorf("%s and %s hold different archives of one path, %s; read one of them by another path",
				other.dir, dir, in.Path)
		}
	}
	if m.Copies == nil {
		m.Copies = make(map[string]string)
	}
	for i, original := range set.Copies {
		m.Copies[set.Inputs[i].Path] = set.Inputs[original].Path
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
		if _, read := m.results[f.Path]; !read && !slices.Contains(p.Failures, f) {
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
