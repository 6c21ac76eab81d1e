package finding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// Proof lists what the verdict rests on.
func (f *Case) Proof() []document.Term {
	terms := []document.Term{
		document.NewTerm("Crawler", f.whose()...),
		document.NewTerm("robots.txt captured", f.captured()),
		document.NewTerm("How it was reached", f.way()...),
	}
	if f.Reason == "unreachable" {
		terms = append(terms, document.NewTerm("What it says", "Nothing: it could not be had. That forbids everything (RFC 9309, section 2.3.1.4) for at most 24 hours."))
	} else {
		terms = append(terms, document.NewTerm("Group", f.group()), document.NewTerm("Rule", fmt.Sprintf(
			"Line %d: “%s”. Of the rules of the group that match, it is the most specific (RFC 9309, section 2.2.2).",
			f.RuleLine, f.Rule)))
	}
	terms = append(terms, document.NewTerm("Copies considered", f.copiesText()...))
	if f.IsViolation() {
		terms = append(terms, document.NewTerm("Why it is not contested",
			"No copy that the crawler had received before allows the fetch (RFC 9309, section 2.4), nor does a reading "+
				"that the standard leaves open."))
	}
	if doubts := f.doubtTexts(); len(doubts) > 0 {
		terms = append(terms, document.NewTerm("Doubts and remarks", doubts...))
	}
	if f.ContestedTime != nil {
		terms = append(terms, document.NewTerm("The copy that allows", f.contester()))
	}
	if f.Via != "" {
		terms = append(terms, document.NewTerm("Led here by", f.Via))
	}
	return terms
}

func (f *Case) IsViolation() bool { return words.IsViolation(f.Certainty) }

// whose states who the crawler is, how that is known, and what it claims.
func (f *Case) whose() []string {
	list := []string{"Not known by name: the groups for all crawlers (*) apply."}
	if f.Agent != "" {
		list[0] = prose.Clip(f.Agent, prose.MaxName) + f.namedBy() + "."
	}
	if f.Claim != "" {
		list = append(list, fmt.Sprintf("Its warcinfo record claims “robots: %s”; a claim is not trusted.",
			prose.Visible(f.Claim)))
	}
	return list
}

// captured states the date of the capture, and its age.
func (f *Case) captured() string {
	by := f.madeBy(f.Cited.RecordType, f.RobotsAgent)
	if who := f.teller(); who == OwnUnnamed && f.version() == "" {
		by = " by " + who
	}
	words := prose.Moment(f.RobotsTime) + by
	if f.Evidence == "later" {
		return words + "; what it says was obtained after the fetch, and nothing before."
	}
	if f.RobotsAge != nil {
		words += fmt.Sprintf("; age at the fetch %s s", prose.Number(*f.RobotsAge))
	}
	if f.Evidence == "stale" {
		return words + ", more than 24 hours (stale: RFC 9309, section 2.4)."
	}
	return words + ", at most 24 hours (fresh: RFC 9309, section 2.4)."
}

// way describes how the capture came to its content.
func (f *Case) way() (words []string) {
	if n := prose.Value(f.RobotsHops); n > 0 {
		words = append(words, fmt.Sprintf("%s redirected (%s): %s", f.RobotsURL, report.Count(int64(n), "redirect"),
			strings.Join(f.Cited.HopURLs, " → ")))
		if int(n) > len(f.Cited.HopURLs) {
			words[0] += " → …"
		}
	}
	switch {
	case prose.Value(f.RobotsStatus) == 304:
		words = append(words, "The server answered with status 304: the file was unchanged.")
	case f.Cited.RecordType == "revisit":
		words = append(words, "The archive keeps it as a revisit: the body is that of another record.")
	case f.Cited.RecordType == "log":
		words = append(words, "A crawler’s log says so; there is no record.")
	case len(words) == 0 && f.RobotsStatus != nil:
		words = append(words, fmt.Sprintf("Directly: %s answered with status %d.", f.RobotsURL, *f.RobotsStatus))
	case len(words) == 0:
		words = append(words, fmt.Sprintf("Directly: %s.", f.RobotsURL))
	}
	if f.hasOtherBody() {
		words = append(words, fmt.Sprintf("The body that was applied was captured %s%s.", prose.Moment(f.RobotsBodyTime),
			f.madeBy(f.Cited.BodyType, f.RobotsBodyAgent)))
	}
	return words
}

