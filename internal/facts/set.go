package facts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/object"
)

// Task is a finished task of the current plan, or a folder of verified records of indexes.
type Task struct {
	Dir    string
	Global []int32 // numbers of the task's inputs in the set
	Manifest
}

// Path returns the path of one of the task's files.
func (t *Task) Path(name string) string { return filepath.Join(t.Dir, name) }

// PackPath returns the path of the task's bodies.
func (t *Task) PackPath() string { return t.Path(packFile) }

// Set is what is known of an output folder's archives.
type Set struct {
	Totals   InputTotals
	Failures []Failure
	Tasks    []Task
	Dir      string // private folder for temporary files

	Fingerprint string          // of what shapes the facts
	Digested    bool            // digests of inputs were requested
	Copies      map[int32]int32 // inputs that hold the bytes of one before them
	Elsewhere   bool            // the tasks are not in an output folder: nothing of them may be removed

	results  string        // folder of the file of inputs
	held     []InputResult // of SetOf, in its place
	inputs   *inputList
	verified map[int32]*InputStats // what verified records add to the results of inputs

	// Reread reads the body of a fetch again from its archive, and updates c.Flags and
	// c.ContentRange. It serves captures whose body ingest could not know to be policy.
	Reread func(in Input, c *Capture) ([]byte, error)
}

// Results yields what reading the inputs came to, in their order. A result is valid until the next step.
func (s *Set) Results(ctx context.Context) iter.Seq2[*InputResult, error] {
	return func(yield func(*InputResult, error) bool) {
		for i := range s.held {
			if !yield(&s.held[i], nil) {
				return
			}
		}
		i := int32(0)
		madeOf(results(inputsOf(ctx, s.results)), func(r *placedResult) *InputResult {
			if r.task == unread {
				return nil
			}
			if !s.Digested { // results do not depend on earlier requests
				r.SHA256 = ""
			}
			if more := s.verified[i]; more != nil {
				r.addVerified(more)
			}
			i++
			return &r.InputResult
		})(yield)
	}
}

// Input returns an input by its number: inputs are sorted by path, and those numbers are from 0 to Totals.Count.
func (s *Set) Input(number int32) Input { return s.inputs.at(number) }

// Inputs yields the inputs, in order, with their numbers.
func (s *Set) Inputs() iter.Seq2[int32, Input] {
	return func(yield func(int32, Input) bool) {
		for i := range s.Totals.Count {
			if !yield(i, s.Input(i)) {
				return
			}
		}
	}
}

// Find returns the number of an input; -1: no input has that path.
func (s *Set) Find(path string) int32 {
	i, found := sort.Find(int(s.Totals.Count), func(i int) int { return cmp.Compare(path, s.Input(int32(i)).Path) })
	if !found {
		return -1
	}
	return int32(i)
}

// Open reads the current plan of an output folder. Facts of other fingerprints are not read.
func Open(dir string, fingerprints ...string) (*Set, error) {
	p, tasks, err := OpenTasks(dir, fingerprints...)
	if err != nil {
		return nil, err
	}
	s := &Set{
		Tasks: tasks, Failures: p.Failures, Dir: filepath.Join(dir, PrivateFolder), Fingerprint: p.Fingerprint,
		Digested: p.Digested, Elsewhere: p.Folder != "", results: p.inputs(dir),
	}
	if err := s.setUp(p.Copies); err != nil {
		return nil, missingPart(dir, err)
	}
	return s, s.addVerified(p.root(dir))
}

