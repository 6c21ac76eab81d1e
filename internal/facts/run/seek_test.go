package run

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestMergeBetween: a merge between two places of the order has the rows between them, wherever frames
// and buckets begin.
func TestMergeBetween(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	rows := randomFetches(rng, 4000)
	for i := range rows {
		rows[i].Host = fmt.Sprint(i % 3) // buckets of many frames
		rows[i].Time %= 500
	}
	var paths []string
	for i := range 4 {
		paths = append(paths, write(t, t.TempDir(), fetches, rows[i*1000:(i+1)*1000])...)
	}
	all := sorted(rows)
	for range 60 {
		i, j := rng.IntN(len(all)+1), rng.IntN(len(all)+1)
		i, j = min(i, j), max(i, j)
		opt := MergeOptions[fetch]{To: Buckets}
		if i < len(all) {
			opt.From, opt.Before = fetches.Bucket(&all[i]), func(row *fetch) bool { return byKey(row, &all[i]) < 0 }
		}
		if j < len(all) {
			opt.To, opt.Behind = fetches.Bucket(&all[j])+1, func(row *fetch) bool { return byKey(row, &all[j]) >= 0 }
		}
		for i > 0 && i < len(all) && byKey(&all[i-1], &all[i]) == 0 {
			i--
		}
		for j > i && j < len(all) && byKey(&all[j-1], &all[j]) == 0 {
			j--
		}
		if i < len(all) {
			equal(t, all[i:max(i, j)], collect(t, paths, opt))
		}
	}
}

// TestSample: samples divide the rows of all files into about equal parts.
func TestSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	rows := randomFetches(rng, 9000)
	var paths []string
	for i := range 3 {
		paths = append(paths, write(t, t.TempDir(), fetches, rows[i*3000:(i+1)*3000])...)
	}
	all := sorted(rows)
	for _, most := range []int{1, 10, 1 << 20} {
		var places []int
		err := Sample(t.Context(), paths, fetches, most, func(row *fetch) {
			n := 0
			for n < len(all) && byKey(&all[n], row) < 0 {
				n++
			}
			places = append(places, n)
		})
		if err != nil || len(places) > most || len(places) < min(most, 30)/2+1 {
			t.Fatalf("%d samples of at most %d: %v", len(places), most, err)
		}
		if most != 10 {
			continue
		}
		less := 0 // places in the first half
		for _, n := range places {
			if n < len(all)/2 {
				less++
			}
		}
		if less < len(places)/2-2 || less > len(places)/2+2 {
			t.Errorf("samples at %v of %d", places, len(all))
		}
	}
}
