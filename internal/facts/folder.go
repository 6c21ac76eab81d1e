package facts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
)

// SchemaVersion names the shape of the facts. It is part of their folder's name:
// facts of another version are not read, and not migrated, but made again.
const SchemaVersion = "34"

// The private part of an output folder: its name, and the files in it.
const (
	PrivateFolder   = ".robotsaudit"
	PlanFile        = "plan.json"
	LockFile        = "lock"
	TemporaryPrefix = "tmp-" // begins the name of a folder that does not count
)

// MakeTemporary makes a folder for temporary files of a command: in the output folder, whose disk
// has room, or else, where nothing can be written there, in that of the system.
func (s *Set) MakeTemporary() (dir string, remove func() error, err error) {
	dir, remove, err = durable.Temporary(s.Dir)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return durable.Temporary("")
	}
	return dir, remove, err
}

// The files of a task's folder.
const (
	ManifestFile = "manifest.json"
	packFile     = "bodies.pack"
)

// FolderName is the name of the folder of facts of a fingerprint.
func FolderName(fingerprint string) string { return "facts-v" + SchemaVersion + "-" + fingerprint }

// Plan is the composition of the output folder's facts.
type Plan struct {
	Fingerprint string    `json:"fingerprint"`
	Tasks       []string  `json:"tasks"`            // names of task folders
	Inputs      string    `json:"inputs"`           // name of the folder with the file of all inputs
	Folder      string    `json:"folder,omitempty"` // that they are in; "": the output folder's own
	Failures    []Failure `json:"failures"`
	Digested    bool      `json:"digested,omitempty"` // digests of inputs were requested

	Copies map[string]string `json:"copies,omitempty"` // path of an input → that of the one that it is a copy of
}

// ReadPlan reads the current plan of an output folder; nil where there is none.
func ReadPlan(dir string) (*Plan, error) {
	path := filepath.Join(dir, PrivateFolder, PlanFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var p Plan
	if err := json.Unmarshal(b, &p); err != nil {
		return nil, fmt.Errorf("%s is damaged, or of another version of robotsaudit (%w); %s", path, err, again(dir))
	}
	return &p, nil
}

// Manifest lists the contents of a finished task. It is written last; a folder without
// one is no task.
type Manifest struct {
	Fingerprint string      `json:"fingerprint"`
	Totals      InputTotals `json:"totals"`
	Inputs      []string    `json:"inputs"` // names of run files
	Fetches     []string    `json:"fetches"`
	Revisits    []string    `json:"revisits"` // of the fetches those that refer elsewhere
	Captures    []string    `json:"captures"`
	Issues      []string    `json:"issues"`
	Events      []string    `json:"events"`

	UserAgents []UserAgentCount `json:"user_agents"` // of the fetches; none where they are too many
}

// UserAgentCount is the number of fetches with a User-Agent.
type UserAgentCount struct {
	UserAgent []byte `json:"user_agent"` // which need not be UTF-8
	Fetches   int64  `json:"fetches"`
}

// ReadManifest reads the manifest of a task's folder.
func ReadManifest(dir string) (*Manifest, error) {
	b, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return &m, nil
}

// ReadTask reads the manifest of a task's folder.
func ReadTask(dir string) (Task, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return Task{}, err
	}
	return Task{Dir: dir, Manifest: *m}, nil
}

// TasksIn yields the tasks in a folder: of archives, or of verified records, whose inputs are the indexes. A folder
// without a manifest is no task.
func TasksIn(root string, verified bool) iter.Seq2[Task, error] {
	return func(yield func(Task, error) bool) {
		entries, err := os.ReadDir(root)
		if err != nil {
			yield(Task{}, err)
			return
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), verifiedPrefix) != verified {
				continue
			}
			if t, err := ReadTask(filepath.Join(root, e.Name())); err == nil && !yield(t, nil) {
				return
			}
		}
	}
}

// Update changes the results of a task, in its folder. change reports whether it has changed one.
func (m *Manifest) Update(ctx context.Context, dir string, change func(*InputResult) (bool, error)) error {
	spec := inputRuns // with a file of another name, until the manifest names it
	if spec.Name += "-changed"; slices.Contains(m.Inputs, run.OrderedFile(spec)) {
		spec = inputRuns
	}
	out := run.NewOrderedWriter(dir, spec)
	changed, number := false, int32(0)
	err := func() error {
		for r, err := range (&Task{Dir: dir, Manifest: *m}).Results(ctx) {
			if err != nil {
				return err
			}
			did, err := change(r)
			if err != nil {
				return err
			}
			if err := putInput(out.Put, r, 0, number); err != nil {
				return err
			}
			changed = changed || did
			number++
		}
		return nil
	}()
	names, closing := out.Close()
	if err = cmp.Or(err, closing); err == nil && changed {
		before := m.Inputs
		m.Inputs = names
		err = cmp.Or(durable.SyncFile(filepath.Join(dir, names[0])),
			durable.ReplaceJSON(filepath.Join(dir, ManifestFile), m))
		names = before
	}
	for _, name := range names { // of no more use
		err = cmp.Or(err, os.Remove(filepath.Join(dir, name)))
	}
	return err
}

// Commit makes p the current plan of an output folder.
func (p *Plan) Commit(dir string) error {
	return durable.ReplaceJSON(filepath.Join(dir, PrivateFolder, PlanFile), p)
}

// root is the folder of the tasks of a plan of an output folder.
func (p *Plan) root(dir string) string {
	return cmp.Or(p.Folder, filepath.Join(dir, PrivateFolder, FolderName(p.Fingerprint)))
}

// inputs is the folder of the file of all inputs of a plan of an output folder. It is not among the facts, which
// another version of the program removes.
func (p *Plan) inputs(dir string) string {
	return filepath.Join(cmp.Or(p.Folder, filepath.Join(dir, PrivateFolder)), p.Inputs)
}

// Planned yields the inputs of the plan of an output folder, in the order of their paths. One is valid
// until the next step.
func (p *Plan) Planned(ctx context.Context, dir string) iter.Seq2[*Input, error] {
	return madeOf(inputsOf(ctx, p.inputs(dir)), func(row *inputRow) *Input {
		if row.Result == "" {
			return nil
		}
		return &row.Input
	})
}

// Publish makes a task of a folder that is complete.
func Publish(root, tmp, name string) error {
	if err := durable.SyncFolder(tmp); err != nil {
		return err
	}
	target := filepath.Join(root, name)
	if err := os.RemoveAll(target); err != nil { // one that could not be kept
		return err
	}
	if err := os.Rename(tmp, target); err != nil {
		return err
	}
	return durable.SyncFolder(root)
}

// DropTemporary removes the leftovers of an interrupted run.
func DropTemporary(root string) error {
	_, err := durable.RemoveIf(root, func(name string) bool { return strings.HasPrefix(name, TemporaryPrefix) })
	return err
}
