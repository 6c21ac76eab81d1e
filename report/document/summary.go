package document

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/layout"
)

const (
	maxLabel  = 60  // bytes shown of a value from an archive, in a column of its own
	maxShown  = 100 // and elsewhere
	fewRows   = 3   // rules, reasons and inputs shown in short
	fewAgents = 5   // other crawlers shown in short
	topRows   = 5   // sites and rules
	topNames  = 10  // crawlers and inputs
)

// TextOptions are how WriteText writes.
type TextOptions struct {
	Full    bool // all that was counted, not the answer alone
	Colours bool // what matters stands out, on a terminal that knows ANSI escapes
	Width   int  // columns of the terminal; 0: there is none
}

// WriteText writes the summary of an audit for a person at a terminal. The figures are of that audit.
func (f *Figures) WriteText(w io.Writer, audit *report.Audit, opt TextOptions) error {
	s, p := &summary{f, audit}, layout.New(opt.Width, opt.Colours)
	f.unknown.endOrigin()
	f.use.end()
	s.printAudited(p)
	s.printAnswer(p, opt.Full)
	s.printShares(p)
	s.printCauses(p)
	s.printRules(p, opt.Full)
	s.printWhatIf(p, opt.Full)
	s.printAsked(p)
	if opt.Full {
		s.printCaptures(p)
		s.printEvidence(p)
		s.printClaims(p)
		s.printSites(p)
		s.printPages(p)
	}
	s.printUnread(p, opt.Full)
	if opt.Full {
		s.printNoted(p)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// summary writes the parts of a summary.
type summary struct {
	*Figures
	audit *report.Audit
}

// printAudited states what was audited, and how.
func (s *summary) printAudited(p *layout.Page) {
	a, t := s.audit, &s.audit.Totals
	if !s.part.IsZero() {
		p.Line("A part of the audit of %s: %s. It has %s on %s, %s; by %s %s, %s.", &a.Inputs, s.part,
			plural(t.Fetches, "fetch"), plural(t.Origins, "origin"), periodText(t),
			a.Tool, report.Shown(a.Version, maxLabel), strings.Join(settingsText(&a.Settings), ", "))
		return
	}
	p.Line("Audited %s (%s): %s on %s, %s; by %s %s, %s.", &a.Inputs, report.Bytes(a.Inputs.Size),
		plural(t.Fetches, "fetch"), plural(t.Origins, "origin"), periodText(t),
		a.Tool, report.Shown(a.Version, maxLabel), strings.Join(settingsText(&a.Settings), ", "))
}

// settingsText names the settings that an answer depends on.
func settingsText(s *report.Settings) []string {
	list := []string{"profile " + s.Profile}
	if s.Crawler != "" {
		list = append(list, "crawler "+report.Shown(s.Crawler, maxLabel)+" (--crawler)")
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
func (s *summary) printAnswer(p *layout.Page, full bool) {
	t := &s.audit.Totals
	verdict := layout.Green
	if t.Violations > 0 {
		verdict = layout.Red
	}
	p.Answer(verdict, "Violations of robots.txt: "+plural(t.Violations, "fetch"))
	p.Noted("certain", t.ViolationsCertain, "the crawler's copy, at most 24 h old; no copy allows")
	p.Noted("probable", t.ViolationsProbable, "a doubt remains: see columns evidence and notes")
	p.Across("No violations, as far as these archives show")
	p.Noted("possible", t.Possible, "no proof that the crawler knew, or made the fetch")
	p.Noted("contested", t.Contested, "disallowed; another copy or an open reading allows")
	unknown := "these archives do not show what robots.txt said"
	if t.Unknown > 0 {
		unknown += "; what would settle it:"
	}
	p.Noted("unknown", t.Unknown, unknown)
	s.printUnknown(p, full)
	p.Noted("allowed", t.Allowed-t.RobotsTxtItself, s.allowedText())
	p.Noted("robots.txt", t.RobotsTxtItself, "the file itself: allowed, and left out of shares")
}

func (s *summary) allowedText() string {
	words := "robots.txt did not forbid them"
	if n := s.audit.Totals.UnsafeEncoding; n > 0 {
		words += "; " + number(n) +
			" by the letter alone, for bytes that only rule or URL encodes (note unsafe_encoding)"
	}
	if n := s.audit.Totals.NamedGroupForbids; n > 0 {
		words += "; " + number(n) +
			" by a crawler without a name, where a named group forbids (note named_group_forbids)"
	}
	return words
}

// printUnknown shows why verdicts are unknown, the most frequent reason first, and what would settle them.
func (s *summary) printUnknown(p *layout.Page, full bool) {
	reasons := s.unknown.ranked()
	for i, reason := range reasons {
		if i == fewRows && !full {
			p.Across("    and %s more (--full)", plural(int64(len(reasons)-fewRows), "reason"))
			return
		}
		settle := strings.ReplaceAll(words.Find(words.Reasons, reason).Settle, "`", "")
		if !full {
			settle, _, _ = strings.Cut(settle, ". ")
		}
		p.Noted("  "+report.Shown(reason, maxLabel), s.unknown.reasons[reason].fetches, strings.TrimSuffix(settle, "."))
	}
}

// printShares states what part was disallowed, the unknown counted either way.
func (s *summary) printShares(p *layout.Page) {
	t := &s.audit.Totals
	if t.Unknown == 0 {
		p.Heading("Disallowed: %s of the %s that robots.txt could decide%s.", number(t.Disallowed),
			plural(t.Decidable, "fetch"), percentOf(t.DisallowedShare))
	} else {
		bare := func(share *float64) string { return strings.Trim(percentOf(share), " ()") }
		p.Heading("Disallowed: %s of %s with a known verdict%s. Between %s and %s of all %s were disallowed, counting "+
			"the unknown either way.",
			number(t.Disallowed), plural(t.Decidable-t.Unknown, "fetch"), percentOf(t.DisallowedShareOfKnown),
			bare(t.DisallowedShare), bare(t.DisallowedOrUnknownShare), number(t.Decidable))
	}
	p.Line("robots.txt is a request (RFC 9309 §1): disallowed does not mean illegal.")
}

// printCauses states what may be wrong with the archives or the command where little could be proven.
func (s *summary) printCauses(p *layout.Page) {
	t := &s.audit.Totals
	missing := int64(0)
	if r := s.unknown.reasons[words.NoCapture.String()]; r != nil {
		missing = r.fetches
	}
	switch {
	case missing == 0 || 10*missing < 9*t.Decidable:
	case t.Indexed > 0 && total(t.RobotsOutcomes) == 0:
		p.Heading("An index or a list reports fetches, but never what robots.txt said. %s", s.wantedText())
	default:
		p.Heading("Nearly all is unknown, for want of robots.txt in these archives. Common Crawl keeps it in its robotstxt " +
			"subset: give those archives as well. Browsertrix, Nutch's WARCExporter and crawls that ignore " +
			"robots.txt record none: " +
			"harvest each origin's robots.txt into a WARC within 24 h of the crawl, or add archives that hold an earlier one.")
	}
	if t.Indexed > 0 {
		p.Heading("An index or a list alone reports %s: violations among them are at most probable.%s",
			plural(t.Indexed, "fetch"), s.joinedText())
	}
	if text := t.Verification.Text(); text != "" {
		p.Heading("%s", text)
	}
	captures := total(t.RobotsOutcomes)
	if t.Disallowed > 0 && (2*s.crawlers.unnamed() > t.Decidable || 2*s.unnamed > captures) {
		var who []string
		if n := s.unnamed; n > 0 {
			who = append(who, fmt.Sprintf("%s of %s of robots.txt", number(n), plural(captures, "capture")))
		}
		if n := s.crawlers.unnamed(); n > 0 {
			who = append(who, plural(n, "fetch"))
		}
		why := "no User-Agent, or a browser's"
		if t.Indexed > 0 {
			why += ", or an index that names none"
		}
		p.Heading("%s name no crawler (%s), and prove no certain violation. If you know the crawler: --crawler TOKEN.",
			strings.Join(who, " and "), why)
	}
}

// wantedText names the files with robots.txt that indexes leave to be added.
func (s *summary) wantedText() string {
	switch in := &s.audit.Inputs; {
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
func (s *summary) joinedText() string {
	n := s.audit.Totals.IndexJoined
	if n == 0 {
		return ""
	}
	return " Rows left out, as their fetches are counted already: " + number(n) + "."
}

// printRules ranks the rules that disallowed violations.
func (s *summary) printRules(p *layout.Page, full bool) {
	list := s.sites.ranked(func(rule) bool { return true })
	if len(list) == 0 {
		return
	}
	most := fewRows
	if full {
		most = topRows
	}
	p.Columns("Rules with most violations")
	for _, r := range list[:min(len(list), most)] {
		n := s.sites.rules[r]
		on := plural(n.origins, "site")
		if n.origins == 1 {
			on = report.Shown(orNoOrigin(n.worst.origin), maxLabel)
		}
		p.Noted(report.Shown(r.text, maxLabel), n.fetches, on)
	}
}

func (s *summary) printWhatIf(p *layout.Page, full bool) {
	list, most := s.WhatIf.Ranking(), fewAgents
	if full {
		most = topNames
	}
	if len(list) == 0 {
		return
	}
	p.Columns("Other crawlers would have been", "allowed", "disallowed", "unknown")
	for _, a := range list[:min(len(list), most)] {
		p.Row(report.Shown(a.Agent, maxLabel), a.Allowed, a.Disallowed, a.Unknown)
	}
	rest := list[min(len(list), most):]
	differ := func(a report.AgentVerdicts) bool { return a.VerdictCounts != rest[0].VerdictCounts }
	if len(rest) > 1 && !slices.ContainsFunc(rest, differ) {
		p.Row(fmt.Sprintf("each of %s more", number(int64(len(rest)))), rest[0].Allowed, rest[0].Disallowed, rest[0].Unknown)
		return
	}
	p.More(len(list), most)
}

// printAsked reports the results for --purpose and --rate. None of it is a violation.
func (s *summary) printAsked(p *layout.Page) {
	a, t := s.audit, &s.audit.Totals
	if len(a.Settings.Purposes) > 0 {
		p.Heading("Pages and sites say against the purpose %s: %s on use, %s on publication (table restrictions). They "+
			"are no violations.",
			strings.Join(a.Settings.Purposes, ", "), plural(t.RestrictionsUsage, "restriction"),
			number(t.RestrictionsPublication))
	}
	if a.Settings.Rate {
		p.Heading("Faster than Crawl-delay, which is not part of RFC 9309: %s (table crawl_delays). They are no "+
			"violations.", plural(t.CrawlDelays, "fetch"))
	}
}

// printCaptures describes what was found of robots.txt, and in logs.
func (s *summary) printCaptures(p *layout.Page) {
	t := &s.audit.Totals
	p.Heading("robots.txt was captured %s%s.", plural(total(t.RobotsOutcomes), "time"), outcomesText(t.RobotsOutcomes))
	if t.LogEvidence > 0 {
		p.Line("Logs report %s that it could not be had.", plural(t.LogEvidence, "time"))
	}
	if t.Exclusions > 0 {
		p.Line("Logs name %s that robots.txt kept a crawler from (table exclusions).", plural(t.Exclusions, "URL"))
	}
	if t.Duplicates > 0 {
		p.Line("Of %s the archives hold another copy; each was counted once.", plural(t.Duplicates, "record"))
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

func (s *summary) printEvidence(p *layout.Page) {
	p.Columns("Verdicts, by evidence", "fresh", "stale", "later", "none")
	for _, v := range []string{"allowed", "disallowed", "unknown"} {
		n := func(evidence string) int64 { return s.evidence[verdict{v, evidence}] }
		p.Row(v, n("fresh"), n("stale"), n("later"), n("none"))
	}
	p.Line("  fresh: robots.txt captured at most 24 h before the fetch; stale: longer before; later: within 24 h after; " +
		"none: not at all, or not needed (allowed are the fetches of robots.txt itself, too).")
}

func (s *summary) printClaims(p *layout.Page) {
	timeline := s.timeline.timeline()
	claims := make([]Tally, len(timeline.Claims))
	for _, c := range timeline.Counts {
		claims[c.Claim].add(c.Tally)
	}
	p.Columns("What warcinfo claims of robots.txt", "fetches", "violations", "unknown")
	for i, c := range claims {
		p.Row(report.Shown(timeline.Claims[i], maxLabel), c.Fetches, c.Violations, c.Unknown)
	}
	p.Columns("Crawlers, by product token", "fetches", "violations", "unproven", "unknown")
	for _, c := range s.crawlers.first[:min(len(s.crawlers.first), topNames)] {
		p.Row(report.Shown(tokenName(c.Agent), maxLabel), c.Fetches, c.Violations(), c.Unproven(), c.Unknown)
	}
	p.More(int(s.crawlers.total), topNames)
}

func (s *summary) printSites(p *layout.Page) {
	p.Columns("Sites with most violations", "violations", "fetches")
	for _, o := range s.sites.sites[:min(len(s.sites.sites), topRows)] {
		if n := o.certain + o.probable; n > 0 {
			p.Row(report.Shown(orNoOrigin(o.name), maxLabel), n, o.fetches)
		}
	}
}

// printUnread names the inputs with something missing.
func (s *summary) printUnread(p *layout.Page, full bool) {
	unread := s.audit.Totals.InputsNotWhollyRead
	if unread == 0 {
		p.Heading("Every archive was read to its end.")
		return
	}
	most := fewRows
	if full {
		most = topNames
	}
	p.Answer(layout.Yellow, fmt.Sprintf("Not wholly read: %s. Fetches may be missing.%s", plural(unread, "input"),
		s.resyncedText()))
	for _, in := range s.issues.unread[:min(len(s.issues.unread), most)] {
		p.Line("  %s %s", report.Shown(in.file, maxShown), strings.TrimPrefix(report.IssueText(in.kind), "The input "))
		if full {
			p.Line("    %s: %s", report.Shown(in.kind, maxLabel), report.Shown(in.detail, maxShown))
		}
	}
	p.More(int(unread), most)
}

// resyncedText counts the records read after damage.
func (s *summary) resyncedText() string {
	n := s.audit.Inputs.Resynced
	if n == 0 {
		return ""
	}
	return " Read after damage (resynced): " + plural(n, "record") + "."
}

// printNoted counts what was odd and could be read nevertheless.
func (s *summary) printNoted(p *layout.Page) {
	isLossy := func(kind string, _ int64) bool { return isLossy(kind) }
	kinds := maps.Clone(s.issues.kinds)
	maps.DeleteFunc(kinds, isLossy)
	if len(kinds) > 0 {
		p.Columns("Noted in reading (table issues)")
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		p.Noted(report.Shown(kind, maxLabel), kinds[kind], issueText(kind))
	}
}

// printPages describes the statements of pages and origins on their use.
func (s *summary) printPages(p *layout.Page) {
	t, ofWhole := &s.audit.Totals, s.part.IsZero() // of a part, some of this is not known
	if ofWhole && t.Tagged+t.TagsUnknown+t.Signalled+t.PolicyFiles+t.CrawlDelays == 0 {
		p.Heading("What pages said of their use: nothing.")
		return
	}
	p.Columns("What pages said of their use: known only after the fetch, so no violation by it")
	if ofWhole {
		p.Noted("tagged", t.Tagged, "fetches whose page has a tag for somebody (page_tags)")
		p.Noted("signalled", t.Signalled, "fetches of whose use page or site said something (usage_signals)")
	}
	for _, purpose := range s.use.purposes() {
		restricted, allowed := s.use.signals[signal{purpose, "restrict"}], s.use.signals[signal{purpose, "allow"}]
		if about := (words.Word{Meaning: meaning("signal_purpose", purpose)}); restricted+allowed > 0 {
			p.Noted("  "+report.Shown(purpose, maxLabel), restricted,
				fmt.Sprintf("%s restricted; allowed for %s", report.Shown(about.Brief(), maxShown), number(allowed)))
		}
	}
	p.Noted("hinted", t.Hinted, "fetches with a statement without force that hints at a restriction (fetches.hints)")
	if ofWhole {
		p.Noted("contradictory", t.Conflicting,
			"fetches with two statements that differ; the restriction holds (tag_conflicts)")
	}
	p.Noted("unknown", t.TagsUnknown,
		"fetches some of whose tags may be missing: no record was read, a revisit has no original, a page cannot be read")
	if ofWhole {
		p.Noted("policy files", t.PolicyFiles,
			"ai.txt and trust.txt got: of ai.txt Disallow-Training alone is read (host_stats.policy_files)")
	}
	if ofWhole || s.audit.Settings.Rate {
		p.Noted("too soon", t.CrawlDelays,
			"fetches sooner than Crawl-delay asked for, which is no part of RFC 9309 (rows with --rate)")
	}
	if len(s.use.restrictions) > 0 {
		p.Columns("Restricted for the purpose given")
	}
	for _, k := range s.use.kinds() {
		p.Noted(report.Shown(k.purpose, maxLabel), s.use.restrictions[k], fmt.Sprintf("fetches: %s, %s",
			report.Shown(k.kind, maxLabel), report.Shown(k.certainty, maxLabel)))
	}
}

// percentOf is a share in brackets; nil is of nothing.
func percentOf(share *float64) string {
	switch {
	case share == nil:
		return ""
	case *share > 0 && *share < 0.0005:
		return " (< 0.1 %)"
	case *share < 1 && *share >= 0.9995:
		return " (> 99.9 %)"
	}
	return fmt.Sprintf(" (%.1f %%)", 100**share)
}

// periodText states from when to when fetches were made.
func periodText(t *report.Totals) string {
	if t.FirstFetchTime == nil || t.LastFetchTime == nil {
		return "without a date"
	}
	first, last := t.FirstFetchTime.UTC().Format(time.DateOnly), t.LastFetchTime.UTC().Format(time.DateOnly)
	if first == last {
		return "on " + first
	}
	return "from " + first + " to " + last
}
