package run

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
)

// An OrderedWriter writes rows that come in the order of a merge into one file, however many
// they are.
type OrderedWriter[T any] struct {
	dir    string
	spec   Spec[T]
	out    *fileWriter[T] // nil until the first row
	bucket int            // of the row added last
	err    error
}

// NewOrderedWriter returns an OrderedWriter of a file named after spec in dir. Without rows there
// is no file.
func NewOrderedWriter[T any](dir string, spec Spec[T]) *OrderedWriter[T] {
	return &OrderedWriter[T]{dir: dir, spec: spec}
}

// Put adds a row, and keeps no reference to it. After an error the OrderedWriter is of no further
// use.
func (w *OrderedWriter[T]) Put(row *T) error {
	if w.err == nil && w.out == nil {
		var l *layout
		if l, w.err = layoutOf[T](); w.err == nil {
			w.out, w.err = createFile[T](filepath.Join(w.dir, OrderedFile(w.spec)), l)
		}
	}
	if w.err != nil {
		return w.err
	}
	bucket := w.spec.Bucket(row)
	if bucket < w.bucket || bucket >= Buckets {
		w.err = fmt.Errorf("row of bucket %d after one of bucket %d", bucket, w.bucket)
	} else {
		w.bucket = bucket
		w.err = w.out.add(row, bucket)
	}
	if w.err != nil {
		w.out.close(w.err)
	}
	return w.err
}

// OrderedFile is the name of the file that an OrderedWriter of a Spec writes.
func OrderedFile[T any](spec Spec[T]) string { return fmt.Sprintf("%s-%05d.run", spec.Name, 0) }

// Close completes the file, and returns its name in dir: none where there is no row. After an
// error, here or from Add, no file is left.
func (w *OrderedWriter[T]) Close() ([]string, error) {
	if w.err != nil || w.out == nil {
		return nil, w.err
	}
	w.err = errClosed
	return []string{OrderedFile(w.spec)}, w.out.close(nil)
}

// Save writes the rows into dir, as one file named after their Spec, for OpenSorted. Without rows
// there is none.
func (r *SortedRows[T]) Save(ctx context.Context, dir string) error {
	return Save(dir, r.spec, r.Range(ctx, 0, Buckets))
}

// Save writes rows that come in order into dir, likewise.
func Save[T any](dir string, spec Spec[T], rows iter.Seq2[*T, error]) error {
	w := NewOrderedWriter(dir, spec)
	for row, err := range rows {
		if err == nil {
			err = w.Put(row)
		}
		if err != nil {
			w.Close()
			return err
		}
	}
	_, err := w.Close()
	return err
}

// OpenSorted returns the rows that Save has written into dir.
func OpenSorted[T any](dir string, spec Spec[T]) (*SortedRows[T], error) {
	l, err := layoutOf[T]()
	if err != nil {
		return nil, err
	}
	r := &SortedRows[T]{spec: spec, layout: l}
	path := filepath.Join(dir, OrderedFile(spec))
	if _, err := os.Stat(path); err == nil {
		r.sources = []source[T]{{path: path}}
	} else if !os.IsNotExist(err) {
		return nil, err
	}
	return r, nil
}
