package cdx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// indexRow is a row of Common Crawl's table, since 2026.
type indexRow struct {
	Key      string    `parquet:"url_surtkey"`
	URL      string    `parquet:"url"`
	Port     *int32    `parquet:"url_port"`
	Time     time.Time `parquet:"fetch_time,timestamp(millisecond)"`
	Status   int16     `parquet:"fetch_status"`
	Redirect *string   `parquet:"fetch_redirect,dict"`
	Digest   *string   `parquet:"content_digest"`
	MIME     string    `parquet:"content_mime_type,dict"`
	Detected string    `parquet:"content_mime_detected,dict"`
	Language *string   `parquet:"content_languages,dict"`
	RecordID []byte    `parquet:"warc_record_id"`
	Filename string    `parquet:"warc_filename,dict"`
	Offset   int32     `parquet:"warc_record_offset"`
	Length   int32     `parquet:"warc_record_length"`
}

func indexRows(n int) (rows []indexRow, want []Row) {
	begin, languages := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC), "deu,eng"
	for i := range n {
		redirect, digest := fmt.Sprintf("http://r/%d", i%5), fmt.Sprintf("%032d", i)
		row := indexRow{
			URL:  fmt.Sprintf("http://h%d/%s", i/100, strings.Repeat("p", i%50)),
			Time: begin.Add(time.Duration(i) * time.Second), Status: int16(200 + i%3),
			Digest: &digest, MIME: "text/html", Detected: "application/xhtml+xml", RecordID: []byte(fmt.Sprintf("%016d", i)),
			Filename: fmt.Sprintf("crawl-data/CC-MAIN-2026-30/segments/1/warc/CC-MAIN-%d.warc.gz", i%7),
			Offset:   int32(i), Length: int32(2 * i),
		}
		w := Row{
			URL: row.URL, Micros: row.Time.UnixMicro(), Status: int(row.Status), MIME: row.MIME, Detected: row.Detected,
			Digest:   digest,
			Filename: row.Filename, Offset: int64(i), Length: int64(2 * i),
			Subset: "warc", RecordID: recordid.Parse(uuidText(row.RecordID)), Line: int64(i + 1), At: -1,
		}
		if i%3 == 1 {
			row.Redirect, w.Redirect = &redirect, redirect
			row.Language, w.Language = &languages, languages
		}
		if i%10 == 9 {
			row.Digest, w.Digest, row.Status, w.Status = nil, "", -1, -1
		}
		rows, want = append(rows, row), append(want, w)
	}
	return rows, want
}

func uuidText(b []byte) string {
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// table writes a Parquet file.
func table[R any](t testing.TB, rows []R, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[R](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestColumnarIndex reads Common Crawl's table in the forms that writers give it.
func TestColumnarIndex(t *testing.T) {
	rows, want := indexRows(5000)
	for name, options := range map[string][]parquet.WriterOption{
		"plain": {parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.Plain)},
		"gzip": {
			parquet.Compression(&parquet.Gzip),
			parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.Plain), parquet.PageBufferSize(1000),
		},
		"snappy, V1": {parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1), parquet.PageBufferSize(500)},
		"zstd":       {parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(777)},
		"brotli, V1": {parquet.Compression(&parquet.Brotli), parquet.DataPageVersion(1)},
		"delta": {
			parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.DeltaByteArray),
			parquet.DefaultEncodingFor(parquet.Int32, &parquet.DeltaBinaryPacked),
			parquet.DefaultEncodingFor(parquet.Int64, &parquet.DeltaBinaryPacked),
		},
		"delta, dict": {
			parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.RLEDictionary),
			parquet.DefaultEncodingFor(parquet.Int32, &parquet.RLEDictionary),
			parquet.DefaultEncodingFor(parquet.Int64, &parquet.RLEDictionary), parquet.PageBufferSize(2000),
		},
	} {
		t.Run(name, func(t *testing.T) {
			content := table(t, rows, options...)
			if f := Sniff(content[:min(len(content), sniffBytes)], ""); f != Parquet {
				t.Errorf("Sniff says %q", f)
			}
			got, faults := read(t, Parquet, content, FormatOptions{Path: "a/subset=warc/part-0.parquet"})
			if diff := cmp.Diff(want, got); diff != "" || len(faults) > 0 {
				t.Errorf("faults %v\n%.2000s", faults, diff)
			}
		})
	}
}

