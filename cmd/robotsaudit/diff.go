package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/report/diff"
)

func newDiffCommand() *cobra.Command {
	var format, failOn string
	var full bool
	var part outfolder.PartFlags
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two audits: which violations are new, gone or changed",
		Long: `Compare two audits, which OLD and NEW name by their output folders: violations that only
one of them has, fetches whose verdict, certainty or rule changed, fetches that became
unknown or are no longer, and the same by origin. A fetch is counted in one kind.

A fetch is known by its WARC-Record-ID and URL; without an ID, by the name of its archive
and the offset there. So give the same folders to both audits. A violation of NEW alone is
new even where OLD has no such fetch.

` + usage.FailOnExitHelp,
		Example: `  robotsaudit diff out-2024 out-2025
  robotsaudit diff out-2024 out-2025 --format json | jq '.new_violations.list[].url'
  robotsaudit diff before after --fail-on new-violations`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage.Errorf("two output folders are needed, the older one first, as in: %s out-2024 out-2025",
					cmd.CommandPath())
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text",
		"`FORMAT` of the output: text or json, which lists up to 1,000 of a kind")
	cmd.Flags().BoolVar(&full, "full", false, "list up to 1,000 of a kind in text, not 20")
	cmd.Flags().StringVar(&failOn, "fail-on", "", "exit with code 10 if there are `WHAT`: new-violations")
	part.AddTo(cmd.Flags())
	inputs.AddStore(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		changes, err := compareAudits(cmd, args[0], args[1], &part)
		if err != nil {
			return err
		}
		err = console.PrintAs(cmd, format, changes, func(w io.Writer) error { return changes.WriteText(w, full) })
		if err == nil && failOn != "" && changes.NewViolations.Total > 0 {
			err = usage.ExitViolations
		}
		return err
	}
	return cmd
}

// compareAudits compares a part of the audits in two output folders.
func compareAudits(cmd *cobra.Command, old, new string, part *outfolder.PartFlags) (*diff.Changes, error) {
	if err := part.Resolve(); err != nil {
		return nil, err
	}
	before, end, err := outfolder.Read(cmd, old, false)
	if err != nil {
		return nil, err
	}
	defer end()
	after, end, err := outfolder.Read(cmd, new, false)
	if err != nil {
		return nil, err
	}
	defer end()
	if err := part.Limit(cmd, &before, &after); err != nil {
		return nil, err
	}
	return diff.Compare(cmd.Context(), before, after)
}
