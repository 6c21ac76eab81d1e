package ingest

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/index"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/warc"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// sniff tells the form of an input by its first bytes; format is that of an index or a list of
// URLs, and None for all else.
func sniff(src *warc.Source) (form warc.Form, format index.Format) {
	if begin, _ := src.Peek(len("PAR1")); index.Sniff(begin) == index.Parquet { // its pages may look like gzip members
		return warc.Form{Kind: warc.DamageNotAnArchive, Refusal: "it is a Parquet file"}, index.Parquet
	}
	form = warc.Sniff(src, isCrawlLog)
	if form.Readable() {
		return form, index.None
	}
	b, _ := src.Peek(sniffIndex)
	return form, index.Sniff(b)
}

// isIndex reports whether a file in a folder is an index with rows. Lists of URLs have to be named:
// any table with addresses and dates looks like one.
func isIndex(format index.Format) bool {
	switch format {
	case index.None, index.URLList, index.ZipNum:
		return false
	}
	return true
}

// readIndexInput reads an input that is an index or a list of URLs.
func readIndexInput(c *committer, in facts.Input, format index.Format, from *warc.Source, at io.ReaderAt, size int64, opt *readOptions) (facts.InputResult, error) {
	result := facts.InputResult{Input: in, Container: format.String()}
	refuse := func(reason string) (facts.InputResult, error) {
		result.Refusal = reason
		err := c.report(facts.Issue{Offset: -1, Length: in.Size, Kind: facts.IssueNotAnArchive, Detail: reason, Action: "not read"})
		result.InputStats = c.stats
		return result, err
	}
	if opt.list != nil {
		return refuse("it is an index, which holds no records; name archives")
	}
	var src io.Reader = from
	if at != nil {
		src = &countedReads{SectionReader: io.NewSectionReader(failing{at}, 0, size), progress: opt.progress, counted: from.Fetched()}
	}
	rows, err := index.Open(format, src, size, index.Options{Path: in.Path})
	switch {
	case warc.IsReadError(err):
		return result, err
	case from.Failed() != nil:
		return result, from.Failed()
	case err != nil:
		return refuse(err.Error())
	}
	defer rows.Close()
	result.Container = rows.Format().String()
	x := indexReader{committer: c, listed: rows.Format() == index.URLList}
	if err := x.read(rows); err != nil {
		return result, err
	}
	if err := from.Failed(); err != nil {
		return result, err
	}
	result.InputStats = c.stats
	result.Fingerprint = fmt.Sprintf("%016x", x.sum.Sum)
	return result, nil
}

// failing marks the failures of a file, which are no fault of what is in it.
type failing struct{ io.ReaderAt }

func (f failing) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.ReaderAt.ReadAt(p, offset)
	if err != nil && err != io.EOF {
		err = &warc.ReadError{Err: err}
	}
	return n, err
}

// countedReads tells how far a file has been read, whatever is read twice.
type countedReads struct {
	*io.SectionReader
	progress func(int)
	at       int64 // where Read stands
	counted  int64
}

func (r *countedReads) Read(p []byte) (int, error) {
	n, err := r.SectionReader.Read(p)
	r.at += int64(n)
	r.count(r.at)
	return n, err
}

func (r *countedReads) ReadAt(p []byte, offset int64) (int, error) {
	n, err := r.SectionReader.ReadAt(p, offset)
	r.count(offset + int64(n))
	return n, err
}

func (r *countedReads) Seek(offset int64, whence int) (int64, error) {
	at, err := r.SectionReader.Seek(offset, whence)
	r.at = at
	return at, err
}

func (r *countedReads) count(to int64) {
	if to > r.counted && r.progress != nil {
		r.progress(int(to - r.counted))
		r.counted = to
	}
}

// indexReader makes fetches of the rows of an index.
type indexReader struct {
	*committer
	listed bool
	sum    warc.Chain
	faults map[facts.IssueKind]int64 // beyond those that were told
	told   map[facts.IssueKind]int
	text   []byte      // reused
	made   facts.Fetch // reused

	host, reversed string // of the row before: rows of a host follow one another
}

