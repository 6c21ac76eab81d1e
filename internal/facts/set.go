package facts

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/object"
)

// Task is a finished task of the current plan, or a folder of verified records of indexes.
type Task struct {
	Dir    string
	Global []int32 // index into Set.Inputs of each of the task's inputs
	Manifest
}

// Path returns the path of one of the task's files.
func (t *Task) Path(name string) string { return filepath.Join(t.Dir, name) }

// PackPath returns the path of the task's bodies.
func (t *Task) PackPath() string { return t.Path(packFile) }

// Set is what is known of an output folder's archives.
type Set struct {
	Inputs   []InputResult // sorted by path
	Failures []Failure
	Tasks    []Task
	Dir      string // private folder for temporary files

	Fingerprint string          // of what shapes the facts
	Digested    bool            // digests of inputs were requested
	Copies      map[int32]int32 // inputs that hold the bytes of one before them, by index
	runs        map[Spot]*CrawlRun
	Elsewhere   bool // the tasks are not in an output folder: nothing of them may be removed

	// Reread reads the body of a fetch again from its archive, and updates c.Flags and
	// c.ContentRange. It serves captures whose body ingest could not know to be policy.
	Reread func(in Input, c *Capture) ([]byte, error)
}

// FetchCount returns the number of fetches in all inputs.
func (s *Set) FetchCount() (n int64) {
	for _, in := range s.Inputs {
		n += in.Fetches
	}
	return n
}

// ReportsRobots reports whether an index has a row of a robots.txt.
func (s *Set) ReportsRobots() bool {
	return slices.ContainsFunc(s.Inputs, func(in InputResult) bool { return in.IndexedRobots > 0 })
}

// Open reads the current plan of an output folder. Facts of other fingerprints are not read.
func Open(dir string, fingerprints ...string) (*Set, error) {
	p, err := ReadPlan(dir)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, fmt.Errorf("%s holds nothing that was read from archives; read them with: robotsaudit ingest "+
			"INPUT... -o %s", dir, dir)
	}
	if object.IsRemote(p.Folder) {
		return nil, fmt.Errorf("the facts of %s are in %s, where explain, evidence, extract and report alone read "+
			"them; for other questions, plan the audit again (docs/SCALE.md)", dir, p.Folder)
	}
	private := filepath.Join(dir, PrivateFolder)
	if !slices.Contains(fingerprints, p.Fingerprint) {
		return nil, fmt.Errorf("what %s holds was read by another version of robotsaudit; run 'robotsaudit ingest' again", dir)
	}
	f := &Set{
		Failures: p.Failures, Dir: private, Fingerprint: p.Fingerprint, Digested: p.Digested,
		Elsewhere: p.Folder != "",
	}
	root := cmp.Or(p.Folder, filepath.Join(private, FolderName(p.Fingerprint)))
	for _, name := range p.Tasks {
		t := Task{Dir: filepath.Join(root, name)}
		m, err := ReadManifest(t.Dir)
		if err != nil {
			return nil, fmt.Errorf("of what was read into %s, a part is missing (%w); run 'robotsaudit ingest' again",
				dir, err)
		}
		t.Manifest = *m
		f.Tasks = append(f.Tasks, t)
	}
	f.setUp(p)
	if err := f.addVerified(root); err != nil {
		return nil, err
	}
	f.setUpRuns()
	return f, nil
}

// NewSet combines tasks that lie anywhere into the facts of a plan that does not name them. Its
// temporary files are in tmp.
func NewSet(tmp string, tasks []Task, p *Plan) *Set {
	f := &Set{
		Tasks: tasks, Failures: p.Failures, Dir: tmp, Fingerprint: p.Fingerprint, Digested: p.Digested,
		Elsewhere: true,
	}
	f.setUp(p)
	f.setUpRuns()
	return f
}

// setUp fills in the inputs of the tasks.
func (s *Set) setUp(p *Plan) {
	for i := range s.Tasks {
		s.Inputs = append(s.Inputs, s.Tasks[i].Manifest.Inputs...)
	}
	if !p.Digested { // results do not depend on earlier requests
		for i := range s.Inputs {
			s.Inputs[i].SHA256 = ""
		}
	}
	s.number(p.Inputs, p.Copies)
}

// number sorts the inputs, gives them the names of the current plan, and gives each
// task the numbers of its inputs.
func (s *Set) number(planned []Input, copies map[string]string) {
	names := make(map[string]string)
	for _, in := range planned {
		names[in.Path] = in.Name
	}
	slices.SortFunc(s.Inputs, func(a, b InputResult) int { return cmp.Compare(a.Path, b.Path) })
	index := make(map[string]int32)
	for i := range s.Inputs {
		in := &s.Inputs[i]
		in.Name = cmp.Or(names[in.Path], in.Name)
		index[in.Path] = int32(i)
	}
	s.Copies = make(map[int32]int32)
	for path, original := range copies {
		s.Copies[index[path]] = index[original]
	}
	for i := range s.Tasks {
		t := &s.Tasks[i]
		t.Global = nil
		for _, in := range t.Manifest.Inputs {
			t.Global = append(t.Global, index[in.Path])
		}
	}
}
