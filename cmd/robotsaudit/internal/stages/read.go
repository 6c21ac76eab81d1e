package stages

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/records"
)

const (
	shardsPrefix = "shards/"
	exitUnread   = 3 // the exit code of an audit that could not read something
)

func (p *Plan) shard(s Store, shard int) *task {
	return &task{
		s, p, fmt.Sprintf("%s%05d", shardsPrefix, shard),
		fmt.Sprintf("robotsaudit ingest --shard %d/%d --facts %s", shard, p.Shards, s),
	}
}

// Read makes the facts of a shard, unless they are there. The first shard is 0. The commit lists what
// cannot be read of the inputs.
func Read(ctx context.Context, s Store, p *Plan, shard int, opt ingest.ReadOptions) (*Commit, error) {
	if shard < 0 || shard >= p.Shards {
		return nil, fmt.Errorf("there is no shard %d: the plan has %d, from 0 to %d", shard, p.Shards, p.Shards-1)
	}
	return p.shard(s, shard).run(ctx, func(dir string, c *Commit) error {
		of, err := p.inputsOf(ctx, s, shard, shard)
		if err != nil {
			return err
		}
		inputs := of[0]
		isFile := func(in *facts.Input) bool { return !object.IsRemote(in.Path) }
		if err := unchanged(ctx, s, inputs, isFile); err != nil {
			return err
		}
		tmp, remove, err := workspace()
		if err != nil {
			return err
		}
		defer remove()
		opt.Dir, opt.VerifyDigests, opt.DigestInputs = tmp, p.VerifyDigests, p.DigestInputs
		if err := ingest.Ingest(ctx, inputs, opt); err != nil {
			return err
		}
		plan, tasks, err := facts.OpenTasks(tmp, p.Settings.FactsFingerprint)
		if err != nil {
			return err
		}
		c.Failures = plan.Failures
		if err := facts.Join(ctx, dir, plan.Fingerprint, tasks); err != nil {
			return err
		}
		m, err := facts.ReadManifest(dir)
		if err != nil {
			return err
		}
		if c.Fetches = m.Totals.Fetches; len(c.Failures) > 0 || m.Totals.Lossy > 0 {
			c.ExitCode = exitUnread
		}
		// Objects were read in the version that was planned, as every answer was compared with it, but for those
		// that could not be read.
		failed := facts.FailedPaths(c.Failures)
		return unchanged(ctx, s, inputs, func(in *facts.Input) bool { return isFile(in) || failed[in.Path] })
	})
}

// unchanged checks that those inputs of which which is true are still those that were planned.
func unchanged(ctx context.Context, s Store, inputs []facts.Input, which func(*facts.Input) bool) error {
	for _, in := range inputs {
		if !which(&in) {
			continue
		}
		info, err := in.Stat(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !object.IsRemote(in.Path):
			return fmt.Errorf("%s was there when it was planned (%w); put it back, or plan again into another folder",
				in.Path, err)
		case err == nil && info != in.Object():
			return fmt.Errorf("%s has changed since it was planned; plan again into another folder than %s, so that "+
				"all shards are read of the same archives", in.Path, s)
		}
	}
	return nil
}

// shards returns the commits of all shards, and removes what is left of attempts that do not count.
func (p *Plan) shards(ctx context.Context, s Store) ([]*Commit, error) {
	names, err := s.List(ctx, shardsPrefix)
	if err != nil {
		return nil, err
	}
	commits, missing, err := allCommitted(ctx, p.Shards, func(i int) *task { return p.shard(s, i) },
		func(t *task, c *Commit) error { return t.check(c, names, none) })
	if err != nil {
		return nil, err
	}
	if missing != "" {
		return nil, p.notRead(s, missing)
	}
	return commits, removeOthers(ctx, s, shardsPrefix, names, commits)
}

func (p *Plan) notRead(s Store, missing string) error {
	return fmt.Errorf("of %d shards, these are not read: %s; run for each: robotsaudit ingest --shard I/%d --facts %s",
		p.Shards, missing, p.Shards, s)
}

// shardFacts are the facts of a shard, as the stages after 'resolve' know them.
type shardFacts struct {
	Attempt string           `json:"attempt"`
	Files   map[string]int64 `json:"files"`
	facts.Manifest
}

// allFacts is what is known of the facts of all shards.
type allFacts struct {
	Shards   []shardFacts      `json:"shards"`
	Failures []facts.Failure   `json:"failures"`
	Copies   map[string]string `json:"copies"` // path of an input → that of the one that it is a copy of
}

