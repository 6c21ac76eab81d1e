package figures

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/layout"
	"github.com/robotsaudit/robotsaudit/report/prose"
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
	Full    bool   // all that was counted, not the answer alone
	Colours bool   // what matters stands out, on a terminal that knows ANSI escapes
	Width   int    // columns of the terminal; 0: there is none
	Dir     string // of the tables, as a word for a shell; "": no command refers to it
}

// WriteText writes the summary of an audit for a person at a terminal. The figures are of that audit.
func (f *Figures) WriteText(w io.Writer, audit *report.Audit, opt TextOptions) error {
	s, p := &summary{f, audit}, layout.New(opt.Width, opt.Colours)
	f.unknown.endOrigin()
	f.use.end()
	unheard := s.unheard(audit)
	if unheard != "" {
		p.Line("%s", unheard)
	}
	s.printAudited(p)
	switch {
	case unheard != "":
	case s.isOfTables():
		s.printUses(p, opt.Dir)
	default:
		if audit.Inputs.AreLogs() {
			conduct, most := s.crawlers.conduct(), fewAgents
			if conduct.Caption = "How crawlers behaved"; opt.Full {
				most = topNames
			}
			s.printTable(p, conduct, most)
		}
		s.printAnswer(p, opt.Full)
		s.printShares(p)
	}
	s.printCauses(p)
	s.printActions(p, opt)
	s.printRules(p, opt.Full)
	s.printWhatIf(p, opt.Full)
	s.printAsked(p)
	if opt.Full {
		s.printCaptures(p)
		s.printEvidence(p)
		if !audit.Inputs.AreLogs() {
			s.printClaims(p)
			s.printTable(p, s.crawlers.table(), topNames)
		}
		s.printTable(p, s.sites.table(), topRows)
		for _, t := range s.use.section(audit, s.part).Tables {
			s.printTable(p, t, topNames)
		}
	}
	s.printUnread(p, opt.Full)
	if n := s.issues.zoneless; n > 0 {
		p.Line("Times without a time zone were taken as UTC, in %s (issues, date_without_zone).", report.Count(n, "input"))
	}
	if n := s.audit.Inputs.Unanswered; n > 0 {
		p.Line("Requests without a response: %s. Nothing shows what became of them, and they are not counted (issues, "+
			"request_alone).", prose.Number(n))
	}
	if opt.Full {
		s.printTable(p, s.issues.kindTable(), topNames)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// unheard says why no line of any access log counted, where there is nothing else to judge; "": not so.
func (f *Figures) unheard(audit *report.Audit) string {
	if !audit.Inputs.AreLogs() || audit.Totals.Fetches > 0 || !f.part.IsZero() || len(f.issues.unread) == 0 {
		return ""
	}
	first := f.issues.unread[0]
	return fmt.Sprintf("No request was read. %s: %s", first.file, first.first[0].detail)
}

// printTable writes the first rows of a table of the report, without those that count nothing. Words are what stands
// next to numbers: first cells that are long, and of a table with many numbers, all but the first.
func (s *summary) printTable(p *layout.Page, t document.Table, most int) {
	t = s.said(document.Section{Tables: []document.Table{t}}).Tables[0]
	rows := slices.DeleteFunc(t.Rows, func(row []document.Cell) bool {
		return !slices.ContainsFunc(row, func(c document.Cell) bool { return c.Number != 0 })
	})
	if len(rows) == 0 {
		return
	}
	var names []string
	for _, c := range t.Columns {
		if c.Kind == document.Number {
			names = append(names, strings.ToLower(c.Name))
		}
	}
	isLong := slices.ContainsFunc(rows, func(row []document.Cell) bool { return len(row[0].Text) > maxLabel })
	isMany := len(names) > 3
	p.Columns(t.Caption)
	if isMany {
		p.Names(names[0])
	} else if len(names) > 1 {
		p.Names(names...)
	}
	for _, row := range rows[:min(len(rows), most)] {
		var label string
		var words []string
		var numbers []int64
		for i, c := range row {
			switch isNumber := t.Columns[i].Kind == document.Number; {
			case isNumber && (!isMany || numbers == nil):
				numbers = append(numbers, c.Number)
			case isNumber && (c.Number != 0 || c.Text != "" && c.Text != "0"):
				words = append(words, c.Text+" "+strings.ToLower(t.Columns[i].Name))
			case i == 0 && !isLong:
				label = report.Shown(c.Text, maxLabel)
			case c.Text == "yes":
				words = append(words, strings.ToLower(t.Columns[i].Name))
			case !isNumber && !isMany && c.Text != "" && c.Text != "no":
				words = append(words, report.Shown(c.Text, maxShown))
			}
		}
		p.Row(label, strings.ReplaceAll(strings.Join(words, ", "), "., ", ", "), numbers...)
	}
	p.More(len(rows), most)
}

// summary writes the parts of a summary.
type summary struct {
	*Figures
	audit *report.Audit
}

// said puts a section in the words for what was audited.
func (s *summary) said(section document.Section) document.Section {
	d := document.Document{Sections: []document.Section{section}}
	if s.audit.Inputs.AreLogs() {
		d.SpeakOfRequests()
	}
	return d.Sections[0]
}

// printAudited states what was audited, and how.
func (s *summary) printAudited(p *layout.Page) {
	a, t := s.audit, &s.audit.Totals
	size := ""
	if a.Inputs.Size > 0 {
		size = fmt.Sprintf(" (%s)", report.Bytes(a.Inputs.Size))
	}
	what := fmt.Sprintf("Audited %s%s: ", &a.Inputs, size)
	if !s.part.IsZero() {
		what = fmt.Sprintf("A part of the audit of %s: %s. It has ", &a.Inputs, s.part)
	}
	if s.isOfTables() {
		what += fmt.Sprintf("%s of robots.txt of %s, and no fetch", report.Count(a.Inputs.Rows, "capture"),
			report.Count(s.hosts.n, "host"))
	} else {
		what += fmt.Sprintf("%s on %s (scheme, host and port), %s", withoutRobots(t, s.audit.Inputs.Noun()),
			report.Count(t.Origins, "origin"), periodText(t))
	}
	p.Line("%s. By %s %s. %s", what, a.Tool, report.Shown(a.Version, maxLabel),
		strings.Join(verdictSettings(&a.Settings, fewRows), " "))
}

// withoutRobots counts the fetches that robots.txt could forbid, and apart from them those of robots.txt.
func withoutRobots(t *report.Totals, noun string) string {
	text := report.Count(t.Fetches-t.RobotsTxtItself, noun)
	if t.RobotsTxtItself > 0 {
		text += ", and " + prose.Number(t.RobotsTxtItself) + " of robots.txt,"
	}
	return text
}

// isOfTables reports whether the audit is of captures of tables of robots.txt, and of no fetch.
func (s *summary) isOfTables() bool {
	return s.part.IsZero() && s.audit.Inputs.Rows > 0 && s.audit.Totals.Fetches == 0
}

// printUses names what captures without fetches are good for.
func (s *summary) printUses(p *layout.Page, dir string) {
	p.Heading("Without fetches nothing is judged. Use the captures:")
	p.Line("  to judge a list of URLs, and then make lists (export) and what-ifs (evaluate): audit with --urls FILE, too")
	if dir != "" {
		p.Line("  to ask about one URL: robotsaudit explain %s URL --at TIME --agents TOKEN", dir)
	}
	p.Line("  to see what each says to each crawler: the tables robots and robots_policies")
}

// printAnswer counts every fetch once: the violations, and the rest.
func (s *summary) printAnswer(p *layout.Page, full bool) {
	t := &s.audit.Totals
	verdict := layout.Green
	if t.Violations > 0 {
		verdict = layout.Red
	}
	p.Answer(verdict, "Violations of robots.txt: "+report.Count(t.Violations, s.audit.Inputs.Noun()))
	p.Row("certain", "they broke a rule of a robots.txt that the crawler had fetched", t.ViolationsCertain-s.failed)
	if s.failed > 0 {
		p.Row("certain", "made while robots.txt could not be fetched (RFC 9309 §2.3.1.4)", s.failed)
	}
	p.Row("probable", "a robots.txt captured in time forbids them, but a doubt remains", t.ViolationsProbable)
	p.Across("No violations, as far as these %s show", s.audit.Inputs.Sources())
	p.Row("possible", "no proof that the crawler knew, or made the "+s.audit.Inputs.Noun(), t.Possible)
	p.Row("contested", "another copy of robots.txt, a reading or credentials allow them", t.Contested)
	for _, a := range s.apart() {
		p.Row("  "+a.Name, a.But, s.settles[a.Name])
	}
	unknown := "these " + s.audit.Inputs.Sources() + " do not show whether robots.txt allowed them"
	if t.Undecided() > 0 {
		unknown += "; what would settle it:"
	}
	p.Row("unknown", unknown, t.Undecided())
	s.printUnknown(p, full)
	p.Row("allowed", s.allowedText(), t.Allowed-t.RobotsTxtItself)
	if t.RefusedAllowed > 0 {
		p.Row("refused", "of the allowed ones: the server refused them all the same", t.RefusedAllowed)
	}
	if t.RefusedPayment > 0 {
		p.Row("payment", "of the allowed ones: the server asked for a payment (402)", t.RefusedPayment)
	}
	p.Row("robots.txt", "the file itself: always allowed, not counted below", t.RobotsTxtItself)
	if t.NoCrawler > 0 {
		p.Row("no crawler", "the User-Agent names none, or its name is forged: not counted below", t.NoCrawler)
	}
}

// apart are the grounds of contested fetches that are counted apart: the client may not be bound by what forbids them.
func (f *Figures) apart() (list []words.Word) {
	for n := words.NoteAuthorized; n <= words.NoteDocumentedExempt; n <<= 1 {
		if w := words.GroundWords[bits.TrailingZeros64(uint64(n))]; f.settles[w.Name] > 0 {
			list = append(list, w)
		}
	}
	return list
}

func (s *summary) allowedText() string {
	words := "robots.txt did not forbid them"
	if n := s.audit.Totals.UnsafeEncoding; n > 0 {
		words += "; " + prose.Number(n) +
			" by the letter alone, for bytes that only rule or URL encodes (note unsafe_encoding)"
	}
	if n := s.audit.Totals.NamedGroupForbids; n > 0 {
		words += "; " + prose.Number(n) +
			" by a crawler without a name, where a named group forbids (note named_group_forbids)"
	}
	return words
}

// printUnknown shows why verdicts are unknown, the most frequent reason first, and what would settle them.
func (s *summary) printUnknown(p *layout.Page, full bool) {
	reasons := s.unknown.ranked()
	for i, reason := range reasons {
		if i == fewRows && !full {
			p.Across("    and %s more (--full)", report.Count(int64(len(reasons)-fewRows), "reason"))
			return
		}
		settle := strings.ReplaceAll(words.Find(words.Reasons, reason).Settle, "`", "")
		if !full {
			settle, _, _ = strings.Cut(settle, ". ")
		}
		p.Row("  "+report.Shown(reason, maxLabel), strings.TrimSuffix(settle, "."), s.unknown.reasons[reason].fetches)
	}
}

// printShares states what part was disallowed, the unknown counted either way.
func (s *summary) printShares(p *layout.Page) {
	t := &s.audit.Totals
	if t.Undecided() == 0 {
		p.Heading("Disallowed: %s of %s%s.", prose.Number(t.Disallowed),
			report.Count(t.Decidable, s.audit.Inputs.Noun()), percentOf(t.DisallowedShare))
	} else {
		bare := func(share *float64) string { return strings.Trim(percentOf(share), " ()") }
		p.Heading("Disallowed: %s of %s with a known verdict%s. Between %s and %s of all %s were disallowed, counting "+
			"the unknown either way.",
			prose.Number(t.Disallowed), report.Count(t.Decidable-t.Undecided(), s.audit.Inputs.Noun()),
			percentOf(t.DisallowedShareOfKnown),
			bare(t.DisallowedShare), bare(t.DisallowedOrUnknownShare), prose.Number(t.Decidable))
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
	most := "Nearly all"
	if missing == t.Decidable {
		most = "All"
	}
	switch {
	case missing == 0 || 10*missing < 9*t.Decidable:
	case t.Indexed > 0 && total(t.RobotsOutcomes) == 0:
		p.Heading("An index or a list reports fetches, but never what robots.txt said. %s", s.wantedText())
	case s.audit.Inputs.AreLogs():
		p.Heading("%s is unknown, for want of robots.txt in these inputs. Add a table of its history (--robots FILE), "+
			"or archives that hold it.", most)
	default:
		p.Heading("%s is unknown, for want of robots.txt in these archives. Common Crawl keeps it in its robotstxt "+
			"subset: give those archives as well. Browsertrix, Nutch's WARCExporter and crawls that ignore "+
			"robots.txt record none: harvest each origin's robots.txt into a WARC within 24 h of the crawl, "+
			"or add archives that hold an earlier one.", most)
	}
	if t.Indexed > 0 {
		joined := ""
		if n := t.IndexJoined; n > 0 {
			joined = " Rows left out, as their fetches are counted already: " + prose.Number(n) + "."
		}
		p.Heading("An index or a list alone reports %s: violations among them are at most probable.%s",
			report.Count(t.Indexed, s.audit.Inputs.Noun()), joined)
	}
	if text := verificationText(&t.Verification); text != "" {
		p.Heading("%s", text)
	}
	captures := total(t.RobotsOutcomes)
	mostlyUnnamed := 2*s.crawlers.unnamed() > t.Decidable || 2*s.unnamed > captures
	if t.Disallowed > 0 && !s.audit.Inputs.AreLogs() && mostlyUnnamed {
		var who []string
		if n := s.unnamed; n > 0 {
			who = append(who, fmt.Sprintf("%s of %s of robots.txt", prose.Number(n), report.Count(captures, "capture")))
		}
		if n := s.crawlers.unnamed(); n > 0 {
			who = append(who, report.Count(n, s.audit.Inputs.Noun()))
		}
		why := "no User-Agent, or a browser's"
		if t.Indexed > 0 {
			why += ", or an index that names none"
		}
		name, prove := "name", "prove"
		if s.unnamed+s.crawlers.unnamed() == 1 {
			name, prove = "names", "proves"
		}
		p.Heading("%s %s no crawler (%s), and %s no certain violation. If you know the name by which robots.txt "+
			"addresses it: --crawler TOKEN.",
			strings.Join(who, " and "), name, why, prove)
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

// printActions names what to do, by cause, and the commands that list what is counted.
func (s *summary) printActions(p *layout.Page, opt TextOptions) {
	actions := s.said(s.actionSection(s.audit)).Classes
	if len(actions) == 0 || s.sites.total == 0 { // no table was read
		return
	}
	isOpen := func(a document.Class) bool { return a.ID == CauseUse && len(s.audit.Settings.Purposes) == 0 }
	open := slices.IndexFunc(actions, isOpen)
	if listed := slices.DeleteFunc(slices.Clone(actions), isOpen); len(listed) > 0 {
		p.Columns("What to do, by cause")
		for _, a := range listed {
			text := a.Label + ". "
			if opt.Full {
				text += a.Meaning + " "
			}
			p.Row(a.ID, text+strings.TrimSuffix(a.Action, "."), a.Count)
		}
		if opt.Dir != "" {
			proof := ""
			if s.audit.Totals.Violations > 0 {
				proof = ", and each violation a proof"
			}
			p.Line("Each cause has a list%s:", proof)
			p.Command(s.listCommand(opt.Dir, slices.MaxFunc(listed, func(a, b document.Class) int {
				return cmp.Compare(a.Count, b.Count)
			}).ID, s.audit))
			if proof != "" {
				p.Command("robotsaudit explain " + opt.Dir + " 1")
			}
		}
	}
	if command := s.forged.command(); command != "" {
		p.Line("The forged requests are these lines, up to %d of each log:", maxForgedLines)
		p.Command(command)
	}
	if open >= 0 {
		p.Heading("%s restrict their use, as pages or sites say (no violations).", actions[open].Words)
		if opt.Dir != "" {
			p.Line("What counts depends on the purpose. Decide for one, and the list use has them:")
			p.Command(s.listCommand(opt.Dir, CauseUse, s.audit))
		}
	}
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
		p.Row(report.Shown(r.text, maxLabel), report.Shown(s.sites.where(r), maxShown), s.sites.rules[r].fetches)
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
		p.Row(report.Shown(a.Agent, maxLabel), "", a.Allowed, a.Disallowed, a.Unknown)
	}
	rest := list[min(len(list), most):]
	differ := func(a agentAccess) bool { return a.verdictCounts != rest[0].verdictCounts }
	if len(rest) > 1 && !slices.ContainsFunc(rest, differ) {
		p.Row(fmt.Sprintf("each of %s more", prose.Number(int64(len(rest)))), "", rest[0].Allowed, rest[0].Disallowed,
			rest[0].Unknown)
		return
	}
	p.More(len(list), most)
}

// printAsked reports the results for --purpose. None of it is a violation.
func (s *summary) printAsked(p *layout.Page) {
	a, t := s.audit, &s.audit.Totals
	if len(a.Settings.Purposes) > 0 {
		p.Heading("Pages and sites say against the %s %s: %s on use, %s on publication (table restrictions). They "+
			"are no violations.", prose.IsAre(int64(len(a.Settings.Purposes)), "purpose", "purposes"),
			prose.List(a.Settings.Purposes), report.Count(t.RestrictionsUsage, "restriction"),
			prose.Number(t.RestrictionsPublication))
	}
}

// printCaptures describes what was found of robots.txt, and in logs.
func (s *summary) printCaptures(p *layout.Page) {
	t := &s.audit.Totals
	p.Heading("robots.txt was captured %s%s.", report.Count(total(t.RobotsOutcomes), "time"), outcomesText(t.RobotsOutcomes))
	if t.LogEvidence > 0 {
		p.Line("Logs report %s that it could not be had.", report.Count(t.LogEvidence, "time"))
	}
	for _, text := range s.exclusionsText(t) {
		p.Line("%s", text)
	}
	if t.Duplicates > 0 {
		p.Line("Of %s the archives hold another copy; each was counted once.", report.Count(t.Duplicates, "record"))
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
		parts = append(parts, o+" "+prose.Number(m[o]))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; outcomes: " + strings.Join(parts, ", ")
}

func (s *summary) printEvidence(p *layout.Page) {
	noun := s.audit.Inputs.Noun()
	p.Columns("Verdicts, by evidence", "fresh", "stale", "later", "none")
	for _, v := range []string{"allowed", "disallowed", "unknown"} {
		n := func(evidence string) int64 { return s.evidence[verdict{v, evidence}] }
		p.Row(v, "", n("fresh"), n("stale"), n("later"), n("none"))
	}
	p.Line("  fresh: robots.txt captured at most 24 h before the %s; stale: longer before; later: within 24 h after; "+
		"none: not at all, or not needed (allowed are the %s of robots.txt itself, too).", noun, english.PluralWord(2, noun, ""))
}

func (s *summary) printClaims(p *layout.Page) {
	timeline := s.timeline.timeline()
	claims := make([]document.Tally, len(timeline.Claims))
	for _, c := range timeline.Counts {
		claims[c.Claim].Add(c.Tally)
	}
	p.Columns("What warcinfo claims of robots.txt", "fetches", "violations", "unknown")
	for i, c := range claims {
		p.Row(report.Shown(timeline.Claims[i], maxLabel), "", c.Fetches, c.Violations, c.Unknown)
	}
}

// printUnread names the inputs with something missing.
func (s *summary) printUnread(p *layout.Page, full bool) {
	unread := s.audit.Totals.InputsNotWhollyRead
	if unread == 0 {
		p.Heading("Every input was read to its end.")
		return
	}
	most := fewRows
	if full {
		most = topNames
	}
	lost := "Fetches"
	if s.audit.Inputs.AreLogs() {
		lost = "Requests"
	}
	text := fmt.Sprintf("Not wholly read: %s. %s may be missing.", report.Count(unread, "input"), lost)
	if n := s.audit.Inputs.Resynced; n > 0 {
		text += " Read after damage (resynced): " + report.Count(n, "record") + "."
	}
	p.Answer(layout.Yellow, text)
	for _, in := range s.issues.unread[:min(len(s.issues.unread), most)] {
		p.Line("  %s %s", report.Shown(in.file, maxShown), strings.TrimPrefix(report.IssueText(in.kind), "The input "))
		for _, at := range in.first {
			p.Line("    %s: %s", report.Shown(at.kind, maxLabel), report.Shown(at.detail, maxDetail))
		}
		if more := in.problems - int64(len(in.first)); more > 0 {
			p.Line("    and %s in the table issues", report.Count(more, "more place"))
		}
	}
	p.More(int(unread), most)
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
