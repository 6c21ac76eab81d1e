package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

const decideHelp = `A fetch that robots.txt disallowed is in one of four classes. The table violations holds
the certain and the probable ones and nothing else; unproven holds the possible ones
(nothing shows that this crawler was told in time) and the contested ones (a copy that it
may have used, or another reading of the specifications, allows them). restrictions (with
--purpose) holds what pages and origins say against publication or use, crawl_delays (with
--rate) the fetches that came too soon. These two hold no violations.

The crawler is the one that its User-Agent names: CCBot/2.0 is CCBot, a browser's names nobody.
Where that is wrong, --crawler gives the token for all fetches, --crawler-map for some:

  # PATTERN => TOKEN; the first rule whose pattern matches counts
  Mozilla/5.0 (X11;*HeadlessChrome/* => Browsertrix
  Wget/* => -
  - => MyCrawler

A pattern is of the whole User-Agent, in any case; * stands for any text. As pattern, - is
a fetch without a User-Agent; as token, a crawler that is not known.`

func newEvaluateCommand() *cobra.Command {
	var out writeFlags
	var workers int
	var ev evaluateFlags
	cmd := &cobra.Command{
		Use:   "evaluate -o DIR",
		Short: "Decide again what was ingested into DIR",
		Long: `Decide every fetch of the archives that 'robotsaudit ingest' or 'audit' has read into
DIR, and write tables, report and summary anew. The archives themselves are needed only where
a robots.txt was redirected to a page that lies far from it, and for --verify.

` + decideHelp + "\n\n" + failOnExitHelp,
		Example: `  robotsaudit evaluate -o out --agent GPTBot --agent CCBot
  robotsaudit evaluate -o out --crawler-map crawlers.txt
  robotsaudit evaluate -o out --agents ai --purpose train --as-of 2025-03-01
  robotsaudit evaluate -o out --profile google`,
		Args: noArgs,
	}
	out.add(cmd.Flags(), hasFacts, true)
	addWorkers(cmd.Flags(), &workers, "shares of the hosts decided at a time")
	ev.add(cmd.Flags())
	ev.addVerify(cmd.Flags())
	addBase(cmd.Flags(), verifiedArchives)
	addRemote(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		evaluation, err := ev.resolve()
		if err != nil {
			return err
		}
		if err := checkWorkers(workers); err != nil {
			return err
		}
		evaluation.options.Workers = workers
		log, err := begin(cmd, out.output)
		if err != nil {
			return err
		}
		evaluation.warn(log)
		return out.accounted(cmd, log, func(a *account) error {
			if err := mayHoldFacts(out.output); err != nil {
				return err
			}
			return out.hold(cmd, log, true, nil, func() (err error) {
				if a.facts, err = ingest.OpenFacts(out.output); err != nil {
					return err
				}
				reportUnread(log, a.facts, nil)
				return dropDamaged(cmd, a.facts, runEvaluate(cmd, log, out.output, a, evaluation))
			})
		})
	}
	return cmd
}

// runEvaluate decides, writes the tables and the report, and prints the summary.
func runEvaluate(cmd *cobra.Command, log *slog.Logger, dir string, a *account, e evaluation) error {
	warnOfRemoval(log, dir, &e.options)
	if e.verify {
		if err := verifyRecords(cmd, log, dir, a, e); err != nil {
			return err
		}
	}
	stop := watch(cmd, log, gauge{
		"deciding", e.options.Decided.Load, a.facts.FetchCount,
		func(n int64) string { return report.Count(n, "fetch") }, "fetches",
	})
	summary, err := writeTables(cmd.Context(), log, dir, a.facts, e)
	stop()
	if err != nil {
		return err
	}
	a.totals = &summary.Audit.Totals
	return e.tellResults(cmd, dir, summary)
}

// tellResults writes the report of the tables in dir, and prints the summary.
func (e *evaluation) tellResults(cmd *cobra.Command, dir string, summary *report.Summary) error {
	written := "Tables, audit.json and report.html are in " + dir + "."
	if e.only != nil {
		written = "Tables and audit.json are in " + dir + ". There is no report.html: it needs all tables."
	} else if err := (&reportFlags{output: dir}).run(cmd); err != nil {
		return err
	}
	return e.printSummary(cmd, summary, written)
}

