package ingest

import (
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/warc"
)

// issueKinds are the kinds of issue that the kinds of damage are in the tables.
var issueKinds = [...]facts.IssueKind{
	warc.DamageEmptyFile:        facts.IssueEmptyFile,
	warc.DamageNotAnArchive:     facts.IssueNotAnArchive,
	warc.DamageDamagedMember:    facts.IssueDamagedMember,
	warc.DamageDamagedStream:    facts.IssueDamagedStream,
	warc.DamageTruncatedRecord:  facts.IssueTruncatedRecord,
	warc.DamageBadRecordHeader:  facts.IssueBadRecordHeader,
	warc.DamageHeaderTooLong:    facts.IssueHeaderTooLong,
	warc.DamageBadContentLength: facts.IssueBadContentLength,
	warc.DamageBadRecordEnd:     facts.IssueBadRecordEnd,
	warc.DamageSkippedRange:     facts.IssueSkippedRange,
	warc.DamageBadDictionary:    facts.IssueBadDictionary,
	warc.DamageWindowTooLarge:   facts.IssueWindowTooLarge,
}
