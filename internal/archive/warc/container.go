package warc

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Container is the outer form of an input. Content decides it, never the name.
type Container uint8

// The forms that can be read.
const (
	containerUnknown Container = iota
	containerEmpty
	ContainerPlain        // .warc: records one after the other
	ContainerMembers      // .warc.gz: every record a gzip member of its own
	ContainerGzip         // one gzip stream around many records
	containerBzip2        // a bzip2 stream
	containerFrames       // .warc.zst: zstd frames
	containerFrame        // one zstd frame around many records
	containerPipe         // records from something that cannot be read twice
	ContainerZip          // .wacz: a zip file with archives in it
	containerUnsupported  // an archive, but of a form that is not read
	containerNotAnArchive // anything else
	ContainerForeign      // no archive, compressed or not, but what the caller knows
)

func (c Container) String() string {
	return [...]string{
		"unknown", "empty", "warc", "warc.gz", "warc in one gzip stream", "warc.bz2",
		"warc.zst", "warc in one zstd frame", "pipe", "wacz",
		"unsupported", "not an archive", "foreign",
	}[c]
}

// Addressable reports whether records have offsets in the file.
func (c Container) Addressable() bool {
	return c == ContainerPlain || c == ContainerMembers || c == containerFrames
}

// ProofComesLast reports whether the proof of records, or of their places, may follow
// them all: the checksum of a stream, the directory of a zip file. Such a pipe is
// copied to the disk.
func (c Container) ProofComesLast() bool {
	switch c {
	case ContainerGzip, containerBzip2, containerFrames, containerFrame, ContainerZip:
		return true
	}
	return false
}

// Reader yields the records of one input in file order.
//
// Next returns the next record, whose block is valid until Finish; io.EOF at
// the end of the archive; a *Damage where the archive is broken. Finish reads what
// is left of the record and verifies its end: only then does the record count.
// Its length is in bytes of the file, or of the decompressed stream.
//
// After a *Damage with More == false the reader has ended.
type Reader interface {
	Next() (*Record, error)
	Finish() (length int64, err error)
	Fingerprint() uint64
}

// framing separates the records in a run of bytes.
type framing interface {
	// begins reports whether a record begins with b: the next beginBytes of the
	// run, fewer where it ends.
	begins(b []byte) bool
	// beginsCut reports whether b, all that is left of a file, can be the first
	// bytes of a record that was cut.
	beginsCut(b []byte) bool
	// headerEnd finds the end of the header that b begins with, -1 where b holds less.
	// It looks from a line on that line is the start of, and returns the start of
	// the line to look from with more.
	headerEnd(b []byte, line int) (end, next int)
	// parse reads the fields of a header. Its ContentLength is -1 where it does not
	// state the length of the block. The header before it may have the same strings.
	parse(header []byte, before *Header) Header
}

// warcFraming is the framing of WARC 1.1 §4.
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

func (warcFraming) parse(header []byte, before *Header) Header {
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
	members(src *input.Source) memberStream
	// find returns the first place in b where a member may begin, -1 where there is
	// none. The last bytes of b may be too few to decide, and count as none.
	find(b []byte) int
}

// memberStream decompresses members one after the other.
type memberStream interface {
	// next starts the next member, past padding that belongs to none; io.EOF where
	// the input ends, errNoMember where something else begins.
	next() error
	// Read yields the member's content, and io.EOF at its end once its checksum and
	// length have matched: offset is then right after it.
	input.Content
	// start is where the member begins, or where next found none.
	start() int64
	offset() int64
	// sum is a checksum of the content read, for the input's fingerprint.
	sum() uint32
}

// errNoMember is the error of bytes where a member should begin.
var errNoMember = errors.New("no member begins here")

// The first bytes of the forms.
var (
	magicGzip     = []byte{0x1f, 0x8b}
	magicBzip2    = []byte("BZh")
	magicZip      = []byte("PK\x03\x04")
	magicEmptyZip = []byte("PK\x05\x06")
)

// Form is the form of an input, as far as its first bytes show it.
type Form struct {
	Container
	framing framing
	codec   codec           // of members and frames
	Refusal string          // why the input is not read, and the cure
	Kind    words.IssueKind // of the refusal
}

// String is the container's name, that of ARC records included.
func (a Form) String() string {
	if a.framing == (arcFraming{}) {
		return strings.Replace(a.Container.String(), "warc", "arc", 1)
	}
	return a.Container.String()
}

// Readable reports whether there are records to read.
func (a Form) Readable() bool { return a.Refusal == "" }

// IsWARC reports whether there are WARC records in it.
func (a Form) IsWARC() bool { return a.Readable() && a.framing == (warcFraming{}) }

// HasRecords reports whether there are records to read.
func (a Form) HasRecords() bool { return a.Readable() && a.framing != nil }