// oldRow is a row of the table before 2020, with a time in INT96, and columns lacking.
type oldRow struct {
	URL    string           `parquet:"url,optional"`
	Time   deprecated.Int96 `parquet:"fetch_time,optional"`
	Status int16            `parquet:"fetch_status"`
	Subset string           `parquet:"subset,optional"`
}

func TestOldTable(t *testing.T) {
	const julian = 2458850 // 2020-01-01
	noon := deprecated.Int96{
		uint32(uint64(43200_123456789) & 0xffffffff), uint32(uint64(43200_123456789) >> 32),
		julian,
	}
	content := table(t, []oldRow{
		{"http://1/", noon, 404, "robotstxt"},
		{"", noon, 200, ""},
		{"http://2/", deprecated.Int96{}, -1, ""},
		{"http://3/", noon, -1, ""},
	})
	rows, faults := read(t, CCIndex, content,
		FormatOptions{Path: "s3://b/crawl=CC-MAIN-2019-47/subset=crawldiagnostics/p.parquet"})
	micros := time.Date(2020, 1, 1, 12, 0, 0, 123456000, time.UTC).UnixMicro()
	want := []Row{
		{URL: "http://1/", Micros: micros, Status: 404, Subset: "robotstxt", Offset: -1, Length: -1, Line: 1, At: -1},
		{
			URL: "http://3/", Micros: micros, Status: -1, Subset: "crawldiagnostics", Offset: -1, Length: -1, Line: 4,
			At: -1,
		},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	if len(faults) != 2 || faults[0].Detail != "it has no URL" || faults[1].Line != 3 ||
		faults[1].Detail != "it has no time" {
		t.Errorf("faults %v", faults)
	}
}

// TestParquetLists: columns of lists have the types that dataset teams use.
func TestParquetLists(t *testing.T) {
	at := time.Date(2024, 5, 1, 12, 0, 0, 123456789, time.UTC)
	micros := row(func(r *Row) { r.URL, r.Micros, r.Line = "http://h/", at.UnixMicro(), 1 })
	text := row(func(r *Row) { r.URL, r.Time, r.Line = "http://h/", "2024-05-01T12:00:00Z", 1 })
	digits := row(func(r *Row) { r.URL, r.Time, r.Line = "http://h/", "20240501120000", 1 })
	day := row(func(r *Row) { r.URL, r.Time, r.Line = "http://h/", "2024-05-01", 1 })
	type nanos struct {
		URL  string    `parquet:"Uri"`
		Time time.Time `parquet:"timestamp,timestamp(nanosecond)"`
		Text []string  `parquet:"text,list"`
	}
	type full struct {
		URL   string `parquet:"url,delta"`
		Time  string `parquet:"date,optional"`
		Agent string `parquet:"user_agent,optional,dict"`
		ID    string `parquet:"record_id"`
	}
	type number struct {
		URL  string `parquet:"url"`
		Time int64  `parquet:"time"`
	}
	type date struct {
		URL  string `parquet:"url"`
		Time int32  `parquet:"date,date"`
	}
	filled := text
	before := row(func(r *Row) { r.URL, r.Micros, r.Line = "http://h/", -1, 1 })
	filled.Agent, filled.RecordID = "bot/1", "urn:uuid:1"
	for name, c := range map[string]struct {
		content []byte
		want    []Row
		fault   string
	}{
		"nanoseconds": {table(t, []nanos{{"http://h/", at, []string{"a", "b"}}}), []Row{micros}, ""},
		"before 1970": {table(t, []nanos{{"http://h/", time.Unix(0, -1), nil}}), []Row{before}, ""},
		"text": {
			table(t, []full{{"http://h/", "2024-05-01T12:00:00Z", "bot/1", "<urn:uuid:1>"}}),
			[]Row{filled},
			"",
		},
		"digits":         {table(t, []number{{"http://h/", 20240501120000}}), []Row{digits}, ""},
		"day":            {table(t, []date{{"http://h/", int32(at.Unix() / 86400)}}), []Row{day}, ""},
		"without a unit": {table(t, []number{{"http://h/", at.Unix()}}), nil, noUnit},
		"too long a text": {table(t, []full{{"http://h/" + strings.Repeat("x", maxRow), "2024", "", ""}},
			parquet.DataPageStatistics(false)), nil, "a value is longer than 1048576 bytes"},
	} {
		rows, faults := read(t, URLList, c.content, FormatOptions{})
		if diff := cmp.Diff(c.want, rows); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if (c.fault != "") != (len(faults) == 1) || c.fault != "" && faults[0].Detail != c.fault {
			t.Errorf("%s: faults %v", name, faults)
		}
	}
	type two struct {
		number
		Date string `parquet:"date"`
	}
	type reals struct {
		URL  string  `parquet:"url"`
		Time float64 `parquet:"time"`
	}
	for name, content := range map[string][]byte{
		"columns date and time": nil, "columns time and date": table(t, []two{{}}),
		"none of the columns": table(t, []struct{ X string }{{}}),
		"has a type":          table(t, []reals{{}}),
		"the table fetches":   table(t, []number{{}}, parquet.KeyValueMetadata(resultKey, "fetches")),
	} {
		if content == nil {
			continue
		}
		if _, err := Open(URLList, bytes.NewReader(content), int64(len(content)), FormatOptions{}); err == nil ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDamagedParquet: a damaged row group costs its rows, which are reported, and no
// others.
func TestDamagedParquet(t *testing.T) {
	rows, want := indexRows(4000)
	content := table(t, rows, parquet.Compression(&parquet.Gzip), parquet.MaxRowsPerRowGroup(1000),
		parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.Plain))
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"url", "warc_filename", "fetch_time"} {
		leaf, _ := f.Schema().Lookup(name)
		m := f.Metadata().RowGroups[1].Columns[leaf.ColumnIndex].MetaData
		damaged := bytes.Clone(content)
		begin := m.DataPageOffset
		if m.DictionaryPageOffset > 0 {
			begin = m.DictionaryPageOffset
		}
		copy(damaged[begin+m.TotalCompressedSize-12:], "damage")
		got, faults := read(t, Parquet, damaged, FormatOptions{Path: "subset=warc"})
		if diff := cmp.Diff(append(append([]Row(nil), want[:1000]...), want[2000:]...), got); diff != "" {
			t.Errorf("%s: %.1000s", name, diff)
		}
		if len(faults) != 1 || faults[0].Line != 1001 || !strings.Contains(faults[0].Detail, "column "+name) ||
			!strings.Contains(faults[0].Detail, "1000 rows") {
			t.Errorf("%s: %v", name, faults)
		}
	}
	for n := range 100 {
		cut := content[:len(content)*n/100]
		if _, err := Open(Parquet, bytes.NewReader(cut), int64(len(cut)), FormatOptions{}); err == nil {
			t.Errorf("cut to %d bytes: no error", len(cut))
		}
	}
}

// TestTooManyRows: a small file cannot have rows without end.
func TestTooManyRows(t *testing.T) {
	type row struct {
		URL  string `parquet:"url,optional"`
		Time string `parquet:"time,optional"`
	}
	content := table(t, make([]row, 1_000_000), parquet.Compression(&parquet.Zstd))
	if _, err := Open(URLList, bytes.NewReader(content), int64(len(content)), FormatOptions{}); err == nil {
		t.Errorf("a million rows in %d bytes: no error", len(content))
	}
}

// TestParquetReadError: an error of reading a file is no fault of its content.
func TestParquetReadError(t *testing.T) {
	rows, _ := indexRows(100)
	content := table(t, rows)
	r, err := Open(Parquet, struct {
		io.Reader
		io.ReaderAt
	}{nil, &breaking{bytes.NewReader(content)}}, int64(len(content)), FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Next(new(Row)); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

// breaking fails to read data pages.
type breaking struct{ *bytes.Reader }

var errBroken = fmt.Errorf("broken")

func (b *breaking) ReadAt(p []byte, off int64) (int, error) {
	if off > 4 && off < b.Size()/2 {
		return 0, errBroken
	}
	return b.Reader.ReadAt(p, off)
}
