package parquetwriter

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/internal/parquetwriter/parquettest"
)

// randomRow has a column of each type and encoding that tables have.
type randomRow struct {
	URL       string   `parquet:"url,delta"`
	Host      string   `parquet:"url_host_name,dict"`
	Domain    string   `parquet:"url_host_registered_domain,optional,delta"`
	Origin    string   `parquet:"origin,delta"`
	Time      *int64   `parquet:"fetch_time,optional,timestamp(microsecond)"`
	RobotsID  int64    `parquet:"robots_id,delta"`
	Text      string   `parquet:"text"`
	Few       string   `parquet:"few,dict"`
	Known     string   `parquet:"known,optional,dict"` // "" is null
	Maybe     *string  `parquet:"maybe,optional"`
	MaybeFew  *string  `parquet:"maybe_few,optional,dict"`
	When      *int64   `parquet:"when,optional,timestamp(microsecond),dict"`
	Status    *int16   `parquet:"status,optional,dict"`
	Small     *int16   `parquet:"small,optional"`
	Integer   int32    `parquet:"integer"`
	Line      int32    `parquet:"line,optional"` // 0 is null
	MaybeInt  *int32   `parquet:"maybe_int,optional"`
	Number    int64    `parquet:"number"`
	Offset    int64    `parquet:"offset,optional"` // 0 is null
	MaybeLong *int64   `parquet:"maybe_long,optional"`
	Double    *float64 `parquet:"double,optional"`
	Bool      bool     `parquet:"bool"`
	MaybeBool *bool    `parquet:"maybe_bool,optional"`
	List      []string `parquet:"list,list"`
	Pairs     []pair   `parquet:"pairs,list"`
}

type pair struct {
	Word string `parquet:"word,dict" json:"word"`
	ID   int64  `parquet:"id" json:"id"`
}

// random makes the values of a table: the values of a column have a manner of their own.
type random struct {
	*rand.Rand
	long int // bytes of long texts that may still come
}

func pick[T any](r *random, of ...T) T { return of[r.IntN(len(of))] }

// sometimes is true of all rows, of none, of every other one, of long runs, or of any.
func (r *random) sometimes() func(int) bool {
	run := 1 + r.IntN(6000)
	return pick(r,
		func(int) bool { return true },
		func(int) bool { return false },
		func(i int) bool { return i%2 == 0 },
		func(i int) bool { return i/run%2 == 0 },
		func(int) bool { return r.IntN(10) == 0 },
	)
}

// numbers are from least to greatest, in steps, in runs, few, or of any size. Differences of the
// extremes are more than a number holds.
func (r *random) numbers(least, greatest int64) func(int) int64 {
	within := func(n int64) int64 { return max(least, min(n, greatest)) }
	first, run, few := within(r.Int64()>>r.IntN(64)), 1+r.IntN(9000), 1+r.Int64N(40)
	return pick(r,
		func(i int) int64 { return within(first + int64(i/run)) },
		func(i int) int64 { return within(greatest - int64(i)) },
		func(i int) int64 { return pick(r, least, greatest) },
		func(i int) int64 { return pick(r, least, least+1, -1, 0, 1, greatest-1, greatest) },
		func(i int) int64 { return within(r.Int64N(few) - few/2) },
		func(i int) int64 { return within(int64(r.Uint64()) >> r.IntN(64)) },
	)
}

// word is of few characters, some of them the last of their length in UTF-8 or the first.
func (r *random) word() string {
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteString(pick(r, "a", "b", "z", "/", "'", "\x00", "\x7f", "\u0080", "\u07ff", "\u0800", "\ud7ff",
			"\ue000", "\uffff", "\U00010000", "\U0010ffff"))
	}
	return b.String()
}

func (r *random) texts() func(int) string {
	few, run, last := make([]string, 1+r.IntN(30)), 1+r.IntN(9000), ""
	for i := range few {
		few[i] = r.word()
	}
	return pick(r,
		func(int) string { return "" },
		func(int) string { return pick(r, few...) },
		func(i int) string { return few[i/run%len(few)] },
		func(i int) string { return fmt.Sprintf("https://www.example/%08d/%s", i, pick(r, few...)) },
		func(int) string { return fmt.Sprint(r.Uint64()) }, // more than a dictionary holds
		func(int) string { // near the limits of bounds
			end := pick(r, few...)
			size := maxPageBound
			if r.IntN(100) == 0 {
				size = maxBound
			}
			return strings.Repeat("x", max(0, size-2+r.IntN(4)-len(end))) + end
		},
		func(int) string { // begins as the one before
			cut := r.IntN(len(last) + 1)
			last = strings.ToValidUTF8(last[:min(cut, 100)], "") + r.word()
			return last
		},
		func(int) string { // pages of one
			if r.long < 0 || r.IntN(100) > 0 {
				return pick(r, few...)
			}
			text := strings.Repeat("0123456789", r.IntN(10_000))
			r.long -= len(text)
			return text
		},
	)
}

func (r *random) lists() func(int) []string {
	text, some := r.texts(), r.sometimes()
	return func(i int) (list []string) {
		if some(i) {
			for range pick(r, 0, 1, 3, r.IntN(1+max(0, min(1000, r.long>>10)))) {
				list = append(list, text(i))
			}
		}
		r.long -= len(list) << 4
		return list
	}
}

func (r *random) pairs() func(int) []pair {
	words, id := r.lists(), r.numbers(math.MinInt64, math.MaxInt64)
	return func(i int) (list []pair) {
		for _, w := range words(i) {
			list = append(list, pair{w, id(i)})
		}
		return list
	}
}

func same[V any](v V) V { return v }

