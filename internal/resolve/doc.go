// Package resolve finds out what each policy capture came to, after revisits and
// redirects, in whatever origin or archive the next record lies, and which records revisits
// of pages refer to.
//
// It knows facts, and of crawlers only whether two are the same. What follows from a
// capture is decided elsewhere.
//
// Each capture starts a resolution, which carries all that its next step needs. A round is one
// merge of the resolutions, sorted by the origin in which they look, with the captures of that
// origin. Every resolution goes on as far as this origin leads it. The captures of one origin are
// in memory, packed if they are many; its resolutions are not. A round goes by ranges of buckets,
// several at a time. What one audit may spend (hops beyond the fifth, bytes read again) is shared
// out beforehand to the ranges, so nothing depends on their order. There are as many rounds as the
// longest chain has steps into another origin. Each step looks at a bounded number of captures.
//
// A target whose body ingest could not know to be policy is found among the fetches. Its body is
// read again from the archive, by file and offset. A resolution that has ended is a State. The
// records to which redirects led are remembered, because their fetches are always allowed; so are
// the redirects that may have led to other records.
//
// Most originals of revisits lie before their revisit in the same origin, where deciding meets
// them. For the others (another origin, a later date, a record ID alone), ingest writes a run of
// its own. The names that these revisits give are collected in a set of bounded size (a Bloom
// filter). One pass over the fetches picks the records with such a name. Both are sorted by name
// and merged. Without such revisits nothing is read.
package resolve