// read reads all rows. Those that cannot be read are issues.
func (x *indexReader) read(rows index.Reader) error {
	x.faults, x.told = make(map[facts.IssueKind]int64), make(map[facts.IssueKind]int)
	var row index.Row
	for {
		err := rows.Next(&row)
		var fault *index.Fault
		switch {
		case err == nil:
			err = x.add(&row)
			if err != nil {
				return err
			}
		case err == io.EOF:
			return x.tellMore()
		case warc.IsReadError(err):
			return err
		case errors.As(err, &fault) && !fault.Rest:
			if err := x.fault(facts.IssueBadIndexRow, fault.Offset, fault.Error(), "row skipped"); err != nil {
				return err
			}
		default:
			offset := int64(-1)
			if fault != nil {
				offset = fault.Offset
			}
			issue := facts.Issue{Offset: offset, Length: -1, Kind: facts.IssueDamagedStream, Detail: err.Error(), Action: "the rest not read"}
			if err := x.report(issue); err != nil {
				return err
			}
			return x.tellMore()
		}
	}
}

// fault notes what is wrong with a row, of the first rows of a kind.
func (x *indexReader) fault(kind facts.IssueKind, offset int64, detail, action string) error {
	if x.told[kind] >= maxLogFaults {
		x.faults[kind]++
		return nil
	}
	x.told[kind]++
	return x.report(facts.Issue{Offset: offset, Length: -1, Kind: kind, Detail: cut(detail, maxFault), Action: action})
}

func (x *indexReader) faultOf(row *index.Row, kind facts.IssueKind, action, format string, args ...any) error {
	return x.fault(kind, row.At, fmt.Sprintf("row %d: ", row.Line)+fmt.Sprintf(format, args...), action)
}

// tellMore counts the faults that were not told one by one.
func (x *indexReader) tellMore() error {
	for kind := range facts.IssueKind(math.MaxUint8) {
		n := x.faults[kind]
		if n == 0 {
			continue
		}
		if err := x.report(facts.Issue{Offset: -1, Length: -1, Kind: kind, Detail: fmt.Sprintf("%d more rows", n), Action: "as above"}); err != nil {
			return err
		}
	}
	return nil
}

// add makes a fetch of a row, if it tells of one.
func (x *indexReader) add(row *index.Row) error {
	b := strconv.AppendInt(x.text[:0], row.Line, 10)
	b = append(append(b, ' '), row.URL...)
	b = append(append(b, ' '), row.Time...)
	b = append(append(b, ' '), row.Filename...)
	x.text = strconv.AppendInt(append(b, ' '), row.Offset, 10)
	x.sum.Add(x.text)
	f, err := x.fetch(row)
	if err != nil || f == nil {
		x.stats.Records["none"]++
		return err
	}
	x.stats.Records[facts.TypeIndexed.String()]++
	x.stats.Fetches++
	x.stats.Indexed++
	x.stats.AddCommonCrawl(commonCrawl(f.Archive))
	return x.out.Fetch(f)
}

