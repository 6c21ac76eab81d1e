package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

const (
	maxLabel  = 60  // bytes shown of a value from an archive, in a column of its own
	maxShown  = 100 // and elsewhere
	fewRows   = 3   // rules, reasons and inputs shown in short
	fewAgents = 5   // other crawlers shown in short
)

// TextOptions are how WriteText writes.
type TextOptions struct {
	Full    bool // all that was counted, not the answer alone
	Colours bool // what matters stands out, on a terminal that knows ANSI escapes
	Width   int  // columns of the terminal; 0: there is none
}

// WriteText writes the summary for a person at a terminal to read.
func (s *Summary) WriteText(w io.Writer, opt TextOptions) error {
	width := min(max(cmp.Or(opt.Width, pageWidth), minWidth), maxWidth)
	full, p := opt.Full, page{width: width, colours: opt.Colours}
	s.printAudited(&p)
	s.printAnswer(&p, full)
	s.printShares(&p)
	s.printCauses(&p)
	s.printRules(&p, full)
	s.printWhatIf(&p, full)
	s.printAsked(&p)
	if full {
		s.printCaptures(&p)
		s.printEvidence(&p)
		s.printClaims(&p)
		s.printOrigins(&p)
		s.printPages(&p)
	}
	s.printUnread(&p, full)
	if full {
		s.printNoted(&p)
	}
	p.endColumns()
	_, err := io.WriteString(w, p.text.String())
	return err
}

// printAudited states what was audited, and how.
func (s *Summary) printAudited(p *page) {
	a, t := s.Audit, &s.Audit.Totals
	p.line("Audited %s (%s): %s on %s, %s; by %s %s, %s.", &a.Inputs, Bytes(a.Inputs.Size),
		Count(t.Fetches, "fetch"), Count(t.Origins, "origin"), periodText(t.FirstFetchTime, t.LastFetchTime),
		a.Tool, Shown(a.Version, maxLabel), strings.Join(settingsText(&a.Settings), ", "))
}

// settingsText names the settings that an answer depends on.
func settingsText(s *Settings) []string {
	list := []string{"profile " + s.Profile}
	if s.Crawler != "" {
		list = append(list, "crawler "+Shown(s.Crawler, maxLabel)+" (--crawler)")
	}
	if len(s.CrawlerMap) > 0 {
		list = append(list, "crawlers by --crawler-map")
	}
	if !s.AsOf.IsZero() {
		list = append(list, "other crawlers and restrictions as of "+s.AsOf.String())
	}
	return list
}

// printAnswer counts every fetch once: the violations, and the rest.
func (s *Summary) printAnswer(p *page, full bool) {
	t := &s.Audit.Totals
	verdict := green
	if t.Violations > 0 {
		verdict = red
	}
	p.answer(verdict, "Violations of robots.txt: "+Count(t.Violations, "fetch"))
	p.noted("certain", t.ViolationsCertain, "the crawler's copy, at most 24 h old; no copy allows")
	p.noted("probable", t.ViolationsProbable, "a doubt remains: see columns evidence and notes")
	p.across("No violations, as far as these archives show")
	p.noted("possible", t.Possible, "no proof that the crawler knew, or made the fetch")
	p.noted("contested", t.Contested, "disallowed; another copy or an open reading allows")
	unknown := "these archives do not show what robots.txt said"
	if t.Unknown > 0 {
		unknown += "; what would settle it:"
	}
	p.noted("unknown", t.Unknown, unknown)
	s.printUnknown(p, full)
	p.noted("allowed", t.Allowed-t.RobotsTxtItself, s.allowedText())
	p.noted("robots.txt", t.RobotsTxtItself, "the file itself: allowed, and left out of shares")
}

func (s *Summary) allowedText() string {
	words := "robots.txt did not forbid them"
	if n := s.Audit.Totals.UnsafeEncoding; n > 0 {
		words += "; " + number(n) +
			" by the letter alone, for bytes that only rule or URL encodes (note unsafe_encoding)"
	}
	if n := s.Audit.Totals.NamedGroupForbids; n > 0 {
		words += "; " + number(n) +
			" by a crawler without a name, where a named group forbids (note named_group_forbids)"
	}
	return words
}

