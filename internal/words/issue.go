package words

// IssueKind says what was wrong with a place in an archive.
type IssueKind uint8

// The kinds of issue. Their String is the value of issues.kind.
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
)

var issueKinds = [...]string{
	IssueUnknown:              "unknown",
	IssueUnreadable:           "unreadable",
	IssueEmptyFile:            "empty_file",
	IssueNotAnArchive:         "not_an_archive",
	IssueUnsupportedContainer: "unsupported_container",
	IssueDamagedMember:        "damaged_member",
	IssueDamagedStream:        "damaged_stream",
	IssueTruncatedRecord:      "truncated_record",
	IssueBadRecordHeader:      "bad_record_header",
	IssueHeaderTooLong:        "header_too_long",
	IssueBadContentLength:     "bad_content_length",
	IssueBadRecordEnd:         "bad_record_end",
	IssueSkippedRange:         "skipped_range",
	IssueBadDate:              "bad_date",
	IssueDateWithoutZone:      "date_without_zone",
	IssueNoTargetURI:          "no_target_uri",
	IssueBadURL:               "bad_url",
	IssueURLTooLong:           "url_too_long",
	IssueBadHTTPHead:          "bad_http_head",
	IssueFalseChunked:         "false_chunked",
	IssueFalseEncoding:        "false_encoding",
	IssueBodyCut:              "body_cut",
	IssuePolicyHeadersCut:     "policy_headers_cut",
	IssueDuplicateRecord:      "duplicate_record",
	IssueBodyNotKept:          "body_not_kept",
	IssueClockSkew:            "clock_skew",
	IssueBadDictionary:        "bad_dictionary",
	IssueWindowTooLarge:       "window_too_large",
	IssueBadEntry:             "bad_entry",
	IssueDigestMismatch:       "digest_mismatch",
	IssueUnknownDigest:        "unknown_digest",
	IssueRepeatedField:        "repeated_field",
	IssueUndeclaredGzip:       "undeclared_gzip",
	IssueMissingSegment:       "missing_segment",
	IssueValueCut:             "value_cut",
	IssueLimitReached:         "limit_reached",
	IssueBadLogLine:           "bad_log_line",
	IssueUndeclaredBinary:     "undeclared_binary",
	IssueHostMismatch:         "host_mismatch",
	IssueBadIndexRow:          "bad_index_row",
	IssueNotVerified:          "not_verified",
}

func (k IssueKind) String() string { return issueKinds[k] }

// Lossy reports whether an issue of this kind means that bytes of an input could
// not be read, so that fetches may be missing from the tables.
func (k IssueKind) Lossy() bool {
	switch k {
	case IssueUnreadable, IssueEmptyFile, IssueNotAnArchive, IssueUnsupportedContainer, IssueDamagedMember,
		IssueDamagedStream, IssueTruncatedRecord, IssueBadRecordHeader, IssueHeaderTooLong,
		IssueBadContentLength, IssueBadRecordEnd, IssueSkippedRange, IssueBadDictionary, IssueWindowTooLarge,
		IssueBadEntry, IssueNoTargetURI, IssueBadIndexRow, IssueNotVerified:
		return true
	}
	return false
}
