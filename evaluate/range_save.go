package evaluate

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
)

// Files of what was resolved, and of what a range came to.
const (
	knownFile  = "resolved" // what ranges have to know
	totalsFile = "totals"
)

// known is what ranges need besides sorted rows.
type known struct {
	FirstIDs []int64  // of the states of each bucket
	Tokens   []string // that each robots.txt is asked for
	Cuts     []Cut    // at which ranges may begin
}

// Save writes what resolving found into a folder that is there and empty: all that deciding needs
// but the facts and the options.
func (r *Resolved) Save(ctx context.Context, dir string) error {
	err := r.res.Save(ctx, dir)
	if err != nil {
		return err
	}
	var k known
	if k.FirstIDs, err = r.number(ctx); err != nil {
		return err
	}
	if r.opt.Policies != PoliciesNone {
		if k.Tokens, err = r.policyTokens(ctx); err != nil {
			return err
		}
	}
	if err := r.findCuts(ctx); err != nil {
		return err
	}
	k.Cuts = r.cuts
	if err := writeGob(filepath.Join(dir, knownFile), &k); err != nil {
		return err
	}
	return r.totals.Save(ctx, dir)
}

// OpenResolved reads what Save has written into a folder: of the same facts, with the same options.
// Close ends the use of the result.
func OpenResolved(set *Facts, opt DecideOptions, dir string) (*Resolved, error) {
	return newResolved(set, opt, func(r *Resolved) error { return r.load(dir) })
}

func (r *Resolved) load(dir string) error {
	var k known
	if err := readGob(filepath.Join(dir, knownFile), &k); err != nil {
		return err
	}
	r.firstIDs, r.cuts = k.FirstIDs, k.Cuts
	r.policies.tokens, r.policies.known = k.Tokens, true
	var err error
	if r.res, err = resolve.OpenSaved(dir); err != nil {
		return err
	}
	if _, err := r.store.AddPack(r.res.Bodies); err != nil {
		return err
	}
	if err := r.readLicences(context.Background(), nil); err != nil {
		return err
	}
	t, err := LoadTotals(dir)
	if err == nil {
		r.totals = *t
	}
	return err
}

// issuesFound are the issues found by resolving or deciding, as Totals keep them.
func issuesFound() run.Spec[facts.Issue] {
	spec := facts.IssueRuns
	spec.Name = "found"
	return spec
}

// Save writes the totals of a range into a folder, for LoadTotals, with the issues that they count
// on.
func (t *Totals) Save(ctx context.Context, dir string) error {
	issues := run.Merge(ctx, t.issues, facts.IssueRuns, run.MergeOptions[facts.Issue]{TmpDir: dir})
	if err := run.Save(dir, issuesFound(), issues); err != nil {
		return err
	}
	return writeGob(filepath.Join(dir, totalsFile),
		&savedTotals{t, t.crawlerSeen, t.used, t.agents.byKey, t.agents.others})
}

// LoadTotals reads what Save has written into a folder, which must stay as long as they are used.
func LoadTotals(dir string) (*Totals, error) {
	s := savedTotals{Totals: new(Totals)}
	if err := readGob(filepath.Join(dir, totalsFile), &s); err != nil {
		return nil, err
	}
	t := s.Totals
	t.crawlerSeen, t.used = s.CrawlerSeen, s.Used
	t.agents.add(&AgentTable{byKey: s.Agents, others: s.Others})
	path := filepath.Join(dir, run.OrderedFile(issuesFound()))
	if _, err := os.Stat(path); err == nil {
		t.issues = []string{path}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return t, nil
}

// savedTotals is what is saved of Totals: all but the issues. Texts may be any bytes.
type savedTotals struct {
	Totals      *Totals
	CrawlerSeen bool
	Used        []bool
	Agents      map[string]*AgentStats
	Others      *AgentStats
}

func writeGob(path string, v any) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		return err
	}
	return durable.WriteFile(path, b.Bytes())
}

func readGob(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(v); err != nil {
		return &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return nil
}
