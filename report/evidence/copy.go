package evidence

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/reading"
	"github.com/robotsaudit/robotsaudit/internal/records"
)

// copier copies records of archives into a bundle, in the order of their places.
type copier struct {
	out     io.Writer
	gzip    *gzip.Writer
	member  *member
	archive *records.Archive
	newest  string // date for records that have none
}

// copy copies the record at a place. A gzip member that holds it and nothing else is copied
// as it stands; any other record becomes a member of its own.
func (c *copier) copy(at reading.Place, r *record) error {
	rec, err := c.archive.Find(at)
	if err != nil {
		return err
	}
	r.name(&rec.Header)
	r.Offset, r.Resynced = rec.Offset, r.Resynced || rec.Resynced
	form := c.archive.Form
	isWARC := form.IsWARC()
	hasMembers := form.Container == warc.ContainerMembers || form.Container == warc.ContainerGzip
	if isWARC && hasMembers && !at.Streamed {
		copied, err := c.copyMember(rec, r)
		if copied || err != nil {
			return err
		}
		if rec, err = c.archive.Find(at); err != nil {
			return err
		}
	}
	if isWARC {
		err = c.write(r, nil, records.Content(rec), "\r\n\r\n", rec)
	} else {
		err = c.wrap(r, int64(len(rec.Raw))+rec.ContentLength, records.Content(rec))
	}
	if err != nil {
		return err
	}
	r.Length, err = c.archive.Finish()
	return rec.Named(err)
}

// name takes the fields that a header has on its record.
func (r *record) name(h *warc.Header) {
	r.Type, r.ID, r.Date, r.URL = h.Type, h.ID.String(), h.Date, h.Target
}

// copyMember copies the member that holds a record and nothing else. It reports false where
// there is none.
func (c *copier) copyMember(rec *warc.Record, r *record) (copied bool, err error) {
	size := int64(len(rec.Raw)) + rec.ContentLength
	if r.Length, err = c.archive.Finish(); err != nil {
		return false, rec.Named(err)
	}
	if rec.Overrun {
		size = -1
	} else {
		size -= rec.Short
	}
	c.member.src.Reset(io.NewSectionReader(c.archive, r.Offset, r.Length))
	in := c.member
	if in.next() != nil || in.read(io.Discard, io.Discard, size, false) != nil || !in.isLast() {
		return false, nil
	}
	r.Size, r.SHA256 = in.size, in.sum()
	_, err = io.Copy(c.out, io.NewSectionReader(c.archive, r.Offset, r.Length))
	return true, err
}

// write writes a record as a member. The sum is that of content, what stands before it not
// included.
func (c *copier) write(r *record, before []byte, content io.Reader, end string, rec *warc.Record) error {
	sum := sha256.New()
	c.gzip.Reset(c.out)
	if _, err := c.gzip.Write(before); err != nil {
		return err
	}
	n, err := io.Copy(io.MultiWriter(c.gzip, sum), content)
	if err != nil {
		return err
	}
	r.Size, r.SHA256 = n, hex.EncodeToString(sum.Sum(nil))
	if rec == nil || rec.Short == 0 {
		_, err = io.WriteString(c.gzip, end)
	}
	return errors.Join(err, c.gzip.Close())
}

// Media types of contents that are no WARC record.
const (
	arcType = "application/x-internet-archive" // an ARC record: its header line and its body
	logType = "text/plain"                     // a line of a crawler's log
)

// wrap writes an ARC record, or a line of a log, as the block of a WARC record.
func (c *copier) wrap(r *record, size int64, content io.Reader) error {
	r.Wrapped = true
	return c.write(r, r.wrapper(c.newest, size), content, "\r\n\r\n", nil)
}

