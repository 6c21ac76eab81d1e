package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/internal/longtest"
)

// write writes rows to runs in dir and returns their paths.
func write[T any](t *testing.T, dir string, spec Spec[T], rows []T) []string {
	t.Helper()
	w := NewSorter(dir, spec)
	for _, row := range rows {
		if err := w.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	names, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(dir, name)
	}
	return paths
}

// collect returns copies of the rows of a merge.
func collect(t *testing.T, paths []string, opt MergeOptions[fetch]) []fetch {
	t.Helper()
	var rows []fetch
	for row, err := range Merge(t.Context(), paths, fetches, opt) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, *row)
	}
	return rows
}

func equal(t *testing.T, want, got []fetch) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if want[i] != got[i] {
			t.Fatalf("row %d (-want +got):\n%s", i, gocmp.Diff(want[i], got[i]))
		}
	}
}

func sorted(rows []fetch) []fetch {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b fetch) int { return byKey(&a, &b) })
	return rows
}

func TestBucketOf(t *testing.T) {
	// Computed apart from this code; facts on disk depend on them.
	for host, want := range map[string]int{"": 17, "com.example": 680, "org.commoncrawl.data": 607} {
		if got := BucketOf(host); got != want {
			t.Errorf("BucketOf(%q) = %d, want %d", host, got, want)
		}
	}
	counts := make([]int, Buckets)
	const hosts = 1 << 20
	for i := range hosts {
		counts[BucketOf(fmt.Sprintf("com.site-%d", i))]++
	}
	if lo, hi := slices.Min(counts), slices.Max(counts); lo < 800 || hi > 1250 {
		t.Errorf("%d hosts spread over buckets of %d to %d", hosts, lo, hi)
	}
}

// TestMergeIsSort compares merges with a sort in memory.
func TestMergeIsSort(t *testing.T) {
	seeds := uint64(12)
	if !longtest.Run() {
		seeds = 3
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 3))
		dir := t.TempDir()
		var all []fetch
		var paths []string
		for i := range 1 + rng.IntN(9) {
			rows := randomFetches(rng, rng.IntN(3000))
			for i := range rows {
				rows[i].Time %= 5 // many ties on part of the key
			}
			spec := fetches
			spec.Name = fmt.Sprint("part", i)
			paths = append(paths, write(t, dir, spec, rows)...)
			all = append(all, rows...)
		}
		all = sorted(all)
		equal(t, all, collect(t, paths, MergeOptions[fetch]{}))

		from := rng.IntN(Buckets)
		to := from + rng.IntN(Buckets-from+1)
		var share []fetch
		for _, row := range all {
			if b := BucketOf(row.Host); from <= b && b < to && to > 0 {
				share = append(share, row)
			}
		}
		if to > 0 {
			equal(t, share, collect(t, paths, MergeOptions[fetch]{From: from, To: to}))
		}
	}
}

func TestBucketRangesAreAPartition(t *testing.T) {
	rows := randomFetches(rand.New(rand.NewPCG(5, 5)), 5000)
	paths := write(t, t.TempDir(), fetches, rows)
	var got []fetch
	for from := 0; from < Buckets; from += 100 {
		got = append(got, collect(t, paths, MergeOptions[fetch]{From: from, To: min(from+100, Buckets)})...)
	}
	equal(t, sorted(rows), got)
	for _, opt := range []MergeOptions[fetch]{{From: -1, To: 3}, {From: 4, To: 3}, {From: 0, To: Buckets + 1}} {
		for _, err := range Merge(t.Context(), paths, fetches, opt) {
			if err == nil {
				t.Errorf("%+v: no error", opt)
			}
		}
	}
}

func TestSelect(t *testing.T) {
	rows := sorted(randomFetches(rand.New(rand.NewPCG(16, 16)), 4000))
	paths := write(t, t.TempDir(), fetches, rows)
	selected := make([]bool, Buckets)
	equal(t, nil, collect(t, paths, MergeOptions[fetch]{Select: selected}))
	var want []fetch
	for i, row := range rows {
		if i%500 == 0 {
			selected[BucketOf(row.Host)] = true
		}
	}
	for _, row := range rows {
		if selected[BucketOf(row.Host)] {
			want = append(want, row)
		}
	}
	equal(t, want, collect(t, paths, MergeOptions[fetch]{Select: selected}))
}

