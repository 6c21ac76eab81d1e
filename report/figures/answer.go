package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

const maxNamedInAnswer = 3

// answer is the answer in a sentence or two, with the crawlers, the rules and the sites that it is about. It
// promises nothing that the tables do not prove, in either direction.
func (b *builder) answer() document.Answer {
	t, noun, sources := &b.audit.Totals, b.audit.Inputs.Noun(), b.audit.Inputs.Sources()
	a := document.Answer{}
	either := b.crawlers.either()
	switch {
	case t.Decidable == 0:
		a.Level = document.LevelNone
		hold := fmt.Sprintf("These %s hold", sources)
		if t.InputsNotWhollyRead > 0 {
			hold = fmt.Sprintf("What could be read of these %s holds", sources)
		}
		a.Sentence = cmp.Or(b.unheard(b.audit), fmt.Sprintf("%s no %s that robots.txt could forbid.", hold, noun))
	case t.Violations > 0:
		a.Level = document.LevelViolations
		a.Sentence = b.violationsText()
	case t.Unproven > 0:
		a.Level = document.LevelUnproven
		a.Sentence = fmt.Sprintf("No violation is proven: robots.txt disallows %s%s, but these %s leave a doubt "+
			"about each%s.", report.Count(t.Unproven, noun), b.crawlers.only(), sources,
			b.crawlers.shares(t.Unproven, (*report.AgentRow).Unproven))
	case t.Undecided() == t.Decidable:
		a.Level = document.LevelUnknown
		a.Sentence = fmt.Sprintf("These %s do not show whether robots.txt allowed any of the %s%s.",
			sources, report.Count(t.Decidable, noun), b.crawlers.only())
	case t.Undecided() > 0:
		a.Level = document.LevelUnknown
		a.Sentence = fmt.Sprintf("No %s%s is shown to have been disallowed by robots.txt; for %s the %s show nothing.",
			noun, either, report.Count(t.Undecided(), noun)+prose.OfWhole(t.Undecided(), t.Decidable), sources)
	default:
		a.Level = document.LevelNone
		a.Sentence = fmt.Sprintf("No %s%s is shown to have been disallowed: robots.txt allowed all %s.",
			noun, either, report.Count(t.Decidable, noun))
	}
	a.Details = slices.Concat(b.sites.worst(t.Violations), b.sites.worstRules(noun), details(b.audit))
	return a
}

// violationsText says how many fetches broke a rule, and how many were made while a failure of robots.txt forbade all.
func (b *builder) violationsText() string {
	t, failed := &b.audit.Totals, b.sites.causes[byFailure].fetches
	of := fmt.Sprintf(" of %s%s ", report.Count(t.Decidable, b.audit.Inputs.Noun()), b.crawlers.only())
	broke, while := "broke a rule of robots.txt", "made while robots.txt could not be fetched (RFC 9309 §2.3.1.4)"
	var s string
	switch {
	case failed == 0:
		s = prose.Number(t.Violations) + of + broke
	case failed < t.Violations:
		s = fmt.Sprintf("%s; %s more %s %s", prose.Number(t.Violations-failed)+of+broke, prose.Number(failed),
			prose.IsAre(failed, "was", "were"), while)
	default:
		s = prose.Number(failed) + of + prose.IsAre(failed, "was ", "were ") + while
	}
	all := prose.IsAre(t.Violations, "It is ", "All are ")
	var class string
	switch {
	case t.ViolationsProbable == 0:
		class = all + "certain"
	case t.ViolationsCertain == 0:
		class = all + "probable"
	default:
		class = prose.Number(t.ViolationsCertain) + prose.IsAre(t.ViolationsCertain, " is", " are") + " certain and " +
			prose.Number(t.ViolationsProbable) + " probable"
	}
	return fmt.Sprintf("%s. %s%s.", s, class, b.crawlers.shares(t.Violations, (*report.AgentRow).Violations))
}

// only names the crawler, if there is one alone.
func (t *crawlerTally) only() string {
	if names := t.whose(); len(names) == 1 {
		return " by " + names[0]
	}
	return ""
}

// either names the crawlers.
func (t *crawlerTally) either() string {
	if names := t.whose(); len(names) > 0 {
		return " by " + english.WordSeries(names, "or")
	}
	return ""
}

// whose names the crawlers that fetched anything but robots.txt: the first few, and that there are others. One
// without a name comes last.
func (t *crawlerTally) whose() []string {
	names := t.names()
	for _, c := range t.first {
		if c.Agent == "" && c.Fetches > c.RobotsTxtItself {
			names = append(names, prose.OrUnknown(""))
		}
	}
	if len(names) > maxNamedInAnswer {
		names = append(names[:maxNamedInAnswer:maxNamedInAnswer], "another crawler")
	}
	return names
}

