package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/figures"
	"github.com/robotsaudit/robotsaudit/report/prose"
	"github.com/robotsaudit/robotsaudit/report/results"
)

const decideHelp = `A fetch that robots.txt disallowed is in one of four classes. The table violations holds
the certain and the probable ones and nothing else; unproven holds the possible ones
(nothing shows that this crawler had that robots.txt in time) and the contested ones (a copy that it
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
	var out outfolder.WriteFlags
	var e evaluation
	cmd := &cobra.Command{
		Use:   "evaluate DIR",
		Short: "Decide again what was ingested into DIR",
		Long: `Decide every fetch of the archives that 'robotsaudit ingest' or 'audit' has read into
DIR, and write tables, report and summary anew. The archives themselves are needed only where
a robots.txt was redirected to a page that lies far from it, and for --verify.

` + decideHelp + "\n\n" + usage.FailOnExitHelp,
		Example: `  robotsaudit evaluate out --agent GPTBot --agent CCBot
  robotsaudit evaluate out --crawler-map crawlers.txt
  robotsaudit evaluate out --agents ai --purpose train --as-of 2025-03-01
  robotsaudit evaluate out --profile google`,
	}
	out.AddTo(cmd.Flags(), outfolder.HasFacts, true)
	usage.AddWorkers(cmd.Flags(), &e.options.Workers, "parts of the hosts decided at a time")
	e.add(cmd.Flags())
	e.addVerify(cmd.Flags())
	inputs.AddBase(cmd.Flags(), inputs.VerifiedArchives)
	inputs.AddRemote(cmd.Flags())
	outfolder.RunOn(cmd, &out.Output, 0, func(cmd *cobra.Command, _ []string) error {
		return e.run(cmd, &out, func(j *outfolder.Job) error {
			if err := outfolder.MayHoldFacts(j.Output); err != nil {
				return err
			}
			return j.Hold(true, nil, func() error { return j.WithFacts(nil, func() error { return decide(j, &e) }) })
		})
	})
	return cmd
}

// run checks the options, runs do in the output folder that flags name, and reports the result.
func (e *evaluation) run(cmd *cobra.Command, out *outfolder.WriteFlags, do func(*outfolder.Job) error) error {
	if err := e.resolve(); err != nil {
		return err
	}
	return out.Run(cmd, e.warn, do)
}

// decide decides, writes the tables and the report, and prints the summary.
func decide(j *outfolder.Job, e *evaluation) error {
	e.warnOfRemoval(j.Log, j.Output)
	e.chooseTables(j.Facts)
	if e.verify {
		if err := verifySuspected(j, e); err != nil {
			return err
		}
	}
	stop := watchDeciding(j, e)
	audit, err := e.writeTables(j.Cmd.Context(), j.Log, j.Output, j.Facts)
	stop()
	if err != nil {
		return err
	}
	j.Totals, j.Fresh = &audit.Totals, e.fresh
	return e.tellResults(j.Cmd, j.Output, audit)
}

// watchDeciding shows how many fetches are decided, until stop is called.
func watchDeciding(j *outfolder.Job, e *evaluation) (stop func()) {
	return console.Watch(j.Cmd, j.Log, console.Gauge{
		What: "deciding", Done: e.options.Decided.Load, Total: func() int64 { return j.Facts.Totals.Fetches },
		Unit: func(n int64) string { return report.Count(n, "fetch") }, UnitName: "fetches",
	})
}

// tellResults writes the report of the tables in dir, and prints the summary and where the results are.
func (e *evaluation) tellResults(cmd *cobra.Command, dir string, audit *report.Audit) error {
	written := fmt.Sprintf("Written to %s: report.html, audit.json and %s.", dir,
		report.Count(int64(len(audit.Tables)), "table"))
	if e.ofIndex {
		written += " As indexes report the fetches, these are the tables of --tables verdicts; --tables all writes all."
	}
	r := reportFlags{output: dir, figures: e.figures}
	if !e.writes(report.Set(report.VerdictsSet)...) {
		written = fmt.Sprintf("Written to %s: audit.json and %s. There is no report.html: it needs --tables verdicts.", dir,
			report.Count(int64(len(audit.Tables)), "table"))
	} else if err := r.run(cmd); err != nil {
		return err
	}
	if console.WantsSummary(cmd) {
		counted, options := cmp.Or(r.figures, figures.New(nil)), textOptions(cmd, e.full)
		if r.written != nil {
			options.Dir = prose.ShellWord(dir)
		}
		if err := counted.WriteText(cmd.OutOrStdout(), audit, options); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "\n%s\n", written)
	}
	// Of what --fail-on names, the first that is there counts; without it, input that was not wholly read does.
	for _, what := range append(slices.Clone(e.failOn), failOnUnread) {
		switch {
		case what == failOnViolations && audit.Totals.Violations > 0, what == failOnNew && *e.fresh > 0:
			return usage.ExitViolations
		case what == failOnUnread && audit.Totals.InputsNotWhollyRead > 0:
			return usage.ExitUnread
		}
	}
	return nil
}

// textOptions are how a summary is written to standard output.
func textOptions(cmd *cobra.Command, full bool) figures.TextOptions {
	opt := figures.TextOptions{Full: full, Colours: console.IsTerminal(cmd.OutOrStdout()) && os.Getenv("NO_COLOR") == ""}
	if console.IsTerminal(cmd.OutOrStdout()) {
		opt.Width = console.Width(cmd.OutOrStdout())
	}
	return opt
}

// Values of --fail-on.
const (
	failOnViolations = "violations"
	failOnNew        = "new-violations"
	failOnUnread     = "unread"
)

// warnOfRemoval names the content of the tables in dir that the tables of this run will lack: what
// other crawlers would have been allowed, and what is said against a use.
func (e *evaluation) warnOfRemoval(log *slog.Logger, dir string) {
	before, err := results.Open(dir)
	if err != nil {
		return // there are none, or none that can be read
	}
	settings := &before.Audit().Settings
	if lost := without(settings.Purposes, e.purposes); len(lost) > 0 {
		log.Warn(fmt.Sprintf("this run does not ask what is said against the use %s, so it removes the restrictions "+
			"that the run before found; "+
			"give --purpose again to keep them", strings.Join(lost, " and ")))
	}
	if tokens := settings.Agents; len(tokens) > 0 && len(e.options.Agents) == 0 {
		log.Warn(fmt.Sprintf("this run asks about no other crawler, so it removes what the run before found for %s "+
			"(%s); give --agent or --agents again to keep it",
			report.Count(int64(len(tokens)), "token"), report.Shown(strings.Join(tokens, ", "), 60)))
	}
}

func (e *evaluation) writeTables(ctx context.Context, log *slog.Logger, dir string, facts *facts.Set) (*report.Audit,
	error,
) {
	var before *baseline
	if slices.Contains(e.failOn, failOnNew) {
		var err error
		if before, err = e.keepBaseline(log, dir, facts); err != nil {
			return nil, err
		}
	}
	w, err := report.NewWriter(dir, facts, e.options)
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	w.Rank(e.ranks)
	w.Only(e.tables)
	e.figures = figures.New(w.Inputs())
	w.Count(e.figures)
	totals, err := evaluate.Run(ctx, facts, e.options, w)
	if err != nil {
		return nil, err
	}
	e.warnOfIdle(log, totals)
	audit, err := w.Commit(totals)
	if err == nil && before != nil {
		e.fresh = new(int64)
		*e.fresh, err = before.compare(ctx, log)
	}
	return audit, err
}

// warnOfIdle names tokens and rules that no fetch had to do with.
func (e *evaluation) warnOfIdle(log *slog.Logger, totals *evaluate.Totals) {
	if totals.AgentUnseen {
		log.Warn(fmt.Sprintf("no request's User-Agent holds the token %s (RFC 9309 §2.2.1 requires it); is it the right one?", e.options.Crawler))
	}
	for _, rule := range totals.IdleRules {
		log.Warn(fmt.Sprintf("--crawler-map: no fetch has its token by the rule %s; is the pattern that of a whole "+
			"User-Agent?", rule))
	}
}

// evaluation is how fetches are decided, and what becomes of the results: by flags, the last of which resolve
// turns into options.
type evaluation struct {
	options evaluate.Options
	failOn  []string
	tables  []string // to be written, by name or set; nil: no choice was made
	ofIndex bool     // so they are the tables for indexes
	full    bool     // print all of the summary
	fresh   *int64   // new violations; nil: not counted
	verify  bool     // read the records that indexes name
	tokens  []string // that the options give
	ranks   *report.Ranks
	figures *figures.Figures // of the report, once the tables are written; nil: none, or they are to be read

	profile, asCrawler, crawlerMap, agentsFile, asOf, policies, ranksFile string
	agents, categories, purposes                                          []string
}

func (e *evaluation) add(flags *pflag.FlagSet) {
	e.addSettings(flags)
	e.addOutcome(flags)
}

// addOutcome adds what no table depends on.
func (e *evaluation) addOutcome(flags *pflag.FlagSet) {
	flags.BoolVar(&e.full, "full", false, "print all of the summary, not its first twenty lines or so")
	flags.StringSliceVar(&e.failOn, "fail-on", nil,
		"`WHAT` decides the exit code: violations (10), new-violations (10 for those that the run before in DIR did "+
			"not have), unread (3 for unread input, as without this flag), or several, as in unread,violations: the "+
			"first that there is")
}

// addSettings adds what tables depend on.
func (e *evaluation) addSettings(flags *pflag.FlagSet) {
	usage.AddProfile(flags, &e.profile)
	flags.StringVar(&e.asCrawler, "as-crawler", evaluate.AsCrawlerAuto,
		"whose own parser own_reading is of: auto (what the archives name: warcinfo, else the User-Agent), none, or "+
			"`NAME` of one of the parsers that differ from RFC 9309")
	flags.StringSliceVar(&e.tables, "tables", nil,
		"write these `TABLES` alone, by name as in violations,host_stats, or by set: verdicts (what report.html needs) or "+
			"all; without this flag verdicts where indexes report nine of ten fetches, else all")
	flags.StringVar(&e.asOf, "as-of", "",
		"judge the what-if (--agent, --agents) and restrictions (--purpose) as of `DATE`, in place of each fetch's "+
			"own time: 2025-03-01 (the whole day, UTC), 2025-03-01T12:00:00Z, today or now")
	flags.StringVar(&e.options.Crawler, "crawler", "",
		"product `TOKEN` of the crawler that made the archives, instead of the one in each request's User-Agent")
	flags.StringVar(&e.crawlerMap, "crawler-map", "",
		"`FILE` of the same for some User-Agents, one rule a line: PATTERN => TOKEN (see above)")
	flags.StringArrayVar(&e.agents, "agent", nil,
		"also decide what product token `TOKEN` would have been allowed (repeatable)")
	flags.StringVar(&e.agentsFile, "agents-file", "", "`FILE` of more such tokens, one a line; # begins a comment")
	flags.StringArrayVar(&e.categories, "agents", nil,
		"more such tokens: all that 'robotsaudit agents' lists of `CATEGORY` "+strings.Join(agents.Names(), ", ")+
			" (repeatable)")
	flags.StringArrayVar(&e.purposes, "purpose", nil,
		"what the archives are for: archive, index or train (repeatable); what pages and origins say against "+
			"`PURPOSE` is then a row of restrictions, of kind publication or usage")
	flags.BoolVar(&e.options.Rate, "rate", false,
		"write each fetch that came sooner than Crawl-delay wants to crawl_delays")
	flags.StringVar(&e.policies, "policies", evaluate.PoliciesAsked.String(),
		"`WHOM` the table robots_policies is about: asked (*, the crawlers of the archives, --agent and the like), "+
			"named (these, and all that the file names) or none")
	flags.BoolVar(&e.options.PolicyBodies, "policy-bodies", false,
		"put the text of each robots.txt into robots_policies, in the row of *")
	flags.StringVar(&e.ranksFile, "ranks", "",
		"`FILE` of lines RANK,DOMAIN, such as Tranco's CSV, as it is or in gzip: fills the column rank_stratum of "+
			"host_stats and robots_policies")
}

// addVerify adds the flag of commands that may read archives.
func (e *evaluation) addVerify(flags *pflag.FlagSet) {
	flags.BoolVar(&e.verify, "verify", false,
		"read the records of suspected violations that an index reports, where the index says that they are")
}

// resolve checks the options and reads the files that they name.
func (e *evaluation) resolve() (err error) {
	e.options.Decided = new(atomic.Int64)
	if e.options.Profile, err = robots.ParseProfile(e.profile); err != nil {
		return usage.Errorf("--profile: %v", err)
	}
	if e.asCrawler != evaluate.AsCrawlerAuto {
		e.options.AsCrawler = e.asCrawler
	}
	for _, table := range []report.Table{report.GroupVerdictsTable.Table, report.RobotsAgentsTable.Table} {
		if slices.Contains(e.tables, table.Name) && len(e.agents)+len(e.categories) == 0 && e.agentsFile == "" {
			return usage.Errorf("--tables %s is of a what-if: add %s", table.Name, strings.Join(table.With, " or "))
		}
	}
	names := append([]string{report.VerdictsSet, report.AllSet}, report.TableNames()...)
	var tables []string
	for _, name := range e.tables {
		if !slices.Contains(names, name) {
			return usage.Errorf("--tables %q: there is no such table, and no such set of tables; %s", name,
				usage.Suggest(name, "", names, "the sets are verdicts and all, the tables "+
					strings.Join(report.TableNames(), ", ")))
		}
		if tables = append(tables, report.Set(name)...); report.Set(name) == nil {
			tables = append(tables, name)
		}
	}
	e.tables = tables
	if slices.Contains(e.failOn, failOnNew) && !e.writes(report.ViolationsTable.Name) {
		return usage.Errorf("--fail-on new-violations compares tables violations: name it in --tables")
	}
	if e.options.AsOf, err = usage.Date("as-of", e.asOf); err != nil {
		return err
	}
	if e.options.CrawlerMap, err = e.resolveCrawler(); err != nil {
		return err
	}
	if e.options.Agents, err = e.resolveAgents(); err != nil {
		return err
	}
	e.options.Uses = e.uses()
	e.options.Policies, _ = evaluate.ParsePolicyTokens(e.policies) // one of the choices
	if !e.writes(report.PoliciesTable.Name) {
		e.options.Policies = evaluate.PoliciesNone
	}
	if e.options.PolicyBodies && e.options.Policies == evaluate.PoliciesNone {
		return usage.Errorf("--policy-bodies needs rows of robots_policies: leave out --policies none, and name " +
			"it in --tables")
	}
	if e.ranksFile != "" {
		if e.ranks, err = report.ReadRanks(e.ranksFile); err != nil {
			return usage.Errorf("--ranks: %v", err)
		}
	}
	e.tokens = append([]string{e.options.Crawler}, e.options.Agents...)
	for _, rule := range e.options.CrawlerMap {
		e.tokens = append(e.tokens, rule.Token)
	}
	return nil
}

// writes reports whether all of some tables are to be written.
func (e *evaluation) writes(names ...string) bool {
	return e.tables == nil || !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(e.tables, n) })
}

// chooseTables leaves out, where no option chooses tables, what costs most and shows least of fetches that
// indexes report.
func (e *evaluation) chooseTables(set *facts.Set) {
	if e.tables != nil || e.policies != evaluate.PoliciesAsked.String() || e.options.PolicyBodies {
		return
	}
	var rows, read int64 // fetches in indexes, and in archives but for robots.txt
	for in, err := range set.Results(context.Background()) {
		if err != nil {
			return // who needs the file of inputs reports that
		}
		if in.Records[facts.TypeIndexed.String()] > 0 {
			rows += in.Fetches
		} else {
			read += max(in.Fetches-in.Robots, 0) // a table of robots.txt has no fetches
		}
	}
	if e.ofIndex = rows > 9*read; e.ofIndex {
		e.tables, e.options.Policies = report.Set(report.VerdictsSet), evaluate.PoliciesNone
	}
}

// addLists adds what decides which fetches a list drops.
func (e *evaluation) addLists(flags *pflag.FlagSet) {
	flags.StringArrayVar(&e.agents, "agent", nil,
		"what robots.txt says to product token `TOKEN` counts (repeatable)")
	flags.StringVar(&e.agentsFile, "agents-file", "",
		"`FILE` of more such tokens, one a line; # begins a comment")
	flags.StringArrayVar(&e.categories, "agents", nil,
		"more such tokens: all that 'robotsaudit agents' lists of `CATEGORY` "+strings.Join(agents.Names(), ", ")+
			" (repeatable)")
	flags.StringArrayVar(&e.purposes, "purpose", nil,
		"what pages and origins say against `PURPOSE` counts, too: archive, index or train (repeatable)")
}

// resolveAgents lists the tokens of the what-if.
func (e *evaluation) resolveAgents() ([]string, error) {
	for _, token := range e.agents {
		if fault := agents.TokenFault(token); fault != "" {
			return nil, usage.Errorf("--agent %q is no product token: %s", token, fault)
		}
	}
	list := slices.Clone(e.agents)
	for _, category := range e.categories {
		if _, ok := agents.InCategory(category); !ok {
			return nil, usage.Errorf("--agents: unknown category %q: use %s, or --agent for a token", category,
				strings.Join(agents.Names(), ", "))
		}
		list = append(list, agents.Tokens(category)...)
	}
	if e.agentsFile != "" {
		more, err := readTokens(e.agentsFile)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return evaluate.DistinctTokens(list), nil
}

// uses lists the purposes of --purpose, each once.
func (e *evaluation) uses() (uses []tag.Use) {
	for _, purpose := range e.purposes {
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
func (e *evaluation) resolveCrawler() (evaluate.CrawlerMap, error) {
	switch {
	case e.options.Crawler != "" && e.crawlerMap != "":
		return nil, usage.Errorf("--crawler and --crawler-map both say who made the archives: leave out --crawler, "+
			"and end the map with the line * => %s", e.options.Crawler)
	case e.crawlerMap != "":
		return readCrawlerMap(e.crawlerMap)
	case e.options.Crawler == "":
		return nil, nil
	}
	if fault := agents.TokenFault(e.options.Crawler); fault != "" {
		return nil, usage.Errorf("--crawler %q is no product token: %s", e.options.Crawler, fault)
	}
	if fault := agents.ControlTokenFault(e.options.Crawler); fault != "" {
		return nil, usage.Errorf("--crawler %s", fault)
	}
	return nil, nil
}
