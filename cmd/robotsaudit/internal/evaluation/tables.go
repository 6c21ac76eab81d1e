package evaluation

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/figures"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Values of --fail-on.
const (
	failOnViolations = "violations"
	failOnNew        = "new-violations"
	failOnUnread     = "unread"
)

// Outcome is the exit code: of what --fail-on names, the first that is there counts; without it, input that was not
// wholly read does.
func (e *Flags) Outcome(totals *report.Totals) error {
	for _, what := range append(slices.Clone(e.failOn), failOnUnread) {
		switch {
		case what == failOnViolations && totals.Violations > 0, what == failOnNew && *e.Fresh > 0:
			return usage.ExitViolations
		case what == failOnUnread && totals.InputsNotWhollyRead > 0:
			return usage.ExitUnread
		}
	}
	return nil
}

// Prepare warns of what a run removes from the tables in dir, and chooses the tables that it writes.
func (e *Flags) Prepare(log *slog.Logger, dir string, set *facts.Set) {
	e.warnOfRemoval(log, dir)
	e.chooseTables(set)
}

// warnOfRemoval names the content of the tables in dir that the tables of this run will lack: what
// other crawlers would have been allowed, and what is said against a use.
func (e *Flags) warnOfRemoval(log *slog.Logger, dir string) {
	before, err := results.Open(dir)
	if err != nil {
		return // there are none, or none that can be read
	}
	settings := &before.Audit().Settings
	if lost := without(settings.Purposes, e.Purposes); len(lost) > 0 {
		log.Warn(fmt.Sprintf("this run does not ask what is said against the use %s, so it removes the "+
			"restrictions that the run before found; give --purpose again to keep them", strings.Join(lost, " and ")))
	}
	if tokens := settings.Agents; len(tokens) > 0 && len(e.Options.Agents) == 0 {
		log.Warn(fmt.Sprintf("this run asks about no other crawler, so it removes what the run before found for %s "+
			"(%s); give --agents again to keep it",
			report.Count(int64(len(tokens)), "token"), report.Shown(strings.Join(tokens, ", "), 60)))
	}
}

// WriteTables decides the fetches of facts, and writes the tables into dir.
func (e *Flags) WriteTables(ctx context.Context, log *slog.Logger, dir string, facts *facts.Set) (*report.Audit,
	error,
) {
	var before *baseline
	if slices.Contains(e.failOn, failOnNew) {
		var err error
		if before, err = e.keepBaseline(log, dir, facts); err != nil {
			return nil, err
		}
	}
	w, err := report.NewWriter(dir, facts, e.Options)
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	w.Only(e.Tables)
	e.Figures = figures.New(w.Inputs())
	w.Count(e.Figures)
	totals, err := evaluate.Run(ctx, facts, e.Options, w)
	if err != nil {
		return nil, err
	}
	e.WarnOfIdle(log, totals)
	audit, err := w.Commit(totals)
	if err == nil && before != nil {
		e.Fresh = new(int64)
		*e.Fresh, err = before.compare(ctx, log)
	}
	return audit, err
}

// WarnOfIdle names tokens and rules that no fetch had to do with.
func (e *Flags) WarnOfIdle(log *slog.Logger, totals *evaluate.Totals) {
	if totals.AgentUnseen {
		log.Warn(fmt.Sprintf("no request's User-Agent holds the token %s (RFC 9309 §2.2.1 requires it); is it the right one?", e.Options.Crawler))
	}
	for _, rule := range totals.IdleRules {
		log.Warn(fmt.Sprintf("--crawler: no fetch has its token by the rule %s; is the pattern that of a whole "+
			"User-Agent?", rule))
	}
}

// writes reports whether all of some tables are to be written.
func (e *Flags) writes(names ...string) bool {
	return e.Tables == nil || !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(e.Tables, n) })
}

// HasReport reports whether the tables that are written have what a report needs.
func (e *Flags) HasReport() bool { return e.writes(report.Set(report.VerdictsSet)...) }

// chooseTables leaves out, where no option chooses tables, what costs most and shows least of fetches that
// indexes report.
func (e *Flags) chooseTables(set *facts.Set) {
	if e.Tables != nil || e.policies != evaluate.PoliciesAsked.String() {
		return
	}
	var rows, read int64 // fetches in indexes, and in archives but for robots.txt
	for in, err := range set.Results(context.Background()) {
		if err != nil {
			return // who needs the file of inputs reports that
		}
		if in.Records[facts.TypeIndexed.String()] > 0 {
			rows += in.Fetches
		} else {
			read += max(in.Fetches-in.Robots, 0) // a table of robots.txt has no fetches
		}
	}
	if e.OfIndex = rows > 9*read; e.OfIndex {
		e.Tables, e.Options.Policies = report.Set(report.VerdictsSet), evaluate.PoliciesNone
	}
}
