package evaluate

import (
	"context"
	"iter"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/pack"
	"github.com/robotsaudit/robotsaudit/internal/run"
)

// store reads the facts of all tasks as one.
type store struct {
	facts *facts.Set
	tmp   string         // folder for temporary files
	packs []*pack.Reader // by task; the last is the one that resolve fills
}

func openStore(facts *facts.Set, tmp string) (*store, error) {
	s := &store{facts: facts, tmp: tmp}
	for i := range facts.Tasks {
		p, err := pack.Open(facts.Tasks[i].PackPath())
		if err != nil {
			s.close()
			return nil, err
		}
		s.packs = append(s.packs, p)
	}
	return s, nil
}

func (s *store) close() {
	for _, p := range s.packs {
		p.Close()
	}
}

// files lists the runs of all tasks and, for each, its task.
func (s *store) files(names func(*facts.Task) []string) (paths []string, tasks []int) {
	for i := range s.facts.Tasks {
		t := &s.facts.Tasks[i]
		for _, name := range names(t) {
			paths, tasks = append(paths, t.Path(name)), append(tasks, i)
		}
	}
	return paths, tasks
}

// isCopied reports whether a record without an id lies in a copy of an input. With an
// id, twins tell it.
func (s *store) isCopied(f *facts.Fetch) bool {
	if f.RecordID != "" {
		return false
	}
	_, copied := s.facts.Copies[f.Input]
	return copied
}

// fetches yields all fetches, in order, but for those that isCopied. Buckets limits
// them; nil means all.
func (s *store) fetches(ctx context.Context, buckets []bool) iter.Seq2[*facts.Fetch, error] {
	paths, tasks := s.files(func(t *facts.Task) []string { return t.Fetches })
	all := run.Merge(ctx, paths, facts.FetchRuns, run.MergeOptions[facts.Fetch]{
		Select: buckets, TmpDir: s.tmp,
		Prepare: func(file int, f *facts.Fetch) { f.Input = s.facts.Tasks[tasks[file]].Global[f.Input] },
	})
	if len(s.facts.Copies) == 0 {
		return all
	}
	return func(yield func(*facts.Fetch, error) bool) {
		for f, err := range all {
			if err == nil && s.isCopied(f) {
				continue
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

// unsorted yields the fetches of runs, one run after the other, copies among them.
func (s *store) unsorted(
	ctx context.Context, spec run.Spec[facts.Fetch], names func(*facts.Task) []string,
) iter.Seq2[*facts.Fetch, error] {
	paths, tasks := s.files(names)
	return func(yield func(*facts.Fetch, error) bool) {
		for i, path := range paths {
			global := s.facts.Tasks[tasks[i]].Global
			opt := run.MergeOptions[facts.Fetch]{Prepare: func(_ int, f *facts.Fetch) { f.Input = global[f.Input] }}
			for f, err := range run.Merge(ctx, []string{path}, spec, opt) {
				if !yield(f, err) || err != nil {
					return
				}
			}
		}
	}
}

// captures yields all policy captures, in order, each record once. Buckets limits them;
// nil means all. copied is told of the other places that hold one; it may be nil.
func (s *store) captures(ctx context.Context, buckets []bool, copied func(first, c *facts.Fetch) error) iter.Seq2[*facts.Capture, error] {
	paths, tasks := s.files(func(t *facts.Task) []string { return t.Captures })
	all := run.Merge(ctx, paths, facts.CaptureRuns, run.MergeOptions[facts.Capture]{
		Select: buckets, TmpDir: s.tmp,
		Prepare: func(file int, c *facts.Capture) {
			c.Input = s.facts.Tasks[tasks[file]].Global[c.Input]
			c.Pack = int32(tasks[file])
		},
	})
	return func(yield func(*facts.Capture, error) bool) {
		var seen twins
		for c, err := range all {
			if err == nil {
				if s.isCopied(&c.Fetch) {
					continue
				}
				if first := seen.first(&c.Fetch); first != nil {
					if copied == nil {
						continue
					}
					if err = copied(first, &c.Fetch); err == nil {
						continue
					}
				}
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// events yields what crawlers' logs say, in order.
func (s *store) events(ctx context.Context) iter.Seq2[*facts.LogEvent, error] {
	paths, tasks := s.files(func(t *facts.Task) []string { return t.Events })
	return run.Merge(ctx, paths, facts.EventRuns, run.MergeOptions[facts.LogEvent]{
		TmpDir:  s.tmp,
		Prepare: func(file int, e *facts.LogEvent) { e.Input = s.facts.Tasks[tasks[file]].Global[e.Input] },
	})
}

// issues yields what ingest noted, in order of input and place, and with it the
// runs of issues at own, whose inputs are numbered already.
func (s *store) issues(ctx context.Context, own []string) iter.Seq2[*facts.Issue, error] {
	paths, tasks := s.files(func(t *facts.Task) []string { return t.Issues })
	return run.Merge(ctx, append(paths, own...), facts.IssueRuns, run.MergeOptions[facts.Issue]{
		TmpDir: s.tmp,
		Prepare: func(file int, i *facts.Issue) {
			if file < len(tasks) {
				i.Input = s.facts.Tasks[tasks[file]].Global[i.Input]
			}
		},
	})
}

// body reads the body applied by a state.
func (s *store) body(st *State) ([]byte, error) {
	ref := pack.Ref{Offset: st.BodyOffset, Size: st.BodySize}
	copy(ref.Digest[:], st.BodyDigest)
	return s.packs[st.Pack].Get(ref)
}
