package words

import (
	"cmp"
	"math/bits"
)

// Notes is a set of words about a verdict: remarks, and the grounds of its class. Tables list the remarks in the
// column notes, in the order of their bits.
type Notes uint64

// The notes, and then the grounds that other columns show already, so that notes leaves them out.
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
	NoteNoZone
	NoteCompressedSize
	NoteAuthorized
	NoteUserTriggered
	NoteDocumentedExempt
	GroundNoToken
	GroundReceivedLater
	GroundAskedLater
	GroundNotInformed
	GroundTooOld
	GroundSameSecond
	GroundUnfinishedLine
	GroundStale
	GroundFailed
)

// NoteWords are the words of the column notes, and GroundWords all, in the order of their bits.
var (
	GroundWords = inOrder(described)
	NoteWords   = GroundWords[:bits.TrailingZeros64(uint64(GroundNoToken))]
)

func inOrder(words map[Notes]Word) []Word {
	list := make([]Word, len(words))
	for note, w := range words {
		if w.Effect == OpenReading {
			w.But = cmp.Or(w.But, "a reading that the standard leaves open allows it")
			w.Settle = cmp.Or(w.Settle, "No archive: how the site meant the line and how the crawler reads it, in its documentation.")
		}
		list[bits.TrailingZeros64(uint64(note))] = w
	}
	return list
}

