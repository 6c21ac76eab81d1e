package evaluation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/diff"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// A baseline is what a run compares its violations with: the violations of the last run before it
// that wrote results into the output folder. It is a folder next to the facts. It holds the
// audit.json and the table violations of that last run, and the identity of the run that compares.
// So a run that is repeated, or that failed and is made again, compares with the same violations.
type baseline struct{ output, dir string }

const runFile = "run.sha256" // the identity, written last

// keepBaseline keeps the violations in the output folder, which this run is about to replace.
func (e *Flags) keepBaseline(log *slog.Logger, output string, set *facts.Set) (*baseline, error) {
	identity, err := e.identity(set)
	if err != nil {
		return nil, err
	}
	b := &baseline{output, filepath.Join(output, facts.PrivateFolder, "baseline")}
	if of, err := os.ReadFile(filepath.Join(b.dir, runFile)); err == nil && string(of) == identity {
		return b, nil
	}
	if err := cmp.Or(os.RemoveAll(b.dir), os.Mkdir(b.dir, 0o777)); err != nil {
		return nil, err
	}
	before, err := results.Open(output)
	if err == nil {
		err = results.Check(before, report.ViolationsTable)
	}
	const none = "no violation counts as new in this run: "
	switch _, missing := os.Stat(filepath.Join(output, report.AuditFile)); {
	case missing != nil:
		log.Info(none + "there are no earlier results to compare with")
	case err != nil:
		log.Warn(fmt.Sprintf("%sthe earlier results cannot be read (%v)", none, err))
	default:
		files, err := before.Files(report.ViolationsTable.Name)
		if err != nil {
			return nil, err
		}
		if err := b.keep(append(files, filepath.Join(output, report.AuditFile))); err != nil {
			return nil, err
		}
	}
	return b, durable.WriteFile(filepath.Join(b.dir, runFile), []byte(identity))
}

// identity is the same for runs of the same archives with the same settings.
func (e *Flags) identity(set *facts.Set) (string, error) {
	h := sha256.New()
	enc := json.NewEncoder(h)
	err := enc.Encode(report.NewSettings(&e.Options, set.Fingerprint))
	for in, reading := range set.Results(context.Background()) {
		if err = cmp.Or(err, reading); err != nil {
			return "", err
		}
		err = enc.Encode([]any{in.Name, in.Size, in.Fingerprint})
	}
	return fmt.Sprintf("%x\n", h.Sum(nil)), cmp.Or(err, enc.Encode(set.Failures))
}

// keep puts files of the output folder into the baseline, the last of which makes it whole.
func (b *baseline) keep(files []string) error {
	for _, from := range files {
		name, err := filepath.Rel(b.output, from)
		if err != nil {
			return err
		}
		to := filepath.Join(b.dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil { // of the parts of a table
			return err
		}
		if os.Link(from, to) == nil {
			continue
		}
		f, err := os.Open(from) // a file system without links
		if err != nil {
			return err
		}
		err = durable.WriteWhole(to, func(w io.Writer) error { _, err := io.Copy(w, f); return err })
		if err := cmp.Or(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

const maxNewNamed = 20 // new violations named on standard error

// compare names the new violations in the output folder, and returns their number.
func (b *baseline) compare(ctx context.Context, log *slog.Logger) (int64, error) {
	if _, err := os.Stat(filepath.Join(b.dir, report.AuditFile)); err != nil {
		return 0, nil // without earlier results
	}
	before, err := results.Open(b.dir)
	if err != nil {
		return 0, err
	}
	now, err := results.Open(b.output)
	if err != nil {
		return 0, err
	}
	fresh, err := diff.NewViolations(ctx, before, now)
	if err != nil {
		return 0, err
	}
	for _, v := range fresh.List[:min(len(fresh.List), maxNewNamed)] {
		why := cmp.Or(v.New.Rule, v.New.Reason)
		console.Tell(log, slog.LevelWarn, "new_violation",
			fmt.Sprintf("new violation, %s: %s fetched %s (%s); see: robotsaudit explain %s %s:%d", v.New.Certainty,
				report.Shown(cmp.Or(v.Agent, "a crawler without a name"), 60), report.Shown(v.URL, 200),
				report.Shown(why, 100),
				b.output, report.Shown(v.WARCFilename, 200), v.WARCRecordOffset),
			slog.String("certainty", v.New.Certainty), slog.String("agent", v.Agent), slog.String("url", v.URL),
			slog.String("warc_filename", v.WARCFilename), slog.Int64("warc_record_offset", v.WARCRecordOffset))
	}
	if more := fresh.Total - maxNewNamed; more > 0 {
		log.Warn(fmt.Sprintf("and %d more new violations; the table violations has them", more))
	}
	return fresh.Total, nil
}
