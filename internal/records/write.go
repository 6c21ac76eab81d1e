package records

import (
	"bufio"
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
)

// FindInput finds the input that has a name in the tables, or holds the entry that has. The tables percent-encode bytes
// that are no UTF-8.
func FindInput(set *facts.Set, name string) (in facts.Input, entry string, found bool) {
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

// Write writes the record with an ID ("": the first one) at a place that a table names, or the line of a log there:
// decompressed, with the line ends after it. Unless it returns nil, what was written is not the record.
func Write(ctx context.Context, w io.Writer, in facts.Input, entry string, offset int64, id recordid.ID) error {
	if in.Path == facts.Stdin {
		return errors.New("it was read from standard input")
	}
	a, err := Open(ctx, in, entry, "")
	if err != nil {
		return err
	}
	defer a.Close()
	from := input.At(a, 0)
	var format cdx.Format
	a.Form, format = reading.Sniff(from, in.Path)
	if err := from.Failed(); err != nil {
		return err
	}
	switch {
	case a.Form.Container == warc.ContainerForeign, wacz.IsSkippedPages(entry):
		return a.writeLine(w, offset)
	case a.Form.Container == warc.ContainerZip:
		return &noRecordError{"it is a WACZ; name an entry of it, as in crawl.wacz/archive/data.warc.gz:0"}
	case format != cdx.None:
		return errors.New("it is an index or a list, which holds no records")
	case !a.Form.Readable():
		return errors.New(a.Form.Refusal)
	}
	at := reading.Place{Offset: offset}
	if !a.Form.Addressable() {
		if a.Reader, err = a.Form.Records(from, a); err != nil {
			return err
		}
		if at.Streamed = !a.Form.Addressable(); !at.Streamed { // there are members after all
			a.end()
		}
	}
	rec, err := a.Find(at)
	if err != nil {
		return err
	}
	for err == nil && rec.Offset == offset {
		if id == "" || rec.ID.Is(id) {
			return a.write(w, rec)
		}
		if _, err := a.Finish(); err != nil {
			return damaged(rec.Named(err))
		}
		rec, err = a.Next()
	}
	if err := damaged(err); err != nil && err != io.EOF && !IsMissing(err) {
		return err
	}
	return &noRecordError{fmt.Sprintf("no record there has the ID %s; put the archive back as it was", id)}
}

// write writes a record that was found, and makes sure that it is whole.
func (a *Archive) write(w io.Writer, rec *warc.Record) error {
	_, err := io.Copy(w, Content(rec))
	end := "\r\n\r\n"
	switch {
	case rec.Short > 0:
		end = ""
	case !a.Form.IsWARC():
		end = "\n"
	}
	if err == nil {
		_, err = io.WriteString(w, end)
	}
	if err == nil || !input.IsReadError(err) {
		if _, finishErr := a.Finish(); finishErr != nil { // the reason of the other one, if there is one
			err = rec.Named(finishErr)
		}
	}
	return damaged(err)
}

// damaged names damage.
func damaged(err error) error {
	var damage *warc.Damage
	if errors.As(err, &damage) {
		return &DamagedError{damage.Error()}
	}
	return err
}

// writeLine writes the line of a log that begins at an offset of its decompressed text.
func (a *Archive) writeLine(w io.Writer, offset int64) error {
	text, err := a.Log()
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
	for {
		part, err := lines.ReadSlice('\n')
		if _, err := w.Write(part); err != nil {
			return err
		}
		if err == nil || err == io.EOF {
			return nil
		}
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}
