package run

import (
	"fmt"
	"maps"
	"path/filepath"
	"testing"
)

func TestCountTexts(t *testing.T) {
	for _, distinct := range []int{3, 20_000} {
		dir := t.TempDir()
		w := NewWriter(dir, fetches)
		want, wantHosts := map[string]int64{}, map[string]int64{}
		for i := range 40_000 {
			f := fetch{Host: fmt.Sprintf("host%d", i%7), Agent: fmt.Sprintf("agent %d of some length", i*i%distinct), Seq: int64(i)}
			want[f.Agent]++
			wantHosts[f.Host]++
			if err := w.Add(f); err != nil {
				t.Fatal(err)
			}
		}
		names, err := w.Close()
		if err != nil {
			t.Fatal(err)
		}
		for i := range names {
			names[i] = filepath.Join(dir, names[i])
		}
		for _, test := range []struct {
			name string
			text func(*fetch) string
			want map[string]int64
		}{
			{"agent", func(f *fetch) string { return f.Agent }, want},
			{"host", func(f *fetch) string { return f.Host }, wantHosts},
		} {
			got := map[string]int64{}
			if err := CountTexts(t.Context(), names, fetches, test.text, func(value string, rows int64) { got[value] += rows }); err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(got, test.want) {
				t.Errorf("%s, %d distinct: %d values, want %d", test.name, distinct, len(got), len(test.want))
			}
		}
	}
}
