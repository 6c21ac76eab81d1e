package ingest

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// container is the outer form of an input, told by its content, never its name.
type container uint8

// The forms that can be read.
const (
	containerUnknown container = iota
	containerEmpty
	containerPlain        // .warc: records one after the other
	containerMembers      // .warc.gz: every record a gzip member of its own
	containerGzip         // one gzip stream around many records
	containerBzip2        // a bzip2 stream
	containerFrames       // .warc.zst: zstd frames
	containerFrame        // one zstd frame around many records
	containerPipe         // records from something that cannot be read twice
	containerZip          // .wacz: a zip file with archives in it
	containerUnsupported  // an archive, but of a form that is not read
	containerNotAnArchive // anything else
	containerCrawlLog     // Heritrix's crawl.log, compressed or not: no archive, but what it did not fetch
)

func (c container) String() string {
	return [...]string{"unknown", "empty", "warc", "warc.gz", "warc in one gzip stream", "warc.bz2",
		"warc.zst", "warc in one zstd frame", "pipe", "wacz",
		"unsupported", "not an archive", "crawl.log"}[c]
}

// addressable reports whether records have offsets in the file.
func (c container) addressable() bool {
	return c == containerPlain || c == containerMembers || c == containerFrames
}

// provenBehind reports whether what tells that records are true, or where they are,
// may come behind them all: the checksum of a stream, the directory of a zip file.
// Such a pipe is copied to the disk.
func (c container) provenBehind() bool {
	switch c {
	case containerGzip, containerBzip2, containerFrames, containerFrame, containerZip:
		return true
	}
	return false
}

// recordReader yields the records of one input in file order.
//
// next returns the next record, whose block is valid until finish; io.EOF at
// the end of the archive; a *damage where the archive is broken. finish reads what
// is left of the record and verifies its end: only then does the record count.
// Its length is in octets of the file, or of the decompressed stream.
//
// After a *damage with more == false the reader has ended.
type recordReader interface {
	next() (*record, error)
	finish() (length int64, err error)
	fingerprint() uint64
}

// damage is a place in an archive where the form ends to be one.
type damage struct {
	kind   facts.IssueKind
	offset int64
	detail string
	id     string // of the record concerned, where its header was read
	more   bool   // the reader stands at a boundary that counts and can go on

	resumed int64         // with more: where it goes on, if octets are skipped; 0: behind the record
	proof   boundaryProof // that a record begins there, where one kind of proof is not all
	action  string        // what is done instead of dropping the record
}

// named names the record that an error concerns, if it is damage at the record's place.
func (r *record) named(err error) error {
	var d *damage
	if errors.As(err, &d) && d.offset == r.offset {
		d.id = r.id
	}
	return err
}

func (d *damage) Error() string { return fmt.Sprintf("%s at %d: %s", d.kind, d.offset, d.detail) }

// source reads an input in order and knows where it stands in it.
type source struct {
	*bufio.Reader
	file *countingReader
}

func newSource(file *countingReader) *source {
	return &source{bufio.NewReaderSize(file, readBuffer), file}
}

// sourceAt reads from the middle of an input.
func sourceAt(at io.ReaderAt, offset int64) *source {
	return newSource(&countingReader{r: io.NewSectionReader(at, offset, math.MaxInt64-offset), n: offset})
}

// position is how many octets of the input have been read.
func (s *source) position() int64 { return s.file.n - int64(s.Buffered()) }

// framing tells records apart in a run of octets.
type framing interface {
	// begins reports whether a record begins with b: the next beginOctets of the
	// run, fewer where it ends.
	begins(b []byte) bool
	// beginsCut reports whether b, all that is left of a file, can be the first
	// octets of a record that was cut.
	beginsCut(b []byte) bool
	// headerEnd finds the end of the header that b begins with, -1 where b holds less.
	// It looks from a line on that line is the start of, and returns the start of
	// the line to look from with more.
	headerEnd(b []byte, line int) (end, next int)
	// parse reads the fields of a header. Its contentLength is -1 where it does not
	// say how long the block is. The header before it may have the same strings.
	parse(header []byte, before *recordHeader) recordHeader
}

// warcFraming is that of WARC 1.1 §4.
type warcFraming struct{}

func (warcFraming) begins(b []byte) bool    { return isWARC(b) }
func (warcFraming) beginsCut(b []byte) bool { return isPrefixOf(b, warcMagic) }

