package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// fill returns a Sorter of rows in an empty folder.
func fill(t *testing.T, held int, rows []fetch) (*Sorter[fetch], string) {
	t.Helper()
	dir := t.TempDir()
	spec := fetches
	spec.Held = held
	s := NewSorter(dir, spec)
	for _, row := range rows {
		if err := s.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	return s, dir
}

func files(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// collectSorted keeps the strings of all rows, as it may.
func collectSorted(t *testing.T, s *Sorter[fetch]) []fetch {
	t.Helper()
	var rows []fetch
	for row, err := range s.Sorted(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, *row)
		row.URL, row.Host, row.Record, row.Time = "changed", "", "", 1 // which no other row shows
	}
	return rows
}

// TestSorter compares with a sort in memory, by how many runs are written.
func TestSorter(t *testing.T) {
	for _, held := range []int{1 << 30, 40 << 10, 1 << 10} {
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, uint64(held)))
			rows := randomFetches(rng, 1600)
			for i := range rows {
				rows[i].Time %= 5 // many ties on part of the key
			}
			if seed == 0 {
				rows = extremeFetches(rng, 500)
			}
			s, dir := fill(t, held, rows)
			switch n := files(t, dir); {
			case held == 1<<30 && n > 0:
				t.Errorf("%d files of rows that fit in memory", n)
			case held == 1<<10 && n <= maxFanIn:
				t.Errorf("only %d files", n)
			}
			equal(t, sorted(rows), collectSorted(t, s))
			if n := files(t, dir); n > 0 {
				t.Errorf("%d files left", n)
			}
		}
	}
}

func TestSorterWithoutRows(t *testing.T) {
	s, _ := fill(t, 0, nil)
	if rows := collectSorted(t, s); len(rows) > 0 {
		t.Errorf("%d rows", len(rows))
	}
	for _, err := range s.Sorted(t.Context()) {
		if err == nil {
			t.Error("read twice")
		}
	}
}

// TestSorterLeavesNoFiles ends the reading early.
func TestSorterLeavesNoFiles(t *testing.T) {
	rows := randomFetches(rand.New(rand.NewPCG(21, 21)), 3000)
	for _, held := range []int{1 << 10, 64 << 10} {
		s, dir := fill(t, held, rows)
		for range s.Sorted(t.Context()) {
			break
		}
		if n := files(t, dir); n > 0 {
			t.Errorf("%d files left", n)
		}
		s, dir = fill(t, held, rows)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, err := range s.Sorted(ctx) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		}
		if n := files(t, dir); n > 0 {
			t.Errorf("%d files left", n)
		}
	}
}

// TestSorterOnFullDisk: an error of any file, while rows are added or merged, is reported,
// and no file is left.
func TestSorterOnFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	rows := randomFetches(rand.New(rand.NewPCG(22, 22)), 3000)
	for _, n := range []int{0, 1} {
		dir := t.TempDir()
		spec := fetches
		spec.Held = 64 << 10
		if err := os.Symlink("/dev/full", filepath.Join(dir, fmt.Sprintf("fetches-%05d.run", n))); err != nil {
			t.Fatal(err)
		}
		s := NewSorter(dir, spec)
		var added error
		for _, row := range rows {
			added = cmp.Or(added, s.Add(row))
		}
		for _, err := range s.Sorted(t.Context()) {
			if err == nil || added == nil {
				t.Fatalf("run %d: Add: %v, Sorted: %v", n, added, err)
			}
		}
		if n := files(t, dir); n > 0 {
			t.Errorf("%d files left", n)
		}
	}
}

// TestDamagedTemporary changes or cuts a temporary file at any byte.
func TestDamagedTemporary(t *testing.T) {
	rows := randomFetches(rand.New(rand.NewPCG(23, 23)), 1200)
	for i := range 200 {
		s, dir := fill(t, 64<<10, rows)
		path := filepath.Join(dir, "fetches-00000.run")
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at := i * len(content) / 200
		if i%2 == 0 {
			content[at] ^= 1 << (i % 8)
		} else {
			content = content[:at]
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		n, failed := 0, false
		for _, err := range s.Sorted(t.Context()) {
			n++
			failed = failed || err != nil
		}
		if !failed {
			t.Errorf("byte %d of %d: %d rows and no error", at, len(content), n)
		}
	}
}

// TestFrames: rows of any length are in frames that refer to no other, and any range of buckets
// can be read.
func TestFrames(t *testing.T) {
	l, err := layoutOf[fetch]()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(24, 24))
	rows := sorted(slices.Concat(extremeFetches(rng, 500), make([]fetch, 50), randomFetches(rng, 4000),
		slices.Repeat(randomFetches(rng, 1), 500)))
	path := filepath.Join(t.TempDir(), "rows")
	w, err := createFile[fetch](path, l)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := w.add(&rows[i], BucketOf(rows[i].Host)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(nil); err != nil {
		t.Fatal(err)
	}
	if len(w.frames) < 20 {
		t.Errorf("only %d frames", len(w.frames))
	}
	equal(t, rows, collect(t, []string{path}, MergeOptions[fetch]{}))
	for from := 0; from < Buckets; from += 128 {
		var want []fetch
		for _, row := range rows {
			if b := BucketOf(row.Host); from <= b && b < from+77 {
				want = append(want, row)
			}
		}
		equal(t, want, collect(t, []string{path}, MergeOptions[fetch]{From: from, To: from + 77}))
	}
}
