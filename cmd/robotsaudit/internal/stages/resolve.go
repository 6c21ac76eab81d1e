package stages

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

const resolvedName = "resolved"

func (p *Plan) resolved(s Store) *task {
	return &task{s, p, resolvedName, fmt.Sprintf("robotsaudit resolve --facts %s", s)}
}

// Resolve finds out what the robots.txt of all shards came to, unless that is known.
func Resolve(ctx context.Context, s Store, p *Plan, workers int) (*Commit, error) {
	return p.resolved(s).run(ctx, func(dir string, c *Commit) error {
		shards, err := p.shards(ctx, s, true)
		if err != nil {
			return err
		}
		tmp, remove, err := workspace()
		if err != nil {
			return err
		}
		defer remove()
		set, err := p.facts(ctx, s, shards, nil, tmp)
		if err != nil {
			return err
		}
		c.Copies = facts.FindCopies(ctx, set.Inputs, nil)
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, shard := range shards {
			c.Shards = append(c.Shards, shard.Attempt)
		}
		if set, err = p.facts(ctx, s, shards, c.Copies, tmp); err != nil {
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
	shards []*Commit
	set    *facts.Set
	opt    evaluate.Options
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
	r := &resolution{commit: c}
	if r.shards, err = p.shards(ctx, s, false); err != nil {
		return nil, err
	}
	if !slices.EqualFunc(r.shards, c.Shards,
		func(shard *Commit, attempt string) bool { return shard.Attempt == attempt }) {
		return nil, fmt.Errorf("a shard was read again after %s was resolved; %s", s, t.again())
	}
	if r.opt, err = p.options(); err != nil {
		return nil, err
	}
	r.opt.Decided = decided
	if r.set, err = p.facts(ctx, s, r.shards, c.Copies, tmp); err != nil {
		return nil, err
	}
	dir, err := s.Fetch(ctx, c.prefix(), filepath.Join(tmp, resolvedName), all)
	if err != nil {
		return nil, err
	}
	r.Resolved, err = evaluate.OpenResolved(r.set, r.opt, dir)
	return r, err
}
