package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
)

const inputHelp = `INPUT is an archive (.warc, .arc, .wacz; .gz, .zst, .bz2), a folder (searched with its
subfolders), a glob, - for standard input, or a list of inputs, one a line: @FILE, @- or
FILE.paths.gz. ` + placesHelp

// placesHelp is what is to be said of inputs of a plan, too, which standard input is not.
const placesHelp = `A Heritrix crawl.log beside its archives shows what was not fetched. An index
(CDX, CDXJ, Common Crawl's columnar index) or a WAT reports fetches without their records: add
the archives with robots.txt. docs/SEMANTICS.md, "Indexes and lists", says what is lost.
Inputs and lists can lie elsewhere: s3://BUCKET/KEY, https://…, or all archives below
s3://BUCKET/PREFIX/. Credentials are those that programs of AWS find (AWS_PROFILE, ~/.aws, …).`

const resumeHelp = `Archives that were read before are not read again: add one to a folder and run the
same command. What was read of archives that are not named any more is removed after a
warning; --add keeps it. An interrupted run goes on where it stopped. Standard input is read
anew every time. An archive is known by its path, size and time of change, one of a server by its
ETag: one whose content changed without these needs --reread.`

// ingestFlags are the options of reading.
type ingestFlags struct {
	writeFlags
	inputFlags
}

func (f *ingestFlags) add(flags *pflag.FlagSet, output, based string, tables bool) {
	f.writeFlags.addTo(flags, output, tables)
	f.addKeep(flags, "archives")
	f.inputFlags.addTo(flags, based)
	usage.AddWorkers(flags, &f.options.Workers, "archives read at a time")
	flags.BoolVar(&f.options.Reread, "reread", false, "read all archives again, also those that were read before")
}

// inputFlags are the options of what is read, and how.
type inputFlags struct {
	urls    []string
	options ingest.Options
}

func (f *inputFlags) addTo(flags *pflag.FlagSet, based string) {
	flags.StringArrayVar(&f.urls, "urls", nil,
		"`FILE` with a list of URLs: Parquet, CSV or JSON lines, with columns url, time and perhaps agent and id (repeatable)")
	flags.String("id-column", "",
		"column `NAME` of the lists in --urls, with your own id of each row, which comes back in "+
			"'robotsaudit export'; without it, id if there is one")
	flags.StringArray("robots", nil,
		"`FILE` with captures of robots.txt as rows: Parquet, CSV or JSON lines, with columns url or host, time, status and "+
			"body; or a git repository whose history holds them, a file each (repeatable); see docs/FORMATS.md")
	flags.String("robots-bodies", "",
		"folder `DIR` with the bodies that the tables in --robots name by their digests: a file each, of that name")
	addAccessLog(flags)
	addBase(flags, based)
	addRemote(flags)
	flags.BoolVar(&f.options.DigestInputs, "digest-inputs", false,
		"write the SHA-256 of each archive to audit.json, for which it is read once more")
	flags.BoolVar(&f.options.VerifyDigests, "verify-digests", false,
		"compare the digests of all records, not of robots.txt alone, with what they hold")
	flags.BoolVar(&f.options.Sizes, "sizes", false,
		"decode all payloads, for fetches.payload_bytes_decoded; without it, those alone that are decoded anyway")
}

func newIngestCommand() *cobra.Command {
	var in ingestFlags
	var check, verbose bool
	var format string
	var shard shardFlags
	cmd := &cobra.Command{
		Use:   "ingest INPUT... {-o DIR | --check}",
		Short: "Only read archives, to be evaluated later, or to check them",
		Long: `Read archives into DIR. 'robotsaudit evaluate -o DIR' then decides, as often as there
are questions, without reading the archives again.

With --check nothing is written: standard output gets a line for each archive, and a last one
that names those that are not intact. With --verbose every problem is a line, too,
FILE:OFFSET: KIND: DETAIL (ACTION), and the line of an archive has what
github.com/slyrz/warc, another reader, makes of it. The exit code is 1 if no archive was
found, 3 if there is any other problem, else 0. docs/SCHEMA.md explains the kinds.

` + inputHelp + "\n\n" + resumeHelp + "\n\n" + usage.ExitHelp,
		Example: `  robotsaudit ingest archives/ -o out
  robotsaudit evaluate -o out --agent GPTBot
  robotsaudit ingest --check archives/            are these archives intact?
  robotsaudit ingest --check --verbose archives/  what is wrong with them?
  robotsaudit ingest --check --verify-digests --format json crawl.warc.gz
  zstdcat crawl.warc.zst | robotsaudit ingest --check -`,
		Args: func(cmd *cobra.Command, args []string) error {
			if shard.given(cmd) {
				return shard.args(cmd, args)
			}
			return inputArgs(cmd, args)
		},
	}
	in.add(cmd.Flags(), ingestsInto, relativeLines, false)
	shard.add(cmd.Flags())
	cmd.Flags().BoolVar(&check, "check", false, "print what is wrong with the archives, and write nothing")
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of --check: text or json")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "have --check print each problem")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case shard.given(cmd):
			return shard.run(cmd, in.options)
		case check && usage.Given(cmd, "output"):
			return usage.Errorf("--check writes nothing: leave out -o")
		case check && usage.Given(cmd, "digest-inputs"):
			return usage.Errorf("--check writes no audit.json: leave out --digest-inputs")
		case check:
			return runCheck(cmd, args, &in.inputFlags, format, verbose)
		case usage.Given(cmd, "format"), usage.Given(cmd, "verbose"):
			return usage.Errorf("--format and --verbose go with --check: add --check")
		}
		return in.run(cmd, nil, func(j *job) error { return j.read(args, &in, false, j.printIngested) })
	}
	return cmd
}

