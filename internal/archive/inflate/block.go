package inflate

import "encoding/binary"

// block reads the header of a block (RFC 1951 §3.2.3).
func (r *Reader) block() error {
	if !r.need(3) {
		return r.ended()
	}
	r.final = r.take(1) == 1
	switch r.take(2) {
	case 0:
		return r.storedHeader()
	case 1:
		r.codes = fixedCodes()
	case 2:
		if err := r.readCodes(&r.input, &r.own); err != nil {
			return err
		}
		r.codes = &r.own
	default:
		return r.damage("reserved block type")
	}
	r.state = stateSymbols
	return nil
}

// endBlock goes on after a block.
func (r *Reader) endBlock() {
	r.state = stateBlock
	if r.final {
		r.state = stateTrailer
	}
}

// storedHeader reads the length of a stored block and its complement (RFC 1951
// §3.2.4).
func (r *Reader) storedHeader() error {
	r.align()
	if !r.ensure(4) {
		return r.ended()
	}
	n, complement := binary.LittleEndian.Uint16(r.in[r.ip:]), binary.LittleEndian.Uint16(r.in[r.ip+2:])
	r.ip += 4
	if n != ^complement {
		return r.damage("the length of a stored block differs from its complement")
	}
	r.left = int(n)
	r.state = stateStored
	return nil
}

// stored copies the bytes at hand of a stored block.
func (r *Reader) stored() error {
	if r.left == 0 {
		r.endBlock()
		return nil
	}
	if !r.ensure(1) {
		return r.ended()
	}
	n := copy(r.out[r.op:pieceEnd], r.in[r.ip:min(r.iend, r.ip+r.left)])
	r.ip += n
	r.op += n
	r.left -= n
	return nil
}

const (
	maxLitSymbols  = 286 // RFC 1951 §3.2.5; 286 and 287 have codes, but never occur (§3.2.6)
	maxDistSymbols = 30
	preSymbols     = 19
	preBits        = 7 // the longest code of a code length
)

// preOrder is the order in which the lengths of the codes of code lengths are
// written (RFC 1951 §3.2.7).
var preOrder = [preSymbols]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// runSlack is how much of a run of lengths is written at a time, even if it overruns
// its end.
const runSlack = 16

// codeReader reads the codes of dynamic blocks.
type codeReader struct {
	lengths [maxLitSymbols + maxDistSymbols + runSlack]uint8
	count   lengthCount // of both codes
	pre     [1 << preBits]uint32
}

// readCodes reads the two codes of a dynamic block (RFC 1951 §3.2.7).
func (c *codeReader) readCodes(in *input, to *codes) error {
	if !in.need(5 + 5 + 4) {
		return in.ended()
	}
	lits, dists, pres := int(in.take(5))+257, int(in.take(5))+1, int(in.take(4))+4
	if lits > maxLitSymbols || dists > maxDistSymbols {
		return in.damage("too many symbols in a block")
	}
	if err := c.readPre(in, pres); err != nil {
		return err
	}
	if err := c.readLengths(in, lits+dists); err != nil {
		return err
	}
	of := c.lengths[:lits+dists]
	distCount := countLengths(of[lits:])
	for n := range distCount {
		c.count[n] -= distCount[n]
	}
	if !to.build(of[:lits], of[lits:], &c.count, &distCount) {
		return in.damage("incomplete or over-subscribed code")
	}
	return nil
}

// readPre reads the code of the code lengths.
func (c *codeReader) readPre(in *input, n int) error {
	var lengths [preSymbols]uint8
	for _, s := range preOrder[:n] {
		if !in.need(3) {
			return in.ended()
		}
		lengths[s] = uint8(in.take(3))
	}
	count := countLengths(lengths[:])
	if !buildTable(c.pre[:], preBits, lengths[:], &count, preEntries[:]) {
		return in.damage("incomplete or over-subscribed code of code lengths")
	}
	return nil
}

// readLengths reads n code lengths. Runs go on from one code into the other. The
// bits are kept in local variables, as there are a few hundred lengths a block.
func (c *codeReader) readLengths(in *input, n int) error {
	bits, left := in.bits, in.nbits
	c.count = lengthCount{}
	reason := "" // of damage
	for i := 0; i < n && reason == ""; {
		if left < preBits+7 { // a code and its extra bits
			in.bits, in.nbits = bits, left
			in.refill()
			bits, left = in.bits, in.nbits
		}
		e := c.pre[bits&(1<<preBits-1)]
		width := uint(e & entryWidth)
		switch {
		case width > left:
			return in.ended()
		case e&entryException != 0:
			reason = "unused code of a code length"
			continue
		}
		bits >>= width & 63
		left -= width
		symbol := uint8(e >> entryValue)
		if symbol < 16 {
			c.lengths[i] = symbol
			c.count[symbol]++
			i++
			continue
		}
		run, length := repeats[symbol&3], uint8(0)
		if symbol == 16 {
			if i == 0 {
				reason = "no code length to repeat"
				continue
			}
			length = c.lengths[i-1]
		}
		if run.extra > left {
			return in.ended()
		}
		end := i + run.least + int(bits&(1<<(run.extra&63)-1))
		bits >>= run.extra & 63
		left -= run.extra
		if end > n {
			reason = "too many code lengths"
			continue
		}
		c.count[length] += uint16(end - i)
		eight := uint64(length) * 0x0101010101010101
		for ; i < end; i += runSlack {
			to := c.lengths[i : i+runSlack]
			binary.LittleEndian.PutUint64(to, eight)
			binary.LittleEndian.PutUint64(to[8:], eight)
		}
		i = end
	}
	in.bits, in.nbits = bits, left
	if reason != "" {
		return in.damage(reason)
	}
	return nil
}

// repeats are the runs that symbols 16 to 18 of the code of code lengths mean.
var repeats = [4]struct {
	least int
	extra uint
}{{3, 2}, {3, 3}, {11, 7}}
