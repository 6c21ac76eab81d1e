package words

// Notes are remarks on a verdict, as a set.
type Notes uint64

// The notes.
const (
	NoteReservedEncoding Notes = 1 << iota
	NoteParseLimit
	NoteBodyCut
	NoteURLCut
	NoteOtherCrawler
	NotePermittedCopy
	NotePartial
	NoteResynced
	NoteOtherMode
	NoteHTML
	NoteDigestMismatch
	NoteSameMoment
	NoteCoarseDate
	NoteUnreadableCopy
	NoteBracketed
	NoteUnsafeEncoding
	NoteLenient
	NoteDocumentedToken
	NoteRobotsTxtEncoded
	NoteAmbiguousToken
	NoteTokenByOption
	NoteForgeable
	NoteIndexed
	NoteListed
	NoteUnreadCapture
	NoteNoStatus
	NoteNoRecord
	NoteRedirectTarget
	NoteOtherTarget
	NoteContentUsage
	NoteOrderDoubt
	NoteOtherRun
	NoteAgentName
	NoteNamedGroupForbids
	NoteHostMismatch
	NoteListedRobots
	NoteLogged
)

// NoteWords has the notes in the order of their bits, which is that of the tables.
var NoteWords = []Word{
	{
		Name: "reserved_encoding", Effect: OpenReading, Section: "Open readings",
		Meaning: "If reserved bytes and their percent-encoded forms are taken as equal, the fetch is allowed (RFC 9309 " +
			"§2.2.2 is not clear).",
	},
	{
		Name: "parse_limit", Effect: OpenReading, Section: "Open readings",
		Meaning: "RFC 9309 §2.5 lets a crawler stop after the first 512,000 bytes, or read on. If it does " +
			"what the profile does not, the fetch is allowed.",
	},
	{
		Name: "body_cut", Effect: Doubt, Section: "Parts of a file",
		Meaning: "robots.txt was kept in part: it is longer than 8 MiB, or breaks off (issue `body_cut`).",
	},
	{
		Name: "url_cut", Effect: Doubt, Section: "The four classes",
		Meaning: "The URL was longer than 64 KiB and kept in part.",
	},
	{
		Name: "other_crawler", Effect: Doubt, Section: "Which capture governs",
		Meaning: "The governing capture, or a body applied, is not known to be this crawler's own: servers may answer " +
			"crawlers differently.",
	},
	{
		Name: "permitted_copy", Effect: AllowingCopy, Section: "Permitted copies",
		Meaning: "Another copy of robots.txt that the crawler may have used (RFC 9309 §2.4) allows the fetch.",
		More:    "`contested_*` cites it.",
		But:     "another copy that the crawler may have used allows it",
		Settle:  "The crawler's log or cache, if it shows which copy it used.",
	},
	{
		Name: "partial", Effect: Doubt, Section: "Parts of a file",
		Meaning: "The governing capture holds only a part of robots.txt.",
	},
	{
		Name: "resynced", Effect: Doubt, Section: "The four classes",
		Meaning: "The fetch, or its robots.txt, was found after damage in the archive, or the header of its record " +
			"contradicts itself.",
	},
	{
		Name: "other_mode", Section: "Other notes",
		Meaning: "Another way of comparing product tokens gives another verdict. This changes nothing.",
	},
	{
		Name: "html", Effect: OpenReading, Section: "HTML",
		Meaning: "The governing capture is an HTML page with lines that read as rules: the site may have meant to " +
			"say nothing.",
	},
	{
		Name: "digest_mismatch", Effect: Unproven, Section: "The four classes",
		Meaning: "A digest of the capture, or of a record to which it led, does not match its content, or a " +
			"revisit names a record with another digest: the server may have sent something else.",
		But:    "a digest shows that robots.txt may have said something else",
		Settle: "Another copy of the archive, or another archive that holds this robots.txt.",
	},
	{
		Name: "same_moment", Effect: Doubt, Section: "Order within one moment",
		Meaning: "A capture that counts is dated at the moment of the fetch, and nothing shows for sure which came first.",
	},
	{
		Name: "coarse_date", Effect: Doubt, Section: "The four classes",
		Meaning: "A date that counts is coarser than a second.",
	},
	{
		Name: "unreadable_copy", Effect: Doubt, Section: "Permitted copies",
		Meaning: "A copy that the crawler may have used cannot be read, or is in doubt: it may have allowed the fetch.",
	},
	{
		Name: "bracketed", Section: "Stale captures",
		Meaning: "The governing capture is old, and the next one after the fetch gives the same answer.",
	},
	{
		Name: "unsafe_encoding", Effect: OpenReading, Section: "Open readings",
		Meaning: "If bytes that no URI may hold (space, `|`, `{`) and their percent-encoded forms are taken as " +
			"equal, the verdict is the opposite. An allowed fetch with this note stays allowed.",
	},
	{
		Name: "lenient", Effect: OpenReading, Section: "Open readings",
		Meaning: "RFC 9309 §2.2.4 lets a crawler read misspelt lines, and lines without a colon, as meant, or " +
			"ignore them. If it does what the profile does not, the fetch is allowed.",
	},
	{
		Name: "documented_token", Effect: OpenReading, Section: "Open readings",
		Meaning: "The rules for another token that the crawler is documented to obey allow the fetch.",
	},
	{
		Name: "robots_txt_encoded", Effect: OpenReading, Section: "Open readings",
		Meaning: "Once its path is normalised, the URL is `/robots.txt`, which is always allowed (RFC 9309 §2.2.2).",
	},
	{
		Name: "ambiguous_token", Effect: Doubt, Section: "The crawler's token",
		Meaning: "The User-Agent names two crawlers; the first counts.",
	},
	{
		Name: "token_by_option", Section: "Other notes",
		Meaning: "An option gives the crawler's name, and the User-Agent does not contain it.",
	},
	{
		Name: "forgeable", Effect: Unproven, Section: "The four classes",
		Meaning: "A record was found after damage in an uncompressed archive, where it may be the content of a page, " +
			"or its header states two dates or two URLs.",
		But:    "a record may be the content of a page, or states two dates or two URLs",
		Settle: "An undamaged copy of the archive.",
	},
	{
		Name: "indexed", Effect: Doubt, Section: "Indexes and lists",
		Meaning: "An index reports the fetch. Its record or its request was not read, or the record that was read " +
			"may be the content of a page.",
	},
	{
		Name: "listed", Effect: Doubt, Section: "Indexes and lists",
		Meaning: "A list of URLs reports the fetch: its record was not read.",
	},
	{
		Name: "unread_capture", Effect: Unproven, Section: "Indexes and lists",
		Meaning: "An index reports another robots.txt before the fetch. No input holds it, and it may say otherwise.",
		But:     "an index reports another robots.txt before the fetch, which was not read and may say otherwise",
		Settle:  "The archive that holds that robots.txt.",
	},
	{
		Name: "no_status", Effect: Unproven, Section: "Indexes and lists",
		Meaning: "The row of the index has no status: the record that it names may not be that of a fetch.",
		But:     "the row of the index has no status, so nothing shows that the fetch was made",
		Settle:  "The archive that the index names, or `--verify`, which reads the record.",
	},
	{
		Name: "no_record", Effect: Unproven, Section: "Verified records",
		Meaning: "The record that an index or a list names was looked for, and is not there: nothing shows that " +
			"the fetch was made.",
		But:    "its record was looked for and is not there, so nothing shows that the fetch was made",
		Settle: "The archive that holds the record; or an index that says where it is.",
	},
	{
		Name: "redirect_target", Effect: Unproven, Section: "Always allowed",
		Meaning: "At most an hour before, or in the same second, robots.txt redirected to this URL: the fetch may " +
			"have been made to get robots.txt. `robotsaudit explain` names the redirects. Or an access log reports " +
			"it, which has no targets of redirects, and the URL ends in .txt.",
		But:    "a redirect of robots.txt may have led to it",
		Settle: "The crawler's log, if it shows from where the crawler came to each URL.",
	},
	{
		Name: "other_target", Effect: Doubt, Section: "Redirects",
		Meaning: "robots.txt redirected. At about the same time, the crawler received another answer from the target, and " +
			"nothing shows for sure which of the two it used. `robotsaudit explain` names both.",
	},
	{
		Name: "content_usage", Effect: OpenReading, Section: "Open readings",
		Meaning: "If Content-Usage lines are rules that end a list of user-agent lines " +
			"(draft-ietf-aipref-attach-05), the fetch is allowed.",
	},
	{
		Name: "order_doubt", Effect: Doubt, Section: "Received before",
		Meaning: "The capture is dated before the fetch. The order of the records in an archive, or the time that " +
			"the capture took, speaks against that. Or the two are less than 3 seconds apart, and neither shows " +
			"which came first.",
	},
	{
		Name: "other_run", Effect: Doubt, Section: "Runs of a crawler",
		Meaning: "The crawler is software that anybody runs, and another run of it made the capture: that may have " +
			"been somebody else.",
	},
	{
		Name: "agent_name", Effect: OpenReading, Section: "Names among other words",
		Meaning: "A user-agent line names the crawler among other words, and its group gives the opposite " +
			"verdict. An allowed fetch with this note stays allowed.",
	},
	{
		Name: "named_group_forbids", Section: "Other notes",
		Meaning: "The crawler's name is not known. robots.txt allows the fetch, but forbids it to a crawler that " +
			"it names.",
	},
	{
		Name: "host_mismatch", Effect: Unproven, Section: "The four classes",
		Meaning: "The request names another host than the URL of its record: nothing shows that the request went " +
			"to this origin.",
		But:    "the request names another host than the record, so nothing shows that this site was asked",
		Settle: "The crawler's log, if it shows which host each request went to.",
	},
	{
		Name: "listed_robots", Effect: Unproven, Section: "Tables of robots.txt",
		Meaning: "A table alone reports the governing capture: nothing shows that this crawler received it.",
		But:     "a table alone reports that robots.txt, so nothing shows that the crawler received it",
		Settle:  "An archive that holds this robots.txt.",
	},
	{
		Name: "logged", Effect: Doubt, Section: "Access logs",
		Meaning: "An access log reports the request, or that robots.txt was served. Somebody else may have sent that " +
			"User-Agent, another version of robots.txt may have been served, or the request may have begun before.",
	},
}

// The notes that keep a violation from being certain, those that keep a finding from being a violation, and those
// that name an open reading.
var (
	Doubts       = withEffect(Doubt)
	Disproofs    = withEffect(Unproven)
	OpenReadings = withEffect(OpenReading)
)

func withEffect(e Effect) (n Notes) {
	for i := range NoteWords {
		if NoteWords[i].Effect == e {
			n |= 1 << i
		}
	}
	return n
}

// Strings returns the names of the notes in n, in a fixed order.
func (n Notes) Strings() []string { return Names(NoteWords, n) }
