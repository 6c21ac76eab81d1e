package resolve

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/pack"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/resolve/capturestest"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// TestPackedCapturesResolveAlike resolves random 304s, revisits and redirects by captures that are held whole, and
// packed. A body that was read again is not read once more.
func TestPackedCapturesResolveAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 5))
	outcomes, steps := make(map[words.Outcome]int), make(map[StepKind]int)
	for range 100 {
		captures := randomCaptures(rng)
		whole, reread := resolveAll(t, captures, maxWhole)
		packed, rereadPacked := resolveAll(t, captures, rng.IntN(3))
		if !slices.Equal(whole, packed) || reread != rereadPacked {
			t.Fatalf("%d bodies read again, packed %d\nwhole:  %+v\npacked: %+v", reread, rereadPacked, whole, packed)
		}
		for i := range whole {
			outcomes[whole[i].Outcome]++
			for _, step := range whole[i].Steps() {
				steps[step.Kind]++
			}
		}
	}
	for _, kind := range []StepKind{StepHop, StepOriginal, StepCopy, StepRival, StepNamed} {
		if steps[kind] == 0 {
			t.Errorf("no step %c in %v, outcomes %v", kind, steps, outcomes)
		}
	}
}

// randomCaptures are 200s, 304s, revisits and redirects of an origin's robots.txt.
func randomCaptures(rng *rand.Rand) []*facts.Capture {
	list := capturestest.Random(rng)
	for i, c := range list {
		version := fmt.Sprint("v", rng.IntN(3))
		c.Type, c.RecordID, c.Location, c.Run = facts.TypeResponse, idOf(i), "", int32(rng.IntN(2))
		c.Flags |= facts.FlagHTTPHead
		c.UserAgent = []string{"", "GPTBot/1.0", "CCBot/2.0"}[rng.IntN(3)]
		c.Status, c.PayloadDigest, c.ETag = http.StatusOK, "sha1:"+version, `"`+version+`"`
		if rng.IntN(2) == 0 { // else its body has to be read again
			c.Flags |= facts.FlagBodyKept
			c.BodyDigest, c.BodySize = version, int64(len(version))
		}
		named := list[rng.IntN(len(list))]
		switch rng.IntN(8) {
		case 0:
			c.Status, c.PayloadDigest = http.StatusNotModified, ""
		case 1:
			c.Status, c.Location = http.StatusMovedPermanently, "/robots.txt"
		case 2:
			c.Type, c.Profile = facts.TypeRevisit, facts.RevisitIdenticalPayload
		case 3:
			c.Type, c.Profile = facts.TypeRevisit, facts.RevisitIdenticalPayload
			c.RefersToID = idOf(rng.IntN(len(list))).Key()
		case 4:
			c.Type, c.Profile = facts.TypeRevisit, facts.RevisitIdenticalPayload
			c.RefersToURL, c.RefersToMicros, c.RefersToPrec = named.URL, named.Micros, named.Precision
		}
		if c.Type == facts.TypeRevisit {
			c.Flags &^= facts.FlagBodyKept
			c.BodyDigest, c.BodySize = "", 0
		}
	}
	return list
}

func idOf(i int) recordid.ID {
	return recordid.ID(fmt.Sprintf("<urn:uuid:00000000-0000-4000-8000-%012x>", i))
}

// resolveAll returns what captures of one origin came to, of which a few are held whole, and how many bodies were read
// again.
func resolveAll(t *testing.T, captures []*facts.Capture, limit int) (states []State, reread int) {
	t.Helper()
	dir := t.TempDir()
	bodies, err := pack.Create(filepath.Join(dir, bodiesFile))
	if err != nil {
		t.Fatal(err)
	}
	set := facts.SetOf(facts.InputResult{Input: facts.Input{Path: "a.warc"}})
	set.Reread = func(facts.Input, *facts.Capture) ([]byte, error) {
		reread++
		return []byte("User-agent: *\n"), nil
	}
	r := &resolver{
		shared: &shared{store: &facts.Reader{Set: set}, bodies: bodies, issues: run.NewSorter(dir, facts.IssueRuns)},
		budget: budget{reread: maxReread, beyond: maxBeyond},
		who:    func(f *facts.Fetch) string { return f.UserAgent }, dir: dir, robots: make([]int64, run.Buckets),
		states: run.NewSorter(dir, stateRuns), marks: run.NewSorter(dir, markRuns), leads: run.NewSorter(dir, leadRuns),
	}
	r.startRound(1)
	g := newOriginCaptures(facts.Unread{})
	g.limit = limit
	g.Place = facts.Place{Host: "test.a", Origin: "http://a.test"}
	for _, c := range captures {
		if err := g.hold(c, nil); err != nil {
			t.Fatal(err)
		}
	}
	g.index(new(reports))
	for _, c := range captures {
		g.rest()
		res := &resolution{State: NewState(c)}
		r.take(res, c)
		if err := r.follow(res, g); err != nil {
			t.Fatal(err)
		}
	}
	for s, err := range r.states.Sorted(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, *s)
	}
	return states, reread
}
