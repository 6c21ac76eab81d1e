package report

import (
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
)

// unknownGloss says in words why nothing is known of a fetch, and what would help.
var unknownGloss = map[evaluate.Reason]string{
	evaluate.NoCapture:           "no robots.txt near enough: add archives with it",
	evaluate.NoTime:              "the fetch has no usable date",
	evaluate.ChangedBetween:      "it changed about then: add more captures of it",
	evaluate.ConflictingCaptures: "captures of one moment differ",
	evaluate.UnresolvedRedirect:  "it redirects: add the archive with its target",
	evaluate.UnresolvedRevisit:   "noted as unchanged: add the original's archive",
	evaluate.UndefinedStatus:     "a status that RFC 9309 does not speak of",
	evaluate.Undecodable:         "in a coding or format that cannot be read",
	evaluate.UnreachableStale:    "failed over 24 h before: add later captures",
	evaluate.Truncated:           "kept in part, and the rest may forbid",
	evaluate.AmbiguousToken:      "two crawlers in one User-Agent: add --crawler-map",
	evaluate.TooCostly:           "too many wildcards for so long a URL: not decided",
	evaluate.UnsupportedScheme:   "a scheme that robots.txt does not speak of",
}

// issueGloss says in words what an issue means. Those of a Lossy kind are the
// causes of exit code 3.
var issueGloss = map[ingest.IssueKind]string{
	ingest.IssueUnreadable:           "could not be opened or read",
	ingest.IssueEmptyFile:            "is empty",
	ingest.IssueNotAnArchive:         "is no web archive, or holds none",
	ingest.IssueUnsupportedContainer: "is an archive of a form that is not read yet",
	ingest.IssueDamagedMember:        "is damaged: a compressed record does not match its checksum or length",
	ingest.IssueDamagedStream:        "is damaged: the compressed stream breaks off, or a WACZ's directory is wrong",
	ingest.IssueTruncatedRecord:      "ends within a record, or one of its members does",
	ingest.IssueBadRecordHeader:      "holds something that is no WARC or ARC record, or one with a damaged header",
	ingest.IssueHeaderTooLong:        "holds a record whose header is longer than 1 MiB",
	ingest.IssueBadContentLength:     "holds a record without a usable Content-Length",
	ingest.IssueBadRecordEnd:         "holds a record that does not end where its Content-Length says",
	ingest.IssueSkippedRange:         "holds a range of bytes that could not be read",
	ingest.IssueBadDictionary:        "cannot be decompressed: its zstd dictionary is damaged, of another form or larger than 16 MiB",
	ingest.IssueWindowTooLarge:       "holds a zstd frame that needs a window of more than 64 MiB",
	ingest.IssueBadEntry:             "is a WACZ with an entry that is damaged, encrypted or ambiguous",
	ingest.IssueBadDate:              "date missing, impossible or of uncertain digits: unknown, or only as exact as is certain",
	ingest.IssueDateWithoutZone:      "WARC-Date without a time zone: taken as UTC",
	ingest.IssueNoTargetURI:          "holds a record without a usable WARC-Target-URI, which is no fetch",
	ingest.IssueBadURL:               "an odd URL: a bad host or port, spaces or control characters",
	ingest.IssueURLTooLong:           "a URL longer than 64 KiB was cut",
	ingest.IssueBadHTTPHead:          "an HTTP answer whose head could not be read",
	ingest.IssueFalseChunked:         "declared chunked, and is not: taken as it stands",
	ingest.IssueFalseEncoding:        "a Content-Encoding that could not be undone: taken as it stands where that is text, else unreadable",
	ingest.IssueBodyCut:              "a body longer than 8 MiB was kept in part, or breaks off",
	ingest.IssuePolicyHeadersCut:     "header lines beyond 64 KiB were not kept",
	ingest.IssueDuplicateRecord:      "the same record in two places was counted once",
	ingest.IssueBodyNotKept:          "the target of a robots.txt redirect could not be read again",
	ingest.IssueClockSkew:            "the server's Date is more than 5 minutes off: WARC-Date counts",
	ingest.IssueDigestMismatch:       "a digest does not match what its record holds",
	ingest.IssueUnknownDigest:        "a digest that could not be read, and so was not verified",
	ingest.IssueRepeatedField:        "a field repeated with another value: the first counts",
	ingest.IssueUndeclaredGzip:       "a body in gzip that no header declares: unreadable",
	ingest.IssueMissingSegment:       "a segmented record without all of its segments: its body is cut",
	ingest.IssueValueCut:             "a value longer than its limit was cut",
	ingest.IssueLimitReached:         "more than is remembered at a time: what was forgotten may be missing beside a fetch",
	ingest.IssueBadLogLine:           "a line of a crawler's log that could not be read",
	ingest.IssueUndeclaredBinary:     "a body in a binary format that no header declares: unreadable",
	ingest.IssueHostMismatch:         "the request names another host than the URL: no capture of that host's robots.txt",
}
