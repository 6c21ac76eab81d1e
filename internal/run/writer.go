package run

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

var errClosed = errors.New("run writer is closed")

// A Writer sorts rows into run files of at most maxRows rows, or about maxBytes
// octets of memory. The same rows added in the same order give the same files, byte
// for byte.
type Writer[T any] struct {
	dir    string
	spec   Spec[T]
	layout *layout[T]

	chunks [][]T // of chunkRows rows, reused: one slice would be copied as it grows
	keys   []key
	held   limit
	names  []string
	err    error
}

// A key stands for a row while rows are sorted.
type key struct{ bucket, row int32 }

// chunkRows is the number of rows that are allocated at once.
const chunkRows = 128

func (w *Writer[T]) row(k key) *T { return &w.chunks[k.row/chunkRows][k.row%chunkRows] }

// NewWriter returns a Writer of files named after spec in dir. Existing files
// of these names are replaced.
func NewWriter[T any](dir string, spec Spec[T]) *Writer[T] {
	l, err := layoutOf[T]()
	return &Writer[T]{dir: dir, spec: spec, layout: l, err: err}
}

// Add adds a row. The Writer keeps the row's []byte fields until it has
// written them: the caller must not change them. After an error the Writer is
// of no further use.
func (w *Writer[T]) Add(row T) error {
	if w.err != nil {
		return w.err
	}
	k := key{row: int32(len(w.keys))}
	if len(w.keys) == len(w.chunks)*chunkRows {
		w.chunks = append(w.chunks, make([]T, chunkRows))
	}
	kept := w.row(k) // what is asked of it here would move row itself to the heap
	*kept = row
	bucket := w.spec.Bucket(kept)
	if bucket < 0 || bucket >= Buckets {
		return w.fail(fmt.Errorf("row of bucket %d: there are %d", bucket, Buckets))
	}
	k.bucket = int32(bucket)
	w.keys = append(w.keys, k)
	w.held.add(w.spec.Size(kept))
	if w.held.reached(maxBytes) {
		return w.writeRun()
	}
	return nil
}

// Close writes the rows that are left, and returns the names of the run files
// in dir, in the order of the rows that were added. After an error, here or
// from Add, it returns the error, and no file is left.
func (w *Writer[T]) Close() ([]string, error) {
	if w.err == nil && len(w.keys) > 0 {
		w.writeRun()
	}
	if w.err != nil {
		return nil, w.err
	}
	w.err = errClosed
	return w.names, nil
}

func (w *Writer[T]) writeRun() error {
	slices.SortFunc(w.keys, func(a, b key) int {
		if a.bucket != b.bucket {
			return cmp.Compare(a.bucket, b.bucket)
		}
		if c := w.spec.Compare(w.row(a), w.row(b)); c != 0 {
			return c
		}
		return cmp.Compare(a.row, b.row)
	})
	name := fmt.Sprintf("%s-%05d.parquet", w.spec.Name, len(w.names))
	if err := w.writeFile(filepath.Join(w.dir, name)); err != nil {
		return w.fail(err)
	}
	w.names = append(w.names, name)
	for _, c := range w.chunks {
		clear(c)
	}
	w.keys, w.held = w.keys[:0], limit{}
	return nil
}

func (w *Writer[T]) writeFile(path string) error {
	out, err := createFile(path, w.layout)
	if err != nil {
		return err
	}
	for _, k := range w.keys {
		row := w.row(k)
		if err := out.add(row, int(k.bucket), w.spec.Size(row)); err != nil {
			out.abort()
			return err
		}
	}
	return out.close()
}

// fail drops what was written and makes err the answer to every further call.
func (w *Writer[T]) fail(err error) error {
	for _, name := range w.names {
		os.Remove(filepath.Join(w.dir, name))
	}
	w.chunks, w.keys, w.names = nil, nil, nil
	w.err = err
	return err
}
