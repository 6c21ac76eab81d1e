package inflate

import "encoding/binary"

// symbols decodes symbols of a compressed block (RFC 1951 §3.2.3), up to the end
// of the piece or the block.
func (r *Reader) symbols() error {
	for r.op < pieceEnd && r.state == stateSymbols {
		if r.iend-r.ip < inMargin {
			r.fill()
		}
		decode := r.careful
		if r.iend-r.ip >= inMargin {
			decode = r.fast
		}
		if err := decode(); err != nil {
			return err
		}
	}
	return nil
}

// careful decodes one symbol, where the input may end.
func (r *Reader) careful() error {
	if !r.need(r.codes.leastLit) {
		return r.ended()
	}
	e, extra, err := r.symbol(r.codes.lit[:], litBits)
	switch {
	case err != nil:
		return err
	case e&entryLiteral != 0:
		r.out[r.op] = byte(e >> entryValue)
		r.op++
		return nil
	case e&entryException != 0:
		r.endBlock()
		return nil
	}
	length := minMatch + int(e>>entryValue) + extra
	e, extra, err = r.symbol(r.codes.dist[:], distBits)
	if err != nil {
		return err
	}
	distance := 1 + int(e>>entryValue)<<(e&entryWidth-e>>entryCode&15) + extra
	if distance > r.op {
		return r.damage(beyondStart)
	}
	for range length {
		r.out[r.op] = r.out[r.op-distance]
		r.op++
	}
	return nil
}

const (
	unusedCode  = "unused code"
	beyondStart = "distance beyond the start of the member"
)

// symbol decodes one symbol with its extra bits.
func (r *Reader) symbol(table []uint32, index uint) (e uint32, extra int, err error) {
	r.refill()
	e = table[r.bits&(1<<index-1)]
	width := uint(e & entryWidth)
	if e&(entryException|entryLink) == entryException|entryLink && width <= r.nbits {
		r.take(width)
		e = table[linked(e, r.bits)]
		width = uint(e & entryWidth)
	}
	switch {
	case width > r.nbits:
		return 0, 0, r.ended()
	case e&(entryException|entryEnd) == entryException:
		r.take(width) // as fast does, so that the offset is the same
		return 0, 0, r.damage(unusedCode)
	}
	return e, int(r.take(width) >> (e >> entryCode & 15)), nil
}

// linked is the index of the entry that a link and the bits after it lead to.
func linked(e uint32, bits uint64) uint64 {
	return uint64(e>>entryPlace&(litSize-1)) + bits&(1<<(e>>entryNext&15)-1)
}

// fast decodes symbols while there is room for any in the piece, and input for any
// in the block.
func (r *Reader) fast() error {
	inEnd := r.iend - inMargin
	switch decode(r, r.codes, uint(inEnd)) {
	case stopBlock:
		r.endBlock()
	case stopUnused:
		return r.damage(unusedCode)
	case stopBeyond:
		return r.damage(beyondStart)
	}
	return nil
}

// A stop is why the loop of fast has stopped.
type stop int

const (
	stopRoom   stop = iota // at the end of the piece or at inEnd
	stopBlock              // at the end of the block
	stopUnused             // at an unused code
	stopBeyond             // at a distance beyond the start of the member
)

