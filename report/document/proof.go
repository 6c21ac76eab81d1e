package document

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/words"
)

// proof lists what the verdict rests on.
func (f *found) proof() []Term {
	terms := []Term{
		{"Crawler", f.whose()},
		{"robots.txt captured", []string{f.captured()}},
		{"How it was reached", f.way()},
	}
	if f.Reason == "unreachable" {
		terms = append(terms, Term{
			"What it says",
			[]string{"Nothing: it could not be had. That forbids everything (RFC 9309, section 2.3.1.4) for at most 24 hours."},
		})
	} else {
		terms = append(terms, Term{"Group", []string{f.group()}}, Term{"Rule", []string{f.ruleText()}})
	}
	terms = append(terms, Term{"Copies considered", f.copiesText()})
	if f.isViolation() {
		terms = append(terms, Term{"Why it is not contested", []string{
			"No copy that the crawler may have used allows the fetch (RFC 9309, section 2.4), nor does a reading " +
				"that the standard leaves open.",
		}})
	}
	if doubts := f.doubtTexts(); len(doubts) > 0 {
		terms = append(terms, Term{"Doubts and remarks", doubts})
	}
	if f.ContestedTime != nil {
		terms = append(terms, Term{"The copy that allows", []string{f.contester()}})
	}
	if f.Via != "" {
		terms = append(terms, Term{"Led here by", []string{f.Via}})
	}
	return terms
}

func (f *found) isViolation() bool { return words.IsViolation(f.Certainty) }

// whose states who the crawler is, how that is known, and what it claims.
func (f *found) whose() []string {
	list := []string{"Not known by name: the groups for all crawlers (*) apply."}
	if f.Agent != "" {
		list[0] = Clip(f.Agent, maxName) + f.namedBy() + "."
	}
	if f.Claim != "" {
		list = append(list, claimText(f.Claim))
	}
	return list
}

// captured states the date of the capture, and its age.
func (f *found) captured() string {
	by := f.teller()
	if f.isOwn() {
		by = Clip(f.RobotsAgent, maxName)
	}
	words := fmt.Sprintf("%s by %s", moment(f.RobotsTime), by)
	if f.Evidence == "later" {
		return words + "; what it says was obtained after the fetch, and nothing before."
	}
	if f.RobotsAge != nil {
		words += fmt.Sprintf("; age at the fetch %s s", number(*f.RobotsAge))
	}
	if f.Evidence == "stale" {
		return words + ", more than 24 hours (stale: RFC 9309, section 2.4)."
	}
	return words + ", at most 24 hours (fresh: RFC 9309, section 2.4)."
}

// way describes how the capture came to its content.
func (f *found) way() (words []string) {
	if n := value(f.RobotsHops); n > 0 {
		words = append(words, fmt.Sprintf("%s redirected (%s): %s", f.RobotsURL, plural(int64(n), "redirect"),
			strings.Join(f.Cited.HopURLs, " → ")))
		if int(n) > len(f.Cited.HopURLs) {
			words[0] += " → …"
		}
	}
	switch {
	case value(f.RobotsStatus) == 304:
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
		words = append(words, fmt.Sprintf("The body that was applied was captured %s by %s.", moment(f.RobotsBodyTime),
			orUnknown(f.RobotsBodyAgent)))
	}
	return words
}

// hasOtherBody reports whether another record than the capture holds the body.
func (f *found) hasOtherBody() bool {
	return f.RobotsBodyOffset != nil &&
		(*f.RobotsBodyOffset != value(f.RobotsOffset) || f.RobotsBodyFile != f.RobotsFilename)
}

func (f *found) group() string {
	switch f.AgentMatch {
	case "exact":
		return fmt.Sprintf("The group that begins at line %d; it names %s (RFC 9309, section 2.2.1).", f.GroupLine,
			Clip(f.Agent, maxName))
	case "google":
		return fmt.Sprintf("The group that begins at line %d; it names %s, as Google’s parser compares names.",
			f.GroupLine, Clip(f.Agent, maxName))
	}
	return fmt.Sprintf("The group that begins at line %d, for all crawlers (*): no group names this one (RFC 9309, "+
		"section 2.2.1).", f.GroupLine)
}

func (f *found) ruleText() string {
	return fmt.Sprintf("Line %d: “%s”. Of the rules of the group that match, it is the most specific (RFC 9309, "+
		"section 2.2.2).", f.RuleLine, f.Rule)
}

// copiesText lists the captures, besides the governing one, that the crawler may have used.
func (f *found) copiesText() []string {
	c := &f.Cited
	if f.Evidence == "later" {
		return []string{"None: nothing of this robots.txt was obtained before the fetch."}
	}
	words := []string{"The capture that governs; there is no other in the 24 hours up to the fetch that says something."}
	if c.Others > 0 {
		words[0] = fmt.Sprintf("The capture that governs, and %s in the 24 hours up to the fetch:",
			plural(c.Others, "other"))
		words = append(words, c.Latest...)
	}
	if more := c.Others - int64(len(c.Latest)); more > 0 {
		words = append(words, fmt.Sprintf("and %s more (table robots)", number(more)))
	}
	if f.Reason == "unreachable" {
		words = append(words, "While robots.txt cannot be had, the last file that was got counts, too, whatever its age.")
	}
	return words
}

func (f *found) doubtTexts() (list []string) {
	if f.Evidence == words.Stale.String() {
		list = append(list, plainMarkdown(words.Evidences[words.Stale].Meaning))
	}
	if f.Notes == "" {
		return list
	}
	for note := range strings.SplitSeq(f.Notes, ",") {
		list = append(list, cmp.Or(plainMarkdown(words.Find(words.NoteWords, note).Meaning), Visible(note)))
	}
	return list
}

// contester describes the copy that allows.
func (f *found) contester() string {
	words := fmt.Sprintf("Captured %s by %s", moment(f.ContestedTime), orUnknown(f.ContestedAgent))
	if f.ContestedOutcome == "unavailable" {
		return words + ": robots.txt was not available (status 4xx, or too many redirects), which allows everything (RFC 9309, sections 2.3.1.2 and 2.3.1.3)."
	}
	return words + "."
}

// records lists the records that prove the finding.
func (f *found) records() (list []Record) {
	add := func(what, file string, offset, length int64, id, digest string) {
		list = append(list, Record{
			What: what, File: Clip(file, maxName), Offset: offset, Length: length,
			ID: Clip(id, maxName), Digest: Clip(digest, maxName),
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

// claimText states the claim of a crawler on its obedience.
func claimText(claim string) string {
	return fmt.Sprintf("Its warcinfo record claims “robots: %s”; a claim is not trusted.", Visible(claim))
}
