package facts

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// What reading an input came to takes kilobytes, and there may be hundreds of thousands of inputs. It
// lies in files of rows, in the order of paths: one of each task, and one of all inputs of a plan.
// Who needs it reads it through (Set.Results). A Set holds the inputs themselves, and what shows the
// runs of crawlers.

// inputRow is a row about an input. The first of an input has its result, and each one of its runs.
type inputRow struct {
	Input
	Task   int32  // of the plan; unread: none has it
	Number int32  // in the task
	Result string // in JSON, without the input and the runs; "": this is a further row
	runRow
}

const unread = -1 // the task of an input that was planned and could not be read

type runRow struct {
	Entry            string
	Run              int32 // 0: there is none
	ID, File, Fields string
	Voices           string // JSON
	Clocks           string // JSON
	Unordered, Mixed bool
}

var inputRuns = run.Spec[inputRow]{
	Name:    "inputs",
	Compare: func(a, b *inputRow) int { return cmp.Compare(a.Path, b.Path) },
	Bucket:  func(*inputRow) int { return 0 },
}

// InputTotals adds up what is known of inputs: of InputStats the counts.
type InputTotals struct {
	Count    int32 `json:"count"`
	NotWhole int64 `json:"not_whole"` // inputs that were not wholly read
	InputStats
}

// Add adds an input.
func (t *InputTotals) Add(r *InputResult) {
	t.Count++
	if r.Refusal != "" || r.Lossy > 0 {
		t.NotWhole++
	}
	Sum(&t.InputStats, &r.InputStats)
}

type bare struct {
	Container   string
	Fingerprint string
	SHA256      string `json:",omitempty"`
	Refusal     string `json:",omitempty"`
	*InputStats
}

func putInput(put func(*inputRow) error, r *InputResult, task, number int32) error {
	stats := r.InputStats
	stats.Runs = nil
	b, err := json.Marshal(&bare{r.Container, r.Fingerprint, r.SHA256, r.Refusal, &stats})
	if err != nil {
		return err
	}
	slices.SortFunc(r.Runs, compareRuns)
	row := inputRow{Input: r.Input, Task: task, Number: number, Result: string(b)}
	for i := range max(len(r.Runs), 1) {
		if i < len(r.Runs) {
			if row.runRow, err = rowOfRun(&r.Runs[i]); err != nil {
				return err
			}
		}
		if err := put(&row); err != nil {
			return err
		}
		row.Result = ""
	}
	return nil
}

func rowOfRun(r *CrawlRun) (runRow, error) {
	row := runRow{
		Entry: r.Entry, Run: r.Number, ID: r.ID.String(), File: r.File, Unordered: r.Unordered, Mixed: r.Mixed,
	}
	if len(r.Voices) > 0 {
		b, err := json.Marshal(r.Voices)
		if err != nil {
			return row, err
		}
		row.Voices = string(b)
	}
	if len(r.Clocks) > 0 {
		b, err := json.Marshal(r.Clocks)
		if err != nil {
			return row, err
		}
		row.Clocks = string(b)
	}
	if len(r.Fields) == 0 {
		return row, nil
	}
	fields := make(map[string]string)
	for _, f := range r.Fields {
		fields[f.Name] = f.Digest
	}
	b, err := json.Marshal(fields)
	row.Fields = string(b)
	return row, err
}

func (r *runRow) crawlRun() (CrawlRun, error) {
	c := CrawlRun{
		Entry: r.Entry, Number: r.Run, ID: recordid.Parse(r.ID), File: r.File, Unordered: r.Unordered, Mixed: r.Mixed,
	}
	if r.Voices != "" {
		if err := json.Unmarshal([]byte(r.Voices), &c.Voices); err != nil {
			return c, err
		}
	}
	if r.Clocks != "" {
		if err := json.Unmarshal([]byte(r.Clocks), &c.Clocks); err != nil {
			return c, err
		}
	}
	if r.Fields == "" {
		return c, nil
	}
	var fields map[string]string
	err := json.Unmarshal([]byte(r.Fields), &fields)
	c.Fields = make([]Field, 0, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		c.Fields = append(c.Fields, Field{name, fields[name]})
	}
	return c, err
}

