package inflate

import (
	"encoding/binary"
	"io"
)

const (
	// blockSize is how much input is read at a time. It holds the largest extra
	// field of a gzip header, 65,535 bytes.
	blockSize = 128 << 10

	// inMargin is the input that the fast loop needs before each symbol: it takes bits
	// twice, at most 7 bytes by loads of 8.
	inMargin = 16

	// maxIdleReads is how often a reader may return nothing, without an error.
	maxIdleReads = 100
)

// input is a block of the input and the bits taken from it.
type input struct {
	src    io.Reader
	srcErr error // of src; it counts once the input read before it is used up

	in   [blockSize + 8]byte
	ip   int   // in[ip:iend] was not yet taken
	iend int   // end of what was read
	base int64 // offset in src of in[0]

	// nbits bits were taken and not yet used, the next one lowest (RFC 1951 §3.1.1).
	// Higher bits are zero, or equal the bits of in[ip:], which will be or-ed in.
	bits  uint64
	nbits uint
}

func (i *input) reset(src io.Reader) {
	i.src, i.srcErr = src, nil
	i.ip, i.iend, i.base = 0, 0, 0
	i.bits, i.nbits = 0, 0
}

func (i *input) offset() int64 { return i.base + int64(i.ip) - int64(i.nbits/8) }

// damage makes an error of what was found here.
func (i *input) damage(reason string) error { return &DamageError{i.offset(), reason} }

// ended is why there is no more input inside a member.
func (i *input) ended() error {
	if i.srcErr == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return i.srcErr
}

// giveBack returns the whole bytes among the bits to in.
func (i *input) giveBack() {
	i.ip -= int(i.nbits / 8)
	i.nbits %= 8
	i.bits &= 1<<i.nbits - 1
}

// align drops the bits up to the next byte (RFC 1951 §3.2.4).
func (i *input) align() {
	i.giveBack()
	i.bits, i.nbits = 0, 0
}

// fill reads more input after the rest of the block, if there is any. The rest is a few
// bytes, except where ensure needs more, so moving it to the front costs nothing.
func (i *input) fill() {
	if i.srcErr != nil {
		return
	}
	i.giveBack()
	copy(i.in[:], i.in[i.ip:i.iend])
	i.base += int64(i.ip)
	i.ip, i.iend = 0, i.iend-i.ip
	for range maxIdleReads {
		n, err := i.src.Read(i.in[i.iend:blockSize])
		i.iend += n
		i.srcErr = err
		if n > 0 || err != nil {
			return
		}
	}
	i.srcErr = io.ErrNoProgress
}

// ensure reports whether in[ip:] has n bytes, after reading them where it must.
// No bits must be in hand.
func (i *input) ensure(n int) bool {
	for i.iend-i.ip < n && i.srcErr == nil {
		i.fill()
	}
	return i.iend-i.ip >= n
}

// refill takes at least 56 bits in hand, fewer only where the input ends.
func (i *input) refill() {
	for i.nbits < 56 {
		switch {
		case i.iend-i.ip >= 8:
			// The bits above nbits belong to bytes not yet taken: they are or-ed in
			// again the next time.
			i.bits |= binary.LittleEndian.Uint64(i.in[i.ip:]) << i.nbits
			i.ip += int((63 - i.nbits) / 8)
			i.nbits |= 56
		case i.ip < i.iend:
			i.bits |= uint64(i.in[i.ip]) << i.nbits
			i.ip++
			i.nbits += 8
		case i.srcErr != nil:
			return
		default:
			i.fill()
		}
	}
}

// need reports whether n ≤ 56 bits are in hand, after taking them where it must.
func (i *input) need(n uint) bool {
	if i.nbits < n {
		i.refill()
	}
	return i.nbits >= n
}

// take uses n bits in hand.
func (i *input) take(n uint) uint {
	b := uint(i.bits & (1<<n - 1))
	i.bits >>= n
	i.nbits -= n
	return b
}
