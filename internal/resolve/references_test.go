package resolve

import (
	"fmt"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// TestKeySet: what was added is found, and at most one in 250 others, however many were
// added; memory is bounded.
func TestKeySet(t *testing.T) {
	key := func(i int) string { return keyOfID(recordid.ID(fmt.Sprint(i))) }
	for _, n := range []int{1, 1000, 200_000} {
		s := newKeySet(int64(n))
		for i := range n {
			s.add(key(i))
		}
		others := 0
		for i := range n {
			if !s.has(key(i)) {
				t.Fatalf("key %d is lost", i)
			}
			if s.has(key(n + i)) {
				others++
			}
		}
		if others > 10+n/250 || s.has("") {
			t.Errorf("%d of %d others are found", others, n)
		}
		if bytes := 8 * len(s); bytes > n*bitsPerKey/8+8 {
			t.Errorf("%d bytes for %d keys", bytes, n)
		}
	}
	if bytes := 8 * len(newKeySet(1<<40)); bytes > maxKeySet+8 {
		t.Errorf("%d bytes", bytes)
	}
}
