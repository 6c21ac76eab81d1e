package words

// Notes are remarks on a verdict, as a set.
type Notes uint64

// The notes. Their names are the values of the column notes.
const (
	NoteReservedEncoding  Notes = 1 << iota // raw and encoded reserved bytes taken as equal would change the verdict
	NoteParseLimit                          // the rules beyond the parsing limit would change the verdict
	NoteBodyCut                             // the robots.txt was kept only in part
	NoteURLCut                              // the URL was kept only in part
	NoteOtherCrawler                        // the governing capture, or the body applied, is another crawler's
	NotePermittedCopy                       // a copy that may have been in use allows
	NotePartial                             // the governing capture holds a part of the file
	NoteResynced                            // found behind damage in the archive
	NoteOtherMode                           // another way of matching tokens would change the verdict
	NoteHTML                                // the governing capture is an HTML document
	NoteDigestMismatch                      // a digest of the governing capture does not match what it holds
	NoteSameMoment                          // a capture of the fetch's moment, in another archive or later in the archive of the fetch
	NoteCoarseDate                          // a date that counts is coarser than a second
	NoteUnreadableCopy                      // a permitted copy that nobody can read may have allowed
	NoteBracketed                           // stale, and the next capture after the fetch answers alike
	NoteUnsafeEncoding                      // raw and encoded bytes that no URI may hold, taken as equal, would change the verdict
	NoteLenient                             // misspelt lines, or lines without a colon, taken as meant would change the verdict
	NoteDocumentedToken                     // another token that the crawler is documented to obey would change the verdict
	NoteRobotsTxtEncoded                    // the path is /robots.txt once it is normalised
	NoteAmbiguousToken                      // the User-Agent names two crawlers
	NoteTokenByOption                       // the token is given by an option, and the User-Agent does not hold it
	NoteForgeable                           // found behind damage, where a page could hold it
	NoteIndexed                             // an index reports the fetch; its record, all of it, or its request was not read, or a page may hold the record
	NoteListed                              // a list of URLs reports the fetch, likewise
	NoteUnreadCapture                       // an index reports a capture before the fetch that would govern; its record was not read
	NoteNoStatus                            // an index reports the fetch, without a status: its record may not be that of a fetch
	NoteNoRecord                            // an index or a list reports the fetch; its record was looked for, and is not there
	NoteRedirectTarget                      // a redirect of robots.txt may have led to the record
	NoteOtherTarget                         // the governing capture redirects, and may have led to another record, which says something else
	NoteContentUsage                        // Content-Usage lines taken for rules, as their draft does, would change the verdict
	NoteOrderDoubt                          // a capture is dated before the fetch, and the order of the records, or the end of its exchange, speaks against that
	NoteOtherRun                            // the crawler is software that anybody runs, and the capture is of another run
	NoteAgentName                           // a user-agent line that names the crawler among other words would change the verdict
	NoteNamedGroupForbids                   // the crawler has no name, and a group that names somebody forbids what is allowed to it
)

// Effect is what a note means for the class of a disallowed fetch ("The four classes").
type Effect uint8

// The effects.
const (
	NoEffect     Effect = iota
	Doubt               // probable at most
	Unproven            // possible at most
	AllowingCopy        // contested: a copy that the crawler may have used allows the fetch
	OpenReading         // contested: a reading that the specifications leave open allows it
)

// The notes that keep a violation from being certain, and those that name an open reading.
var (
	Doubts       = withEffect(Doubt)
	OpenReadings = withEffect(OpenReading)
)

func withEffect(e Effect) (n Notes) {
	for i := range noteWords {
		if noteWords[i].Effect == e {
			n |= noteWords[i].Note
		}
	}
	return n
}

// noteWords has the notes in the order in which tables name them.
var noteWords = [...]struct {
	Note   Notes
	Effect Effect
	Name   string
}{
	{NoteReservedEncoding, OpenReading, "reserved_encoding"},
	{NoteParseLimit, OpenReading, "parse_limit"},
	{NoteBodyCut, Doubt, "body_cut"},
	{NoteURLCut, Doubt, "url_cut"},
	{NoteOtherCrawler, Doubt, "other_crawler"},
	{NotePermittedCopy, AllowingCopy, "permitted_copy"},
	{NotePartial, Doubt, "partial"},
	{NoteResynced, Doubt, "resynced"},
	{NoteOtherMode, NoEffect, "other_mode"},
	{NoteHTML, OpenReading, "html"},
	{NoteDigestMismatch, Unproven, "digest_mismatch"},
	{NoteSameMoment, Doubt, "same_moment"},
	{NoteCoarseDate, Doubt, "coarse_date"},
	{NoteUnreadableCopy, Doubt, "unreadable_copy"},
	{NoteBracketed, NoEffect, "bracketed"},
	{NoteUnsafeEncoding, OpenReading, "unsafe_encoding"},
	{NoteLenient, OpenReading, "lenient"},
	{NoteDocumentedToken, OpenReading, "documented_token"},
	{NoteRobotsTxtEncoded, OpenReading, "robots_txt_encoded"},
	{NoteAmbiguousToken, Doubt, "ambiguous_token"},
	{NoteTokenByOption, NoEffect, "token_by_option"},
	{NoteForgeable, Unproven, "forgeable"},
	{NoteIndexed, Doubt, "indexed"},
	{NoteListed, Doubt, "listed"},
	{NoteUnreadCapture, Unproven, "unread_capture"},
	{NoteNoStatus, Unproven, "no_status"},
	{NoteNoRecord, Unproven, "no_record"},
	{NoteRedirectTarget, Unproven, "redirect_target"},
	{NoteOtherTarget, Doubt, "other_target"},
	{NoteContentUsage, OpenReading, "content_usage"},
	{NoteOrderDoubt, Doubt, "order_doubt"},
	{NoteOtherRun, Doubt, "other_run"},
	{NoteAgentName, OpenReading, "agent_name"},
	{NoteNamedGroupForbids, NoEffect, "named_group_forbids"},
}

// Strings returns the names of the notes in n, in a fixed order.
func (n Notes) Strings() []string {
	var list []string
	for i := range noteWords {
		if n&noteWords[i].Note != 0 {
			list = append(list, noteWords[i].Name)
		}
	}
	return list
}
