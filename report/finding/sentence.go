package finding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// The sentence of a finding is what a lawyer of the accused reads first. It says no more than the
// tables prove: who is said to have fetched, what, when, and what which robots.txt said of it.

// Sentence describes a finding.
func (f *Case) Sentence() string {
	switch {
	case f.Reason == "unreachable":
		return fmt.Sprintf("%s, although %s, which %s takes as forbidding everything%s.", f.act(), f.failure(),
			f.authority(), f.but())
	case f.Evidence == "later":
		return fmt.Sprintf("%s. %s %s %s%s.", f.act(), prose.Capital(f.received()), f.forbids(), f.place(), f.but())
	}
	return fmt.Sprintf("%s, which %s%s %s %s%s.", f.act(), f.received(), f.confirmed(), f.forbids(), f.place(), f.but())
}

// but states the objections to it: no sentence accuses of more than its class.
func (f *Case) but() string {
	switch f.Certainty {
	case "certain":
		return ""
	case "probable":
		return "; this is probable, not certain"
	}
	var list []string
	for _, w := range disproofs(f.GroundWords()) {
		if but := prose.PlainMarkdown(w.But); !slices.Contains(list, but) {
			list = append(list, but)
		}
	}
	return "; but " + prose.List(list)
}

// act states who fetched what, and when.
func (f *Case) act() string {
	when := "At a time that the archive does not give"
	switch {
	case f.FetchTime == nil:
	case f.has("coarse_date"):
		when = fmt.Sprintf("In a record dated %s UTC (this date, or that of robots.txt, is coarser than a second)",
			prose.TimeOf(*f.FetchTime).Format("2 January 2006, 15:04:05"))
	default:
		when = prose.OnDay(*f.FetchTime)
	}
	switch {
	case f.has("listed"):
		when = "A list alone says that " + strings.ToLower(when[:1]) + when[1:]
	case f.RecordType == facts.TypeAccessLog.String():
		when = "The site's access log says that " + strings.ToLower(when[:1]) + when[1:]
	case f.RecordType == "indexed":
		when = "An index alone says that " + strings.ToLower(when[:1]) + when[1:]
	}
	url := f.ShortURL
	if !f.Cut {
		url = asciiURL(f.URL)
	}
	return fmt.Sprintf("%s %s %s %s", when, f.crawler(), f.verb(), url)
}

// verb says what was done: what did not bring a 2xx was requested, and not fetched.
func (f *Case) verb() string {
	switch {
	case f.FetchMethod != "GET" && f.FetchMethod != "":
		return "sent a " + prose.Clip(f.FetchMethod, 20) + " request for"
	case f.FetchStatus == nil || *f.FetchStatus/100 == 2:
		return "fetched"
	}
	return "requested"
}

// crawler names the crawler, and who says so if not its own request.
func (f *Case) crawler() string {
	switch {
	case f.Agent == "":
		return "a crawler that is not known by name"
	case f.AgentSource == words.AgentFromRequest.String():
		return prose.Clip(f.Agent, prose.MaxName)
	}
	return prose.Clip(f.Agent, prose.MaxName) + f.namedBy()
}

// namedBy states who gives the crawler's name.
func (f *Case) namedBy() string {
	if by := words.Find(words.AgentSources, f.AgentSource).But; by != "" {
		return " (so named by " + prose.PlainMarkdown(by) + ")"
	}
	return ""
}

// isOwn reports whether the crawler itself made the capture that governs.
func (f *Case) isOwn() bool { return f.Agent != "" && strings.EqualFold(f.Agent, f.RobotsAgent) }

// teller names who made the capture: "it" or another crawler.
func (f *Case) teller() string {
	switch {
	case f.isOwn():
		return "it"
	case f.RobotsAgent == "" && f.Agent != "" && !f.has("other_crawler"):
		return OwnUnnamed
	}
	return prose.OrUnknown(f.RobotsAgent)
}

// OwnUnnamed is who made a capture that names no crawler, and counts as the crawler's own.
const OwnUnnamed = "the same run (without a name)"

// Version names a capture that is a row of a table of robots.txt, by the types of the records of fetch and capture:
// of a request in an access log, it is what the owner of the site served. "": it is no row.
func Version(ofFetch, ofCapture string) string {
	switch {
	case ofCapture != facts.TypeRow.String():
		return ""
	case ofFetch == facts.TypeAccessLog.String():
		return "your version"
	}
	return "the version in a table of robots.txt"
}

// version is Version with its day.
func (f *Case) version() string {
	version := Version(f.RecordType, f.Cited.RecordType)
	if version != "" && f.RobotsTime != nil {
		version = strings.Replace(version, "version", "version of "+prose.TimeOf(*f.RobotsTime).Format("2 January 2006"), 1)
	}
	return version
}

// madeBy states who made a capture.
func (f *Case) madeBy(recordType, agent string) string {
	if version := Version(f.RecordType, recordType); version != "" {
		return ", " + version
	}
	return " by " + prose.OrUnknown(agent)
}

