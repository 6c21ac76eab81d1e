package parquetwriter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/parquetwriter/parquettest"
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
		n, run := 1+random.IntN(300), 1+order%40
		var rows []row
		var want []nullable
		for i := range n {
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
			rows, want = append(rows, in), append(want, out)
		}
		write(t, dir, "nulls", rows)
		if diff := cmp.Diff(want, parquettest.Read[nullable](t, dir, "nulls")); diff != "" {
			t.Fatalf("order %d (-want +got):\n%s", order, diff)
		}
	}
}

// everyRow has a column of each type and encoding that tables have, and each in which pages are
// bounded.
type everyRow struct {
	URL       string   `parquet:"url,delta"`
	Domain    string   `parquet:"url_host_registered_domain,optional,delta"`
	Time      *int64   `parquet:"fetch_time,optional,timestamp(microsecond)"`
	RobotsID  int64    `parquet:"robots_id,delta"`
	Text      string   `parquet:"text"`
	Maybe     *string  `parquet:"maybe,optional"`
	Few       string   `parquet:"few,dict"`
	Many      string   `parquet:"many,dict"` // a dictionary cannot hold them
	When      *int64   `parquet:"when,optional,timestamp(microsecond),dict"`
	Status    *int16   `parquet:"status,optional,dict"`
	Small     *int16   `parquet:"small,optional"`
	Integer   int32    `parquet:"integer"`
	Known     *int32   `parquet:"known,optional"`
	Number    int64    `parquet:"number"`
	Double    *float64 `parquet:"double,optional"`
	Bool      bool     `parquet:"bool"`
	MaybeBool *bool    `parquet:"maybe_bool,optional"`
	List      []string `parquet:"list,list"`
	Empty     []string `parquet:"empty,list"`
	Nothing   *string  `parquet:"nothing,optional,dict"`
}

// writeEvery writes rows of all columns: more than a row group, of values that repeat and that do
// not, some longer than a page.
func writeEvery(t *testing.T, dir string) {
	t.Helper()
	var rows []everyRow
	random := rand.New(rand.NewPCG(3, 4))
	word := func() string { return fmt.Sprint(random.Int64()) }
	maybe := func() bool { return random.IntN(3) > 0 }
	for i := range maxGroupRows + 5000 {
		n := random.Int64() >> random.IntN(64)
		row := everyRow{
			URL: "http://" + fmt.Sprint(i/100) + ".example/" + word(), RobotsID: n, Text: word(),
			Few: fmt.Sprint(i / 1000 % 7), Many: word(),
			Integer: int32(n), Number: n, Bool: maybe(), List: make([]string, random.IntN(4)),
		}
		for k := range row.List {
			row.List[k] = word()
		}
		if i/9000%2 == 0 { // and pages of nulls
			row.Domain, row.Time, row.When = "x"+strings.Repeat("é", i/500), new(n), new(n%50)
		}
		if maybe() {
			row.Maybe, row.Status, row.Small = new(word()), new(int16(n%9)), new(int16(n))
			row.Known, row.Double, row.MaybeBool = new(int32(n)), new(float64(n)/3), new(maybe())
		}
		if i%9999 == 0 {
			row.URL, row.Many, row.List = strings.Repeat(word(), 4000), strings.Repeat(word(), 2000), []string{
				"",
				strings.Repeat("x", 2*maxPage), "",
			}
		}
		if len(row.List) == 0 {
			row.List = nil // as read gives it
		}
		rows = append(rows, row)
	}
	write(t, dir, "every", rows)
}

