package parquetwriter

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/rle"
)

// TestNumbers: parquet-go reads what appendNumbers writes, of runs and of what does not repeat, of all lengths and
// widths.
func TestNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for width := range 32 {
		for _, count := range []int{0, 1, 7, 8, 9, 64, 71, 1000} {
			numbers := make([]int32, 0, count)
			for len(numbers) < count {
				n := random.Int32N(int32(uint32(1)<<width-1)/2 + 1)
				repeat := 1
				if random.IntN(3) == 0 {
					repeat = 1 + random.IntN(40)
				}
				numbers = append(numbers, slices.Repeat([]int32{n}, min(repeat, count-len(numbers)))...)
			}
			b := appendNumbers([]byte{}, numbers)
			got, err := new(rle.DictionaryEncoding).DecodeInt32(nil, append(b, make([]byte, 64)...)[:len(b)])
			if err != nil || !slices.Equal(got, numbers) {
				t.Fatalf("%d numbers of at most %d bits: %v, %v in place of %v", count, width, err, got, numbers)
			}
		}
	}
}

// TestNumbersAnywhere: the bytes are the same on every processor. parquet-go with AVX2 cuts these groups in two.
func TestNumbersAnywhere(t *testing.T) {
	var numbers []int32
	for _, group := range []byte{0xc0, 0xf0, 0x03, 0xec, 0x7c} {
		for bit := range 8 {
			numbers = append(numbers, int32(group>>bit&1))
		}
	}
	numbers = append(append(numbers, slices.Repeat([]int32{1}, 17)...), 0, 0)
	const want = "01" + "0bc0f003ec7c" + "2001" + "0201" + "0400"
	if got := fmt.Sprintf("%x", appendNumbers(nil, numbers)); got != want {
		t.Errorf("%s in place of %s", got, want)
	}
}