// decode decodes symbols until one of its ends, from inMargin bytes of input on.
//
// The loop is long because all that it needs must stay in registers. It differs
// from careful in this: bits are refilled without asking how many there are, the
// entry of the next symbol is looked up before the one in hand is written and bits
// are refilled, and matches are copied in words that overrun their end.
//
// Of n only the low byte counts, so that an entry can be subtracted as it is.
func decode(r *Reader, c *codes, inEnd uint) stop {
	in, out := &r.in, &r.out
	ip, op := uint(r.ip), uint(r.op)
	bits, n := r.bits, uint64(r.nbits)
	why := stopRoom

	bits |= load(in, ip) << (n & 63)
	ip += 7 - uint(n>>3)&7
	n |= 56
	e := c.lit[bits&(1<<litBits-1)]
	for ip <= inEnd && op < pieceEnd {
		// At least 56 bits are in hand here.
		saved := bits
		bits >>= e & 63
		n -= uint64(e)
		if int32(e) < 0 {
			out[op] = byte(e >> entryValue)
			op++
			e = c.lit[bits&(1<<litBits-1)]
			saved = bits
			bits >>= e & 63
			n -= uint64(e)
			if int32(e) < 0 {
				out[op] = byte(e >> entryValue)
				op++
				e = c.lit[bits&(1<<litBits-1)]
				saved = bits
				bits >>= e & 63
				n -= uint64(e)
				if int32(e) < 0 {
					out[op] = byte(e >> entryValue)
					op++
					e = c.lit[bits&(1<<litBits-1)]
					bits |= load(in, ip) << (n & 63)
					ip += 7 - uint(n>>3)&7
					n |= 56
					continue
				}
			}
		}
		if e&entryException != 0 {
			if e&entryLink != 0 {
				e = c.lit[linked(e, bits)]
				saved = bits
				bits >>= e & 63
				n -= uint64(e)
				if int32(e) < 0 {
					out[op] = byte(e >> entryValue)
					op++
					e = c.lit[bits&(1<<litBits-1)]
					bits |= load(in, ip) << (n & 63)
					ip += 7 - uint(n>>3)&7
					n |= 56
					continue
				}
			}
			if e&entryException != 0 {
				why = stopUnused
				if e&entryEnd != 0 {
					why = stopBlock
				}
				break
			}
		}
		length := minMatch + uint(e>>entryValue) + uint(saved&(1<<(e&63)-1)>>(e>>entryCode&63))

		// All 64 bits were good, at most 42 are used: enough for the index.
		e = c.dist[bits&(1<<distBits-1)]
		bits |= load(in, ip) << (n & 63)
		ip += 7 - uint(n>>3)&7
		n |= 56
		saved = bits
		bits >>= e & 63
		n -= uint64(e)
		if e&entryException != 0 {
			if e&entryLink == 0 {
				why = stopUnused
				break
			}
			e = c.dist[linked(e, bits)&(distSize-1)]
			saved = bits
			bits >>= e & 63
			n -= uint64(e)
			if e&entryException != 0 {
				why = stopUnused
				break
			}
		}
		distance := 1 + uint((saved&(1<<(e&63)-1)|uint64(e>>entryValue)<<(e&63))>>(e>>entryCode&63))
		if distance > op {
			why = stopBeyond
			break
		}
		e = c.lit[bits&(1<<litBits-1)]
		bits |= load(in, ip) << (n & 63)
		ip += 7 - uint(n>>3)&7
		n |= 56

		from := op - distance
		end := op + length
		switch {
		case distance >= 16:
			copy32(out, op, from)
			for op += 32; op < end; op += 16 {
				from += 16
				copy16(out, op, from+16)
			}
		case distance >= 8:
			for ; op < end; op += 8 {
				copy8(out, op, from)
				from += 8
			}
		default:
			repeat(out, op, distance, end)
		}
		op = end
	}
	r.ip, r.op = int(ip), int(op)
	r.nbits = uint(n & 0xff)
	r.bits = bits & (1<<r.nbits - 1)
	return why
}

// load returns the 8 bytes of input at ip. The mask changes nothing: it spares
// the comparison with the end.
func load(in *[blockSize + 8]byte, ip uint) uint64 {
	ip &= blockSize - 1
	return binary.LittleEndian.Uint64(in[ip : ip+8])
}

// copy8 copies 8 bytes. The masks change nothing, as in load.
func copy8(out *window, to, from uint) {
	to, from = to&(outSize-1), from&(outSize-1)
	*(*[8]byte)(out[to : to+8]) = *(*[8]byte)(out[from : from+8])
}

func copy16(out *window, to, from uint) {
	to, from = to&(outSize-1), from&(outSize-1)
	*(*[16]byte)(out[to : to+16]) = *(*[16]byte)(out[from : from+16])
}

// copy32 copies 16 bytes, then 16 more, which may be among those just written.
func copy32(out *window, to, from uint) {
	to, from = to&(outSize-1), from&(outSize-1)
	t, f := out[to:to+32], out[from:from+32]
	*(*[16]byte)(t) = *(*[16]byte)(f)
	*(*[16]byte)(t[16:]) = *(*[16]byte)(f[16:])
}

// patterns repeat 1 to 7 bytes: a product repeats them over 64 bits, and step bytes are
// whole repetitions.
var patterns = [8]struct {
	factor uint64
	step   uint
}{
	1: {0x0101010101010101, 8}, 2: {0x0001000100010001, 8}, 3: {0x0001000001000001, 6}, 4: {0x0000000100000001, 8},
	5: {0x0000010000000001, 5}, 6: {0x0001000000000001, 6}, 7: {0x0100000000000001, 7},
}

// repeat writes the distance bytes before op, fewer than 8, again and again, from
// op to end or a little further.
func repeat(out *window, op, distance, end uint) {
	p := &patterns[distance&7]
	from := (op - distance) & (outSize - 1)
	word := binary.LittleEndian.Uint64(out[from:from+8]) & (1<<(8*distance&63) - 1) * p.factor
	for ; op < end; op += p.step {
		to := op & (outSize - 1)
		binary.LittleEndian.PutUint64(out[to:to+8], word)
	}
}