// TestBounds: a reader passes over row groups and pages by what the file says of their values.
// Where that is not known, nothing is said.
func TestBounds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeEvery(t, dir)
	f, size := parquettest.Open(t, filepath.Join(dir, "every.parquet"))
	p, err := parquet.OpenFile(f, size)
	if err != nil {
		t.Fatal(err)
	}
	for _, index := range p.ColumnIndexes() {
		for i, null := range index.NullPages {
			if null && len(index.MinValues[i])+len(index.MaxValues[i]) > 0 {
				t.Errorf("a page of nulls is %q to %q", index.MinValues[i], index.MaxValues[i])
			}
		}
	}
	bounded := testOptions(dir).Bounded
	for g, group := range p.RowGroups() {
		for i, chunk := range group.ColumnChunks() {
			path := p.Schema().Columns()[i]
			meta := &p.Metadata().RowGroups[g].Columns[i].MetaData
			if !slices.Equal(path, meta.PathInSchema) { // Spark reads no table that has another
				t.Errorf("column %v: the footer has it at %v", path, meta.PathInSchema)
			}
			name := path[0]
			index, err := chunk.ColumnIndex()
			if bounded[name] != (err == nil) {
				t.Errorf("%s: %v", name, err)
			}
			stats := meta.Statistics
			if g == 0 && name == "url" { // one is too long
				if stats.MinValue != nil || stats.MaxValue != nil {
					t.Errorf("%s: of a row group, bounds of %d and %d bytes", name, len(stats.MinValue),
						len(stats.MaxValue))
				}
				continue
			}
			if bounded[name] != (stats.MinValue != nil && stats.MaxValue != nil) {
				t.Errorf("%s: of a row group, bounds of %d and %d bytes", name, len(stats.MinValue),
					len(stats.MaxValue))
			}
			if err != nil {
				continue
			}
			checkBounds(t, name, chunk, index, chunk.Type().Kind().Value(stats.MinValue),
				chunk.Type().Kind().Value(stats.MaxValue))
		}
	}
}

// checkBounds reads the pages of a column of a row group.
func checkBounds(t *testing.T, name string, chunk parquet.ColumnChunk, index parquet.ColumnIndex, least,
	greatest parquet.Value,
) {
	t.Helper()
	compare := chunk.Type().Compare
	pages := chunk.Pages()
	defer pages.Close()
	meetsLeast, meetsGreatest, n := false, false, 0
	for ; ; n++ {
		page, err := pages.ReadPage()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(name, err)
		}
		values := make([]parquet.Value, page.NumValues())
		if got, err := page.Values().ReadValues(values); got != len(values) {
			t.Fatal(name, got, err)
		}
		nulls := int64(0)
		for _, v := range values {
			switch {
			case v.IsNull():
				nulls++
				continue
			case compare(v, index.MinValue(n)) < 0 || compare(v, index.MaxValue(n)) > 0:
				t.Errorf("%s, page %d: %v is not in %v to %v", name, n, v, index.MinValue(n), index.MaxValue(n))
			}
			meetsLeast = meetsLeast || compare(v, least) == 0
			meetsGreatest = meetsGreatest || compare(v, greatest) == 0
			if compare(v, least) < 0 || compare(v, greatest) > 0 {
				t.Errorf("%s: %v is not in %v to %v", name, v, least, greatest)
			}
		}
		if nulls != index.NullCount(n) || (nulls == page.NumValues()) != index.NullPage(n) {
			t.Errorf("%s, page %d: %d nulls of %d, and the file says %d", name, n, nulls, page.NumValues(),
				index.NullCount(n))
		}
		for _, bound := range []parquet.Value{index.MinValue(n), index.MaxValue(n)} {
			if bound.Kind() == parquet.ByteArray &&
				(!utf8.Valid(bound.ByteArray()) || len(bound.ByteArray()) > maxPageBound) {
				t.Errorf("%s, page %d: the bound %q", name, n, bound)
			}
		}
		parquet.Release(page)
	}
	if n < 2 || n != index.NumPages() || !meetsLeast || !meetsGreatest {
		t.Errorf("%s: %d pages of %d, bounds met: %v %v", name, n, index.NumPages(), meetsLeast, meetsGreatest)
	}
}