// printSummary prints the summary and where the results are.
func (e *evaluation) printSummary(cmd *cobra.Command, summary *report.Summary, written string) error {
	if wantsSummary(cmd) {
		if err := summary.WriteText(cmd.OutOrStdout(),
			report.TextOptions{Full: e.full, Colours: wantsColours(cmd.OutOrStdout())}); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "\n%s\n", written)
	}
	return e.status(&summary.Audit.Totals)
}

// Values of --fail-on.
const (
	failOnViolations = "violations"
	failOnUnread     = "unread"
)

// status is the exit status of an audit. Of what --fail-on names, the first that is there
// counts; without it, input that was not wholly read does.
func (e *evaluation) status(t *report.Totals) error {
	for _, what := range append(slices.Clone(e.failOn), failOnUnread) {
		switch {
		case what == failOnViolations && t.Violations > 0:
			return exitStatus(exitViolations)
		case what == failOnUnread && t.InputsNotWhollyRead > 0:
			return exitStatus(exitUnread)
		}
	}
	return nil
}

// warnOfRemoval names the content of the tables in dir that the tables of this run will lack: what
// other crawlers would have been allowed.
func warnOfRemoval(log *slog.Logger, dir string, opt *evaluate.Options) {
	before, err := results.Open(dir)
	if err != nil || len(opt.Agents) > 0 {
		return // there are none, or none that can be read
	}
	if tokens := before.Audit().Settings.Agents; len(tokens) > 0 {
		log.Warn(fmt.Sprintf("this run asks about no other crawler, so it removes what the run before found for %s "+
			"(%s); give --agent or --agents again to keep it",
			report.Count(int64(len(tokens)), "token"), report.Shown(strings.Join(tokens, ", "), 60)))
	}
}

func writeTables(ctx context.Context, log *slog.Logger, dir string, facts *facts.Set, e evaluation) (*report.Summary,
	error,
) {
	w, err := report.NewWriter(dir, facts, e.options)
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	w.Rank(e.ranks)
	w.Only(e.only)
	totals, err := evaluate.Run(ctx, facts, e.options, w)
	if err != nil {
		return nil, err
	}
	e.warnOfIdle(log, totals)
	return w.Commit(totals)
}

// warnOfIdle names tokens and rules that no fetch had to do with.
func (e *evaluation) warnOfIdle(log *slog.Logger, totals *evaluate.Totals) {
	if totals.AgentUnseen {
		log.Warn(fmt.Sprintf("no request's User-Agent holds the token %s (RFC 9309 §2.2.1 asks for it); is it the right one?", e.options.Crawler))
	}
	for _, rule := range totals.IdleRules {
		log.Warn(fmt.Sprintf("--crawler-map: no fetch has its token by the rule %s; is the pattern that of a whole "+
			"User-Agent?", rule))
	}
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
	policies   string
	bodies     bool
	ranks      string
	failOn     []string
	tables     []string
	full       bool
	verify     bool
}

func (f *evaluateFlags) add(flags *pflag.FlagSet) {
	f.addSettings(flags)
	f.addOutcome(flags)
}

// addOutcome adds what no table depends on.
func (f *evaluateFlags) addOutcome(flags *pflag.FlagSet) {
	flags.BoolVar(&f.full, "full", false, "print all of the summary, not its first twenty lines or so")
	flags.StringSliceVar(&f.failOn, "fail-on", nil,
		"`WHAT` decides the exit code: violations (10), unread (3 for unread input, as without this flag), or both, "+
			"as in unread,violations: the first that there is")
}

