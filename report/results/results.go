// Package results reads the results of an audit: audit.json, and the tables next to it, row by
// row in bounded memory.
//
// Tables are read as they were written: a file that is damaged, has fewer rows than audit.json
// says or belongs to another table is an error. Text is as the tables have it, which is valid
// UTF-8 with whatever the archives put into it.
//
// A table may be one file or a folder of parts. Files of an earlier program may lack nullable
// columns; any other difference is damage, and an error.
package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
)

// Results are the results of one audit.
type Results struct {
	dir   string
	name  string // that messages call it
	audit report.Audit

	part  Part
	whole *Results // the audit that these are a part of; nil: they are no part
}

// Open opens the results in an output folder. It reads audit.json, which commits the tables:
// without it they are not whole, or not there.
func Open(dir string) (*Results, error) { return OpenCopy(dir, dir) }

// OpenCopy opens a folder that stands for an output elsewhere, whose name messages bear.
func OpenCopy(dir, name string) (*Results, error) {
	r := &Results{dir: dir, name: name}
	audit, err := r.read(func(*report.AuditInput) bool { return true })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missingError(name)
	}
	if err != nil {
		return nil, err
	}
	r.audit = *audit
	if r.audit.Tool != "robotsaudit" {
		return nil, fmt.Errorf("%s in %s is not that of an audit; %s", report.AuditFile, name, makeAnew(name))
	}
	if v := r.audit.SchemaVersion; v != report.SchemaVersion {
		return nil, fmt.Errorf("the results in %s have schema version %q, and this robotsaudit reads version %s; %s",
			name, v, report.SchemaVersion, makeAnew(name))
	}
	return r, nil
}

func missingError(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("there is no folder %s; name the output folder of an audit, or %s", dir, makeAnew("OUT"))
	case !info.IsDir():
		return fmt.Errorf("%s is no folder; name the output folder of an audit", dir)
	}
	return fmt.Errorf("%s has no %s, so it holds no results of an audit; name the folder that has them, or %s",
		dir, report.AuditFile, makeAnew("OUT"))
}

// makeAnew describes how to get results that can be read.
func makeAnew(dir string) string {
	return fmt.Sprintf("make the results with: robotsaudit audit INPUT... -o %s", dir)
}

// Dir is the output folder, or what stands for it.
func (r *Results) Dir() string { return r.dir }

// Name is what messages call the output.
func (r *Results) Name() string { return r.name }

// Audit is the content of audit.json. Nobody may change it.
func (r *Results) Audit() *report.Audit { return &r.audit }

// read reads audit.json: see report.ReadAudit.
func (r *Results) read(each func(*report.AuditInput) bool) (*report.Audit, error) {
	f, err := os.Open(filepath.Join(r.dir, report.AuditFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := report.ReadAudit(f, each)
	if err != nil {
		return nil, fmt.Errorf("%s in %s is damaged (%w); %s", report.AuditFile, r.name, err, makeAnew(r.name))
	}
	return a, nil
}

// Inputs yields the inputs of the audit, in the order of audit.json. One may be kept.
func (r *Results) Inputs() iter.Seq2[*report.AuditInput, error] {
	return func(yield func(*report.AuditInput, error) bool) {
		if _, err := r.read(func(in *report.AuditInput) bool { return yield(in, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

// CheckFacts returns an error unless the tables were made of a set of facts.
func (r *Results) CheckFacts(set *facts.Set) error {
	next, stop := iter.Pull2(r.Inputs())
	defer stop()
	same := r.audit.Inputs.Count() == int64(set.Totals.Count)
	for in, err := range set.Results(context.Background()) {
		if err != nil {
			return err
		}
		if !same {
			break
		}
		audited, err, more := next()
		if err != nil {
			return err
		}
		same = more && in.Size == audited.Size && in.Fingerprint == audited.Fingerprint
	}
	if !same {
		return fmt.Errorf("the tables in %s are not of the archives read last; run 'robotsaudit evaluate %s' first, "+
			"with the options of the audit", r.name, r.name)
	}
	return nil
}

// Rows yields the rows of a table, in their order, with the columns of some names, or with all where none are given;
// others are zero. A table of the what-if that the audit was not asked for has no rows; any other that it left out is
// an error. After an error, which may be that of ctx, there is no more. A row is valid until the next step; a copy of
// it may be kept.
func Rows[R any](ctx context.Context, r *Results, table report.TableOf[R], names ...string) iter.Seq2[*R, error] {
	if rows, isCounted := counted(ctx, r, table.Name).(iter.Seq2[*R, error]); isCounted {
		return rows
	}
	spec := tableSpec{table.Name, report.FieldsOf(reflect.TypeFor[R]())}
	if n := len(spec.named(names)); names != nil && n != len(names) {
		panic(fmt.Sprintf("results: the table %s has %d of the columns %v", table.Name, n, names))
	}
	return func(yield func(*R, error) bool) {
		part, err := partOf(r, table)
		files, missing := filesOf(r, table)
		if err = cmp.Or(err, missing); err != nil {
			yield(nil, err)
			return
		}
		columns := spec.columns
		switch {
		case names != nil && part.IsZero():
			columns = spec.named(names)
		case names != nil:
			columns = spec.named(slices.Concat(names, keyColumns))
		}
		b := newBatch[R](columns, part)
		rows := int64(0)
		for _, path := range files {
			n, more := b.eachOf(ctx, path, spec, yield)
			if rows += n; !more {
				return
			}
		}
		if want := r.Whole().audit.Tables[table.Name]; rows != want {
			yield(nil, fmt.Errorf("the table %s in %s has %d rows, and %s says %d; %s",
				table.Name, r.name, rows, report.AuditFile, want, makeAnew(r.name)))
		}
	}
}

// Check returns an error where Rows would not find the files of a table.
func Check[R any](r *Results, table report.TableOf[R]) error {
	_, err := filesOf(r, table)
	return err
}

// filesOf are the files that hold a table; none where the audit was not asked for its what-if.
func filesOf[R any](r *Results, table report.TableOf[R]) ([]string, error) {
	if _, written := r.audit.Tables[table.Name]; written {
		return r.Files(table.Name)
	}
	if table.Optional {
		return nil, nil
	}
	return nil, fmt.Errorf("the audit in %s left out the table %s (--tables); write it with 'robotsaudit evaluate "+
		"%s' and the other options of the audit", r.dir, table.Name, r.dir)
}

// Files are the paths of those that hold a table: one, or the parts in a folder, in the order of
// their names.
func (r *Results) Files(table string) ([]string, error) {
	file := filepath.Join(r.dir, table+".parquet")
	if _, err := os.Stat(file); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return []string{file}, err
	}
	entries, err := os.ReadDir(filepath.Join(r.dir, table)) // sorted
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the table %s is missing in %s; %s", table, r.name, makeAnew(r.name))
	}
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".parquet" {
			parts = append(parts, filepath.Join(r.dir, table, e.Name()))
		}
	}
	return parts, nil
}
