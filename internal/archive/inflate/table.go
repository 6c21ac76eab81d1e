package inflate

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
)

// An entry of a decode table describes the code that the next bits begin with:
//
//	bits 0–7    how many bits it has, its extra bits included
//	bits 8–15   the width of the index that the next look-up takes
//	bits 16–19  how many of its bits are not extra; bits 20 and 21 are zero
//	bits 22–29  the literal; the least length, less 3; the least distance, less 1,
//	            without its low zeros, as many as there are extra bits (RFC 1951
//	            §3.2.5)
//	bit 30      entryException, with entryEnd and entryLink in bits 28 and 29
//	bit 31      entryLiteral
//
// Codes longer than the table's index go on in a second table after the first: a link
// entry has its place in bits 16–27. Bits that begin no code, or that of a symbol that
// must not occur, have an exception.
//
// The tables have indices of fixed width, whatever their codes: after a literal and
// after a distance comes an index of litBits bits, after a length one of distBits.
const (
	entryWidth = 0xff // mask
	entryNext  = 8    // shift
	entryCode  = 16   // shift
	entryPlace = 16   // shift
	entryValue = 22   // shift

	entryEnd       = 1 << 28 // of block, with entryException
	entryLink      = 1 << 29 // with entryException
	entryException = 1 << 30
	entryLiteral   = 1 << 31
)

const (
	maxCode  = 15 // bits, RFC 1951 §3.2.7
	endBlock = 256
	minMatch = 3
	maxMatch = 258

	// The index widths of the first tables: the common codes fit in, and the
	// tables in a first-level cache.
	litBits  = 11
	distBits = 8

	// The tables' sizes are the powers of two above what complete codes of 286
	// and 30 symbols can need with their second tables: 2,342 and 402.
	litSize  = 1 << 12
	distSize = 1 << 9
)

// codes are the two codes of a block.
type codes struct {
	lit  [litSize]uint32 // literals, lengths, end of block
	dist [distSize]uint32
	// leastLit is the least number of bits with which compress/flate looks for a
	// literal or length: where the input ends it ends with these.
	leastLit uint
}

// build makes the tables from the lengths of the codes, and reports whether they are
// codes. Each symbol's code has a length; lits and dists count the codes of each length.
func (c *codes) build(lit, dist []uint8, lits, dists *lengthCount) bool {
	if !buildTable(c.lit[:], litBits, lit, lits, litEntries[:]) ||
		!buildTable(c.dist[:], distBits, dist, dists, distEntries[:]) {
		return false
	}
	c.leastLit = uint(lit[endBlock])
	return true
}

// lengthCount is how many symbols have a code of each length. Those of length 0 do
// not occur.
type lengthCount [maxCode + 1]uint16

func countLengths(lengths []uint8) (c lengthCount) {
	for _, n := range lengths {
		c[n&15]++
	}
	return c
}

// fixedCodes are the fixed Huffman codes of RFC 1951 §3.2.6.
var fixedCodes = sync.OnceValue(func() *codes {
	lit := make([]uint8, len(litEntries))
	for i := range lit {
		switch {
		case i < 144:
			lit[i] = 8
		case i < 256:
			lit[i] = 9
		case i < 280:
			lit[i] = 7
		default:
			lit[i] = 8
		}
	}
	dist := make([]uint8, len(distEntries))
	for i := range dist {
		dist[i] = 5
	}
	c := new(codes)
	lits, dists := countLengths(lit), countLengths(dist)
	c.build(lit, dist, &lits, &dists)
	return c
})

// What the symbols mean: entries without the lengths of their codes.
var (
	preEntries  = makePreEntries()
	litEntries  = makeLitEntries()
	distEntries = makeDistEntries()
)

func makePreEntries() (e [preSymbols]uint32) {
	for s := range e {
		e[s] = uint32(s) << entryValue
	}
	return e
}

// makeLitEntries follows the table of lengths in RFC 1951 §3.2.5.
func makeLitEntries() (e [288]uint32) {
	for s := range endBlock {
		e[s] = entryLiteral | uint32(s)<<entryValue | litBits<<entryNext
	}
	e[endBlock] = entryException | entryEnd
	least := uint32(0)
	for s := 257; s < 285; s++ {
		extra := uint32(0)
		if s >= 265 {
			extra = uint32(s-261) / 4
		}
		e[s] = least<<entryValue | distBits<<entryNext | extra
		least += 1 << extra
	}
	e[285] = (maxMatch-minMatch)<<entryValue | distBits<<entryNext
	e[286], e[287] = entryException, entryException
	return e
}

// makeDistEntries follows the table of distances in RFC 1951 §3.2.5.
func makeDistEntries() (e [32]uint32) {
	for s := range uint32(maxDistSymbols) {
		top, extra := s, uint32(0)
		if s >= 4 {
			top, extra = 2+s%2, (s-2)/2
		}
		e[s] = top<<entryValue | litBits<<entryNext | extra
	}
	e[30], e[31] = entryException, entryException
	return e
}

