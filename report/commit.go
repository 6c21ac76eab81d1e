package report

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/durable"
)

// Names of files next to the tables.
const (
	AuditFile = "audit.json"  // commits the results
	HTMLFile  = "report.html" // shows them, where nothing else was said

	SignatureFile = HTMLFile + ".sig" // of the report, where one was asked for
)

// Commit ends the tables of an evaluation that came to totals. It closes them, moves them into the output
// folder and writes audit.json last: an audit.json states that the tables next to it belong to it. Until
// the new tables are whole, the tables of the audit before stay as they are.
func (w *Writer) Commit(totals *evaluate.Totals) (*Audit, error) {
	a, err := w.describe(totals)
	if err != nil {
		return nil, err
	}
	return a, w.commit(a)
}

// describe makes the content of audit.json, without the rows of tables.
func (w *Writer) describe(totals *evaluate.Totals) (*Audit, error) {
	err := w.failures()
	for _, agent := range w.ungoverned { // of parts
		err = cmp.Or(err, RobotsAgentsTable.add(w, RobotsAgentRow{Agent: text(agent)}))
	}
	if err != nil {
		return nil, err
	}
	a := newAudit(w.facts, NewSettings(&w.opt, w.facts.Fingerprint), totals)
	a.Totals.Issues, a.Totals.InputsNotWhollyRead = w.issues, w.unread
	return a, nil
}

func (w *Writer) commit(a *Audit) (err error) {
	if a.Tables, err = w.closeTables(func(string) bool { return true }); err != nil {
		return err
	}
	if err := durable.SyncFiles(w.tmp); err != nil {
		return err
	}
	if err := a.write(filepath.Join(w.tmp, AuditFile), w.facts); err != nil {
		return err
	}
	// The old audit.json goes first, and its report. The folder is synced before the tables are replaced and after, so
	// that no loss of power leaves an audit.json next to another audit's tables.
	for _, name := range []string{AuditFile, HTMLFile, SignatureFile} {
		if err := remove(filepath.Join(w.dir, name)); err != nil {
			return err
		}
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
		if err := cmp.Or(removeParts(w.dir, name), move()); err != nil {
			return err
		}
	}
	if err := durable.SyncFolder(w.dir); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(w.tmp, AuditFile), filepath.Join(w.dir, AuditFile)); err != nil {
		return err
	}
	return errors.Join(os.Remove(w.tmp), durable.SyncFolder(w.dir))
}

// closeTables completes what w has of the tables, and returns how many rows that is. A whole table has a file
// without rows, too.
func (w *Writer) closeTables(isWhole func(name string) bool) (map[string]int64, error) {
	rows := make(map[string]int64)
	var errs []error
	for name, t := range w.tables {
		errs = append(errs, t.finish(isWhole(name)))
		rows[name] = t.length()
	}
	clear(w.tables)
	return rows, errors.Join(errs...)
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