const allFactsFile = "shards.json"

// join puts together what is known of the facts of all shards, and makes the file of their inputs in dir.
func (p *Plan) join(ctx context.Context, s Store, commits []*Commit, dir, tmp string) (*allFacts, *facts.Set, error) {
	all := &allFacts{Failures: p.Failures}
	for _, c := range commits {
		all.Shards = append(all.Shards, shardFacts{Attempt: c.Attempt, Files: c.Files})
		all.Failures = append(all.Failures, c.Failures...)
	}
	slices.SortStableFunc(all.Failures, func(a, b facts.Failure) int { return strings.Compare(a.Name, b.Name) })
	tasks, err := p.tasks(ctx, s, all, true, tmp)
	if err != nil {
		return nil, nil, err
	}
	for i := range tasks {
		m, err := facts.ReadManifest(tasks[i].Dir)
		if err != nil {
			return nil, nil, fmt.Errorf("%s is damaged (%w); %s", locate(s, commits[i].prefix()+facts.ManifestFile), err,
				p.shard(s, i).again())
		}
		tasks[i].Manifest, all.Shards[i].Manifest = *m, *m
	}
	of := p.shardsOfBlock()
	for first := 0; first < p.Shards; first += of {
		last := min(first+of, p.Shards) - 1
		planned, err := p.inputsOf(ctx, s, first, last)
		if err != nil {
			return nil, nil, err
		}
		for i := first; i <= last; i++ {
			if err := checkInputs(ctx, i, planned[i-first], &tasks[i], commits[i]); err != nil {
				return nil, nil, fmt.Errorf("%w; %s", err, p.shard(s, i).again())
			}
		}
	}
	if err := facts.WriteInputs(ctx, dir, tasks, nil); err != nil {
		return nil, nil, err
	}
	if all.Copies, err = facts.FindCopies(ctx, dir, nil); err != nil {
		return nil, nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	set, err := p.set(all, tasks, dir, tmp)
	return all, set, err
}

// tasks are the facts of all shards, with their manifests if those have to be read. Temporary files are in tmp.
func (p *Plan) tasks(ctx context.Context, s Store, all *allFacts, manifests bool, tmp string) (tasks []facts.Task,
	err error,
) {
	folders := make(map[string]bool)
	for i := range all.Shards {
		c := Commit{Task: p.shard(s, i).name, Attempt: all.Shards[i].Attempt}
		folders[path.Base(c.prefix())] = true
		tasks = append(tasks, facts.Task{Dir: path.Base(c.prefix()), Manifest: all.Shards[i].Manifest})
	}
	dir, err := s.Fetch(ctx, shardsPrefix, filepath.Join(tmp, shardsPrefix), func(name string) bool {
		return folders[path.Dir(name)] && (manifests || path.Base(name) != facts.ManifestFile)
	})
	for i := range tasks {
		tasks[i].Dir = filepath.Join(dir, tasks[i].Dir)
	}
	return tasks, err
}

// set puts the facts of all shards together. The file of their inputs is in dir, temporary files are in tmp.
func (p *Plan) set(all *allFacts, tasks []facts.Task, dir, tmp string) (*facts.Set, error) {
	set, err := facts.NewSet(tmp, tasks, dir, &facts.Plan{
		Fingerprint: p.Settings.FactsFingerprint, Digested: p.DigestInputs, Failures: all.Failures, Copies: all.Copies,
	})
	if err == nil {
		set.Reread = records.Body
	}
	return set, err
}

// checkInputs checks that a shard has what the plan gives it.
func checkInputs(ctx context.Context, shard int, planned []facts.Input, t *facts.Task, c *Commit) error {
	read := facts.FailedPaths(c.Failures)
	for in, err := range t.Results(ctx) {
		if err != nil {
			return err
		}
		i := facts.IndexOf(planned, in.Path)
		if i < 0 || planned[i].Object() != in.Object() {
			return fmt.Errorf("shard %d holds %s, which is not what the plan gives it", shard, in.Path)
		}
		read[in.Path] = true
	}
	for i := range planned {
		if !read[planned[i].Path] {
			return fmt.Errorf("shard %d lacks %s", shard, planned[i].Path)
		}
	}
	return nil
}

// isMissing reports whether a file is not there.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// absolute is the URI of a store by which any process finds it: the full path of a folder, or a URL.
func absolute(uri string) string {
	if object.IsRemote(uri) {
		return uri
	}
	if abs, err := filepath.Abs(uri); err == nil {
		return abs
	}
	return uri
}