var described = map[Notes]Word{
	NoteReservedEncoding: {
		Name: "reserved_encoding", Effect: OpenReading, Section: "Open readings",
		Meaning: "If reserved bytes and their percent-encoded forms are taken as equal, the fetch is allowed (RFC 9309 " +
			"§2.2.2 is not clear).",
	},
	NoteParseLimit: {
		Name: "parse_limit", Effect: OpenReading, Section: "Open readings",
		Meaning: "RFC 9309 §2.5 lets a crawler stop after the first 512,000 bytes, or read on. If it does " +
			"what the profile does not, the fetch is allowed.",
	},
	NoteBodyCut: {
		Name: "body_cut", Effect: Doubt, Section: "Parts of a file",
		Meaning: "robots.txt was kept in part: it is longer than 8 MiB, or breaks off (issue `body_cut`).",
	},
	NoteURLCut: {
		Name: "url_cut", Effect: Doubt, Section: "The four classes",
		Meaning: "The URL was longer than 64 KiB and kept in part.",
	},
	NoteOtherCrawler: {
		Name: "other_crawler", Effect: Doubt, Section: "Which capture governs",
		Meaning: "The governing capture, or a body applied, is not known to be this crawler's own: servers may answer " +
			"crawlers differently.",
	},
	NotePermittedCopy: {
		Name: "permitted_copy", Effect: AllowingCopy, Section: "Permitted copies",
		Meaning: "Another copy of robots.txt that the crawler may have used (RFC 9309 §2.4) allows the fetch.",
		More:    "`contested_*` cites it.",
		But:     "another copy that the crawler may have used allows it",
		Settle:  "The crawler's log or cache, if it shows which copy it used.",
	},
	NotePartial: {
		Name: "partial", Effect: Doubt, Section: "Parts of a file",
		Meaning: "The governing capture holds only a part of robots.txt.",
	},
	NoteResynced: {
		Name: "resynced", Effect: Doubt, Section: "The four classes",
		Meaning: "The fetch, or its robots.txt, was found after damage in the archive, or the header of its record " +
			"contradicts itself.",
	},
	NoteOtherMode: {
		Name: "other_mode", Section: "Other notes",
		Meaning: "Another way of comparing product tokens gives another verdict. This changes nothing.",
	},
	NoteHTML: {
		Name: "html", Effect: OpenReading, Section: "HTML",
		Meaning: "The governing capture is an HTML page with lines that read as rules, and may mean none.",
	},
	NoteDigestMismatch: {
		Name: "digest_mismatch", Effect: Unproven, Section: "The four classes",
		Meaning: "A digest of the capture, or of a record to which it led, does not match its content, or a " +
			"revisit names a record with another digest: the server may have sent something else.",
		But:    "a digest shows that robots.txt may have said something else",
		Settle: "Another copy of the archive, or another archive that holds this robots.txt.",
	},
	NoteSameMoment: {
		Name: "same_moment", Effect: Doubt, Section: "Order within one moment",
		Meaning: "A capture that counts is dated at the moment of the fetch, and nothing shows for sure which came first.",
	},
	NoteCoarseDate: {
		Name: "coarse_date", Effect: Doubt, Section: "The four classes",
		Meaning: "A date that counts is coarser than a second.",
	},
	NoteUnreadableCopy: {
		Name: "unreadable_copy", Effect: Doubt, Section: "Permitted copies",
		Meaning: "A copy that the crawler may have used cannot be read, or is in doubt: it may have allowed the fetch.",
	},
	NoteBracketed: {
		Name: "bracketed", Section: "Stale captures",
		Meaning: "The governing capture is old, and the next one after the fetch gives the same answer.",
	},
	NoteUnsafeEncoding: {
		Name: "unsafe_encoding", Effect: OpenReading, Section: "Open readings",
		Meaning: "If bytes that no URI may hold (space, `|`, `{`) and their percent-encoded forms are taken as " +
			"equal, the verdict is the opposite. An allowed fetch with this note stays allowed.",
	},
	NoteLenient: {
		Name: "lenient", Effect: OpenReading, Section: "Open readings",
		Meaning: "RFC 9309 §2.2.4 lets a crawler read misspelt lines, and lines without a colon, as meant, or " +
			"ignore them. If it does what the profile does not, the fetch is allowed.",
	},
	NoteDocumentedToken: {
		Name: "documented_token", Effect: OpenReading, Section: "Open readings",
		Meaning: "The rules for another token that the crawler is documented to obey allow the fetch.",
	},
	NoteRobotsTxtEncoded: {
		Name: "robots_txt_encoded", Effect: OpenReading, Section: "Open readings",
		Meaning: "Once its path is normalised, the URL is `/robots.txt`, which is always allowed (RFC 9309 §2.2.2).",
	},
	NoteAmbiguousToken: {
		Name: "ambiguous_token", Effect: Doubt, Section: "The crawler's token",
		Meaning: "The User-Agent names two crawlers; the first counts.",
	},
	NoteTokenByOption: {
		Name: "token_by_option", Section: "Other notes",
		Meaning: "An option gives the crawler's name, and the User-Agent does not contain it.",
	},
	NoteForgeable: {
		Name: "forgeable", Effect: Unproven, Section: "The four classes",
		Meaning: "A record was found after damage in an uncompressed archive, where it may be the content of a page, " +
			"or its header states two dates or two URLs.",
		But:    "a record may be the content of a page, or states two dates or two URLs",
		Settle: "An undamaged copy of the archive.",
	},
	NoteIndexed: {
		Name: "indexed", Effect: Doubt, Section: "Indexes and lists",
		Meaning: "An index reports the fetch. Its record or its request was not read, or the record that was read " +
			"may be the content of a page.",
	},
	NoteListed: {
		Name: "listed", Effect: Doubt, Section: "Indexes and lists",
		Meaning: "A list of URLs reports the fetch: its record was not read.",
	},
	NoteUnreadCapture: {
		Name: "unread_capture", Effect: Unproven, Section: "Indexes and lists",
		Meaning: "An index reports another robots.txt before the fetch. No input holds it, and it may say otherwise.",
		But:     "an index reports another robots.txt before the fetch, which was not read and may say otherwise",
		Settle:  "The archive that holds that robots.txt.",
	},
	NoteNoStatus: {
		Name: "no_status", Effect: Unproven, Section: "Indexes and lists",
		Meaning: "The row of the index has no status: the record that it names may not be that of a fetch.",
		But:     "the row of the index has no status, so nothing shows that the fetch was made",
		Settle:  "The archive that the index names, or `--verify`, which reads the record.",
	},
	NoteNoRecord: {
		Name: "no_record", Effect: Unproven, Section: "Verified records",
		Meaning: "The record that an index or a list names was looked for, and is not there: nothing shows that " +
			"the fetch was made.",
		But:    "its record was looked for and is not there, so nothing shows that the fetch was made",
		Settle: "The archive that holds the record; or an index that says where it is.",
	},
	NoteRedirectTarget: {
		Name: "redirect_target", Effect: Unproven, Section: "Always allowed",
		Meaning: "At most an hour before, or in the same second, robots.txt redirected to this URL: the fetch may " +
			"have been made to get robots.txt. `robotsaudit explain` names the redirects. Or an access log reports " +
			"it, which has no targets of redirects, and the URL ends in .txt.",
		But:    "a redirect of robots.txt may have led to it",
		Settle: "The crawler's log, if it shows from where the crawler came to each URL.",
	},
	NoteOtherTarget: {
		Name: "other_target", Effect: Doubt, Section: "Redirects",
		Meaning: "robots.txt redirected. At about the same time, the crawler received another answer from the target, and " +
			"nothing shows for sure which of the two it used. `robotsaudit explain` names both.",
	},
	NoteContentUsage: {
		Name: "content_usage", Effect: OpenReading, Section: "Open readings",
		Meaning: "If Content-Usage lines are rules that end a list of user-agent lines " +
			"(draft-ietf-aipref-attach-05), the fetch is allowed.",
	},
	NoteOrderDoubt: {
		Name: "order_doubt", Effect: Doubt, Section: "Received before",
		Meaning: "The capture is dated before the fetch. The order of the records in an archive, or the time that " +
			"the capture took, speaks against that. Or the two are less than 3 seconds apart, and neither shows " +
			"which came first.",
	},
	NoteOtherRun: {
		Name: "other_run", Effect: Doubt, Section: "Runs of a crawler",
		Meaning: "The crawler is software that anybody runs, or a name that several use. Another run of it, " +
			"perhaps somebody else's, made the capture.",
	},
	NoteAgentName: {
		Name: "agent_name", Effect: OpenReading, Section: "Names among other words",
		Meaning: "A user-agent line names the crawler among other words, and its group gives the opposite " +
			"verdict. An allowed fetch with this note stays allowed.",
	},
	NoteNamedGroupForbids: {
		Name: "named_group_forbids", Section: "Other notes",
		Meaning: "The crawler's name is not known. robots.txt allows the fetch, but forbids it to a crawler that " +
			"it names.",
	},
	NoteHostMismatch: {
		Name: "host_mismatch", Effect: Unproven, Section: "The four classes",
		Meaning: "The request names another host than the URL of its record: nothing shows that the request went " +
			"to this origin.",
		But:    "the request names another host than the record, so nothing shows that this site was asked",
		Settle: "The crawler's log, if it shows which host each request went to.",
	},
	NoteListedRobots: {
		Name: "listed_robots", Effect: Unproven, Section: "Tables of robots.txt",
		Meaning: "A table alone reports the governing capture: nothing shows that this crawler received it.",
		But:     "a table alone reports that robots.txt, so nothing shows that the crawler received it",
		Settle:  "An archive that holds this robots.txt.",
	},
	NoteLogged: {
		Name: "logged", Effect: Doubt, Section: "Access logs",
		Meaning: "An access log reports the request, or that robots.txt was served. Somebody else may have sent that " +
			"User-Agent, another version of robots.txt may have been served, or the request may have begun before.",
	},
	NoteNoZone: {
		Name: "date_without_zone", Effect: Doubt, Section: "Access logs",
		Meaning: "A line of an access log states a time without a zone: it was taken as UTC.",
	},
	NoteCompressedSize: {
		Name: "compressed_size", Effect: Doubt, Section: "Access logs",
		Meaning: "robots.txt was always served with one number of bytes, fewer than its only version of the " +
			"30 days before has: it was probably compressed.",
	},
	NoteAuthorized: {
		Name: "authorized", Effect: AllowingCopy, Section: "Credentials",
		Meaning: "The request had credentials (`Authorization`), and the server answered it with 2xx: the site itself let " +
			"this crawler in.",
		But:    "the crawler had credentials, and the site let it in",
		Settle: "The agreement of the site and the crawler’s operator.",
	},
	NoteUserTriggered: {
		Name: "user_triggered", Effect: OpenReading, Section: "Clients that a user triggers",
		Meaning: "By its operator’s page, a user triggers the client’s fetches, and RFC 9309 speaks of " +
			"automatic clients: robots.txt may not apply. A group that names the client binds, and the " +
			"fetch has this note.",
		But:    "no group names the crawler, and its operator documents that users trigger its fetches",
		Settle: "No archive: a group that names this client.",
	},
	NoteDocumentedExempt: {
		Name: "documented_exempt", Effect: OpenReading, Section: "Clients that a user triggers",
		Meaning: "By its operator’s page, groups for `*` do not bind the crawler. A group that names it " +
			"binds, and the fetch has this note.",
		But:    "no group names the crawler, and its operator documents that groups for * do not bind it",
		Settle: "No archive: a group that names this crawler.",
	},
	GroundNoToken: {
		Name: "no_token", Effect: Unproven, Section: "The crawler's token",
		Meaning: "The crawler is not known by name: robots.txt may allow it by name.",
		But:     "robots.txt may allow this crawler by a name that is not known",
		Settle:  "The crawler’s product token: audit again with `--crawler TOKEN` or `--crawler @FILE`.",
	},
	GroundReceivedLater: {
		Name: "received_later", Effect: Unproven, Section: "Which capture governs",
		Meaning: "robots.txt was captured only after the fetch.",
		But:     "nothing shows that the crawler was informed before",
		Settle: "An archive that holds this robots.txt as captured before the fetch, best at most 24 hours before; or the " +
			"crawler’s log, if it names the moment at which it received robots.txt.",
	},
	GroundAskedLater: {
		Name: "asked_later", Effect: Unproven, Section: "Runs of a crawler",
		Meaning: "The crawler is software that anybody runs, a name that several use, or one in an access " +
			"log. The fetch’s own run requested robots.txt only after the fetch; what others received " +
			"informed nobody here.",
		But:    "this run of the crawler requested robots.txt only after it",
		Settle: "The log of the fetch’s own run, if it shows that the run received robots.txt before.",
	},
	GroundNotInformed: {
		Name: "not_informed", Effect: Unproven, Section: "The four classes",
		Meaning: "The capture is another crawler’s, is more than 24 hours old, and no later one confirms it.",
		But:     "nothing shows that this crawler was informed, or that robots.txt still said so",
		Settle:  "This crawler’s own capture of robots.txt from before the fetch, or any capture at most 30 days after it.",
	},
	GroundTooOld: {
		Name: "too_old", Effect: Unproven, Section: "The four classes",
		Meaning: "The capture is more than 30 days old, and no later one confirms it.",
		But:     "nothing shows that robots.txt still said so",
		Settle:  "A capture of robots.txt from the 30 days before the fetch, or the 30 days after it.",
	},
	GroundSameSecond: {
		Name: "same_second", Effect: Unproven, Section: "Indexes and lists",
		Meaning: "An index reports the fetch, and robots.txt is of the same second: nothing shows which came first.",
		But:     "nothing shows that this crawler was informed before",
		Settle:  "The archive that the index names: the order of its records shows which came first.",
	},
	GroundUnfinishedLine: {
		Name: "unfinished_line", Effect: OpenReading, Section: "Parts of a file",
		Meaning: "The line that forbids the fetch is the unfinished last one of a part of robots.txt: it may go on, and " +
			"not forbid it.",
		But:    "the line that forbids it is unfinished, and may not forbid it as a whole",
		Settle: "A whole capture of robots.txt.",
	},
	GroundStale: {
		Name: "stale", Effect: Doubt, Section: "Which capture governs",
		Meaning: "The governing capture is more than 24 hours old at the fetch. The crawler should have " +
			"fetched robots.txt again (RFC 9309 §2.4); the archives may lack that capture.",
	},
	GroundFailed: {
		Name: "failed", Section: "Unreachable",
		Meaning: "The request for robots.txt failed: nobody received a rule. For 24 hours that forbids everything " +
			"(RFC 9309 §2.3.1.4).",
	},
}

// The notes that keep a violation from being certain, those that keep a finding from being a violation, and those
// that name an open reading.
var (
	Doubts       = withEffect(Doubt)
	Disproofs    = withEffect(Unproven)
	OpenReadings = withEffect(OpenReading)
	Contests     = OpenReadings | withEffect(AllowingCopy)
)

func withEffect(e Effect) (n Notes) {
	for i := range GroundWords {
		if GroundWords[i].Effect == e {
			n |= 1 << i
		}
	}
	return n
}

// Strings returns the names of the notes in n, in a fixed order.
func (n Notes) Strings() []string { return Names(NoteWords, n) }

// NoteOf returns the note of a name; 0 for any other text.
func NoteOf(name string) Notes { return ParseNames[Notes](GroundWords, []string{name}) }
