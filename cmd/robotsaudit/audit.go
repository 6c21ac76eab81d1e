package main

import (
	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/evaluation"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
)

func newAuditCommand() *cobra.Command {
	var in ingestFlags
	var e evaluation.Flags
	cmd := &cobra.Command{
		Use:   "audit INPUT... -o DIR",
		Short: "Audit archives: read them, decide every fetch, write tables and a report",
		Long: `Read archives and decide for each fetch whether robots.txt permitted it at that moment, and what
the page and its site said of its use. DIR gets a report for people (report.html), a Parquet file
for each table ('robotsaudit schema' describes them) and audit.json; standard output the summary.

` + inputs.Help + "\n\n" + evaluation.Help + "\n\n" + resumeHelp + "\n\n" + usage.FailOnExitHelp,
		Example: `  robotsaudit audit crawl.warc.gz -o out
  robotsaudit audit archives/ more/*.warc.gz -o out
  robotsaudit audit archives/ -o out --agents GPTBot --agents @tokens.txt
  robotsaudit audit archives/ -o out --agents ai --purpose train
  robotsaudit audit archives/ -o out --fail-on violations`,
		Args: inputs.Args,
	}
	in.add(cmd.Flags(), outfolder.Makes, inputs.RelativeLines+", and "+inputs.VerifiedArchives+",")
	e.AddTo(cmd.Flags())
	e.AddVerify(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		e.Options.Workers = in.Options.Workers
		return runEvaluation(cmd, &e, &in.WriteFlags, func(j *outfolder.Job) error {
			return read(j, args, &in, true, func() error { return decide(j, &e) })
		})
	}
	return cmd
}
