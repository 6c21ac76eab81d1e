package warc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// The magic numbers of zstd (RFC 8878 §3.1.1, §3.1.2, §5) and of WARC in it
// (https://iipc.github.io/warc-specifications/specifications/warc-zstd/).
var (
	magicZstd           = []byte{0x28, 0xb5, 0x2f, 0xfd}
	magicSkippable      = []byte{0x2a, 0x4d, 0x18} // bytes 1 to 3; the first is 0x50 to 0x5f
	magicDictionaryZstd = []byte{0x5d, 0x2a, 0x4d, 0x18}
	magicDictionary     = []byte{0x37, 0xa4, 0x30, 0xec}
)

func isSkippable(b []byte) bool {
	return len(b) >= 4 && b[0]&0xf0 == 0x50 && bytes.Equal(b[1:4], magicSkippable)
}

// zstdCodec is the codec of zstd frames, with the dictionary that the archive brings.
//
// A frame with a checksum is verified by it. One without is verified by its
// content size, where it gives that, and by the records in it, which must end
// where it does: an altered byte inside a record can stay unnoticed then.
type zstdCodec struct {
	options []zstd.DOption
}

func newZstdCodec(dictionary []byte) (*zstdCodec, error) {
	z := &zstdCodec{[]zstd.DOption{
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow),
	}}
	if dictionary != nil {
		z.options = append(z.options, zstd.WithDecoderDicts(dictionary))
	}
	_, err := z.stream(bytes.NewReader(nil)) // reads the dictionary
	return z, err
}

// stream decompresses frames as one stream.
func (z *zstdCodec) stream(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, z.options...) }

func (z *zstdCodec) members(src *input.Source) memberStream {
	return &zstdMembers{Buffered: input.NewBuffered(nil), codec: z, src: src}
}

// find looks only for frames with a checksum: without one, nothing distinguishes a
// frame from bytes that look like one.
func (z *zstdCodec) find(b []byte) int {
	const reserved, checksum = 1 << 3, 1 << 2 // flags of the byte after the magic number (RFC 8878 §3.1.1.1.1)
	for at := 0; ; at++ {
		n := bytes.Index(b[at:], magicZstd)
		if n < 0 || at+n+len(magicZstd) == len(b) {
			return -1
		}
		at += n
		if b[at+len(magicZstd)]&(reserved|checksum) == checksum {
			return at
		}
	}
}

// zstd recognises an archive of zstd frames. It reads the dictionary from src.
func (s sniffer) zstd(src *input.Source) Form {
	dictionary, err := readDictionary(src)
	var z *zstdCodec
	if err == nil {
		z, err = newZstdCodec(dictionary)
	}
	if err != nil {
		return Form{
			Container: containerUnsupported, Kind: words.IssueBadDictionary,
			Refusal: fmt.Sprintf("the zstd dictionary cannot be used (%v); fetch the file again", err),
		}
	}
	b, _ := src.Peek(sniffBytes)
	a := Form{Container: containerFrames, framing: warcFraming{}, codec: z}
	first := z.members(input.At(bytes.NewReader(b), 0))
	br := input.NewBuffered(io.LimitReader(first, sniffMember))
	if err = first.next(); err == nil {
		_, err = br.Peek(1)
	}
	if err != nil { // nothing after the dictionary, or damage that the reader will name
		a.framing = s.framing(b, z)
		return a
	}
	found := s.plain(beginning(br), containerFrames)
	if !found.Readable() {
		if _, err := io.Copy(io.Discard, first); err != nil { // it may be damaged
			found = s.frames(b, z)
		}
	}
	if !found.Readable() || found.framing == nil { // nothing with records
		found.codec = z
		return found
	}
	a.framing = found.framing
	if holdsSeveral(br, a.framing) {
		if _, err := io.Copy(io.Discard, first); err == nil || err == io.ErrUnexpectedEOF && len(b) == sniffBytes {
			a.Container = containerFrame
		}
	}
	return a
}

// damagedFrames recognises an archive of zstd frames whose first bytes are damaged.
// Without them a dictionary is unknown, and so are the frames that need it.
func (s sniffer) damagedFrames(b []byte) Form {
	if !bytes.Contains(b, magicZstd) {
		return notAnArchive
	}
	z, err := newZstdCodec(nil)
	if err != nil {
		return notAnArchive
	}
	return s.frames(b, z)
}

// frames looks for a frame that begins as a record does.
func (s sniffer) frames(b []byte, z *zstdCodec) Form {
	found := s.damaged(b, z)
	if found.Readable() {
		found.Container = containerFrames
	}
	return found
}

// readDictionary reads the dictionary frame that may begin an archive: a
// dictionary as it stands, or compressed by zstd.
func readDictionary(src *input.Source) ([]byte, error) {
	const header = 8
	b, _ := src.Peek(header)
	if len(b) < header || !bytes.HasPrefix(b, magicDictionaryZstd) {
		return nil, nil
	}
	size := binary.LittleEndian.Uint32(b[4:])
	if size > maxDictionary {
		return nil, fmt.Errorf("it has %d bytes, more than %d", size, maxDictionary)
	}
	src.Discard(header)
	dictionary := make([]byte, size)
	if _, err := io.ReadFull(src, dictionary); err != nil {
		return nil, unexpectedEOF(err)
	}
	if bytes.HasPrefix(dictionary, magicZstd) {
		r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDictionary))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		if dictionary, err = r.DecodeAll(dictionary, nil); err != nil {
			return nil, err
		}
	}
	if !bytes.HasPrefix(dictionary, magicDictionary) {
		return nil, fmt.Errorf("it begins with %.4x", dictionary)
	}
	return dictionary, nil
}

