package stages

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
)

// finishedFile marks that all files of parts have their place in the output.
const finishedFile = "finished.json"

// Finished is what an audit in stages came to.
type Finished struct {
	Audit  *report.Audit
	Totals *evaluate.Totals
	Facts  *facts.Set
}

// Finish adds up what all ranges came to, and gives their tables their places in the output.
// audit.json comes last. Finish may be called again.
func Finish(ctx context.Context, s, out Store, p *Plan) (*Finished, error) {
	tmp, remove, err := workspace()
	if err != nil {
		return nil, err
	}
	defer remove()
	f := &finishing{Plan: p, out: out, tmp: tmp, rest: filepath.Join(tmp, "rest")}
	if f.r, err = p.open(ctx, s, tmp, nil); err != nil {
		return nil, err
	}
	defer f.r.Close()
	if err := f.collect(ctx); err != nil {
		return nil, err
	}
	done, err := f.sum(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.publish(ctx); err != nil {
		return nil, err
	}
	return done, errors.Join(f.clean(ctx), s.RemoveAttempts(ctx, resolvedName, f.r.commit.Attempt))
}

// finishing is a call of Finish.
type finishing struct {
	*Plan
	r        *resolution
	out      Store
	tmp      string
	rest     string // folder of what no part has
	ranges   *ranges
	names    map[string]int64 // of the files of parts
	parts    []*Commit
	finished bool // they have their places
}

// collect finds the commits of all ranges.
func (f *finishing) collect(ctx context.Context) (err error) {
	prefix := f.Plan.parts()
	if f.ranges, err = readRanges(ctx, f.out, prefix); isMissing(err) {
		return fmt.Errorf("%s holds no ranges of the plan %s; run: robotsaudit decide --buckets J/M --facts URI -o %s",
			f.out, f.ID, f.out)
	}
	if err != nil {
		return err
	}
	if f.ranges.Resolved != f.r.commit.Attempt {
		return fmt.Errorf("the facts were resolved again since %s was decided; remove %s and decide all ranges again",
			f.out, locate(f.out, prefix))
	}
	if f.names, err = f.out.List(ctx, prefix); err != nil {
		return err
	}
	// This is read after the list: another process that finishes makes this file before it removes
	// others.
	_, err = f.out.Read(ctx, prefix+finishedFile)
	if f.finished = err == nil; err != nil && !isMissing(err) {
		return err
	}
	var missing string
	f.parts, missing, err = allCommitted(ctx, f.ranges.Of, func(n int) *task { return f.part(f.out, f.ranges, n) },
		func(t *task, c *Commit) error {
			if c.Resolved != f.ranges.Resolved {
				return fmt.Errorf("%s is of facts that were resolved otherwise; %s", t.file(), t.again())
			}
			return t.check(c, f.names, func(name string) bool { return f.finished && f.isTable(name) })
		})
	if err == nil && missing != "" {
		err = fmt.Errorf("of %d ranges, these are not decided: %s; run for each: robotsaudit decide --buckets J/%d "+
			"--facts %s -o %s", f.ranges.Of, missing, f.ranges.Of, f.ranges.Facts, f.out)
	}
	return err
}

func (f *finishing) isTable(name string) bool {
	return slices.ContainsFunc(report.Tables(), func(t report.Table) bool { return t.File() == name })
}

// sum adds up what the parts counted, and writes what is known only of all.
func (f *finishing) sum(ctx context.Context) (*Finished, error) {
	if err := os.Mkdir(f.rest, 0o777); err != nil {
		return nil, err
	}
	w := report.NewRest(f.rest, f.r.set, f.r.opt)
	defer w.Abandon()
	w.Only(f.Tables)
	var totals []*evaluate.Totals
	for _, c := range f.parts {
		dir, err := f.out.Fetch(ctx, c.prefix(), filepath.Join(f.tmp, path.Base(c.prefix())), all)
		if err != nil {
			return nil, err
		}
		t, err := evaluate.LoadTotals(dir)
		if err != nil {
			return nil, err
		}
		totals = append(totals, t)
		if err := w.Take(dir, c.Rows); err != nil {
			return nil, err
		}
	}
	sum, err := f.r.Finish(ctx, w, totals...)
	if err != nil {
		return nil, err
	}
	audit, err := w.Close(sum)
	if err != nil {
		return nil, err
	}
	return &Finished{audit, sum, f.r.set}, nil
}

// publish gives the tables their places. The tables of the audit before go, its audit.json first.
func (f *finishing) publish(ctx context.Context) error {
	audit := filepath.Join(f.rest, report.AuditFile)
	before, err := f.out.Open(ctx, report.AuditFile)
	if err != nil && !isMissing(err) {
		return err
	}
	same := err != nil // as if there was the same
	if err == nil {
		same, err = hasContent(before, audit)
		if err := errors.Join(err, before.Close()); err != nil {
			return err
		}
	}
	if !same {
		if err := errors.Join(f.out.Remove(ctx, report.AuditFile),
			f.out.Remove(ctx, report.HTMLFile, report.SignatureFile)); err != nil {
			return err
		}
	}
	for _, t := range report.Tables() {
		if err := f.publishTable(ctx, t); err != nil {
			return err
		}
	}
	// The output states where the facts are, for commands that need them.
	plan := facts.Plan{
		Fingerprint: f.r.set.Fingerprint, Failures: f.r.set.Failures, Digested: f.DigestInputs, Copies: f.r.all.Copies,
		Inputs: strings.TrimSuffix(f.r.commit.prefix(), "/"), Folder: f.ranges.Facts,
	}
	for i, shard := range f.r.all.Shards {
		plan.Tasks = append(plan.Tasks, f.shard(f.out, i).name+"-"+shard.Attempt)
	}
	path := filepath.Join(f.tmp, facts.PlanFile)
	if err := durable.WriteJSON(path, &plan); err != nil {
		return err
	}
	if err := f.out.Put(ctx, path, facts.PrivateFolder+"/"+facts.PlanFile); err != nil {
		return err
	}
	return f.out.Put(ctx, audit, report.AuditFile)
}

// hasContent reports whether r has the content of a file.
func hasContent(r io.Reader, path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	a, b := sha256.New(), sha256.New()
	_, err = io.Copy(a, r)
	_, other := io.Copy(b, file)
	return bytes.Equal(a.Sum(nil), b.Sum(nil)), errors.Join(err, other)
}

// publishTable gives the parts of a table their places.
func (f *finishing) publishTable(ctx context.Context, t report.Table) error {
	there, err := f.out.List(ctx, t.Name+"/")
	if err != nil {
		return err
	}
	stale := []string{t.File()}
	put := func(folder, name string) error {
		from := filepath.Join(f.rest, folder, t.File())
		if !exists(from) {
			return nil
		}
		name = filepath.ToSlash(name)
		delete(there, path.Base(name))
		return f.out.Put(ctx, from, name)
	}
	for n, c := range f.parts {
		if err := put(report.SharedFolder(n), t.SharedFile(n)); err != nil {
			return err
		}
		if _, has := c.Files[t.File()]; !has {
			continue
		}
		name := filepath.ToSlash(t.PartFile(n))
		delete(there, path.Base(name))
		err := f.out.Copy(ctx, c.prefix()+t.File(), name)
		if isMissing(err) {
			err = f.placed(ctx, t, path.Base(name), c.Files[t.File()], err)
		}
		if err != nil {
			return err
		}
	}
	if err := put("", t.PartFile(len(f.parts))); err != nil {
		return err
	}
	for name := range there {
		if isPart, _ := path.Match("part-*.parquet", name); isPart || strings.Contains(name, temporaryInfix) {
			stale = append(stale, t.Name+"/"+name)
		}
	}
	return f.out.Remove(ctx, stale...)
}

// placed returns nil if a part of a table is in its place already, because another process has
// finished meanwhile. Else it returns missing.
func (f *finishing) placed(ctx context.Context, t report.Table, name string, size int64, missing error) error {
	there, err := f.out.List(ctx, t.Name+"/")
	if err != nil {
		return err
	}
	if got, is := there[name]; !is || got != size {
		return missing
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// clean removes the tables of parts, which have their places now, and what earlier plans left.
func (f *finishing) clean(ctx context.Context) error {
	prefix := f.Plan.parts()
	if _, err := f.out.Create(ctx, prefix+finishedFile, []byte("{}\n")); err != nil {
		return err
	}
	var gone []string
	for _, c := range f.parts {
		for name := range c.Files {
			if f.isTable(name) {
				gone = append(gone, c.prefix()+name)
			}
		}
	}
	if err := errors.Join(f.out.Remove(ctx, gone...), removeOthers(ctx, f.out, prefix, f.names, f.parts)); err != nil {
		return err
	}
	names, err := f.out.List(ctx, facts.PrivateFolder+"/")
	if err != nil {
		return err
	}
	for name := range names { // plans that are finished
		first, is := strings.CutSuffix(name, "/"+finishedFile)
		if before := facts.PrivateFolder + "/" + first + "/"; is && !strings.Contains(first, "/") && before != prefix {
			err = errors.Join(err, f.out.RemoveAll(ctx, before))
		}
	}
	return err
}
