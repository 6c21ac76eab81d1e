package run

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/codec"
	"github.com/robotsaudit/robotsaudit/internal/parquetfile"
)

// bucketsKey names the footer entry with the number of rows of each bucket:
// Buckets unsigned varints in base64. Their running sum is the first row of
// each bucket.
const bucketsKey = "buckets"

func encodeCounts(counts []int64) string {
	var b []byte
	for _, n := range counts {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// decodeCounts reverses encodeCounts. The counts must add up to rows.
func decodeCounts(s string, rows int64) ([]int64, error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, fmt.Errorf("%w: bucket counts: %w", parquetfile.ErrDamaged, err)
	}
	counts := make([]int64, Buckets)
	left := uint64(rows)
	for i := range counts {
		n, width := binary.Uvarint(b)
		if width <= 0 || n > left {
			return nil, fmt.Errorf("%w: bucket counts do not match the rows", parquetfile.ErrDamaged)
		}
		counts[i] = int64(n)
		left -= n
		b = b[width:]
	}
	if left != 0 || len(b) != 0 {
		return nil, fmt.Errorf("%w: bucket counts do not match the rows", parquetfile.ErrDamaged)
	}
	return counts, nil
}

// fileWriter writes one run file from rows that are already in order.
type fileWriter[T any] struct {
	path   string
	layout *layout[T]
	file   *os.File
	out    *parquet.GenericWriter[T]
	counts []int64

	// Rows go to out in batches: it flushes pages only between calls of
	// Write, so a batch must be about as small as a page.
	batch      []T
	batchBytes int
	arena      []byte // of the batch's []byte fields

	group limit // of the row group
}

// limit counts rows and bytes.
type limit struct{ rows, bytes int }

func (l *limit) add(bytes int) {
	l.rows++
	l.bytes += bytes
}

func (l *limit) reached(bytes int) bool { return l.rows >= maxRows || l.bytes >= bytes }

// batchRows is how many rows are written or read at once, column by column.
const batchRows = 64

// pageCodec is shared so that runs reuse its encoders. With no clock in the metadata the
// same rows give the same bytes.
var pageCodec codec.Zstd

// groupBuffers hold the pages of a row group until it is complete, in chunks of the size of a
// page: most columns of a run compress to less.
var groupBuffers = parquet.NewChunkBufferPool(pageBytes)

func createFile[T any](path string, l *layout[T]) (output[T], error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	options := []parquet.WriterOption{
		l.schema,
		parquet.CreatedBy("robotsaudit", "1", ""),
		parquet.Compression(&pageCodec),
		parquet.PageBufferSize(pageBytes),
		parquet.ColumnPageBuffers(groupBuffers),
		parquet.DictionaryMaxBytes(dictionaryBytes),
		parquet.DataPageStatistics(false),
	}
	// Rows are found by bucket, never by value: bounds would only make
	// footers longer.
	for _, name := range l.names {
		options = append(options, parquet.SkipPageBounds(name))
	}
	return &fileWriter[T]{
		path:   path,
		layout: l,
		file:   file,
		out:    parquet.NewGenericWriter[T](file, options...),
		counts: make([]int64, Buckets),
		batch:  make([]T, 0, batchRows),
	}, nil
}

// add writes a copy of row.
func (w *fileWriter[T]) add(row *T, bucket, size int) error {
	w.batch = append(w.batch, *row)
	w.arena = w.layout.cloneBytes(&w.batch[len(w.batch)-1], w.arena)
	w.batchBytes += size
	w.counts[bucket]++
	w.group.add(size)
	if w.group.reached(groupBytes) {
		return w.closeGroup()
	}
	if len(w.batch) == batchRows || w.batchBytes >= pageBytes {
		return w.writeBatch()
	}
	return nil
}

func (w *fileWriter[T]) closeGroup() error {
	if err := w.writeBatch(); err != nil {
		return err
	}
	w.group = limit{}
	return w.guard(w.out.Flush)
}

func (w *fileWriter[T]) writeBatch() error {
	err := w.guard(func() error {
		_, err := w.out.Write(w.batch)
		return err
	})
	clear(w.batch)
	w.batch, w.batchBytes, w.arena = w.batch[:0], 0, w.arena[:0]
	return err
}

// close finishes the file and makes it durable. After an error no file is left.
func (w *fileWriter[T]) close() error {
	err := w.writeBatch()
	if err == nil {
		w.out.SetKeyValueMetadata(bucketsKey, encodeCounts(w.counts))
		err = w.guard(w.out.Close)
	}
	if err == nil {
		err = w.file.Sync()
	}
	if err != nil {
		w.abort()
		return err
	}
	if err := w.file.Close(); err != nil {
		return errors.Join(err, os.Remove(w.path))
	}
	return nil
}

// abort drops the file.
func (w *fileWriter[T]) abort() {
	w.file.Close()
	os.Remove(w.path)
}

// guard turns a panic of the Parquet library, on values too large for the
// format, into an error.
func (w *fileWriter[T]) guard(write func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("write %s: %v", w.path, p)
		}
	}()
	return write()
}

