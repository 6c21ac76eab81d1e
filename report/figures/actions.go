package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// prohibition is how robots.txt forbids a fetch: what to do depends on it.
type prohibition int

const (
	byName    prohibition = iota // a group names the crawler
	byWhole                      // the whole site, to all crawlers
	byPath                       // a path, to all crawlers
	byFailure                    // robots.txt failed
	prohibitions
)

func prohibitionOf(row *report.ViolationRow) prohibition {
	switch {
	case row.Rule == "":
		return byFailure
	case row.AgentMatch == "exact" || row.AgentMatch == "google":
		return byName
	}
	_, pattern, _ := strings.Cut(row.Rule, ":")
	pattern, _, _ = strings.Cut(pattern, "#")
	if pattern = strings.TrimSpace(pattern); pattern == "/" || pattern == "*" || pattern == "/*" {
		return byWhole
	}
	return byPath
}

// Causes for which there is something to do, besides the prohibitions.
const (
	CauseUnproven = "unproven"
	CauseUnknown  = "unknown"
	CauseUse      = "use"
	CauseUnread   = "unread"
	CauseForged   = "forged" // of access logs
)

// reasonsWhy are why crawlers made violations, as far as the archives show it: what to do about it, besides what the
// prohibitions say.
var reasonsWhy = [...]struct {
	document.Class
	holds func(*report.ViolationRow) bool
}{
	{
		document.Class{ID: "ignored", Label: "Violations by a crawler that was set to ignore robots.txt", Meaning: "The warcinfo " +
			"record says so. They are counted before, too.", Action: "Have the crawler obey it, or write down why not."},
		func(row *report.ViolationRow) bool { return words.Ignores(row.Claim) },
	},
	{
		document.Class{ID: "parser", Label: "Violations that the crawler’s own parser allows", Meaning: "The crawler reads " +
			"robots.txt otherwise than RFC 9309 does (own_reading). They are counted before, too.", Action: "Exclude these " +
			"paths in its settings, or use a release that reads them."},
		func(row *report.ViolationRow) bool { return row.OwnReading == words.Allowed.String() },
	},
}

// IsWhy reports whether a violation is one of those that a cause counts of reasonsWhy; known: it is such a cause.
func IsWhy(cause string, row *report.ViolationRow) (is, known bool) {
	for _, r := range &reasonsWhy {
		if r.ID == cause {
			return r.holds(row), true
		}
	}
	return false, false
}

// whyTally counts violations by reasonsWhy. One may count twice.
type whyTally [len(reasonsWhy)]int64

func (t *whyTally) add(row *report.ViolationRow) {
	for i := range &reasonsWhy {
		if reasonsWhy[i].holds(row) {
			t[i]++
		}
	}
}

// Causes lists the causes under "What to do". 'robotsaudit export' lists what each counts.
func Causes() (names []string) {
	for _, a := range actions {
		names = append(names, a.ID)
	}
	for _, r := range &reasonsWhy {
		names = append(names, r.ID)
	}
	return append(names, CauseUnproven, CauseUnknown, CauseUse, CauseUnread, CauseForged)
}

// CauseOf is the cause of a violation.
func CauseOf(row *report.ViolationRow) string { return actions[prohibitionOf(row)].ID }

// actions are what to do about violations, by prohibition.
var actions = [prohibitions]document.Class{
	{ID: "named", Label: "robots.txt names the crawler", Meaning: "A group of robots.txt for this crawler by name " +
		"forbids these fetches.", Action: "Take the sites or paths off its list, or ask the site to permit it."},
	{ID: "whole", Label: "The whole site is closed to all crawlers", Meaning: "robots.txt forbids the whole site to each crawler " +
		"that it does not name.", Action: "Take the sites off the list, or ask the site to permit this crawler by name."},
	{ID: "path", Label: "A path is closed to all crawlers", Meaning: "A rule forbids these paths to each crawler that robots.txt " +
		"does not name.", Action: "Check that the crawler applies such rules before each fetch, also after a redirect."},
	{ID: "failed", Label: "robots.txt failed", Meaning: "While robots.txt answers with 5xx, or not at all, RFC 9309 " +
		"(section 2.3.1.4) takes everything as forbidden.", Action: "Let the crawler leave the site alone, and ask for " +
		"robots.txt again later."},
}

// ownActions are what the owner of a site does about violations, by prohibition.
var ownActions = [prohibitions]string{
	byName:  "Block the crawler, write to its operator%s, or correct the rule.",
	byWhole: "Block the crawler, write to its operator%s, or permit it by name in robots.txt.",
	byPath:  "Block the crawler, write to its operator%s, or correct the rule.",
	byFailure: "Let the server answer for robots.txt: as long as it fails, everything is forbidden to each crawler. One " +
		"that goes on all the same you can block, or write to its operator%s.",
}

