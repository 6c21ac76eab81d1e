// Package reading makes the facts of one input: an archive, a crawler's log, an index. They depend on
// the input alone.
//
// The extractor makes a draft of each record: the URL, date and IDs (fetch.go); the HTTP head, and the
// payload of a policy file (body.go); metas about use (page.go); what its digests were found to be
// (digestcheck.go); the issues to note. A draft is provisional until its record counts. The committer
// accepts the drafts of one input in file order (commit.go). Everything that depends on order happens
// there: it finds the request of a response and its metadata record (pairing.go), the warcinfo record in
// force (warcinfo.go), and joins the segments of a record (segment.go).
//
// A request is found by WARC-Concurrent-To, in either direction, or else next to its response. The
// last 4,096 records are remembered, metadata records for 64. Fetches and requests that wait for
// each other hold at most 32 MiB in one archive. Of HTML pages, only the metas that concern use are
// kept; the page is read until its head ends. Digests of policy captures are always compared while
// the record is read, all others with --verify-digests.
//
// An archive in standard input, or at a URL, is read as any other. A WACZ is read entry by entry
// (wacz.go); rows carry the name of the entry next to the number of the input, and page lists are read
// before the archives, wherever they lie. Package indexed makes of a row of an index what fetch.go makes
// of a record. The limits of what a record can occupy are part of the fingerprint of the facts: other
// limits make other facts.
package reading
