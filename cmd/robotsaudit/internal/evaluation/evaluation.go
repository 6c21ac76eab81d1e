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
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/figures"
)

// Help explains verdicts, and who made a fetch.
const Help = `A fetch that robots.txt disallowed is in one of four classes. The table violations holds
the certain and the probable ones and nothing else; unproven holds the possible ones
(nothing shows that this crawler had that robots.txt in time) and the contested ones (a copy that it
may have used, or another reading of the specifications, allows them). restrictions (with
--purpose) holds what pages and origins say against publication or use: no violations.

The crawler is the one that its User-Agent names: CCBot/2.0 is CCBot, a browser's names nobody.
Where that is wrong, --crawler TOKEN gives the token for all fetches, --crawler @FILE for some:

  # PATTERN => TOKEN; the first rule whose pattern matches counts
  Mozilla/5.0 (X11;*HeadlessChrome/* => Browsertrix
  Wget/* => -
  - => MyCrawler

A pattern is of the whole User-Agent, in any case; * stands for any text. As pattern, - is
a fetch without a User-Agent; as token, a crawler that is not known.`

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
	flags.BoolVar(&e.Full, "full", false, "print a longer summary: more of each list, and crawlers, sites and captures of robots.txt")
	flags.StringSliceVar(&e.failOn, "fail-on", nil,
		"`WHAT` decides the exit code: violations (10), new-violations (10 for those that the run before in DIR did "+
			"not have), unread (3 for unread input, as without this flag), or several, as in unread,violations: the "+
			"first that there is")
}

// AddSettings adds what tables depend on.
func (e *Flags) AddSettings(flags *pflag.FlagSet) {
	usage.AddProfile(flags, &e.profile)
	flags.StringSliceVar(&e.Tables, "tables", nil,
		"write these `TABLES` alone, by name as in violations,host_stats, or by set: verdicts (what report.html needs) or "+
			"all; without this flag verdicts where indexes report nine of ten fetches, else all")
	flags.StringVar(&e.AsOf, "as-of", "",
		"judge the what-if (--agents) and restrictions (--purpose) as of `DATE`, in place of each fetch's "+
			"own time: 2025-03-01 (the whole day, UTC), 2025-03-01T12:00:00Z, today or now")
	flags.StringVar(&e.crawler, "crawler", "",
		"product `TOKEN` of the crawler that made the archives, instead of the one in each request's User-Agent; or "+
			"@FILE, for some User-Agents, with lines PATTERN => TOKEN (see above)")
	e.addAgents(flags, "also decide what these crawlers would have been allowed")
	flags.StringArrayVar(&e.Purposes, "purpose", nil,
		"what the archives are for: archive, index or train (repeatable); what pages and origins say against "+
			"`PURPOSE` is then a row of restrictions, of kind publication or usage")
	flags.StringVar(&e.policies, "policies", evaluate.PoliciesAsked.String(),
		"`WHOM` the table robots_policies is about: asked (*, the crawlers of the archives, --agents), "+
			"named (these, and all that the file names) or none")
}

// AddVerify adds the flag of commands that may read archives.
func (e *Flags) AddVerify(flags *pflag.FlagSet) {
	flags.BoolVar(&e.Verify, "verify", false,
		"read the records of suspected violations that an index reports, where the index says that they are")
}

// Resolve checks the options and reads the files that they name.
func (e *Flags) Resolve() (err error) {
	e.Options.Decided = new(atomic.Int64)
	if e.Options.Profile, err = robots.ParseProfile(e.profile); err != nil {
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
