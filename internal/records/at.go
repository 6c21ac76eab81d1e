package records

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/cdx"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/reading"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Found is a record at a place, or a line of a log. It is valid during the call that has it, and
// counts only if At returns no error.
type Found struct {
	Type string // WARC-Type; "arc", "arcinfo", "log"
	ID   recordid.ID

	header []byte
	block  io.Reader
	short  func() bool // once the block was read: it is shorter than its header states
}

// noRecordError is that of a place at which no record begins.
type noRecordError struct{ Reason string }

func (e *noRecordError) Error() string { return e.Reason }

// noArchiveError is that of a file that holds no records.
type noArchiveError struct{ Reason string }

func (e *noArchiveError) Error() string { return e.Reason }

// DamagedError is that of a record that is damaged.
type DamagedError struct{ Reason string }

func (e *DamagedError) Error() string { return e.Reason }

// Find finds the input that has a name in the tables, or holds the entry that has. The tables percent-encode bytes that
// are no UTF-8.
func Find(set *facts.Set, name string) (in facts.Input, entry string, found bool) {
	names := []string{name}
	if raw, err := url.PathUnescape(name); err == nil {
		names = append(names, raw)
	}
	for _, given := range names {
		for file := given; file != ""; file = file[:max(strings.LastIndexByte(file, '/'), 0)] {
			for _, in := range set.Inputs() {
				if in.Name == file {
					return in, strings.TrimPrefix(given[len(file):], "/"), true
				}
			}
		}
	}
	return in, "", false
}

// At finds the records at a place that a table names: in an archive, or in an entry of a
// WACZ. Records of one compressed member have one place; f is called for each of them. When ctx
// is done, ctx's error is returned.
func At(ctx context.Context, in facts.Input, entry string, offset int64, f func(*Found) error) error {
	defer warc.ReleaseMemory()
	if in.Path == facts.Stdin {
		return &noArchiveError{"it was read from standard input"}
	}
	at, err := openPlace(ctx, in, entry)
	if err != nil {
		return err
	}
	defer at.Close()
	from := input.At(at, 0)
	form, format := reading.Sniff(from, in.Path)
	if err := from.Failed(); err != nil {
		return err
	}
	switch {
	case form.Container == warc.ContainerForeign, wacz.IsSkippedPages(entry):
		return lineAt(form, from, offset, f)
	case form.Container == warc.ContainerZip:
		return &noRecordError{"it is a WACZ; name an entry of it, as in crawl.wacz/archive/data.warc.gz:0"}
	case format != cdx.None:
		return &noArchiveError{"it is an index or a list, which holds no records"}
	case !form.Readable():
		return &noArchiveError{form.Refusal}
	}
	r, err := readerAt(form, from, at, offset)
	if err != nil {
		return err
	}
	if ahead, ok := r.(warc.AheadReader); ok {
		defer ahead.Close()
	}
	found := false
	for {
		rec, err := r.Next()
		var damage *warc.Damage
		switch {
		case err == nil && rec.Offset == offset:
			found = true
			if err := readFound(r, rec, f); err != nil {
				return err
			}
			continue
		case err == nil && rec.Offset < offset: // of a stream
			if _, err = r.Finish(); err == nil {
				continue
			}
			err = rec.Named(err)
		case err == nil, err == io.EOF:
			if found {
				return nil
			}
			return &noRecordError{fmt.Sprintf("no record begins at %d", offset)}
		}
		if !errors.As(err, &damage) {
			return err
		}
		switch {
		case found:
			return nil
		case damage.Offset == offset && damage.Kind != words.IssueSkippedRange &&
			(damage.Kind != words.IssueBadRecordHeader || damage.RecordID != ""):
			return &DamagedError{damage.Error()}
		case damage.Offset >= offset, !damage.More:
			return &noRecordError{fmt.Sprintf("no record begins at %d", offset)}
		}
	}
}

// openPlace opens an archive or an entry of it. The tables percent-encode bytes of names that are
// no UTF-8.
func openPlace(ctx context.Context, in facts.Input, entry string) (*Archive, error) {
	a, err := Open(ctx, in, entry, "")
	var none *noRecordError
	if raw, unescapeErr := url.PathUnescape(entry); errors.As(err, &none) && unescapeErr == nil && raw != entry {
		return Open(ctx, in, raw, "")
	}
	return a, err
}

// readerAt makes a reader that comes by what begins at an offset.
func readerAt(form warc.Form, from *input.Source, at io.ReaderAt, offset int64) (warc.Reader, error) {
	if !form.Addressable() {
		r, err := form.Records(from, at) // which may find that there are members after all
		if err != nil || !form.Addressable() {
			return r, err
		}
	}
	return form.RecordsAt(at, offset)
}

// readFound hands a record on, and makes sure that it is whole.
func readFound(r warc.Reader, rec *warc.Record, f func(*Found) error) error {
	found := Found{
		Type: rec.Type, ID: rec.ID.Key(), header: bytes.Clone(rec.Raw), block: rec.Block,
		short: func() bool { return rec.Short > 0 },
	}
	err := f(&found)
	if err == nil || !input.IsReadError(err) {
		if _, finishErr := r.Finish(); finishErr != nil { // the reason of the other one, if there is one
			err = rec.Named(finishErr)
		}
	}
	var damage *warc.Damage
	if errors.As(err, &damage) {
		return &DamagedError{damage.Error()}
	}
	return err
}

// lineAt finds the line of a log that begins at an offset of its decompressed text.
func lineAt(form warc.Form, from *input.Source, offset int64, f func(*Found) error) error {
	text, err := warc.Decompressed(form, from)
	if err != nil {
		return err
	}
	lines := bufio.NewReaderSize(text, 64<<10)
	before := byte('\n')
	if offset > 0 {
		if _, err := io.CopyN(io.Discard, lines, offset-1); err != nil && err != io.EOF {
			return err
		}
		if before, err = lines.ReadByte(); err != nil && err != io.EOF {
			return err
		}
	}
	if _, err := lines.Peek(1); err != nil || before != '\n' {
		return &noRecordError{fmt.Sprintf("no line of the log begins at %d", offset)}
	}
	return f(&Found{Type: "log", block: &oneLine{in: lines}, short: func() bool { return true }})
}

// oneLine reads a line with its end.
type oneLine struct {
	in    *bufio.Reader
	ended bool
}

func (l *oneLine) Read(p []byte) (int, error) {
	if l.ended || len(p) == 0 {
		return 0, io.EOF
	}
	if _, err := l.in.Peek(1); err != nil {
		return 0, err
	}
	b, _ := l.in.Peek(min(l.in.Buffered(), len(p)))
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b, l.ended = b[:i+1], true
	}
	return l.in.Discard(copy(p, b))
}

// WriteTo writes the record as it stands, decompressed: its header, its block, and the line ends
// after the block.
func (r *Found) WriteTo(w io.Writer) (n int64, err error) {
	n, err = io.Copy(w, io.MultiReader(bytes.NewReader(r.header), r.block))
	end := "\r\n\r\n"
	switch {
	case r.short():
		end = ""
	case r.Type == warc.TypeARC || r.Type == warc.TypeARCInfo:
		end = "\n"
	}
	if err == nil {
		var m int
		m, err = io.WriteString(w, end)
		n += int64(m)
	}
	return n, err
}
