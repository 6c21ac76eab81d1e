package facts

import (
	"context"
	"slices"
)

// Folders next to the tasks hold the results of looking for the records of index rows: the records
// found (TrustVerified), and rows whose record does not exist (FlagRefuted) or could not be read
// (FlagUnread). Their rows stand before the rows of the indexes, which then count no more.
const (
	verifiedPrefix = "verified-"

	// UnreadVerified is the name of the folder of FlagUnread. There is one, of the last run that verified.
	UnreadVerified = verifiedPrefix + "unread"
)

// VerifiedName is the name of a folder of verified records.
func VerifiedName(key string) string { return verifiedPrefix + key }

// addVerified adds verified records, as far as their indexes are in the set.
func (s *Set) addVerified(root string) error {
	s.verified = make(map[int32]*InputStats)
	for t, err := range TasksIn(root, true) {
		if err != nil {
			return err
		}
		held, err := s.numberVerified(&t)
		if err != nil {
			return err
		}
		for i, more := range held {
			s.Totals.Borrowed += more.Borrowed
			if s.verified[t.Global[i]] == nil {
				s.verified[t.Global[i]] = new(InputStats)
			}
			s.verified[t.Global[i]].addVerified(more)
		}
		if held != nil {
			s.Tasks = append(s.Tasks, t)
		}
	}
	for _, more := range s.verified {
		slices.SortFunc(more.Runs, compareRuns)
	}
	return nil
}

// addVerified adds what verified records add to the results of an index. What could not be read of them is
// not Lossy: the index itself was read.
func (s *InputStats) addVerified(more *InputStats) {
	s.Runs = append(s.Runs, more.Runs...)
	s.Borrowed, s.Issues = s.Borrowed+more.Borrowed, s.Issues+more.Issues
}

// numberVerified finds the indexes of a task in the set; nil: not all are there.
func (s *Set) numberVerified(t *Task) (held []*InputStats, err error) {
	for r, err := range t.Results(context.Background()) {
		if err != nil {
			return nil, err
		}
		i := s.Find(r.Path)
		if i < 0 || !s.Input(i).Same(r.Input) {
			return nil, nil
		}
		stats := r.InputStats
		t.Global, held = append(t.Global, i), append(held, &stats)
	}
	return held, nil
}
