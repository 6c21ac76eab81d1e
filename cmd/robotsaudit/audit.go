package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/report"
)

const inputHelp = `INPUT is an archive (.warc, .arc, .wacz; .gz, .zst, .bz2), a folder (searched with its
subfolders), a glob, - for standard input, or a list of inputs, one a line: @FILE or
FILE.paths.gz. A Heritrix crawl.log beside its archives tells what was not fetched.`

const resumeHelp = `Archives that were read before are not read again: add one to a folder and run the
same command. An interrupted run goes on where it stopped. Standard input is read anew
every time. An archive is known by its path, size and time of change: one whose content
changed without these needs --reread.`

const decideHelp = `A fetch that robots.txt disallowed is certain, probable, possible or contested. The table
violations holds the certain and the probable ones and nothing else; unproven holds the
possible ones (nothing shows that this crawler was told in time) and the contested ones (a
copy that it may have used, or another reading of the specifications, allows them).
restrictions (with --purpose) holds what pages and origins say against publication or
use, crawl_delays (with --rate) the fetches that came too soon: no violations.

The crawler is told by its User-Agent: CCBot/2.0 is CCBot, a browser's names nobody. Where
that is wrong, --crawler gives the token for all fetches, --crawler-map for some:

  # PATTERN => TOKEN; the first rule whose pattern matches counts
  Mozilla/5.0 (X11;*HeadlessChrome/* => Browsertrix
  Wget/* => -
  - => MyCrawler

A pattern is of the whole User-Agent, in any case; * stands for any text. As pattern, - is
a fetch without a User-Agent; as token, a crawler that is not known.`

const maxUnread = 20 // inputs named on standard error that were not wholly read

// ingestFlags are the options of reading.
type ingestFlags struct {
	output  string
	workers int
	verify  bool
	reread  bool
}

func (f *ingestFlags) add(flags *pflag.FlagSet) {
	addOutput(flags, &f.output)
	flags.IntVar(&f.workers, "workers", runtime.NumCPU(), "`N` archives read at a time")
	flags.BoolVar(&f.reread, "reread", false, "read all archives again, those too that were read before")
	flags.BoolVar(&f.verify, "verify-digests", false, "compare the digests of all records, not of robots.txt alone, with what they hold")
}

// begin checks the options.
func (f *ingestFlags) begin(cmd *cobra.Command) (*slog.Logger, error) {
	if f.workers < 1 {
		return nil, usageErrorf("--workers %d: at least 1 is needed", f.workers)
	}
	return begin(cmd, f.output)
}

func addOutput(flags *pflag.FlagSet, output *string) {
	flags.StringVarP(output, "output", "o", "", "output folder `DIR`, made where there is none (required)")
}

// evaluateFlags are the options of deciding.
type evaluateFlags struct {
	profile    string
	crawler    string
	crawlerMap string
	agents     []string
	agentsFile string
	categories []string
	purposes   []string
	asOf       string
	rate       bool
	failOn     string
	full       bool
}

func (f *evaluateFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.profile, "profile", robots.RFC9309.String(), "`PROFILE` of the Robots Exclusion Protocol: rfc9309, rep-08 or google")
	flags.BoolVar(&f.full, "full", false, "print all of the summary, not its first twenty lines or so")
	flags.StringVar(&f.asOf, "as-of", "", "judge the what-if (--agent, --agents) and restrictions (--purpose) as of `DATE`, in place of each\nfetch's own time: 2025-03-01, or with a time and a zone 2025-03-01T12:00:00Z")
	flags.StringVar(&f.crawler, "crawler", "", "product `TOKEN` of the crawler that made the archives, instead of the one in each request's User-Agent")
	flags.StringVar(&f.crawlerMap, "crawler-map", "", "`FILE` of the same for some User-Agents, one rule a line: PATTERN => TOKEN (see above)")
	flags.StringArrayVar(&f.agents, "agent", nil, "also tell what product token `TOKEN` would have been allowed (repeatable)")
	flags.StringVar(&f.agentsFile, "agents-file", "", "`FILE` of more such tokens, one a line; # begins a comment")
	flags.StringArrayVar(&f.categories, "agents", nil, "more such tokens: all that 'robotsaudit agents' lists of `CATEGORY` "+strings.Join(agents.Names(), ", ")+" (repeatable)")
	flags.StringArrayVar(&f.purposes, "purpose", nil, "what the archives are for: archive, index or train (repeatable); what pages and origins say against\n`PURPOSE` is then a row of restrictions, of kind publication or usage")
	flags.BoolVar(&f.rate, "rate", false, "make each fetch that came sooner than Crawl-delay asks for a row of crawl_delays")
	flags.StringVar(&f.failOn, "fail-on", "", "exit with code 10 if there are `WHAT`: violations")
}