// headerEnd finds the empty line.
func (warcFraming) headerEnd(b []byte, line int) (end, next int) {
	for {
		n := bytes.IndexByte(b[line:], '\n')
		if n < 0 {
			return -1, line
		}
		empty := isEmptyLine(b[line : line+n])
		line += n + 1
		if empty {
			return line, line
		}
	}
}

// isEmptyLine reports whether a line holds nothing before its LF but one CR, or two:
// there are writers and servers that put CR before a CRLF.
func isEmptyLine(line []byte) bool {
	switch len(line) {
	case 0:
		return true
	case 1, 2:
		return line[0] == '\r' && line[len(line)-1] == '\r'
	}
	return false
}

func (warcFraming) parse(header []byte, before *recordHeader) recordHeader {
	return parseRecordHeader(header, before)
}

// isPrefixOf reports whether s begins with b, in any case, and goes on.
func isPrefixOf(b []byte, s string) bool {
	return len(b) < len(s) && bytes.EqualFold(b, []byte(s[:len(b)]))
}

// codec is a compression whose members stand on their own: gzip members, zstd
// frames.
type codec interface {
	// members reads the members of src, from where it stands.
	members(src *source) memberStream
	// find returns the first place in b where a member may begin, -1 where there is
	// none. The last octets of b may be too few to tell, and are none.
	find(b []byte) int
}

// memberStream decompresses members one after the other.
type memberStream interface {
	// next starts the next member, past padding that belongs to none; io.EOF where
	// the input ends, errNoMember where something else begins.
	next() error
	// Read yields the member's content, and io.EOF at its end once its checksum and
	// length have matched: offset is then right behind it.
	content
	// start is where the member begins, or where next found none.
	start() int64
	offset() int64
	// sum is a checksum of the content read, for the input's fingerprint.
	sum() uint32
}

// errNoMember is the error of octets where a member should begin.
var errNoMember = errors.New("no member begins here")

// The first octets of the forms.
var (
	magicGzip     = []byte{0x1f, 0x8b}
	magicBzip2    = []byte("BZh")
	magicZip      = []byte("PK\x03\x04")
	magicEmptyZip = []byte("PK\x05\x06")
)

// format is the form of an input, as far as its first octets tell.
type format struct {
	container
	framing framing
	codec   codec           // of members and frames
	refusal string          // why the input is not read, and what to do about it
	kind    facts.IssueKind // of the refusal
}

// String is the container's name, that of ARC records included.
func (a format) String() string {
	if a.framing == (arcFraming{}) {
		return strings.Replace(a.container.String(), "warc", "arc", 1)
	}
	return a.container.String()
}

// readable reports whether there are records to read.
func (a format) readable() bool { return a.refusal == "" }

// reader reads the records of src, which at reads at random; at may be nil where
// the input can be read but once.
func (a *format) reader(src *source, at io.ReaderAt) (recordReader, error) {
	switch {
	case a.container == containerMembers, a.container == containerFrames && at != nil:
		return newMemberReader(a.codec, a.framing, src, at), nil
	case a.container == containerPlain && at != nil:
		return newPlainReader(a.framing, src, at), nil
	case a.container == containerGzip && at != nil, a.container == containerFrame && at != nil:
		return a.sharedReader(src, at)
	case a.container == containerBzip2 && at != nil:
		return a.bzip2Reader(src, at)
	case at == nil:
		a.container = containerPipe
	}
	return newStreamReader(*a, src)
}

// sharedReader picks the reader for a file whose first member holds several records: it
// is the only one, or one of many. Looking for its end tells whether its checksum matches,
// too, before anything in it counts.
//
// Of a stream that does not match, no record counts. Its block may match its digest, but
// that says nothing of its header, and neither does another record that names the same
// URL and date: where one header repeats another the stream has them but once, so that
// one wrong bit alters both alike.
func (a *format) sharedReader(src *source, at io.ReaderAt) (recordReader, error) {
	several := newMemberReader(a.codec, a.framing, src, at)
	end, size, err := verifyMember(a.codec, at, 0)
	if isReadError(err) {
		return nil, err
	}
	if err == nil {
		if a.codec.members(sourceAt(at, end)).next() == io.EOF {
			return newStreamReader(*a, src)
		}
		a.container = a.several()
		return several, nil
	}
	d := &damage{kind: facts.IssueDamagedMember}
	if errors.Is(err, io.ErrUnexpectedEOF) && !(a.container == containerGzip && missesItsEnd(at, end, size)) {
		d.kind = facts.IssueTruncatedRecord
	}
	if behind, err := several.search.behind(d, nil); behind >= 0 || err != nil {
		a.container = a.several()
		return several, err
	}
	r, openErr := newStreamReader(*a, src)
	if openErr != nil {
		return nil, openErr
	}
	if d.kind == facts.IssueTruncatedRecord { // a stream that was cut short is right up to there
		r.trust, r.proof = facts.TrustResynced, proofFraming
	} else {
		r.waiting = r.tap.fail(facts.IssueDamagedStream, damageReason(err)+" in the stream, and nothing else proves the headers of its records")
	}
	return r, nil
}

