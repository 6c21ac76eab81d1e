package report

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/durable"
)

// Names of files beside the tables.
const (
	AuditFile = "audit.json"  // commits the results
	HTMLFile  = "report.html" // shows them, where nothing else was said
)

// Commit ends the tables of an evaluation that came to totals: it closes them, moves them into the output folder and writes audit.json,
// last: tables beside an audit.json belong to it. Until the new tables are whole, those of
// the audit before stay as they are.
func (w *Writer) Commit(totals *evaluate.Totals) (*Summary, error) {
	if err := w.failures(); err != nil {
		return nil, err
	}
	a := newAudit(w.facts, settingsOf(&w.opt, w.facts, w.ranks), totals, w.tally)
	if err := w.commit(a); err != nil {
		return nil, err
	}
	return w.tally.summary(a), nil
}

func (w *Writer) commit(a *Audit) error {
	if err := w.finishTables(a); err != nil {
		return err
	}
	if err := durable.WriteJSON(filepath.Join(w.tmp, AuditFile), a); err != nil {
		return err
	}
	if err := w.moveTables(a); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(w.tmp, AuditFile), filepath.Join(w.dir, AuditFile)); err != nil {
		return err
	}
	return errors.Join(os.Remove(w.tmp), durable.SyncFolder(w.dir))
}

// finishTables completes the tables and counts their rows into a.
func (w *Writer) finishTables(a *Audit) error {
	a.Tables = make(map[string]int64)
	var errs []error
	for _, table := range tables {
		if t, ok := w.tables[table.about().Name]; ok {
			errs = append(errs, t.finish())
			name, rows := t.about()
			a.Tables[name] = rows
		}
	}
	clear(w.tables)
	return errors.Join(errs...)
}

// removeUnfinished removes what is left of a report.html whose writing was interrupted.
func (w *Writer) removeUnfinished() error {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if left, _ := filepath.Match("."+HTMLFile+".*.tmp", e.Name()); left {
			if err := remove(filepath.Join(w.dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// moveTables puts the tables of a in the place of those of the audit before, whose
// audit.json goes first, and its report. The folder is synced on either side, so that no loss of
// power leaves an audit.json beside another's tables.
func (w *Writer) moveTables(a *Audit) error {
	for _, name := range []string{AuditFile, HTMLFile} {
		if err := remove(filepath.Join(w.dir, name)); err != nil {
			return err
		}
	}
	if err := w.removeUnfinished(); err != nil {
		return err
	}
	if err := durable.SyncFolder(w.dir); err != nil {
		return err
	}
	for _, name := range slices.Concat(TableNames(), formerTables) {
		target := filepath.Join(w.dir, tableFile(name))
		move := func() error { return os.Rename(filepath.Join(w.tmp, tableFile(name)), target) }
		if _, written := a.Tables[name]; !written {
			move = func() error { return remove(target) } // of an audit with a what-if, or of an earlier version
		}
		if err := move(); err != nil {
			return err
		}
	}
	return durable.SyncFolder(w.dir)
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