// fileReader reads a range of the rows of one run file, in order.
type fileReader[T any] struct {
	source[T]
	spec    Spec[T]
	layout  *layout[T]
	file    *os.File
	columns []column
	groups  []parquet.RowGroup // not yet begun

	bucket  int     // of the row returned last, or of the first
	rest    []T     // rows read, after that
	batch   []T     // what columns set
	counts  []int64 // rows of each bucket that are still to come
	left    int64   // rows of the range that are not yet read
	inGroup int64   // rows of the current group that are not yet read
	skip    int64   // rows of the groups to pass over first
}

// openFile opens a run file on the rows of the buckets from ≤ bucket < to.
func openFile[T any](src source[T], spec Spec[T], l *layout[T], from, to int) (*fileReader[T], error) {
	file, err := os.Open(src.path)
	if err != nil {
		return nil, err
	}
	r := &fileReader[T]{source: src, spec: spec, layout: l, file: file, bucket: from}
	if err := parquetfile.Guard(r.path, func() error { return r.readFooter(from, to) }); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *fileReader[T]) readFooter(from, to int) error {
	// The page index of all columns would be held in memory; the part that
	// seeking needs is read when a row group is opened.
	f, err := parquetfile.Open(r.file)
	if err != nil {
		return err
	}
	if !parquet.EqualNodes(f.Schema(), r.layout.schema) {
		return fmt.Errorf("its columns are not those of %T", *new(T))
	}
	text, ok := f.Lookup(bucketsKey)
	if !ok {
		return fmt.Errorf("%w: no bucket counts", parquetfile.ErrDamaged)
	}
	if r.counts, err = decodeCounts(text, f.NumRows()); err != nil {
		return err
	}
	for i, n := range r.counts {
		switch {
		case i < from:
			r.skip += n
		case i < to:
			r.left += n
		}
	}
	for r.left > 0 && r.counts[r.bucket] == 0 {
		r.bucket++
	}
	r.groups = f.RowGroups()
	for len(r.groups) > 0 && r.skip >= r.groups[0].NumRows() {
		r.skip -= r.groups[0].NumRows()
		r.groups = r.groups[1:]
	}
	return nil
}

func (r *fileReader[T]) start() int { return r.bucket }

// next returns the next row of the range.
func (r *fileReader[T]) next() (*T, int, error) {
	if len(r.rest) == 0 {
		if r.left == 0 {
			r.release()
			return nil, 0, nil
		}
		if err := parquetfile.Guard(r.path, r.readBatch); err != nil {
			return nil, 0, err
		}
	}
	row := &r.rest[0]
	r.rest = r.rest[1:]
	if r.prepare != nil {
		r.prepare(row)
	}
	for r.counts[r.bucket] == 0 {
		r.bucket++
	}
	r.counts[r.bucket]--
	if b := r.spec.Bucket(row); b != r.bucket {
		return nil, 0, fmt.Errorf("%s: %w: row of bucket %d among those of bucket %d", r.path, parquetfile.ErrDamaged, b, r.bucket)
	}
	return row, r.bucket, nil
}

// readBatch reads rows up to the end of the page that ends first, so that all
// the batch's []byte fields are in pages that are held.
func (r *fileReader[T]) readBatch() error {
	for r.inGroup == 0 {
		if err := r.openGroup(); err != nil {
			return err
		}
	}
	n := int(min(batchRows, r.inGroup, r.left))
	for i, c := range r.columns {
		ready, err := c.ready()
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("%w: column %s: %w", parquetfile.ErrDamaged, r.layout.names[i], err)
		}
		n = min(n, ready)
	}
	for _, c := range r.columns {
		c.read(n)
	}
	r.rest = r.batch[:n]
	r.left -= int64(n)
	r.inGroup -= int64(n)
	return nil
}

func (r *fileReader[T]) openGroup() error {
	if len(r.groups) == 0 {
		return fmt.Errorf("%w: fewer rows than its footer says", parquetfile.ErrDamaged)
	}
	if r.batch == nil { // files without rows in the range never get here
		r.batch = make([]T, batchRows)
		r.columns = r.layout.columns(r.batch)
	}
	group := r.groups[0]
	chunks := group.ColumnChunks()
	if len(chunks) != len(r.columns) {
		return fmt.Errorf("%w: %d columns of %d in a row group", parquetfile.ErrDamaged, len(chunks), len(r.columns))
	}
	for i, chunk := range chunks {
		if r.skip > 0 {
			// Loads what SeekToRow uses.
			if _, err := chunk.OffsetIndex(); err != nil {
				return fmt.Errorf("%w: %w", parquetfile.ErrDamaged, err)
			}
		}
		pages := chunk.Pages()
		r.columns[i].open(pages)
		if r.skip > 0 {
			if err := pages.SeekToRow(r.skip); err != nil {
				return fmt.Errorf("%w: %w", parquetfile.ErrDamaged, err)
			}
		}
	}
	r.inGroup = group.NumRows() - r.skip
	r.skip = 0
	r.groups = r.groups[1:]
	return nil
}

// release gives up what rows were read with.
func (r *fileReader[T]) release() {
	for _, c := range r.columns {
		// After a panic of the Parquet library its pages may be in any state.
		_ = parquetfile.Guard(r.path, func() error { c.close(); return nil })
	}
	r.columns, r.batch, r.rest = nil, nil, nil
}

func (r *fileReader[T]) close() {
	r.release()
	r.file.Close()
}
