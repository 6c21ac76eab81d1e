package main

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/evaluation"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/verify"
	"github.com/robotsaudit/robotsaudit/report"
)

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