// fetch is what a row tells of a fetch; nil if it tells of none. The rules are those of
// extractFetch.
func (x *indexReader) fetch(row *index.Row) (*facts.Fetch, error) {
	target := cut(row.URL, warc.MaxURL)
	if target == "" {
		return nil, x.faultOf(row, facts.IssueNoTargetURI, "row skipped", "no URL")
	}
	url, problem := weburl.Parse(target)
	supported := weburl.IsFetchScheme(url.Scheme)
	mime := indexMIME(row.MIME)
	switch {
	case url.Scheme == "":
		return nil, x.faultOf(row, facts.IssueNoTargetURI, "row skipped", "%s in %.200q", problem, target)
	case url.Host == "" && supported:
		return nil, x.faultOf(row, facts.IssueNoTargetURI, "row skipped", "no host in %.200q", target)
	case url.Host == "", !supported && row.Status < 0, isNoFetch(row.Status, mime):
		return nil, nil
	}
	if problem != 0 {
		if err := x.faultOf(row, facts.IssueBadURL, "kept as recorded", "%s in %.200q", problem, target); err != nil {
			return nil, err
		}
	}
	if url.Host != x.host {
		x.host, x.reversed = strings.Clone(url.Host), url.HostReversed()
	}
	f := &x.made
	*f = facts.Fetch{
		HostReversed: x.reversed, Origin: url.Origin(), URL: target, RecordID: packedID(row.RecordID), Input: x.input, Entry: x.entry,
		Archive: cut(row.Filename, warc.MaxURL), Offset: row.Offset, Index: row.Line, Length: max(row.Length, -1),
		Type: facts.TypeIndexed, Trust: facts.TrustIndexed, Method: cut(row.Method, maxWord), Status: -1, Location: cut(row.Redirect, warc.MaxURL),
		MIMEType: mime, PayloadDigest: cut(row.Digest, warc.MaxFieldValue), Millis: -1,
	}
	if row.Status > 0 && row.Status <= math.MaxInt16 {
		f.Status = int16(row.Status)
	}
	if row.Offset < 0 || row.Filename == "" { // the place of the row itself
		f.Archive, f.Offset, f.Length = "", row.At, -1
		if row.At < 0 {
			f.Offset = row.Line
		}
	}
	if x.listed {
		f.Trust = facts.TrustListed
		if row.Agent != "" {
			f.UserAgent, f.UserAgentSource = cut(row.Agent, maxListedAgent), facts.SourceList
		}
	}
	if !supported {
		f.Flags |= facts.FlagUnsupportedScheme
	}
	if len(row.URL) > warc.MaxURL {
		f.Flags |= facts.FlagURLCut
		if err := x.faultOf(row, facts.IssueURLTooLong, "URL cut", "more than %d bytes", warc.MaxURL); err != nil {
			return nil, err
		}
	}
	if len(row.RecordID) > warc.MaxRecordID || len(row.Filename) > warc.MaxURL || len(row.Method) > maxWord || len(row.Redirect) > warc.MaxURL ||
		len(mime) == warc.MaxFieldValue || len(row.Digest) > warc.MaxFieldValue || x.listed && len(row.Agent) > maxListedAgent {
		if err := x.faultOf(row, facts.IssueValueCut, "the rest dropped", "a value that is too long"); err != nil {
			return nil, err
		}
	}
	t, ok := rowTime(row)
	f.Micros, f.Precision = t.Micros, t.Precision
	if !ok {
		if err := x.faultOf(row, facts.IssueBadDate, "time unknown", "date %.40q", row.Time); err != nil {
			return nil, err
		}
	}
	if captureKind(url) == facts.CaptureRobots {
		x.stats.IndexedRobots++
		x.stats.AddRobotsIn(f.Archive)
		if f.Method == "" || f.Method == http.MethodGet {
			return f, x.out.Event(f.Unread())
		}
	}
	return f, nil
}

// rowTime reads the time of a row. That of CDX is UTC.
func rowTime(row *index.Row) (t facts.Time, ok bool) {
	if row.Micros != index.NoTime {
		t = facts.Time{Micros: row.Micros, Precision: facts.PrecisionMicrosecond}
		if row.Micros%1e6 == 0 {
			t.Precision = facts.PrecisionSecond
		}
		return t, true
	}
	if strings.Trim(row.Time, "0123456789") == "" {
		t, _, ok = facts.ParseARCDate(row.Time)
		return t, ok
	}
	t, _, ok = facts.ParseDate(row.Time)
	return t, ok
}

// indexMIME is the media type that a row tells; "" for what indexes write where there is none.
func indexMIME(written string) string {
	switch m := mimeType(written); m {
	case "-", "unk", "warc/revisit", "no-type":
		return ""
	default:
		return cut(m, warc.MaxFieldValue)
	}
}

// isNoFetch reports whether a row is that of a metadata record, which has the URL and date of the
// fetch that it tells of.
func isNoFetch(status int, mime string) bool {
	return status < 0 && (mime == "application/warc-fields" || mime == "text/anvl")
}

// packedID packs a WARC-Record-ID as facts.Fetch has it.
func packedID(id string) string {
	id = strings.TrimSuffix(strings.TrimPrefix(id, "<"), ">")
	if packed, ok := recordid.AppendUUID(nil, []byte(id)); ok {
		return string(packed)
	}
	return cut(id, warc.MaxRecordID)
}

// commonCrawl is the name of the crawl of Common Crawl that an archive is of; "" for all others.
func commonCrawl(archive string) string {
	_, rest, found := strings.Cut(archive, "crawl-data/")
	if !found {
		return ""
	}
	name, _, found := strings.Cut(rest, "/")
	if !found || !strings.HasPrefix(name, "CC-") || len(name) > 32 {
		return ""
	}
	return name
}
