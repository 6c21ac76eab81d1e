// Package resolve finds out what each policy capture came to, after revisits and
// redirects, in whatever origin or archive the next record lies, and which records revisits
// of pages refer to.
//
// It knows facts, and of crawlers only whether two are the same. What follows from a
// capture is decided elsewhere.
package resolve