// Records reads the records of src, which at reads at random; at may be nil where
// the input can be read but once.
func (a *Form) Records(src *input.Source, at io.ReaderAt) (Reader, error) {
	switch {
	case a.Container == ContainerMembers, a.Container == containerFrames && at != nil:
		return newMemberReader(a.codec, a.framing, src, at), nil
	case a.Container == ContainerPlain && at != nil:
		return newPlainReader(a.framing, src, at), nil
	case a.Container == ContainerGzip && at != nil, a.Container == containerFrame && at != nil:
		return a.sharedReader(src, at)
	case a.Container == containerBzip2 && at != nil:
		return a.bzip2Reader(src, at)
	case at == nil:
		a.Container = containerPipe
	}
	return newStreamReader(*a, src)
}

// RecordsAt reads the records from an offset on, which a reader of the whole file has
// returned. It returns nil where records have no offsets in the file.
func (a Form) RecordsAt(at io.ReaderAt, offset int64) (Reader, error) {
	if a.Container == ContainerGzip { // of many members, or the record would have no offset
		a.Container = ContainerMembers
	}
	if !a.Addressable() {
		return nil, nil
	}
	return a.Records(input.At(at, offset), at)
}

// Stream reads the records of src as a stream, whatever the form.
func (a Form) Stream(src *input.Source) (Reader, error) { return newStreamReader(a, src) }

// sharedReader picks the reader for a file whose first member holds several records: it is
// the only one, or one of many. Looking for its end also shows whether its checksum
// matches, before anything in it counts.
//
// Of a stream that does not match, no record counts. Its block may match its digest, but
// that does not prove its header, and neither does another record that names the same
// URL and date: where one header repeats another the stream has them but once, so that
// one wrong bit alters both alike.
func (a *Form) sharedReader(src *input.Source, at io.ReaderAt) (Reader, error) {
	several := newMemberReader(a.codec, a.framing, src, at)
	end, size, err := verifyMember(a.codec, at, 0)
	if input.IsReadError(err) {
		return nil, err
	}
	if err == nil {
		if a.codec.members(input.At(at, end)).next() == io.EOF {
			return newStreamReader(*a, src)
		}
		a.Container = a.several()
		return several, nil
	}
	d := &Damage{Kind: words.IssueDamagedMember}
	if errors.Is(err, io.ErrUnexpectedEOF) && !(a.Container == ContainerGzip && missesItsEnd(at, end, size)) {
		d.Kind = words.IssueTruncatedRecord
	}
	if behind, err := several.search.behind(d, nil); behind >= 0 || err != nil {
		a.Container = a.several()
		return several, err
	}
	r, openErr := newStreamReader(*a, src)
	if openErr != nil {
		return nil, openErr
	}
	if d.Kind == words.IssueTruncatedRecord { // a stream that was cut short is right up to there
		r.resynced, r.proof = true, proofFraming
	} else {
		r.waiting = r.bounded.fail(words.IssueDamagedStream,
			damageReason(err)+" in the stream, and nothing else proves the headers of its records")
	}
	return r, nil
}

// missesItsEnd reports whether a file that seems to break off at end, size bytes into its
// content, is a whole gzip stream that is damaged: its last four bytes give about that
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
func (a *Form) several() Container {
	if a.Container == containerFrame {
		return containerFrames
	}
	return ContainerMembers
}

// bzip2Reader reads a bzip2 file. Its blocks have checksums that are compared only
// when their content has been handed on, and one wrong bit makes other records of
// it: so it is decompressed twice, and read up to the first block that does not match.
func (a *Form) bzip2Reader(src *input.Source, at io.ReaderAt) (Reader, error) {
	whole, err := verifyBzip2(input.At(at, 0))
	if input.IsReadError(err) {
		return nil, err
	}
	r, openErr := newStreamReader(*a, src)
	if openErr == nil && err != nil {
		plain := io.LimitReader(r.bounded.in, whole)
		r.bounded.in = input.NewBuffered(io.MultiReader(plain, failing{err}))
	}
	return r, openErr
}

// verifyBzip2 decompresses a bzip2 stream and returns how many bytes lie in blocks that
// match their checksums, up to the first that does not, and the kind of bytes there.
func verifyBzip2(src *input.Source) (whole int64, err error) {
	in := &sticky{r: bzip2.NewReader(src), src: src}
	buf := make([]byte, input.BufferSize)
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

// Damage is a place in an archive where the form ends to be one.
type Damage struct {
	Kind     words.IssueKind
	Offset   int64
	Detail   string
	RecordID recordid.ID // of the record concerned, where its header was read
	More     bool        // the reader stands at a boundary that counts and can go on

	Resumed int64  // with more: where it goes on, if bytes are skipped; 0: after the record
	Proof   Proof  // that a record begins there, where one kind of proof is not all
	Action  string // the action taken instead of dropping the record
}

// Named names the record that an error concerns, if it is damage at the record's place.
func (r *Record) Named(err error) error {
	var d *Damage
	if errors.As(err, &d) && d.Offset == r.Offset {
		d.RecordID = r.ID
	}
	return err
}

func (d *Damage) Error() string { return fmt.Sprintf("%s at %d: %s", d.Kind, d.Offset, d.Detail) }
