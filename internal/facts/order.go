package facts

import (
	"cmp"

	"github.com/robotsaudit/robotsaudit/internal/facts/run"
)

// CompareFetches is the order of the facts: by bucket, by origin, then in time, then by
// the rest that makes the order total. Duplicate records become neighbours.
func CompareFetches(a, b *Fetch) int {
	if a.HostReversed != b.HostReversed {
		if c := cmp.Compare(run.BucketOf(a.HostReversed), run.BucketOf(b.HostReversed)); c != 0 {
			return c
		}
	}
	return CompareInBucket(a, b)
}

// proofRank puts the best proven copy of a record first: whole before cut, then chained before others, then with its
// request before without.
func proofRank(f *Fetch) (rank int) {
	for i, isWorse := range [...]bool{
		f.UserAgentSource != SourceRequest, f.Trust == TrustResynced || f.Flags&FlagForgeable != 0, f.IsCut(),
	} {
		if isWorse {
			rank |= 1 << i
		}
	}
	return rank
}

// CompareInBucket is the order of fetches of one bucket.
func CompareInBucket(a, b *Fetch) int {
	if c := comparePlaces(a, b); c != 0 {
		return c
	}
	if x, y := orderMicros(a), orderMicros(b); x != y { // cmp.Or would compare all else, too
		return cmp.Compare(x, y)
	}
	return cmp.Or(
		cmp.Compare(orderRank(a), orderRank(b)),
		cmp.Compare(a.Micros, b.Micros),
		cmp.Compare(a.Precision, b.Precision),
		cmp.Compare(a.URL, b.URL),
		cmp.Compare(a.RecordID, b.RecordID),
		cmp.Compare(proofRank(a), proofRank(b)),
		cmp.Compare(a.Input, b.Input),
		cmp.Compare(a.Entry, b.Entry),
		cmp.Compare(a.Offset, b.Offset),
		cmp.Compare(a.Index, b.Index),
	)
}

func comparePlaces(a, b *Fetch) int { return PlaceOf(a).CompareInBucket(PlaceOf(b)) }

// orderMicros is the time by which a fetch is ordered. Rows of indexes stand after all
// records of their second: joiner can then compare them.
func orderMicros(f *Fetch) int64 {
	if !f.IsReportedByIndex() {
		return f.Micros
	}
	return floorTo(f.Micros, Second) + Second - 1
}

// orderRank puts better known rows first.
func orderRank(f *Fetch) int {
	switch {
	case !f.IsReportedByIndex():
		return 0
	case f.Trust == TrustVerified:
		return 1
	case f.Flags&FlagRefuted != 0: // before the row that it is a copy of
		return 2
	case f.Flags&FlagUnread != 0:
		return 3
	case f.Trust == TrustIndexed && f.Flags&FlagMayBeNoFetch == 0:
		return 4
	case f.Trust == TrustIndexed:
		return 5
	}
	return 6
}

// FetchRuns is the specification of the runs of fetches.
var FetchRuns = run.Spec[Fetch]{
	Name:    "fetches",
	Compare: CompareInBucket,
	Bucket:  func(f *Fetch) int { return run.BucketOf(f.HostReversed) },
	Place:   comparePlaces,
	Moment:  orderMicros,
}

// RevisitRuns is the specification of the runs of fetches that refersElsewhere, which
// are among FetchRuns, too: so that their originals are looked for without reading all.
var RevisitRuns = run.Spec[Fetch]{
	Name: "revisits", Compare: FetchRuns.Compare, Bucket: FetchRuns.Bucket,
}

// CaptureRuns is the specification of the runs of policy captures.
var CaptureRuns = run.Spec[Capture]{
	Name:    "captures",
	Compare: func(a, b *Capture) int { return CompareInBucket(&a.Fetch, &b.Fetch) },
	Bucket:  func(c *Capture) int { return run.BucketOf(c.HostReversed) },
}

// IssueRuns is the specification of the runs of issues.
var IssueRuns = run.Spec[Issue]{
	Name:    "issues",
	Compare: compareIssues,
	Bucket:  func(*Issue) int { return 0 },
}
