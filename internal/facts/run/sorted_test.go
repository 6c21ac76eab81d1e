package run

import (
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/longtest"
)

// TestSortedRows reads ranges of buckets, which together are all rows, by how many runs are
// written, and twice.
func TestSortedRows(t *testing.T) {
	ranges := map[int][]int{1 << 30: {1, 3, 128, 1}, 40 << 10: {3, 1}}
	if longtest.Run() {
		ranges = map[int][]int{
			1 << 30: {1, 3, 128, Buckets, 1}, 40 << 10: {1, 3, 128, Buckets, 1}, 1 << 10: {1, 3, 128, 1},
		}
	}
	for held, counts := range ranges {
		rng := rand.New(rand.NewPCG(31, uint64(held)))
		rows := randomFetches(rng, 3000)
		s, _ := fill(t, held, rows)
		all, err := s.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(rows[0]); err == nil {
			t.Error("a row is added behind the end")
		}
		for _, ranges := range counts {
			var got []fetch
			for i := range ranges {
				from, to := i*Buckets/ranges, (i+1)*Buckets/ranges
				for row, err := range all.Range(t.Context(), from, to) {
					if err != nil {
						t.Fatal(err)
					}
					if b := BucketOf(row.Host); b < from || b >= to {
						t.Fatalf("bucket %d in [%d, %d)", b, from, to)
					}
					got = append(got, *row)
				}
			}
			equal(t, sorted(rows), got)
		}
	}
}

// TestTogether reads the rows of several Sorters like one, and leaves no file.
func TestTogether(t *testing.T) {
	for _, held := range []int{1 << 30, 40 << 10, 1 << 10} {
		rows := randomFetches(rand.New(rand.NewPCG(34, uint64(held))), 3000)
		var sorters []*Sorter[fetch]
		var dirs []string
		for part := range slices.Chunk(rows, 1000) {
			s, dir := fill(t, held, part)
			sorters, dirs = append(sorters, s), append(dirs, dir)
		}
		all, err := Together(t.Context(), sorters)
		if err != nil {
			t.Fatal(err)
		}
		var got []fetch
		for row, err := range all.Range(t.Context(), 0, Buckets) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, *row)
		}
		equal(t, sorted(rows), got)
		if err := all.Remove(); err != nil {
			t.Fatal(err)
		}
		for _, dir := range dirs {
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%d files of %d bytes held are left", len(left), held)
			}
		}
	}
}

// TestSortedRowsAtOnce reads ranges at the same time.
func TestSortedRowsAtOnce(t *testing.T) {
	for _, held := range []int{1 << 30, 40 << 10} {
		rows := randomFetches(rand.New(rand.NewPCG(33, uint64(held))), 3000)
		s, _ := fill(t, held, rows)
		all, err := s.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		const ranges = 8
		var parts [ranges][]fetch
		var done sync.WaitGroup
		for i := range ranges {
			done.Go(func() {
				for row, err := range all.Range(t.Context(), i*Buckets/ranges, (i+1)*Buckets/ranges) {
					if err != nil {
						t.Error(err)
						return
					}
					parts[i] = append(parts[i], *row)
				}
			})
		}
		done.Wait()
		equal(t, sorted(rows), slices.Concat(parts[:]...))
	}
}
