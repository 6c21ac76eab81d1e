// Package cdx reads descriptions of captures: CDX and CDXJ files, the answers of CDX servers,
// Common Crawl's columnar index, lists of URLs with times, tables of captures of robots.txt, and access
// logs of web servers.
//
// Content decides the format. All formats yield the same Row, with the index's content and nothing
// else.
//
// To add a format: a Format, a case in Sniff and in openText, and a parser that sets the fields of
// a Row; published lines in TestSamples, and a writer in scripts.
//
// Package parquetfile reads Parquet. github.com/parquet-go/jsonlite reads JSON: it takes no copy of
// values, and comes with parquet-go.
//
// The row groups of a Parquet file are read in parts of at least 100,000 rows (Reader.Parts), on idle
// cores, too. The footer alone decides the extent of a part. Counts, faults and the fingerprint
// need an order: they are combined in the order of the parts. A file in an object store is not divided:
// parts all over it would be many requests. Nor is text: where a row begins is known only once the
// one before was read.
package cdx

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// Row is a line of an index: a capture, or a listed fetch. Strings are as the index has them. A
// value that the index lacks is "", -1, or NoTime.
type Row struct {
	URL       string
	Time      string // as written: 14 digits of CDX, or RFC 3339; "" where Micros counts
	Micros    int64  // since 1970 in UTC, where the index has a typed time; else NoTime
	Status    int
	Method    string
	MIME      string // declared
	Detected  string // media type found in the content
	Language  string // languages found in it, joined by commas
	Digest    string // as written, perhaps without its label
	Redirect  string
	Filename  string      // of the archive
	Offset    int64       // of the record in the archive
	Length    int64       // of the record in the archive, compressed
	Subset    string      // Common Crawl: warc, robotstxt, crawldiagnostics
	Agent     string      // lists alone
	RecordID  recordid.ID // lists, wget's CDX, and Common Crawl since 2026
	ListID    string      // lists alone: the user's own name of the row
	Robots                // tables of robots.txt alone
	Logged                // access logs alone
	Line      int64       // number of the row in its file, from 1; in text every line counts
	BadStatus string      // what stands where the status should, and is none
	NoZone    bool        // Micros is of a column that declares local times
	At        int64       // offset of the line in the file, or -1 where it is compressed or Parquet
}

// Robots is what a row of a table of robots.txt has besides.
type Robots struct {
	Host    string // instead of a URL: the table does not have the scheme
	Body    string
	HasBody bool   // the body is known, and may be empty
	Headers string // lines of fields, or JSON: an object, or an array of pairs
	Error   string // why no answer came
	// the status is 0 or less, by which programs say that none came
	NoAnswer bool
}

// NoTime stands in Row.Micros where the index has no typed time.
const NoTime = math.MinInt64

// Reader yields rows in file order. Strings of a row stay valid. A Reader serves one goroutine.
type Reader interface {
	// Next fills row anew. It returns io.EOF at the end, and a *Fault for a part that cannot be
	// read: the next call goes on after it. Any other error is one of reading the file.
	Next(row *Row) error
	// Format is the format of the content: never Parquet, which Open finds to be CCIndex or
	// URLList.
	Format() Format
	// Parts is how many parts the rows are in, which can be read at the same time: of text one. Which
	// rows a part has depends on the file alone.
	Parts() int
	// Begin restricts the next rows to one part.
	Begin(part int)
	// Another returns a Reader of the same file, of several parts, for another goroutine.
	Another() Reader
	// Rows is the number of rows that the file claims; 0: it claims none.
	Rows() int64
}

// Fault is content that cannot be read as rows.
type Fault struct {
	Line   int64 // number of the row or line; of the first one that is lost
	Offset int64 // as Row.At
	Rest   bool  // nothing of the file can be read after it: the next call returns io.EOF
	NoLoss bool  // it was read: a line of an access log that is of no request to the site
	Detail string
}

func (f *Fault) Error() string { return fmt.Sprintf("row %d: %s", f.Line, f.Detail) }

// Format is a form of index.
type Format uint8

// The formats. Sniff returns None for other content.
const (
	None       Format = iota
	CDX               // lines of fields, mostly with a header line; OutbackCDX's output, too
	CDXJ              // key, time, JSON; ZipNum clusters are gzip members of it
	ZipNum            // the summary of a ZipNum cluster (.idx, .loc), which Open refuses: it has no rows
	CDXServer         // the JSON of a Wayback CDX server; its plain text is CDX
	Parquet           // only Sniff returns this: the columns stand at the end of the file
	CCIndex           // Common Crawl's columnar index, in Parquet
	URLList           // URLs and times, in Parquet, CSV or JSON lines
	RobotsList        // captures of robots.txt, in the same; never found by Sniff
	AccessLog         // lines of a web server's log of requests; never found by Sniff
)