// evaluation is what evaluateFlags resolve to.
type evaluation struct {
	options          evaluate.Options
	failOnViolations bool
	full             bool     // print all of the summary
	tokens           []string // that the options give
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
	for _, token := range f.agents {
		if fault := tokenFault(token); fault != "" {
			return e, usageErrorf("--agent %q is no product token: %s", token, fault)
		}
	}
	asOf, err := parseAsOf(f.asOf)
	if err != nil {
		return e, err
	}
	crawlers, err := f.resolveCrawler()
	if err != nil {
		return e, err
	}
	list := slices.Clone(f.agents)
	for _, category := range f.categories {
		found, ok := agents.InCategory(category)
		if !ok {
			return e, usageErrorf("--agents: unknown category %q: use %s, or --agent for a token", category, strings.Join(agents.Names(), ", "))
		}
		for _, a := range found {
			if tokenFault(a.Token) == "" {
				list = append(list, a.Token)
			}
		}
	}
	if f.agentsFile != "" {
		more, err := readTokens(f.agentsFile)
		if err != nil {
			return e, err
		}
		list = append(list, more...)
	}
	var uses []tag.Use
	for _, purpose := range f.purposes {
		use, ok := tag.ParseUse(purpose)
		if !ok {
			return e, usageErrorf("--purpose: unknown purpose %q: use archive, index or train", purpose)
		}
		uses = append(uses, use)
	}
	slices.Sort(uses)
	e.options = evaluate.Options{
		Profile: profile, Crawler: f.crawler, CrawlerMap: crawlers, Agents: distinctTokens(list), Uses: slices.Compact(uses),
		Rate: f.rate, AsOf: asOf, Decided: new(atomic.Int64),
	}
	e.full = f.full
	e.tokens = append([]string{f.crawler}, e.options.Agents...)
	for _, rule := range crawlers {
		e.tokens = append(e.tokens, rule.Token)
	}
	return e, nil
}

// warn tells which tokens may not do what their user means.
func (e *evaluation) warn(log *slog.Logger) {
	for _, token := range e.tokens {
		if doubt := tokenDoubt(token); doubt != "" {
			log.Warn(doubt)
		}
	}
}

// resolveCrawler checks who is said to have made the archives.
func (f *evaluateFlags) resolveCrawler() (evaluate.CrawlerMap, error) {
	switch {
	case f.crawler != "" && f.crawlerMap != "":
		return nil, usageErrorf("--crawler and --crawler-map both say who made the archives: leave out --crawler, and end the map with the line * => %s", f.crawler)
	case f.crawlerMap != "":
		return readCrawlerMap(f.crawlerMap)
	case f.crawler == "":
		return nil, nil
	}
	if fault := tokenFault(f.crawler); fault != "" {
		return nil, usageErrorf("--crawler %q is no product token: %s", f.crawler, fault)
	}
	if fault := controlTokenFault(f.crawler); fault != "" {
		return nil, usageErrorf("--crawler %s", fault)
	}
	return nil, nil
}

