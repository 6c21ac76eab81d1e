// Package index reads what tells of captures without holding them: CDX and CDXJ files, the answers
// of CDX servers, Common Crawl's columnar index, and lists of URLs with times.
//
// Content decides the format. All formats yield the same Row, with what the index says and nothing
// else.
package index

import (
	"fmt"
	"io"
	"math"
)

// Row is a line of an index: a capture, or a listed fetch. Strings are as the index has them. What
// the index does not say is "", -1, or NoTime.
type Row struct {
	URL      string
	Time     string // as written: 14 digits of CDX, or RFC 3339; "" where Micros counts
	Micros   int64  // since 1970 in UTC, where the index has a typed time; else NoTime
	Status   int
	Method   string
	MIME     string // declared, never detected
	Digest   string // as written, perhaps without its label
	Redirect string
	Filename string // of the archive
	Offset   int64  // of the record in the archive
	Length   int64  // of the record in the archive, compressed
	Subset   string // Common Crawl: warc, robotstxt, crawldiagnostics
	Agent    string // lists alone
	RecordID string // lists alone
	Tags     string // field M (AIF) of CDX: a hint
	Line     int64  // number of the row in its file, from 1; in text every line counts
	At       int64  // offset of the line in the file, or -1 where it is compressed or Parquet
}

// NoTime stands in Row.Micros where the index has no typed time.
const NoTime = math.MinInt64

// Reader yields rows in file order. Strings of a row stay valid. A Reader serves one goroutine.
type Reader interface {
	// Next fills row anew. It returns io.EOF at the end, and a *Fault for what cannot be read: the
	// next call goes on behind it. Any other error is one of reading the file.
	Next(row *Row) error
	// Format is what the content is: never Parquet, which Open finds to be CCIndex or URLList.
	Format() Format
	Close() error
}

// Fault is content that cannot be read as rows.
type Fault struct {
	Line   int64 // number of the row or line; of the first one that is lost
	Offset int64 // as Row.At
	Rest   bool  // nothing of the file can be read behind it: the next call returns io.EOF
	Detail string
}

func (f *Fault) Error() string { return fmt.Sprintf("row %d: %s", f.Line, f.Detail) }

// Format is a form of index.
type Format uint8

// The formats. None is what Sniff says of other content.
const (
	None      Format = iota
	CDX              // lines of fields, mostly with a header line; OutbackCDX's output, too
	CDXJ             // key, time, JSON; ZipNum clusters are gzip members of it
	ZipNum           // the .idx or .loc of a ZipNum cluster, which Open refuses: it has no rows
	CDXServer        // the JSON of a Wayback CDX server; its plain text is CDX
	Parquet          // Sniff alone says this: the columns stand at the end of the file
	CCIndex          // Common Crawl's columnar index, in Parquet
	URLList          // URLs and times, in Parquet, CSV or JSON lines
)

var formatNames = [...]string{None: "", CDX: "cdx", CDXJ: "cdxj", ZipNum: "zipnum",
	CDXServer: "cdx-server", Parquet: "parquet", CCIndex: "cc-index", URLList: "url-list"}

func (f Format) String() string { return formatNames[f] }

// Options are what a reader must know beside the content.
type Options struct {
	// Path is where the file lies, a path or URL. Common Crawl names the subset in it.
	Path string
}

// Sniff says which format content that begins with b has, gzip or not: by content, never by name.
// b holds the first 64 KiB, or all of a shorter file. It never takes an archive or a crawl log for
// an index, and a URL list in CSV or JSON lines only if its columns have names that it knows.
func Sniff(b []byte) Format {
	return None
}

// Open reads an index of size bytes. Parquet needs r to be an io.ReaderAt. Open undoes gzip: of a
// member, rows count once its checksum was verified, for which r should be an io.Seeker; else a
// Fault behind them says that they were wrong. f is what Sniff said, or URLList for whatever the
// user calls a list of URLs. Open does not close r.
func Open(f Format, r io.Reader, size int64, opt Options) (Reader, error) {
	return nil, fmt.Errorf("not written yet")
}
