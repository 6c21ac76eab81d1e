package words

// IssueKind says what was wrong with a place in an archive.
type IssueKind uint8

// The kinds of issue.
const (
	IssueUnknown IssueKind = iota
	IssueUnreadable
	IssueEmptyFile
	IssueNotAnArchive
	IssueUnsupportedContainer
	IssueDamagedMember
	IssueDamagedStream
	IssueTruncatedRecord
	IssueBadRecordHeader
	IssueHeaderTooLong
	IssueBadContentLength
	IssueBadRecordEnd
	IssueSkippedRange
	IssueBadDate
	IssueDateWithoutZone
	IssueNoTargetURI
	IssueBadURL
	IssueURLTooLong
	IssueBadHTTPHead
	IssueFalseChunked
	IssueFalseEncoding
	IssueBodyCut
	IssuePolicyHeadersCut
	IssueDuplicateRecord
	IssueBodyNotKept
	IssueClockSkew
	IssueBadDictionary
	IssueWindowTooLarge
	IssueBadEntry
	IssueDigestMismatch
	IssueUnknownDigest
	IssueRepeatedField
	IssueUndeclaredGzip
	IssueMissingSegment
	IssueValueCut
	IssueLimitReached
	IssueBadLogLine
	IssueUndeclaredBinary
	IssueHostMismatch
	IssueBadIndexRow
	IssueNotVerified
	IssueRequestAlone
	IssueServedSize
	IssueBadStatement
)

