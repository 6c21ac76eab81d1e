package cdx

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/robotsaudit/robotsaudit/internal/archive/inflate"
)

const (
	// maxRow is the longest row, in bytes, and maxRobotsRow the longest with a body. A longer one is a Fault.
	maxRow       = 1 << 20
	maxRobotsRow = 16 << 20

	// heldMember is how much of a gzip member is held until its checksum was verified. What is
	// longer is inflated twice. Members of ZipNum clusters have about a megabyte.
	heldMember = 2 << 20
)

// contentError is a defect of content, as opposed to an error of reading it.
type contentError struct {
	detail string
}

func (e *contentError) Error() string { return e.detail }

// openSource returns the text of an index, and whether it is compressed.
func openSource(r io.Reader) (text io.Reader, compressed bool, err error) {
	br := bufio.NewReaderSize(r, 64<<10)
	begin, err := br.Peek(3)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	if !isGzip(begin) {
		return br, false, nil
	}
	g := &gzipReader{src: r, in: inflate.NewReader(br)}
	if g.seeker, _ = r.(io.Seeker); g.seeker != nil {
		at, err := g.seeker.Seek(0, io.SeekCurrent)
		if err != nil { // a pipe is a file that cannot seek
			g.seeker = nil
		}
		g.start = at - int64(br.Buffered())
	}
	return g, true, nil
}

func isGzip(b []byte) bool { return bytes.HasPrefix(b, []byte{0x1f, 0x8b, 8}) }

// gzipReader reads the content of gzip members, each only after it was verified.
type gzipReader struct {
	src    io.Reader
	seeker io.Seeker // nil if src cannot be read twice
	start  int64     // where in is at offset 0
	in     *inflate.Reader

	held    []byte // of the member in hand: verified, or the beginning of one that is not
	left    []byte // of held, not yet read
	inside  bool   // after held, the member goes on
	unsure  bool   // and cannot be verified before it is read
	problem error  // after left
	line    []byte // the last line that was read, as far as it has come
	divided bool   // that line began in a member before, and is not kept
}

func (g *gzipReader) Read(p []byte) (int, error) {
	for len(g.left) == 0 {
		if g.problem != nil {
			return 0, g.problem
		}
		if !g.inside {
			g.problem = g.next()
			continue
		}
		n, err := g.in.Read(p)
		if n > 0 {
			g.remember(p[:n])
			return n, nil
		}
		if g.inside = false; err != io.EOF {
			g.problem = g.failure(err)
		}
	}
	n := copy(p, g.left)
	g.remember(g.left[:n])
	g.left = g.left[n:]
	return n, nil
}

// remember keeps the line in which what was read ends.
func (g *gzipReader) remember(b []byte) {
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		g.line, b, g.divided = g.line[:0], b[i+1:], false
	}
	if g.divided {
		return
	}
	g.line = append(g.line, b[:min(len(b), maxRow-len(g.line))]...)
}

// lastLine is the line in which a text ends, as far as it has come.
func lastLine(text []byte) []byte { return text[bytes.LastIndexByte(text, '\n')+1:] }

// lacksLineEnd reports whether a member of a ZipNum cluster ended without a line end: the line
// before, and the first one of the next member, are separate rows. Members that divide a line are
// joined, as gzip requires.
func lacksLineEnd(before, behind []byte) bool {
	if i := bytes.IndexByte(behind, '\n'); i >= 0 {
		behind = behind[:i]
	}
	if isLikeCDX(before) && isLikeCDX(behind) {
		return true
	}
	row := noRow
	whole, fault := new(cdxjLines).parse(before, &row)
	_, _, begins := cutCDXJ(string(behind[:min(len(behind), maxRow)]))
	return whole && fault == "" && begins
}

