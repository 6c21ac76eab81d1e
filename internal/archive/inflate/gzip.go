package inflate

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// Flags of a gzip header (RFC 1952 §2.3.1). The text flag does not affect the form.
// Reserved flags are passed over, as compress/gzip does, although §2.3.1.2 requires
// that they are refused: anything that they announce would fail as DEFLATE data.
const (
	flagHeaderCRC = 1 << 1
	flagExtra     = 1 << 2
	flagName      = 1 << 3
	flagComment   = 1 << 4
)

// maxHeaderString is the longest name or comment, with its end, as in
// compress/gzip.
const maxHeaderString = 512

// memberStart begins a member: the magic number and the one method, deflate.
var memberStart = []byte{0x1f, 0x8b, 8}

// header reads the header of a member (RFC 1952 §2.3).
func (r *Reader) header() error {
	if !r.ensure(10) {
		if r.ip == r.iend {
			return r.srcErr
		}
		return r.ended()
	}
	h := r.in[r.ip:]
	if !bytes.HasPrefix(h, memberStart) {
		return r.damage("no gzip header")
	}
	flags := h[3]
	crc := uint32(0)
	r.pass(10, &crc)
	if flags&flagExtra != 0 {
		if err := r.skipExtra(&crc); err != nil {
			return err
		}
	}
	for _, flag := range [...]byte{flagName, flagComment} {
		if flags&flag != 0 {
			if err := r.skipString(&crc); err != nil {
				return err
			}
		}
	}
	if flags&flagHeaderCRC == 0 {
		return nil
	}
	if !r.ensure(2) {
		return r.ended()
	}
	if binary.LittleEndian.Uint16(r.in[r.ip:]) != uint16(crc) {
		return r.damage("the checksum of the gzip header differs")
	}
	r.ip += 2
	r.swallows = false // the checksum shows that all of it is header
	return nil
}

// Swallows reports whether the header of the member in hand holds what may be the
// beginning of another one. No checksum covers most headers: a wrong length of the extra
// field there can lead past whole members, right into the data of a later one.
func (r *Reader) Swallows() bool { return r.swallows }

// skip passes the n bytes at hand that the header announces.
func (r *Reader) skip(n int, crc *uint32) {
	r.swallows = r.swallows || bytes.Contains(r.in[r.ip:r.ip+n], memberStart)
	r.pass(n, crc)
}

// pass passes n bytes at hand and sums them.
func (r *Reader) pass(n int, crc *uint32) {
	*crc = crc32.Update(*crc, crc32.IEEETable, r.in[r.ip:r.ip+n])
	r.ip += n
}

func (r *Reader) skipExtra(crc *uint32) error {
	if !r.ensure(2) {
		return r.ended()
	}
	n := int(binary.LittleEndian.Uint16(r.in[r.ip:]))
	r.pass(2, crc)
	if !r.ensure(n) {
		return r.ended()
	}
	r.skip(n, crc)
	return nil
}

// skipString skips a name or comment, which end with a zero.
func (r *Reader) skipString(crc *uint32) error {
	for n := 1; ; n++ {
		enough := r.ensure(n)
		s := r.in[r.ip:min(r.iend, r.ip+maxHeaderString)]
		switch end := bytes.IndexByte(s, 0); {
		case end >= 0:
			r.skip(end+1, crc)
			return nil
		case len(s) == maxHeaderString:
			return r.damage("a string in the gzip header has no end")
		case !enough:
			return r.ended()
		}
		n = len(s)
	}
}

// trailer compares the member's checksum and length (RFC 1952 §2.3.1).
func (r *Reader) trailer() error {
	r.align()
	if !r.ensure(8) {
		return r.ended()
	}
	crc, size := binary.LittleEndian.Uint32(r.in[r.ip:]), binary.LittleEndian.Uint32(r.in[r.ip+4:])
	r.ip += 8
	switch {
	case crc != r.crc:
		return r.damage("the checksum of the gzip member differs")
	case size != r.size:
		return r.damage("the length of the gzip member differs")
	}
	r.state = stateIdle
	return nil
}
