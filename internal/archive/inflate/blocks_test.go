package inflate

import (
	"bytes"
	"compress/flate"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBlocks: blocks are found at any bit, and read from there on, with the content
// before them or without.
func TestBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	content := slices.Concat(page(random, 200_000), noise, page(random, 200_000))
	r := NewReader(nil)
	for _, level := range levels {
		packed := deflate(content, level)
		found, odd := 0, 0
		for bit := r.FindBlock(packed, 0); bit >= 0; bit = r.FindBlock(packed, bit+1) {
			from := packed[bit/8:]
			r.ResetBlocks(bytes.NewReader(from), uint(bit&7), nil)
			blind, err := io.ReadAll(r)
			if err != nil || r.Offset() != int64(len(from)) { // chance
				continue
			}
			found++
			if bit%8 != 0 {
				odd++
			}
			behind := content[len(content)-len(blind):]
			for k := range blind {
				if blind[k] != behind[k] && blind[k] != Unknown {
					t.Fatalf("level %d, block at bit %d: byte %d is %q, not %q", level, bit, k, blind[k], behind[k])
				}
			}
			r.ResetBlocks(bytes.NewReader(from), uint(bit&7), content[:len(content)-len(blind)])
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, behind) || r.BlockStart() < int64(bit&7) {
				t.Errorf("level %d, block at bit %d: %d bytes of %d, %v", level, bit, len(got), len(behind), err)
			}
		}
		if found < 5 || odd == 0 && level != flate.NoCompression {
			t.Errorf("level %d: %d blocks, %d of them inside a byte", level, found, odd)
		}
	}
}

// TestNoBlocks: in random bytes hardly any block begins, and a header that extends
// beyond them is none.
func TestNoBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	r := NewReader(nil)
	found := 0
	for bit := r.FindBlock(noise, 0); bit >= 0; bit = r.FindBlock(noise, bit+1) {
		found++
	}
	if found > 200 {
		t.Errorf("%d blocks in a million random bytes", found)
	}
	packed := deflate(page(random, 20_000), 6)
	for n := range 40 {
		if got := r.FindBlock(packed[:n], 0); got == 0 {
			t.Errorf("a block in the first %d bytes of its header", n)
		}
	}
}

func BenchmarkFindBlock(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	r := NewReader(nil)
	b.SetBytes(int64(len(noise)))
	for b.Loop() {
		for bit := r.FindBlock(noise, 0); bit >= 0; bit = r.FindBlock(noise, bit+1) {
		}
	}
}
