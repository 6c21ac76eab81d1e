// Package run keeps sorted runs of rows in files, written with bounded memory and merged frame by
// frame, or, of rows that are read soon, in memory.
//
// Rows are ordered by bucket, then by Spec.Compare. A bucket is a fixed hash
// of a row's host, so that any share of the hosts is a contiguous range of
// rows in every run, whichever process wrote it and whenever.
//
// A Sorter holds rows as they are, 3 MiB of them, or 12 where an index reports fetches, and sorts and
// writes them as a run. The rows lie in frames of 16 KiB, each row as its difference from the one
// before, compressed (S2), each frame with a checksum. The footer has the place of each frame and the
// buckets in it. Within a bucket, a place is found by halves, by the first rows of frames. Merge reads
// up to 256 runs at a time, frame by frame; on many cores, each with a merge of its own, down to 64.
// More are first merged into longer ones. Temporary files have the same form. As Parquet, runs took
// 0.6 times the space, but three times as long to write and to read, and so much memory that only 8
// were merged at a time (docs/bench/2026-11-24-index).
//
// Rows are written and read by reflection, and sorted as structs. Rows packed into bytes, by way of
// unsafe pointers, and sorted there would take 600 lines more. An audit of 1 GB of pages or of small
// records takes the same CPU and memory in both ways (1.00 to 1.02 of it; 93 MB and 94), one of a
// million rows of an index 1.14 times the CPU with structs (5.5 and 6.3 s).
package run

// Buckets is the number of shares that rows are spread over. It is part of the
// file format: it never changes.
const Buckets = 1024

// maxBytes is how many bytes of rows a Sorter holds: few, as every worker has one for each kind of row.
const maxBytes = 3 << 20

// Spec defines how rows of type T are named, ordered and measured. T is a struct of booleans,
// integers and strings; unexported fields are not kept. The functions keep no reference to
// their rows.
type Spec[T any] struct {
	// Name is the prefix of the file names.
	Name string
	// Compare orders the rows of one bucket. Rows that compare equal keep
	// the order in which they were added.
	Compare func(a, b *T) int
	// Bucket returns the row's bucket, 0 to Buckets-1.
	Bucket func(*T) int
	// Held is how many bytes of rows a Sorter holds until it writes a run; 0 means that it shares memory
	// with many others, and holds few.
	Held int
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
