// Package run keeps sorted runs of rows in files, written with bounded memory and merged frame by
// frame, or, of rows that are read soon, in memory.
//
// Rows are ordered by bucket, then by Spec.Compare. A bucket is a fixed hash
// of a row's host, so that any share of the hosts is a contiguous range of
// rows in every run, whichever process wrote it and whenever.
//
// A run holds at most 100,000 rows and 1 MiB, packed; 12 MiB where an index reports fetches. The
// rows lie in frames of 16 KiB, compressed (S2), each with a checksum. The footer has the place of
// each frame and the buckets in it. Within a bucket, a place is found by halves, by the first rows
// of frames. Merge reads up to 256 runs at a time, frame by frame; on many cores, each with a merge
// of its own, down to 64. More are first merged into longer ones. Temporary files have the same
// form; what one round of redirects leaves for the next is read at once, and is not compressed. As
// Parquet, runs took 0.6 times the space, but three times as long to write and to read, and so much
// memory that only 8 were merged at a time (docs/bench/2026-11-24-index).
package run

// Buckets is the number of shares that rows are spread over. It is part of the
// file format: it never changes.
const Buckets = 1024

// Limits of a run.
const (
	maxRows  = 100_000
	maxBytes = 1 << 20 // packed; small: every worker holds a run of each kind while it fills
	maxGroup = 2       // fields
)

// Spec defines how rows of type T are named, ordered and measured. T is a struct of bool, intN,
// uintN, string and []byte fields; unexported fields are not kept. The functions keep no
// reference to their rows.
type Spec[T any] struct {
	// Name is the prefix of the file names.
	Name string
	// Compare orders the rows of one bucket. Rows that compare equal keep
	// the order in which they were added.
	Compare func(a, b *T) int
	// Bucket returns the row's bucket, 0 to Buckets-1.
	Bucket func(*T) int
	// Group and Rank are the first criteria of Compare, so that most rows are ordered without being
	// unpacked: the names of one or two string fields, and a number for rows where these are equal.
	// Rows of one group are of one bucket. Without them Compare is called for all rows of a bucket.
	Group []string
	Rank  func(*T) int64
	// Held is how many bytes of packed rows a Writer or Sorter holds until it writes a run; 0
	// means that it shares memory with many others, and holds few.
	Held int
	// Raw has frames written as they are, not compressed: of rows that are read once, and soon.
	Raw bool
}

// BucketOf returns the bucket of a host: the 64-bit FNV-1a hash of its bytes,
// whose seven groups of ten bits are combined by exclusive or. Facts on disk
// rely on it: it never changes.
func BucketOf(host string) int {
	const offset, prime = 0xcbf29ce484222325, 0x100000001b3
	hash := uint64(offset)
	for i := range len(host) {
		hash = (hash ^ uint64(host[i])) * prime
	}
	bucket := 0
	for ; hash > 0; hash >>= 10 {
		bucket ^= int(hash % Buckets)
	}
	return bucket
}
