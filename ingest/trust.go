package ingest

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/index"
)

// boundary is a row of an index that tells where a record of an archive lies.
type boundary struct {
	Archive   int32 // its number
	Offset    int64
	Length    int64
	URL       uint64 // a hash: see urlHash
	Micros    int64
	Precision facts.Precision
}

var boundarySpec = run.Spec[boundary]{
	Name: "boundaries",
	Compare: func(a, b *boundary) int {
		return cmp.Or(cmp.Compare(a.Archive, b.Archive), cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Length, b.Length),
			cmp.Compare(a.URL, b.URL), cmp.Compare(a.Micros, b.Micros), cmp.Compare(a.Precision, b.Precision))
	},
	Bucket: func(b *boundary) int { return int(b.Archive) % run.Buckets },
	Held:   8 << 20,
}

// indexBounds are what indexes tell of where the records of archives lie. A nil one knows nothing.
type indexBounds struct {
	dir      string
	remove   func() error // dir
	sorter   *run.Sorter[boundary]
	rows     *run.SortedRows[boundary]
	archives map[string][]named // by the last part of their names
	numbers  map[string]int32   // by path
	packages bool               // there are WACZ files among the archives
	sums     map[int32]uint64   // of the rows of each archive that has some, in any order
}

// named is an archive as rows may name it.
type named struct {
	number int32
	names  []string
}

func newIndexBounds(dir string) (*indexBounds, error) {
	b := &indexBounds{archives: make(map[string][]named), numbers: make(map[string]int32), sums: make(map[int32]uint64)}
	var err error
	if b.dir, b.remove, err = temporaryIn(dir); err != nil {
		return nil, err
	}
	b.sorter = run.NewSorter(b.dir, boundarySpec)
	return b, nil
}

func (b *indexBounds) close() {
	if b != nil {
		b.remove()
	}
}

// name has rows name an archive of a path by that, or by another name.
func (b *indexBounds) name(number int32, at, name string) {
	n := named{number, []string{at}}
	if name != at {
		n.names = append(n.names, name)
	}
	b.numbers[at] = number
	for i, name := range n.names {
		if base := path.Base(name); i == 0 || base != path.Base(n.names[0]) {
			b.archives[base] = append(b.archives[base], n)
		}
	}
}

// meant finds the archive that a row names: the one whose path or name ends in what the row writes.
func (b *indexBounds) meant(written string) (number int32, ok bool) {
	tail := "/" + strings.TrimPrefix(written, "/")
	for _, a := range b.archives[path.Base(written)] {
		isMeant := func(name string) bool { return name == written || strings.HasSuffix(name, tail) }
		if !slices.ContainsFunc(a.names, isMeant) {
			continue
		}
		if ok { // it may be either
			return 0, false
		}
		number, ok = a.number, true
	}
	return number, ok
}

// add adds the rows of an index. Those that cannot be read are told of where it is read as an input.
func (b *indexBounds) add(rows index.Reader) error {
	var row index.Row
	for {
		err := rows.Next(&row)
		var fault *index.Fault
		switch {
		case err == nil:
			if err := b.addRow(&row); err != nil {
				return err
			}
		case errors.As(err, &fault) && !fault.Rest:
		case warc.IsReadError(err):
			return err
		default:
			return nil
		}
	}
}

func (b *indexBounds) addRow(row *index.Row) error {
	if row.URL == "" || row.Offset < 0 || row.Length <= 0 || row.Filename == "" || row.Offset+row.Length < 0 {
		return nil
	}
	number, ok := b.meant(row.Filename)
	if !ok {
		return nil
	}
	t, _, _ := rowTime(row)
	r := boundary{Archive: number, Offset: row.Offset, Length: row.Length, URL: urlHash(row.URL), Micros: t.Micros, Precision: t.Precision}
	b.sums[number] += r.sum()
	return b.sorter.Add(r)
}

func (b *boundary) sum() uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, []uint64{uint64(b.Offset), uint64(b.Length), b.URL, uint64(b.Micros), uint64(b.Precision)})
	return h.Sum64()
}

// urlHash stands for a URL, whatever indexes make of bytes that no URI may hold.
func urlHash(url string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, facts.Likeness(url))
	return h.Sum64()
}

// finish ends the adding of rows.
func (b *indexBounds) finish(ctx context.Context) (err error) {
	b.rows, err = b.sorter.Finish(ctx)
	return err
}