var formatNames = [...]string{
	None: "", CDX: "cdx", CDXJ: "cdxj", ZipNum: "zipnum",
	CDXServer: "cdx-server", Parquet: "parquet", CCIndex: "cc-index", URLList: "url-list",
	RobotsList: "robots-list", AccessLog: "access-log",
}

func (f Format) String() string { return formatNames[f] }

// IsFormat reports whether a name is the name of a format.
func IsFormat(name string) bool { return name != "" && slices.Contains(formatNames[:], name) }

// FormatOptions are what a reader must know besides the content.
type FormatOptions struct {
	// Path is where the file lies, a path or URL. Common Crawl names the subset in it.
	Path string
	// Columns is what the user calls the columns of a list or table, as CheckColumns has it; "": as others do.
	Columns string
	// PartRows is how many rows a part has at least, if there is more than one; 0 means
	// what is good for large files.
	PartRows int64
	// AccessLog is how such a log is to be read. Packed: r has undone its compression.
	AccessLog AccessLogOptions
	Packed    bool
}

// Open reads an index of size bytes. Parquet needs r to be an io.ReaderAt. Open undoes gzip: the
// rows of a member count once its checksum was verified, for which r should be an io.Seeker; if it
// is not, and the member is large, a Fault after the rows reports that they are not proven. f is
// the result of Sniff, or URLList or RobotsList for any file that the user calls one. Open does not
// close r.
func Open(f Format, r io.Reader, size int64, opt FormatOptions) (Reader, error) {
	if at, ok := r.(io.ReaderAt); ok {
		var begin [len(parquetMagic)]byte
		if n, _ := at.ReadAt(begin[:], 0); IsParquet(begin[:n]) {
			return openParquet(f, at, size, opt)
		}
	}
	switch f {
	case CDX, CDXJ, CDXServer, URLList, RobotsList, AccessLog:
		return openText(f, r, opt)
	case ZipNum:
		return nil, errors.New("it is the summary of a ZipNum cluster, which has no rows; name the cluster's " +
			"compressed files (cdx-*.gz) instead")
	case Parquet, CCIndex:
		return nil, errors.New("it is no Parquet file")
	}
	return nil, errors.New("it is no index and no list of URLs")
}

type field uint8

const (
	fieldNone field = iota
	fieldURL
	fieldTime
	fieldStatus
	fieldMethod
	fieldMIME
	fieldDetected
	fieldLanguage
	fieldDigest
	fieldRedirect
	fieldFilename
	fieldOffset
	fieldLength
	fieldSubset
	fieldAgent
	fieldRecordID
	fieldListID
	fieldHost
	fieldBody
	fieldBodyBase64
	fieldHeaders
	fieldError
	fields
)

var noRow = Row{Micros: NoTime, Status: -1, Offset: -1, Length: -1, At: -1}

// set sets a field to a value of a text format, where "-" is none. fault is the defect of the
// value.
func (row *Row) set(f field, value string) (fault string) {
	switch f {
	case fieldListID:
		row.ListID = value
		return ""
	case fieldBody:
		row.Body, row.HasBody = value, value != ""
		return ""
	case fieldBodyBase64:
		return row.setBase64(value)
	}
	if value == "-" || IsNone(value) {
		return ""
	}
	switch f {
	case fieldStatus:
		row.setStatus(value)
	case fieldOffset:
		return setNumber(&row.Offset, value, "the offset is no number")
	case fieldLength:
		return setNumber(&row.Length, value, "the length is no number")
	case fieldRecordID:
		row.RecordID = recordid.Parse(strings.TrimSuffix(strings.TrimPrefix(value, "<"), ">"))
	default:
		if text := row.text(f); text != nil {
			*text = value
		}
	}
	return ""
}

// IsNone reports whether a value is one that programs write where there is none.
func IsNone(value string) bool {
	switch value {
	case "", "nan", "NaN", "NA", "N/A", "<NA>", "null", "NULL", "None":
		return true
	}
	return false
}

// setStatus reads a status, perhaps with the words around it: HTTP/1.1 503 Service Unavailable.
func (row *Row) setStatus(value string) {
	if strings.HasPrefix(value, "HTTP/") {
		_, value, _ = strings.Cut(value, " ")
	}
	number, _, _ := strings.Cut(value, " ")
	status, err := strconv.ParseInt(strings.TrimSuffix(number, ".0"), 10, 16)
	if row.Status, row.NoAnswer = statusOf(status), err == nil && status <= 0; err != nil {
		row.BadStatus = value // indexers write what they find where a server sent none
	}
}

