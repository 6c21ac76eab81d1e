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
		More: "Of a WACZ whose directory does not describe the whole file, the entries were read as far as their " +
			"own headers lead, to `offset`.",
	},
	IssueTruncatedRecord: {
		Name: "truncated_record", Effect: FetchesMissing,
		Meaning: "The input ends within a record, or one of its members does.",
		More:    "Or an uncompressed WARC ends within the line ends after its last record, which counts.",
	},
	IssueBadRecordHeader: {
		Name: "bad_record_header", Effect: FetchesMissing,
		Meaning: "The input holds something that is no WARC or ARC record, or one with a damaged header.",
		More: "WARC-Type is missing, misspelt or stands above an HTTP message. Where no checksum covers a header: a " +
			"line is no field, or identity, date, URL, type or length contradict one another. The record is " +
			"skipped if the type does, or two of identity, date and URL.",
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
		More: "An ARC date of more than 14 digits is uncertain. A row's date before 1990, or a day after the " +
			"file's, is kept.",
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
		More:    "Readable text is taken as it stands; `action` says so.",
	},
	IssueBodyCut: {
		Name:    "body_cut",
		Meaning: "A policy body longer than 8 MiB was kept in part, or one breaks off.",
		More: "It breaks off if its coding, head or segments end too early, it is shorter than its Content-Length " +
			"(or `X-Crawler-Content-Length`), its gzip is damaged after the first byte, or bytes that are no " +
			"record follow it.",
	},
	IssuePolicyHeadersCut: {Name: "policy_headers_cut", Meaning: "Policy header lines beyond 64 KiB were not kept."},
	IssueDuplicateRecord: {
		Name:    "duplicate_record",
		Meaning: "A duplicate: the record was counted once.",
		More:    "Records without an ID are duplicates if two files hold the same bytes; `detail` has how many.",
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
		More: "`detail` has both values. Digests of policy captures are always verified, and block digests in " +
			"uncompressed archives. With `--verify-digests`, all are, and those in `datapackage.json` of a WACZ " +
			"(`warc_filename` names the entry; js-wacz 0.1.3 and 0.1.6 write some that match no bytes).",
	},
	IssueUnknownDigest: {
		Name:    "unknown_digest",
		Meaning: "A digest that could not be read, and so was not verified.",
		More:    "Its algorithm is not known, it is no digest, or `datapackage.json` cannot be read.",
	},
	IssueRepeatedField: {
		Name: "repeated_field",
		Meaning: "A WARC field or Content-Type is repeated with another value: the first counts. Of Location, " +
			"Host and User-Agent nothing shows which counted: the values are joined.",
	},
	IssueUndeclaredGzip: {
		Name:    "undeclared_gzip",
		Meaning: "A policy body in gzip that no header declares: nobody can read it.",
	},
	IssueMissingSegment: {
		Name:    "missing_segment",
		Meaning: "Segments of a record are missing in its archive: of a policy capture the body is cut.",
	},
	IssueValueCut: {
		Name:    "value_cut",
		Meaning: "A value longer than its limit was cut.",
		More: "Of a record ID, warcinfo, metadata, the head of a request, User-Agent, Host, a validator, Location " +
			"or WARC-Concurrent-To.",
	},
	IssueLimitReached: {
		Name:    "limit_reached",
		Meaning: "There is more than is remembered at a time: something may be missing.",
		More: "`detail` names the limit: requests that wait for their fetches, warcinfo records, 4,096 runs of an " +
			"archive, 262,144 pages of a WACZ, 4,096 captures of `tdmrep.json` or `ai.txt` of an origin, 8,192 " +
			"licence documents or 8 MiB of their URLs, 1,000 tokens of a file with `--policies named`, 1,000 " +
			"captures of a URL to which a robots.txt refers, 20,000 redirects beyond the fifth.",
	},
	IssueBadLogLine: {
		Name: "bad_log_line",
		Meaning: "A line of a crawler's log, or of a WACZ's page list, that could not be read; or one of an access " +
			"log that is no request to the site.",
	},
	IssueUndeclaredBinary: {
		Name:    "undeclared_binary",
		Meaning: "A policy body that no parser can read, and no header says so.",
		More:    "Compressed, UTF-16 without a byte order mark, an image or another binary format.",
	},
	IssueHostMismatch: {
		Name: "host_mismatch",
		Meaning: "The request names another host or port than WARC-Target-URI: the fetch is no capture of that host's " +
			"policy.",
		More: "By the Host field or, in a request to a proxy, the request line. Letter case, default port and final " +
			"dot do not count.",
	},
	IssueBadIndexRow: {
		Name: "bad_index_row", Effect: FetchesMissing,
		Meaning: "The input is an index, a list, a table or an access log with a row that cannot be read.",
		More:    "`detail` and `action` say what cannot be read, or how many more than 100 such rows there are.",
	},
	IssueNotVerified: {
		Name: "not_verified", Effect: FetchesMissing,
		Meaning: "The input names a record that is not there, or could not be read.",
		More:    "`--verify` looked for it. The row is possible at most, or counts as before.",
	},
	IssueRequestAlone: {
		Name:    "request_alone",
		Meaning: "A request has no response: nothing shows what became of it. It decides nothing.",
		More:    "One issue an archive; `detail` has their number.",
	},
	IssueServedSize: {
		Name: "served_size",
		Meaning: "A line of an access log says that robots.txt was served with fewer bytes than the version of that time " +
			"has: the server may compress it.",
		More: "One issue a site.",
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
