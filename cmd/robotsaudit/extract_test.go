package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/parquetwriter/parquettest"
	"github.com/robotsaudit/robotsaudit/internal/records"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
)

// tablePlace is a place as a table names it.
type tablePlace struct {
	file           string
	offset, length int64 // of length, -1: the table does not state it
}

// manyForms makes a folder with an archive of each form, and returns the contents by name.
func manyForms(t *testing.T) (folder string, files map[string][]byte) {
	read := func(path string) []byte {
		b := readFile(t, path)
		return b
	}
	a := read("../../testdata/warc/crawl-a-1.warc.gz")
	const log = "2025-03-10T09:00:00.000Z -61 - http://wild.example/a L http://wild.example/ unknown #001 20250310090000000+1 - - -\n"
	const robots = "2025-03-10T08:59:00.000Z -2 - http://wild.example/robots.txt P http://wild.example/ unknown #001 20250310085900000+1 - - -\n"
	files = map[string][]byte{
		"stream/one.warc.gz": warctest.Gzip(string(unzipped(t, read("../../testdata/warc/crawl-b-1.warc.gz")))),
		"frames/one.warc.zst": eachMember(t, read("../../testdata/warc/crawl-c-1.warc.gz"), func(b []byte) []byte {
			return warctest.ZstdFrame(t, string(b))
		}),
		"one.wacz": warctest.Zip(t, warctest.StoredEntry("archive/a.warc.gz", a)),
		"two.wacz": warctest.Zip(t,
			warctest.DeflatedEntry("archive/c.warc.gz", read("../../testdata/warc/crawl-c-2.warc.gz"))),
		"logs/crawl.log": []byte(robots + log + log),
	}
	folder = t.TempDir()
	for _, name := range []string{"crawl-a-2.warc.gz", "crawl-b-2.warc", "crawl-c-3.warc.gz", "crawl-c-4.warc.gz"} {
		files["plain/"+name] = read("../../testdata/warc/" + name)
	}
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, content)
	}
	return folder, files
}

// TestExportRobots audits what is exported of robots.txt: it gives the states that all archives give.
func TestExportRobots(t *testing.T) {
	states := func(dir string) (rows []string) {
		for _, row := range parquettest.Read[report.RobotsRow](t, dir, "robots") {
			row.WARCFilename, row.WARCRecordOffset, row.WARCRecordLength, row.BodyFilename, row.BodyOffset = "", 0, 0, "", nil
			b, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, string(b))
		}
		return rows
	}
	folder, _ := manyForms(t)
	dir, to := audittest.Audit(t, audittest.Everything, folder), filepath.Join(t.TempDir(), "robots")
	command(t, 0, "export", dir, "robots", "--to", to)
	command(t, 2, "export", dir, "robots", "--to", to) // a folder that is there stays as it is
	want, got := states(dir), states(audittest.Audit(t, audittest.Everything, to))
	if len(want) < 70 || !slices.Equal(got, want) {
		t.Errorf("%d states of %d:\n%s\nwant:\n%s", len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestRecordsWrite reads the record of every place that the tables of an audit name, and
// compares it with the bytes that stand there, for each form of archive.
func TestRecordsWrite(t *testing.T) {
	folder, files := manyForms(t)
	dir := audittest.Audit(t, audittest.Everything, folder)
	set, err := ingest.OpenFacts(dir)
	if err != nil {
		t.Fatal(err)
	}
	forms := make(map[string]int)
	for place := range tablePlaces(t, dir) {
		var got bytes.Buffer
		in, entry, _ := records.FindInput(set, place.file)
		err := records.Write(t.Context(), &got, in, entry, place.offset, "")
		if want := bytesAt(t, files, place); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%v: %d bytes %.80q, want %d bytes %.80q, %v", place, got.Len(), got.Bytes(), len(want), want, err)
		}
		forms[strings.SplitN(place.file, "/", 2)[0]]++
	}
	for _, form := range []string{"plain", "stream", "frames", "one.wacz", "two.wacz", "logs"} {
		if forms[form] == 0 {
			t.Errorf("no place in %s: %v", form, forms)
		}
	}
}

// tablePlaces reads the places that the tables of an audit name.
func tablePlaces(t *testing.T, dir string) map[tablePlace]bool {
	t.Helper()
	places := make(map[tablePlace]bool)
	tables, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		file, err := parquet.OpenFile(parquettest.Open(t, table))
		if err != nil {
			t.Fatal(err)
		}
		column := func(name string) int {
			if leaf, ok := file.Schema().Lookup(name); ok {
				return leaf.ColumnIndex
			}
			return -1
		}
		var columns [][3]int
		for _, path := range file.Schema().Columns() {
			prefix, is := strings.CutSuffix(path[0], "warc_filename")
			if offset := column(prefix + "warc_record_offset"); is && offset >= 0 {
				columns = append(columns, [3]int{column(path[0]), offset, column(prefix + "warc_record_length")})
			}
		}
		rows := parquet.NewReader(file)
		row := make([]parquet.Row, 1)
		for range file.NumRows() {
			if n, err := rows.ReadRows(row); n != 1 {
				t.Fatal(err)
			}
			values := make(map[int]parquet.Value)
			for _, v := range row[0] {
				values[v.Column()] = v
			}
			for _, c := range columns {
				if values[c[0]].IsNull() || values[c[1]].IsNull() {
					continue
				}
				p := tablePlace{values[c[0]].String(), values[c[1]].Int64(), -1}
				if v, ok := values[c[2]]; ok && !v.IsNull() {
					p.length = v.Int64()
				}
				places[p] = true
			}
		}
		rows.Close()
	}
	for p := range places { // another table has the length
		if p.length < 0 {
			for q := range places {
				if q.file == p.file && q.offset == p.offset && q.length >= 0 {
					delete(places, p)
					break
				}
			}
		}
	}
	return places
}

// bytesAt is what stands at a place, decompressed, found without the code that is tested.
func bytesAt(t *testing.T, files map[string][]byte, p tablePlace) []byte {
	t.Helper()
	content, ok := files[p.file]
	switch {
	case !ok:
		wacz, entry, _ := strings.Cut(p.file, "/")
		z, err := zip.NewReader(bytes.NewReader(files[wacz]), int64(len(files[wacz])))
		if err != nil {
			t.Fatal(err)
		}
		f, err := z.Open(entry)
		if err != nil {
			t.Fatal(err)
		}
		if content, err = io.ReadAll(f); err != nil {
			t.Fatal(err)
		}
	case strings.HasPrefix(p.file, "stream/"):
		content = unzipped(t, content)
	case strings.HasPrefix(p.file, "frames/"):
		r, err := zstd.NewReader(bytes.NewReader(content[p.offset : p.offset+p.length]))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return b
	case strings.HasPrefix(p.file, "logs/"):
		line, _, _ := bytes.Cut(content[p.offset:], []byte("\n"))
		return append(line, '\n')
	}
	content = content[p.offset : p.offset+p.length]
	if bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
		return unzipped(t, content)
	}
	return content
}

func unzipped(t *testing.T, b []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if b, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	return b
}

// eachMember joins what f makes of the content of each gzip member.
func eachMember(t *testing.T, b []byte, f func([]byte) []byte) (joined []byte) {
	t.Helper()
	in := bytes.NewReader(b)
	r, err := gzip.NewReader(in)
	for ; err == nil; err = r.Reset(in) {
		r.Multistream(false)
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		joined = append(joined, f(content)...)
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	return joined
}