// maybe is a value of some rows.
func maybe[T, V any](r *random, value func(int) V, as func(V) T) func(int) *T {
	some := r.sometimes()
	return func(i int) *T {
		if !some(i) {
			return nil
		}
		return new(as(value(i)))
	}
}

func (r *random) rows(n int) []randomRow {
	const year = 365 * 24 * 3600 * 1e6 // microseconds
	r.long = 2 << 20
	times := func() func(int) *int64 { return maybe(r, r.numbers(-year, 100*year), same[int64]) }
	numbers := func() func(int) int64 { return r.numbers(math.MinInt64, math.MaxInt64) }
	double := func(n int64) float64 {
		return pick(r, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, float64(n)/3)
	}
	small := func(n int64) int16 { return int16(n) }
	integer := func(n int64) int32 { return int32(n) }
	bit := func(n int64) bool { return n%2 == 0 }
	var fill []func(i int, row *randomRow)
	column := func(f func(int, *randomRow)) { fill = append(fill, f) }
	for _, field := range []func(*randomRow) *string{
		func(row *randomRow) *string { return &row.URL }, func(row *randomRow) *string { return &row.Host },
		func(row *randomRow) *string { return &row.Domain }, func(row *randomRow) *string { return &row.Origin },
		func(row *randomRow) *string { return &row.Text }, func(row *randomRow) *string { return &row.Few },
		func(row *randomRow) *string { return &row.Known },
	} {
		text := r.texts()
		column(func(i int, row *randomRow) { *field(row) = text(i) })
	}
	when, other := times(), times()
	id, number, offset := numbers(), numbers(), numbers()
	plain, line := r.numbers(math.MinInt32, math.MaxInt32), r.numbers(math.MinInt32, math.MaxInt32)
	text, few := maybe(r, r.texts(), same[string]), maybe(r, r.texts(), same[string])
	status, other16 := maybe(r, r.numbers(math.MinInt16, math.MaxInt16), small), maybe(r,
		r.numbers(math.MinInt16, math.MaxInt16), small)
	known, long := maybe(r, r.numbers(math.MinInt32, math.MaxInt32), integer), maybe(r, numbers(), same[int64])
	doubles, bools, some := maybe(r, numbers(), double), maybe(r, numbers(), bit), r.sometimes()
	list, pairs := r.lists(), r.pairs()
	column(func(i int, row *randomRow) {
		row.Time, row.When, row.RobotsID, row.Number, row.Offset = when(i), other(i), id(i), number(i), offset(i)
		row.Integer, row.Line, row.MaybeInt, row.MaybeLong = int32(plain(i)), int32(line(i)), known(i), long(i)
		row.Maybe, row.MaybeFew, row.Status, row.Small = text(i), few(i), status(i), other16(i)
		row.Double, row.MaybeBool, row.Bool, row.List, row.Pairs = doubles(i), bools(i), some(i), list(i), pairs(i)
	})
	rows := make([]randomRow, n)
	for i := range rows {
		for _, f := range fill {
			f(i, &rows[i])
		}
	}
	return rows
}

// TestRandomTables reads random tables with the library, half of them made of parts. If
// ROBOTSAUDIT_TABLES names a folder, it leaves them there, with their rows as JSON, for
// scripts/check/tables.py.
func TestRandomTables(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("ROBOTSAUDIT_TABLES")
	if dir == "" {
		dir = t.TempDir()
	}
	for i, n := range []int{0, 1, 63, 64, 65, 4095, 4096, 4097, 9000} {
		r := &random{Rand: rand.New(rand.NewPCG(uint64(i), 1))}
		want := r.rows(n)
		name := fmt.Sprintf("random-%d", n)
		writeRandom(t, r, dir, name, want, i%2 == 1)
		got := parquettest.Read[randomRow](t, dir, name)
		if len(got) != n {
			t.Errorf("%s: %d rows", name, len(got))
			continue
		}
		bits := cmp.Transformer("bits", math.Float64bits) // -0 is not 0, and NaN is NaN
		for k := range want {
			if diff := cmp.Diff(want[k], got[k], bits); diff != "" {
				t.Errorf("%s, row %d (-want +got):\n%s", name, k, diff)
				break
			}
		}
		if os.Getenv("ROBOTSAUDIT_TABLES") != "" {
			writeJSON(t, filepath.Join(dir, name+".jsonl"), want)
		}
	}
}

// writeRandom writes rows to a file, some of them in parts that end in any order.
func writeRandom(t *testing.T, r *random, dir, name string, rows []randomRow, inParts bool) {
	t.Helper()
	if !inParts {
		write(t, dir, name, rows)
		return
	}
	f, err := os.Create(filepath.Join(dir, name+".parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	whole := New[randomRow](f, testOptions(t.TempDir()))
	for len(rows) > 0 {
		n := 1 + r.IntN(len(rows))
		w := whole
		if r.IntN(3) > 0 {
			w = NewPart[randomRow](testOptions(t.TempDir()))
		}
		if err := w.WriteAll(rows[:n]); err != nil {
			t.Fatal(err)
		}
		if w != whole {
			if err := whole.Append(w); err != nil {
				t.Fatal(err)
			}
		}
		rows = rows[n:]
	}
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
}

// writeJSON writes a line for each row, by the names of fields. A double is its bits, which JSON
// has no numbers for.
func writeJSON(t *testing.T, path string, rows []randomRow) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e := json.NewEncoder(f)
	for _, row := range rows {
		line := struct {
			randomRow
			Double *string
		}{randomRow: row}
		if row.Double != nil {
			line.Double = new(fmt.Sprintf("%016x", math.Float64bits(*row.Double)))
		}
		if err := e.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
}
