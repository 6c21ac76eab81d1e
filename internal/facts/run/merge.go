package run

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// maxFanIn is how many runs one merge has open at once: each is a file, and holds two frames. A row is
// rewritten once more for every power of that. As each core merges its own share, many cores take fewer.
var maxFanIn = min(256, max(64, 2048/runtime.GOMAXPROCS(0)))

// MergeOptions selects the rows to merge, and the place of the result.
type MergeOptions[T any] struct {
	// From and To select the buckets From ≤ bucket < To; both zero mean all.
	From, To int
	// Select, where it is not nil, has Buckets elements and selects the buckets with
	// true.
	Select []bool
	// Before and Behind, where they are not nil, leave out rows of bucket From and of bucket To-1:
	// rows before a place in the order, where Before is true, and rows after one, where Behind is
	// true.
	Before, Behind func(*T) bool
	// Prepare, where it is not nil, completes a row of paths[file] before it
	// is compared: rows of different files may mean different things by the
	// same value. It must keep the order of each file.
	Prepare func(file int, row *T)
	// TmpDir takes the temporary files of merges of more than maxFanIn runs; empty
	// means the system's folder for such files.
	TmpDir string
}

// Merge yields the rows of run files in order: by bucket, then Spec.Compare,
// then position of the file in paths. More than maxFanIn files are first compacted
// into fewer temporary ones, which are removed at the end.
//
// The row is valid until the next step, and so are its []byte fields; its
// strings may be kept. An error ends the sequence. A damaged file gives an
// error that names it.
func Merge[T any](ctx context.Context, paths []string, spec Spec[T], opt MergeOptions[T]) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		if err := merge(ctx, paths, spec, opt, yield); err != nil {
			yield(nil, err)
		}
	}
}

// merge returns nil if yield ends the sequence.
func merge[T any](ctx context.Context, paths []string, spec Spec[T], opt MergeOptions[T],
	yield func(*T, error) bool,
) (err error) {
	if opt.From == 0 && opt.To == 0 {
		opt.To = Buckets
	}
	if opt.From < 0 || opt.From > opt.To || opt.To > Buckets {
		return fmt.Errorf("merge of buckets %d to %d: there are %d", opt.From, opt.To, Buckets)
	}
	m := &merger[T]{spec: spec, before: opt.Before, behind: opt.Behind}
	if m.from, m.to = narrow(opt.From, opt.To, opt.Select); m.from == m.to {
		return ctx.Err() // no file is opened in vain
	}
	if m.layout, err = layoutOf[T](); err != nil {
		return err
	}
	sources := make([]source[T], len(paths))
	for i, path := range paths {
		sources[i].path = path
		if opt.Prepare != nil {
			sources[i].prepare = func(row *T) { opt.Prepare(i, row) }
		}
	}
	return m.mergeAll(ctx, sources, opt.TmpDir, func(row *T, bucket int) (bool, error) {
		if opt.Select != nil && !opt.Select[bucket] {
			return true, nil
		}
		return yield(row, nil), nil
	})
}

// narrow shortens a range of buckets to those selected in it.
func narrow(from, to int, selected []bool) (int, int) {
	if selected == nil {
		return from, to
	}
	for from < to && !selected[from] {
		from++
	}
	for from < to && !selected[to-1] {
		to--
	}
	return from, to
}

// source is a run, and what completes its rows.
type source[T any] struct {
	path    string
	held    *heldRows[T] // in place of a file
	prepare func(*T)     // nil: nothing does
}

type merger[T any] struct {
	spec     Spec[T]
	layout   *layout
	from, to int           // buckets
	before   func(*T) bool // MergeOptions.Before
	behind   func(*T) bool // MergeOptions.Behind
	files    int           // temporary files made so far
}

// mergeAll calls f for every row of sources in order, until f returns false.
func (m *merger[T]) mergeAll(ctx context.Context, sources []source[T], tmpDir string,
	f func(*T, int) (bool, error),
) error {
	if len(sources) > maxFanIn {
		dir, err := os.MkdirTemp(tmpDir, "merge-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if sources, err = m.compact(ctx, sources, dir); err != nil {
			return err
		}
	}
	return m.each(ctx, sources, f)
}

// compact merges neighbours among sources until at most fanIn are left. It rewrites no
// more rows than that takes.
func (m *merger[T]) compact(ctx context.Context, sources []source[T], dir string) ([]source[T], error) {
	for len(sources) > maxFanIn {
		excess := len(sources) - maxFanIn
		var merged []source[T]
		rest := sources
		for excess > 0 && len(rest) > 1 {
			n := min(maxFanIn, excess+1, len(rest))
			path := filepath.Join(dir, fmt.Sprintf("%s-%05d.run", m.spec.Name, m.files))
			m.files++
			if err := m.mergeInto(ctx, path, rest[:n]); err != nil {
				return nil, err
			}
			merged = append(merged, source[T]{path: path})
			rest = rest[n:]
			excess -= n - 1
		}
		sources = slices.Concat(merged, rest)
	}
	return sources, nil
}