// next begins a member, and verifies it.
func (g *gzipReader) next() error {
	if err := g.in.SkipZeros(); err != nil {
		return g.failure(err)
	}
	at := g.start + g.in.Offset()
	if err := g.in.NextMember(); err == io.EOF {
		return err
	} else if err != nil {
		return g.failure(err)
	}
	if g.held == nil {
		g.held = make([]byte, heldMember)
	}
	g.held[0] = '\n' // in case that it is missing
	n, err := io.ReadFull(g.in, g.held[1:])
	from := 1
	if len(g.line) > 0 {
		if lacksLineEnd(g.line, g.held[1:1+n]) {
			from = 0
		} else {
			g.line, g.divided = nil, true
		}
	}
	left := g.held[from : 1+n]
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF && g.ended():
		g.left = left
		return nil
	case err == io.ErrUnexpectedEOF:
		g.left = left
		return g.failure(err)
	case err != nil:
		return g.failure(err)
	}
	g.left, g.inside = left, true
	if g.seeker == nil {
		g.unsure = true
		return nil
	}
	if _, err := io.Copy(io.Discard, g.in); err != nil && err != io.ErrUnexpectedEOF {
		g.left, g.inside = nil, false
		return g.failure(err)
	}
	if _, err := g.seeker.Seek(at, io.SeekStart); err != nil {
		return err
	}
	g.start = at
	g.in.Reset(g.src)
	if err := g.in.NextMember(); err != nil {
		return g.failure(err)
	}
	g.left = g.held[from:1]
	return nil
}

// ended reports whether the member ended, after io.ReadFull said io.ErrUnexpectedEOF: that is its
// word for a member shorter than the buffer, and the inflater's for one that was cut.
func (g *gzipReader) ended() bool {
	_, err := g.in.Peek(1)
	return err == io.EOF
}

// failure is the error of the source, or the defect of the content.
func (g *gzipReader) failure(err error) error {
	detail := ""
	switch damage := (*inflate.DamageError)(nil); {
	case err == io.ErrUnexpectedEOF:
		detail = "the compressed file was cut short; rows up to there count"
	case errors.As(err, &damage):
		detail = "the compressed file is damaged: " + err.Error()
		if g.unsure {
			detail += "; of the rows before it, any may be wrong"
		}
	default:
		return err
	}
	return &contentError{detail}
}

// A Splitter divides a text into rows of bounded length: lines, records of CSV, or elements of a JSON array.
type Splitter struct {
	br     *bufio.Reader
	packed bool // offsets are not places in the file
	max    int  // bytes of the longest row

	row    []byte
	Number int64 // of the row in hand, from 1; of lines, that of its first
	Offset int64
	Length int64 // with its end
	lines  int64 // in the row
	Long   bool  // the row is longer than may be, and cut
}

// NewSplitter returns a Splitter of rows of at most so many bytes.
func NewSplitter(text io.Reader, most int) *Splitter {
	return &Splitter{br: bufio.NewReaderSize(text, 64<<10), max: most, Number: 1}
}

// maxRowOf is the longest row of a format, in bytes.
func maxRowOf(f Format) int {
	if f == RobotsList {
		return maxRobotsRow
	}
	return maxRow
}

func (s *Splitter) at() int64 {
	if s.packed {
		return -1
	}
	return s.Offset
}

func (s *Splitter) begin() {
	s.Offset += s.Length
	s.Number += s.lines
	s.row, s.Length, s.lines, s.Long = s.row[:0], 0, 0, false
}

// add adds to the row in hand as much as there is room for.
func (s *Splitter) add(part []byte) {
	s.Length += int64(len(part))
	if room := s.max - len(s.row); len(part) > room {
		part, s.Long = part[:room], true
	}
	s.row = append(s.row, part...)
}

// Line returns the next line, without its end. It returns io.EOF after the last, and nothing of
// a line that damage breaks off. The line is valid until the next call.
func (s *Splitter) Line() ([]byte, error) {
	s.begin()
	part, err := s.br.ReadSlice('\n')
	if err == nil && len(part) <= s.max { // it needs no copy
		s.Length, s.lines = int64(len(part)), 1
		return bytes.TrimRight(part, "\r\n"), nil
	}
	if err := s.addFrom(part, err); err != nil {
		return nil, err
	}
	return bytes.TrimRight(s.row, "\r\n"), nil
}

