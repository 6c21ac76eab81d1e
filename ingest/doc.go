// Package ingest reads archives, once, into facts (package facts). It knows nothing of rules and
// verdicts.
//
// The extractor makes a draft of each record: the URL, date and IDs; the HTTP head; header lines
// and metas about use; the payload of a policy file; what its digests were found to be; the issues
// to note. A draft is provisional until its record counts. The committer accepts the drafts of one
// input in file order. Everything that depends on order happens there: it finds the request of a
// response, its metadata record, the warcinfo record in force, and joins the segments of a record.
// So facts depend on the input alone. The task writes rows to sorted runs and bodies to a pack.
//
// A request is found by WARC-Concurrent-To, in either direction, or else next to its response. The
// last 4,096 records are remembered, metadata records for 64. Fetches and requests that wait for
// each other hold at most 32 MiB in one archive. Of HTML pages, only the metas that concern use are
// kept; the page is read until its head ends. Digests of policy captures are always compared while
// the record is read, all others with --verify-digests.
//
// An archive in standard input, or at a URL, is read as any other. A WACZ is read entry by
// entry; rows carry the name of the entry next to the number of the input, and page lists are read
// before the archives, wherever they lie. A WAT's records become record headers and HTTP heads
// again, and go through the same extractor and committer. index.go makes of a row of an index what
// fetch.go makes of a record. The limits of what a record can occupy are part of the fingerprint of
// the facts: other limits make other facts.
//
// --verify puts records in place of rows of indexes. evaluate.Suspected decides everything once and
// names the rows. Verification sorts them by archive and reads each record by its place, with one
// request and through the same extractor. What it finds lies next to the tasks, in folders like
// theirs, whose inputs are the indexes: records with TrustVerified, and copies of rows that were
// refuted or could not be read. All of them stand before the rows themselves, so the joiner leaves
// those out, and the tables are made by deciding once more.
package ingest
