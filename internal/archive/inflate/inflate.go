// Package inflate decodes gzip members (RFC 1952), one after the other, as
// archives with a member a record have them: the content in pieces of a window
// that is never copied for the caller, the end of a member exact to the byte, its
// CRC-32 and length verified.
//
// It accepts and rejects what compress/gzip and compress/flate accept and reject,
// byte for byte. What makes it faster:
//
//   - Input is read in blocks, and 64 bits at a time are taken by one unaligned
//     load, where compress/flate reads single bytes.
//   - A symbol is one look-up in a table whose entries hold the symbol,
//     and the lengths of its code and of its extra bits (table.go).
//   - Matches are copied in words that may overrun; the window has a margin for
//     that (symbols.go).
//
// Nothing is unsafe or depends on the byte order of the machine.
package inflate

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"io"
)

const (
	// windowSize is how far back a match may reach (RFC 1951 §2).
	windowSize = 32 << 10

	// outSize is the size of the buffer that holds the window and the piece after it:
	// so large that moving the window costs little, so small that the piece is still in
	// the cache when it is summed and read.
	outSize = 256 << 10

	// pieceEnd is where a piece ends. The symbols that cross it are finished in the
	// margin after it: three literals, the longest match, and the 63 bytes that a copy
	// overruns.
	pieceEnd = outSize - 512

	// maxPeek is the largest argument of Peek.
	maxPeek = 128 << 10
)

// window is the buffer of the window that matches refer to, and of the bytes after it.
// The last bytes are never written: they spare comparisons in copy32.
type window [outSize + 32]byte

// Reader inflates gzip members one after the other. It is half a megabyte large;
// Reset makes it new without allocating, and so does NextMember.
//
// NextMember begins a member; Peek, Discard, Read and WriteTo consume its content.
// They return io.EOF at its end, after CRC-32 and length were compared: until then
// what was consumed may turn out to be damaged. Other errors stay until Reset:
//
//   - io.ErrUnexpectedEOF: the input ended inside the member;
//   - *DamageError: the input is no gzip member, or its CRC-32 or length differ;
//   - anything else is the error of the underlying reader, as it was.
type Reader struct {
	out window
	input
	codeReader

	rd     int // out[rd:op] was decoded and not yet consumed
	op     int // end of what was decoded; what is left of the member begins at 0
	summed int // crc and size cover the member up to here

	state state
	final bool   // the block in hand is the member's last
	left  int    // bytes left of a stored block
	codes *codes // of the block in hand
	own   codes  // those a dynamic block has

	crc  uint32
	size uint32 // modulo 2³²
	err  error

	swallows bool // see Swallows
}

// state is the part of the input that the decoder reads next.
type state uint8

const (
	stateIdle    state = iota // no member, or its end
	stateBlock                // the header of a block
	stateStored               // bytes of a stored block
	stateSymbols              // symbols of a compressed block
	stateTrailer              // the trailer of the member
)

// DamageError reports input that violates RFC 1952 or RFC 1951.
type DamageError struct {
	Offset int64 // how far the input was read when it showed
	Reason string
}

func (e *DamageError) Error() string { return fmt.Sprintf("%s before offset %d", e.Reason, e.Offset) }

// NewReader returns a Reader of the members in src.
func NewReader(src io.Reader) *Reader {
	r := new(Reader)
	r.Reset(src)
	return r
}

// Reset makes r read from src, as new. Offsets count from there.
func (r *Reader) Reset(src io.Reader) {
	r.input.reset(src)
	r.begin(stateIdle)
	r.err = nil
}

// begin forgets the member before.
func (r *Reader) begin(s state) {
	r.state, r.final = s, false
	r.rd, r.op, r.summed = 0, 0, 0
	r.crc, r.size = 0, 0
	r.swallows = false
}

// NextMember begins the member at Offset, after inflating and verifying what is
// left of the one before. It returns io.EOF where the input ends instead.
func (r *Reader) NextMember() error {
	if err := r.finish(); err != nil {
		return err
	}
	r.begin(stateBlock)
	err := r.header()
	if err != nil {
		r.state = stateIdle
		if err != io.EOF {
			r.err = err
		}
	}
	return err
}

