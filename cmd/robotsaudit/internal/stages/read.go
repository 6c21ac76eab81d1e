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
	"github.com/robotsaudit/robotsaudit/internal/reading"
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
func Read(ctx context.Context, s Store, p *Plan, shard int, opt ingest.Options) (*Commit, error) {
	if shard < 0 || shard >= p.Shards {
		return nil, fmt.Errorf("there is no shard %d: the plan has %d, from 0 to %d", shard, p.Shards, p.Shards-1)
	}
	return p.shard(s, shard).run(ctx, func(dir string, c *Commit) error {
		inputs := p.inputsOf(shard)
		files := slices.DeleteFunc(slices.Clone(inputs), func(in facts.Input) bool { return object.IsRemote(in.Path) })
		if err := unchanged(ctx, s, files); err != nil {
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
		set, err := ingest.OpenFacts(tmp)
		if err != nil {
			return err
		}
		c.Failures = set.Failures
		if err := facts.Join(ctx, dir, set.Fingerprint, set.Tasks); err != nil {
			return err
		}
		m, err := facts.ReadManifest(dir)
		if err != nil {
			return err
		}
		lossy := len(c.Failures) > 0
		for _, in := range m.Inputs {
			c.Fetches += in.Fetches
			lossy = lossy || in.Lossy > 0
		}
		if lossy {
			c.ExitCode = exitUnread
		}
		return unchanged(ctx, s, append(files, failed(inputs, c.Failures)...))
	})
}

// failed are the objects that could not be read. All others were read in the version that was planned,
// as every answer was compared with it.
func failed(inputs []facts.Input, failures []facts.Failure) (objects []facts.Input) {
	for _, in := range inputs {
		if object.IsRemote(in.Path) &&
			slices.ContainsFunc(failures, func(f facts.Failure) bool { return f.Path == in.Path }) {
			objects = append(objects, in)
		}
	}
	return objects
}

// unchanged checks that inputs are still those that were planned.
func unchanged(ctx context.Context, s Store, inputs []facts.Input) error {
	for _, in := range inputs {
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

// shards returns the commits of all shards, and removes what is left of attempts that do not
// count, if that is asked for.
func (p *Plan) shards(ctx context.Context, s Store, clean bool) ([]*Commit, error) {
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
		return nil, fmt.Errorf("of %d shards, these are not read: %s; run for each: robotsaudit ingest --shard I/%d "+
			"--facts %s", p.Shards, missing, p.Shards, s)
	}
	if clean {
		err = removeOthers(ctx, s, shardsPrefix, names, commits)
	}
	return commits, err
}

// facts puts the facts of all shards together. Temporary files are in tmp.
func (p *Plan) facts(ctx context.Context, s Store, shards []*Commit, copies map[string]string, tmp string) (*facts.Set,
	error,
) {
	plan := facts.Plan{Fingerprint: p.Settings.FactsFingerprint, Digested: p.DigestInputs, Copies: copies}
	for _, in := range p.Inputs {
		plan.Inputs = append(plan.Inputs, in.Input)
	}
	var tasks []facts.Task
	for i, c := range shards {
		dir, err := s.Fetch(ctx, c.prefix(), filepath.Join(tmp, path.Base(c.prefix())), all)
		if err != nil {
			return nil, err
		}
		m, err := facts.ReadManifest(dir)
		if err != nil {
			return nil, fmt.Errorf("%s is damaged (%w); %s", locate(s, c.prefix()+facts.ManifestFile), err,
				p.shard(s, i).again())
		}
		if err := p.checkInputs(i, m, c); err != nil {
			return nil, fmt.Errorf("%w; %s", err, p.shard(s, i).again())
		}
		tasks = append(tasks, facts.Task{Dir: dir, Manifest: *m})
		plan.Failures = append(plan.Failures, c.Failures...)
	}
	plan.Failures = append(plan.Failures, p.Failures...)
	slices.SortStableFunc(plan.Failures, func(a, b facts.Failure) int { return strings.Compare(a.Name, b.Name) })
	set := facts.NewSet(tmp, tasks, &plan)
	set.Reread = reading.Reread
	return set, nil
}

// checkInputs checks that a shard has what the plan gives it.
func (p *Plan) checkInputs(shard int, m *facts.Manifest, c *Commit) error {
	planned := make(map[string]facts.Input)
	for _, in := range p.inputsOf(shard) {
		planned[in.Path] = in
	}
	for _, in := range m.Inputs {
		if want, ok := planned[in.Path]; !ok || want.Object() != in.Object() {
			return fmt.Errorf("shard %d holds %s, which is not what the plan gives it", shard, in.Path)
		}
		delete(planned, in.Path)
	}
	for _, f := range c.Failures {
		delete(planned, f.Path)
	}
	for name := range planned {
		return fmt.Errorf("shard %d lacks %s", shard, name)
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
