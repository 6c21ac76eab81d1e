package report

import (
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// unknownGloss says in words why nothing is known of a fetch, and what would help.
var unknownGloss = map[string]string{
	words.NoCapture.String():           "no robots.txt near enough: add archives with it",
	words.NoTime.String():              "the fetch has no usable date",
	words.ChangedBetween.String():      "robots.txt changed about then: add more captures",
	words.ConflictingCaptures.String(): "captures of one moment differ",
	words.RefusedToOther.String():      "refused to another crawler: add this one's captures",
	words.UnresolvedRedirect.String():  "it redirects: add the archive with its target",
	words.UnresolvedRevisit.String():   "noted as unchanged: add the original's archive",
	words.UndefinedStatus.String():     "a status that RFC 9309 does not speak of",
	words.Undecodable.String():         "in a coding or format that cannot be read",
	words.UnreachableStale.String():    "failed over 24 h before: add later captures",
	words.Truncated.String():           "kept in part, and the rest may forbid",
	words.AmbiguousToken.String():      "two crawlers in one User-Agent: add --crawler-map",
	words.Forgeable.String():           "found behind damage, where a page could hold it",
	words.UnreadCapture.String():       "an index tells of another: add its archive",
	words.TooCostly.String():           "too many wildcards or captures: not decided",
	words.Challenge.String():           "a page that asks who is a human: add other captures",
	words.UnsupportedScheme.String():   "a scheme that robots.txt does not speak of",
}

// issueGloss says in words what an issue means. Those of a Lossy kind are the
// causes of exit code 3.
var issueGloss = map[string]string{
	words.IssueUnreadable.String():           "could not be opened or read",
	words.IssueEmptyFile.String():            "is empty",
	words.IssueNotAnArchive.String():         "is no web archive, or holds none",
	words.IssueUnsupportedContainer.String(): "is an archive of a form that is not read yet",
	words.IssueDamagedMember.String():        "is damaged: a compressed record does not match its checksum or length",
	words.IssueDamagedStream.String():        "is damaged: the compressed stream breaks off, or a WACZ's directory is wrong",
	words.IssueTruncatedRecord.String():      "ends within a record, or one of its members does",
	words.IssueBadRecordHeader.String():      "holds something that is no WARC or ARC record, or one with a damaged header",
	words.IssueHeaderTooLong.String():        "holds a record whose header is longer than 1 MiB",
	words.IssueBadContentLength.String():     "holds a record without a usable Content-Length",
	words.IssueBadRecordEnd.String():         "holds a record that does not end where its Content-Length says",
	words.IssueSkippedRange.String():         "holds a range of bytes that could not be read",
	words.IssueBadDictionary.String():        "cannot be decompressed: its zstd dictionary is damaged, of another form or larger than 16 MiB",
	words.IssueWindowTooLarge.String():       "holds a zstd frame that needs a window of more than 64 MiB",
	words.IssueBadEntry.String():             "is a WACZ with an entry that is damaged, encrypted or ambiguous",
	words.IssueNotVerified.String():          "names records that are not there, or could not be read: the table issues has which",
	words.IssueBadIndexRow.String():          "is an index or a list with rows that cannot be read",
	words.IssueBadDate.String():              "date missing, impossible or of uncertain digits: unknown, or only as exact as is certain",
	words.IssueDateWithoutZone.String():      "a date without a time zone: taken as UTC",
	words.IssueNoTargetURI.String():          "holds a record without a usable WARC-Target-URI, which is no fetch",
	words.IssueBadURL.String():               "an odd URL: a bad host or port, spaces or control characters",
	words.IssueURLTooLong.String():           "a URL longer than 64 KiB was cut",
	words.IssueBadHTTPHead.String():          "an HTTP answer whose head could not be read",
	words.IssueFalseChunked.String():         "declared chunked, and is not: taken as it stands",
	words.IssueFalseEncoding.String():        "a Content-Encoding that could not be undone: taken as it stands where that is text, else unreadable",
	words.IssueBodyCut.String():              "a body longer than 8 MiB was kept in part, or breaks off",
	words.IssuePolicyHeadersCut.String():     "header lines beyond 64 KiB were not kept",
	words.IssueDuplicateRecord.String():      "a duplicate: the record was counted once",
	words.IssueBodyNotKept.String():          "the target of a robots.txt redirect could not be read again",
	words.IssueClockSkew.String():            "the server's Date is more than 5 minutes off: WARC-Date counts",
	words.IssueDigestMismatch.String():       "a digest does not match what its record holds",
	words.IssueUnknownDigest.String():        "a digest that could not be read, and so was not verified",
	words.IssueRepeatedField.String():        "a field repeated with another value: the first counts",
	words.IssueUndeclaredGzip.String():       "a body in gzip that no header declares: unreadable",
	words.IssueMissingSegment.String():       "a segmented record without all of its segments: its body is cut",
	words.IssueValueCut.String():             "a value longer than its limit was cut",
	words.IssueLimitReached.String():         "more than is remembered at a time: what was forgotten may be missing beside a fetch",
	words.IssueBadLogLine.String():           "a line of a crawler's log that could not be read",
	words.IssueUndeclaredBinary.String():     "a body in a binary format that no header declares: unreadable",
	words.IssueHostMismatch.String():         "the request names another host than the URL: no capture of that host's robots.txt",
}

// IssueText says in words what an issue of a kind means: of a Lossy one, what is wrong with the
// archive ("is empty"). It is empty for other kinds.
func IssueText(kind string) string { return issueGloss[kind] }

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
	tag.RuleDisallowTraining.String(): "not to be used for training AI",
}

// purposeGloss says in a curator's words what a purpose is.
var purposeGloss = map[string]string{
	tag.PurposeAutomated.String():  "any automated use",
	tag.PurposeTDM.String():        "text and data mining",
	tag.PurposeAI.String():         "any use by AI",
	tag.PurposeTrainAI.String():    "training AI",
	tag.PurposeTrainGenAI.String(): "training generative AI",
	tag.PurposeAIInput.String():    "input of AI answers",
	tag.PurposeAIIndex.String():    "an index of an AI system",
	tag.PurposeSearch.String():     "search",
	tag.PurposeReuse.String():      "storing and showing",
}