// findInputs finds the archives that args name, and returns the arguments that name none. Some do.
func findInputs(cmd *cobra.Command, log *slog.Logger, args, urls []string) ([]ingest.Input, []*ingest.InputError,
	error,
) {
	inputs, failures, err := expand(cmd, args, urls)
	if err := cmp.Or(err, cmd.Context().Err()); err != nil {
		return nil, nil, err
	}
	for _, f := range failures {
		console.Tell(log, slog.LevelError, "input_failed", f.Error(), slog.String("input", f.Arg),
			slog.String("reason", f.Reason))
	}
	if len(inputs) == 0 {
		return nil, nil, usage.ExitFailed
	}
	return inputs, failures, nil
}

// read reads the archives that args name. Nothing is made in the output
// folder where they name none.
func (j *job) read(args []string, f *ingestFlags, tables bool, then func() error) error {
	inputs, failures, err := findInputs(j.cmd, j.log, args, f.urls)
	if err != nil {
		return err
	}
	opt := f.options
	opt.Dir, opt.Stdin, opt.Failed = j.output, j.cmd.InOrStdin(), failures
	opt.Add, opt.Dropping = j.add, j.dropping("INPUT...")
	fromStdin := slices.ContainsFunc(inputs, func(in facts.Input) bool { return in.Path == facts.Stdin })
	read := func() error {
		start := time.Now()
		j.progress = new(ingest.Progress)
		err := watchReading(j.cmd, j.log, j.progress, &opt, "", func() error {
			return ingest.Ingest(j.cmd.Context(), inputs, opt)
		})
		if err != nil {
			return err
		}
		inputs = nil         // the plan has them
		debug.FreeOSMemory() // what reading took is not what deciding takes
		j.log.Info(readText(j.progress, time.Since(start)))
		return j.withFacts(failures, then)
	}
	return j.hold(tables, nil, func() error {
		err := read()
		if !errors.Is(err, errDamagedFacts) || fromStdin {
			return err
		}
		j.log.Warn(err.Error())
		opt.Reread, opt.Add = false, true // the inputs of the plan
		return read()
	})
}

// watchReading shows how far do is, which reads inputs with options, and logs what it comes to: inputs that
// cannot be read as format has it, "" for nothing to be said.
func watchReading(cmd *cobra.Command, log *slog.Logger, progress *ingest.Progress, opt *ingest.Options, format string,
	do func() error,
) error {
	opt.Progress, opt.Warn = progress, func(msg string) { log.Warn(msg) }
	opt.Read = func(in *ingest.InputResult) {
		var records int64
		for _, n := range in.Records {
			records += n
		}
		fields := []slog.Attr{
			slog.String("input", in.Name), slog.String("path", in.Path), slog.String("container", in.Container),
			slog.Int64("bytes", in.Size), slog.Int64("records", records), slog.Int64("fetches", in.Fetches),
			slog.Int64("robots", in.Robots), slog.Int64("issues", in.Issues), slog.Int64("lossy_issues", in.Lossy),
		}
		if in.Refusal != "" {
			fields = append(fields, slog.String("refusal", in.Refusal))
		}
		console.Tell(log, slog.LevelInfo, "input_done", "", fields...)
	}
	opt.NotRead = func(f *ingest.Failure) {
		message := ""
		if format != "" {
			message = fmt.Sprintf(format, f.Name, f.Reason)
		}
		console.Tell(log, slog.LevelError, "input_failed", message, slog.String("input", f.Name), slog.String("path", f.Path),
			slog.String("reason", f.Reason))
	}
	stop := console.Watch(cmd, log, console.Gauge{
		What: "reading", Done: progress.BytesRead.Load, Total: progress.BytesTotal.Load,
		Unit: report.Bytes, UnitName: "bytes",
	})
	defer stop()
	return do()
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
func (j *job) printIngested() (err error) {
	lossy := int64(len(j.facts.Failures)) + j.facts.Totals.Lossy
	if console.WantsSummary(j.cmd) {
		_, err = fmt.Fprintf(j.cmd.OutOrStdout(), "%s, %s. Decide them with: robotsaudit evaluate -o %s\n",
			report.Count(int64(j.facts.Totals.Count), "input"), report.Count(j.facts.Totals.Fetches, "fetch"), j.output)
	}
	if err == nil && lossy > 0 {
		err = usage.ExitUnread
	}
	return err
}