func newAuditCommand() *cobra.Command {
	var in ingestFlags
	var ev evaluateFlags
	cmd := &cobra.Command{
		Use:   "audit INPUT... -o DIR",
		Short: "Audit archives: read them, decide every fetch, write tables and a summary",
		Long: `Read archives and tell for every captured fetch whether robots.txt permitted it at
that moment, and what the page and its site said of its use. DIR gets one Parquet file a
table (fetches, violations, unproven, restrictions, crawl_delays, robots, page_tags,
effective_tags, usage_signals, tag_conflicts, host_stats, agent_stats, exclusions,
issues) and audit.json; standard output gets the summary.

` + inputHelp + "\n\n" + decideHelp + "\n\n" + resumeHelp + "\n\n" + exitHelp,
		Example: `  robotsaudit audit crawl.warc.gz -o out
  robotsaudit audit archives/ more/*.warc.gz -o out --workers 8
  robotsaudit audit archives/ -o out --agent GPTBot --agents-file tokens.txt
  robotsaudit audit archives/ -o out --agents ai --purpose train
  zcat crawl.warc.gz | robotsaudit audit - -o out
  robotsaudit audit archives/ -o out --fail-on violations`,
		Args: inputArgs,
	}
	in.add(cmd.Flags())
	ev.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		evaluation, err := ev.resolve()
		if err != nil {
			return err
		}
		log, err := in.begin(cmd)
		if err != nil {
			return err
		}
		evaluation.warn(log)
		return runIngest(cmd, log, args, in, func(facts *ingest.Facts) error {
			return runEvaluate(cmd, log, in.output, facts, evaluation)
		})
	}
	return cmd
}

