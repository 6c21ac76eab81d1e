package records

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/alitto/pond/v2"
	slyrz "github.com/slyrz/warc"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/reading"
)

// CheckOptions are the options of Check.
type CheckOptions struct {
	Workers       int // inputs read at a time; 0: one a core
	Stdin         io.Reader
	VerifyDigests bool // compare the digests of all records, not of policy captures alone
}

// Checked is what reading an input found.
type Checked struct {
	facts.InputResult
	Failure       string // why it could not be read; the rest is then empty
	SecondOpinion Opinion
	Issues        iter.Seq2[*facts.Issue, error] // by place; valid during the call that has it

	dir string // of the runs of issues
}

// Opinion is what github.com/slyrz/warc makes of an input.
type Opinion struct {
	Asked   bool // it reads inputs of this form
	Records int64
	Stopped string // why it stopped before the end, in its own words
}

// Check reads inputs as ingest does, but keeps no facts: it calls report for each
// input, in their order.
func Check(ctx context.Context, inputs []facts.Input, opt CheckOptions, report func(*Checked) error) (err error) {
	dir, remove, err := durable.Temporary("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	opt.Workers = reading.Workers(opt.Workers)
	pool := pond.NewResultPool[*Checked](opt.Workers, pond.WithQueueSize(2*opt.Workers))
	defer pool.StopAndWait()
	var running []pond.ResultTask[*Checked]
	next := func() error {
		checked, err := running[0].Wait()
		running = running[1:]
		if err != nil {
			return err
		}
		runs, err := filepath.Glob(filepath.Join(checked.dir, facts.IssueRuns.Name+"-*"))
		if err != nil {
			return err
		}
		checked.Issues = run.Merge(ctx, runs, facts.IssueRuns, run.MergeOptions[facts.Issue]{TmpDir: checked.dir})
		if err := report(checked); err != nil {
			return err
		}
		return os.RemoveAll(checked.dir)
	}
	for i, in := range inputs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		running = append(running, pool.SubmitErr(func() (*Checked, error) {
			return checkInput(ctx, in, filepath.Join(dir, fmt.Sprint(i)), opt)
		}))
		if len(running) > opt.Workers {
			if err := next(); err != nil {
				return err
			}
		}
	}
	for len(running) > 0 {
		if err := next(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// checkInput reads one input and leaves its issues in dir, as runs: there may be
// more of them than memory holds.
func checkInput(ctx context.Context, in facts.Input, dir string, opt CheckOptions) (*Checked, error) {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	issues := run.NewSorter(dir, facts.IssueRuns)
	sink := issueSink{issue: issues.Put}
	c := &Checked{dir: dir}
	result, err := reading.Read(ctx, in, 0, sink, opt.Stdin, reading.Options{Verify: opt.VerifyDigests})
	var failed *reading.Error
	switch {
	case errors.As(err, &failed):
		c.InputResult, c.Failure = facts.InputResult{Input: in}, object.Cause(failed.Err).Error()
		return c, nil
	case err != nil:
		return nil, err
	}
	if _, err := issues.Close(); err != nil {
		return nil, err
	}
	c.InputResult = result
	if in.Path != facts.Stdin && result.Refusal == "" {
		c.SecondOpinion = secondOpinion(ctx, in)
	}
	return c, ctx.Err()
}

// issueSink passes issues on, and keeps no other facts.
type issueSink struct {
	facts.Discard
	issue func(*facts.Issue) error
}

func (s issueSink) Issue(i facts.Issue) error { return s.issue(&i) }

// secondOpinion counts the records that github.com/slyrz/warc sees.
func secondOpinion(ctx context.Context, in facts.Input) Opinion {
	f, err := reading.Open(ctx, in, nil)
	if err != nil {
		return Opinion{}
	}
	defer f.Close()
	src := input.New(f, nil)
	form := reading.SniffArchive(src)
	if !form.IsWARC() {
		return Opinion{}
	}
	plain, err := warc.Decompressed(form, src)
	if err != nil {
		return Opinion{Asked: true, Stopped: err.Error()}
	}
	o := Opinion{Asked: true}
	if err := o.count(plain); err != nil && err != io.EOF {
		o.Stopped = err.Error()
	}
	return o
}

// longestHeader is how many bytes slyrz/warc may read as a header.
const longestHeader = 1 << 20

var errLongHeader = errors.New("no end of the record header")

// count lets slyrz/warc read records to where it ends or stops. It has no bound
// on the length of a header, so what it reads as one is bounded here.
func (o *Opinion) count(plain io.Reader) (err error) {
	in := &io.LimitedReader{R: plain, N: longestHeader}
	defer func() {
		if in.N == 0 {
			err = errLongHeader
		}
	}()
	r, err := slyrz.NewReaderMode(in, slyrz.SequentialMode)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		in.N = longestHeader
		rec, err := r.ReadRecord()
		if err != nil {
			return err
		}
		in.N = math.MaxInt64
		left, err := io.Copy(io.Discard, rec.Content)
		if err != nil {
			return err
		}
		if length, _ := strconv.ParseInt(rec.Header.Get("content-length"), 10, 64); left < length {
			return fmt.Errorf("the block ends after %d of %d bytes", left, length)
		}
		o.Records++
	}
}