// zstdMembers reads zstd frames. Between them may stand skippable frames.
type zstdMembers struct {
	input.Buffered // of frameContent
	codec          *zstdCodec
	src            *input.Source
	frame          frameReader
	out            *zstd.Decoder
	begin          int64
	crc            uint32
}

func (m *zstdMembers) next() error {
	if err := m.skipFrames(); err != nil {
		return err
	}
	m.begin, m.crc = m.src.Position(), 0
	m.Reset(frameContent{m})
	b, err := m.src.Peek(zstd.HeaderMaxSize)
	if len(b) == 0 {
		return err
	}
	if !bytes.HasPrefix(b, magicZstd) {
		if bytes.HasPrefix(magicZstd, b) {
			return io.ErrUnexpectedEOF
		}
		return errNoMember
	}
	var h zstd.Header
	switch err := h.Decode(b); {
	case err == io.ErrUnexpectedEOF:
		return err
	case err != nil: // a bit that must be zero
		return errNoMember
	}
	window := h.WindowSize
	if h.SingleSegment {
		window = h.FrameContentSize
	}
	if window > maxWindow {
		return &memberError{
			words.IssueWindowTooLarge,
			fmt.Sprintf("a zstd window of %d bytes, more than %d", window, maxWindow),
		}
	}
	m.frame = frameReader{src: m.src, left: int64(h.HeaderSize), checksum: h.HasCheckSum}
	if m.out == nil {
		m.out, err = zstd.NewReader(&m.frame, m.codec.options...)
	} else {
		err = m.out.Reset(&m.frame)
	}
	return err
}

// skipFrames skips skippable frames: a dictionary, or what others put there.
func (m *zstdMembers) skipFrames() error {
	for {
		m.begin = m.src.Position()
		b, _ := m.src.Peek(8)
		if !isSkippable(b) {
			return nil
		}
		if len(b) < 8 {
			return io.ErrUnexpectedEOF
		}
		dictionary, size := bytes.HasPrefix(b, magicDictionaryZstd), int64(binary.LittleEndian.Uint32(b[4:]))
		m.src.Discard(8)
		if err := m.skip(size, dictionary); err != nil {
			return err
		}
	}
}

// skip skips the content of a skippable frame. No checksum covers its size: where it
// seems to hold other frames, it may be wrong. A dictionary may be a frame itself.
func (m *zstdMembers) skip(left int64, dictionary bool) error {
	for left > 0 {
		b, err := m.src.Peek(int(min(left, sniffBytes)))
		n := len(b)
		switch {
		case n == 0:
			return unexpectedEOF(err)
		case !dictionary && m.codec.find(b) >= 0:
			return errSwallows
		case int64(n) < left && n > maxFrameStart:
			n -= maxFrameStart // a frame may begin there
		}
		m.src.Discard(n)
		left -= int64(n)
	}
	return nil
}

// maxFrameStart is how many bytes it takes to recognise a frame: its magic number and
// descriptor.
const maxFrameStart = 5

// frameContent reads the content of the frame in hand.
type frameContent struct{ m *zstdMembers }

func (c frameContent) Read(p []byte) (int, error) {
	m := c.m
	n, err := m.out.Read(p)
	m.crc = crc32.Update(m.crc, crc32.IEEETable, p[:n])
	switch {
	case m.frame.err != nil && err != nil:
		err = m.frame.err // the decoder would hide how the file was at fault
	case err == io.EOF && !m.frame.ended():
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (m *zstdMembers) start() int64  { return m.begin }
func (m *zstdMembers) offset() int64 { return m.src.Position() }
func (m *zstdMembers) sum() uint32   { return m.crc }

// frameReader hands on the bytes of one frame, and no more. It walks the headers
// of the blocks alone (RFC 8878 §3.1.1.2).
type frameReader struct {
	src      *input.Source
	left     int64 // bytes until the next block's header, or the end
	checksum bool  // four bytes follow the last block
	last     bool  // the last block is being read
	err      error
}

func (r *frameReader) ended() bool { return r.last && r.left == 0 && !r.checksum }

func (r *frameReader) Read(p []byte) (n int, err error) {
	if r.err != nil {
		return 0, r.err
	}
	if r.left == 0 {
		if r.ended() {
			return 0, io.EOF
		}
		if r.err = r.nextPart(); r.err != nil {
			return 0, r.err
		}
	}
	n, err = r.src.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	if err != nil {
		r.err = unexpectedEOF(err)
	}
	return n, r.err
}

// nextPart stands at a block's header, or at the checksum.
func (r *frameReader) nextPart() error {
	if r.last {
		r.left, r.checksum = 4, false
		return nil
	}
	b, err := r.src.Peek(3)
	if err != nil {
		return unexpectedEOF(err)
	}
	header := int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16
	size := header >> 3
	if header>>1&3 == 1 { // one byte, to be repeated
		size = 1
	}
	r.left, r.last = 3+size, header&1 == 1
	return nil
}

// memberError is the error of a member that is not damaged, and still not read.
type memberError struct {
	kind   words.IssueKind
	detail string
}

func (e *memberError) Error() string { return e.detail }