func newIngestCommand() *cobra.Command {
	var in ingestFlags
	var check bool
	var format string
	cmd := &cobra.Command{
		Use:   "ingest INPUT... {-o DIR | --check}",
		Short: "Only read archives, to be evaluated later, or to check them",
		Long: `Read archives into DIR. 'robotsaudit evaluate -o DIR' then decides, as often as there
are questions, without reading the archives again.

With --check nothing is written: every problem of the archives is a line on standard
output, FILE:OFFSET: KIND: DETAIL (ACTION), and every archive ends with a line of
counts and what github.com/slyrz/warc, another reader, makes of it. The exit code is 3
if there is any problem, else 0. docs/SCHEMA.md explains the kinds.

` + inputHelp + "\n\n" + resumeHelp + "\n\n" + exitHelp,
		Example: `  robotsaudit ingest archives/ -o out
  robotsaudit evaluate -o out --agent GPTBot
  robotsaudit ingest --check archives/            what is wrong with these archives?
  robotsaudit ingest --check --verify-digests --format json crawl.warc.gz
  zstdcat crawl.warc.zst | robotsaudit ingest --check -`,
		Args: inputArgs,
	}
	in.add(cmd.Flags())
	cmd.Flags().BoolVar(&check, "check", false, "print what is wrong with the archives, and write nothing")
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of --check: text or json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case format != "text" && format != "json":
			return usageErrorf("--format: unknown format %q: use text or json", format)
		case check && in.output != "":
			return usageErrorf("--check writes nothing: leave out -o")
		case check && in.workers < 1:
			return usageErrorf("--workers %d: at least 1 is needed", in.workers)
		case check:
			return runCheck(cmd, args, in, format)
		case cmd.Flags().Changed("format"):
			return usageErrorf("--format is that of --check: add --check")
		}
		log, err := in.begin(cmd)
		if err != nil {
			return err
		}
		return runIngest(cmd, log, args, in, func(facts *ingest.Facts) error {
			return printIngested(cmd, in.output, facts)
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
a robots.txt was redirected to a page that lies far from it.

` + decideHelp,
		Example: `  robotsaudit evaluate -o out --agent GPTBot --agent CCBot
  robotsaudit evaluate -o out --crawler-map crawlers.txt
  robotsaudit evaluate -o out --agents ai --purpose train --as-of 2025-03-01
  robotsaudit evaluate -o out --profile google`,
		Args: noArgs,
	}
	addOutput(cmd.Flags(), &output)
	ev.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		evaluation, err := ev.resolve()
		if err != nil {
			return err
		}
		log, err := begin(cmd, output)
		if err != nil {
			return err
		}
		evaluation.warn(log)
		if _, err := ingest.OpenFacts(output); err != nil { // before the lock, which makes the folder
			return err
		}
		return inOutput(output, func() error {
			facts, err := ingest.OpenFacts(output)
			if err != nil {
				return err
			}
			reportUnread(log, facts, nil)
			return dropDamaged(cmd, facts, runEvaluate(cmd, log, output, facts, evaluation))
		})
	}
	return cmd
}

// begin checks the options that all commands with an output folder share.
func begin(cmd *cobra.Command, output string) (*slog.Logger, error) {
	if output == "" {
		return nil, usageErrorf("no output folder given; add -o DIR")
	}
	return newLogger(cmd)
}

// inOutput runs f while this process holds the output folder.
func inOutput(dir string, f func() error) (err error) {
	release, err := ingest.Lock(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	return f()
}

// runIngest reads the archives that args name. Nothing is made in the output
// folder where they name none.
func runIngest(cmd *cobra.Command, log *slog.Logger, args []string, flags ingestFlags, then func(*ingest.Facts) error) error {
	inputs, failures := ingest.Expand(args)
	for _, f := range failures {
		log.Error(f.Error())
	}
	if len(inputs) == 0 {
		return exitStatus(exitFailed)
	}
	attempt := func() error {
		facts, err := readInputs(cmd, log, inputs, failures, flags)
		if err != nil {
			return err
		}
		reportUnread(log, facts, failures)
		return dropDamaged(cmd, facts, then(facts))
	}
	return inOutput(flags.output, func() error {
		err := attempt()
		if !errors.Is(err, errDamagedFacts) || slices.ContainsFunc(inputs, func(in ingest.Input) bool { return in.Path == ingest.Stdin }) {
			return err
		}
		log.Warn(err.Error())
		flags.reread = false
		return attempt()
	})
}

// readInputs makes the facts of the inputs.
func readInputs(cmd *cobra.Command, log *slog.Logger, inputs []ingest.Input, failures []*ingest.InputError, flags ingestFlags) (*ingest.Facts, error) {
	progress := new(ingest.Progress)
	stop := watch(cmd.ErrOrStderr(), log, gauge{"reading", progress.BytesRead.Load, progress.BytesTotal.Load, report.Bytes})
	start := time.Now()
	err := ingest.Ingest(cmd.Context(), inputs, ingest.Options{
		Dir: flags.output, Workers: flags.workers, Stdin: cmd.InOrStdin(), Progress: progress, Failed: failures,
		Warn: func(msg string) { log.Warn(msg) }, VerifyDigests: flags.verify, Reread: flags.reread,
	})
	stop()
	if err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // what reading took is not what deciding takes
	log.Info(readText(progress, time.Since(start)))
	return ingest.OpenFacts(flags.output)
}

// errDamagedFacts is the error of facts that were damaged after they were made.
var errDamagedFacts = errors.New("are damaged")

// dropDamaged looks whether a command failed because the facts are damaged. Those that
// are it drops, so that their archives are read again, and says so.
func dropDamaged(cmd *cobra.Command, facts *ingest.Facts, err error) error {
	var status exitStatus
	var output *outputError
	if err == nil || cmd.Context().Err() != nil || isFull(err) || errors.As(err, &status) || errors.As(err, &output) {
		return err
	}
	dropped, dropErr := facts.DropDamaged(cmd.Context())
	if dropErr != nil || len(dropped) == 0 {
		return errors.Join(err, dropErr)
	}
	return fmt.Errorf("the facts of %s in the output folder %w (%v) and have been dropped; 'robotsaudit audit' or 'ingest' reads the archives again", archives(int64(len(dropped))), errDamagedFacts, err)
}

// readText tells what was read, and what was known already.
func readText(p *ingest.Progress, elapsed time.Duration) string {
	read, kept := p.InputsRead.Load(), p.InputsKept.Load()
	if read == 0 && kept > 0 {
		return fmt.Sprintf("read nothing, kept what was read before of %s", archives(kept))
	}
	size := p.BytesRead.Load()
	text := fmt.Sprintf("read %s, %s in %s (%s/s)", archives(read), report.Bytes(size),
		elapsed.Round(time.Millisecond), report.Bytes(int64(float64(size)/max(elapsed.Seconds(), 1e-3))))
	if kept > 0 {
		text += fmt.Sprintf("; kept what was read before of %s", archives(kept))
	}
	return text
}

func archives(n int64) string {
	if n == 1 {
		return "1 archive"
	}
	return fmt.Sprintf("%d archives", n)
}

// runEvaluate decides, writes the tables and prints the summary.
func runEvaluate(cmd *cobra.Command, log *slog.Logger, dir string, facts *ingest.Facts, e evaluation) error {
	stop := watch(cmd.ErrOrStderr(), log, gauge{"deciding", e.options.Decided.Load, facts.FetchCount, fetches})
	summary, err := writeTables(cmd.Context(), log, dir, facts, e)
	stop()
	if err != nil {
		return err
	}
	if err := summary.Print(cmd.OutOrStdout(), e.full); err != nil {
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
	for _, rule := range totals.IdleRules {
		log.Warn(fmt.Sprintf("--crawler-map: no fetch has its token by the rule %s; is the pattern that of a whole User-Agent?", rule))
	}
	settings := report.Settings{
		Profile: e.options.Profile.String(), Crawler: e.options.Crawler, CrawlerMap: e.options.CrawlerMap.Lines(), Agents: e.options.Agents,
		PublicSuffixList: weburl.PublicSuffixVersion(), FactsFingerprint: facts.Fingerprint,
		Rate: e.options.Rate,
	}
	if t := e.options.AsOf; t.Known() {
		settings.AsOf = new(t.UTC())
	}
	for _, use := range e.options.Uses {
		settings.Purposes = append(settings.Purposes, use.String())
	}
	return w.Summary, w.Commit(report.NewAudit(facts, settings, totals, w.Summary))
}

// reportUnread names the inputs that were not wholly read, without the failures
// that were told before.
func reportUnread(log *slog.Logger, facts *ingest.Facts, told []*ingest.InputError) {
	var lines []string
	for _, f := range facts.Failures {
		if !slices.ContainsFunc(told, func(t *ingest.InputError) bool { return t.Arg == f.Name && t.Reason == f.Reason }) {
			lines = append(lines, f.Name+": "+f.Reason)
		}
	}
	for _, in := range facts.Inputs {
		switch {
		case in.Refusal != "":
			lines = append(lines, in.Name+": "+in.Refusal)
		case in.Lossy > 0:
			lines = append(lines, in.Name+": damaged, not wholly read; the table issues tells where, fetch it again if you can")
		}
	}
	for _, line := range lines[:min(len(lines), maxUnread)] {
		log.Error(line)
	}
	if more := len(lines) - maxUnread; more > 0 {
		log.Error(fmt.Sprintf("and %d more inputs were not wholly read; the table issues names them", more))
	}
}

// printIngested tells what was read.
func printIngested(cmd *cobra.Command, dir string, facts *ingest.Facts) error {
	lossy := int64(len(facts.Failures))
	for _, in := range facts.Inputs {
		lossy += in.Lossy
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s, %s. Decide them with: robotsaudit evaluate -o %s\n",
		archives(int64(len(facts.Inputs))), fetches(facts.FetchCount()), dir)
	if err == nil && lossy > 0 {
		err = exitStatus(exitUnread)
	}
	return err
}

func fetches(n int64) string {
	if n == 1 {
		return "1 fetch"
	}
	return fmt.Sprintf("%d fetches", n)
}