// TestPageBounds: what stands for a long text is UTF-8, and not beyond the texts next to it.
func TestPageBounds(t *testing.T) {
	for _, tt := range []struct{ text, below, above string }{
		{"", "", ""},
		{"0123456789abcdef", "0123456789abcdef", "0123456789abcdef"},
		{"0123456789abcdefg", "0123456789abcdef", "0123456789abcdeg"},
		{"0123456789abcdeé", "0123456789abcde", "0123456789abcdf"},
		{"0123456789abcd\u07ffx", "0123456789abcd\u07ff", "0123456789abcd\u0800"},
		{"0123456789abc\ud7ffx", "0123456789abc\ud7ff", "0123456789abc\ue000"},
		{"0123456789ab\U0010ffffx", "0123456789ab\U0010ffff", "0123456789ac"},
		{strings.Repeat("\U0010ffff", 5), strings.Repeat("\U0010ffff", 4), strings.Repeat("\U0010ffff", 4) + "\xff"},
		{strings.Repeat("\xff", 20), strings.Repeat("\xff", 16), strings.Repeat("\xff", 17)},
	} {
		below, above := boundBelow(tt.text), boundAbove(tt.text)
		if below != tt.below || above != tt.above {
			t.Errorf("%q: %q to %q, want %q to %q", tt.text, below, above, tt.below, tt.above)
		}
	}
}

// Row groups end by bytes too: there may be nothing but long texts.
func TestRowGroupsAreBounded(t *testing.T) {
	dir := t.TempDir()
	url := strings.Repeat("x", 64<<10)
	write(t, dir, "short", make([]agentRow, maxGroupRows+1))
	write(t, dir, "long", slices.Repeat([]everyRow{{URL: url}}, 3*maxGroupText/len(url)))
	for name, want := range map[string]struct{ rows, groups int }{
		"short": {maxGroupRows + 1, 2}, "long": {3 * maxGroupText / len(url), 3},
	} {
		f, size := parquettest.Open(t, filepath.Join(dir, name+".parquet"))
		p, err := parquet.OpenFile(f, size)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.RowGroups()) != want.groups || p.NumRows() != int64(want.rows) {
			t.Errorf("%s: %d row groups with %d rows, want %+v", name, len(p.RowGroups()), p.NumRows(), want)
		}
	}
}

// Every column whose length a row decides counts towards a row group's size.
func TestGroupCountsEveryString(t *testing.T) {
	w := NewPart[everyRow](testOptions(t.TempDir()))
	row := everyRow{URL: "12345", Few: "123", Maybe: new("1234"), List: []string{"1", "22"}}
	for range 2 {
		if err := w.Write(&row); err != nil {
			t.Fatal(err)
		}
	}
	text := 0
	for _, c := range w.columns {
		text += c.text
	}
	if text != 30 || w.rows != 2 {
		t.Errorf("%d bytes in %d rows, want 30 in 2", text, w.rows)
	}
}

// brokenFile takes so many bytes, fails once, and takes all that comes after.
type brokenFile struct {
	bytes.Buffer
	left   int
	failed bool
}

var errBroken = errors.New("no space left")

func (f *brokenFile) Write(b []byte) (int, error) {
	if f.failed || len(b) <= f.left {
		f.left -= len(b)
		return f.Buffer.Write(b)
	}
	f.failed = true
	f.Buffer.Write(b[:f.left])
	return f.left, errBroken
}

// TestBrokenFile: a file with something missing gets no footer, and leaves no other file.
func TestBrokenFile(t *testing.T) {
	t.Parallel()
	write := func(f *brokenFile) error {
		dir := t.TempDir()
		w := New[agentRow](f, testOptions(dir))
		for i := range 5 * maxGroupRows / 2 {
			if w.Write(&agentRow{ID: int64(i), Agent: fmt.Sprint(i)}) != nil {
				break // Close reports it
			}
		}
		err := w.Close()
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
		return err
	}
	whole := &brokenFile{failed: true}
	if err := write(whole); err != nil {
		t.Fatal(err)
	}
	size := whole.Len()
	for at := 0; at < size; at += size / 30 {
		f := &brokenFile{left: at}
		if err := write(f); err != errBroken || f.Len() != at {
			t.Errorf("broken after %d bytes of %d: %v, and %d bytes are there", at, size, err, f.Len())
		}
	}
}
