package reading

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/rowreading"
)

// columnarRow is a row of Common Crawl's columnar index.
type columnarRow struct {
	URL      string    `parquet:"url"`
	Time     time.Time `parquet:"fetch_time,timestamp(millisecond)"`
	Status   int16     `parquet:"fetch_status"`
	MIME     string    `parquet:"content_mime_type,dict"`
	Filename string    `parquet:"warc_filename,dict"`
	Offset   int32     `parquet:"warc_record_offset"`
	Length   int32     `parquet:"warc_record_length"`
}

// columnarIndex has several row groups. One is damaged in its middle. It has more faults of two kinds
// than are reported one by one.
func columnarIndex(t *testing.T, groups, perGroup, damaged int) []byte {
	t.Helper()
	return columnarIndexFrom(t, time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC), groups, perGroup, damaged)
}

// columnarIndexFrom has the first fetch at begin.
func columnarIndexFrom(t *testing.T, begin time.Time, groups, perGroup, damaged int) []byte {
	t.Helper()
	rows := make([]columnarRow, groups*perGroup)
	for i := range rows {
		r := &rows[i]
		*r = columnarRow{
			URL: fmt.Sprintf("https://h%d.example/%d", i/70, i), Time: begin.Add(time.Duration(i%1000) * time.Second),
			Status: 200, MIME: "text/html",
			Filename: fmt.Sprintf("crawl-data/CC-MAIN-20%02d-01/segments/1/warc/x-%d.warc.gz", i/perGroup, i%5),
			Offset:   int32(i), Length: 9,
		}
		switch i % 11 {
		case 3:
			r.URL = fmt.Sprintf("https://h%d.example/robots.txt", i)
		case 5:
			r.URL = "no URL"
		case 7:
			r.URL += " space"
		case 8:
			r.URL = fmt.Sprintf("dns:%d", i)
		}
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[columnarRow](&b, parquet.MaxRowsPerRowGroup(int64(perGroup)),
		parquet.Compression(&parquet.Gzip), parquet.PageBufferSize(4000))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	content := b.Bytes()
	file, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	chunk := file.Metadata().RowGroups[damaged].Columns[0].MetaData
	content[chunk.DataPageOffset+chunk.TotalCompressedSize/2] ^= 0x40
	return content
}

// ingestOn reads an index into facts, and returns all files of them by name, and the rows of the runs.
func ingestOn(t *testing.T, content []byte, workers int, partRows int64) (result facts.InputResult,
	files map[string]string, fetches []facts.Fetch, events []facts.LogEvent,
) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(t.TempDir(), "part-0.parquet")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	in := facts.Input{Path: path, Size: int64(len(content))}
	w, err := facts.NewWriter(dir)
	if err != nil {
		t.Fatal(err)
	}
	var told atomic.Int64
	opt := Options{PartRows: partRows, Cores: warc.NewCores(workers), Progress: func(n int) { told.Add(int64(n)) }}
	opt.Cores.Acquire() // as a task does
	src, err := Open(t.Context(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if result, err = readSource(t.Context(), in, src, 0, w, opt); err != nil {
		t.Fatal(err)
	}
	if n := told.Load(); n > in.Size || n < in.Size/2 {
		t.Errorf("progress was told of %d bytes of %d", n, in.Size)
	}
	result.Input = facts.Input{}
	task := facts.Task{Dir: dir, Global: []int32{0}}
	if err := w.Close(&task.Manifest); err != nil {
		t.Fatal(err)
	}
	if len(opt.Cores) != 1 {
		t.Errorf("%d cores are held at the end", len(opt.Cores))
	}
	files = make(map[string]string)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(b)
	}
	r, err := facts.NewReader(&facts.Set{Tasks: []facts.Task{task}}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for f, err := range r.Fetches(t.Context(), facts.Buckets{}) {
		if err != nil {
			t.Fatal(err)
		}
		fetches = append(fetches, *f)
	}
	for e, err := range r.Events(t.Context(), facts.Buckets{}) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, *e)
	}
	return result, files, fetches, events
}

// TestPartsOfAnIndex: facts are the same, byte for byte, for any number of cores, and equal to the facts
// of an index that is read as one part. The fingerprint, too, depends on the file alone.
func TestPartsOfAnIndex(t *testing.T) {
	const groups, perGroup, damaged = 9, 1000, 4
	content := columnarIndex(t, groups, perGroup, damaged)
	result, files, fetches, events := ingestOn(t, content, 1, 1<<40)
	if lost := groups*perGroup - int(result.Fetches) - int(result.Records["none"]); result.Issues < 2*rowreading.MaxFaults ||
		lost <= 0 || lost > perGroup || len(result.CommonCrawls) != groups {
		t.Errorf("%d issues, %d rows lost, crawls %q", result.Issues, lost, result.CommonCrawls)
	}
	for _, partRows := range []int64{1, 1500, 7000} {
		var want map[string]string
		var print string
		for _, workers := range []int{1, 2, 4} {
			gotResult, gotFiles, gotFetches, gotEvents := ingestOn(t, content, workers, partRows)
			if want == nil {
				want, print = gotFiles, gotResult.Fingerprint
			}
			if gotResult.Fingerprint != print {
				t.Errorf("parts of %d rows, %d workers: fingerprint %s, with one worker %s", partRows, workers,
					gotResult.Fingerprint, print)
			}
			gotResult.Fingerprint = result.Fingerprint // a chain of the parts' fingerprints
			if diff := cmp.Diff(result, gotResult); diff != "" {
				t.Errorf("parts of %d rows, %d workers (-one part +several):\n%s", partRows, workers, diff)
			}
			if !slices.Equal(fetches, gotFetches) || !slices.Equal(events, gotEvents) {
				t.Errorf("parts of %d rows, %d workers: other fetches or events", partRows, workers)
			}
			if gotFiles["issues-00000.run"] != files["issues-00000.run"] {
				t.Errorf("parts of %d rows, %d workers: other issues", partRows, workers)
			}
			if diff := cmp.Diff(want, gotFiles); diff != "" {
				t.Errorf("parts of %d rows, %d workers: other files (-one worker +several):\n%.1000s", partRows,
					workers, diff)
			}
		}
		if _, ok := want[fmt.Sprintf("fetches-0-%d-00000.run", groups-1)]; ok != (partRows == 1) {
			t.Errorf("parts of %d rows: a part for each row group: %v", partRows, ok)
		}
		for name, other := range map[string][]byte{
			"damaged elsewhere": columnarIndex(t, groups, perGroup, damaged+1),
			"shorter":           columnarIndex(t, groups-1, perGroup, damaged),
			"a day later": columnarIndexFrom(t, time.Date(2024, 5, 2, 12, 0, 0, 0, time.UTC), groups, perGroup,
				damaged),
		} {
			if other, _, _, _ := ingestOn(t, other, 2, partRows); other.Fingerprint == print {
				t.Errorf("parts of %d rows: one %s has the same fingerprint", partRows, name)
			}
		}
	}
}