// printUnknown shows why verdicts are unknown, the most frequent reason first, and what would settle them.
func (s *Summary) printUnknown(p *page, full bool) {
	for i, reason := range s.Unknown {
		if i == fewRows && !full {
			p.across("    and %s more (--full)", Count(int64(len(s.Unknown)-fewRows), "reason"))
			return
		}
		settle := plainText(words.Find(words.Reasons, reason.Name).Settle)
		if !full {
			settle, _, _ = strings.Cut(settle, ". ")
		}
		p.noted("  "+reason.Name, reason.N[0], strings.TrimSuffix(settle, "."))
	}
}

// printShares states what part was disallowed, the unknown counted either way.
func (s *Summary) printShares(p *page) {
	t := &s.Audit.Totals
	if t.Unknown == 0 {
		p.heading("Disallowed: %s of the %s that robots.txt could decide%s.", number(t.Disallowed),
			Count(t.Decidable, "fetch"), percent(t.DisallowedShare))
	} else {
		bare := func(share *float64) string { return strings.Trim(percent(share), " ()") }
		p.heading("Disallowed: %s of %s with a known verdict%s. Between %s and %s of all %s were disallowed, counting "+
			"the unknown either way.",
			number(t.Disallowed), Count(t.Decidable-t.Unknown, "fetch"), percent(t.DisallowedShareOfKnown),
			bare(t.DisallowedShare), bare(t.DisallowedOrUnknownShare), number(t.Decidable))
	}
	p.line("robots.txt is a request (RFC 9309 §1): disallowed does not mean illegal.")
}

// printCauses states what may be wrong with the archives or the command where little could be proven.
func (s *Summary) printCauses(p *page) {
	t := &s.Audit.Totals
	missing := s.unknownFor(words.NoCapture)
	switch {
	case missing == 0 || 10*missing < 9*t.Decidable:
	case t.Indexed > 0 && total(t.RobotsOutcomes) == 0:
		p.heading("An index or a list reports fetches, but never what robots.txt said. %s", s.wantedText())
	default:
		p.heading("Nearly all is unknown, for want of robots.txt in these archives. Common Crawl keeps it in its robotstxt " +
			"subset: give those archives as well. Browsertrix, Nutch's WARCExporter and crawls that ignore " +
			"robots.txt record none: " +
			"harvest each origin's robots.txt into a WARC within 24 h of the crawl, or add archives that hold an earlier one.")
	}
	if t.Indexed > 0 {
		p.heading("An index or a list alone reports %s: violations among them are at most probable.%s",
			Count(t.Indexed, "fetch"), s.joinedText())
	}
	if text := t.Verification.Text(); text != "" {
		p.heading("%s", text)
	}
	captures := total(t.RobotsOutcomes)
	if t.Disallowed > 0 && (2*s.Unnamed.Fetches > t.Decidable || 2*s.Unnamed.Captures > captures) {
		var who []string
		if n := s.Unnamed.Captures; n > 0 {
			who = append(who, fmt.Sprintf("%s of %s of robots.txt", number(n), Count(captures, "capture")))
		}
		if n := s.Unnamed.Fetches; n > 0 {
			who = append(who, Count(n, "fetch"))
		}
		why := "no User-Agent, or a browser's"
		if t.Indexed > 0 {
			why += ", or an index that names none"
		}
		p.heading("%s name no crawler (%s), and prove no certain violation. If you know the crawler: --crawler TOKEN.",
			strings.Join(who, " and "), why)
	}
}

// wantedText names the files with robots.txt that indexes leave to be added.
func (s *Summary) wantedText() string {
	switch in := &s.Audit.Inputs; {
	case len(in.RobotsLists) > 0:
		return "Add the archives that Common Crawl lists in " + someOf(in.RobotsLists) + "."
	case len(in.RobotsArchives) > 0:
		return "Add the archives that hold robots.txt of these sites. Of such the index names " +
			someOf(in.RobotsArchives) + "."
	}
	return "Add the archives that hold robots.txt of these sites."
}

// someOf names the first few.
func someOf(names []string) string {
	if len(names) > fewRows {
		names = append(slices.Clone(names[:fewRows]), "and others")
	}
	return strings.Join(names, ", ")
}

