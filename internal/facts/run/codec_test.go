package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// codeAll checks that rows that were written, with any bases, are read again.
func codeAll(t *testing.T, c *codec[fetch], want []fetch) {
	t.Helper()
	c.reset()
	var coded []byte
	for i := range want {
		switch i % 5 {
		case 1:
			coded = c.append(coded, &want[(i+3)%len(want)], isBase|isHidden)
			fallthrough
		case 2:
			coded = c.append(coded, &want[i], 0)
		default:
			coded = c.append(coded, &want[i], isBase)
		}
	}
	c.reset()
	rest := string(coded)
	for i := range want {
		if rest = c.next(rest); c.row != want[i] {
			t.Fatalf("row %d: got %+v, want %+v", i, c.row, want[i])
		}
	}
	if rest != "" {
		t.Fatalf("%d bytes left", len(rest))
	}
}

func newFetchCodec(t testing.TB) *codec[fetch] {
	t.Helper()
	l, err := layoutOf[fetch]()
	if err != nil {
		t.Fatal(err)
	}
	return newCodec[fetch](l)
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
	number := func() int64 {
		return [...]int64{0, -1, math.MinInt64, math.MaxInt64, int64(rng.Uint64()), int64(rng.IntN(200))}[rng.IntN(6)]
	}
	rows := make([]fetch, n)
	var f fetch
	for i := range rows {
		f = fetch{
			Host: text(f.Host), Origin: text(f.Origin), URL: text(f.URL), Time: number(), Record: text(f.Record),
			File: int32(number()), Offset: number(), Length: number(), Status: int16(number()), Mime: text(f.Mime),
			Agent: text(f.Agent), Digest: text(f.Digest), Truncated: uint8(number()), Kind: kind(number()),
			Revisit: number() > 0, Robots: text(f.Robots), Port: uint16(number()), Flags: uint32(number()),
			Seq:   number(),
			Depth: int8(number()), Language: text(f.Language), Header: text(f.Header), Pack: uint64(number()),
		}
		rows[i] = f
	}
	return rows
}

// TestCodec writes and reads rows again and again.
func TestCodec(t *testing.T) {
	c := newFetchCodec(t)
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		codeAll(t, c, extremeFetches(rng, rng.IntN(300)))
	}
}

// TestRepeatsAreSmall: what the row before has, too, takes a bit.
func TestRepeatsAreSmall(t *testing.T) {
	c := newFetchCodec(t)
	row := randomFetches(rand.New(rand.NewPCG(2, 2)), 1)[0]
	c.append(nil, &row, isBase)
	if size := len(c.append(nil, &row, 0)); size != 4 {
		t.Errorf("a row has %d bytes, want its marks and a bit for each of %d fields", size, len(c.bits))
	}
	dst := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() { c.append(dst, &row, isBase) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestTextsAreCopied: a Sorter holds short texts, not the long ones that they are parts of.
func TestTextsAreCopied(t *testing.T) {
	s := NewSorter(t.TempDir(), fetches)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const rows, long = 100, 1 << 20
	for i := range rows {
		if err := s.Add(fetch{Host: strings.Repeat(fmt.Sprint(i%10), long)[:20]}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > rows*long/10 {
		t.Errorf("%d rows hold %d bytes", rows, held)
	}
	runtime.KeepAlive(s)
}

// TestOneBucket sorts many rows of few hosts.
func TestOneBucket(t *testing.T) {
	for _, n := range []int{1, 2, 500, 5_000} {
		for _, hosts := range []int{1, 3} {
			rng := rand.New(rand.NewPCG(uint64(n), 6))
			rows := randomFetches(rng, n)
			for i := range rows {
				f := &rows[i]
				f.Host, f.Origin, f.URL, f.Record = fmt.Sprint("org,host", rng.IntN(hosts)), "", "", ""
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

func FuzzCodec(f *testing.F) {
	f.Add("org,example", "a", int64(-1), uint64(1), uint8(3))
	f.Add("", "", int64(math.MinInt64), uint64(math.MaxUint64), uint8(0xff))
	c := newFetchCodec(f)
	f.Fuzz(func(t *testing.T, text, other string, signed int64, unsigned uint64, repeats uint8) {
		rows := []fetch{{}, {}, {}, {}, {}, {}, {}, {}}
		for i := range rows {
			if repeats>>i&1 == 1 {
				rows[i] = fetch{
					Host: text, URL: text + text, Record: other, Header: other, Time: signed, Seq: -signed,
					Depth: int8(signed), Status: int16(signed), File: int32(signed), Pack: unsigned,
					Flags: uint32(unsigned),
					Port:  uint16(unsigned), Kind: kind(unsigned), Revisit: unsigned&1 == 1,
				}
			}
		}
		codeAll(t, c, rows)
	})
}
