package report

import (
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// unknownGloss says in words why nothing is known of a fetch, and what would help.
var unknownGloss = map[string]string{
	evaluate.NoCapture.String():           "no robots.txt near enough: add archives with it",
	evaluate.NoTime.String():              "the fetch has no usable date",
	evaluate.ChangedBetween.String():      "it changed about then: add more captures of it",
	evaluate.ConflictingCaptures.String(): "captures of one moment differ",
	evaluate.UnresolvedRedirect.String():  "it redirects: add the archive with its target",
	evaluate.UnresolvedRevisit.String():   "noted as unchanged: add the original's archive",
	evaluate.UndefinedStatus.String():     "a status that RFC 9309 does not speak of",
	evaluate.Undecodable.String():         "in a coding or format that cannot be read",
	evaluate.UnreachableStale.String():    "failed over 24 h before: add later captures",
	evaluate.Truncated.String():           "kept in part, and the rest may forbid",
	evaluate.AmbiguousToken.String():      "two crawlers in one User-Agent: add --crawler-map",
	evaluate.Forgeable.String():           "found behind damage, where a page could hold it",
	evaluate.TooCostly.String():           "too many wildcards or captures: not decided",
	evaluate.UnsupportedScheme.String():   "a scheme that robots.txt does not speak of",
}

// issueGloss says in words what an issue means. Those of a Lossy kind are the
// causes of exit code 3.
var issueGloss = map[string]string{
	ingest.IssueUnreadable.String():           "could not be opened or read",
	ingest.IssueEmptyFile.String():            "is empty",
	ingest.IssueNotAnArchive.String():         "is no web archive, or holds none",
	ingest.IssueUnsupportedContainer.String(): "is an archive of a form that is not read yet",
	ingest.IssueDamagedMember.String():        "is damaged: a compressed record does not match its checksum or length",
	ingest.IssueDamagedStream.String():        "is damaged: the compressed stream breaks off, or a WACZ's directory is wrong",
	ingest.IssueTruncatedRecord.String():      "ends within a record, or one of its members does",
	ingest.IssueBadRecordHeader.String():      "holds something that is no WARC or ARC record, or one with a damaged header",
	ingest.IssueHeaderTooLong.String():        "holds a record whose header is longer than 1 MiB",
	ingest.IssueBadContentLength.String():     "holds a record without a usable Content-Length",
	ingest.IssueBadRecordEnd.String():         "holds a record that does not end where its Content-Length says",
	ingest.IssueSkippedRange.String():         "holds a range of bytes that could not be read",
	ingest.IssueBadDictionary.String():        "cannot be decompressed: its zstd dictionary is damaged, of another form or larger than 16 MiB",
	ingest.IssueWindowTooLarge.String():       "holds a zstd frame that needs a window of more than 64 MiB",
	ingest.IssueBadEntry.String():             "is a WACZ with an entry that is damaged, encrypted or ambiguous",
	ingest.IssueBadDate.String():              "date missing, impossible or of uncertain digits: unknown, or only as exact as is certain",
	ingest.IssueDateWithoutZone.String():      "WARC-Date without a time zone: taken as UTC",
	ingest.IssueNoTargetURI.String():          "holds a record without a usable WARC-Target-URI, which is no fetch",
	ingest.IssueBadURL.String():               "an odd URL: a bad host or port, spaces or control characters",
	ingest.IssueURLTooLong.String():           "a URL longer than 64 KiB was cut",
	ingest.IssueBadHTTPHead.String():          "an HTTP answer whose head could not be read",
	ingest.IssueFalseChunked.String():         "declared chunked, and is not: taken as it stands",
	ingest.IssueFalseEncoding.String():        "a Content-Encoding that could not be undone: taken as it stands where that is text, else unreadable",
	ingest.IssueBodyCut.String():              "a body longer than 8 MiB was kept in part, or breaks off",
	ingest.IssuePolicyHeadersCut.String():     "header lines beyond 64 KiB were not kept",
	ingest.IssueDuplicateRecord.String():      "the same record in two places was counted once",
	ingest.IssueBodyNotKept.String():          "the target of a robots.txt redirect could not be read again",
	ingest.IssueClockSkew.String():            "the server's Date is more than 5 minutes off: WARC-Date counts",
	ingest.IssueDigestMismatch.String():       "a digest does not match what its record holds",
	ingest.IssueUnknownDigest.String():        "a digest that could not be read, and so was not verified",
	ingest.IssueRepeatedField.String():        "a field repeated with another value: the first counts",
	ingest.IssueUndeclaredGzip.String():       "a body in gzip that no header declares: unreadable",
	ingest.IssueMissingSegment.String():       "a segmented record without all of its segments: its body is cut",
	ingest.IssueValueCut.String():             "a value longer than its limit was cut",
	ingest.IssueLimitReached.String():         "more than is remembered at a time: what was forgotten may be missing beside a fetch",
	ingest.IssueBadLogLine.String():           "a line of a crawler's log that could not be read",
	ingest.IssueUndeclaredBinary.String():     "a body in a binary format that no header declares: unreadable",
	ingest.IssueHostMismatch.String():         "the request names another host than the URL: no capture of that host's robots.txt",
}

// ruleGloss says in a curator's words what a rule asks for.
var ruleGloss = map[string]string{
	tag.RuleNoindex.String():          "not to be found in a search index",
	tag.RuleNosnippet.String():        "no excerpts",
	tag.RuleNofollow.String():         "its links are not to be followed",
	tag.RuleNoarchive.String():        "no public copy",
	tag.RuleNocache.String():          "no public copy",
	tag.RuleNoimageindex.String():     "its images not to be found in a search index",
	tag.RuleNotranslate.String():      "no translation",
	tag.RuleMaxSnippet.String():       "excerpts of a certain length at most",
	tag.RuleMaxImagePreview.String():  "image previews of a certain size at most",
	tag.RuleMaxVideoPreview.String():  "video previews of a certain length at most",
	tag.RuleUnavailableAfter.String(): "not to be shown after a date",
	tag.RuleNoai.String():             "not to be used for AI",
	tag.RuleNoimageai.String():        "its images not to be used for AI",
}

// purposeGloss says in a curator's words what a purpose is.
var purposeGloss = map[string]string{
	tag.PurposeAutomated.String():  "any automated use",
	tag.PurposeTDM.String():        "text and data mining",
	tag.PurposeTrainAI.String():    "training AI",
	tag.PurposeTrainGenAI.String(): "training generative AI",
	tag.PurposeAIInput.String():    "input of AI answers",
	tag.PurposeSearch.String():     "search",
}