// missesItsEnd reports whether a file that seems to break off at end, size octets into its
// content, is a whole gzip stream that is damaged: its last four octets give about that
// length (RFC 1952 §2.3.1). Those of a file that was cut short are any number.
func missesItsEnd(at io.ReaderAt, end, size int64) bool {
	const trailer = 8
	from := max(0, end-trailer)
	tail, err := io.ReadAll(io.NewSectionReader(at, from, math.MaxInt64-from))
	if err != nil || len(tail) < trailer {
		return false
	}
	length := binary.LittleEndian.Uint32(tail[len(tail)-4:])
	difference := int64(int32(length - uint32(size)))
	return -maxMissedEnd < difference && difference < maxMissedEnd
}

// several is the container of a file that has more than one member.
func (a *format) several() container {
	if a.container == containerFrame {
		return containerFrames
	}
	return containerMembers
}

// bzip2Reader reads a bzip2 file. Its blocks have checksums that are compared only
// when their content has been handed on, and one wrong bit makes other records of
// it: so it is decompressed twice, and read up to the first block that does not match.
func (a *format) bzip2Reader(src *source, at io.ReaderAt) (recordReader, error) {
	whole, err := verifyBzip2(sourceAt(at, 0))
	if isReadError(err) {
		return nil, err
	}
	r, openErr := newStreamReader(*a, src)
	if openErr == nil && err != nil {
		plain := io.LimitReader(r.tap.in, whole)
		r.tap.in = newBuffered(io.MultiReader(plain, failing{err}))
	}
	return r, openErr
}

// verifyBzip2 decompresses a bzip2 stream and returns how many octets lie in blocks
// that match their checksums, up to the first that does not, and what stands there.
func verifyBzip2(src io.Reader) (whole int64, err error) {
	in := &sticky{r: bzip2.NewReader(src)}
	buf := make([]byte, readBuffer)
	ended := false // a read that is not filled ends a block
	for n := int64(0); ; {
		m, err := in.Read(buf)
		switch {
		case err == io.EOF:
			return n, nil
		case err == io.ErrUnexpectedEOF, err == errNoMember: // of the next block
			return n, err
		case err != nil:
			return whole, err
		case ended: // this is the next block, and the one before has matched
			whole = n
		}
		n += int64(m)
		ended = m < len(buf)
	}
}

// failing is a reader that ends with an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// sniff tells the form of an input by its first octets. Of src it reads no more
// than a dictionary, which no record can be read without.
func sniff(src *source) format {
	b, _ := src.Peek(sniffBytes)
	switch {
	case len(b) == 0:
		return format{container: containerEmpty, kind: facts.IssueEmptyFile, refusal: "the file is empty; leave it out, or fetch it again"}
	case bytes.HasPrefix(b, magicGzip):
		return sniffGzip(b)
	case bytes.HasPrefix(b, magicBzip2):
		return sniffStream(containerBzip2, bzip2.NewReader(bytes.NewReader(b)))
	case bytes.HasPrefix(b, magicZstd), isSkippable(b):
		return sniffZstd(src)
	case bytes.HasPrefix(b, magicZip), bytes.HasPrefix(b, magicEmptyZip):
		return format{container: containerZip}
	}
	if a := sniffPlain(b, containerPlain); a.readable() {
		return a
	}
	if a := sniffDamaged(b, gzipCodec{}); a.readable() {
		return a
	}
	return sniffDamagedFrames(b)
}

