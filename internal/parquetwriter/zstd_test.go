package parquetwriter

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestZstdIsReadable decodes with the codec that every reader of the files has.
func TestZstdIsReadable(t *testing.T) {
	var c pageZstd
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{0, 1, 8 << 10, zstdWindow, zstdWindow + 1, 5 << 20} {
		var page []byte
		for len(page) < size {
			page = fmt.Appendf(page, "http://www.example.org/section/%d/", rng.IntN(100))
		}
		page = page[:size]
		first, err := c.compress(nil, page)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := new(pageZstd).compress(make([]byte, 3, 100), page)
		if !bytes.Equal(first, again) {
			t.Errorf("%d bytes: another encoder writes another frame", size)
		}
		if size > 100 && len(first) > size/2 {
			t.Errorf("%d bytes became %d", size, len(first))
		}
		if got, err := parquet.Zstd.Decode(nil, first); err != nil || !bytes.Equal(got, page) {
			t.Errorf("%d bytes: read as %d, %v", size, len(got), err)
		}
	}
}

// TestZstdMemory compresses a page larger than the window, after which an encoder holds
// no more than before.
func TestZstdMemory(t *testing.T) {
	const held = 2 << 20
	var c pageZstd
	page, dst := make([]byte, 1<<20), make([]byte, 0, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(page)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := c.compress(dst, page); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > held {
		t.Errorf("an encoder takes %d bytes", grown)
	}
}
