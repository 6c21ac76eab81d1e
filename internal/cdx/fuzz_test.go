package cdx

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

// drain reads a possible index to its end. Rows have what every row has, in their order, and parts
// have them all.
func drain(t *testing.T, f Format, content []byte) {
	r, err := Open(f, bytes.NewReader(content), int64(len(content)), FormatOptions{PartRows: 1})
	if err != nil {
		return
	}
	all := linesOf(t, r)
	other := r.Another()
	if other == nil || len(all) == maxDrained {
		return
	}
	var parts []int64
	for part := range r.Parts() {
		other.Begin(part)
		parts = append(parts, linesOf(t, other)...)
	}
	if !slices.Equal(all, parts) {
		t.Fatalf("%d rows and faults, in %d parts %d", len(all), r.Parts(), len(parts))
	}
}

const maxDrained = 1_000_000

// linesOf returns the line numbers of the rows of r, and of its faults as negative
// ones.
func linesOf(t *testing.T, r Reader) (lines []int64) {
	last := int64(0)
	for len(lines) < maxDrained {
		var row Row
		err := r.Next(&row)
		fault := (*Fault)(nil)
		switch {
		case err == io.EOF:
			return lines
		case errors.As(err, &fault):
			if fault.Line < last || fault.Detail == "" {
				t.Fatalf("fault %+v after row %d", fault, last)
			}
			lines = append(lines, -fault.Line)
		case err != nil:
			t.Fatal(err)
		case row.Line <= last || row.URL == "" && !row.IsNoFetch(r.Format()) || row.Time == "" && row.Micros == NoTime:
			t.Fatalf("row %+v after row %d", row, last)
		default:
			last = row.Line
			lines = append(lines, last)
		}
	}
	return lines
}

// FuzzNamed sniffs the format of any bytes in a file of any name. Members of a file that is compressed
// come to the same rows, wherever it is divided.
func FuzzNamed(f *testing.F) {
	const cdx = "k 20240501120000 http://h/ - - A - - 1 0 f"
	f.Add([]byte(cdx+"\n"+cdx), "a.cdx", uint16(len(cdx)))
	f.Add([]byte(`k 20240501120000 {"url": "http://h/"}`+"\n"), "a.cdxj", uint16(9))
	f.Add([]byte("k 20240501120000\tp\t0\t1\t1\nno row\n"), "a.idx", uint16(3))
	f.Add([]byte("p\t./q/p.gz\tp.gz\nr\n"), "a.loc", uint16(0))
	f.Add([]byte(`!meta 0 {"format": "cdxj-gzip-1.0", "filename": "i.gz"}`+"\n"+
		`k 20240501120000 {"offset": 0, "length": 1}`+"\n"), "i.idx", uint16(1))
	f.Fuzz(func(t *testing.T, content []byte, name string, at uint16) {
		plain := Sniff(content, name)
		if f := Sniff(content, ""); f != None && f != plain {
			t.Fatalf("%v by its content, %v named %q", f, plain, name)
		}
		if bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
			return
		}
		if plain != CDX && plain != CDXJ {
			return
		}
		divide := min(int(at), len(content))
		packed := gz(string(content[:divide]), string(content[divide:]))
		var lines [2][]int64
		for i, b := range [][]byte{content, packed} {
			r, err := Open(plain, bytes.NewReader(b), int64(len(b)), FormatOptions{})
			if err != nil {
				t.Fatal(err)
			}
			lines[i] = linesOf(t, r)
		}
		line := content[bytes.LastIndexByte(content[:divide], '\n')+1 : divide]
		if !slices.Equal(lines[0], lines[1]) && !lacksLineEnd(line, content[divide:]) {
			t.Fatalf("%v, in two members %v", lines[0], lines[1])
		}
	})
}

// FuzzText reads any bytes as every format of text.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		" CDX N b a m s k r M S V g\nk 20240501120000 http://h/ text/html 200 A - - 1 2 f\n",
		"k 20240501120000 http://h/ - - A - 1 f\n",
		`k 20240501120000 {"url": "http://h/", "status": 200, "x": [{"\u00e9": -1e3}]}` + "\n",
		`[["timestamp","original"],["20240501120000","http://h/"],[],["x"]]`,
		`{"urlkey":"k","timestamp":"20240501120000","url":"http://h/"}`,
		"url,time\n\"http://h/\",20240501120000\n",
		"k 20240501120000\tp\t0\t1\t1\n", "p\t/p.gz\n",
	} {
		f.Add([]byte(s))
		f.Add(gz(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		sniffed := Sniff(content, "")
		for _, format := range []Format{CDX, CDXJ, CDXServer, URLList, sniffed} {
			drain(t, format, content)
		}
		if r, err := Open(sniffed, bytes.NewReader(content), int64(len(content)), FormatOptions{}); sniffed != None &&
			sniffed != ZipNum && sniffed != Parquet {
			if err != nil {
				t.Fatalf("%s: %v", sniffed, err)
			}
			if r.Format() != sniffed {
				t.Fatalf("%s is read as %s", sniffed, r.Format())
			}
		}
	})
}

// FuzzParquet reads any bytes as a Parquet file.
func FuzzParquet(f *testing.F) {
	type row struct {
		URL  string           `parquet:"url,optional,dict"`
		Time deprecated.Int96 `parquet:"fetch_time"`
		N    int32            `parquet:"fetch_status,optional"`
	}
	type list struct {
		URL   string    `parquet:"url,delta"`
		Time  time.Time `parquet:"time,timestamp(millisecond),delta"`
		Agent string    `parquet:"agent,optional"`
	}
	f.Add(table(f, []row{{"http://1/", deprecated.Int96{1, 2, 2458850}, 200}, {URL: ""}},
		parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1)))
	f.Add(table(f, []list{{"http://1/", time.Unix(1, 0), ""}, {"http://2/", time.Unix(2, 0), "a"}}))
	f.Add(table(f, []list{
		{"http://1/", time.Unix(1, 0), ""},
		{"http://2/", time.Unix(2, 0), "a"},
		{"", time.Unix(3, 0), "a"},
	}, parquet.MaxRowsPerRowGroup(1)))
	f.Add(table(f, []list{{"http://1/", time.Unix(1, 0), ""}},
		parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.DeltaByteArray), parquet.Compression(&parquet.Zstd)))
	f.Fuzz(func(t *testing.T, content []byte) { drain(t, Parquet, content) })
}
