package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
)

const resumeHelp = `Archives that were read before are not read again, and an interrupted run goes on where it stopped.
What was read of archives that are not named any more is removed after a warning. An archive is
known by its path, size and time of change, or its ETag; changed without these, it needs --reread.`

// ingestFlags are the options of reading.
type ingestFlags struct {
	outfolder.WriteFlags
	inputs.Flags
}

func (f *ingestFlags) add(flags *pflag.FlagSet, output, based string) {
	f.WriteFlags.AddTo(flags, output)
	f.AddKeep(flags, "archives")
	f.Flags.AddTo(flags, based)
	usage.AddWorkers(flags, &f.Options.Workers, "archives read at a time")
	flags.BoolVar(&f.Options.Reread, "reread", false, "read all archives again")
}

func newIngestCommand() *cobra.Command {
	var in ingestFlags
	var shard shardFlags
	cmd := &cobra.Command{
		Use:    "ingest INPUT... -o DIR",
		Hidden: true,
		Short:  "Only read archives, to be evaluated later",
		Long: `Read archives into DIR. 'robotsaudit evaluate DIR' then decides, as often as there
are questions, without reading the archives again.

` + inputs.Help + "\n\n" + resumeHelp + "\n\n" + usage.ExitHelp,
		Example: `  robotsaudit ingest archives/ -o out
  robotsaudit evaluate out --agents GPTBot`,
		Args: func(cmd *cobra.Command, args []string) error {
			if shard.given(cmd) {
				return shard.args(cmd, args)
			}
			return inputs.Args(cmd, args)
		},
	}
	in.add(cmd.Flags(), outfolder.Makes, inputs.RelativeLines)
	shard.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if shard.given(cmd) {
			return shard.run(cmd, in.Options)
		}
		return in.Run(cmd, nil, func(j *outfolder.Job) error {
			return read(j, args, &in, false, func() error { return printIngested(j) })
		})
	}
	return cmd
}

// read reads the archives that args name. Nothing is made in the output
// folder where they name none.
func read(j *outfolder.Job, args []string, f *ingestFlags, tables bool, then func() error) error {
	found, failures, err := inputs.Find(j.Cmd, j.Log, args, f.URLs)
	if err != nil {
		return err
	}
	if err := j.RefuseInputs(slices.Values(found)); err != nil { // before hours of work
		return err
	}
	opt := f.Options
	opt.Dir, opt.Stdin, opt.Failed = j.Output, j.Cmd.InOrStdin(), failures
	opt.Add, opt.Dropping = j.Add, j.Dropping("INPUT...")
	fromStdin := slices.ContainsFunc(found, func(in facts.Input) bool { return in.Path == facts.Stdin })
	try := func() error {
		start := time.Now()
		j.Progress = new(ingest.Progress)
		err := inputs.Watch(j.Cmd, j.Log, j.Progress, &opt, "", func() error {
			return ingest.Ingest(j.Cmd.Context(), found, opt)
		})
		if err != nil {
			return err
		}
		found = nil          // the plan has them
		debug.FreeOSMemory() // what reading took is not what deciding takes
		j.Log.Info(readText(j.Progress, time.Since(start)))
		return j.WithFacts(failures, then)
	}
	return j.Hold(tables, nil, func() error {
		err := try()
		if !errors.Is(err, outfolder.ErrDamagedFacts) || fromStdin {
			return err
		}
		j.Log.Warn(err.Error())
		opt.Reread, opt.Add = false, true // the inputs of the plan
		return try()
	})
}

// readText reports what was read, and what was known already.
func readText(p *ingest.Progress, elapsed time.Duration) string {
	read, kept := p.InputsRead.Load(), p.InputsKept.Load()
	if read == 0 && kept > 0 {
		return fmt.Sprintf("read nothing, kept what was read before of %s", report.Count(kept, "input"))
	}
	size := p.BytesRead.Load()
	text := fmt.Sprintf("read %s, %s in %s (%s/s)", report.Count(read, "input"), report.Bytes(size),
		elapsed.Round(time.Millisecond), report.Bytes(int64(float64(size)/max(elapsed.Seconds(), 1e-3))))
	if kept > 0 {
		text += fmt.Sprintf("; kept what was read before of %s", report.Count(kept, "input"))
	}
	return text
}

// printIngested reports what was read.
func printIngested(j *outfolder.Job) (err error) {
	lossy := int64(len(j.Facts.Failures)) + j.Facts.Totals.Lossy
	if console.WantsSummary(j.Cmd) {
		_, err = fmt.Fprintf(j.Cmd.OutOrStdout(), "%s, %s. Decide them with: robotsaudit evaluate %s\n",
			report.Count(int64(j.Facts.Totals.Count), "input"), report.Count(j.Facts.Totals.Fetches, "fetch"), j.Output)
	}
	if err == nil && lossy > 0 {
		err = usage.ExitUnread
	}
	return err
}
