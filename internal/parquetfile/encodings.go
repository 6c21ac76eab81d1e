package parquetfile

import "encoding/binary"

var errFewer = damaged("a page has fewer values than its header says")

// decodeHybrid fills dst with values of some bits each, in runs of one value or packed (the RLE
// encoding of Parquet).
func decodeHybrid(dst []uint32, src []byte, width uint) error {
	if width > 32 {
		return damaged("values of %d bits", width)
	}
	if width == 0 {
		clear(dst)
		return nil
	}
	for i := 0; i < len(dst); {
		head, n := binary.Uvarint(src)
		if n <= 0 {
			return errFewer
		}
		src = src[n:]
		left := uint64(len(dst) - i)
		if head&1 == 0 {
			size := int(width+7) / 8
			if len(src) < size {
				return errFewer
			}
			v := uint32(bitsAt(src[:size], 0, width))
			src = src[size:]
			run := dst[i : i+int(min(head>>1, left))]
			for j := range run {
				run[j] = v
			}
			i += len(run)
			continue
		}
		groups := min(head>>1, left/8+1) // of eight values
		run := dst[i : i+int(min(groups*8, left))]
		size := min(int(groups)*int(width), len(src))
		if len(run)*int(width) > size*8 {
			return errFewer
		}
		for j := range run {
			run[j] = uint32(bitsAt(src[:size], uint(j)*width, width))
		}
		src = src[size:]
		i += len(run)
	}
	return nil
}

// decodeDelta fills dst with integers of the encoding DELTA_BINARY_PACKED, and returns the
// bytes after them.
func decodeDelta(dst []int64, src []byte) (rest []byte, err error) {
	uvarint := func() uint64 {
		v, n := binary.Uvarint(src)
		if n <= 0 {
			src, err = nil, errFewer
			return 0
		}
		src = src[n:]
		return v
	}
	varint := func() int64 {
		v := uvarint()
		return int64(v>>1) ^ -int64(v&1)
	}
	block, minis, total, value := uvarint(), uvarint(), uvarint(), varint()
	switch {
	case err != nil:
		return nil, err
	case total != uint64(len(dst)):
		return nil, damaged("a page has %d values, and its header says %d", total, len(dst))
	case minis == 0 || block > 1<<20 || block%minis != 0 || block/minis%8 != 0 || block == 0:
		return nil, damaged("delta blocks of a wrong size")
	}
	if len(dst) == 0 {
		return src, nil
	}
	dst[0] = value
	for i := 1; i < len(dst); {
		least := varint()
		if err != nil || uint64(len(src)) < minis {
			return nil, errFewer
		}
		widths := src[:minis]
		src = src[minis:]
		for _, width := range widths {
			if i == len(dst) {
				break // blocks that are not needed have a width and no data
			}
			perMini := int(block / minis)
			size := perMini * int(width) / 8
			if width > 64 || len(src) < size {
				return nil, errFewer
			}
			mini := src[:size]
			src = src[size:]
			for j := 0; j < perMini && i < len(dst); j++ {
				value += least + int64(bitsAt(mini, uint(j)*uint(width), uint(width)))
				dst[i] = value
				i++
			}
		}
	}
	return src, nil
}

// bitsAt returns up to 64 bits from a place, the lowest first.
func bitsAt(b []byte, at, width uint) uint64 {
	b, at = b[at/8:], at%8
	if at+width <= 64 && len(b) >= 8 {
		return binary.LittleEndian.Uint64(b) >> at & (1<<width - 1)
	}
	var window [16]byte
	copy(window[:], b)
	v := binary.LittleEndian.Uint64(window[:])>>at | binary.LittleEndian.Uint64(window[8:])<<(64-at)
	return v & (1<<width - 1)
}
