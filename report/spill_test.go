package report

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"testing"
)

// TestSpill writes pieces of any length, and reads what was written, in pieces too.
func TestSpill(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		pool := spillPool{t.TempDir()}
		buffer := pool.GetBuffer()
		if _, err := buffer.Seek(0, io.SeekStart); err != nil { // as the library begins
			t.Fatal(err)
		}
		var want []byte
		for range random.IntN(8) {
			piece := make([]byte, random.IntN([]int{40, 2 * spillMin}[round%2]))
			rand.NewChaCha8([32]byte{byte(round)}).Read(piece)
			want = append(want, piece...)
			if n, err := buffer.Write(piece); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
		}
		for range 2 { // from the beginning, each time
			if _, err := buffer.Seek(0, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(buffer); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("round %d: read %d bytes of %d, %v", round, len(got), len(want), err)
			}
		}
		if files, _ := os.ReadDir(pool.dir); len(files) > 0 != (len(want) > spillMin) {
			t.Fatalf("round %d: %d files for %d bytes", round, len(files), len(want))
		}
		pool.PutBuffer(buffer)
		if files, _ := os.ReadDir(pool.dir); len(files) > 0 {
			t.Fatalf("round %d: %v is left", round, files)
		}
	}
}

// TestSpillErrors has nowhere to write to, and asks for what there is not.
func TestSpillErrors(t *testing.T) {
	buffer := spillPool{t.TempDir() + "/none"}.GetBuffer()
	if _, err := buffer.Write(make([]byte, spillMin)); err != nil {
		t.Errorf("what is held in memory: %v", err)
	}
	if _, err := buffer.Write([]byte{1}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if _, err := buffer.Seek(1, io.SeekStart); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("seek: %v", err)
	}
}