// received states which robots.txt it was, when it was obtained, and by whom.
func (f *Case) received() string {
	when := f.before
	if f.Evidence == "later" {
		when = f.after
	}
	version := f.version()
	switch {
	case version != "":
		return fmt.Sprintf("robots.txt in %s, %s,", version, strings.TrimSuffix(when(), ","))
	case f.Evidence == "later" && f.isOwn():
		return "the robots.txt that the crawler obtained " + f.after()
	case f.Evidence == "later":
		return fmt.Sprintf("the robots.txt that %s obtained %s", f.teller(), f.after())
	case prose.Value(f.RobotsStatus) == 304:
		return fmt.Sprintf("the robots.txt that the server had confirmed to %s as unchanged (status 304) %s", f.teller(),
			f.before())
	}
	if n := prose.Value(f.RobotsHops); n > 0 {
		return fmt.Sprintf("the robots.txt that %s had asked for %s (%s led to %s)", f.teller(), f.before(),
			report.Count(int64(n), "redirect"), f.content())
	}
	return fmt.Sprintf("the robots.txt that %s had fetched %s", f.teller(), f.before())
}

// content is what redirects led to: with its age, if that is another than the capture's.
func (f *Case) content() string {
	if gap, _ := f.gap(); f.RobotsAge != nil && *f.RobotsAge > gap {
		return "content captured " + prose.Duration(*f.RobotsAge) + " before the fetch"
	}
	return "it"
}

// gap is the time from the date of the capture to that of the fetch, in seconds.
func (f *Case) gap() (seconds int64, known bool) {
	if f.FetchTime == nil || f.RobotsTime == nil {
		return 0, false
	}
	return (*f.FetchTime - *f.RobotsTime) / 1e6, *f.FetchTime != *f.RobotsTime
}

func (f *Case) before() string {
	seconds, differ := f.gap()
	switch {
	case !differ && f.has("same_moment"):
		return "at the same moment (nothing shows for sure which came first)"
	case !differ:
		return "just before (both records have the same date; it stands first in the archive)"
	case f.has("coarse_date"):
		return "before"
	}
	return prose.Duration(seconds) + " earlier"
}

func (f *Case) after() string {
	seconds, differ := f.gap()
	switch {
	case !differ:
		return "only afterwards (both records have the same date; robots.txt stands later than the fetch in the archive)"
	case f.RobotsAge != nil && *f.RobotsAge == 0 && seconds > 0:
		return "only afterwards (it was requested earlier, and the time that this took, or the server’s clock, shows that the answer came later)"
	case seconds > 0 || f.FetchTime != nil && f.RobotsTime != nil && *f.FetchTime > *f.RobotsTime:
		return "by way of redirects, with content captured only after the fetch,"
	case f.has("coarse_date"):
		return "only afterwards"
	}
	return "only " + prose.Duration(-seconds) + " later"
}

// confirmed states that a later capture agrees.
func (f *Case) confirmed() string {
	if f.has("bracketed") {
		return ", and the next one captured after the fetch,"
	}
	return ""
}

// forbids states whom the rules address.
func (f *Case) forbids() string {
	verb := "disallows"
	if f.has("bracketed") && f.Evidence != "later" {
		verb = "disallow"
	}
	if f.Evidence == "later" {
		verb += " this URL"
	}
	if f.AgentMatch == "exact" || f.AgentMatch == "google" {
		return verb + " to " + prose.Clip(f.Agent, prose.MaxName) + " by name"
	}
	return verb + " to all crawlers without a group of their own"
}

// place quotes the rule.
func (f *Case) place() string { return fmt.Sprintf("(line %d: “%s”)", f.RuleLine, f.Rule) }

// failure states that robots.txt could not be had.
func (f *Case) failure() string {
	status := f.failureStatus()
	switch {
	case status == nil:
		return "robots.txt could not be had " + f.before()
	case f.Cited.RecordType == facts.TypeRow.String():
		return fmt.Sprintf("robots.txt answered with status %d in %s, %s", *status,
			f.version(), f.before())
	case f.isOwn():
		return fmt.Sprintf("robots.txt had answered its request with status %d, %s", *status, f.before())
	}
	return fmt.Sprintf("robots.txt had answered a request by %s with status %d, %s", f.teller(), *status, f.before())
}

// authority says what reads the failure of a robots.txt so. A status other than a 5xx is a failure by
// the profile alone.
func (f *Case) authority() string {
	if s := f.failureStatus(); s == nil || *s >= 500 && *s < 600 {
		return "RFC 9309 (section 2.3.1.4)"
	}
	return "the profile " + f.Profile
}

// failureStatus is the status with which robots.txt failed; nil: there was no answer.
func (f *Case) failureStatus() *int16 {
	if f.Cited.FinalStatus == nil && prose.Value(f.RobotsHops) == 0 {
		return f.RobotsStatus
	}
	return f.Cited.FinalStatus
}

// asciiURL percent-encodes the bytes of a URL that no URI may hold raw: it then means the same to
// robots.txt, and stands in a sentence without changing the direction of its words.
func asciiURL(s string) string {
	return ascii.Escaped(s, func(c byte) bool { return c <= ' ' || c > '~' })
}
