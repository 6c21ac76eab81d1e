package inflate

import (
	"bytes"
	"encoding/binary"
	"io"
)

// Unknown stands for the bytes before the block with which ResetBlocks begins, where
// matches refer to them.
const Unknown = 0xff

// WindowSize is how far back a match may reach (RFC 1951 §2).
const WindowSize = windowSize

// ResetBlocks makes r read blocks (RFC 1951), without the header and trailer of a member,
// from a bit of src's first byte on. Matches may refer to the bytes before, which end with
// history; those before that are Unknown. The content ends, with io.EOF, after the last
// block: Offset is then its end. It has no checksum.
func (r *Reader) ResetBlocks(src io.Reader, bit uint, history []byte) {
	r.Reset(src)
	r.begin(stateBlock)
	r.raw = true
	history = history[max(0, len(history)-windowSize):]
	unknown := r.out[:windowSize-len(history)]
	for i := range unknown {
		unknown[i] = Unknown
	}
	copy(r.out[len(unknown):], history)
	r.rd, r.op, r.summed = windowSize, windowSize, windowSize
	if r.need(bit) {
		r.take(bit)
	}
}

// BlockStart is the bit of the input where the block in hand begins.
func (r *Reader) BlockStart() int64 { return r.blockStart }

// maxBlockHeader is how many bytes the header of a block can lie in: 17 bits, 19 lengths
// of 3 bits, the lengths of all codes in 7 bits and 7 more, and the rest of a byte.
const maxBlockHeader = (17 + 19*3 + (maxLitSymbols+maxDistSymbols)*14 + 7 + 7) / 8

// FindBlock returns the first bit of data, from bit on, where a block begins that is
// hardly there by chance: a dynamic one with complete codes, or a stored one with a length
// and its complement. It returns -1 if there is none, or only one whose header extends
// beyond data. The input that r was reading is lost.
func (r *Reader) FindBlock(data []byte, bit int) int {
	for at := bit / 8; at < len(data); at++ {
		for b := bit & 7; b < 8; b++ {
			if r.blockBegins(data[at:], uint(b)) {
				return 8*at + b
			}
		}
		bit = 0
	}
	return -1
}

// blockBegins reports whether such a block begins at a bit of the first byte of data.
func (r *Reader) blockBegins(data []byte, bit uint) bool {
	switch next := load64(data) >> bit; next >> 1 & 3 {
	case 0:
		return storedBegins(data, next, bit)
	case 2:
		if next>>3&31 > maxLitSymbols-257 || next>>8&31 > maxDistSymbols-1 ||
			!completePre(data, bit, int(next>>13&15)+4) {
			return false
		}
		r.input.reset(bytes.NewReader(data[:min(len(data), maxBlockHeader)]))
		r.need(bit + 3)
		r.take(bit + 3)
		return r.readCodes(&r.input, &r.own) == nil && r.own.leastLit > 0
	}
	return false
}

// storedBegins reports whether the bits after the type of a stored block, up to the next
// byte, are zeros, as all encoders write them, and a length follows with its complement.
func storedBegins(data []byte, next uint64, bit uint) bool {
	padding := -(bit + 3) & 7
	at := int(bit+3+padding) / 8
	return next>>3&(1<<padding-1) == 0 && at+4 <= len(data) &&
		binary.LittleEndian.Uint16(data[at:]) == ^binary.LittleEndian.Uint16(data[at+2:])
}

// completePre reports whether the code of code lengths is complete. Its n lengths stand
// 17 bits after bit.
func completePre(data []byte, bit uint, n int) bool {
	bit += 17
	lengths := load64(data[min(len(data), int(bit/8)):]) >> (bit & 7)
	used := 0
	for range n {
		used += 1 << preBits >> (lengths & 7) & (1<<preBits - 1) // none, where the length is 0
		lengths >>= 3
	}
	return used == 1<<preBits
}

// load64 returns the next 64 bits, with zeros where data ends.
func load64(data []byte) uint64 {
	if len(data) >= 8 {
		return binary.LittleEndian.Uint64(data)
	}
	var last [8]byte
	copy(last[:], data)
	return binary.LittleEndian.Uint64(last[:])
}
