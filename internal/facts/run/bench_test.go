package run

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

func BenchmarkWrite(b *testing.B) {
	rows := randomFetches(rand.New(rand.NewPCG(1, 1)), 100_000)
	b.ReportAllocs()
	for b.Loop() {
		w := NewSorter(b.TempDir(), fetches)
		for _, row := range rows {
			if err := w.Add(row); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(rows))/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkMerge(b *testing.B) {
	for _, runs := range []int{1, 64, maxFanIn} {
		b.Run(fmt.Sprintf("%d runs", runs), func(b *testing.B) {
			dir := b.TempDir()
			const perRun = 16_384
			paths := writeRuns(b, dir, randomFetches(rand.New(rand.NewPCG(1, 2)), perRun), runs)
			b.ReportAllocs()
			rows := 0
			for b.Loop() {
				for _, err := range Merge(b.Context(), paths, fetches, MergeOptions[fetch]{}) {
					if err != nil {
						b.Fatal(err)
					}
					rows++
				}
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// writeRuns writes the rows n times, each time to a run of its own, shifted in
// time so that the runs interleave.
func writeRuns(tb testing.TB, dir string, rows []fetch, n int) []string {
	var paths []string
	for i := range n {
		spec := fetches
		spec.Name = fmt.Sprintf("run%d", i)
		w := NewSorter(dir, spec)
		for _, row := range rows {
			row.Time += int64(i) * 12345678
			row.URL = fmt.Sprintf("%s&v=%d", row.URL, i)
			if err := w.Add(row); err != nil {
				tb.Fatal(err)
			}
		}
		names, err := w.Close()
		if err != nil {
			tb.Fatal(err)
		}
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}
