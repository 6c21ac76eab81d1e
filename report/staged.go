package report

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"os"
	"path/filepath"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// countsFile has the counts of a Part.
const countsFile = "counts"

// A Part is an evaluate.Sink that writes what one range comes to into a folder of its own, for a Rest:
// the tables that have rows, and what it counted.
type Part struct {
	*Writer
	begun  bool             // the origin in hand has begun in another part
	agents []RobotsAgentRow // of that one
	mapped map[int64]bool   // captures of the origin in hand whose token groups have come
	shares []*originShare
}

// NewPart starts a part in a folder that is there. begun: it goes on with an origin that another part
// begins.
func NewPart(dir string, facts *evaluate.Facts, opt evaluate.DecideOptions, begun bool) *Part {
	w := newWriter(dir, facts, opt, false)
	w.isPart = true
	return &Part{Writer: w, begun: begun, mapped: make(map[int64]bool)}
}

// Abandon closes a part that is not closed. Its folder stays.
func (p *Part) Abandon() { p.drop() }

// counted is kept of a part in addition to its tables.
type counted struct {
	Ungoverned []string
	Shares     []*originShare
}

// Close completes the tables, and returns how many rows each has.
func (p *Part) Close() (rows map[string]int64, err error) {
	if rows, err = p.closeTables(func(string) bool { return false }); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(counted{p.ungoverned, p.shares}); err != nil {
		return nil, err
	}
	return rows, durable.WriteFile(filepath.Join(p.tmp, countsFile), b.Bytes())
}

// A Rest is an evaluate.Sink for results that need all parts together. Its folder gets those
// tables, those that have no row in any part, and audit.json.
type Rest struct {
	*Writer
	rows   map[string]int64 // of parts
	taken  int              // parts
	shared *originShare     // the origin that goes on in the next part, as far as it was taken
}

// NewRest starts what belongs to parts in a folder that is there.
func NewRest(dir string, facts *evaluate.Facts, opt evaluate.DecideOptions) *Rest {
	return &Rest{Writer: newWriter(dir, facts, opt, false), rows: make(map[string]int64)}
}

// Abandon closes what is not closed. The folder stays.
func (r *Rest) Abandon() { r.drop() }

// Take adds the counts of a Part in a folder, for which Close returned rows. Parts are taken in their
// order.
func (r *Rest) Take(dir string, rows map[string]int64) error {
	path := filepath.Join(dir, countsFile)
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var c counted
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&c); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	if r.ungoverned == nil {
		r.ungoverned = c.Ungoverned
	}
	facts.AddCounts(r.rows, rows)
	for _, s := range c.Shares {
		if err := r.takeShare(s); err != nil {
			return err
		}
	}
	r.taken++
	return nil
}

// Close completes the tables and writes audit.json, of an evaluation that came to totals.
func (r *Rest) Close(totals *evaluate.Totals) (*Audit, error) {
	a, err := r.describe(totals)
	if err != nil {
		return nil, err
	}
	if a.Tables, err = r.closeTables(func(name string) bool { return r.rows[name] == 0 }); err != nil {
		return nil, err
	}
	for name := range a.Tables {
		a.Tables[name] += r.rows[name]
	}
	if err := a.write(filepath.Join(r.tmp, AuditFile), r.facts); err != nil {
		return nil, err
	}
	return a, nil
}

// PartFile is the file of the n-th part of a table, in an output folder whose tables are folders.
func (t Table) PartFile(n int) string {
	return filepath.Join(t.Name, fmt.Sprintf("part-%05d.parquet", n))
}

// Tables describes the result tables.
func Tables() (list []Table) {
	for _, t := range tables {
		list = append(list, *t.about())
	}
	return list
}

// partsOf lists the files of a table that is a folder.
func partsOf(dir, table string) (paths []string) {
	entries, err := os.ReadDir(filepath.Join(dir, table))
	if err != nil {
		return nil // there is none, or no folder
	}
	for _, e := range entries {
		if part, _ := filepath.Match("part-*.parquet", e.Name()); part {
			paths = append(paths, filepath.Join(dir, table, e.Name()))
		}
	}
	return paths
}

// removeParts removes the parts of a table that is a folder.
func removeParts(dir, table string) error {
	for _, path := range partsOf(dir, table) {
		if err := remove(path); err != nil {
			return err
		}
	}
	os.Remove(filepath.Join(dir, table)) // unless it holds something else
	return nil
}
