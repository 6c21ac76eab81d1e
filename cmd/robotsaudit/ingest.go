package main

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
)

const inputHelp = `INPUT is an archive (.warc, .arc, .wacz; .gz, .zst, .bz2), a folder (searched with its
subfolders), a glob, - for standard input, or a list of inputs, one a line: @FILE, @- or
FILE.paths.gz. ` + placesHelp

// placesHelp is what is to be said of inputs of a plan, too, which standard input is not.
const placesHelp = `A Heritrix crawl.log beside its archives tells what was not fetched. An index
(CDX, CDXJ, Common Crawl's columnar index) or a WAT tells of fetches without their records: add
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
	keepFlags
	urls    []string
	workers int
	verify  bool
	reread  bool
	digest  bool
}

func (f *ingestFlags) add(flags *pflag.FlagSet, output, based string, tables bool) {
	f.writeFlags.add(flags, output, tables)
	f.keepFlags.addTo(flags, "archives")
	addWorkers(flags, &f.workers, "archives read at a time")
	flags.StringArrayVar(&f.urls, "urls", nil,
		"`FILE` with a list of URLs: Parquet, CSV or JSON lines, with columns url, time and perhaps agent (repeatable)")
	addBase(flags, based)
	addRemote(flags)
	flags.BoolVar(&f.reread, "reread", false, "read all archives again, also those that were read before")
	flags.BoolVar(&f.digest, "digest-inputs", false,
		"write the SHA-256 of each archive to audit.json, for which it is read once more")
	flags.BoolVar(&f.verify, "verify-digests", false,
		"compare the digests of all records, not of robots.txt alone, with what they hold")
}

// begin checks the options.
func (f *ingestFlags) begin(cmd *cobra.Command) (*slog.Logger, error) {
	if err := checkWorkers(f.workers); err != nil {
		return nil, err
	}
	if err := f.keepFlags.check(); err != nil {
		return nil, err
	}
	return begin(cmd, f.output)
}

func addWorkers(flags *pflag.FlagSet, workers *int, what string) {
	flags.IntVar(workers, "workers", runtime.NumCPU(), "`N` "+what)
}

func checkWorkers(workers int) error {
	if workers < 1 {
		return usageErrorf("--workers %d: at least 1 is needed", workers)
	}
	return nil
}

func newIngestCommand() *cobra.Command {
	var in ingestFlags
	var check bool
	var format string
	var shard shardFlags
	cmd := &cobra.Command{
		Use:   "ingest INPUT... {-o DIR | --check}",
		Short: "Only read archives, to be evaluated later, or to check them",
		Long: `Read archives into DIR. 'robotsaudit evaluate -o DIR' then decides, as often as there
are questions, without reading the archives again.

With --check nothing is written: every problem of the archives is a line on standard
output, FILE:OFFSET: KIND: DETAIL (ACTION), and every archive ends with a line of
counts and what github.com/slyrz/warc, another reader, makes of it. The exit code is 1
if no archive was found, 3 if there is any other problem, else 0. docs/SCHEMA.md
explains the kinds.

` + inputHelp + "\n\n" + resumeHelp + "\n\n" + exitHelp,
		Example: `  robotsaudit ingest archives/ -o out
  robotsaudit evaluate -o out --agent GPTBot
  robotsaudit ingest --check archives/            what is wrong with these archives?
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
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case shard.given(cmd):
			return shard.run(cmd, in.workers)
		case check && given(cmd, "output"):
			return usageErrorf("--check writes nothing: leave out -o")
		case check && given(cmd, "digest-inputs"):
			return usageErrorf("--check writes no audit.json: leave out --digest-inputs")
		case check && in.workers < 1:
			return usageErrorf("--workers %d: at least 1 is needed", in.workers)
		case check:
			return runCheck(cmd, args, in, format)
		case given(cmd, "format"):
			return usageErrorf("--format is that of --check: add --check")
		}
		log, err := in.begin(cmd)
		if err != nil {
			return err
		}
		return runIngest(cmd, log, args, in, false, func(a *account) error {
			return printIngested(cmd, in.output, a.facts)
		})
	}
	return cmd
}

