package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/report"
)

const inputHelp = `INPUT is an archive (.warc, .warc.gz, .warc.bz2), a folder (searched with its
subfolders), a glob, - for standard input, or a list of inputs: @FILE or *.paths.gz,
one path a line.`

const resumeHelp = `Archives that were read before are not read again: add one to a folder and run the
same command. An interrupted run goes on where it stopped.`

// ingestFlags are the options of reading.
type ingestFlags struct {
	output  string
	workers int
}

func (f *ingestFlags) add(flags *pflag.FlagSet) {
	addOutput(flags, &f.output)
	flags.IntVar(&f.workers, "workers", runtime.NumCPU(), "archives read at a time")
}

func addOutput(flags *pflag.FlagSet, output *string) {
	flags.StringVarP(output, "output", "o", "", "output folder (required)")
}

// evaluateFlags are the options of deciding.
type evaluateFlags struct {
	profile    string
	crawler    string
	agents     []string
	agentsFile string
	failOn     string
}

func (f *evaluateFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.profile, "profile", robots.RFC9309.String(), "reading of the Robots Exclusion Protocol: rfc9309, rep-08 or google")
	flags.StringVar(&f.crawler, "crawler", "", "product token of the crawler that made the archives, instead of the one in each request's User-Agent")
	flags.StringArrayVar(&f.agents, "agent", nil, "also tell what this product token would have been allowed (repeatable)")
	flags.StringVar(&f.agentsFile, "agents-file", "", "more such tokens, one a line")
	flags.StringVar(&f.failOn, "fail-on", "", "exit with code 10 if there are: violations")
}

// evaluation is what evaluateFlags resolve to.
type evaluation struct {
	options          evaluate.Options
	failOnViolations bool
}

func (f *evaluateFlags) resolve() (evaluation, error) {
	var e evaluation
	profile, err := robots.ParseProfile(f.profile)
	if err != nil {
		return e, usageErrorf("--profile: %v", err)
	}
	switch f.failOn {
	case "":
	case "violations":
		e.failOnViolations = true
	default:
		return e, usageErrorf("--fail-on %q: the one value is violations", f.failOn)
	}
	agents := f.agents
	if f.agentsFile != "" {
		more, err := readTokens(f.agentsFile)
		if err != nil {
			return e, err
		}
		agents = append(agents, more...)
	}
	for _, a := range append(agents, f.crawler) {
		if strings.ContainsAny(a, " \t/*#:") {
			return e, usageErrorf("%q is no product token: give the crawler's name alone, such as CCBot", a)
		}
	}
	e.options = evaluate.Options{Profile: profile, Crawler: f.crawler, Agents: agents, Decided: new(atomic.Int64)}
	return e, nil
}

// readTokens reads product tokens, one a line, # begins a comment.
func readTokens(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usageErrorf("--agents-file: %v", err)
	}
	defer f.Close()
	var tokens []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if line = strings.TrimSpace(line); line != "" {
			tokens = append(tokens, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("--agents-file %s: %w", path, err)
	}
	if len(tokens) == 0 {
		return nil, usageErrorf("--agents-file %s: it names no token; put one on each line", path)
	}
	return tokens, nil
}

func newAuditCommand() *cobra.Command {
	var in ingestFlags
	var ev evaluateFlags
	cmd := &cobra.Command{
		Use:   "audit INPUT... -o DIR",
		Short: "Audit archives: read them, decide every fetch, write tables and a summary",
		Long: `Read archives and tell for every captured fetch whether robots.txt permitted it at
that moment. DIR gets one Parquet file a table (fetches, violations, contested, robots,
host_stats, agent_stats, issues) and audit.json; standard output gets the summary.

` + inputHelp + "\n\n" + resumeHelp,
		Example: `  robotsaudit audit crawl.warc.gz -o out
  robotsaudit audit archives/ more/*.warc.gz -o out --workers 8
  robotsaudit audit archives/ -o out --agent GPTBot --agents-file tokens.txt
  zcat crawl.warc.gz | robotsaudit audit - -o out
  robotsaudit audit archives/ -o out --fail-on violations`,
		Args: cobra.MinimumNArgs(1),
	}
	in.add(cmd.Flags())
	ev.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		evaluation, err := ev.resolve()
		if err != nil {
			return err
		}
		return inOutput(cmd, in.output, func(log *slog.Logger) error {
			if err := runIngest(cmd, log, args, in); err != nil {
				return err
			}
			return runEvaluate(cmd, log, in.output, evaluation)
		})
	}
	return cmd
}

func newIngestCommand() *cobra.Command {
	var in ingestFlags
	cmd := &cobra.Command{
		Use:   "ingest INPUT... -o DIR",
		Short: "Only read archives, to be evaluated later",
		Long: `Read archives into DIR. 'robotsaudit evaluate -o DIR' then decides, as often as there
are questions, without reading the archives again.

` + inputHelp + "\n\n" + resumeHelp,
		Example: `  robotsaudit ingest archives/ -o out
  robotsaudit evaluate -o out --agent GPTBot`,
		Args: cobra.MinimumNArgs(1),
	}
	in.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return inOutput(cmd, in.output, func(log *slog.Logger) error {
			if err := runIngest(cmd, log, args, in); err != nil {
				return err
			}
			facts, err := ingest.OpenFacts(in.output)
			if err != nil {
				return err
			}
			return printIngested(cmd, facts)
		})
	}
	return cmd
}

