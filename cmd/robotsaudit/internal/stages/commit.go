package stages

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
)

// Commit records what a task came to, and which attempt at it counts.
type Commit struct {
	Plan    string           `json:"plan"`
	Version string           `json:"version"`
	Task    string           `json:"task"`    // name of the commit, without its ending
	Attempt string           `json:"attempt"` // the one that counts
	Files   map[string]int64 `json:"files"`   // sizes

	// Of a shard.
	ExitCode int             `json:"exit_code,omitempty"` // 3 where something could not be read
	Failures []facts.Failure `json:"failures,omitempty"`
	Fetches  int64           `json:"fetches,omitempty"`

	// Of a range.
	Resolved string           `json:"resolved,omitempty"` // attempt
	Rows     map[string]int64 `json:"rows,omitempty"`     // of tables
}

// prefix is what the names of the files begin with.
func (c *Commit) prefix() string { return c.Task + "-" + c.Attempt + "/" }

// A task is made by attempts; one of them counts.
type task struct {
	store   Store
	plan    *Plan
	name    string
	command string // that makes it
}

func (t *task) file() string { return commitFile(t.name) }

// commitFile is the file of a task's commit.
func commitFile(task string) string { return task + ".json" }

// again describes how to get a commit that can be used.
func (t *task) again() string {
	return fmt.Sprintf("remove %s and run: %s", locate(t.store, t.file()), t.command)
}

// committed returns the commit, nil where there is none.
func (t *task) committed(ctx context.Context) (*Commit, error) {
	b, err := t.store.Read(ctx, t.file())
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := new(Commit)
	at := locate(t.store, t.file())
	switch err := json.Unmarshal(b, c); {
	case err != nil || c.Attempt == "":
		return nil, fmt.Errorf("%s is damaged; %s", at, t.again())
	case c.Plan != t.plan.ID || c.Version != t.plan.Version:
		return nil, fmt.Errorf("%s is of another plan (%s, by robotsaudit %s) than %s; %s", at, c.Plan, c.Version,
			t.plan.ID, t.again())
	case c.Task != t.name:
		return nil, fmt.Errorf("%s is a copy of %s.json; %s", at, c.Task, t.again())
	}
	return c, nil
}

// check checks that the files of a commit are there. below has the sizes of the files in the folder
// that the commit is in, by their names there. Files may be missing if gone is true for them.
func (t *task) check(c *Commit, below map[string]int64, gone func(name string) bool) error {
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		size, there := below[path.Base(c.prefix())+"/"+name]
		if there && size == c.Files[name] || !there && gone(name) {
			continue
		}
		what := "is missing"
		if there {
			what = fmt.Sprintf("has %d bytes, not %d", size, c.Files[name])
		}
		return fmt.Errorf("%s %s; %s", locate(t.store, c.prefix()+name), what, t.again())
	}
	return nil
}

// locate names the place of a file.
func locate(s Store, name string) string { return s.String() + "/" + name }

// none is true of no file.
func none(string) bool { return false }

// run makes the task, unless it is made already. make makes its files in a local folder. Of
// several attempts at the same time, the first one that ends counts, and the files of the others,
// and of killed attempts, are removed.
func (t *task) run(ctx context.Context, make func(dir string, c *Commit) error) (*Commit, error) {
	c, err := t.attempt(ctx, make)
	if err == nil {
		t.store.RemoveAttempts(ctx, t.name, c.Attempt) // what stays, the next stage removes
	}
	return c, err
}

// attempt makes the task, unless it is made already, and returns the commit of the attempt that counts.
func (t *task) attempt(ctx context.Context, make func(dir string, c *Commit) error) (c *Commit, err error) {
	if c, err := t.committed(ctx); c != nil || err != nil {
		return c, err
	}
	mine := &Commit{Plan: t.plan.ID, Version: report.Version(), Task: t.name, Attempt: newAttempt()}
	won := false
	defer func() {
		if won {
			return
		}
		ctx := context.WithoutCancel(ctx)
		counts, unknown := t.committed(ctx)
		if unknown != nil {
			return // this attempt may count after all
		}
		if counts == nil || counts.Attempt != mine.Attempt {
			t.store.RemoveAll(ctx, mine.prefix())
		}
		// What failed may have failed because another attempt was first, and its files went.
		if counts != nil {
			c, err = counts, nil
		}
	}()
	dir, end, err := t.store.Begin(mine.prefix())
	if err != nil {
		return nil, err
	}
	defer end()
	if err := make(dir, mine); err != nil {
		return nil, err
	}
	if mine.Files, err = t.store.Upload(ctx, mine.prefix(), dir); err != nil {
		return nil, err
	}
	if won, err = t.commit(ctx, mine); err != nil || !won {
		return nil, err
	}
	return mine, nil
}

// commit makes an attempt count, and reports whether it does.
func (t *task) commit(ctx context.Context, mine *Commit) (bool, error) {
	won, err := createJSON(ctx, t.store, t.file(), mine)
	if won {
		return true, nil
	}
	// An answer may have been lost: what is there may be this attempt's.
	there, otherErr := t.committed(context.WithoutCancel(ctx))
	if otherErr != nil || there == nil {
		return false, errors.Join(err, otherErr)
	}
	return there.Attempt == mine.Attempt, nil
}

// newAttempt names an attempt like no other.
func newAttempt() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// removeOthers removes what is left of attempts that do not count, below a prefix that ends with a
// slash. names are the files there, and commits name the attempts that count.
func removeOthers(ctx context.Context, s Store, prefix string, names map[string]int64, commits []*Commit) error {
	counts := make(map[string]bool)
	for _, c := range commits {
		counts[path.Base(c.prefix())] = true
	}
	gone := make(map[string]bool)
	for name := range names {
		first, _, below := strings.Cut(name, "/")
		switch {
		case below && !counts[first] && !gone[first]:
			gone[first] = true
			if err := s.RemoveAll(ctx, prefix+first+"/"); err != nil {
				return err
			}
		case !below && strings.Contains(first, temporaryInfix):
			if err := s.Remove(ctx, prefix+first); err != nil {
				return err
			}
		}
	}
	return nil
}

// allCommitted returns the commits of n tasks, each of which check accepts, and lists those that have none: of
// many the first and how many more there are.
func allCommitted(ctx context.Context, n int, task func(int) *task, check func(*task, *Commit) error) (
	commits []*Commit, missing string, err error,
) {
	var lacking []int
	for i := range n {
		t := task(i)
		c, err := t.committed(ctx)
		if c != nil && err == nil {
			err = check(t, c)
			commits = append(commits, c)
		} else {
			lacking = append(lacking, i)
		}
		if err != nil {
			return nil, "", err
		}
	}
	return commits, someOf(lacking), nil
}

// someOf lists numbers: of many the first and how many more there are.
func someOf(numbers []int) (text string) {
	const most = 10
	for i, n := range numbers[:min(len(numbers), most)] {
		if i > 0 {
			text += ", "
		}
		text += strconv.Itoa(n)
	}
	if more := len(numbers) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