// joinedText counts the rows of indexes whose fetch is counted by its record, or by another row.
func (s *Summary) joinedText() string {
	n := s.Audit.Totals.IndexJoined
	if n == 0 {
		return ""
	}
	return " Rows left out, as their fetches are counted already: " + number(n) + "."
}

// unknownFor counts the fetches whose verdict is unknown for a reason.
func (s *Summary) unknownFor(reason evaluate.Reason) int64 {
	for _, c := range s.Unknown {
		if c.Name == reason.String() {
			return c.N[0]
		}
	}
	return 0
}

// printRules ranks the rules that disallowed violations.
func (s *Summary) printRules(p *page, full bool) {
	if len(s.Rules) == 0 {
		return
	}
	p.columns("Rules with most violations")
	for i, r := range s.Rules {
		if full || i < fewRows {
			p.noted(Shown(r.Name, maxLabel), r.N[0], Shown(r.Origin, maxLabel))
		}
	}
}

func (s *Summary) printWhatIf(p *page, full bool) {
	list, most := s.WhatIf, fewAgents
	if full {
		most = topNames
	}
	if len(list) == 0 {
		return
	}
	p.columns("Other crawlers would have been", "allowed", "disallowed", "unknown")
	for _, a := range list[:min(len(list), most)] {
		p.row(Shown(a.Agent, maxLabel), number(a.Allowed), number(a.Disallowed), number(a.Unknown))
	}
	rest := list[min(len(list), most):]
	differ := func(a AgentVerdicts) bool { return a.VerdictCounts != rest[0].VerdictCounts }
	if len(rest) > 1 && !slices.ContainsFunc(rest, differ) {
		p.row(fmt.Sprintf("each of %s more", number(int64(len(rest)))), number(rest[0].Allowed),
			number(rest[0].Disallowed), number(rest[0].Unknown))
		return
	}
	p.more(len(list), most)
}

// printAsked reports the results for --purpose and --rate. None of it is a violation.
func (s *Summary) printAsked(p *page) {
	a, t := s.Audit, &s.Audit.Totals
	if len(a.Settings.Purposes) > 0 {
		p.heading("Pages and sites say against the purpose %s: %s on use, %s on publication (table restrictions). They "+
			"are no violations.",
			strings.Join(a.Settings.Purposes, ", "), Count(t.RestrictionsUsage, "restriction"),
			number(t.RestrictionsPublication))
	}
	if a.Settings.Rate {
		p.heading("Faster than Crawl-delay, which is not part of RFC 9309: %s (table crawl_delays). They are no "+
			"violations.", Count(t.CrawlDelays, "fetch"))
	}
}

// printCaptures describes what was found of robots.txt, and in logs.
func (s *Summary) printCaptures(p *page) {
	t := &s.Audit.Totals
	p.heading("robots.txt was captured %s%s.", Count(total(t.RobotsOutcomes), "time"), outcomesText(t.RobotsOutcomes))
	if t.LogEvidence > 0 {
		p.line("Logs report %s that it could not be had.", Count(t.LogEvidence, "time"))
	}
	if t.Exclusions > 0 {
		p.line("Logs name %s that robots.txt kept a crawler from: by the captures %s disallowed, %s allowed, %s unknown.",
			Count(t.Exclusions, "URL"), number(s.Exclusions.Disallowed), number(s.Exclusions.Allowed),
			number(s.Exclusions.Unknown))
	}
	if t.Duplicates > 0 {
		p.line("Of %s the archives hold another copy; each was counted once.", Count(t.Duplicates, "record"))
	}
}

func total(m map[string]int64) (n int64) {
	for _, v := range m {
		n += v
	}
	return n
}

func outcomesText(m map[string]int64) string {
	var parts []string
	for _, o := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, o+" "+number(m[o]))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; outcomes: " + strings.Join(parts, ", ")
}

func (s *Summary) printEvidence(p *page) {
	p.columns("Verdicts, by evidence", "fresh", "stale", "later", "none")
	p.list(s.Verdicts)
	p.line("  fresh: robots.txt captured at most 24 h before the fetch; stale: longer before; later: within 24 h after; " +
		"none: not at all, or not needed (allowed are the fetches of robots.txt itself, too).")
}