// buildTable makes the decode table, with an index of width bits, of the canonical
// code (RFC 1951 §3.2.2) whose codes have these lengths, and reports whether it is
// one.
//
// As in compress/flate and zlib the code must be complete, neither
// over-subscribed nor with bits that begin no code, with two exceptions: one code
// of one bit, which encoders write where a block has a single distance (§3.2.7),
// and no code at all. Their unused bits are exceptions in the table.
func buildTable(table []uint32, width uint, lengths []uint8, count *lengthCount, entries []uint32) bool {
	longest := uint(maxCode)
	for longest > 0 && count[longest] == 0 {
		longest--
	}
	// Places of the symbols when sorted by length, and the codes in use, in units
	// of the longest.
	var place [maxCode + 2]uint16
	place[1] = count[0]
	used := 0
	for n := uint(1); n <= longest; n++ {
		place[n+1] = place[n] + count[n]
		used = used<<1 + int(count[n])
	}
	if used != 1<<longest {
		return buildPartial(table[:1<<width], longest, used, lengths, entries)
	}
	var sorted [288]uint16
	sortSymbols(&sorted, &place, lengths)
	b := builder{table, entries, sorted[count[0]:len(lengths)], 0}
	shortest := uint(1)
	for count[shortest] == 0 {
		shortest++
	}
	for n := shortest; n <= width; n++ {
		b.short(n, int(count[n]))
	}
	if longest > width {
		b.long(width, width+1, count)
	}
	return true
}

// sortSymbols sorts the symbols by the lengths of their codes. Symbols that do not
// occur come first: to write them is faster than to test for them, except where eight
// stand together.
func sortSymbols(sorted *[288]uint16, place *[maxCode + 2]uint16, lengths []uint8) {
	s := uint16(0)
	for ; len(lengths) >= 8; lengths = lengths[8:] {
		eight := binary.LittleEndian.Uint64(lengths)
		if eight == 0 {
			s += 8
			place[0] += 8
			continue
		}
		for range 8 {
			n := eight & 15
			sorted[place[n]] = s
			place[n]++
			eight >>= 8
			s++
		}
	}
	for _, n := range lengths {
		sorted[place[n&15]] = s
		place[n&15]++
		s++
	}
}

// buildPartial makes the table of a code that is not complete, if it is one of the
// exceptions.
func buildPartial(table []uint32, longest uint, used int, lengths []uint8, entries []uint32) bool {
	for i := range table {
		table[i] = entryException
	}
	if longest == 1 && used == 1 {
		e := codeEntry(entries[slices.Index(lengths, 1)], 1)
		for i := 0; i < len(table); i += 2 {
			table[i] = e
		}
	}
	return used <= 1 && longest <= 1
}

// codeEntry completes the entry of a symbol with the length of its code, or with
// the bits of it that are looked up in a second table.
func codeEntry(entry uint32, n uint) uint32 { return entry + uint32(n)<<entryCode + uint32(n) }

// builder fills the table of a complete code, from the shortest code to the longest.
// Codes come most significant bit first (§3.1.1), so an index is a code with its
// bits reversed, and above it what follows it.
type builder struct {
	table   []uint32
	entries []uint32
	sorted  []uint16 // the symbols whose codes are to come
	code    uint16   // the next code, its first bit highest, whatever its length
}

// short enters the codes of n bits, as many as count. The entries of the shorter
// codes, whose index has n-1 bits, are doubled: the next bit is not theirs.
func (b *builder) short(n uint, count int) {
	half := uint(1) << (n - 1)
	copy(b.table[half:2*half], b.table[:half])
	table, entries, code := b.table[:2*half], b.entries, b.code
	step := uint16(1) << (16 - n)
	for _, s := range b.sorted[:count] {
		table[bits.Reverse16(code)] = codeEntry(entries[s], n)
		code += step
	}
	b.code = code
	b.sorted = b.sorted[count:]
}

// long enters the codes of n bits and more, in second tables for each of their
// first width bits.
func (b *builder) long(width, n uint, count *lengthCount) {
	start, end := uint(0), uint(1)<<width // the second table in hand
	first := ^uint(0)                     // the bits that lead to it
	table, entries, code := b.table, b.entries, b.code
	for ; len(b.sorted) > 0; n++ {
		for k, s := range b.sorted[:count[n]] {
			reversed := uint(bits.Reverse16(code))
			if reversed&(1<<width-1) != first {
				first = reversed & (1<<width - 1)
				w := linkWidth(width, n, int(count[n])-k, count)
				start, end = end, end+1<<w
				table[first] = uint32(start<<entryPlace | w<<entryNext | width | entryLink | entryException)
			}
			e := codeEntry(entries[s], n-width)
			for i := start + reversed>>width; i < end; i += 1 << (n - width) {
				table[i] = e
			}
			code += 1 << (16 - n)
		}
		b.sorted = b.sorted[count[n]:]
	}
}

// linkWidth is the width of a second table that begins with codes of n bits, where left
// codes remain: the least that makes its codes complete.
func linkWidth(width, n uint, left int, count *lengthCount) uint {
	w := n - width
	for left < 1<<w {
		w++
		left = left<<1 + int(count[width+w])
	}
	return w
}
