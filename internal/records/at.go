package records

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/cdx"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/reading"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Found is a record at a place, or a line of a log. It is valid during the call that has it, and
// counts only if At returns no error.
type Found struct {
	Type      string // WARC-Type; "arc", "arcinfo", "log"
	ID        string
	URL       string
	Refers    string // what a revisit refers to, as far as it states it
	Truncated string // WARC-Truncated
	Segment   bool   // it is one of several records of one body

	header []byte
	block  io.Reader
	short  func() bool // once the block was read: it is shorter than its header states
}

// NoRecordError is that of a place at which no record begins.
type NoRecordError struct{ Reason string }

func (e *NoRecordError) Error() string { return e.Reason }

// NoArchiveError is that of a file that holds no records.
type NoArchiveError struct{ Reason string }

func (e *NoArchiveError) Error() string { return e.Reason }

// DamagedError is that of a record that is damaged.
type DamagedError struct{ Reason string }

func (e *DamagedError) Error() string { return e.Reason }

// At finds the records at a place that a table names: in an archive, or in an entry of a
// WACZ. Records of one compressed member have one place; f is called for each of them. When ctx
// is done, ctx's error is returned.
func At(ctx context.Context, in facts.Input, entry string, offset int64, stdin io.Reader, f func(*Found) error) error {
	defer warc.ReleaseMemory()
	var from *input.Source
	var at io.ReaderAt
	if in.Path == facts.Stdin {
		src, err := reading.Open(ctx, in, stdin)
		if err != nil {
			return err
		}
		from = input.New(src, nil)
	} else {
		a, err := openPlace(ctx, in, entry)
		if err != nil {
			return err
		}
		defer a.Close()
		at, from = a, input.At(a, 0)
	}
	form, format := reading.Sniff(from, in.Path)
	if err := from.Failed(); err != nil {
		return err
	}
	if at == nil && form.ProofComesLast() {
		file, err := reading.Spool(ctx, from, "")
		if err != nil {
			return err
		}
		defer file.Discard()
		at, from = file, input.At(file, 0)
		form = reading.SniffArchive(from)
	}
	switch {
	case form.Container == warc.ContainerForeign, wacz.IsSkippedPages(entry):
		return lineAt(form, from, offset, f)
	case form.Container == warc.ContainerZip:
		return &NoRecordError{"it is a WACZ; name an entry of it, as in crawl.wacz/archive/data.warc.gz:0"}
	case format != cdx.None:
		return &NoArchiveError{"it is an index or a list, which holds no records; give the archive and the offset " +
			"that a row of it names"}
	case !form.Readable():
		return &NoArchiveError{form.Refusal}
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
			return &NoRecordError{fmt.Sprintf("no record begins at %d", offset)}
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
			return &NoRecordError{fmt.Sprintf("no record begins at %d", offset)}
		}
	}
}

// openPlace opens an archive or an entry of it. The tables percent-encode bytes of names that are
// no UTF-8.
func openPlace(ctx context.Context, in facts.Input, entry string) (*Archive, error) {
	a, err := Open(ctx, in, entry, "")
	var none *NoRecordError
	if raw, unescapeErr := url.PathUnescape(entry); errors.As(err, &none) && unescapeErr == nil && raw != entry {
		return Open(ctx, in, raw, "")
	}
	return a, err
}

// readerAt makes a reader that comes by what begins at an offset.
func readerAt(form warc.Form, from *input.Source, at io.ReaderAt, offset int64) (warc.Reader, error) {
	if !form.Addressable() || at == nil {
		r, err := form.Records(from, at) // which may find that there are members after all
		if err != nil || !form.Addressable() || at == nil {
			return r, err
		}
	}
	return form.RecordsAt(at, offset)
}

// readFound hands a record on, and makes sure that it is whole.
func readFound(r warc.Reader, rec *warc.Record, f func(*Found) error) error {
	found := Found{
		Type: rec.Type, ID: rec.ID.String(), URL: rec.Target, Truncated: rec.Truncated, Segment: rec.SegmentNumber > 0,
		header: bytes.Clone(rec.Raw), block: rec.Block, short: func() bool { return rec.Short > 0 },
	}
	if rec.Type == "revisit" {
		found.Refers = rec.RefersToURI
		if rec.RefersTo != "" {
			found.Refers = rec.RefersTo.String()
		}
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
		return &NoRecordError{fmt.Sprintf("no line of the log begins at %d", offset)}
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

// WriteHeaders writes the record's header and the HTTP head, if it has one.
func (r *Found) WriteHeaders(w io.Writer) error {
	head, _, err := r.head()
	if err == nil {
		_, err = w.Write(append(r.header, head...))
	}
	return err
}

// head reads the HTTP head; none where there is none. The body follows it.
func (r *Found) head() (head []byte, body io.Reader, err error) {
	var is func([]byte) bool
	switch r.Type {
	case "response", "revisit", warc.TypeARC:
		is = httpmsg.IsResponse
	case "request":
		is = func([]byte) bool { return true }
	default:
		return nil, r.block, nil
	}
	head, rest, _, err := httpmsg.ReadHead(r.block, nil, reading.MaxHTTPHead)
	if err != nil {
		return nil, nil, err
	}
	if !is(head) {
		return nil, io.MultiReader(bytes.NewReader(head), bytes.NewReader(rest), r.block), nil
	}
	return head, io.MultiReader(bytes.NewReader(rest), r.block), nil
}

// WritePayload writes the payload with its codings undone: what a browser would have shown. It
// returns what there is to know of that.
func (r *Found) WritePayload(w io.Writer) (remarks []string, err error) {
	head, body, err := r.head()
	if err != nil {
		return nil, err
	}
	stored, remove, err := durable.File("")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if _, err := io.Copy(stored, body); err != nil {
		return nil, err
	}
	h := new(httpmsg.Head)
	if head != nil {
		parsed := httpmsg.ParseResponse(head, nil)
		h = &parsed
	}
	cut := r.short() && r.Type != "log" || r.Truncated != ""
	plain, met, err := httpmsg.DecodeFile(stored, h, cut)
	if err != nil {
		return nil, err
	}
	if plain != stored {
		defer httpmsg.RemoveFile(plain)
	}
	if _, err := plain.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	_, err = io.Copy(w, plain)
	return r.remarks(met, cut), err
}

// remarks lists what is not as it seems about a payload.
func (r *Found) remarks(met httpmsg.Faults, cut bool) (remarks []string) {
	add := func(is bool, remark string) {
		if is {
			remarks = append(remarks, remark)
		}
	}
	add(r.Type == "revisit", "a revisit has no payload of its own; it refers to "+r.Refers)
	add(r.Segment, "the record is a segment: the rest of the payload is in others")
	add(cut || met&httpmsg.FaultCut != 0,
		"the payload is not whole: it was cut when it was stored, or ends before its coding does")
	add(met&httpmsg.FaultFalseChunked != 0,
		"the payload is declared to be chunked, and is not; it is given as it stands")
	add(met&httpmsg.FaultFalseEncoding != 0,
		"the declared Content-Encoding could not be undone; the payload is given as it stands")
	return remarks
}