// Issues is indexed by IssueKind.
var Issues = []Word{
	IssueUnknown:    {Name: "unknown"},
	IssueUnreadable: {Name: "unreadable", Effect: FetchesMissing, Meaning: "The input could not be opened or read."},
	IssueEmptyFile:  {Name: "empty_file", Effect: FetchesMissing, Meaning: "The input is empty."},
	IssueNotAnArchive: {
		Name: "not_an_archive", Effect: FetchesMissing,
		Meaning: "The input is no web archive, or holds none.",
	},
	IssueUnsupportedContainer: {
		Name: "unsupported_container", Effect: FetchesMissing,
		Meaning: "The input is an archive of a form that is not read.",
	},
	IssueDamagedMember: {
		Name: "damaged_member", Effect: FetchesMissing,
		Meaning: "The input is damaged: a compressed record does not match its checksum or length.",
	},
	IssueDamagedStream: {
		Name: "damaged_stream", Effect: FetchesMissing,
		Meaning: "The input is damaged: the compressed stream breaks off, or the directory of a WACZ is wrong.",
		More: "A WACZ's directory describes the whole file, from its first byte to its last. If it does not (it was " +
			"cut, or hides entries), the entries were read one after the other as far as their own headers lead, to " +
			"`offset`.",
	},
	IssueTruncatedRecord: {
		Name: "truncated_record", Effect: FetchesMissing,
		Meaning: "The input ends within a record, or one of its members does.",
		More:    "Or an uncompressed WARC ends within the line ends after its last record, which counts.",
	},
	IssueBadRecordHeader: {
		Name: "bad_record_header", Effect: FetchesMissing,
		Meaning: "The input holds something that is no WARC or ARC record, or one with a damaged header.",
		More: "WARC-Type is missing. Or it is unknown, and looks like a known type with a wrong letter or two, or " +
			"stands above an HTTP message. Where no checksum covers a header, it may also be made of parts of " +
			"two: a line is no field, or identity, date, URL, type or length contradict one another. The record " +
			"is skipped if the type does, or two of identity, date and URL.",
	},
	IssueHeaderTooLong: {
		Name: "header_too_long", Effect: FetchesMissing,
		Meaning: "The input holds a record whose header is longer than 1 MiB.",
	},
	IssueBadContentLength: {
		Name: "bad_content_length", Effect: FetchesMissing,
		Meaning: "The input holds a record without a usable Content-Length, or with a wrong one.",
		More:    "`detail` says which, `action` whether its digest gave the true end.",
	},
	IssueBadRecordEnd: {
		Name: "bad_record_end", Effect: FetchesMissing,
		Meaning: "The input holds a record that does not end where its Content-Length says.",
	},
	IssueSkippedRange: {
		Name: "skipped_range", Effect: FetchesMissing,
		Meaning: "The input holds a range of bytes that could not be read.",
	},
	IssueBadDate: {
		Name:    "bad_date",
		Meaning: "A date is missing, impossible or of uncertain digits: it is unknown, or only as exact as is certain.",
		More: "Without a date the verdict is unknown. A date of more than 14 digits, in an ARC, is uncertain. Of rows, " +
			"one before 1990, or a day later than the file itself, is kept and noted.",
	},
	IssueDateWithoutZone: {Name: "date_without_zone", Meaning: "A date without a time zone: taken as UTC."},
	IssueNoTargetURI: {
		Name: "no_target_uri", Effect: FetchesMissing,
		Meaning: "The input holds a record that could be a fetch, but for its WARC-Target-URI.",
		More:    "That is missing, or has no scheme or no host.",
	},
	IssueBadURL: {
		Name:    "bad_url",
		Meaning: "An odd URL: a bad host or port, spaces or control characters.",
		More:    "`detail` says which.",
	},
	IssueURLTooLong:   {Name: "url_too_long", Meaning: "A URL longer than 64 KiB was cut."},
	IssueBadHTTPHead:  {Name: "bad_http_head", Meaning: "An HTTP answer whose head could not be read."},
	IssueFalseChunked: {Name: "false_chunked", Meaning: "Declared chunked, and is not: taken as it stands."},
	IssueFalseEncoding: {
		Name:    "false_encoding",
		Meaning: "A policy body whose Content-Encoding could not be undone.",
		More:    "If it is readable text, it is taken as it stands; else nobody can read it. `action` says which.",
	},
	IssueBodyCut: {
		Name:    "body_cut",
		Meaning: "A policy body longer than 8 MiB was kept in part, or one breaks off.",
		More: "It breaks off if one of these is true. Its coding, head or segments end too early. It is shorter " +
			"than its Content-Length, or than `X-Crawler-Content-Length`, where the crawler replaced that " +
			"field. Its gzip is damaged after the first byte. Bytes that are no record follow its record.",
	},
	IssuePolicyHeadersCut: {Name: "policy_headers_cut", Meaning: "Policy header lines beyond 64 KiB were not kept."},
	IssueDuplicateRecord: {
		Name:    "duplicate_record",
		Meaning: "A duplicate: the record was counted once.",
		More:    "Records without an id are duplicates where two files hold the same bytes; `detail` has how many.",
	},
	IssueBodyNotKept: {Name: "body_not_kept", Meaning: "The target of a robots.txt redirect could not be read again."},
	IssueClockSkew:   {Name: "clock_skew", Meaning: "The server's Date is more than 5 minutes off: WARC-Date counts."},
	IssueBadDictionary: {
		Name: "bad_dictionary", Effect: FetchesMissing,
		Meaning: "The input cannot be decompressed: its zstd dictionary is damaged, of another form or larger than 16 MiB.",
	},
	IssueWindowTooLarge: {
		Name: "window_too_large", Effect: FetchesMissing,
		Meaning: "The input holds a zstd frame that needs a window of more than 64 MiB.",
	},
	IssueBadEntry: {
		Name: "bad_entry", Effect: FetchesMissing,
		Meaning: "The input is a WACZ with an entry that is damaged, encrypted or ambiguous.",
		More:    "Its header, size or checksum is wrong, or a second entry has its name.",
	},
	IssueDigestMismatch: {
		Name:    "digest_mismatch",
		Meaning: "WARC-Block-Digest or WARC-Payload-Digest does not match what the record holds.",
		More: "`detail` has both values. If the block of a request does not match, its User-Agent does not count. " +
			"Digests of policy captures are always verified, and so are block digests in uncompressed " +
			"archives. With `--verify-digests`, all are, and those that `datapackage.json` of a WACZ states for " +
			"an entry: then `warc_filename` names the entry. js-wacz 0.1.3 and 0.1.6 write digests of archives " +
			"that match no bytes of the entry.",
	},
	IssueUnknownDigest: {
		Name:    "unknown_digest",
		Meaning: "A digest that could not be read, and so was not verified.",
		More:    "It is of an algorithm that is not known, or no digest at all; or a `datapackage.json` cannot be read.",
	},
	IssueRepeatedField: {
		Name: "repeated_field",
		Meaning: "A WARC field or Content-Type is repeated with another value: the first counts. Of Location, " +
			"Host and User-Agent nothing shows which counted: the values are joined.",
		More: "Of fields of an uncompressed archive, see also `bad_record_header`.",
	},
	IssueUndeclaredGzip: {
		Name:    "undeclared_gzip",
		Meaning: "A policy body in gzip that no header declares: nobody can read it.",
	},
	IssueMissingSegment: {
		Name:    "missing_segment",
		Meaning: "Segments of a record are missing in its archive: of a policy capture the body is cut.",
		More:    "WARC-Segment-Number counts them.",
	},
	IssueValueCut: {
		Name:    "value_cut",
		Meaning: "A value longer than its limit was cut.",
		More: "It is a WARC-Record-ID, a warcinfo or metadata record or a value in it, the head of a request, a " +
			"User-Agent, a Host, a validator (ETag and the like) of policy, a Location; or a record has too many " +
			"WARC-Concurrent-To.",
	},
	IssueLimitReached: {
		Name:    "limit_reached",
		Meaning: "There is more than is remembered at a time: something may be missing.",
		More: "`detail` names the limit. Requests that wait for their fetches: a User-Agent may be missing. " +
			"Warcinfo records of an archive: a record that names a forgotten one has none, unless it is the " +
			"latest before it. Runs of a crawler in an archive: beyond 4,096, the run is not known. Pages that " +
			"a WACZ lists: beyond 262,144, they count as embeds. Captures of `tdmrep.json` or `ai.txt` " +
			"of an origin: beyond 4,096, they are left out. Captures of licence documents in an " +
			"audit: beyond 8,192, or 8 MiB of URLs, they are not read. Tokens in a robots.txt, with `--policies " +
			"named`: beyond 1,000, they have no rows in `robots_policies`. Captures of a URL to which a " +
			"robots.txt refers: beyond 1,000, the reference stays unresolved. Redirects of robots.txt beyond " +
			"the fifth: after 20,000 in an audit, they end at the sixth.",
	},
	IssueBadLogLine: {
		Name: "bad_log_line",
		Meaning: "A line of a crawler's log, or of a WACZ's page list, that could not be read; or one of an access " +
			"log that is no request to the site.",
	},
	IssueUndeclaredBinary: {
		Name:    "undeclared_binary",
		Meaning: "A policy body that no parser can read, and no header says so.",
		More:    "It is compressed, UTF-16 without a byte order mark, an image or another binary format.",
	},
	IssueHostMismatch: {
		Name: "host_mismatch",
		Meaning: "The request names another host or port than WARC-Target-URI: the fetch is no capture of that host's " +
			"policy.",
		More: "The host is that of its Host field or, in a request to a proxy, of its request line. Letter case, " +
			"default port and final dot do not count, and a port may be left out. The record is still a fetch.",
	},
	IssueBadIndexRow: {
		Name: "bad_index_row", Effect: FetchesMissing,
		Meaning: "The input is an index, a list, a table or an access log with a row that cannot be read.",
		More: "Or its time or its body cannot be, as `detail` and `action` say. Of more than 100 such rows, `detail` has " +
			"their number.",
	},
	IssueNotVerified: {
		Name: "not_verified", Effect: FetchesMissing,
		Meaning: "The input names a record that is not there, or could not be read.",
		More:    "`--verify` looked for it. The row is possible at most, or counts as before.",
	},
	IssueRequestAlone: {
		Name:    "request_alone",
		Meaning: "A request has no response: nothing shows what became of it. It decides nothing.",
		More:    "There is one issue an archive, at its first such request. `detail` has their number.",
	},
	IssueServedSize: {
		Name: "served_size",
		Meaning: "A line of an access log says that robots.txt was served with fewer bytes than the version of that time " +
			"has: the server may compress it.",
		More: "There is one issue a site, at its first such line.",
	},
	IssueBadStatement: {
		Name:    "bad_statement",
		Meaning: "A statement on the use of content breaks the form of its protocol: it is a hint at most.",
		More: "There is one issue a record: of a page, robots.txt or tdmrep.json, and of a page that names such a " +
			"licence document. `detail` has the first such statement.",
	},
}

func (k IssueKind) String() string { return Issues[k].Name }

// MoreRows is the detail of an issue that stands for the rest of its kind.
const MoreRows = "%d more rows"

// Lossy reports whether an issue of this kind means that bytes of an input could not be read, so that fetches may
// be missing from the tables. Its meaning then begins with "The input".
func (k IssueKind) Lossy() bool { return Issues[k].Effect == FetchesMissing }