// wrapper is the header of the WARC record around r.
func (r *record) wrapper(newest string, size int64) []byte {
	kind, contentType := "conversion", arcType
	if r.Type == facts.TypeLogLine.String() {
		kind, contentType = "resource", logType
	}
	date := newest
	if t, _, ok := facts.ParseARCDate(r.Date); ok {
		date = warcDate(t)
	}
	name := fmt.Sprintf("%d:%d:%d", r.Archive, r.Index, r.Offset)
	url := r.URL
	isOdd := func(c rune) bool { return c <= ' ' || c > '~' || c == '<' || c == '>' }
	if !strings.Contains(url, ":") || strings.ContainsFunc(url, isOdd) { // it cannot stand in a header as it is
		url = "urn:robotsaudit:record:" + name
	}
	return header(kind, uuidOf(name, r.URL, r.Date), date, url, "", contentType, size)
}

const warcDateLayout = "2006-01-02T15:04:05Z"

func warcDate(t facts.Time) string { return t.UTC().Format(warcDateLayout) }

// uuidOf makes a URN of what it stands for: equal texts give equal URNs.
func uuidOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // RFC 9562 §5.8
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// member reads gzip members, each with one record of the bundle.
type member struct {
	src  *bufio.Reader
	gzip *gzip.Reader
	in   *bufio.Reader // of its content
	hash hash.Hash
	size int64 // of what counts

	wrapper []byte       // header of the record whose block holds the one that is read
	begin   prefixWriter // its first bytes: its header, if it has one
}

func newMember(src *bufio.Reader) *member {
	return &member{
		src: src, in: bufio.NewReaderSize(nil, 128<<10), hash: sha256.New(),
		begin: prefixWriter{limit: warc.MaxRecordHeader},
	}
}

// prefixWriter keeps the first bytes that are written.
type prefixWriter struct {
	b     []byte
	limit int
}

func (p *prefixWriter) Write(b []byte) (int, error) {
	p.b = append(p.b, b[:min(len(b), p.limit-len(p.b))]...)
	return len(b), nil
}

var (
	errBehindRecord = errors.New("bytes stand after its record")
	errShortRecord  = errors.New("it is too short")
)

// next begins the next member. io.EOF: there is none.
func (m *member) next() (err error) {
	if m.gzip == nil {
		m.gzip, err = gzip.NewReader(m.src)
	} else {
		err = m.gzip.Reset(m.src)
	}
	if err != nil {
		return err
	}
	m.gzip.Multistream(false)
	m.in.Reset(m.gzip)
	return nil
}

// read copies a record to out: size bytes, or all of the member where size is negative. Only line ends may
// follow it; they go to ends. A record that is wrapped is the block of the one in the member.
func (m *member) read(out, ends io.Writer, size int64, wrapped bool) error {
	m.hash.Reset()
	m.begin.b = m.begin.b[:0]
	if wrapped {
		if err := m.skipHeader(); err != nil {
			return err
		}
	}
	counts := io.Reader(m.in)
	if size >= 0 {
		counts = io.LimitReader(m.in, size)
	}
	var err error
	if m.size, err = io.Copy(io.MultiWriter(out, m.hash, &m.begin), counts); err != nil {
		return err
	}
	if m.size < size {
		return errShortRecord
	}
	var rest [16]byte
	n, err := io.ReadFull(m.in, rest[:])
	switch {
	case err == nil, len(bytes.Trim(rest[:n], "\r\n")) > 0:
		return errBehindRecord
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		return err
	}
	if _, err := m.gzip.Read(rest[:]); err != io.EOF { // else the member broke off
		return cmp.Or(err, errBehindRecord)
	}
	_, err = ends.Write(rest[:n])
	return err
}

// skipHeader reads up to the block of a record.
func (m *member) skipHeader() error {
	m.wrapper = m.wrapper[:0]
	for {
		line, err := m.in.ReadSlice('\n')
		if err == io.EOF {
			err = errShortRecord
		}
		if err == nil && len(m.wrapper)+len(line) > maxWrapper {
			err = bufio.ErrBufferFull
		}
		if err != nil {
			return err
		}
		m.wrapper = append(m.wrapper, line...)
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return nil
		}
	}
}

// maxWrapper bounds the header of a record around another: it has the URL, of 64 KiB at most.
const maxWrapper = 128 << 10

// isLast reports whether nothing follows the member.
func (m *member) isLast() bool {
	_, err := m.src.Peek(1)
	return err == io.EOF
}

func (m *member) sum() string { return hex.EncodeToString(m.hash.Sum(nil)) }
