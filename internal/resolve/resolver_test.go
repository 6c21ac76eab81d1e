package resolve

import (
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// The next round reads the captures of those buckets alone that a resolution has come to, and
// their other fetches only where a resolution looks for one.
func TestRoundsReadWhatIsWanted(t *testing.T) {
	r := &resolver{dir: t.TempDir()}
	r.startRound(1)
	wanted, scanned := make([]bool, run.Buckets), make([]bool, run.Buckets)
	for _, target := range []string{
		"http://a.example/robots.txt", "http://b.example/page",
		"http://b.example/robots.txt",
	} {
		u, _ := weburl.Parse(target)
		var res resolution
		res.seekURL(seekHop, u, res.CurTime)
		if err := r.goOn(&res); err != nil {
			t.Fatal(err)
		}
		bucket := run.BucketOf(u.HostReversed())
		wanted[bucket] = true
		scanned[bucket] = scanned[bucket] || u.PathQuery() == "/page"
	}
	for i := range run.Buckets {
		if r.wanted[i] != wanted[i] || r.scanned[i] != scanned[i] {
			t.Errorf("bucket %d: wanted %v, scanned %v; want %v, %v", i, r.wanted[i], r.scanned[i], wanted[i],
				scanned[i])
		}
	}
}

// TestRereadBudget: what may be decompressed to read bodies again is bounded.
func TestRereadBudget(t *testing.T) {
	r := &resolver{budget: budget{reread: 100}}
	c := &facts.Capture{Fetch: facts.Fetch{Flags: facts.FlagStreamed, Offset: 90, Length: 11}}
	if _, err := r.readAgain(c); err == nil || r.reread != 100 {
		t.Errorf("%v, %d bytes left", err, r.reread)
	}
}

// What one audit may spend is for the ranges that have something to do: of them alone.
func TestShareIsForBusyRanges(t *testing.T) {
	w := waiting{wanted: make([]bool, run.Buckets)}
	for _, bucket := range []int{0, 1, run.Buckets/4 - 1, run.Buckets / 4, run.Buckets - 1} {
		w.wanted[bucket] = true
	}
	for n, want := range map[int]int{1: 1, 2: 2, 4: 3, run.Buckets: 5} {
		if got := w.ranges(n); got != want {
			t.Errorf("%d of %d ranges have resolutions, want %d", got, n, want)
		}
	}
}

// Of a record in very many archives a few places are remembered: each redirect that leads to it writes them.
func TestPlacesAreBounded(t *testing.T) {
	var records distinct
	passed := 0
	pass := func(_ *facts.Capture, places []facts.Spot) error {
		if passed++; len(places) != MaxPlaces {
			t.Errorf("%d places, want %d", len(places), MaxPlaces)
		}
		return nil
	}
	for i := range int32(100) {
		c := &facts.Capture{Fetch: facts.Fetch{RecordID: "id", URL: "http://a.example/robots.txt", Input: i}}
		if err := records.add(c, pass); err != nil {
			t.Fatal(err)
		}
	}
	if err := records.end(pass); err != nil || passed != 1 {
		t.Errorf("%v, %d captures, want 1", err, passed)
	}
}