// hasOtherBody reports whether another record than the capture holds the body.
func (f *Case) hasOtherBody() bool {
	return f.RobotsBodyOffset != nil &&
		(*f.RobotsBodyOffset != prose.Value(f.RobotsOffset) || f.RobotsBodyFile != f.RobotsFilename)
}

func (f *Case) group() string {
	switch f.AgentMatch {
	case "exact":
		return fmt.Sprintf("The group that begins at line %d; it names %s (RFC 9309, section 2.2.1).", f.GroupLine,
			prose.Clip(f.Agent, prose.MaxName))
	case "google":
		return fmt.Sprintf("The group that begins at line %d; it names %s, as Google’s parser compares names.",
			f.GroupLine, prose.Clip(f.Agent, prose.MaxName))
	}
	return fmt.Sprintf("The group that begins at line %d, for all crawlers (*): no group names this one (RFC 9309, "+
		"section 2.2.1).", f.GroupLine)
}

// copiesText states which other copies, that the crawler may have used, were asked.
func (f *Case) copiesText() []string {
	words := []string{"No other copy that the crawler had received in the 24 hours before says anything else."}
	others := report.Count(int64(f.CopiesAsked), "other copy")
	switch {
	case f.ContestedTime != nil:
		words[0] = others + prose.IsAre(int64(f.CopiesAsked), " was", " were") + " asked, until one allowed the fetch."
	case f.Evidence == "later" && f.CopiesAsked == 0:
		words[0] = "None: nothing of this robots.txt was obtained before the fetch."
	case f.CopiesAsked > 0:
		words[0] = others + prose.IsAre(int64(f.CopiesAsked), " was asked; it does not allow", " were asked; none allows") +
			" the fetch."
	}
	if f.Reason == "unreachable" {
		words = append(words, "While robots.txt cannot be had, the last file that was got counts, too, whatever its age.")
	}
	return words
}

// doubtTexts are the grounds of the class, each with the capture that it is about unless that is the governing one, and
// further remarks.
func (f *Case) doubtTexts() (list []string) {
	for i, g := range f.Grounds {
		text := meaningOf(g.Word)
		if i < len(f.Cited.Others) && f.Cited.Others[i] != "" {
			text += " This is about the capture of " + f.Cited.Others[i] + "."
		}
		list = append(list, text)
	}
	for _, note := range f.Notes {
		if !slices.Contains(f.GroundWords(), note) {
			list = append(list, meaningOf(note))
		}
	}
	return list
}

// contester describes the copy that allows.
func (f *Case) contester() string {
	words := "Captured " + prose.Moment(f.ContestedTime) + f.madeBy(f.Cited.ContestedType, f.ContestedAgent)
	if f.ContestedOutcome == "unavailable" {
		return words + ": robots.txt was not available (status 4xx, or too many redirects), which allows everything (RFC 9309, sections 2.3.1.2 and 2.3.1.3)."
	}
	return words + "."
}

// Records lists the records that prove the finding.
func (f *Case) Records() (list []document.Record) {
	add := func(what, file string, offset, length int64, id, digest string) {
		list = append(list, document.Record{
			What: what, File: prose.Clip(file, prose.MaxName), Offset: offset, Length: length,
			ID: prose.Clip(id, prose.MaxName), Digest: prose.Clip(digest, prose.MaxName),
		})
	}
	add("The fetch", f.WARCFilename, f.WARCRecordOffset, f.WARCRecordLength, f.WARCRecordID, f.ContentDigest)
	if f.RobotsOffset != nil {
		digest := f.RobotsBodyDigest
		if f.hasOtherBody() {
			digest = ""
		}
		add("The robots.txt", f.RobotsFilename, *f.RobotsOffset, f.RobotsLength, f.RobotsRecordID, digest)
	}
	if f.hasOtherBody() {
		add("The body that was applied", f.RobotsBodyFile, *f.RobotsBodyOffset, f.RobotsBodyLength, f.RobotsBodyRecordID,
			f.RobotsBodyDigest)
	}
	if f.ContestedOffset != nil {
		add("The copy that allows", f.ContestedFilename, *f.ContestedOffset, f.ContestedLength, f.ContestedRecordID,
			f.ContestedBodyDigest)
	}
	return list
}