// findInputs finds the archives that args name, and returns the arguments that name none. Some do.
func findInputs(cmd *cobra.Command, log *slog.Logger, args, urls []string) ([]ingest.Input, []*ingest.InputError,
	error,
) {
	inputs, failures := expand(cmd, args, urls)
	if err := cmd.Context().Err(); err != nil {
		return nil, nil, err
	}
	for _, f := range failures {
		tell(log, slog.LevelError, "input_failed", f.Error(), slog.String("input", f.Arg),
			slog.String("reason", f.Reason))
	}
	if len(inputs) == 0 {
		return nil, nil, exitStatus(exitFailed)
	}
	return inputs, failures, nil
}

// runIngest reads the archives that args name. Nothing is made in the output
// folder where they name none.
func runIngest(cmd *cobra.Command, log *slog.Logger, args []string, flags ingestFlags, tables bool,
	then func(*account) error,
) error {
	return flags.accounted(cmd, log, func(a *account) error {
		inputs, failures, err := findInputs(cmd, log, args, flags.urls)
		if err != nil {
			return err
		}
		attempt := func() (err error) {
			a.progress = new(ingest.Progress)
			if a.facts, err = readInputs(cmd, log, a.progress, inputs, failures, flags); err != nil {
				return err
			}
			reportUnread(log, a.facts, failures)
			return dropDamaged(cmd, a.facts, then(a))
		}
		return flags.hold(cmd, log, tables, nil, func() error {
			err := attempt()
			if !errors.Is(err, errDamagedFacts) ||
				slices.ContainsFunc(inputs, func(in facts.Input) bool { return in.Path == facts.Stdin }) {
				return err
			}
			log.Warn(err.Error())
			flags.reread = false
			return attempt()
		})
	})
}

// readInputs makes the facts of the inputs.
func readInputs(cmd *cobra.Command, log *slog.Logger, progress *ingest.Progress, inputs []facts.Input,
	failures []*ingest.InputError, flags ingestFlags,
) (*facts.Set, error) {
	stop := watch(cmd, log, gauge{"reading", progress.BytesRead.Load, progress.BytesTotal.Load, report.Bytes, "bytes"})
	start := time.Now()
	err := ingest.Ingest(cmd.Context(), inputs, ingest.Options{
		Dir: flags.output, Workers: flags.workers, Stdin: cmd.InOrStdin(), Progress: progress, Failed: failures,
		Warn: func(msg string) { log.Warn(msg) }, VerifyDigests: flags.verify, Reread: flags.reread,
		DigestInputs: flags.digest, Add: flags.keepFlags.add,
		Dropping: flags.dropping(log, fmt.Sprintf("%s --add INPUT... -o %s", cmd.CommandPath(), flags.output)),
		Read:     func(in *ingest.InputResult) { tellRead(log, in) },
		NotRead: func(f *ingest.Failure) {
			tell(log, slog.LevelError, "input_failed", "", slog.String("input", f.Name), slog.String("path", f.Path),
				slog.String("reason", f.Reason))
		},
	})
	stop()
	if err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // what reading took is not what deciding takes
	log.Info(readText(progress, time.Since(start)))
	return ingest.OpenFacts(flags.output)
}

// tellRead logs the event of an input whose facts have been made.
func tellRead(log *slog.Logger, in *ingest.InputResult) {
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
	tell(log, slog.LevelInfo, "input_done", "", fields...)
}

// readText reports what was read, and what was known already.
func readText(p *ingest.Progress, elapsed time.Duration) string {
	read, kept := p.InputsRead.Load(), p.InputsKept.Load()
	if read == 0 && kept > 0 {
		return fmt.Sprintf("read nothing, kept what was read before of %s", report.Count(kept, "archive"))
	}
	size := p.BytesRead.Load()
	text := fmt.Sprintf("read %s, %s in %s (%s/s)", report.Count(read, "archive"), report.Bytes(size),
		elapsed.Round(time.Millisecond), report.Bytes(int64(float64(size)/max(elapsed.Seconds(), 1e-3))))
	if kept > 0 {
		text += fmt.Sprintf("; kept what was read before of %s", report.Count(kept, "archive"))
	}
	return text
}

// printIngested reports what was read.
func printIngested(cmd *cobra.Command, dir string, facts *facts.Set) error {
	lossy := int64(len(facts.Failures))
	for _, in := range facts.Inputs {
		lossy += in.Lossy
	}
	var err error
	if wantsSummary(cmd) {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s, %s. Decide them with: robotsaudit evaluate -o %s\n",
			report.Count(int64(len(facts.Inputs)), "archive"), report.Count(facts.FetchCount(), "fetch"), dir)
	}
	if err == nil && lossy > 0 {
		err = exitStatus(exitUnread)
	}
	return err
}
