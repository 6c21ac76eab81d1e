// Corpus makes archives to measure readers with:
//
//	corpus [-shape pages|small] [-size MB] [-files N] [-copies N] SOURCES FOLDER
//
// SOURCES is a folder of HTML documentation. The archives have the shape of
// Common Crawl's: each record a gzip member, a warcinfo first, then a request, a
// response and a metadata record for each fetch, robots.txt among them. Members
// are deflated by compress/flate at its default level, 6, whose matching is
// zlib's, so that they inflate as fast as those that crawlers write. The same
// arguments, sources and Go version make the same bytes.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
)

// A shape is what the fetches of a corpus look like.
type shape struct {
	least, most int     // bytes of a page
	ratio       float64 // of compression that noise brings pages down to; 0: no noise
	fetches     int     // of pages, for each host
	deflated    int     // bytes that a fetch's three members take, about
}

var shapes = map[string]shape{
	"pages": {40_000, 400_000, 4, 6, 40_000},
	"small": {3_000, 5_000, 0, 50, 2_800},
}

// segmentHosts is how many hosts are crawled at a time: a segment of the corpus,
// made on its own.
const segmentHosts = 16

// A corpus is described beside its archives. Small facts tell whether two machines
// have the same one.
type description struct {
	Shape      string   `json:"shape"`
	SizeMB     int      `json:"size_mb"`
	Copies     int      `json:"copies"`
	Go         string   `json:"go"`
	Sources    int64    `json:"source_bytes"`
	Fetches    int      `json:"page_fetches"`
	Hosts      int      `json:"hosts"`
	Records    int64    `json:"records"`
	Octets     int64    `json:"bytes"`
	Compressed int64    `json:"compressed_bytes"`
	Files      []string `json:"files"`
	SHA256     []string `json:"sha256"`
}

func main() {
	log.SetFlags(0)
	name := flag.String("shape", "pages",
		"`NAME` of the shape of fetches: pages (40 to 400 KB each) or small (3 to 5 KB)")
	size := flag.Int("size", 1000, "`MB` of all archives, compressed, about; copies not counted")
	files := flag.Int("files", 1, "`N` archives")
	copies := flag.Int("copies", 1, "write each fetch `N` times, with other hosts and record ids")
	flag.Parse()
	shape, ok := shapes[*name]
	if !ok || flag.NArg() != 2 || *size < 1 || *files < 1 || *copies < 1 {
		flag.Usage()
		os.Exit(2)
	}
	texts, err := readTexts(flag.Arg(0), shape.ratio)
	if err != nil {
		log.Fatal(err)
	}
	segments := max(1, *size*1_000_000/(shape.deflated*shape.fetches*segmentHosts))
	d := description{
		Shape: *name, SizeMB: *size, Copies: *copies, Go: runtime.Version(), Sources: octets(texts),
		Hosts: segments * segmentHosts * *copies, Fetches: segments * segmentHosts * shape.fetches * *copies,
	}
	if err := d.write(flag.Arg(1), maker{shape, texts, *copies}, segments, *files); err != nil {
		log.Fatal(err)
	}
}

// write makes the folder: the archives are complete where it has its name.
func (d *description) write(folder string, m maker, segments, files int) error {
	temporary := folder + ".tmp"
	if err := os.RemoveAll(temporary); err != nil {
		return err
	}
	if err := os.MkdirAll(temporary, 0o755); err != nil {
		return err
	}
	for i := range files {
		name := fmt.Sprintf("%05d.warc.gz", i)
		if err := d.writeArchive(filepath.Join(temporary, name), m, i, i*segments/files,
			(i+1)*segments/files); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(temporary, "corpus.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, folder)
}

// writeArchive writes one archive of the segments [from, to), made in parallel and
// written in order.
func (d *description) writeArchive(path string, m maker, archive, from, to int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	buffered := bufio.NewWriterSize(io.MultiWriter(file, sum), 1<<20)
	info := newWarcinfo(archive)
	first := newMembers(info.id)
	first.warcinfo(info)

	queue := make(chan chan *members, runtime.GOMAXPROCS(0))
	go func() {
		defer close(queue)
		for segment := from; segment < to; segment++ {
			made := make(chan *members, 1)
			queue <- made
			go func() { made <- m.segment(segment, info.id) }()
		}
	}()
	if err := d.add(buffered, first); err != nil {
		return err
	}
	for made := range queue {
		if err := d.add(buffered, <-made); err != nil {
			return err
		}
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	d.Files = append(d.Files, filepath.Base(path))
	d.SHA256 = append(d.SHA256, fmt.Sprintf("%x", sum.Sum(nil)))
	return file.Close()
}

func (d *description) add(w io.Writer, m *members) error {
	d.Records += m.records
	d.Octets += m.octets
	d.Compressed += int64(m.out.Len())
	_, err := w.Write(m.out.Bytes())
	return err
}