// addFrom adds a line whose first part is read.
func (s *Splitter) addFrom(part []byte, err error) error {
	for size := 0; ; part, err = s.br.ReadSlice('\n') {
		s.add(part)
		size += len(part)
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && size > 0, err == nil:
			s.lines++
			return nil
		}
		return err
	}
}

// record returns the next record of CSV, which may have line ends between quotes.
func (s *Splitter) record() ([]byte, error) {
	s.begin()
	for quotes, from := 0, 0; ; {
		part, err := s.br.ReadSlice('\n')
		err = s.addFrom(part, err)
		if err == io.EOF && s.Length > 0 { // inside quotes
			s.Long = true
		} else if err != nil {
			return nil, err
		}
		quotes += bytes.Count(s.row[from:], []byte{'"'})
		if from = len(s.row); quotes%2 == 0 || s.Long {
			return bytes.TrimRight(s.row, "\r\n"), nil
		}
	}
}

// element returns the next element of a JSON array that is an array or object itself. Other values
// and separators are passed over. It returns io.EOF after the end of the array.
func (s *Splitter) element() ([]byte, error) {
	s.begin()
	depth, quoted, escaped := 0, false, false
	for {
		if _, err := s.br.Peek(1); err != nil {
			if err == io.EOF && depth > 0 {
				err = &contentError{"the file ends inside a row"}
			}
			return nil, err
		}
		buffered, _ := s.br.Peek(s.br.Buffered())
		from := 0
		for i, c := range buffered {
			switch {
			case escaped:
				escaped = false
			case quoted:
				quoted, escaped = c != '"', c == '\\'
			case c == '"':
				quoted = true
			case c == ']' && depth == 0:
				return nil, io.EOF
			case c == '[', c == '{':
				if depth++; depth == 1 {
					from = i
					s.Offset += s.Length + int64(i)
					s.Length, s.lines = 0, 1
				}
			case c == ']', c == '}':
				if depth = max(depth-1, 0); depth == 0 && s.lines > 0 {
					s.add(buffered[from : i+1])
					_, err := s.br.Discard(i + 1)
					return s.row, err
				}
			}
		}
		if depth > 0 {
			s.add(buffered[from:])
		} else {
			s.Length += int64(len(buffered))
		}
		if _, err := s.br.Discard(len(buffered)); err != nil {
			return nil, err
		}
	}
}

func (s *Splitter) fault() string {
	switch {
	case s.lines > 1 && s.Long:
		return fmt.Sprintf("a quote opens in it and does not close: lines %d to %d are lost", s.Number,
			s.Number+s.lines-1)
	case s.Long:
		return fmt.Sprintf("it is longer than %d bytes", s.max)
	}
	return ""
}

type textReader struct {
	format Format
	split  *Splitter
	next   func() ([]byte, error) // of the splitter
	// parse sets the fields of a row. It reports whether there is one, and its defect.
	parse func(text []byte, row *Row) (ok bool, fault string)
	ended bool
	log   *accessLog // nil: it is none

	objects *objects // JSON lines of a list or table; nil: it is none
}

func (r *textReader) Format() Format  { return r.format }
func (r *textReader) Parts() int      { return 1 }
func (r *textReader) Begin(int)       {}
func (r *textReader) Another() Reader { return nil }
func (r *textReader) Rows() int64     { return 0 }