// TestPrepare numbers the rows of each file, on both sides of a compaction.
func TestPrepare(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 17))
	var all []fetch
	var paths []string
	for i := range maxFanIn + 9 {
		rows := randomFetches(rng, 100)
		paths = append(paths, write(t, t.TempDir(), fetches, rows)...)
		for j := range rows {
			rows[j].File += int32(i) * 1000
		}
		all = append(all, rows...)
	}
	equal(t, sorted(all), collect(t, paths, MergeOptions[fetch]{
		TmpDir:  t.TempDir(),
		Prepare: func(file int, row *fetch) { row.File += int32(file) * 1000 },
	}))
}

func TestRunsAreBounded(t *testing.T) {
	rows := randomFetches(rand.New(rand.NewPCG(6, 6)), 5000)
	for i := range rows {
		rows[i].Digest = strings.Repeat(rows[i].Record, maxBytes/1000/len(rows[i].Record))
	}
	dir := t.TempDir()
	paths := write(t, dir, fetches, rows)
	if len(paths) != 6 { // less than 1000 rows each, for their other fields
		t.Errorf("%d runs by bytes, want 6", len(paths))
	}
	equal(t, sorted(rows), collect(t, paths, MergeOptions[fetch]{}))

	held := fetches
	held.Held = 4 * maxBytes
	if paths = write(t, t.TempDir(), held, rows); len(paths) != 2 {
		t.Errorf("%d runs of four times the bytes, want 2", len(paths))
	}
	equal(t, sorted(rows), collect(t, paths, MergeOptions[fetch]{}))
}

// TestCompaction merges more files than may be open, in one pass and in two.
func TestCompaction(t *testing.T) {
	for _, files := range []int{maxFanIn, maxFanIn + 1, 2*maxFanIn + 45} {
		rng := rand.New(rand.NewPCG(7, uint64(files)))
		dir, tmp := t.TempDir(), t.TempDir()
		var all []fetch
		var paths []string
		for i := range files {
			rows := randomFetches(rng, 30)
			for j := range rows {
				// Ties across files: only the order of the files decides.
				rows[j].Host, rows[j].Origin, rows[j].URL = fmt.Sprint("h", j%7), "", ""
				rows[j].Time, rows[j].Record, rows[j].Offset = 0, "", 0
			}
			spec := fetches
			spec.Name = fmt.Sprint("part", i)
			paths = append(paths, write(t, dir, spec, rows)...)
			all = append(all, rows...)
		}
		equal(t, sorted(all), collect(t, paths, MergeOptions[fetch]{TmpDir: tmp}))

		for range Merge(t.Context(), paths, fetches, MergeOptions[fetch]{TmpDir: tmp}) {
			break // leaves no files either
		}
		if left, _ := os.ReadDir(tmp); len(left) != 0 {
			t.Errorf("%d temporary files left", len(left))
		}
	}
}

func TestDeterministic(t *testing.T) {
	rows := randomFetches(rand.New(rand.NewPCG(9, 9)), 20_000)
	a := write(t, t.TempDir(), fetches, rows)
	b := write(t, t.TempDir(), fetches, rows)
	if len(a) != len(b) {
		t.Fatalf("%d and %d runs", len(a), len(b))
	}
	for i := range a {
		x, errX := os.ReadFile(a[i])
		y, errY := os.ReadFile(b[i])
		if errX != nil || errY != nil || !bytes.Equal(x, y) {
			t.Errorf("run %d differs (%v, %v)", i, errX, errY)
		}
	}
}

func TestFewRows(t *testing.T) {
	dir := t.TempDir()
	if paths := write(t, dir, fetches, nil); len(paths) != 0 {
		t.Errorf("%d runs of no rows", len(paths))
	}
	equal(t, nil, collect(t, nil, MergeOptions[fetch]{}))

	one := []fetch{{
		Host: "com.example", Depth: -128, Flags: 1<<32 - 1, Port: 1<<16 - 1, Pack: 1<<64 - 1, Status: -61,
		Revisit: true,
	}}
	paths := write(t, dir, fetches, one)
	equal(t, one, collect(t, paths, MergeOptions[fetch]{}))
	b := BucketOf("com.example")
	equal(t, one, collect(t, paths, MergeOptions[fetch]{From: b, To: b + 1}))
	equal(t, nil, collect(t, paths, MergeOptions[fetch]{From: b + 1, To: Buckets}))
	equal(t, nil, collect(t, paths, MergeOptions[fetch]{From: 5, To: 5}))
}

