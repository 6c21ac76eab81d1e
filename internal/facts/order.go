package facts

import (
	"cmp"

	"github.com/robotsaudit/robotsaudit/internal/run"
)

// CompareFetches is the order of the facts: by origin, then in time, then by
// what makes the order total. Duplicate records become neighbours.
func CompareFetches(a, b *Fetch) int {
	if c := compareOrigins(a, b); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(a.Micros, b.Micros),
		cmp.Compare(a.Precision, b.Precision),
		cmp.Compare(a.URL, b.URL),
		cmp.Compare(a.RecordID, b.RecordID),
		cmp.Compare(a.Input, b.Input),
		cmp.Compare(a.Entry, b.Entry),
		cmp.Compare(a.Offset, b.Offset),
		cmp.Compare(a.Index, b.Index),
	)
}

func compareOrigins(a, b *Fetch) int {
	if a.Origin == b.Origin {
		return cmp.Compare(a.HostReversed, b.HostReversed)
	}
	return cmp.Or(
		cmp.Compare(run.BucketOf(a.HostReversed), run.BucketOf(b.HostReversed)),
		cmp.Compare(a.HostReversed, b.HostReversed),
		cmp.Compare(a.Origin, b.Origin),
	)
}

// fetchSize is about what a fetch occupies in memory, in bytes.
func fetchSize(f *Fetch) int {
	return 320 + len(f.URL) + len(f.RecordID) + len(f.Location) + len(f.PolicyHeaders) + len(f.RefersToURL) + len(f.RefersToID) +
		len(f.PayloadDigest) + len(f.Via) + len(f.Metas)
}

// FetchRuns is the specification of the runs of fetches.
var FetchRuns = run.Spec[Fetch]{
	Name:    "fetches",
	Compare: CompareFetches,
	Bucket:  func(f *Fetch) int { return run.BucketOf(f.HostReversed) },
	Size:    fetchSize,
}

// RevisitRuns is the specification of the runs of fetches that RefersElsewhere, which
// are among FetchRuns, too: so that their originals are looked for without reading all.
var RevisitRuns = run.Spec[Fetch]{Name: "revisits", Compare: FetchRuns.Compare, Bucket: FetchRuns.Bucket, Size: fetchSize}

// CaptureRuns is the specification of the runs of policy captures.
var CaptureRuns = run.Spec[Capture]{
	Name:    "captures",
	Compare: func(a, b *Capture) int { return CompareFetches(&a.Fetch, &b.Fetch) },
	Bucket:  func(c *Capture) int { return run.BucketOf(c.HostReversed) },
	Size:    func(c *Capture) int { return fetchSize(&c.Fetch) + 64 },
}

// IssueRuns is the specification of the runs of issues.
var IssueRuns = run.Spec[Issue]{
	Name:    "issues",
	Compare: CompareIssues,
	Bucket:  func(*Issue) int { return 0 },
	Size:    func(i *Issue) int { return 128 + len(i.Detail) },
}
