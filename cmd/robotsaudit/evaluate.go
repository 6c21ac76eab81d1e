package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/evaluation"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/verify"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/figures"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

func newEvaluateCommand() *cobra.Command {
	var out outfolder.WriteFlags
	var e evaluation.Flags
	cmd := &cobra.Command{
		Use:   "evaluate DIR",
		Short: "Decide again what was ingested into DIR",
		Long: `Decide every fetch of the archives that 'robotsaudit ingest' or 'audit' has read into
DIR, and write tables, report and summary anew. The archives themselves are needed only where
a robots.txt was redirected to a page that lies far from it, and for --verify.

` + evaluation.Help + "\n\n" + usage.FailOnExitHelp,
		Example: `  robotsaudit evaluate out --agents GPTBot --agents CCBot
  robotsaudit evaluate out --crawler @crawlers.txt
  robotsaudit evaluate out --agents ai --purpose train --as-of 2025-03-01
  robotsaudit evaluate out --profile google`,
	}
	out.AddTo(cmd.Flags(), "")
	usage.AddWorkers(cmd.Flags(), &e.Options.Workers, "parts of the hosts decided at a time")
	e.AddTo(cmd.Flags())
	e.AddVerify(cmd.Flags())
	inputs.AddBase(cmd.Flags(), inputs.VerifiedArchives)
	inputs.AddStore(cmd.Flags())
	outfolder.RunOn(cmd, &out.Output, "", func(cmd *cobra.Command, _ []string) error {
		return runEvaluation(cmd, &e, &out, func(j *outfolder.Job) error {
			if err := outfolder.MayHoldFacts(j.Output); err != nil {
				return err
			}
			return j.Hold(true, nil, func() error { return j.WithFacts(nil, func() error { return decide(j, &e) }) })
		})
	})
	return cmd
}

// runEvaluation checks the options, runs do in the output folder that flags name, and reports the result.
func runEvaluation(cmd *cobra.Command, e *evaluation.Flags, out *outfolder.WriteFlags,
	do func(*outfolder.Job) error,
) error {
	if err := e.Resolve(); err != nil {
		return err
	}
	return out.Run(cmd, e.Warn, do)
}

// decide decides, writes the tables and the report, and prints the summary.
func decide(j *outfolder.Job, e *evaluation.Flags) error {
	e.Prepare(j.Log, j.Output, j.Facts)
	if e.Verify {
		if err := verifySuspected(j, e); err != nil {
			return err
		}
	}
	stop := watchDeciding(j, e)
	audit, err := e.WriteTables(j.Cmd.Context(), j.Log, j.Output, j.Facts)
	stop()
	if err != nil {
		return err
	}
	j.Totals, j.Fresh = &audit.Totals, e.Fresh
	return tellResults(j.Cmd, e, j.Output, audit)
}

// watchDeciding shows how many fetches are decided, until stop is called.
func watchDeciding(j *outfolder.Job, e *evaluation.Flags) (stop func()) {
	return console.Watch(j.Cmd, j.Log, console.Gauge{
		What: "deciding", Done: e.Options.Decided.Load, Total: func() int64 { return j.Facts.Totals.Fetches },
		Unit: func(n int64) string { return report.Count(n, "fetch") }, UnitName: "fetches",
	})
}

// tellResults writes the report of the tables in dir, and prints the summary and where the results are.
func tellResults(cmd *cobra.Command, e *evaluation.Flags, dir string, audit *report.Audit) error {
	written := fmt.Sprintf("Written to %s: report.html, audit.json and %s.", dir,
		report.Count(int64(len(audit.Tables)), "table"))
	if e.OfIndex {
		written += " As indexes report the fetches, these are the tables of --tables verdicts; --tables all writes all."
	}
	r := reportFlags{output: dir, figures: e.Figures}
	if !e.HasReport() {
		written = fmt.Sprintf("Written to %s: audit.json and %s. There is no report.html: it needs --tables verdicts.", dir,
			report.Count(int64(len(audit.Tables)), "table"))
	} else if err := r.run(cmd); err != nil {
		return err
	}
	if console.WantsSummary(cmd) {
		counted, options := cmp.Or(r.figures, figures.New(nil)), textOptions(cmd, e.Full)
		if r.written != nil {
			options.Dir = prose.ShellWord(dir)
		}
		if err := counted.WriteText(cmd.OutOrStdout(), audit, options); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "\n%s\n", written)
	}
	return e.Outcome(&audit.Totals)
}

// textOptions are how a summary is written to standard output.
func textOptions(cmd *cobra.Command, full bool) figures.TextOptions {
	opt := figures.TextOptions{Full: full, Colours: console.IsTerminal(cmd.OutOrStdout()) && os.Getenv("NO_COLOR") == ""}
	if console.IsTerminal(cmd.OutOrStdout()) {
		opt.Width = console.Width(cmd.OutOrStdout())
	}
	return opt
}

// verifySuspected reads the records of suspected violations that indexes list. The facts then have them.
func verifySuspected(j *outfolder.Job, e *evaluation.Flags) (err error) {
	if j.Facts.Totals.Indexed == 0 {
		j.Log.Warn("--verify changes nothing: it reads what indexes report, and no input is an index")
		return nil
	}
	if j.Facts.Elsewhere {
		return usage.Errorf("--verify adds to what was read for %s, and that lies in a folder that other audits "+
			"share; use 'robotsaudit audit --verify' with another folder", j.Output)
	}
	base, _ := j.Cmd.Flags().GetString("base")
	progress := new(verify.Progress)
	v, err := verify.New(j.Facts,
		verify.Options{Base: base, Workers: e.Options.Workers, Progress: progress})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	stop := watchDeciding(j, e)
	err = evaluate.Suspected(j.Cmd.Context(), j.Facts, e.Options, func(f *evaluate.Fetch) error {
		if !verify.Can(f) {
			return nil
		}
		return v.Add(f)
	})
	stop()
	e.Options.Decided.Store(0)
	if err != nil {
		return err
	}
	if progress.Total.Load() == 0 {
		j.Log.Info("nothing to verify: of the fetches that indexes alone report, none is suspected and gives its place")
		return nil
	}
	stop = console.Watch(j.Cmd, j.Log, console.Gauge{
		What: "verifying", Done: progress.Done.Load, Total: progress.Total.Load,
		Unit: func(n int64) string { return report.Count(n, "record") }, UnitName: "records",
	})
	result, err := v.Run(j.Cmd.Context())
	stop()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("verified %s; not there: %d, could not be read: %d", report.Count(result.Verified, "record"),
		result.Refuted, result.Unread)
	if result.Requests > 0 {
		text += fmt.Sprintf("; %s, %s", report.Count(result.Requests, "request"), report.Bytes(result.Bytes))
	}
	console.Tell(j.Log, slog.LevelInfo, "verified", text, slog.Int64("verified", result.Verified),
		slog.Int64("refuted", result.Refuted), slog.Int64("unread", result.Unread), slog.Int64("requests",
			result.Requests), slog.Int64("bytes", result.Bytes))
	j.Facts, err = ingest.OpenFacts(j.Output)
	return err
}