// shares names the crawlers with most of something, and how many others have, where there are several crawlers.
func (t *crawlerTally) shares(all int64, of func(*report.AgentRow) int64) string {
	if len(t.whose()) < 2 {
		return ""
	}
	first := slices.SortedStableFunc(slices.Values(t.first),
		func(a, b *report.AgentRow) int { return cmp.Compare(of(b), of(a)) })
	var names []string
	for _, c := range first {
		if n := of(c); n > 0 && len(names) < maxNamedInAnswer {
			names = append(names, fmt.Sprintf("%s by %s", prose.Number(n), prose.OrUnknown(c.Agent)))
			all -= n
		}
	}
	if all > 0 {
		names = append(names, prose.Number(all)+" by others")
	}
	return ": " + prose.List(names)
}

// worst names the sites with most violations.
func (t *siteTally) worst(violations int64) []string {
	var names []string
	short := make(map[string]bool)
	for _, s := range t.sites[:min(len(t.sites), maxNamedInAnswer)] {
		if n := s.certain + s.probable; n > 0 {
			name := prose.OrNoOrigin(s.name)
			if _, host, ok := strings.Cut(name, "://"); ok && !short[host] {
				name, short[host] = host, true
			}
			names = append(names, fmt.Sprintf("%s (%s)", name, prose.Number(n)))
		}
	}
	switch len(names) {
	case 0:
		return nil
	case 1:
		return []string{prose.IsAre(violations, "It is", "All are") + " on " + prose.OrNoOrigin(t.sites[0].name) + "."}
	}
	return []string{"The sites with most violations are " + prose.List(names) + "."}
}

// worstRules names the rules of most violations.
func (t *siteTally) worstRules(noun string) []string {
	var names []string
	all := t.ranked(func(rule) bool { return true })
	for _, r := range all[:min(len(all), maxNamedInAnswer)] {
		names = append(names, fmt.Sprintf("“%s” (%s on %s)", r.text, report.Count(t.rules[r].fetches, noun), t.where(r)))
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"The " + prose.IsAre(int64(len(names)), "rule", "rules") + " behind most violations: " + prose.List(names) + "."}
}

// details qualify the answer.
func details(audit *report.Audit) (words []string) {
	t, noun := &audit.Totals, audit.Inputs.Noun()
	if t.Violations > 0 && t.Unproven > 0 {
		var parts []string
		if t.Possible > 0 {
			parts = append(parts, prose.Number(t.Possible)+" possible (nothing shows that the crawler knew, or made the "+noun+")")
		}
		if t.Contested > 0 {
			parts = append(parts, prose.Number(t.Contested)+" contested (another copy of robots.txt, another reading or credentials allow it)")
		}
		words = append(words, fmt.Sprintf("%s more %s: %s.", prose.Number(t.Unproven), prose.IsAre(t.Unproven,
			"was disallowed, but is not proven to be a violation", "were disallowed, but are not proven to be violations"),
			prose.List(parts)))
	}
	if t.Undecided() > 0 && t.Undecided() < t.Decidable {
		words = append(words, fmt.Sprintf("%s%s %s unknown: the %s do not show whether robots.txt allowed %s. "+
			"%s neither as allowed nor as %s.",
			report.Count(t.Undecided(), noun), prose.OfWhole(t.Undecided(), t.Decidable), prose.IsAre(t.Undecided(), "is", "are"),
			audit.Inputs.Sources(), prose.IsAre(t.Undecided(), "it", "them"),
			prose.IsAre(t.Undecided(), "It counts", "They count"), prose.IsAre(t.Undecided(), "a violation", "violations")))
	}
	if t.UnsafeEncoding > 0 {
		words = append(words, fmt.Sprintf("%s allowed by the letter alone: only the rule, or only the URL, encodes "+
			"certain characters.",
			report.Count(t.UnsafeEncoding, noun)+" "+prose.IsAre(t.UnsafeEncoding, "is", "are")))
	}
	if n := t.NamedGroupForbids; n > 0 {
		words = append(words, fmt.Sprintf("%s allowed to a crawler without a name, and robots.txt forbids %s to "+
			"some crawler that it names: nobody knows whether that is the one.",
			report.Count(n, noun)+" "+prose.IsAre(n, "is", "are"), prose.IsAre(n, "it", "them")))
	}
	if n := t.InputsNotWhollyRead; n > 0 {
		words = append(words, report.Count(n, "input")+" could not be wholly read: "+english.PluralWord(2, noun, "")+" may be missing.")
	}
	return words
}