// text is where the value of a field that is a text as written stands; nil: it is none.
func (row *Row) text(f field) *string {
	return [fields]*string{
		fieldURL: &row.URL, fieldTime: &row.Time, fieldMethod: &row.Method, fieldMIME: &row.MIME,
		fieldDetected: &row.Detected, fieldLanguage: &row.Language, fieldDigest: &row.Digest,
		fieldRedirect: &row.Redirect, fieldFilename: &row.Filename, fieldAgent: &row.Agent, fieldHost: &row.Host,
		fieldHeaders: &row.Headers, fieldError: &row.Error,
	}[f]
}

// setBase64 sets the body to what a value encodes, in either alphabet, with or without padding.
func (row *Row) setBase64(value string) (fault string) {
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(value, "-_") {
		encoding = base64.RawURLEncoding
	}
	body, err := encoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil {
		return "its body is no base64"
	}
	row.Body, row.HasBody = string(body), len(body) > 0
	return ""
}

// setAll sets fields to values, up to the first that has a fault.
func (row *Row) setAll(shape []field, values []string) (fault string) {
	for i := 0; i < len(shape) && fault == ""; i++ {
		fault = row.set(shape[i], values[i])
	}
	return fault
}

// setCDX does the same for the fields of CDX, whose dates are digits.
func (row *Row) setCDX(shape []field, values []string) (ok bool, fault string) {
	if fault = row.setAll(shape, values); fault == "" && row.Time != "" && !isDigits(row.Time) {
		fault = "the date is no number"
	}
	return fault == "", fault
}

func setNumber(n *int64, value, fault string) string {
	v, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return fault
	}
	*n = max(v, -1)
	return ""
}

// statusOf is a status, where 0 and negative numbers mean none.
func statusOf(n int64) int {
	if n <= 0 {
		return -1
	}
	return int(n)
}

// IsNoFetch reports whether a row describes a record without an answer of a server, such as a
// request, metadata or a warcinfo record. The index is of the format f. Such a row states no
// status, and its media type is one of these records, or it states neither where cdxj-indexer
// leaves both out: it takes them from the HTTP head of an answer, and computes a digest of every
// record.
func (row *Row) IsNoFetch(f Format) bool {
	if row.Status >= 0 {
		return false
	}
	written := strings.ToLower(strings.ReplaceAll(row.MIME, " ", ""))
	switch mime, _, _ := strings.Cut(written, ";"); mime {
	case "application/warc-fields", "text/anvl", "text/x-ftp-control-conversation":
		return true
	case "application/http":
		return strings.HasPrefix(written, "application/http;msgtype=request")
	case "warc/revisit":
		return false
	case "":
		return (f == CDX || f == CDXJ) && row.URL != "" && row.Digest != "" && row.Offset >= 0 && row.Filename != ""
	default:
		return strings.HasPrefix(mime, "warc/")
	}
}

// finish completes a row of an index of a format, whose fields are set. fault states what it
// lacks. The rows of warcinfo records have no URL.
func (row *Row) finish(f Format) (fault string) {
	row.NoAnswer = row.NoAnswer && f == RobotsList
	switch {
	case f == RobotsList && row.URL == "" && row.Host == "" && row.Filename == "":
		return "it has neither a URL nor a host"
	case f != RobotsList && row.URL == "" && !row.IsNoFetch(f):
		return "it has no URL"
	case row.Agent != "" && (f == URLList || f == RobotsList) && !isAgent(row.Agent):
		return fmt.Sprintf("its agent %.40q can be the name of no crawler", row.Agent)
	case f == RobotsList && row.BadStatus != "":
		return fmt.Sprintf("its status %.40q is no status of HTTP", row.BadStatus)
	case row.Time == "" && row.Micros == NoTime:
		return "it has no time"
	case row.Subset == "":
		row.Subset = subsetOf(row.Filename)
	}
	return ""
}

// subsets are those that Common Crawl has, in which it divides the records of a segment.
var subsets = [...]string{"warc", "crawldiagnostics", "robotstxt"}

// subsetOf returns the subset in the name of an archive of Common Crawl.
func subsetOf(filename string) string {
	if !strings.HasPrefix(filename, "crawl-data/CC-MAIN-") {
		return ""
	}
	dir, _ := path.Split(filename)
	return knownSubset(path.Base(dir))
}

// knownSubset returns a name if it names a subset.
func knownSubset(name string) string {
	if slices.Contains(subsets[:], name) {
		return name
	}
	return ""
}

// subsetOfPath returns the subset in the folder name of a partitioned table: subset=robotstxt.
func subsetOfPath(p string) string {
	for part := range strings.SplitSeq(p, "/") {
		if name, ok := strings.CutPrefix(part, "subset="); ok {
			return knownSubset(name)
		}
	}
	return ""
}
