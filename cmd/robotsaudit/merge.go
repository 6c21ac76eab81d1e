package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/evaluation"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/report"
)

func newMergeCommand() *cobra.Command {
	var out outfolder.WriteFlags
	var e evaluation.Flags
	cmd := &cobra.Command{
		Use:   "merge OUT... -o DIR",
		Short: "Make one audit of several output folders, without reading archives again",
		Long: `Join what 'robotsaudit audit' or 'ingest' has read into the folders OUT, on this machine or
others, and decide every fetch anew: a robots.txt of one folder then counts for the fetches of
all. DIR gets what 'robotsaudit audit' of all their archives would write. The folders OUT stay
as they are; DIR may be one of them. They must be of this version of robotsaudit, and all
read with --verify-digests, or without; likewise --sizes. An archive that several folders hold
counts once.

The archives themselves need not be there. They are looked for only where a robots.txt was
redirected to a page that lies far from it, and to compare ARC files that seem to be copies.

` + evaluation.Help + "\n\n" + usage.FailOnExitHelp,
		Example: `  robotsaudit merge machine1/out machine2/out -o all
  robotsaudit merge monday tuesday -o week --agents ai
  robotsaudit merge wednesday -o week --add`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage.Errorf("no output folder to merge given, as in: %s machine1/out machine2/out -o all",
					cmd.CommandPath())
			}
			return nil
		},
	}
	out.AddTo(cmd.Flags(), outfolder.Makes)
	out.AddKeep(cmd.Flags(), "archives that are in no OUT and")
	e.AddTo(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return runEvaluation(cmd, &e, &out, func(j *outfolder.Job) error {
			for _, dir := range args {
				if err := outfolder.MayHoldFacts(dir); err != nil {
					return err
				}
			}
			return j.Hold(true, args, func() error {
				err := ingest.Merge(j.Cmd.Context(), args, ingest.ReadOptions{
					Dir: j.Output, Workers: 1, Progress: j.Progress, Add: j.Add, Dropping: j.Dropping("OUT..."),
					Warn: func(msg string) { j.Log.Warn(msg) },
				})
				if err != nil {
					return err
				}
				j.Log.Info(fmt.Sprintf("took over what was read of %s", report.Count(j.Progress.InputsKept.Load(), "archive")))
				return j.WithFacts(nil, func() error { return decide(j, &e) })
			})
		})
	}
	return cmd
}
