// Package evidence makes bundles: of an audit's disallowed fetches exactly the records that
// their verdicts rest on, as they stand in the archives, with a manifest that says what each
// is. Verify recomputes every verdict from a bundle alone.
//
// docs/EVIDENCE.md describes the format. A bundle is a WARC file of gzip members: the
// manifest, then the records in the order of their archives. Whoever verifies it puts the
// records of each archive into an archive of its own again, and audits these as any others:
// a verdict may depend on which records lie in one archive, in which order, and what lies
// directly beside what.
package evidence