// mergeInputs yields the rows of the inputs of tasks, in order.
func mergeInputs(ctx context.Context, tasks []Task, tmp string) iter.Seq2[*inputRow, error] {
	var paths []string
	var from []int32
	for i := range tasks {
		for _, name := range tasks[i].Inputs {
			paths, from = append(paths, tasks[i].Path(name)), append(from, int32(i))
		}
	}
	return run.Merge(ctx, paths, inputRuns, run.MergeOptions[inputRow]{
		TmpDir:  tmp,
		Prepare: func(file int, row *inputRow) { row.Task = from[file] },
	})
}

type placedResult struct {
	InputResult
	task, number int32
}

// results makes results of rows. One is valid until the next step.
func results(rows iter.Seq2[*inputRow, error]) iter.Seq2[*placedResult, error] {
	return func(yield func(*placedResult, error) bool) {
		var r *placedResult
		for row, err := range rows {
			if err == nil && row.Result != "" {
				if r != nil && !yield(r, nil) {
					return
				}
				r = &placedResult{InputResult{Input: row.Input}, row.Task, row.Number}
				b := bare{InputStats: &r.InputStats}
				err = json.Unmarshal([]byte(row.Result), &b)
				r.Container, r.Fingerprint, r.SHA256, r.Refusal = b.Container, b.Fingerprint, b.SHA256, b.Refusal
			}
			if err == nil && row.Run != 0 {
				var c CrawlRun
				c, err = row.crawlRun()
				r.Runs = append(r.Runs, c)
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		if r != nil {
			yield(r, nil)
		}
	}
}

// Results yields what reading the inputs of a task came to, in order. A result is valid until the
// next step.
func (t *Task) Results(ctx context.Context) iter.Seq2[*InputResult, error] {
	return madeOf(results(mergeInputs(ctx, []Task{*t}, "")),
		func(r *placedResult) *InputResult { return &r.InputResult })
}

// madeOf yields what f makes of rows, unless that is nil. An error ends the sequence.
func madeOf[A, B any](rows iter.Seq2[*A, error], f func(*A) *B) iter.Seq2[*B, error] {
	return func(yield func(*B, error) bool) {
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			if made := f(row); made != nil && !yield(made, nil) {
				return
			}
		}
	}
}

// WriteInputs makes the file of the inputs of tasks in a folder: with the names of the planned
// inputs, which are sorted by path, and with the planned inputs that no task has.
func WriteInputs(ctx context.Context, dir string, tasks []Task, planned []Input) error {
	out := run.NewOrderedWriter(dir, inputRuns)
	err := writeInputs(out, mergeInputs(ctx, tasks, dir), planned)
	_, closing := out.Close()
	return cmp.Or(err, closing)
}

func writeInputs(out rows[inputRow], all iter.Seq2[*inputRow, error], planned []Input) error {
	unreadBefore := func(path string) error {
		for len(planned) > 0 && planned[0].Path < path {
			if err := out.Put(&inputRow{Input: planned[0], Task: unread, Result: "{}"}); err != nil {
				return err
			}
			planned = planned[1:]
		}
		return nil
	}
	name := ""
	for row, err := range all {
		if err == nil && row.Result != "" {
			err = unreadBefore(row.Path)
			if name = row.Name; len(planned) > 0 && planned[0].Path == row.Path {
				name, planned = planned[0].Name, planned[1:]
			}
		}
		if err != nil {
			return err
		}
		placed := *row
		placed.Name = name
		if err := out.Put(&placed); err != nil {
			return err
		}
	}
	return unreadBefore(last)
}

const last = "\xff" // after any path

func inputsOf(ctx context.Context, dir string) iter.Seq2[*inputRow, error] {
	return func(yield func(*inputRow, error) bool) {
		rows, err := run.OpenSorted(dir, inputRuns) // without inputs there is no file
		if err != nil {
			yield(nil, err)
			return
		}
		rows.Range(ctx, 0, run.Buckets)(yield)
	}
}
