package stages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
)

// ranges states into how many ranges an output is divided, and the facts that it is made of.
type ranges struct {
	Plan     string `json:"plan"`
	Of       int    `json:"of"`
	Resolved string `json:"resolved"` // attempt
	Facts    string `json:"facts"`    // store
}

const (
	partsPrefix = facts.PrivateFolder + "/parts-" // of an output; the plan's ID follows
	rangesFile  = "ranges.json"
)

func (p *Plan) parts() string { return partsPrefix + p.ID + "/" }

func (p *Plan) part(out Store, g *ranges, n int) *task {
	return &task{
		out, p, fmt.Sprintf("%s%05d", p.parts(), n),
		fmt.Sprintf("robotsaudit decide --buckets %d/%d --facts %s -o %s", n, g.Of, g.Facts, out),
	}
}

// Decide decides the n-th of so many ranges, counted from 0, unless that is done. The
// fetches are counted in decided while it runs.
func Decide(ctx context.Context, s, out Store, p *Plan, n, of int, decided *atomic.Int64) (*Commit, error) {
	if of < 1 || of > MaxRanges || n < 0 || n >= of {
		return nil, fmt.Errorf("there is no range %d of %d: there are 1 to %d, and the first has the number 0", n, of,
			MaxRanges)
	}
	tmp, remove, err := workspace()
	if err != nil {
		return nil, err
	}
	defer remove()
	r, err := p.open(ctx, s, tmp, decided)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	g, err := p.begin(ctx, out, &ranges{p.ID, of, r.commit.Attempt, absolute(s.String())})
	if err != nil {
		return nil, err
	}
	return p.part(out, g, n).run(ctx, func(dir string, c *Commit) error {
		c.Resolved = r.commit.Attempt
		from, to := r.Cut(n, of), r.Cut(n+1, of)
		w := report.NewPart(dir, r.set, r.opt, from.IsInside())
		defer w.Abandon()
		w.Only(p.Tables)
		totals, err := r.Decide(ctx, from, to, w)
		if err != nil {
			return err
		}
		if c.Rows, err = w.Close(); err != nil {
			return err
		}
		c.Fetches = totals.Fetches
		return totals.Save(ctx, dir)
	})
}

// begin notes how an output is divided, which all ranges must agree on.
func (p *Plan) begin(ctx context.Context, out Store, mine *ranges) (*ranges, error) {
	if _, err := createJSON(ctx, out, p.parts()+rangesFile, mine); err != nil {
		return nil, err
	}
	there, err := readRanges(ctx, out, p.parts())
	if err != nil {
		return nil, err
	}
	clear := fmt.Sprintf("give all the same, or remove %s/%s and decide all ranges again", out,
		strings.TrimSuffix(p.parts(), "/"))
	switch {
	case there.Plan != p.ID:
		return nil, fmt.Errorf("%s in %s is of another plan; %s", rangesFile, out, clear)
	case there.Of != mine.Of:
		return nil, fmt.Errorf("%s is decided in %d ranges, and this is one of %d; %s", out, there.Of, mine.Of, clear)
	case there.Resolved != mine.Resolved:
		return nil, fmt.Errorf("%s is of facts that were resolved again since; %s", out, clear)
	}
	return there, nil
}

func readRanges(ctx context.Context, out Store, parts string) (*ranges, error) {
	b, err := out.Read(ctx, parts+rangesFile)
	if err != nil {
		return nil, err
	}
	g := new(ranges)
	if err := json.Unmarshal(b, g); err != nil || g.Of < 1 || g.Of > MaxRanges {
		return nil, fmt.Errorf("%s%s in %s is damaged; remove %s and decide all ranges again", parts, rangesFile, out,
			parts)
	}
	return g, nil
}

// FactsOf finds the store of the facts that an output is decided of. Where there are several, it is
// to be named.
func FactsOf(ctx context.Context, out Store) (string, error) {
	names, err := out.List(ctx, facts.PrivateFolder+"/")
	if err != nil {
		return "", err
	}
	var found []string
	for name := range names {
		if parts, ok := strings.CutSuffix(name, rangesFile); ok && strings.HasPrefix(name, "parts-") {
			g, err := readRanges(ctx, out, facts.PrivateFolder+"/"+parts)
			if err != nil {
				return "", err
			}
			found = append(found, g.Facts)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%s holds no decided ranges; run: robotsaudit decide --buckets J/M --facts URI -o %s",
			out, out)
	case 1:
		return found[0], nil
	}
	return "", errors.New("the output folder holds ranges of several plans; add --facts URI")
}
