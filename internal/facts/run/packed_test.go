package run

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// unpackAll checks that unpacking in another order returns the packed rows.
func unpackAll(t *testing.T, p *packedRows[fetch], want []fetch, at []packedRow) {
	t.Helper()
	for _, i := range rand.New(rand.NewPCG(1, 9)).Perm(len(want)) {
		var got fetch
		if p.unpack(&got, at[i]); !same(&want[i], &got) {
			t.Fatalf("row %d: got %+v, want %+v", i, got, want[i])
		}
	}
}

func packAll(p *packedRows[fetch], rows []fetch) []packedRow {
	var at []packedRow
	for _, row := range rows {
		at = append(at, p.add(&row, BucketOf(row.Host)))
	}
	return at
}

func newPackedFetches(t testing.TB) *packedRows[fetch] {
	t.Helper()
	l, err := layoutOf[fetch]()
	if err != nil {
		t.Fatal(err)
	}
	return newPackedRows(l)
}

// extremeFetches have any values, and often repeat the row before.
func extremeFetches(rng *rand.Rand, n int) []fetch {
	text := func(before string) string {
		switch rng.IntN(12) {
		case 0:
			return ""
		case 1, 2:
			return fmt.Sprint(rng.IntN(9))
		case 3:
			return strings.Repeat("é", rng.IntN(200))
		case 4:
			return strings.Repeat("\x00", rng.IntN(2*chunkBytes)>>rng.IntN(18))
		}
		return before
	}
	octets := func(before []byte) []byte { return []byte(text(string(before))) }
	number := func() int64 {
		return [...]int64{0, -1, math.MinInt64, math.MaxInt64, int64(rng.Uint64()), int64(rng.IntN(200))}[rng.IntN(6)]
	}
	rows := make([]fetch, n)
	var f fetch
	for i := range rows {
		f = fetch{
			Host: text(f.Host), Origin: text(f.Origin), URL: text(f.URL), Time: number(), Record: octets(f.Record),
			File: int32(number()), Offset: number(), Length: number(), Status: int16(number()), Mime: text(f.Mime),
			Agent: text(f.Agent), Digest: octets(f.Digest), Truncated: uint8(number()), Kind: kind(number()),
			Revisit: number() > 0, Robots: text(f.Robots), Port: uint16(number()), Flags: uint32(number()),
			Seq:   number(),
			Depth: int8(number()), Language: text(f.Language), Header: octets(f.Header), Pack: uint64(number()),
		}
		rows[i] = f
	}
	return rows
}

// TestPackedRows packs and forgets rows again and again.
func TestPackedRows(t *testing.T) {
	p := newPackedFetches(t)
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rows := extremeFetches(rng, rng.IntN(300))
		at := packAll(p, rows)
		unpackAll(t, p, rows, at)
		if p.held.rows != len(rows) {
			t.Fatalf("holds %d rows of %d", p.held.rows, len(rows))
		}
		bucket, place := packedRow.bucket, func(r packedRow) packedRow { return r & (1<<placeBits - 1) }
		if !slices.IsSortedFunc(at, func(a, b packedRow) int { return cmp.Compare(place(a), place(b)) }) {
			t.Fatal("not in the order in which they were added")
		}
		for i, row := range rows {
			if bucket(at[i]) != BucketOf(row.Host) {
				t.Fatalf("row %d: bucket %d", i, bucket(at[i]))
			}
		}
		p.reset()
	}
}

// TestCopiedRows: rows that others hold are packed as the rows themselves.
func TestCopiedRows(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 8))
		rows := extremeFetches(rng, rng.IntN(300))
		held, copied, added := newPackedFetches(t), newPackedFetches(t), newPackedFetches(t)
		at := packAll(held, rows)
		for _, i := range rng.Perm(len(rows)) {
			place := copied.copy(held, at[i])
			if want := added.add(&rows[i], BucketOf(rows[i].Host)); place != want {
				t.Fatalf("row %d at %x, want %x", i, place, want)
			}
		}
		if !slices.EqualFunc(copied.chunks, added.chunks, bytes.Equal) || copied.held != added.held {
			t.Fatal("other bytes")
		}
	}
}

