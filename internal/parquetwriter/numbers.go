package parquetwriter

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/parquet-go/bitpack"
)

// appendNumbers encodes the numbers of entries of a dictionary: runs of one number, and groups of eight whose bits
// are packed. rle.DictionaryEncoding of parquet-go does so, too, but cuts at other places with AVX2 than without:
// a table would have other bytes on another processor.
func appendNumbers(dst []byte, numbers []int32) []byte {
	var all int32
	for _, n := range numbers {
		all |= n
	}
	width := uint(bits.Len32(uint32(all)))
	dst = append(dst, byte(width))
	if width == 0 {
		return binary.AppendUvarint(dst, uint64(len(numbers))<<1)
	}
	grouped := len(numbers) / 8 * 8
	for i := 0; i < grouped; {
		j := i
		for j < grouped && isGroupOf(numbers[j:j+8], numbers[i]) {
			j += 8
		}
		if i < j {
			dst = appendNumberRun(dst, numbers[i], j-i, width)
		} else {
			for j += 8; j < grouped && !isGroupOf(numbers[j:j+8], numbers[j]); {
				j += 8
			}
			dst = appendPacked(dst, numbers[i:j], width)
		}
		i = j
	}
	for i := grouped; i < len(numbers); {
		j := i + 1
		for j < len(numbers) && numbers[j] == numbers[i] {
			j++
		}
		dst = appendNumberRun(dst, numbers[i], j-i, width)
		i = j
	}
	return dst
}

// isGroupOf reports whether all eight numbers of a group are n.
func isGroupOf(group []int32, n int32) bool {
	g := [8]int32(group)
	return g == [8]int32{n, n, n, n, n, n, n, n}
}

func appendNumberRun(dst []byte, number int32, count int, width uint) []byte {
	dst = binary.AppendUvarint(dst, uint64(count)<<1)
	end := len(dst) + bitpack.ByteCount(width)
	return binary.LittleEndian.AppendUint32(dst, uint32(number))[:end]
}

func appendPacked(dst []byte, numbers []int32, width uint) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(numbers)/8)<<1|1)
	start, size := len(dst), bitpack.ByteCount(uint(len(numbers))*width)
	dst = slices.Grow(dst, size+bitpack.PaddingInt32)[:start+size+bitpack.PaddingInt32]
	bitpack.Pack(dst[start:], numbers, width)
	return dst[:start+size]
}
