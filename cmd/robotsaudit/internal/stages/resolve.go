package stages

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sync/atomic"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

const resolvedName = "resolved"

func (p *Plan) resolved(s Store) *task {
	return &task{s, p, resolvedName, fmt.Sprintf("robotsaudit resolve --facts %s", s)}
}

// Resolve finds out what the robots.txt of all shards came to, unless that is known.
func Resolve(ctx context.Context, s Store, p *Plan, workers int) (*Commit, error) {
	return p.resolved(s).run(ctx, func(dir string, c *Commit) error {
		shards, err := p.shards(ctx, s)
		if err != nil {
			return err
		}
		tmp, remove, err := workspace()
		if err != nil {
			return err
		}
		defer remove()
		all, set, err := p.join(ctx, s, shards, dir, tmp)
		if err != nil {
			return err
		}
		if err := durable.WriteJSON(filepath.Join(dir, allFactsFile), all); err != nil {
			return err
		}
		if err := facts.JoinIssues(ctx, set, dir, tmp); err != nil {
			return err
		}
		opt, err := p.options()
		if err != nil {
			return err
		}
		opt.Workers = workers
		r, err := evaluate.Resolve(ctx, set, opt)
		if err != nil {
			return err
		}
		defer r.Close()
		return r.Save(ctx, dir)
	})
}

// resolution is what all ranges are decided by.
type resolution struct {
	*evaluate.Resolved
	commit *Commit
	all    *allFacts
	set    *facts.Set
	opt    evaluate.DecideOptions
}

// open opens what was resolved. Fetches will be counted in decided, which may be nil.
func (p *Plan) open(ctx context.Context, s Store, tmp string, decided *atomic.Int64) (*resolution, error) {
	t := p.resolved(s)
	c, err := t.committed(ctx)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, fmt.Errorf("nothing is resolved in %s; run: %s", s, t.command)
	}
	files, err := s.List(ctx, c.prefix())
	if err != nil {
		return nil, err
	}
	below := make(map[string]int64)
	for name, size := range files {
		below[path.Base(c.prefix())+"/"+name] = size
	}
	if err := t.check(c, below, none); err != nil {
		return nil, err
	}
	r := &resolution{commit: c, all: new(allFacts)}
	dir, err := s.Fetch(ctx, c.prefix(), filepath.Join(tmp, resolvedName), all)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(filepath.Join(dir, allFactsFile))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, r.all); err != nil || len(r.all.Shards) != p.Shards {
		return nil, fmt.Errorf("%s is damaged; %s", locate(s, c.prefix()+allFactsFile), t.again())
	}
	if err := p.checkShards(ctx, s, r.all); err != nil {
		return nil, err
	}
	if r.opt, err = p.options(); err != nil {
		return nil, err
	}
	r.opt.Decided = decided
	tasks, err := p.tasks(ctx, s, r.all, false, tmp)
	if err != nil {
		return nil, err
	}
	for i := range tasks { // all of them are in dir
		tasks[i].Issues = nil
	}
	if r.set, err = p.set(r.all, tasks, dir, tmp); err != nil {
		return nil, err
	}
	if err := r.set.TakeIssues(dir); err != nil {
		return nil, err
	}
	r.Resolved, err = evaluate.OpenResolved(r.set, r.opt, dir)
	return r, err
}

// checkShards checks that the shards are still those that were resolved.
func (p *Plan) checkShards(ctx context.Context, s Store, all *allFacts) error {
	names, err := s.List(ctx, shardsPrefix)
	if err != nil {
		return err
	}
	folders := make(map[string]bool)
	for name := range names {
		folders[path.Dir(name)] = true
	}
	var lacking []int
	for i, shard := range all.Shards {
		t := p.shard(s, i)
		c := &Commit{Task: t.name, Attempt: shard.Attempt, Files: shard.Files}
		if _, read := names[path.Base(t.file())]; !read {
			lacking = append(lacking, i)
		} else if !folders[path.Base(c.prefix())] {
			return fmt.Errorf("a shard was read again after %s was resolved; %s", s, p.resolved(s).again())
		} else if err := t.check(c, names, none); err != nil {
			return err
		}
	}
	if len(lacking) > 0 {
		return p.notRead(s, someOf(lacking))
	}
	return nil
}
