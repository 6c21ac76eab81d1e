package finding

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/report"
)

// The most certain findings are kept, whatever the order in which they come and the parts that they come in.
func TestSelection(t *testing.T) {
	const kept = 60
	s, parts := Selection{Limit: kept}, Selection{Limit: kept}
	var part Selection
	var all []rank
	times := make(map[int64]int64) // by row
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		row := &report.ViolationRow{
			Certainty: certainties[random.IntN(2)],
			Notes:     [][]string{nil, {"coarse_date"}, {"coarse_date", "partial"}}[random.IntN(3)],
			RobotsAge: new(int64(random.IntN(500) - 50)), FetchTime: new(int64(random.IntN(100))),
		}
		if i%130 == 0 {
			parts.Join(&part)
			part = parts.After()
		}
		s.Add(row, func(*Case) {})
		part.Add(row, func(*Case) {})
		all = append(all, rankOf(row, s.Total))
		times[s.Total] = *row.FetchTime
	}
	parts.Join(&part)
	slices.SortFunc(all, rank.compare)
	want := all[:kept]
	slices.SortFunc(want, func(a, b rank) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(times[a.row], times[b.row]), cmp.Compare(a.row, b.row))
	})
	for _, s := range []Selection{s, parts} {
		got := s.Sorted()
		if s.Total != 1000 || len(got) != kept {
			t.Fatalf("%d of %d", len(got), s.Total)
		}
		for i := range got {
			if got[i].Row != want[i].row {
				t.Errorf("%d: row %d, want %d", i, got[i].Row, want[i].row)
			}
		}
		if last := got[kept-1]; last.Certainty != "certain" || last.Notes != nil {
			t.Errorf("%+v", last)
		}
	}
}

// A finding comes out of its bytes as it went in.
func TestPacked(t *testing.T) {
	f := testFound(func(f *Case) {
		f.RobotsAge, f.RobotsOffset, f.IsSeed, f.RobotsBodyOffset = new(int64(-5)), new(int64(1<<40)), new(true), nil
		f.Cited = citedCapture{HopURLs: []string{"", "http://b.example/"}, FinalStatus: new(int16(404)), Others: []string{"", "x"}}
	})
	got := new(Case)
	if rest := unpack(appendPacked(nil, reflect.ValueOf(f).Elem()), reflect.ValueOf(got).Elem()); len(rest) > 0 {
		t.Errorf("%d bytes are left", len(rest))
	}
	if diff := gocmp.Diff(f, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A timeline has days, weeks, months or years, by its length; nothing is lost on the way.
