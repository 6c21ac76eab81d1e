// Package evaluation is how commands have fetches decided: the flags that say how, the files that these name, the
// tables that they choose, and the violations that the run before did not have.
package evaluation

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/figures"
)

// Help says where verdicts are explained.
const Help = `The table violations holds disallowed fetches that are certain or probable, unproven the others.
docs/SEMANTICS.md explains the classes, and whose rules a fetch has to obey.`

// Flags are how fetches are decided, and what becomes of the results.
type Flags struct {
	Asked
	Tables []string // to be written, by name or set; nil: no choice was made
	Full   bool     // print all of the summary
	Verify bool     // read the records that indexes name

	profile, crawler, policies string
	failOn                     []string

	// Of Resolve.
	Options evaluate.DecideOptions
	tokens  []string // that the options give crawlers

	OfIndex bool // of Prepare: the tables are those for indexes

	// Of WriteTables.
	Figures *figures.Figures // of the report; nil: none, or they are to be read
	Fresh   *int64           // new violations; nil: not counted
}

// AddTo adds the flags of a run that decides at once.
func (e *Flags) AddTo(flags *pflag.FlagSet) {
	e.AddSettings(flags)
	e.AddOutcome(flags)
}

// AddOutcome adds what no table depends on.
func (e *Flags) AddOutcome(flags *pflag.FlagSet) {
	flags.BoolVar(&e.Full, "full", false, "print a longer summary")
	flags.StringSliceVar(&e.failOn, "fail-on", nil,
		"`WHAT` decides the exit code: violations (10), new-violations (10; against the run before in DIR), unread (3) "+
			"or several, as in unread,violations: the first that there is")
}

// AddSettings adds what tables depend on.
func (e *Flags) AddSettings(flags *pflag.FlagSet) {
	usage.AddProfile(flags, &e.profile)
	flags.StringSliceVar(&e.Tables, "tables", nil,
		"write these `TABLES` alone, as in violations,host_stats, or a set: all, or verdicts (what report.html needs; the "+
			"default where indexes report nine of ten fetches)")
	flags.StringVar(&e.AsOf, "as-of", "",
		"judge --agents and --purpose as of `DATE`: 2025-03-01 (UTC), 2025-03-01T12:00:00Z, today or now")
	flags.StringVar(&e.crawler, "crawler", "",
		"product `TOKEN` of the crawler that made the archives, if User-Agents do not name it; or @FILE with lines "+
			"PATTERN => TOKEN")
	e.addAgents(flags, "also decide what these crawlers would have been allowed")
	flags.StringArrayVar(&e.Purposes, "purpose", nil,
		"find what pages and origins say against `PURPOSE`: archive, index or train (repeatable)")
	flags.StringVar(&e.policies, "policies", evaluate.PoliciesAsked.String(),
		"`WHOM` robots_policies is about: asked (*, the archives' crawlers, --agents), named (and all in robots.txt) or none")
}

// AddVerify adds the flag of commands that may read archives.
func (e *Flags) AddVerify(flags *pflag.FlagSet) {
	flags.BoolVar(&e.Verify, "verify", false,
		"read the records of suspected violations that an index reports")
}

// Resolve checks the options and reads the files that they name.
func (e *Flags) Resolve() (err error) {
	e.Options.Decided = new(atomic.Int64)
	if e.Options.Profile, err = evaluate.ParseProfile(e.profile); err != nil {
		return usage.Errorf("--profile: %v", err)
	}
	for _, table := range []report.Table{report.GroupVerdictsTable.Table, report.RobotsAgentsTable.Table} {
		if slices.Contains(e.Tables, table.Name) && len(e.agents) == 0 {
			return usage.Errorf("--tables %s is of a what-if: add %s", table.Name, strings.Join(table.With, " or "))
		}
	}
	names := append([]string{report.VerdictsSet, report.AllSet}, report.TableNames()...)
	var tables []string
	for _, name := range e.Tables {
		if !slices.Contains(names, name) {
			return usage.Errorf("--tables %q: there is no such table, and no such set of tables; %s", name,
				usage.Suggest(name, "", names, "the sets are verdicts and all, the tables "+
					strings.Join(report.TableNames(), ", ")))
		}
		if tables = append(tables, report.Set(name)...); report.Set(name) == nil {
			tables = append(tables, name)
		}
	}
	e.Tables = tables
	if slices.Contains(e.failOn, failOnNew) && !e.writes(report.ViolationsTable.Name) {
		return usage.Errorf("--fail-on new-violations compares tables violations: name it in --tables")
	}
	if e.Options.AsOf, err = usage.Date("as-of", e.AsOf); err != nil {
		return err
	}
	if err = e.resolveCrawler(); err != nil {
		return err
	}
	if e.Options.Agents, err = e.Tokens(); err != nil {
		return err
	}
	e.Options.Uses = e.Uses()
	e.Options.Policies, _ = evaluate.ParsePolicyTokens(e.policies) // one of the choices
	if !e.writes(report.PoliciesTable.Name) {
		e.Options.Policies = evaluate.PoliciesNone
	}
	e.tokens = []string{e.Options.Crawler}
	for _, rule := range e.Options.CrawlerMap {
		e.tokens = append(e.tokens, rule.Token)
	}
	return nil
}

// Warn names tokens that may not do what their user means.
func (e *Flags) Warn(log *slog.Logger) {
	for _, token := range e.Options.Agents {
		if doubt := cmp.Or(agents.CategoryDoubt(token), agents.TokenDoubt(token)); doubt != "" {
			log.Warn(doubt)
		}
	}
	for _, token := range e.tokens {
		if doubt := agents.TokenDoubt(token); doubt != "" {
			log.Warn(doubt)
		}
	}
}

// resolveCrawler reads who is said to have made the archives.
func (e *Flags) resolveCrawler() (err error) {
	if path, isFile := strings.CutPrefix(e.crawler, "@"); isFile {
		e.Options.CrawlerMap, err = readCrawlerMap(path)
		return err
	}
	if e.Options.Crawler = e.crawler; e.crawler == "" {
		return nil
	}
	if fault := agents.TokenFault(e.crawler); fault != "" {
		return usage.Errorf("--crawler %q is no product token: %s", e.crawler, fault)
	}
	if fault := agents.ControlTokenFault(e.crawler); fault != "" {
		return usage.Errorf("--crawler %s", fault)
	}
	return nil
}
