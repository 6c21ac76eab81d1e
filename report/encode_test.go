package report

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// TestNulls writes optional values and nulls in many orders: no null may come back as a
// zero, nor a value as null.
func TestNulls(t *testing.T) {
	type row struct {
		N       int64  `parquet:"n"`
		Text    string `parquet:"text,optional"`
		Name    string `parquet:"name,optional,dict"`
		Integer int32  `parquet:"integer,optional"`
		Known   *int32 `parquet:"known,optional"`
	}
	type nullable struct {
		N       int64   `parquet:"n"`
		Text    *string `parquet:"text,optional"`
		Name    *string `parquet:"name,optional,dict"`
		Integer *int32  `parquet:"integer,optional"`
		Known   *int32  `parquet:"known,optional"`
	}
	random := rand.New(rand.NewPCG(1, 2))
	for order := range 300 {
		dir := t.TempDir()
		w := newTable[row](dir, "nulls")
		rows, run := 1+random.IntN(300), 1+order%40
		var want []nullable
		for i := range rows {
			in, out := row{N: int64(i)}, nullable{N: int64(i)}
			there := func() bool { return order%2 == 0 && i/run == 1 || order%2 == 1 && random.IntN(run) == 0 }
			if there() {
				in.Text, out.Text = "text", new("text")
			}
			if there() {
				in.Name, out.Name = "name", new("name")
			}
			if there() {
				in.Integer, out.Integer = 7, new(int32(7))
			}
			if there() {
				in.Known, out.Known = new(int32(0)), new(int32(0))
			}
			want = append(want, out)
			if err := w.add(in); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.finish(true); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, read[nullable](t, dir, "nulls")); diff != "" {
			t.Fatalf("order %d (-want +got):\n%s", order, diff)
		}
	}
}

// Every string in every table is UTF-8: readers refuse files where one is not.
func TestStringsAreUTF8(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, true)
	paths, _ := filepath.Glob(filepath.Join(dir, "*.parquet"))
	if len(paths) != len(tables) {
		t.Fatalf("%d tables of %d", len(paths), len(tables))
	}
	for _, path := range paths {
		f, _ := open(t, path)
		r := parquet.NewReader(f)
		rows := make([]parquet.Row, 16)
		for n, err := 1, error(nil); n > 0 && err == nil; {
			n, err = r.ReadRows(rows)
			for _, row := range rows[:n] {
				for _, v := range row {
					if v.Kind() == parquet.ByteArray && !utf8.Valid(v.ByteArray()) {
						t.Errorf("%s, column %d: %q", filepath.Base(path), v.Column(), v.ByteArray())
					}
				}
			}
		}
	}
}

func TestAddFailsWhenTheFileDoes(t *testing.T) {
	w, _ := fill(t, t.TempDir(), false)
	defer w.Abandon()
	if err := os.Mkdir(FetchesTable.writer(w).path, 0o777); err != nil { // it is opened with the first rows
		t.Fatal(err)
	}
	r := testResults()[0]
	for range 10 * handedRows * handedMost {
		if w.Result(&r) != nil {
			return
		}
	}
	t.Error("rows were written to a file that cannot be opened")
}

// Row groups end by bytes too: an archive may hold nothing but long URLs.
func TestRowGroupsAreBounded(t *testing.T) {
	dir := t.TempDir()
	tb := newTable[RobotsAgentRow](dir, "short")
	long := newTable[FetchRow](dir, "long")
	url := strings.Repeat("x", 64<<10)
	for i := range maxGroupRows + 1 {
		if err := tb.add(RobotsAgentRow{RobotsID: int64(i), Agent: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 * maxGroupText / len(url) {
		if err := long.add(FetchRow{FetchedURL: FetchedURL{URL: url}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		t      anyWriter
		groups int
	}{{tb, 2}, {long, 3}} {
		if err := tt.t.finish(true); err != nil {
			t.Fatal(err)
		}
		name, rows := tt.t.about()
		f, size := open(t, filepath.Join(dir, name+".parquet"))
		p, err := parquet.OpenFile(f, size)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.RowGroups()) != tt.groups || p.NumRows() != rows {
			t.Errorf("%s: %d row groups with %d rows, want %d with %d", name, len(p.RowGroups()), p.NumRows(), tt.groups, rows)
		}
	}
}

// Every column whose length an archive decides counts towards a row group's size.
func TestGroupCountsEveryString(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "robots.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e := newEncoder[RobotsRow](f, t.TempDir(), "robots", 2)
	row := RobotsRow{URL: "12345", Reason: "123", HopURLs: []string{"1", "22"}}
	if err := e.write([]RobotsRow{row, row}); err != nil {
		t.Fatal(err)
	}
	if e.group.text != 22 || e.group.rows != 2 {
		t.Errorf("%d bytes in %d rows, want 22 in 2", e.group.text, e.group.rows)
	}
}