// SkipZeros skips zero bytes between members, with which some writers pad
// archives. A failure to read is NextMember's to return.
func (r *Reader) SkipZeros() error {
	if err := r.finish(); err != nil {
		return err
	}
	for r.ensure(1) && r.in[r.ip] == 0 {
		r.ip++
	}
	return nil
}

// Ahead returns the next n bytes of the input, between members: what begins
// there. They are fewer only together with an error, io.EOF where the input ends.
// They are valid until the next call.
func (r *Reader) Ahead(n int) ([]byte, error) {
	if err := r.finish(); err != nil {
		return nil, err
	}
	if r.ensure(n) {
		return r.in[r.ip : r.ip+n], nil
	}
	return r.in[r.ip:r.iend], r.srcErr
}

// finish inflates the member to its end.
func (r *Reader) finish() error {
	for r.rd = r.op; r.advance(); {
		r.rd = r.op
	}
	return r.err
}

// Offset is how many bytes of the input were used. It is exact between members:
// when io.EOF was returned, and before the first one.
func (r *Reader) Offset() int64 { return r.input.offset() }

// CRC is the CRC-32 of the member's content, when its end was reached.
func (r *Reader) CRC() uint32 { return r.crc }

// Peek returns what was decoded and not yet consumed of the member, at least n
// bytes. They are fewer only together with an error: io.EOF where the member
// ends, bufio.ErrBufferFull where n > maxPeek. They are valid until the next call
// of another method than Discard.
func (r *Reader) Peek(n int) ([]byte, error) {
	if n > maxPeek {
		return r.out[r.rd:r.op], bufio.ErrBufferFull
	}
	for r.op-r.rd < n && r.advance() {
	}
	if r.op-r.rd < n {
		return r.out[r.rd:r.op], r.end()
	}
	return r.out[r.rd:r.op], nil
}

// Discard consumes n bytes of the member and returns how many it had, n unless
// there is an error.
func (r *Reader) Discard(n int64) (int64, error) {
	for left := n; ; {
		k := min(left, int64(r.op-r.rd))
		r.rd += int(k)
		left -= k
		if left == 0 {
			return n, nil
		}
		if !r.advance() {
			return n - left, r.end()
		}
	}
}

// Read implements io.Reader for the content of the member.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := r.Peek(1)
	n := copy(p, b)
	r.rd += n
	return n, err
}

// WriteTo implements io.WriterTo for the content of the member: it hands on the
// pieces as they are.
func (r *Reader) WriteTo(w io.Writer) (n int64, err error) {
	for {
		b, err := r.Peek(1)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		k, err := w.Write(b)
		r.rd += k
		n += int64(k)
		if err != nil {
			return n, err
		}
	}
}

// end is why there is no more of the member.
func (r *Reader) end() error {
	if r.err == nil {
		return io.EOF
	}
	return r.err
}

// advance decodes up to the end of the piece or the member, and reports whether
// there may be more.
func (r *Reader) advance() bool {
	if r.err != nil || r.state == stateIdle {
		return false
	}
	r.slide()
	for r.err == nil && r.state != stateIdle && r.op < pieceEnd {
		r.err = r.step()
	}
	r.sum()
	return true
}

// step decodes one part of the member, as far as the piece reaches.
func (r *Reader) step() error {
	switch r.state {
	case stateBlock:
		return r.block()
	case stateStored:
		return r.stored()
	case stateSymbols:
		return r.symbols()
	}
	r.sum()
	return r.trailer()
}

// slide makes room for more where the piece has ended: what was consumed leaves,
// except what matches may refer to.
func (r *Reader) slide() {
	if r.op < pieceEnd {
		return
	}
	k := min(r.rd, r.op-windowSize)
	copy(r.out[:], r.out[k:r.op])
	r.rd, r.op, r.summed = r.rd-k, r.op-k, r.summed-k
}

// sum brings CRC-32 and size up to what was decoded.
func (r *Reader) sum() {
	r.crc = crc32.Update(r.crc, crc32.IEEETable, r.out[r.summed:r.op])
	r.size += uint32(r.op - r.summed)
	r.summed = r.op
}