func (m *merger[T]) mergeInto(ctx context.Context, path string, sources []source[T]) error {
	out, err := createFile[T](path, m.layout)
	if err != nil {
		return err
	}
	err = m.each(ctx, sources, func(row *T, bucket int) (bool, error) { return true, out.add(row, bucket) })
	return out.close(err)
}

// A reader reads the rows of a run in order.
type reader[T any] interface {
	// start returns a bucket before which there are no rows.
	start() int
	// next returns the next row, nil at the end, and its bucket.
	next() (*T, int, error)
	close()
}

func (m *merger[T]) open(src source[T]) (reader[T], error) {
	if src.held != nil {
		return src.held.in(m.layout, m.from, m.to), nil
	}
	r, err := openFile(src, m.spec, m.layout, m.from, m.to)
	if err != nil {
		return nil, err
	}
	if r.before, r.behind = m.before, m.behind; m.before == nil {
		return r, nil
	}
	if err := r.seek(); err != nil {
		r.close()
		return nil, r.error(err)
	}
	return r, nil
}

// each calls f with every row in order, and its bucket, until f returns false.
func (m *merger[T]) each(ctx context.Context, sources []source[T], f func(*T, int) (bool, error)) error {
	if len(sources) == 0 {
		return ctx.Err()
	}
	heads := make([]head[T], 0, len(sources))
	defer func() {
		for _, h := range heads {
			h.close()
		}
	}()
	for _, src := range sources {
		r, err := m.open(src)
		if err != nil {
			return err
		}
		heads = append(heads, head[T]{reader: r, bucket: r.start()})
	}
	const checkEvery = 1024 // rows
	t := newTree(heads, m.spec.Compare)
	for n := 0; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		h := t.first()
		if h.ended() {
			return nil
		}
		if h.begun {
			if more, err := f(h.row, h.bucket); err != nil || !more {
				return err
			}
		}
		if err := h.advance(); err != nil {
			return err
		}
		t.advance()
	}
}

// A head is a reader and the row that it is at.
type head[T any] struct {
	reader[T]
	begun  bool // there was a row, or the end
	row    *T   // nil before the first and at the end
	bucket int  // of the row; before the first, that of start
}

func (h *head[T]) ended() bool { return h.begun && h.row == nil }

func (h *head[T]) advance() error {
	row, bucket, err := h.next()
	h.begun, h.row, h.bucket = true, row, bucket
	return err
}

// A tree is a loser tree (Knuth, The Art of Computer Programming, volume 3,
// §5.4.1): each inner node holds the loser of the match between the winners of
// its two subtrees, so finding the next row takes one comparison a level.
type tree[T any] struct {
	compare func(a, b *T) int
	heads   []head[T] // leaf i is node len(heads)+i
	losers  []int     // head at each inner node; the root is node 1
	winner  int
	second  int // the best of the others, where the winner has stayed; -1: not known
}

func newTree[T any](heads []head[T], compare func(a, b *T) int) *tree[T] {
	t := &tree[T]{compare: compare, heads: heads, losers: make([]int, len(heads)), second: -1}
	t.winner = t.play(1)
	return t
}

// play fills the subtree at node and returns its winner.
func (t *tree[T]) play(node int) int {
	if node >= len(t.heads) {
		return node - len(t.heads)
	}
	winner, loser := t.play(2*node), t.play(2*node+1)
	if t.before(loser, winner) {
		winner, loser = loser, winner
	}
	t.losers[node] = loser
	return winner
}

func (t *tree[T]) first() *head[T] { return &t.heads[t.winner] }

// advance restores the order after first has moved to its next row. Rows that follow one another in a run, as the
// rows of a host in an index do, take one comparison each.
func (t *tree[T]) advance() {
	if t.second >= 0 && t.before(t.winner, t.second) {
		return
	}
	winner, second := t.winner, -1
	for node := (len(t.heads) + winner) / 2; node > 0; node /= 2 {
		if t.before(t.losers[node], winner) {
			winner, t.losers[node] = t.losers[node], winner
		}
	}
	if winner == t.winner {
		for node := (len(t.heads) + winner) / 2; node > 0; node /= 2 {
			if second < 0 || t.before(t.losers[node], second) {
				second = t.losers[node]
			}
		}
	}
	t.winner, t.second = winner, second
}

// before reports whether head i's row comes before head j's. One that has not begun
// comes before all rows of its first bucket, and holds no page until then: runs
// that follow one another are open one at a time. Heads that have ended come last.
func (t *tree[T]) before(i, j int) bool {
	a, b := &t.heads[i], &t.heads[j]
	switch {
	case a.ended() || b.ended():
		return !a.ended()
	case a.bucket != b.bucket:
		return a.bucket < b.bucket
	case !a.begun || !b.begun:
		return !a.begun
	}
	if c := t.compare(a.row, b.row); c != 0 {
		return c < 0
	}
	return i < j
}