// TestHugeValues has values larger than frames and chunks.
func TestHugeValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	rows := randomFetches(rng, 3000)
	for i := range rows {
		if i%50 == 0 {
			rows[i].URL += strings.Repeat(fmt.Sprint(i), 64<<10/4)
			rows[i].Digest = strings.Repeat(string(rune(i%128)), 300_000)
		}
		rows[i].Mime = fmt.Sprintf("%d%s", i, strings.Repeat("m", i))
		rows[i].Header = rows[i].Mime
	}
	rows[7].Agent = strings.Repeat("a", 9<<20)
	equal(t, sorted(rows), collect(t, write(t, t.TempDir(), fetches, rows), MergeOptions[fetch]{}))
}

// TestStringsMayBeKept keeps strings over the whole of a merge.
func TestStringsMayBeKept(t *testing.T) {
	rows := randomFetches(rand.New(rand.NewPCG(11, 11)), 20_000)
	paths := write(t, t.TempDir(), fetches, rows)
	var urls, agents []string
	for row, err := range Merge(t.Context(), paths, fetches, MergeOptions[fetch]{}) {
		if err != nil {
			t.Fatal(err)
		}
		urls, agents = append(urls, row.URL), append(agents, row.Agent)
		row.URL, row.Record = "changed", "" // does no harm
	}
	for i, row := range sorted(rows) {
		if urls[i] != row.URL || agents[i] != row.Agent {
			t.Fatalf("row %d: %q, %q", i, urls[i], agents[i])
		}
	}
}

func TestCancel(t *testing.T) {
	paths := write(t, t.TempDir(), fetches, randomFetches(rand.New(rand.NewPCG(12, 12)), 5000))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	var last error
	for _, err := range Merge(ctx, paths, fetches, MergeOptions[fetch]{}) {
		n, last = n+1, err
		cancel()
	}
	if !errors.Is(last, context.Canceled) || n > 2000 {
		t.Errorf("%d steps, %v", n, last)
	}
}

func TestWriteErrors(t *testing.T) {
	rows := randomFetches(rand.New(rand.NewPCG(13, 13)), 5000)
	for i := range rows {
		rows[i].Record = strings.Repeat(rows[i].Record, maxBytes/2000/len(rows[i].Record)) // the third run is the last
	}
	check := func(t *testing.T, dir string) {
		w := NewSorter(dir, fetches)
		for _, row := range rows {
			if err := w.Add(row); err != nil {
				break
			}
		}
		names, err := w.Close()
		if err == nil || names != nil {
			t.Errorf("Close returned %v, %v", names, err)
		}
		if _, again := w.Close(); again == nil {
			t.Error("a second Close succeeds")
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%d files left", len(left))
		}
	}
	t.Run("no folder", func(t *testing.T) { check(t, filepath.Join(t.TempDir(), "absent")) })
	for _, n := range []int{0, 1, 2} {
		t.Run(fmt.Sprint("disk full in run ", n), func(t *testing.T) {
			if runtime.GOOS != "linux" {
				t.Skip("needs /dev/full")
			}
			dir := t.TempDir()
			if err := os.Symlink("/dev/full", filepath.Join(dir, fmt.Sprintf("fetches-%05d.run", n))); err != nil {
				t.Fatal(err)
			}
			check(t, dir)
		})
	}
	t.Run("bucket out of range", func(t *testing.T) {
		spec := fetches
		spec.Bucket = func(*fetch) int { return Buckets }
		if err := NewSorter(t.TempDir(), spec).Add(rows[0]); err == nil {
			t.Error("no error")
		}
	})
	t.Run("full disk while compacting", func(t *testing.T) {
		paths := slices.Repeat(write(t, t.TempDir(), fetches, rows[:10]), maxFanIn+1)
		for _, err := range Merge(t.Context(), paths, fetches, MergeOptions[fetch]{TmpDir: "/dev/null"}) {
			if err == nil {
				t.Fatal("no error")
			}
		}
	})
}

func TestUnsupportedRows(t *testing.T) {
	checkUnsupported(t, Spec[struct{ A []string }]{})
	checkUnsupported(t, Spec[struct{ A *int32 }]{})
	checkUnsupported(t, Spec[struct{ A float64 }]{})
	checkUnsupported(t, Spec[struct{ A struct{ B float64 } }]{})
	checkUnsupported(t, Spec[int]{})
}

