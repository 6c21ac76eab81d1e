package document

import (
	"fmt"
	"strings"
)

// noteText says in words what a note on a disallowed fetch means.
var noteText = map[string]string{
	"reserved_encoding":  "If reserved characters and their percent-encoded forms are taken as equal, the fetch is allowed (RFC 9309, section 2.2.2, is not clear).",
	"unsafe_encoding":    "If characters that no URL may hold and their percent-encoded forms are taken as equal, the fetch is allowed.",
	"lenient":            "If misspelt lines, or lines without a colon, are taken as meant, the fetch is allowed (RFC 9309, section 2.2.4, lets a crawler do so).",
	"parse_limit":        "If the rules beyond the first 512,000 bytes count, the fetch is allowed (RFC 9309, section 2.5, lets a crawler stop there or read on).",
	"documented_token":   "By another token that the crawler is documented to obey, the fetch is allowed.",
	"robots_txt_encoded": "Once its path is normalised, the URL is /robots.txt, which is always allowed (RFC 9309, section 2.2.2).",
	"content_usage":      "If Content-Usage lines are rules that end a list of user-agent lines, as their draft says (draft-ietf-aipref-attach-05), the fetch is allowed.",
	"html":               "The file is an HTML page with lines that read as rules: the site may have meant to say nothing.",
	"permitted_copy":     "Another copy of robots.txt that the crawler may have used (RFC 9309, section 2.4) allows the fetch.",
	"unreadable_copy":    "A copy that the crawler may have used cannot be read, and may have allowed the fetch.",
	"other_crawler":      "The capture that governs, or the body that was applied, is not known to be this crawler’s own: servers may answer crawlers differently.",
	"same_moment":        "A capture has the date of the fetch, and nothing shows for sure which came first.",
	"order_doubt":        "The capture is dated before the fetch. The order of the records in an archive, or the time that the capture took, speaks against that.",
	"other_run":          "The crawler is software that anybody runs, and another run of it got the capture: that may have been somebody else.",
	"coarse_date":        "A date that counts is coarser than a second.",
	"bracketed":          "The capture is old, but the next one after the fetch says the same.",
	"body_cut":           "robots.txt was kept in part.",
	"partial":            "The capture holds only a part of robots.txt.",
	"url_cut":            "The URL was longer than 64 KiB and kept in part.",
	"resynced":           "The fetch, or its robots.txt, was found behind damage in the archive.",
	"forgeable":          "It was found behind damage in an uncompressed archive, where it may be the content of a page.",
	"indexed":            "An index tells of the fetch: its record, the end of it, or its request, was not read, or nothing shows that the record is not the content of a page.",
	"listed":             "A list of URLs tells of the fetch: its record was not read.",
	"unread_capture":     "An index tells of another robots.txt that was got before the fetch, and it was not read.",
	"no_status":          "The row of the index has no status: its record may not be that of a fetch.",
	"redirect_target":    "At most an hour before, or in the same second, robots.txt redirected to this URL: the fetch may have been made to get robots.txt. robotsaudit explain names the redirects.",
	"other_target":       "robots.txt was a redirect. At about the same time, the crawler got another answer from its target, and nothing shows for sure which of the two it used. robotsaudit explain names both.",
	"no_record":          "The record that the index or the list names was looked for, and is not there.",
	"digest_mismatch":    "A digest of the capture, or of a record on the way to it, does not match its content, or a revisit names a record with another digest.",
	"agent_name":         "A user-agent line names the crawler among other words, and its group allows the fetch.",
	"other_mode":         "If product tokens are compared in another way, the verdict is another.",
	"ambiguous_token":    "The User-Agent names two crawlers; the first was taken.",
	"token_by_option":    "The name is by an option, and the User-Agent does not hold it.",
}

// allowingNotes name a copy or a reading that allows a disallowed fetch.
var allowingNotes = []string{
	"permitted_copy", "reserved_encoding", "unsafe_encoding", "lenient", "parse_limit", "documented_token", "robots_txt_encoded", "content_usage", "html", "agent_name",
}

