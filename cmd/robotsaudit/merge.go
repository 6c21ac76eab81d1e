package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/report"
)

func newMergeCommand() *cobra.Command {
	var out writeFlags
	var e evaluation
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

` + decideHelp + "\n\n" + usage.FailOnExitHelp,
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
	out.addTo(cmd.Flags(), makesOutput, true)
	out.addKeep(cmd.Flags(), "archives that are in no OUT and")
	e.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return out.run(cmd, &e, func(j *job) error {
			for _, dir := range args {
				if err := mayHoldFacts(dir); err != nil {
					return err
				}
			}
			return j.hold(true, args, func() error {
				err := ingest.Merge(j.cmd.Context(), args, ingest.Options{
					Dir: j.output, Workers: 1, Progress: j.progress, Add: j.add, Dropping: j.dropping("OUT..."),
					Warn: func(msg string) { j.log.Warn(msg) },
				})
				if err != nil {
					return err
				}
				j.log.Info(fmt.Sprintf("took over what was read of %s", report.Count(j.progress.InputsKept.Load(), "archive")))
				return j.withFacts(nil, func() error { return j.decide(&e) })
			})
		})
	}
	return cmd
}