// addSettings adds what tables depend on.
func (f *evaluateFlags) addSettings(flags *pflag.FlagSet) {
	flags.StringVar(&f.profile, "profile", robots.RFC9309.String(), profileUsage)
	flags.StringSliceVar(&f.tables, "tables", nil,
		"write these `TABLES` alone, as in violations,host_stats; report.html needs all and is not written then")
	flags.StringVar(&f.asOf, "as-of", "",
		"judge the what-if (--agent, --agents) and restrictions (--purpose) as of `DATE`, in place of each fetch's "+
			"own time: 2025-03-01 (the whole day, UTC), 2025-03-01T12:00:00Z, today or now")
	flags.StringVar(&f.crawler, "crawler", "",
		"product `TOKEN` of the crawler that made the archives, instead of the one in each request's User-Agent")
	flags.StringVar(&f.crawlerMap, "crawler-map", "",
		"`FILE` of the same for some User-Agents, one rule a line: PATTERN => TOKEN (see above)")
	flags.StringArrayVar(&f.agents, "agent", nil,
		"also decide what product token `TOKEN` would have been allowed (repeatable)")
	flags.StringVar(&f.agentsFile, "agents-file", "", "`FILE` of more such tokens, one a line; # begins a comment")
	flags.StringArrayVar(&f.categories, "agents", nil,
		"more such tokens: all that 'robotsaudit agents' lists of `CATEGORY` "+strings.Join(agents.Names(), ", ")+
			" (repeatable)")
	flags.StringArrayVar(&f.purposes, "purpose", nil,
		"what the archives are for: archive, index or train (repeatable); what pages and origins say against "+
			"`PURPOSE` is then a row of restrictions, of kind publication or usage")
	flags.BoolVar(&f.rate, "rate", false,
		"make each fetch that came sooner than Crawl-delay asks for a row of crawl_delays")
	flags.StringVar(&f.policies, "policies", evaluate.PoliciesAsked.String(),
		"`WHOM` the table robots_policies is about: asked (*, the crawlers of the archives, --agent and the like), "+
			"named (these, and all that the file names) or none")
	flags.BoolVar(&f.bodies, "policy-bodies", false,
		"put the text of each robots.txt into robots_policies, in the row of *")
	flags.StringVar(&f.ranks, "ranks", "",
		"`FILE` of lines RANK,DOMAIN, such as Tranco's CSV, as it is or in gzip: fills the column rank_stratum of "+
			"host_stats and robots_policies")
}

// addVerify adds the flag of commands that may read archives.
func (f *evaluateFlags) addVerify(flags *pflag.FlagSet) {
	flags.BoolVar(&f.verify, "verify", false,
		"read the records of suspected violations that an index reports, where the index says that they are")
}

// evaluation is what evaluateFlags resolve to.
type evaluation struct {
	options evaluate.Options
	failOn  []string
	only    []string      // tables to be written; nil: all
	full    bool          // print all of the summary
	verify  bool          // read the records that indexes name
	tokens  []string      // that the options give
	ranks   *report.Ranks // nil: none
}

// resolve checks the options and reads the files that they name.
func (f *evaluateFlags) resolve() (e evaluation, err error) {
	e.full, e.verify = f.full, f.verify
	e.options.Rate, e.options.Crawler, e.options.Decided = f.rate, f.crawler, new(atomic.Int64)
	if e.options.Profile, err = robots.ParseProfile(f.profile); err != nil {
		return e, usageErrorf("--profile: %v", err)
	}
	e.failOn = f.failOn
	if err := f.checkTables(); err != nil {
		return e, err
	}
	if len(f.tables) > 0 {
		e.only = f.tables
	}
	if e.options.AsOf, err = parseAsOf(f.asOf); err != nil {
		return e, err
	}
	if e.options.CrawlerMap, err = f.resolveCrawler(); err != nil {
		return e, err
	}
	if e.options.Agents, err = f.resolveAgents(); err != nil {
		return e, err
	}
	e.options.Uses = f.uses()
	e.options.Policies, _ = evaluate.ParsePolicyTokens(f.policies) // one of the choices
	if e.only != nil && !slices.Contains(e.only, report.PoliciesTable.Name) {
		e.options.Policies = evaluate.PoliciesNone
	}
	if e.options.PolicyBodies = f.bodies; f.bodies && e.options.Policies == evaluate.PoliciesNone {
		return e, usageErrorf("--policy-bodies needs rows of robots_policies: leave out --policies none, and name " +
			"it in --tables")
	}
	if f.ranks != "" {
		if e.ranks, err = report.ReadRanks(f.ranks); err != nil {
			return e, usageErrorf("--ranks: %v", err)
		}
	}
	e.tokens = append([]string{f.crawler}, e.options.Agents...)
	for _, rule := range e.options.CrawlerMap {
		e.tokens = append(e.tokens, rule.Token)
	}
	return e, nil
}