func (r *textReader) Next(row *Row) error {
	for !r.ended {
		text, err := r.next()
		if err == io.EOF {
			r.ended = true
			break
		}
		if err != nil {
			if c := (*contentError)(nil); errors.As(err, &c) {
				r.ended = true
				err = &Fault{Line: r.split.Number, Offset: r.split.at(), Rest: true, Detail: c.detail}
			}
			return err
		}
		*row = noRow
		row.Line, row.At = r.split.Number, r.split.at()
		ok, fault := false, r.split.fault()
		if fault == "" {
			if ok, fault = r.parse(text, row); ok && fault == "" {
				if fault = row.finish(r.format); fault != "" && r.objects != nil {
					fault += r.objects.advice()
				}
			}
		}
		if fault != "" {
			return &Fault{Line: row.Line, Offset: row.At, NoLoss: isForeign(fault), Detail: fault}
		}
		if ok {
			return nil
		}
	}
	return io.EOF
}

func openText(f Format, r io.Reader, opt FormatOptions) (Reader, error) {
	text, compressed, err := openSource(r)
	if err != nil {
		return nil, err
	}
	br := bufio.NewReaderSize(text, 64<<10) // which is text itself, if it is such a one
	text = br
	if mark, _ := br.Peek(2); string(mark) == "\xff\xfe" || string(mark) == "\xfe\xff" { // of UTF-16
		text, compressed = transform.NewReader(br, unicode.BOMOverride(transform.Nop)), true
	}
	if begin, _ := br.Peek(len(parquetMagic)); (compressed || opt.Packed) && IsParquet(begin) {
		return nil, errors.New("it is a Parquet file that was compressed as a whole: decompress it first; Parquet has " +
			"compressions of its own")
	}
	split := NewSplitter(text, maxRowOf(f))
	split.packed = compressed || opt.Packed
	t := &textReader{format: f, split: split}
	begin, err := t.begin()
	if err != nil {
		return nil, err
	}
	t.next = t.split.Line
	if begin == '[' { // of an array of all rows
		if _, err := t.split.br.Discard(1); err != nil {
			return nil, err
		}
		t.split.Length = 1
		t.next = t.split.element
	}
	switch {
	case f == CDX:
		t.parse = new(cdxLines).parse
	case f == CDXJ:
		t.parse = new(cdxjLines).parse
	case f == AccessLog:
		log, err := newAccessLog(opt.AccessLog)
		if err != nil {
			return nil, err
		}
		t.log, t.parse = log, log.parse
	case f == CDXServer && begin == '[':
		t.parse = new(serverRows).parse
	case f == CDXServer:
		t.parse = (&objects{columnNames: captureNames}).parse
	default:
		named, err := parseColumns(opt.Columns)
		if err != nil {
			return nil, err
		}
		columns := columnsOf(f).with(named)
		if begin != '{' && begin != '[' {
			return t, t.openCSV(columns)
		}
		t.objects = &objects{columnNames: *columns}
		t.parse = t.objects.parse
	}
	return t, nil
}

// byteOrderMark stands before text that some programs write.
var byteOrderMark = []byte("\xef\xbb\xbf")

// begin passes a byte order mark and white space, and returns the first byte after them.
func (r *textReader) begin() (byte, error) {
	if b, _ := r.split.br.Peek(len(byteOrderMark)); bytes.Equal(b, byteOrderMark) {
		if _, err := r.split.br.Discard(len(byteOrderMark)); err != nil {
			return 0, err
		}
		r.split.Length = int64(len(byteOrderMark))
	}
	if r.format != CDXServer && r.format != URLList && r.format != RobotsList { // the delimiter of CDX may be a space
		return 0, nil
	}
	for {
		b, err := r.split.br.Peek(1)
		if err != nil && err != io.EOF {
			if c := (*contentError)(nil); errors.As(err, &c) {
				return 0, nil // for Next to report
			}
			return 0, err
		}
		if len(b) == 0 {
			return 0, nil
		}
		if b[0] > ' ' {
			return b[0], nil
		}
		if b[0] == '\n' {
			r.split.Number++
		}
		if _, err := r.split.br.Discard(1); err != nil {
			return 0, err
		}
		r.split.Length++
	}
}
