// Package evidence makes bundles: of an audit's disallowed fetches exactly the records that
// their verdicts rest on, as they stand in the archives, with a manifest that says what each
// is. Verify recomputes every verdict from a bundle alone.
//
// docs/EVIDENCE.md describes the format. A bundle is a WARC file of gzip members: the
// manifest, then the records in the order of their archives. Whoever verifies it puts the
// records of each archive into an archive of its own again, and audits these as any others:
// a verdict may depend on which records lie in one archive, in which order, and which lie
// directly next to each other.
//
// A bundle is made in three passes, each in bounded memory. Collect: the facts are decided once
// more; of each fetch asked for, the finding goes to a file, with the places of the records that it
// rests on. Gather: each archive that holds some of these records is read again (reading.Pair); by
// the rules by which the facts were made, that shows which request, metadata record and warcinfo
// record belong to which fetch, and whether the archive is still the same; the records are copied,
// sorted by their places. Number: the file of positions, which Verify makes of a bundle, too, turns
// places into the numbers that the manifest has. A field of the manifest has the tag proven where
// Verify compares it with the records; all others are listed as claimed.
package evidence