// OpenTasks reads the current plan of an output folder, and what the manifests of its tasks have.
func OpenTasks(dir string, fingerprints ...string) (p *Plan, tasks []Task, err error) {
	if p, err = ReadPlan(dir); err != nil {
		return nil, nil, err
	}
	if p == nil {
		return nil, nil, fmt.Errorf("%s holds nothing that was read from archives; name the folder of an audit, or make "+
			"one with: robotsaudit audit INPUT... -o OUT", dir)
	}
	if object.IsRemote(p.Folder) {
		return nil, nil, fmt.Errorf("the facts of %s are in %s, where explain, evidence and report alone read "+
			"them; for other questions, plan the audit again (docs/SCALE.md)", dir, p.Folder)
	}
	if !slices.Contains(fingerprints, p.Fingerprint) {
		return nil, nil, fmt.Errorf("what %s holds was read by another version of robotsaudit; %s", dir, again(dir))
	}
	for _, name := range p.Tasks {
		t, err := ReadTask(filepath.Join(p.root(dir), name))
		if err != nil {
			return nil, nil, missingPart(dir, err)
		}
		tasks = append(tasks, t)
	}
	return p, tasks, nil
}

func missingPart(dir string, err error) error {
	return fmt.Errorf("of what was read into %s, a part is missing (%w); %s", dir, err, again(dir))
}

// again says how to make facts anew.
func again(dir string) string {
	return "read the archives again with: robotsaudit audit INPUT... -o " + dir
}

// NewSet combines tasks that lie anywhere into the facts of a plan that does not name them. inputs is the
// folder of the file of their inputs. Temporary files are in tmp.
func NewSet(tmp string, tasks []Task, inputs string, p *Plan) (*Set, error) {
	f := &Set{
		Tasks: tasks, Failures: p.Failures, Dir: tmp, Fingerprint: p.Fingerprint, Digested: p.Digested,
		Elsewhere: true, results: inputs,
	}
	return f, f.setUp(p.Copies)
}

// JoinIssues writes the issues of all tasks of a set into a folder, for TakeIssues.
func JoinIssues(ctx context.Context, s *Set, dir, tmp string) error {
	r, err := NewReader(s, tmp)
	if err != nil {
		return err
	}
	defer r.Close()
	return run.Save(dir, IssueRuns, r.Issues(ctx, nil))
}

// TakeIssues adds to a set, whose tasks have none, the issues that JoinIssues has written into a folder.
func (s *Set) TakeIssues(dir string) error {
	name := run.OrderedFile(IssueRuns)
	if _, err := os.Stat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	t := Task{Dir: dir, Global: make([]int32, s.Totals.Count), Manifest: Manifest{Issues: []string{name}}}
	for i := range t.Global {
		t.Global[i] = int32(i)
	}
	s.Tasks = append(s.Tasks, t)
	return nil
}

// SetOf is a set of results that are in memory, for tests.
func SetOf(results ...InputResult) *Set {
	inputs, err := newInputList(int32(len(results)))
	s := &Set{held: results, inputs: inputs}
	for i := range results {
		err = cmp.Or(err, putInput(inputs.Put, &results[i], 0, int32(i)))
		s.Totals.Add(&results[i])
	}
	if err != nil {
		panic(err)
	}
	return s
}

// setUp reads the inputs, and gives each task the numbers of its inputs.
func (s *Set) setUp(copies map[string]string) error {
	for i := range s.Tasks {
		t := &s.Tasks[i]
		Sum(&s.Totals, &t.Totals)
		t.Global = make([]int32, t.Totals.Count)
	}
	var err error
	if s.inputs, err = newInputList(s.Totals.Count); err != nil {
		return err
	}
	for row, err := range inputsOf(context.Background(), s.results) {
		switch {
		case err != nil:
			return err
		case row.Task == unread:
			continue
		case uint32(row.Task) >= uint32(len(s.Tasks)), uint32(row.Number) >= uint32(len(s.Tasks[row.Task].Global)):
			return errOtherInputs
		}
		if row.Result != "" {
			s.Tasks[row.Task].Global[row.Number] = int32(len(s.inputs.first))
		}
		if err := s.inputs.Put(row); err != nil {
			return err
		}
	}
	s.inputs.end()
	if len(s.inputs.first) != int(s.Totals.Count) {
		return errOtherInputs
	}
	s.Copies = make(map[int32]int32)
	for path, original := range copies {
		s.Copies[s.Find(path)] = s.Find(original)
	}
	return nil
}

var errOtherInputs = errors.New("the file of inputs is of others")