// certainty counts each fetch once.
func (b *builder) certainty() document.Section {
	t, noun := &b.audit.Totals, b.audit.Inputs.Noun()
	class := func(id, label, meaning string, n int64) document.Class {
		words := report.Count(n, noun)
		if t.Decidable > 0 {
			words += ", " + prose.Percent(n, t.Decidable)
		}
		return document.Class{ID: id, Label: label, Count: n, Words: words, Meaning: meaning}
	}
	finding := func(c words.Certainty, label string, n int64) document.Class {
		return class(c.String(), label, prose.PlainMarkdown(words.Certainties[c].Meaning), n)
	}
	s := document.Section{
		ID: "certainty", Heading: "How certain it is", Intro: []string{
			"Every fetch is in one of these classes. Shares leave out the fetches of robots.txt itself, and of " +
				"what it redirects to.",
		},
		Classes: []document.Class{
			finding(words.Certain, "Certain violations", t.ViolationsCertain),
			finding(words.Probable, "Probable violations", t.ViolationsProbable),
			finding(words.Possible, "Possible, not proven", t.Possible),
			finding(words.Contested, "Contested, not proven", t.Contested),
		},
	}
	for _, w := range b.apart() {
		n := b.settles[w.Name]
		s.Classes = append(s.Classes, document.Class{
			ID: w.Name, Label: "Contested: " + w.Name, Count: n, Words: report.Count(n, noun),
			Meaning: prose.PlainMarkdown(w.Meaning),
		})
	}
	s.Classes = append(s.Classes,
		class("unknown", "Unknown", "The archives do not show whether robots.txt allowed it.", t.Undecided()),
		class("allowed", "Allowed", "robots.txt did not forbid the fetch.", t.Allowed-t.RobotsTxtItself),
	)
	for _, x := range [...]document.Class{
		{ID: "refused", Label: "Allowed, and refused by the server", Count: t.RefusedAllowed, Meaning: "Some of the allowed " +
			"fetches: the server answered with 401, 403, 429 or 451, or with a challenge."},
		{ID: "payment", Label: "Allowed, and to be paid for", Count: t.RefusedPayment, Meaning: "Some of the allowed " +
			"fetches: the server answered with 402."},
	} {
		if x.Words = report.Count(x.Count, noun); x.Count > 0 {
			s.Classes = append(s.Classes, x)
		}
	}
	s.Classes = append(s.Classes, document.Class{
		ID: "robots", Label: "robots.txt itself", Count: t.RobotsTxtItself, Words: report.Count(t.RobotsTxtItself, noun),
		Meaning: "Fetches of robots.txt, and of what it redirects to, are always allowed (RFC 9309, section 2.2.2). " +
			"Shares leave them out.",
	})
	if t.NoCrawler > 0 {
		s.Classes = append(s.Classes, document.Class{
			ID: "nocrawler", Label: "Of no known crawler", Count: t.NoCrawler, Words: report.Count(t.NoCrawler, noun), Meaning: "The " +
				"User-Agent names no crawler: most are people’s. Or it names one, and the address is not its operator’s. " +
				"Shares leave them out.",
		})
	}
	known := t.Decidable - t.Undecided()
	const both = "These totals count every disallowed fetch, violations and unproven ones alike."
	if t.Undecided() == 0 {
		s.Totals = []string{fmt.Sprintf("Of %s, %s %s disallowed%s.",
			report.Count(known, noun), prose.Number(t.Disallowed), prose.IsAre(t.Disallowed, "was", "were"),
			prose.OfWhole(t.Disallowed, known)), both}
		return s
	}
	s.Totals = []string{
		fmt.Sprintf("Leaving the unknown out: %s of %s with a known verdict %s disallowed%s.", prose.Number(t.Disallowed),
			report.Count(known, noun), prose.IsAre(t.Disallowed, "was", "were"), prose.OfWhole(t.Disallowed, known)),
		fmt.Sprintf("Counting the unknown either way: between %s%s and %s%s of %s were disallowed.",
			prose.Number(t.Disallowed), prose.OfWhole(t.Disallowed, t.Decidable),
			prose.Number(t.Disallowed+t.Undecided()),
			prose.OfWhole(t.Disallowed+t.Undecided(), t.Decidable), report.Count(t.Decidable, noun)),
		both,
	}
	return s
}