// proof tells what the verdict rests on.
func (f *found) proof() []Term {
	terms := []Term{
		{"Crawler", f.whose()},
		{"robots.txt captured", []string{f.captured()}},
		{"How it was reached", f.way()},
	}
	if f.Reason == "unreachable" {
		terms = append(terms, Term{"What it says", []string{"Nothing: it could not be had. That forbids everything (RFC 9309, section 2.3.1.4) for at most 24 hours."}})
	} else {
		terms = append(terms, Term{"Group", []string{f.group()}}, Term{"Rule", []string{f.ruleText()}})
	}
	terms = append(terms, Term{"Copies considered", f.copiesText()})
	if f.isViolation() {
		terms = append(terms, Term{"Why it is not contested", []string{
			"No copy that the crawler may have used allows the fetch (RFC 9309, section 2.4), nor does a reading that the standard leaves open.",
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

func (f *found) isViolation() bool { return f.Certainty == "certain" || f.Certainty == "probable" }

// whose says who the crawler is, how that is known, and what it claims.
func (f *found) whose() []string {
	sources := map[string]string{
		"request": ", by the User-Agent of its request.", "warcinfo": ", by the User-Agent that the archive’s warcinfo record names; its request is not there.",
		"option": ", by an option of this audit.", "list": ", as the list of URLs names it.",
		"robots_subset": ", the one crawler that captured robots.txt here; nothing of the fetch itself names it.",
	}
	words := []string{"Not known by name: the groups for all crawlers (*) apply."}
	if f.Agent != "" {
		words[0] = clip(f.Agent, maxName) + sources[f.AgentSource]
	}
	if f.Claim != "" {
		words = append(words, claimText(f.Claim))
	}
	return words
}

// captured tells the date of the capture, and its age.
func (f *found) captured() string {
	words := fmt.Sprintf("%s by %s", moment(f.RobotsTime), orUnknown(f.RobotsAgent))
	if f.Evidence == "later" {
		return words + "; what it says was obtained after the fetch, and nothing before."
	}
	if f.Age != nil {
		words += fmt.Sprintf("; age at the fetch %s s", number(*f.Age))
	}
	if f.Evidence == "stale" {
		return words + ", more than 24 hours (stale: RFC 9309, section 2.4)."
	}
	return words + ", at most 24 hours (fresh: RFC 9309, section 2.4)."
}

// way tells how the capture came to its content.
func (f *found) way() (words []string) {
	if n := value(f.RobotsHops); n > 0 {
		words = append(words, fmt.Sprintf("%s redirected (%s): %s", f.RobotsURL, plural(int64(n), "redirect"), strings.Join(f.cited.HopURLs, " → ")))
		if int(n) > len(f.cited.HopURLs) {
			words[0] += " → …"
		}
	}
	switch {
	case value(f.RobotsStatus) == 304:
		words = append(words, "The server answered with status 304: the file was unchanged.")
	case f.cited.RecordType == "revisit":
		words = append(words, "The archive keeps it as a revisit: the body is that of another record.")
	case f.cited.RecordType == "log":
		words = append(words, "A crawler’s log says so; there is no record.")
	case len(words) == 0 && f.RobotsStatus != nil:
		words = append(words, fmt.Sprintf("Directly: %s answered with status %d.", f.RobotsURL, *f.RobotsStatus))
	case len(words) == 0:
		words = append(words, fmt.Sprintf("Directly: %s.", f.RobotsURL))
	}
	if f.hasOtherBody() {
		words = append(words, fmt.Sprintf("The body that was applied was captured %s by %s.", moment(f.RobotsBodyTime), orUnknown(f.RobotsBodyAgent)))
	}
	return words
}

// hasOtherBody reports whether another record than the capture holds the body.
func (f *found) hasOtherBody() bool {
	return f.RobotsBodyOffset != nil && (*f.RobotsBodyOffset != value(f.RobotsOffset) || f.RobotsBodyFile != f.RobotsFilename)
}

func (f *found) group() string {
	switch f.AgentMatch {
	case "exact":
		return fmt.Sprintf("The group that begins at line %d; it names %s (RFC 9309, section 2.2.1).", f.GroupLine, clip(f.Agent, maxName))
	case "google":
		return fmt.Sprintf("The group that begins at line %d; it names %s, as Google’s parser compares names.", f.GroupLine, clip(f.Agent, maxName))
	}
	return fmt.Sprintf("The group that begins at line %d, for all crawlers (*): no group names this one (RFC 9309, section 2.2.1).", f.GroupLine)
}

func (f *found) ruleText() string {
	return fmt.Sprintf("Line %d: “%s”. Of the rules of the group that match, it is the most specific (RFC 9309, section 2.2.2).", f.RuleLine, f.Rule)
}

// copiesText tells which captures the crawler may have used, beside the one that governs.
func (f *found) copiesText() []string {
	c := f.cited.Copies
	if f.Evidence == "later" {
		return []string{"None: nothing of this robots.txt was obtained before the fetch."}
	}
	words := []string{"The capture that governs; there is no other in the 24 hours up to the fetch that says something."}
	if c.Count > 0 {
		words[0] = fmt.Sprintf("The capture that governs, and %s in the 24 hours up to the fetch:", plural(c.Count, "other"))
		words = append(words, c.First...)
	}
	if more := c.Count - int64(len(c.First)); more > 0 {
		words = append(words, fmt.Sprintf("and %s more (table robots)", number(more)))
	}
	if f.Reason == "unreachable" {
		words = append(words, "While robots.txt cannot be had, the last file that was got counts, too, whatever its age.")
	}
	return words
}

func (f *found) doubtTexts() (words []string) {
	if f.Evidence == "stale" {
		words = append(words, "The capture is more than 24 hours old: the crawler should have asked again (RFC 9309, section 2.4).")
	}
	if f.Notes == "" {
		return words
	}
	for _, note := range strings.Split(f.Notes, ",") {
		if text := noteText[note]; text != "" {
			words = append(words, text)
		} else {
			words = append(words, Visible(note))
		}
	}
	return words
}

// contester tells which copy allows.
func (f *found) contester() string {
	words := fmt.Sprintf("Captured %s by %s", moment(f.ContestedTime), orUnknown(f.ContestedAgent))
	if f.ContestedOutcome == "unavailable" {
		return words + ": robots.txt was not available (status 4xx, or too many redirects), which allows everything (RFC 9309, sections 2.3.1.2 and 2.3.1.3)."
	}
	return words + "."
}

// records lists the records that prove the finding.
func (f *found) records(lengths map[place]int64) []Record {
	list := []Record{{What: "The fetch", File: clip(f.File, maxName), Offset: f.Offset, Length: f.Length, ID: clip(f.RecordID, maxName), Digest: clip(f.Digest, maxName)}}
	if f.RobotsOffset != nil {
		r := Record{What: "The robots.txt", File: clip(f.RobotsFilename, maxName), Offset: *f.RobotsOffset, Length: f.RobotsLength, ID: clip(f.RobotsRecordID, maxName)}
		if !f.hasOtherBody() {
			r.Digest = clip(f.RobotsBodyDigest, maxName)
		}
		list = append(list, r)
	}
	if f.hasOtherBody() {
		at := f.bodyPlace()
		list = append(list, Record{
			What: "The body that was applied", File: clip(at.file, maxName), Offset: at.offset, Length: lengths[at], ID: clip(f.RobotsBodyRecordID, maxName), Digest: clip(f.RobotsBodyDigest, maxName),
		})
	}
	if f.ContestedOffset != nil {
		at := f.contestedPlace()
		list = append(list, Record{
			What: "The copy that allows", File: clip(at.file, maxName), Offset: at.offset, Length: lengths[at], ID: clip(f.ContestedRecordID, maxName), Digest: clip(f.ContestedBodyDigest, maxName),
		})
	}
	return list
}

func (f *found) bodyPlace() place { return place{f.RobotsBodyFile, value(f.RobotsBodyOffset)} }

func (f *found) contestedPlace() place { return place{f.ContestedFilename, value(f.ContestedOffset)} }

// claimText says what a crawler claims of its obedience.
func claimText(claim string) string {
	return fmt.Sprintf("Its warcinfo record claims “robots: %s”; a claim is not trusted.", Visible(claim))
}
