package facts

import (
	"os"
	"path/filepath"
	"strings"
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

// IsVerifiedName reports whether a folder next to the tasks holds verified records.
func IsVerifiedName(name string) bool { return strings.HasPrefix(name, verifiedPrefix) }

// VerifiedTasks reads the manifests of folders of verified records. Their inputs are the indexes.
func VerifiedTasks(root string) (tasks []Task, err error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !IsVerifiedName(e.Name()) {
			continue
		}
		dir := filepath.Join(root, e.Name())
		if m, err := ReadManifest(dir); err == nil {
			tasks = append(tasks, Task{Dir: dir, Manifest: *m})
		}
	}
	return tasks, nil
}

// addVerified adds verified records, as far as their indexes are in the set.
func (s *Set) addVerified(root string) error {
	tasks, err := VerifiedTasks(root)
	if err != nil {
		return err
	}
	index := make(map[string]int32)
	for i := range s.Inputs {
		index[s.Inputs[i].Path] = int32(i)
	}
	for _, t := range tasks {
		if !t.numberVerified(s.Inputs, index) {
			continue
		}
		for i, global := range t.Global {
			in, more := &s.Inputs[global].InputStats, &t.Inputs[i].InputStats
			in.Runs = append(in.Runs, more.Runs...)
			// not Lossy: the index itself was read
			in.Borrowed, in.Issues = in.Borrowed+more.Borrowed, in.Issues+more.Issues
		}
		s.Tasks = append(s.Tasks, t)
	}
	return nil
}

func (t *Task) numberVerified(inputs []InputResult, index map[string]int32) bool {
	for _, in := range t.Inputs {
		i, ok := index[in.Path]
		if !ok || !inputs[i].Same(in.Input) {
			return false
		}
		t.Global = append(t.Global, i)
	}
	return true
}