// of is what is told of the archive of a path; nil if nothing is. It has to be closed.
func (b *indexBounds) of(ctx context.Context, at string) *archiveBounds {
	if b == nil {
		return nil
	}
	number, ok := b.numbers[at]
	if _, told := b.sums[number]; !ok || !told {
		return nil
	}
	bucket := int(number) % run.Buckets
	next, stop := iter.Pull2(b.rows.Range(ctx, bucket, bucket+1))
	return &archiveBounds{number: number, next: next, stop: stop}
}

// trust has a reader go by what indexes tell.
func trust(r warc.Reader, bounds *archiveBounds) {
	if r, ok := r.(warc.BoundedReader); ok {
		r.Trust(bounds)
	}
}

// archiveBounds are what indexes tell of one archive. It is a warc.Bounds.
type archiveBounds struct {
	number int32
	next   func() (*boundary, error, bool)
	stop   func()
	last   boundary
	begun  bool
}

// Next passes over rows that several indexes have.
func (a *archiveBounds) Next() (l warc.Located, err error) {
	for {
		row, err, ok := a.next()
		switch {
		case !ok:
			return l, io.EOF
		case err != nil:
			return l, err
		case row.Archive != a.number, a.begun && *row == a.last:
			continue
		}
		a.last, a.begun = *row, true
		return warc.Located{Offset: row.Offset, Length: row.Length, URL: row.URL, Micros: row.Micros, Precision: uint8(row.Precision)}, nil
	}
}

func (a *archiveBounds) Differs(l warc.Located, h *warc.Header) string {
	if urlHash(cut(h.Target, warc.MaxURL)) != l.URL {
		return fmt.Sprintf("another URL than the record here, %.200q", h.Target)
	}
	told := facts.Time{Micros: l.Micros, Precision: facts.Precision(l.Precision)}
	t, _, _ := recordTime(&warc.Record{Header: *h})
	if told.Known() && t.Known() && told.MicrosSince(t) != 0 {
		return fmt.Sprintf("another time than the record here, %.40q", h.Date)
	}
	return ""
}

// readIndexBounds reads what indexes among the inputs tell of archives among them, into a folder in
// dir, and notes with each archive what that is. An input that cannot be read is one of
// neither: it fails when its turn comes.
func readIndexBounds(ctx context.Context, dir string, inputs []Input) (*indexBounds, error) {
	b, err := newIndexBounds(dir)
	if err != nil {
		return nil, err
	}
	formats := make([]index.Format, len(inputs))
	containers := make([]warc.Container, len(inputs))
	var asked sync.WaitGroup
	slots := make(chan struct{}, askedAtOnce)
	for i, in := range inputs {
		if in.Path == facts.Stdin || in.List {
			continue
		}
		slots <- struct{}{}
		asked.Go(func() {
			defer func() { <-slots }()
			formats[i], containers[i] = sniffInput(ctx, in)
		})
	}
	asked.Wait()
	for i, in := range inputs {
		inputs[i].Bounds = ""
		switch containers[i] {
		case warc.ContainerMembers:
			b.name(int32(i), in.Path, in.Name)
		case warc.ContainerZip: // which may have an index of its own
			b.packages = true
		}
	}
	for i, in := range inputs {
		if formats[i] == index.None || len(b.archives) == 0 {
			continue
		}
		if err = ctx.Err(); err == nil {
			err = b.addInput(ctx, in, formats[i])
		}
		if err != nil && !warc.IsReadError(err) {
			b.close()
			return nil, err
		}
	}
	if err := b.finish(ctx); err != nil {
		b.close()
		return nil, err
	}
	for number, sum := range b.sums {
		inputs[number].Bounds = fmt.Sprintf("%016x", sum)
	}
	return b, nil
}

// sniffInput tells whether an input is an index, and what it is else.
func sniffInput(ctx context.Context, in Input) (format index.Format, container warc.Container) {
	o, err := in.Open(ctx)
	if err != nil {
		return
	}
	defer o.Close()
	form, format := sniff(warc.SourceAt(o, 0), in.Path)
	return format, form.Container
}

// addInput adds the rows of an input that is an index.
func (b *indexBounds) addInput(ctx context.Context, in Input, format index.Format) error {
	o, err := in.Open(ctx)
	if err != nil {
		return &warc.ReadError{Err: err}
	}
	defer o.Close()
	return b.addIndex(format, io.NewSectionReader(failing{o}, 0, in.Size), in.Path)
}

func (b *indexBounds) addIndex(format index.Format, from *io.SectionReader, at string) error {
	rows, err := index.Open(format, from, from.Size(), index.Options{Path: at})
	if err != nil {
		return nil // the input is refused
	}
	defer rows.Close()
	if rows.Format() == index.URLList {
		return nil
	}
	return b.add(rows)
}
