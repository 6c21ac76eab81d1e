package warc

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/robotsaudit/robotsaudit/internal/archive/inflate"
	"github.com/robotsaudit/robotsaudit/internal/archive/input"
)

// gzipCodec is the codec of gzip members (RFC 1952). Their headers are advisory except
// for the method: names, comments, and the lengths that crawlers put into extra fields
// ("sl", "LX", "RS") change nothing, right or wrong.
type gzipCodec struct{}

func (gzipCodec) members(src *input.Source) memberStream {
	m := newGzipMembers()
	m.Reset(src)
	m.from = src.Position()
	return m
}

// gzipStart begins a member: the magic number and the one method, deflate.
var gzipStart = []byte{0x1f, 0x8b, 8}

func (gzipCodec) find(b []byte) int {
	const reserved = 0xe0 // flags that must be zero (RFC 1952 §2.3.1.2)
	for at := 0; ; at++ {
		n := bytes.Index(b[at:], gzipStart)
		if n < 0 || at+n+len(gzipStart) == len(b) {
			return -1
		}
		if at += n; b[at+len(gzipStart)]&reserved == 0 {
			return at
		}
	}
}

// gzipMembers reads gzip members. Between them may stand zeros: files are padded
// to whole blocks.
type gzipMembers struct {
	*inflate.Reader
	from   int64 // offset in the input of what the Reader reads first
	begin  int64
	search input.Window // for whom looks for members to read
}

// decoders are idle. One is half a megabyte, and an archive needs two or three.
var decoders = sync.Pool{New: func() any { return &gzipMembers{Reader: inflate.NewReader(nil)} }}

// newGzipMembers returns one that reads nothing until it is Reset.
func newGzipMembers() *gzipMembers { return decoders.Get().(*gzipMembers) }

// release gives up a stream that nobody uses any more. It need not be called.
func release(s memberStream) {
	m, ok := s.(*gzipMembers)
	if !ok {
		return
	}
	m.Reset(nil)
	m.search.Reset()
	*m = gzipMembers{Reader: m.Reader, search: m.search}
	decoders.Put(m)
}

func (m *gzipMembers) next() error {
	m.begin = m.offset()
	if err := m.SkipZeros(); err != nil {
		return err
	}
	if b, err := m.Ahead(len(magicGzip)); len(b) == 0 {
		return err
	} else if !bytes.HasPrefix(magicGzip, b) {
		return errNoMember // the zeros may have been a member's first byte
	}
	m.begin = m.offset()
	if err := m.NextMember(); err != nil {
		return err
	}
	if m.Swallows() {
		return errSwallows
	}
	return nil
}

// errSwallows is the error of a member that may begin with bytes of others.
var errSwallows = errors.New("another member begins")

func (m *gzipMembers) start() int64  { return m.begin }
func (m *gzipMembers) offset() int64 { return m.from + m.Offset() }
func (m *gzipMembers) sum() uint32   { return m.CRC() }

// damageReason is the part of a decompressor's error that does not depend on where the
// reading began.
func damageReason(err error) string {
	var d *inflate.DamageError
	if errors.As(err, &d) {
		return d.Reason
	}
	return err.Error()
}

// unexpectedEOF makes an end of the input in the middle of something one.
func unexpectedEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
