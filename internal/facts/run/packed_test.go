package run

import (
	"math/rand/v2"
	"testing"
)

// TestPacked reads rows in any order, while others are added.
func TestPacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	want := extremeFetches(rng, 20*packedRows+7)
	p := NewPacked[fetch]()
	for i := range want {
		p.Add(&want[i])
		if j := rng.IntN(i + 1); *p.At(j) != want[j] {
			t.Fatalf("row %d of %d: got %+v, want %+v", j, i+1, *p.At(j), want[j])
		}
	}
	if p.Len() != len(want) {
		t.Errorf("%d rows, want %d", p.Len(), len(want))
	}
	first := p.At(0)
	for i := range want {
		if *p.At(i) != want[i] {
			t.Fatalf("row %d: got %+v, want %+v", i, *p.At(i), want[i])
		}
	}
	if *first != want[0] {
		t.Error("a row changed while others were read")
	}
}