// sniffPlain looks at the first octets of uncompressed content.
func sniffPlain(b []byte, c container) format {
	b = bytes.TrimLeft(b, "\r\n")
	if isCrawlLog(b) {
		return format{container: containerCrawlLog}
	}
	for _, f := range [...]framing{warcFraming{}, arcFraming{}} {
		if f.begins(b) {
			return format{container: c, framing: f}
		}
	}
	return notAnArchive
}

// sniffStream looks at the first octets of a compressed stream.
func sniffStream(c container, r io.Reader) format {
	start, _ := bufio.NewReaderSize(r, beginOctets).Peek(beginOctets)
	if len(start) == 0 { // damage that the reader will name
		return format{container: c, framing: warcFraming{}}
	}
	return sniffPlain(start, c)
}

// sniffGzip tells an archive whose first gzip member holds one record, or none,
// from one that may be a single stream around all of them.
func sniffGzip(b []byte) format {
	in := gzipCodec{}.members(sourceAt(bytes.NewReader(b), 0))
	defer release(in)
	if in.next() != nil {
		return sniffDamaged(b, gzipCodec{})
	}
	br := newBuffered(io.LimitReader(in, sniffMember))
	start, _ := br.Reader.Peek(4 << 10)
	a := format{container: containerMembers, framing: warcFraming{}, codec: gzipCodec{}}
	if len(start) == 0 { // an empty member, or damage that the reader will name
		a.framing = framingOf(b, a.codec)
		return a
	}
	found := sniffPlain(start, containerMembers)
	if !found.readable() {
		if _, err := io.Copy(io.Discard, in); err != nil { // it may be damaged
			return sniffDamaged(b, gzipCodec{})
		}
		return found
	}
	if found.framing == nil { // a log
		return found
	}
	a.framing = found.framing
	if holdsSeveral(br, a.framing) {
		a.container = containerGzip
	}
	return a
}

// sniffDamaged looks for the container of a file whose first octets are none, or
// damaged: a member of a codec follows that begins as a record does.
func sniffDamaged(b []byte, c codec) format {
	for at, tries := 1, 0; at < len(b) && tries < 16; tries++ {
		n := c.find(b[at:])
		if n < 0 {
			break
		}
		at += n + 1
		in := c.members(sourceAt(bytes.NewReader(b[at-1:]), 0))
		if in.next() != nil {
			continue
		}
		if found := sniffStream(containerMembers, in); found.readable() && found.framing != nil {
			found.codec = c
			return found
		}
	}
	return notAnArchive
}

// framingOf tells the framing of an archive whose first member is empty, or damaged
// from its first octets on.
func framingOf(b []byte, c codec) framing {
	if found := sniffDamaged(b, c); found.framing != nil {
		return found.framing
	}
	return warcFraming{}
}

var notAnArchive = format{container: containerNotAnArchive, kind: facts.IssueNotAnArchive,
	refusal: "it is no archive: it begins neither with a WARC or ARC record nor as a compressed archive; leave it out"}

// holdsSeveral reports whether another record follows the first one in a member.
func holdsSeveral(in content, f framing) bool {
	header, err := readHeader(f, in)
	if err != nil {
		return false
	}
	h := f.parse(header, nil)
	if h.contentLength < 0 {
		return false
	}
	if _, err := in.Discard(h.contentLength); err != nil {
		return false
	}
	skipNewlines(in)
	return f.begins(beginning(in))
}

// chain is the fingerprint of an input: CRC-32C over the CRC and length of every
// member, or over every record's header, as verified.
type chain struct {
	sum uint64
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (c *chain) add(b []byte) {
	low := crc32.Update(uint32(c.sum), castagnoli, b)
	high := crc32.Update(uint32(c.sum>>32), crc32.IEEETable, b)
	c.sum = uint64(high)<<32 | uint64(low)
}

// countingReader counts what is read from a file. After a failure it reads no more,
// so that a failure that a buffer has swallowed is met again.
type countingReader struct {
	r io.Reader
	n int64
	// progress is told of every read.
	progress func(int)
	failed   error
}

func (c *countingReader) Read(p []byte) (int, error) {
	if c.failed != nil {
		return 0, c.failed
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.progress != nil {
		c.progress(n)
	}
	if err != nil && err != io.EOF {
		err = &readError{err}
		c.failed = err
	}
	return n, err
}

// readError is a failure of the disk or the network below an input, as opposed to
// damage in it: the input has failed, and is tried again next time.
type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }
func (e *readError) Unwrap() error { return e.err }
