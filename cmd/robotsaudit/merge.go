package main

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/report"
)

func newMergeCommand() *cobra.Command {
	var out writeFlags
	var keep keepFlags
	var ev evaluateFlags
	cmd := &cobra.Command{
		Use:   "merge OUT... -o DIR",
		Short: "Make one audit of several output folders, without reading archives again",
		Long: `Join what 'robotsaudit audit' or 'ingest' has read into the folders OUT, on this machine or
others, and decide every fetch anew: a robots.txt of one folder then counts for the fetches of
all. DIR gets what 'robotsaudit audit' of all their archives would write. The folders OUT stay
as they are; DIR may be one of them. They must be of this version of robotsaudit, and all
read with --verify-digests, or without. An archive that several folders hold counts once.

The archives themselves need not be there. They are looked for only where a robots.txt was
redirected to a page that lies far from it, and to compare ARC files that seem to be copies.

` + decideHelp + "\n\n" + failOnExitHelp,
		Example: `  robotsaudit merge machine1/out machine2/out -o all
  robotsaudit merge monday tuesday -o week --agents ai
  robotsaudit merge wednesday -o week --add`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageErrorf("no output folder to merge given, as in: %s machine1/out machine2/out -o all",
					cmd.CommandPath())
			}
			return nil
		},
	}
	out.add(cmd.Flags(), makesOutput, true)
	keep.addTo(cmd.Flags(), "archives that are in no OUT and")
	ev.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		evaluation, err := ev.resolve()
		if err != nil {
			return err
		}
		if err := keep.check(); err != nil {
			return err
		}
		log, err := begin(cmd, out.output)
		if err != nil {
			return err
		}
		evaluation.warn(log)
		return out.accounted(cmd, log,
			func(a *account) error { return runMerge(cmd, log, a, args, out, keep, evaluation) })
	}
	return cmd
}

func runMerge(cmd *cobra.Command, log *slog.Logger, a *account, dirs []string, out writeFlags, keep keepFlags,
	e evaluation,
) error {
	for _, dir := range dirs {
		if err := mayHoldFacts(dir); err != nil {
			return err
		}
	}
	return out.hold(cmd, log, true, dirs, func() error {
		err := ingest.Merge(cmd.Context(), dirs, ingest.Options{
			Dir: out.output, Workers: 1, Progress: a.progress, Add: keep.add, Warn: func(msg string) { log.Warn(msg) },
			Dropping: keep.dropping(log, fmt.Sprintf("%s --add OUT... -o %s", cmd.CommandPath(), out.output)),
		})
		if err != nil {
			return err
		}
		log.Info(fmt.Sprintf("took over what was read of %s", report.Count(a.progress.InputsKept.Load(), "archive")))
		if a.facts, err = ingest.OpenFacts(out.output); err != nil {
			return err
		}
		reportUnread(log, a.facts, nil)
		return dropDamaged(cmd, a.facts, runEvaluate(cmd, log, out.output, a, e))
	})
}

// sameFolder reports whether two names are of one folder.
func sameFolder(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