// checkTables checks that there will be the tables of --tables.
func (f *evaluateFlags) checkTables() error {
	for _, name := range f.tables {
		if !slices.Contains(report.TableNames(), name) {
			return usageErrorf("--tables %q: there is no such table; %s", name,
				advice(name, "", report.TableNames(), "'robotsaudit schema' lists them"))
		}
	}
	for _, table := range []report.Table{report.GroupVerdictsTable.Table, report.RobotsAgentsTable.Table} {
		if slices.Contains(f.tables, table.Name) && len(f.agents)+len(f.categories) == 0 && f.agentsFile == "" {
			return usageErrorf("--tables %s is of a what-if: add %s", table.Name, strings.Join(table.With, " or "))
		}
	}
	return nil
}

// resolveAgents lists the tokens of the what-if.
func (f *evaluateFlags) resolveAgents() ([]string, error) {
	for _, token := range f.agents {
		if fault := agents.TokenFault(token); fault != "" {
			return nil, usageErrorf("--agent %q is no product token: %s", token, fault)
		}
	}
	list := slices.Clone(f.agents)
	for _, category := range f.categories {
		if _, ok := agents.InCategory(category); !ok {
			return nil, usageErrorf("--agents: unknown category %q: use %s, or --agent for a token", category,
				strings.Join(agents.Names(), ", "))
		}
		list = append(list, tokensOf(category)...)
	}
	if f.agentsFile != "" {
		more, err := readTokens(f.agentsFile)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return evaluate.DistinctTokens(list), nil
}

// tokensOf lists the tokens of a category that a robots.txt can name.
func tokensOf(category string) (tokens []string) {
	found, _ := agents.InCategory(category)
	for _, a := range found {
		if agents.TokenFault(a.Token) == "" {
			tokens = append(tokens, a.Token)
		}
	}
	return tokens
}

// uses lists the purposes of --purpose, each once.
func (f *evaluateFlags) uses() (uses []tag.Use) {
	for _, purpose := range f.purposes {
		use, _ := tag.ParseUse(purpose) // one of the choices
		uses = append(uses, use)
	}
	slices.Sort(uses)
	return slices.Compact(uses)
}

// warn names tokens that may not do what their user means.
func (e *evaluation) warn(log *slog.Logger) {
	for _, token := range e.tokens {
		if doubt := agents.TokenDoubt(token); doubt != "" {
			log.Warn(doubt)
		}
	}
}

// resolveCrawler checks who is said to have made the archives.
func (f *evaluateFlags) resolveCrawler() (evaluate.CrawlerMap, error) {
	switch {
	case f.crawler != "" && f.crawlerMap != "":
		return nil, usageErrorf("--crawler and --crawler-map both say who made the archives: leave out --crawler, "+
			"and end the map with the line * => %s", f.crawler)
	case f.crawlerMap != "":
		return readCrawlerMap(f.crawlerMap)
	case f.crawler == "":
		return nil, nil
	}
	if fault := agents.TokenFault(f.crawler); fault != "" {
		return nil, usageErrorf("--crawler %q is no product token: %s", f.crawler, fault)
	}
	if fault := agents.ControlTokenFault(f.crawler); fault != "" {
		return nil, usageErrorf("--crawler %s", fault)
	}
	return nil, nil
}

// parseAsOf reads --as-of: a date, which is the whole day in UTC, or an RFC 3339 date-time; today or now.
func parseAsOf(s string) (evaluate.AsOf, error) {
	switch s {
	case "":
		return evaluate.AsOf{}, nil
	case "today":
		return evaluate.AsOfDay(time.Now()), nil
	case "now":
		return evaluate.AsOfMoment(time.Now().Truncate(time.Second)), nil
	}
	at, err := evaluate.ParseAsOf(s)
	if err != nil {
		return at, usageErrorf("--as-of %v; write it as 2025-03-01, which is the whole day in UTC, or with a time "+
			"and a zone as 2025-03-01T12:00:00Z; or today or now", err)
	}
	return at, nil
}

var errNoMoment = errors.New("no moment")

// parseMoment reads a moment; the zero time where nothing is given.
func parseMoment(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range [...]string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil && t.UTC().Year() >= 1 && !t.IsZero() {
			return t, nil
		}
	}
	return time.Time{}, errNoMoment
}
