package inflate

import "encoding/binary"

// copyStep is how many octets of a match are copied at a time.
const copyStep = 16

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
	e, v, err := r.symbol(r.codes.lit[:], r.codes.litMask)
	switch {
	case err != nil:
		return err
	case e&entryLiteral != 0:
		r.out[r.op] = byte(v)
		r.op++
		return nil
	case e&entryEnd != 0:
		r.endBlock()
		return nil
	}
	length := v
	_, distance, err := r.symbol(r.codes.dist[:], r.codes.distMask)
	if err != nil {
		return err
	}
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
func (r *Reader) symbol(table []uint32, mask uint64) (e uint32, value int, err error) {
	r.refill()
	e = table[r.bits&mask]
	width := uint(e & entryWidth)
	if e&entryLink != 0 && width <= r.nbits {
		r.take(width)
		e = table[uint64(e>>entryValue)+r.bits&(1<<(e>>entryCode&15)-1)]
		width = uint(e & entryWidth)
	}
	switch {
	case width > r.nbits:
		return 0, 0, r.ended()
	case e&(entryException|entryEnd) == entryException:
		return 0, 0, r.damage(unusedCode)
	}
	extra := r.take(width) >> (e >> entryCode & 15)
	return e, int(e&^entryLiteral>>entryValue) + int(extra), nil
}

// fast decodes symbols while there is room for any in the piece, and input for any
// in the block.
//
// The loop is long because all that it needs must stay in registers. It differs
// from careful in this: bits are refilled without asking how many there are, the
// entry of the next symbol is looked up before the one in hand is written, and
// matches are copied in words that overrun their end.
//
// Of n only the low octet counts, so that an entry can be subtracted as it is.
func (r *Reader) fast() error {
	c := r.codes
	in, out := &r.in, &r.out
	ip, op := uint(r.ip), uint(r.op)
	inEnd := uint(r.iend - inMargin)
	bits, n := r.bits, uint64(r.nbits)
	litMask, distMask := c.litMask, c.distMask
	var err error

	bits |= load(in, ip) << (n & 63)
	ip += 7 - uint(n>>3)&7
	n |= 56
	e := c.lit[bits&litMask]
	for ip <= inEnd && op < pieceEnd {
		// At least 56 bits are in hand here.
		saved := bits
		bits >>= e & 63
		n -= uint64(e)
		if int32(e) < 0 {
			out[op] = byte(e >> entryValue)
			op++
			e = c.lit[bits&litMask]
			saved = bits
			bits >>= e & 63
			n -= uint64(e)
			if int32(e) < 0 {
				out[op] = byte(e >> entryValue)
				op++
				e = c.lit[bits&litMask]
				saved = bits
				bits >>= e & 63
				n -= uint64(e)
				if int32(e) < 0 {
					out[op] = byte(e >> entryValue)
					op++
					e = c.lit[bits&litMask]
					bits |= load(in, ip) << (n & 63)
					ip += 7 - uint(n>>3)&7
					n |= 56
					continue
				}
			}
		}
		if e&entryException != 0 {
			if e&entryLink != 0 {
				e = c.lit[uint64(e>>entryValue&0x7fff)+bits&(1<<(e>>entryCode&15)-1)]
				saved = bits
				bits >>= e & 63
				n -= uint64(e)
				if int32(e) < 0 {
					out[op] = byte(e >> entryValue)
					op++
					e = c.lit[bits&litMask]
					bits |= load(in, ip) << (n & 63)
					ip += 7 - uint(n>>3)&7
					n |= 56
					continue
				}
			}
			if e&entryException != 0 {
				if e&entryEnd != 0 {
					r.endBlock()
				} else {
					err = r.damage(unusedCode)
				}
				break
			}
		}
		length := uint(e>>entryValue) + uint(saved&(1<<(e&63)-1)>>(e>>entryCode&63))

		if n&0xff < 28 {
			bits |= load(in, ip) << (n & 63)
			ip += 7 - uint(n>>3)&7
			n |= 56
		}
		e = c.dist[bits&distMask]
		saved = bits
		bits >>= e & 63
		n -= uint64(e)
		if e&entryException != 0 {
			if e&entryLink == 0 {
				err = r.damage(unusedCode)
				break
			}
			e = c.dist[uint64(e>>entryValue)+bits&(1<<(e>>entryCode&15)-1)]
			saved = bits
			bits >>= e & 63
			n -= uint64(e)
			if e&entryException != 0 {
				err = r.damage(unusedCode)
				break
			}
		}
		distance := uint(e>>entryValue) + uint(saved&(1<<(e&63)-1)>>(e>>entryCode&63))
		if distance > op {
			err = r.damage(beyondStart)
			break
		}
		bits |= load(in, ip) << (n & 63)
		ip += 7 - uint(n>>3)&7
		n |= 56
		e = c.lit[bits&litMask]

		from := op - distance
		end := op + length
		switch {
		case distance >= 16:
			copy16(out, op, from)
			copy16(out, op+16, from+16)
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
	return err
}

// load returns the 8 octets of input at ip. The mask changes nothing: it spares
// the comparison with the end.
func load(in *[blockSize + 8]byte, ip uint) uint64 {
	ip &= blockSize - 1
	return binary.LittleEndian.Uint64(in[ip : ip+8])
}

// copy16 copies 16 octets. The masks change nothing, as in load.
func copy16(out *[outSize + copyStep]byte, to, from uint) {
	to, from = to&(outSize-1), from&(outSize-1)
	*(*[16]byte)(out[to : to+16]) = *(*[16]byte)(out[from : from+16])
}

func copy8(out *[outSize + copyStep]byte, to, from uint) {
	to, from = to&(outSize-1), from&(outSize-1)
	*(*[8]byte)(out[to : to+8]) = *(*[8]byte)(out[from : from+8])
}

// repeat repeats the last distance octets, fewer than 8, up to end.
func repeat(out *[outSize + copyStep]byte, op, distance, end uint) {
	pattern := binary.LittleEndian.Uint64(out[op-distance:]) & (1<<(8*distance) - 1)
	pattern |= pattern << (8 * distance)
	pattern |= pattern << (16 * distance)
	pattern |= pattern << (32 * distance)
	for step := 8 / distance * distance; op < end; op += step {
		binary.LittleEndian.PutUint64(out[op:], pattern)
	}
}
