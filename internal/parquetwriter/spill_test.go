package parquetwriter

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"testing"
)

// TestSpill writes pieces of any length, and reads them in another order, again and again.
func TestSpill(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := spill{dir: t.TempDir()}
	for round := range 200 {
		var pieces [][]byte
		var places []int64
		for range random.IntN(8) {
			piece := make([]byte, random.IntN([]int{40, 2 * spillMemory}[round%2]))
			rand.NewChaCha8([32]byte{byte(round)}).Read(piece)
			pieces, places = append(pieces, piece), append(places, s.size)
			if err := s.write(piece); err != nil {
				t.Fatal(err)
			}
		}
		if files, _ := os.ReadDir(s.dir); round == 0 && len(files) > 0 || len(files) > 1 {
			t.Fatalf("round %d: %d files", round, len(files))
		}
		for _, i := range random.Perm(len(pieces)) {
			got, err := s.read(nil, places[i], len(pieces[i]))
			if err != nil || !bytes.Equal(got, pieces[i]) {
				t.Fatalf("round %d: piece %d of %d bytes: %v", round, i, len(got), err)
			}
		}
		s.reset()
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(s.dir); len(files) > 0 {
		t.Fatalf("%v is left", files)
	}
}

// TestSpillErrors has nowhere to write to, and loses what it wrote.
func TestSpillErrors(t *testing.T) {
	s := spill{dir: t.TempDir() + "/none"}
	if err := s.write(make([]byte, spillMemory)); err != nil {
		t.Errorf("what is held in memory: %v", err)
	}
	if err := s.write([]byte{1}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	s = spill{dir: t.TempDir()}
	defer s.close()
	for range 3 {
		if err := s.write(make([]byte, spillMemory)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.file.Truncate(spillMemory); err != nil {
		t.Fatal(err)
	}
	if _, err := s.read(nil, spillMemory, spillMemory); err == nil {
		t.Error("what is lost is taken for zeros")
	}
}