func checkUnsupported[T any](t *testing.T, spec Spec[T]) {
	t.Helper()
	if err := NewSorter(t.TempDir(), spec).Add(*new(T)); err == nil {
		t.Errorf("%T: no error", *new(T))
	}
}

func TestOtherColumns(t *testing.T) {
	type other struct{ Host string }
	spec := Spec[other]{
		Name:    "other",
		Compare: func(a, b *other) int { return cmp.Compare(a.Host, b.Host) },
		Bucket:  func(o *other) int { return BucketOf(o.Host) },
	}
	paths := write(t, t.TempDir(), spec, []other{{Host: "a"}})
	for _, err := range Merge(t.Context(), paths, fetches, MergeOptions[fetch]{}) {
		if err == nil || !strings.Contains(err.Error(), paths[0]) {
			t.Errorf("error %v does not name %s", err, paths[0])
		}
	}
}

func TestOtherBuckets(t *testing.T) {
	spec := fetches
	spec.Bucket = func(*fetch) int { return 0 }
	paths := write(t, t.TempDir(), spec, []fetch{{Host: "com.example"}})
	for _, err := range Merge(t.Context(), paths, fetches, MergeOptions[fetch]{}) {
		if !errors.Is(err, errDamaged) {
			t.Errorf("error %v", err)
		}
	}
}

// TestDamage cuts and flips bytes of a run file. The merge must report the
// file or yield the rows that were written, and never panic.
func TestDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 14))
	rows := sorted(randomFetches(rng, 2500))
	path := write(t, t.TempDir(), fetches, rows)[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, content []byte) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		n, wrong := 0, false
		for row, err := range Merge(t.Context(), []string{path}, fetches, MergeOptions[fetch]{}) {
			if err != nil {
				if !strings.Contains(err.Error(), path) {
					t.Errorf("%s: error does not name the file: %v", what, err)
				}
				return
			}
			wrong = wrong || n >= len(rows) || rows[n] != *row
			n++
		}
		if wrong || n != len(rows) {
			t.Errorf("%s: other rows without an error", what)
		}
	}
	for _, size := range []int{0, 1, 7, 8, 12, len(whole) / 2, len(whole) - 9, len(whole) - 1} {
		try(fmt.Sprint("cut to ", size), whole[:size])
	}
	try("garbage", bytes.Repeat([]byte("PAR1"), 1000))
	places := 300
	if !longtest.Run() {
		places = 20
	}
	for range places {
		at, bit := rng.IntN(len(whole)), rng.IntN(8)
		content := bytes.Clone(whole)
		content[at] ^= 1 << bit
		try(fmt.Sprintf("bit %d of byte %d of %d", bit, at, len(whole)), content)
	}
	for range places { // the footer
		at := len(whole) - 1 - rng.IntN(6000)
		content := bytes.Clone(whole)
		content[at] = byte(rng.Uint32())
		try(fmt.Sprintf("byte %d of %d", at, len(whole)), content)
	}
}

// TestRunsInOrderOpenOneByOne: a reader whose rows come later holds none yet, and one
// whose rows are all read holds none any more.
func TestRunsInOrderOpenOneByOne(t *testing.T) {
	dir := t.TempDir()
	hosts := []string{"org,a", "org,b"}
	slices.SortFunc(hosts, func(a, b string) int { return cmp.Compare(BucketOf(a), BucketOf(b)) })
	l, err := layoutOf[fetch]()
	if err != nil {
		t.Fatal(err)
	}
	var readers []*fileReader[fetch]
	var heads []head[fetch]
	for i, host := range hosts {
		spec := fetches
		spec.Name = fmt.Sprint("run", i)
		path := write(t, dir, spec, []fetch{{Host: host}})[0]
		r, err := openFile(source[fetch]{path: path}, spec, l, 0, Buckets)
		if err != nil {
			t.Fatal(err)
		}
		defer r.close()
		readers, heads = append(readers, r), append(heads, head[fetch]{reader: r, bucket: r.start()})
	}
	tree := newTree(heads, fetches.Compare)
	for step, want := range [][2]bool{{false, false}, {true, false}, {false, false}, {false, true}, {false, false}} {
		if got := [2]bool{readers[0].codec != nil, readers[1].codec != nil}; got != want {
			t.Fatalf("step %d: readers that hold rows: %v, want %v", step, got, want)
		}
		if err := tree.first().advance(); err != nil {
			t.Fatal(err)
		}
		tree.advance()
	}
}
