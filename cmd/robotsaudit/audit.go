package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/evaluation"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/report"
)

func newAuditCommand() *cobra.Command {
	var in ingestFlags
	var e evaluation.Flags
	cmd := &cobra.Command{
		Use:   "audit INPUT... -o DIR",
		Short: "Audit archives: read them, decide every fetch, write tables and a report",
		Long: `Read archives and decide for every captured fetch whether robots.txt permitted it at
that moment, and what the page and its site said of its use. DIR gets a report for
people (report.html), one Parquet file per table, and audit.json; standard output gets the
summary. The tables are

` + tableList() + `
'robotsaudit schema' describes them.

` + inputs.Help + "\n\n" + evaluation.Help + "\n\n" + resumeHelp + "\n\n" + usage.FailOnExitHelp,
		Example: `  robotsaudit audit crawl.warc.gz -o out
  robotsaudit audit archives/ more/*.warc.gz -o out --workers 8
  robotsaudit audit archives/ -o out --agents GPTBot --agents @tokens.txt
  robotsaudit audit archives/ -o out --agents ai --purpose train
  zcat crawl.warc.gz | robotsaudit audit - -o out
  robotsaudit audit archives/ -o out --fail-on violations`,
		Args: inputs.Args,
	}
	in.add(cmd.Flags(), outfolder.Makes, inputs.RelativeLines+", and for --verify "+inputs.VerifiedArchives+",", true)
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

// tableList names the tables, some on a line.
func tableList() string {
	var b strings.Builder
	for names := range slices.Chunk(report.TableNames(), 6) {
		b.WriteString("  " + strings.Join(names, ", ") + "\n")
	}
	return b.String()
}