// actionSection says what to do about violations, and about all else that leaves a question.
func (f *Figures) actionSection(audit *report.Audit) document.Section {
	s, t, noun := document.Section{ID: "actions", Heading: "What to do"}, &audit.Totals, audit.Inputs.Noun()
	for by, a := range actions {
		n := f.sites.causes[by]
		if n.fetches == 0 {
			continue
		}
		table := f.sites.ruleTable("actions-"+a.ID, a.Label+": rules with most violations", prohibition(by))
		a.Count, a.Link = n.fetches, table.ID
		a.Words = fmt.Sprintf("%s on %s", report.Count(n.fetches, noun), report.Count(n.origins, "site"))
		if audit.Inputs.AreLogs() {
			a.Action = fmt.Sprintf(ownActions[by], f.crawlers.operators(f.sites.by[by]))
		}
		s.Classes, s.Tables = append(s.Classes, a), append(s.Tables, table)
	}
	for i, n := range f.why {
		if a := reasonsWhy[i].Class; n > 0 {
			if audit.Inputs.AreLogs() {
				a.Action = "Write the rules as its parser reads them, too."
			}
			a.Count, a.Words, a.Link = n, report.Count(n, noun), "violations"
			s.Classes = append(s.Classes, a)
		}
	}
	if n := f.forged.total(); n > 0 {
		s.Classes = append(s.Classes, document.Class{
			ID: CauseForged, Label: "Forged: in a crawler’s name, from elsewhere", Count: n, Words: report.Count(n, noun),
			Meaning: "The address is not among its operator’s (--ranges): somebody else sent its User-Agent.",
			Action:  "Block the addresses, which the requests’ lines in the log have.",
		})
	}
	use, of := max(t.UsageRestricted, t.PublicationRestricted), noun // whatever the purpose
	if len(audit.Settings.Purposes) > 0 {
		use, of = t.RestrictionsUsage+t.RestrictionsPublication, "restriction"
	}
	for _, a := range []document.Class{
		{ID: CauseUnproven, Label: "Disallowed, but not proven", Count: t.Unproven, Meaning: "Each finding " +
			"names what would settle it.", Action: "Add what would settle them to the archives, and audit again."},
		{ID: CauseUnknown, Label: "Unknown", Count: t.Undecided(), Meaning: "The archives do not show whether " +
			"robots.txt allowed them.", Action: "Add what the reasons name, and audit again."},
		{
			ID: CauseUse, Label: "Pages and sites that restrict their use", Count: use, Words: report.Count(use, of),
			Meaning: "No violations.", Action: "Leave these pages out of what is published, indexed or trained on, as " +
				"far as they restrict that.",
		},
	} {
		if a.Words, a.Link = cmp.Or(a.Words, report.Count(a.Count, noun)), a.ID; a.Count > 0 {
			s.Classes = append(s.Classes, a)
		}
	}
	if n := t.InputsNotWhollyRead; n > 0 {
		again := "Get the archives again, and audit again."
		if audit.Inputs.AreLogs() {
			again = "Look at the lines that the table issues names; --line-format names their format."
		}
		s.Classes = append(s.Classes, document.Class{
			ID: CauseUnread, Label: "Not wholly read", Count: n, Words: report.Count(n, "input"),
			Link: "unread", Meaning: "Fetches may be missing.", Action: again,
		})
	}
	if len(s.Classes) == 0 {
		s.Intro = []string{"Nothing: the archives leave no question."}
		return s
	}
	s.Intro = []string{"Each cause has a command that lists the rows behind it. It runs in the folder that has the tables."}
	if f.forged.total() > 0 {
		s.Intro[0] += " That for forged requests runs in the folder of the logs."
	}
	for i := range s.Classes {
		s.Classes[i].Command = f.listCommand(".", s.Classes[i].ID, audit)
		if command := f.forged.command(); s.Classes[i].ID == CauseForged && command != "" {
			s.Classes[i].Command = command
		}
	}
	return s
}

// listCommand is the command line that lists what a cause counts, of the tables in dir. What restricts the use of a
// page depends on the purpose.
func (f *Figures) listCommand(dir, cause string, audit *report.Audit) string {
	if cause == CauseUse && len(audit.Settings.Purposes) == 0 {
		return EvaluateCommand(dir, &audit.Settings) + " --purpose train"
	}
	return "robotsaudit export " + dir + " " + cause + f.part.Flags()
}

// ruleTable lists the rules of a prohibition.
func (t *siteTally) ruleTable(id, caption string, by prohibition) document.Table {
	table := document.NewTable(id, caption, fmt.Sprintf("%s: there are more than %s different rules. The table violations has all.",
		caption, prose.Number(maxRules)), document.Code.Columns("Rule"), document.Number.Columns("Fetches", "Sites"),
		document.Code.Columns("Site with most"))
	list := t.ranked(func(r rule) bool { return r.by == by })
	for _, r := range list[:min(len(list), maxRanked)] {
		n := t.rules[r]
		table.Add(r.text, n.fetches, n.origins, document.Cell{Text: prose.OrNoOrigin(n.worst.origin), Link: "violations"})
	}
	table.LeaveOut(int64(len(list)-maxRanked), "table violations")
	return table
}

// EvaluateCommand is the command line that decides anew, with the options of an audit, what lies in dir, a word for a
// shell. FILE stands for files whose names the audit does not hold.
func EvaluateCommand(dir string, s *report.Settings) string {
	line := "robotsaudit evaluate " + dir
	if s.Profile != "rfc9309" {
		line += prose.Option("--profile", s.Profile)
	}
	if s.Crawler != "" {
		line += prose.Option("--crawler", s.Crawler)
	}
	if len(s.CrawlerMap) > 0 {
		line += " --crawler @FILE"
	}
	tokens := s.Agents
	for _, category := range agents.Names() { // a hundred tokens are no command for a person
		all := agents.Tokens(category)
		others := slices.DeleteFunc(slices.Clone(tokens), func(t string) bool { return slices.Contains(all, t) })
		if len(others)+len(all) == len(tokens) {
			line += prose.Option("--agents", category)
			tokens = others
		}
	}
	line += prose.Option("--agents", tokens...) + prose.Option("--purpose", s.Purposes...)
	if !s.AsOf.IsZero() {
		line += prose.Option("--as-of", s.AsOf.String())
	}
	if s.Policies != "" {
		line += prose.Option("--policies", s.Policies)
	}
	return line
}
