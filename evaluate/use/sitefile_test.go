package use

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// fileAt is a capture of a tdmrep.json with a body, or of none where that is "".
func fileAt(t facts.Time, body string) *resolve.State {
	s := &resolve.State{Outcome: words.OutcomeUnavailable, Reason: words.Unavailable}
	if body != "" {
		s.Outcome, s.Reason, s.HasBody, s.BodyDigest = words.OutcomeRules, 0, true, body
	}
	s.Micros, s.Precision, s.Origin = t.Micros, t.Precision, "http://h"
	return s
}

// TestSiteFile: the capture in force is the latest at or before a moment, as one finds who
// looks at all.
func TestSiteFile(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	moment := func() facts.Time {
		precision := []facts.Precision{
			facts.PrecisionDay, facts.PrecisionMinute, facts.PrecisionSecond,
			facts.PrecisionMicrosecond,
		}[random.IntN(4)]
		return facts.Time{
			Micros:    1.7e15 + random.Int64N(20*facts.Day),
			Precision: facts.PrecisionMicrosecond,
		}.Truncate(precision)
	}
	for range 200 {
		var all []*resolve.State
		for range random.IntN(20) {
			all = append(all, fileAt(moment(), []string{"", "a", "b"}[random.IntN(3)]))
		}
		slices.SortStableFunc(all, func(a, b *resolve.State) int { return facts.CompareFetches(&a.Fetch, &b.Fetch) })
		l := new(siteFile[tag.TDMFile])
		for _, s := range all {
			l.add(s)
		}
		for range 50 {
			at, want := moment(), (*resolve.State)(nil)
			for _, s := range all {
				if s.Time().MicrosSince(at) <= 0 {
					want = s
				}
			}
			if want != nil && !want.HasBody {
				want = nil
			}
			if got := l.at(at); got != want {
				t.Fatalf("at %v: %v is in force, want %v", at, got, want)
			}
		}
	}
}

// That there were too many captures is reported once.
func TestSiteFileIsBounded(t *testing.T) {
	dir := t.TempDir()
	issues := run.NewSorter(dir, facts.IssueRuns)
	files := newSiteFiles(nil)
	files.issues = issues
	l := &files.tdm
	second := func(i int) facts.Time { return facts.Time{Micros: int64(i) * 1e6, Precision: facts.PrecisionSecond} }
	for i := range 2 * maxSiteFiles {
		if err := files.add(fileAt(second(i), "")); err != nil {
			t.Fatal(err)
		}
		if i == maxSiteFiles-1 && l.full {
			t.Error("full before there were too many")
		}
	}
	if len(l.captures) != maxSiteFiles || l.captures[maxSiteFiles-1].Time() != second(maxSiteFiles-1) {
		t.Errorf("%d captures", len(l.captures))
	}
	names, err := issues.Close()
	if err != nil {
		t.Fatal(err)
	}
	for i := range names {
		names[i] = filepath.Join(dir, names[i])
	}
	told := 0
	for i, err := range run.Merge(t.Context(), names, facts.IssueRuns, run.MergeOptions[facts.Issue]{}) {
		if err != nil || i.Kind != words.IssueLimitReached {
			t.Error(i, err)
		}
		told++
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}
