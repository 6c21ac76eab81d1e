package words

import (
	"math/bits"
	"testing"
)

// TestNotes: each note has one entry, with a name.
func TestNotes(t *testing.T) {
	var all Notes
	for _, w := range noteWords {
		if bits.OnesCount64(uint64(w.Note)) != 1 || all&w.Note != 0 || w.Name == "" {
			t.Errorf("%b: %q", w.Note, w.Name)
		}
		all |= w.Note
	}
	if all != 1<<len(noteWords)-1 {
		t.Errorf("entries of %b", all)
	}
}
