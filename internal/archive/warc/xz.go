package warc

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

var magicXZ = []byte("\xfd7zXZ\x00")

// xzReader reads the content of an xz file: streams of blocks, each with a checksum. The library decodes the blocks
// alone. Its own reader of files takes as much memory as a block says that it needs, which may be 4 GiB.
type xzReader struct {
	in    *bufio.Reader
	block io.Reader // that in hand; nil: none is
	check byte      // kind of checksum in the stream in hand
	sum   hash.Hash // nil: there is none
	begun bool      // a stream is in hand
	read  int64     // bytes of the block, as stored
}

var (
	errXZ    = errors.New("its xz is damaged")
	errXZCut = errors.New("its xz is cut short")
)

func (x *xzReader) Read(p []byte) (n int, err error) {
	for n == 0 && len(p) > 0 && err == nil {
		switch {
		case x.block != nil:
			if n, err = x.block.Read(p); x.sum != nil {
				x.sum.Write(p[:n])
			}
			switch {
			case err == io.EOF:
				x.block, err = nil, x.endBlock()
			case err != nil && err != io.ErrUnexpectedEOF:
				err = fmt.Errorf("%w: %w", errXZ, err)
			}
		case x.begun:
			err = x.beginBlock()
		default:
			if err = x.beginStream(); err == io.EOF {
				return 0, io.EOF
			}
		}
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errXZCut
	}
	return n, err
}

// beginStream passes the padding before a stream, and reads its header. It returns io.EOF where none follows.
func (x *xzReader) beginStream() error {
	for {
		b, err := x.in.Peek(4)
		if len(b) == 0 && err == io.EOF {
			return io.EOF
		}
		if !bytes.Equal(b, make([]byte, 4)) {
			break
		}
		if _, err := x.in.Discard(len(b)); err != nil {
			return err
		}
	}
	head, err := x.take(12)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(head, magicXZ) || head[6] != 0 || !hasCRC(head[6:8], head[8:]) {
		return errXZ
	}
	x.begun, x.check = true, head[7]
	return nil
}

// take reads some bytes.
func (x *xzReader) take(n int) ([]byte, error) {
	b := make([]byte, n)
	_, err := io.ReadFull(x.in, b)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

func hasCRC(b, sum []byte) bool { return crc32.ChecksumIEEE(b) == binary.LittleEndian.Uint32(sum) }

// beginBlock reads the header of a block, or what stands after the last.
func (x *xzReader) beginBlock() error {
	size, err := x.in.Peek(1)
	switch {
	case err != nil:
		return err
	case size[0] == 0:
		return x.endStream()
	}
	head, err := x.take(4 * (int(size[0]) + 1))
	if err != nil {
		return err
	}
	end := len(head) - 4
	if !hasCRC(head[:end], head[end:]) {
		return errXZ
	}
	flags, rest := head[1], head[2:end]
	for _, sized := range [...]byte{0x40, 0x80} { // the sizes of its data, packed and not
		if flags&sized != 0 {
			_, n := binary.Uvarint(rest)
			if n <= 0 {
				return errXZ
			}
			rest = rest[n:]
		}
	}
	if flags&0x3f != 0 || len(rest) < 3 || rest[0] != 0x21 || rest[1] != 1 { // LZMA2, and nothing before it
		return errors.New("its xz has filters that are not read; write it anew, as by: xz -d FILE.xz; xz FILE")
	}
	window, err := lzma.DecodeDictCap(rest[2])
	if err != nil || window > maxWindow {
		return fmt.Errorf("its xz needs a window over %d MiB; write it anew, as by: xz -d FILE.xz; xz FILE", maxWindow>>20)
	}
	x.read = 0
	block, err := lzma.Reader2Config{DictCap: int(max(window, lzma.MinDictCap))}.NewReader2(counter{x})
	if err != nil {
		return err
	}
	switch x.block, x.sum = block, nil; x.check {
	case 0:
	case 1:
		x.sum = crc32.NewIEEE()
	case 4:
		x.sum = crc64.New(crc64.MakeTable(crc64.ECMA))
	case 10:
		x.sum = sha256.New()
	default:
		return errXZ
	}
	return nil
}

// counter counts the bytes of a block.
type counter struct{ *xzReader }

func (c counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.read += int64(n)
	return n, err
}

// endBlock verifies a block that was read.
func (x *xzReader) endBlock() error {
	padding, err := x.take(int(-x.read & 3))
	if err != nil || x.sum == nil {
		return err
	}
	stored, err := x.take(x.sum.Size())
	if err != nil {
		return err
	}
	sum := x.sum.Sum(nil)
	if x.check != 10 { // the numbers are stored from their lowest byte on
		for i, j := 0, len(sum)-1; i < j; i, j = i+1, j-1 {
			sum[i], sum[j] = sum[j], sum[i]
		}
	}
	if !bytes.Equal(sum, stored) || len(bytes.Trim(padding, "\x00")) > 0 {
		return errXZ
	}
	return nil
}

// endStream reads the index of a stream and its footer.
func (x *xzReader) endStream() error {
	x.begun = false
	index := crc32.NewIEEE()
	from := &byteTee{x.in, index, 0}
	if _, err := from.ReadByte(); err != nil { // which is 0
		return err
	}
	records, err := binary.ReadUvarint(from)
	for range records {
		for range 2 {
			if err == nil {
				_, err = binary.ReadUvarint(from)
			}
		}
		if err != nil {
			return err
		}
	}
	for from.n%4 != 0 && err == nil {
		_, err = from.ReadByte()
	}
	if err != nil {
		return err
	}
	tail, err := x.take(4 + 12)
	if err != nil {
		return err
	}
	footer := tail[4:]
	if index.Sum32() != binary.LittleEndian.Uint32(tail) || !hasCRC(footer[4:10], footer) || string(footer[10:]) != "YZ" {
		return errXZ
	}
	return nil
}

// byteTee gives what is read to a checksum, too.
type byteTee struct {
	in  *bufio.Reader
	sum hash.Hash
	n   int
}

func (t *byteTee) ReadByte() (byte, error) {
	b, err := t.in.ReadByte()
	if err == nil {
		t.sum.Write([]byte{b})
		t.n++
	}
	return b, err
}