func (s *Summary) printClaims(p *page) {
	counts := func(heading, none string, list []NamedCounts, total int) {
		p.columns(heading, "fetches", "violations", "unproven", "unknown")
		for _, c := range list[:min(len(list), topNames)] {
			p.row(cmp.Or(Shown(c.Name, maxLabel), none), number(c.Fetches), number(c.Violations()),
				number(c.Unproven()), number(c.Unknown))
		}
		p.more(total, topNames)
	}
	counts("Claim (robots: of warcinfo)", "(no claim)", s.Claims, len(s.Claims))
	counts("Crawlers, by product token", "(none known)", s.Agents, s.AgentCount)
}

func (s *Summary) printOrigins(p *page) {
	if len(s.Origins) == 0 {
		return
	}
	p.columns("Origins with most violations", "violations", "fetches")
	p.list(s.Origins)
}

// printUnread names the inputs with something missing.
func (s *Summary) printUnread(p *page, full bool) {
	unread := s.Audit.Totals.InputsNotWhollyRead
	if unread == 0 {
		p.heading("Every archive was read to its end.")
		return
	}
	most := fewRows
	if full {
		most = topNames
	}
	p.answer(yellow, fmt.Sprintf("Not wholly read: %s. Fetches may be missing.%s", Count(unread, "input"),
		s.resyncedText()))
	for _, in := range s.Unread[:min(len(s.Unread), most)] {
		p.line("  %s %s", Shown(in.Name, maxShown), strings.TrimPrefix(IssueText(in.Kind), "The input "))
		if full {
			p.line("    %s: %s", in.Kind, Shown(in.Detail, maxShown))
		}
	}
	p.more(int(unread), most)
}

// resyncedText counts the records read after damage.
func (s *Summary) resyncedText() string {
	n := s.Audit.Inputs.Resynced
	if n == 0 {
		return ""
	}
	return " Read after damage (resynced): " + Count(n, "record") + "."
}

// printNoted counts what was odd and could be read nevertheless.
func (s *Summary) printNoted(p *page) {
	if len(s.Noted) > 0 {
		p.columns("Noted in reading (table issues)")
	}
	for _, issue := range s.Noted {
		p.noted(issue.Name, issue.N[0], IssueText(issue.Name))
	}
}

// printPages describes the statements of pages and origins on their use.
func (s *Summary) printPages(p *page) {
	t := &s.Audit.Totals
	if t.Tagged+t.TagsUnknown+t.Signalled+t.PolicyFiles+t.CrawlDelays == 0 {
		p.heading("What pages said of their use: nothing.")
		return
	}
	p.columns("What pages said of their use: known only after the fetch, so no violation by it")
	p.noted("tagged", t.Tagged, "fetches whose page has a tag for somebody (page_tags)")
	for _, t := range s.Tags {
		p.noted("  "+t.Name, t.N[0], brief("rule", t.Name))
	}
	p.noted("signalled", t.Signalled, "fetches of whose use page or site said something (usage_signals)")
	for _, c := range s.Signals {
		p.noted("  "+c.Name, c.N[0], brief("signal_purpose", c.Name)+" restricted; allowed for "+number(c.N[1]))
	}
	p.noted("hinted", t.Hinted, "fetches of which a statement without force hints at a restriction (fetches.hints)")
	p.noted("contradictory", t.Conflicting,
		"fetches of which two statements differ; the restriction holds (tag_conflicts)")
	p.noted("unknown", t.TagsUnknown,
		"fetches some of whose tags may be missing: no record was read, a revisit has no original, a page cannot be read")
	p.noted("policy files", t.PolicyFiles,
		"ai.txt and trust.txt got: of ai.txt Disallow-Training alone is read (host_stats.policy_files)")
	p.noted("too soon", t.CrawlDelays,
		"fetches sooner than Crawl-delay asked for, which is no part of RFC 9309 (rows with --rate)")
	if len(s.Restrictions) == 0 {
		return
	}
	p.columns("Restricted for the purpose given", "publication", "usage")
	p.list(s.Restrictions)
}