// TestRepeatsAreSmall: what the row before has, too, is a byte, and a zero a bit.
func TestRepeatsAreSmall(t *testing.T) {
	p := newPackedFetches(t)
	row := randomFetches(rand.New(rand.NewPCG(2, 2)), 1)[0]
	row.Time, row.Offset, row.Length, row.Pack, row.Port, row.Flags, row.Truncated, row.Depth = 1, 2, 3, 4, 5, 6, 7, 8
	row.Status, row.File, row.Seq, row.Kind, row.Revisit = 60, 61, 62, 1, true
	row.Mime, row.Robots, row.Header = "m", "r", []byte("h")
	row.Host, row.URL, row.Agent = strings.Repeat("h", chunkBytes), strings.Repeat("u", 300), strings.Repeat("a", 300)
	rows := slices.Repeat([]fetch{row}, 1000)
	at := packAll(p, rows)
	unpackAll(t, p, rows, at)
	if size := len(p.before); size != len(p.fields)+3 {
		t.Errorf("a row has %d bytes, want one and a bit for each of %d fields", size, len(p.fields))
	}
	packAll(p, make([]fetch, 2))
	if size := len(p.before); size != 3 {
		t.Errorf("a row of zeros has %d bytes, want a bit for each of %d fields", size, len(p.fields))
	}
}

func TestFewRowsTakeLittle(t *testing.T) {
	p := newPackedFetches(t)
	packAll(p, randomFetches(rand.New(rand.NewPCG(3, 3)), 10))
	if len(p.chunks) != 1 || cap(p.chunks[0]) != firstChunk {
		t.Errorf("%d chunks, the first of %d bytes", len(p.chunks), cap(p.chunks[0]))
	}
}

// TestAddDoesNotAllocate adds rows to a writer that has written a run.
func TestAddDoesNotAllocate(t *testing.T) {
	rows := randomFetches(rand.New(rand.NewPCG(4, 4)), 500)
	w := NewWriter(t.TempDir(), fetches)
	add := func() {
		for _, row := range rows {
			if err := w.Add(row); err != nil {
				t.Fatal(err)
			}
		}
	}
	for len(w.names) == 0 {
		add()
	}
	before := len(w.names)
	const chunks = 10 // if the collector has taken the free ones
	if n := testing.AllocsPerRun(1, add); n > chunks || len(w.names) > before {
		t.Errorf("%v allocations, %d runs written", n, len(w.names)-before)
	}
}