func newEvaluateCommand() *cobra.Command {
	var output string
	var ev evaluateFlags
	cmd := &cobra.Command{
		Use:   "evaluate -o DIR",
		Short: "Decide again what was ingested into DIR",
		Long: `Decide every fetch of the archives that 'robotsaudit ingest' or 'audit' has read into
DIR, and write tables and summary anew. The archives themselves are needed only where
a robots.txt was redirected to a page that lies far from it.`,
		Example: `  robotsaudit evaluate -o out --agent GPTBot --agent CCBot
  robotsaudit evaluate -o out --profile google`,
		Args: cobra.NoArgs,
	}
	addOutput(cmd.Flags(), &output)
	ev.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		evaluation, err := ev.resolve()
		if err != nil {
			return err
		}
		return inOutput(cmd, output, func(log *slog.Logger) error {
			return runEvaluate(cmd, log, output, evaluation)
		})
	}
	return cmd
}

// inOutput runs f while this process holds the output folder.
func inOutput(cmd *cobra.Command, dir string, f func(*slog.Logger) error) (err error) {
	if dir == "" {
		return usageErrorf("no output folder given; add -o DIR")
	}
	log, err := newLogger(cmd)
	if err != nil {
		return err
	}
	release, err := ingest.Lock(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	return f(log)
}

// runIngest reads the archives that args name.
func runIngest(cmd *cobra.Command, log *slog.Logger, args []string, flags ingestFlags) error {
	if flags.workers < 1 {
		return usageErrorf("--workers %d: at least 1 is needed", flags.workers)
	}
	inputs, failures := ingest.Expand(args)
	for _, f := range failures {
		log.Error(f.Error())
	}
	if len(inputs) == 0 {
		return errors.New("there is nothing to read; give at least one archive")
	}
	progress := new(ingest.Progress)
	stop := watch(cmd.ErrOrStderr(), log, gauge{"reading", progress.BytesRead.Load, progress.BytesTotal.Load, report.Bytes})
	start := time.Now()
	err := ingest.Ingest(cmd.Context(), inputs, ingest.Options{
		Dir: flags.output, Workers: flags.workers, Stdin: cmd.InOrStdin(), Progress: progress, Failed: failures,
		Warn: func(msg string) { log.Warn(msg) },
	})
	stop()
	if err != nil {
		return err
	}
	log.Info(readText(progress, time.Since(start)))
	return nil
}

// readText tells what was read, and what was known already.
func readText(p *ingest.Progress, elapsed time.Duration) string {
	read := p.BytesRead.Load()
	text := fmt.Sprintf("read %d archives, %s in %s (%s/s)", p.InputsRead.Load(), report.Bytes(read),
		elapsed.Round(time.Millisecond), report.Bytes(int64(float64(read)/elapsed.Seconds())))
	if kept := p.InputsKept.Load(); kept > 0 {
		text += fmt.Sprintf("; %d were read before", kept)
	}
	return text
}

// runEvaluate decides, writes the tables and prints the summary.
func runEvaluate(cmd *cobra.Command, log *slog.Logger, dir string, e evaluation) error {
	facts, err := ingest.OpenFacts(dir)
	if err != nil {
		return err
	}
	reportRefusals(log, facts)
	stop := watch(cmd.ErrOrStderr(), log, gauge{"deciding", e.options.Decided.Load, facts.FetchCount, plainCount})
	summary, err := writeTables(cmd.Context(), log, dir, facts, e)
	stop()
	if err != nil {
		return err
	}
	if err := summary.Print(cmd.OutOrStdout()); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "\nTables and audit.json are in %s.\n", dir)
	switch {
	case e.failOnViolations && summary.Violations() > 0:
		return exitStatus(exitViolations)
	case summary.Lossy():
		return exitStatus(exitUnread)
	}
	return nil
}

func writeTables(ctx context.Context, log *slog.Logger, dir string, facts *ingest.Facts, e evaluation) (*report.Summary, error) {
	w, err := report.NewWriter(dir, facts, e.options.Profile.String(), len(e.options.Agents) > 0)
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	totals, err := evaluate.Run(ctx, facts, e.options, w)
	if err != nil {
		return nil, err
	}
	for _, f := range facts.Failures {
		if err := w.Failure(f); err != nil {
			return nil, err
		}
	}
	if totals.AgentUnseen {
		log.Warn(fmt.Sprintf("no request's User-Agent holds the token %s (RFC 9309 §2.2.1 asks for it); is it the right one?", e.options.Crawler))
	}
	settings := report.Settings{
		Profile: e.options.Profile.String(), Crawler: e.options.Crawler, Agents: e.options.Agents,
		PublicSuffixList: weburl.PublicSuffixVersion(), FactsFingerprint: ingest.Fingerprint(),
	}
	return w.Summary, w.Commit(report.NewAudit(facts, settings, totals, w.Summary))
}

// reportRefusals names the inputs of which nothing could be read.
func reportRefusals(log *slog.Logger, facts *ingest.Facts) {
	for _, in := range facts.Inputs {
		if in.Refusal != "" {
			log.Error(in.Name + ": " + in.Refusal)
		}
	}
}

// printIngested tells what was read.
func printIngested(cmd *cobra.Command, facts *ingest.Facts) error {
	var lossy int64
	for _, in := range facts.Inputs {
		lossy += in.Lossy
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%d archives, %d fetches. Decide them with: robotsaudit evaluate -o DIR\n",
		len(facts.Inputs), facts.FetchCount())
	if err == nil && (lossy > 0 || len(facts.Failures) > 0) {
		err = exitStatus(exitUnread)
	}
	return err
}

func plainCount(n int64) string { return fmt.Sprintf("%d fetches", n) }
