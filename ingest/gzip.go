package ingest

import (
	"bytes"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/gzip"
)

// gzipCodec is that of gzip members (RFC 1952). What their headers say beside the
// method is advisory: names, comments, and the lengths that crawlers put into
// extra fields ("sl", "LX", "RS") change nothing, right or wrong.
type gzipCodec struct{}

func (gzipCodec) members(src *source) memberStream { return &gzipMembers{src: src} }

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
	src   *source
	gz    *gzip.Reader
	crc   uint32
	begin int64
}

func (m *gzipMembers) next() error {
	skip(m.src.Reader, "\x00")
	m.begin, m.crc = m.src.position(), 0
	if b, err := m.src.Peek(len(magicGzip)); len(b) == 0 {
		return err
	} else if !bytes.HasPrefix(magicGzip, b) {
		return errNoMember
	}
	var err error
	if m.gz == nil {
		m.gz, err = gzip.NewReader(m.src.Reader)
	} else {
		err = m.gz.Reset(m.src.Reader)
	}
	if err != nil {
		return unexpectedEOF(err)
	}
	m.gz.Multistream(false)
	return nil
}

func (m *gzipMembers) Read(p []byte) (int, error) {
	n, err := m.gz.Read(p)
	m.crc = crc32.Update(m.crc, crc32.IEEETable, p[:n]) // the gzip reader compares it, and does not tell it
	return n, err
}

func (m *gzipMembers) start() int64  { return m.begin }
func (m *gzipMembers) offset() int64 { return m.src.position() }
func (m *gzipMembers) sum() uint32   { return m.crc }

// unexpectedEOF makes an end of the input in the middle of something one.
func unexpectedEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