// TestWriterKeepsNothing changes bytes that it was given.
func TestWriterKeepsNothing(t *testing.T) {
	rows := randomFetches(rand.New(rand.NewPCG(5, 5)), 100)
	w := NewWriter(t.TempDir(), fetches)
	var record [16]byte
	for _, row := range rows {
		copy(record[:], row.Record)
		row.Record = record[:]
		if err := w.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range w.rows {
		var got fetch
		if w.packed.unpack(&got, r.at); !bytes.Equal(got.Record, rows[i].Record) {
			t.Fatalf("row %d: %x, want %x", i, got.Record, rows[i].Record)
		}
	}
}

// TestOneBucket sorts many rows of few hosts: by parts that are merged.
func TestOneBucket(t *testing.T) {
	part := frontRows(maxBytes)
	for _, n := range []int{part - 1, part, part + 1, 2*part + 1, 9_000} {
		for _, hosts := range []int{1, 3} {
			rng := rand.New(rand.NewPCG(uint64(n), 6))
			rows := randomFetches(rng, n)
			for i := range rows {
				f := &rows[i]
				f.Host, f.Origin, f.URL, f.Record = fmt.Sprint("org,host", rng.IntN(hosts)), "", "", nil
				f.Time = int64(rng.IntN(n/2 + 1)) // several rows share some times, and stay in order
				f.Offset = 0
			}
			paths := write(t, t.TempDir(), fetches, rows)
			if len(paths) != 1 {
				t.Fatalf("%d rows in %d runs", n, len(paths))
			}
			equal(t, sorted(rows), collect(t, paths, MergeOptions[fetch]{}))
		}
	}
}

// TestGroups: Group and Rank of a Spec change no byte.
func TestGroups(t *testing.T) {
	grouped := fetches
	grouped.Group, grouped.Rank = []string{"Host", "Origin"}, func(f *fetch) int64 { return f.Time / 2 }
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 10))
		rows := randomFetches(rng, 12_000)
		for i := range rows {
			f := &rows[i]
			f.Time = rng.Int64N(1000) - 500
			f.Origin = []string{"", f.Host, "http://" + f.Host}[rng.IntN(3)]
			if seed%2 == 1 {
				f.Host = rows[i/100].Host // rows of a group follow one another
			}
		}
		want := inBytes(t, write(t, t.TempDir(), fetches, rows))
		if got := inBytes(t, write(t, t.TempDir(), grouped, rows)); len(got) < 2 ||
			!slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("seed %d: other files", seed)
		}
		s := NewSorter(t.TempDir(), grouped)
		for _, row := range rows {
			if err := s.Add(row); err != nil {
				t.Fatal(err)
			}
		}
		equal(t, sorted(rows), collectSorted(t, s))
	}
	for _, names := range [][]string{{"Time"}, {"None"}, {"Host", "Origin", "URL"}} {
		grouped.Group = names
		if err := NewWriter(t.TempDir(), grouped).Add(fetch{}); err == nil {
			t.Errorf("a group of %q", names)
		}
	}
}

func inBytes(t *testing.T, paths []string) (files [][]byte) {
	t.Helper()
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, b)
	}
	return files
}

// TestWritersShareChunks: a chunk that a writer passes on is no longer held by it.
func TestWritersShareChunks(t *testing.T) {
	rows := randomFetches(rand.New(rand.NewPCG(7, 7)), 10_000)
	want := sorted(rows)
	var writers sync.WaitGroup
	dirs := [4]string{}
	names := [4][]string{}
	for i := range dirs {
		dirs[i] = t.TempDir()
		writers.Go(func() {
			w := NewWriter(dirs[i], fetches)
			for _, row := range rows {
				if err := w.Add(row); err != nil {
					t.Error(err)
				}
			}
			names[i], _ = w.Close()
		})
	}
	writers.Wait()
	for i, dir := range dirs {
		if len(names[i]) < 2 {
			t.Fatalf("%d runs", len(names[i]))
		}
		equal(t, want, collect(t, inFolder(dir, names[i]), MergeOptions[fetch]{}))
	}
}

func inFolder(dir string, names []string) (paths []string) {
	for _, name := range names {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
}

func FuzzPackedRows(f *testing.F) {
	f.Add("org,example", []byte{0}, int64(-1), uint64(1), uint8(3))
	f.Add("", []byte(nil), int64(math.MinInt64), uint64(math.MaxUint64), uint8(0xff))
	p := newPackedFetches(f)
	f.Fuzz(func(t *testing.T, text string, octets []byte, signed int64, unsigned uint64, repeats uint8) {
		rows := []fetch{{}, {}, {}, {}, {}, {}, {}, {}}
		for i := range rows {
			if repeats>>i&1 == 1 {
				rows[i] = fetch{
					Host: text, URL: text + text, Record: octets, Header: octets, Time: signed, Seq: -signed,
					Depth:  int8(signed),
					Status: int16(signed), File: int32(signed), Pack: unsigned, Flags: uint32(unsigned),
					Port: uint16(unsigned),
					Kind: kind(unsigned), Revisit: unsigned&1 == 1,
				}
			}
		}
		p.reset()
		unpackAll(t, p, rows, packAll(p, rows))
	})
}
