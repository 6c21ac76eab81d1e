// Package rowreading makes facts of the rows of indexes and of lists of URLs: fetches whose records were
// not read; captures of the rows of tables of robots.txt; and events of the lines of crawlers' logs. The
// rules for a record's header are in package reading.
package rowreading

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/cdx"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// RowOptions define how an index is read.
type RowOptions struct {
	Progress func(int)  // receives the bytes of every read; may be nil
	Cores    warc.Cores // that may read parts of it where they are idle; nil: none
	PartRows int64      // rows that are read by one core; 0: as in cdx.FormatOptions

	// Text is the input without its compression; Packed: it had one. nil: it has none, or gzip.
	Text   io.Reader
	Packed bool
}

// Read reads an input that is an index or a list of URLs: at random, by at, or else from its start.
func Read(a *facts.Account, in facts.Input, format cdx.Format, from *input.Source, at io.ReaderAt, size int64,
	opt RowOptions,
) (facts.InputResult, error) {
	result := facts.InputResult{Input: in, Container: format.String()}
	read := gauge{report: opt.Progress, at: from.Fetched()}
	var src io.Reader = from
	if at != nil {
		src = &gaugedText{SectionReader: io.NewSectionReader(failing{at}, 0, size), gauge: &read}
	}
	how, err := facts.AccessLog{}, error(nil)
	if in.AccessLog != "" {
		if how, err = facts.ParseAccessLog(in.AccessLog); err != nil {
			return result, err
		}
	}
	peek := from.Reader
	switch {
	case opt.Packed:
		peek = bufio.NewReaderSize(opt.Text, 64<<10)
		src = peek
	case opt.Text != nil:
		src = opt.Text
	}
	begin, _ := peek.Peek(64 << 10)
	begin = bytes.Clone(begin)
	rows, err := cdx.Open(format, src, size, cdx.FormatOptions{
		Path: in.Path, Columns: in.Columns, PartRows: opt.PartRows, Packed: opt.Packed,
		AccessLog: cdx.AccessLogOptions{Sites: how.Sites, Format: how.Format},
	})
	switch {
	case input.IsReadError(err):
		return result, err
	case from.Failed() != nil:
		return result, from.Failed()
	case err != nil:
		result.Refusal = err.Error()
		if (in.List || in.RobotsList) && len(begin) > 0 {
			what, _ := cdx.Recognise(begin)
			result.Refusal += "; " + what
		}
		err := a.Report(facts.Issue{
			Offset: -1, Length: in.Size, Kind: words.IssueNotAnArchive, Detail: result.Refusal, Action: "not read",
		})
		result.InputStats = a.Stats
		return result, err
	}
	result.Container = rows.Format().String()
	x := indexReader{Account: a, format: rows.Format(), saved: in.MTime / 1000, faults: newFaults()}
	if in.Bodies != "" {
		if x.bodies, err = os.OpenRoot(in.Bodies); err != nil {
			return result, &input.ReadError{Err: fmt.Errorf("the folder of bodies: %w", err)}
		}
		defer x.bodies.Close()
	}
	if in.AccessLog != "" {
		if x.clients, err = newClients(&how); err != nil {
			return result, err
		}
	}
	var ahead func(more int)
	if all := rows.Rows(); all > 0 {
		var n atomic.Int64 // rows read
		ahead = func(more int) { read.reach(int64(float64(size) * float64(n.Add(int64(more))) / float64(all))) }
	}
	if err := x.readParts(rows, in, opt.Cores, ahead); err != nil {
		return result, err
	}
	if err := from.Failed(); err != nil {
		return result, err
	}
	if missing := cdx.Missing(rows); missing != "" {
		if err := a.Report(facts.Issue{
			Offset: -1, Length: -1, Kind: words.IssueBadIndexRow, Action: "rows without it",
			Detail: fmt.Sprintf("no row has the column %s, which --columns names", missing),
		}); err != nil {
			return result, err
		}
	}
	if why := cdx.Nothing(rows); why != "" && a.Stats.Fetches == 0 {
		if what, isKnown := cdx.Recognise(begin); isKnown && !strings.Contains(what, "--access-log") {
			why = "no line counted: " + what
		}
		result.Refusal = why
		if err := a.Report(facts.Issue{
			Offset: -1, Length: -1, Kind: words.IssueBadIndexRow, Detail: why, Action: "no line counted",
		}); err != nil {
			return result, err
		}
	}
	result.InputStats = a.Stats
	result.Fingerprint = fmt.Sprintf("%016x", x.sum.Sum)
	return result, nil
}

// failing marks the failures of a file, which are no fault of what is in it.
type failing struct{ io.ReaderAt }

func (f failing) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.ReaderAt.ReadAt(p, offset)
	if err != nil && err != io.EOF {
		err = &input.ReadError{Err: err}
	}
	return n, err
}

// gauge reports how far a file has been read. What is read twice counts once.
type gauge struct {
	report func(int) // may be nil
	mu     sync.Mutex
	at     int64
}

func (g *gauge) reach(at int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at > g.at && g.report != nil {
		g.report(int(at - g.at))
		g.at = at
	}
}

// gaugedText is a text at random that reports how far it was read.
type gaugedText struct {
	*io.SectionReader
	gauge *gauge
	at    int64 // where Read stands
}

func (r *gaugedText) Read(p []byte) (int, error) {
	n, err := r.SectionReader.Read(p)
	r.at += int64(n)
	r.gauge.reach(r.at)
	return n, err
}

func (r *gaugedText) Seek(offset int64, whence int) (at int64, err error) {
	r.at, err = r.SectionReader.Seek(offset, whence)
	return r.at, err
}

// faults counts faults by their kind: of each, the first MaxFaults are reported one by one.
type faults struct{ told, more map[words.IssueKind]int64 }

func newFaults() faults {
	return faults{make(map[words.IssueKind]int64), make(map[words.IssueKind]int64)}
}

// isOneOfMany counts a fault, and reports whether it is only counted.
func (f *faults) isOneOfMany(kind words.IssueKind) bool {
	if f.told[kind] >= MaxFaults {
		f.more[kind]++
		return true
	}
	f.told[kind]++
	return false
}

// indexReader makes facts of an index. Its parts are read at the same time, where cores are idle.
// Their results are put together in their order, so it depends on the input alone.
type indexReader struct {
	*facts.Account
	format cdx.Format
	bodies *os.Root // with the bodies that rows name by their digests; nil: none
	saved  int64    // as of indexPart
	// of access logs
	clients *clients
	sum     input.Chain
	faults

	mu     sync.Mutex
	failed error
	ended  map[int]*indexPart // that wait for others before them
	joined int                // parts
}

func (x *indexReader) readParts(rows cdx.Reader, in facts.Input, cores warc.Cores, ahead func(rows int)) error {
	w, divides := x.Out.(*facts.Writer)
	// a Writer of a part takes no captures
	if divides = divides && rows.Parts() > 1 && x.format != cdx.RobotsList; !divides || object.IsRemote(in.Path) {
		// requests all over a remote file would be many
		cores = nil
	}
	x.ended = make(map[int]*indexPart)
	var first atomic.Bool
	cores.Share(rows.Parts(), func(next func() (int, bool)) {
		var own cdx.Reader
		for {
			n, ok := next()
			if !ok || x.hasFailed() {
				return
			}
			if own == nil {
				if own = rows; first.Swap(true) {
					own = rows.Another()
				}
			}
			p := x.newPart(x.Out, ahead)
			if divides {
				p.facts = w.Part(x.Input, n)
				p.out = p.facts
			}
			own.Begin(n)
			err := p.read(own)
			if err == nil && divides {
				err = p.facts.Finish()
			}
			x.end(n, p, err)
		}
	})
	if x.failed != nil {
		return x.failed
	}
	return x.tellMore()
}

func (x *indexReader) hasFailed() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.failed != nil
}

// end takes a part that has been read, and joins all that no other comes before.
func (x *indexReader) end(n int, p *indexPart, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended[n] = p
	for p := x.ended[x.joined]; p != nil && err == nil && x.failed == nil; p = x.ended[x.joined] {
		delete(x.ended, x.joined)
		x.joined++
		err = x.join(p)
	}
	if x.failed == nil {
		x.failed = err
	}
}

func (x *indexReader) join(p *indexPart) error {
	x.Stats.Add(&p.stats)
	x.sum.Add(binary.BigEndian.AppendUint64(nil, p.sum.Sum))
	for _, i := range p.issues {
		if i.Kind != words.IssueDamagedStream && x.isOneOfMany(i.Kind) {
			continue
		}
		if err := x.Report(i); err != nil {
			return err
		}
	}
	facts.AddCounts(x.more, p.more)
	if p.facts != nil {
		x.Out.(*facts.Writer).Join(p.facts)
	}
	return nil
}

// tellMore counts the faults that were not reported one by one.
func (x *indexReader) tellMore() error {
	for kind := range words.IssueKind(math.MaxUint8) {
		n := x.more[kind]
		if n == 0 {
			continue
		}
		if err := x.Report(facts.Issue{
			Offset: -1, Length: -1, Kind: kind, Detail: fmt.Sprintf(words.MoreRows, n), Action: "as above",
		}); err != nil {
			return err
		}
		if kind.Lossy() {
			x.Stats.Lossy += n - 1
		}
	}
	return nil
}

// indexPart makes fetches of rows of an index that follow one another.
type indexPart struct {
	input  int32
	format cdx.Format
	bodies *os.Root // as of indexReader
	// of access logs
	clients *clients
	listed  bool
	out     facts.Sink
	facts   *facts.Writer // nil: out is that of the whole input
	ahead   func(rows int)

	stats  facts.InputStats
	sum    input.Chain
	issues []facts.Issue
	faults

	text    []byte      // not summed yet
	made    facts.Fetch // reused
	indexed int64       // rows of fetches, of captures, and of none
	rows    int64
	logged  int64
	none    int64

	saved int64 // when the file was written last, in microseconds since 1970

	urls           weburl.Parser
	host, reversed string // of the row before: rows of a host follow one another
	crawl          string // what began the Archive of some row before, by which AddCommonCrawl knows its crawl
	written, mime  string // of the row before
	revisit        bool   // of the row before
}

func (x *indexReader) newPart(out facts.Sink, ahead func(int)) *indexPart {
	return &indexPart{
		input: x.Input, saved: x.saved, format: x.format, bodies: x.bodies, clients: x.clients,
		listed: x.format == cdx.URLList,
		out:    out, ahead: ahead,
		stats: facts.InputStats{Records: make(map[string]int64)}, faults: newFaults(),
	}
}

// toldRows is how many rows are read between two reports to progress.
const toldRows = 1 << 10

// read reads all rows. Those that cannot be read are issues.
func (p *indexPart) read(rows cdx.Reader) error {
	defer p.finish()
	var row cdx.Row
	for n := 1; ; n++ {
		if n%toldRows == 0 && p.ahead != nil {
			p.ahead(toldRows)
		}
		err := rows.Next(&row)
		if err == nil {
			if err := p.add(&row); err != nil {
				return err
			}
			continue
		}
		var fault *cdx.Fault
		switch {
		case err == io.EOF:
			return nil
		case input.IsReadError(err):
			return err
		case errors.As(err, &fault) && fault.NoLoss:
			p.fault(words.IssueBadLogLine, fault.Offset, fault.Error(), "line skipped")
		case errors.As(err, &fault) && !fault.Rest:
			p.fault(words.IssueBadIndexRow, fault.Offset, fault.Error(), "row skipped")
		default:
			offset := int64(-1)
			if fault != nil {
				offset = fault.Offset
			}
			p.issues = append(p.issues,
				facts.Issue{
					Offset: offset, Length: -1, Kind: words.IssueDamagedStream, Detail: err.Error(),
					Action: "the rest not read",
				})
			return nil
		}
	}
}

func (p *indexPart) finish() {
	p.sumText()
	for kind, n := range map[string]int64{
		facts.TypeIndexed.String(): p.indexed, facts.TypeRow.String(): p.rows,
		facts.TypeAccessLog.String(): p.logged, "none": p.none,
	} {
		if n > 0 {
			p.stats.Records[kind] = n
		}
	}
	p.stats.Fetches, p.stats.Indexed = p.indexed+p.logged, p.indexed
}

// fault notes what is wrong with a row, of the first rows of a kind.
func (p *indexPart) fault(kind words.IssueKind, offset int64, detail, action string) {
	if p.isOneOfMany(kind) {
		return
	}
	p.issues = append(p.issues,
		facts.Issue{Offset: offset, Length: -1, Kind: kind, Detail: facts.AtMost(detail, MaxFault), Action: action})
}

func (p *indexPart) faultOf(row *cdx.Row, kind words.IssueKind, action, format string, args ...any) {
	p.fault(kind, row.At, fmt.Sprintf("row %d: ", row.Line)+fmt.Sprintf(format, args...), action)
}

func (p *indexPart) add(row *cdx.Row) error {
	p.sumRow(row)
	switch p.format {
	case cdx.RobotsList:
		return p.addRobots(row)
	case cdx.AccessLog:
		return p.addLogged(row)
	}
	f, err := p.fetch(row)
	if err != nil {
		return err
	}
	if f == nil {
		p.none++
		return nil
	}
	p.indexed++
	if p.crawl == "" || !strings.HasPrefix(f.Archive, p.crawl) {
		name := commonCrawl(f.Archive)
		p.stats.AddCommonCrawl(name)
		if begin := crawlData + name + "/"; name != "" && strings.HasPrefix(f.Archive, begin) {
			p.crawl = begin
		}
	}
	return p.out.Fetch(f)
}

// sumRow makes a row part of the fingerprint.
func (p *indexPart) sumRow(row *cdx.Row) {
	b := binary.AppendVarint(p.text, row.Line)
	b = append(append(b, row.URL...), ' ')
	b = append(append(b, row.Time...), ' ')
	b = append(append(b, row.Filename...), ' ')
	b = binary.AppendVarint(b, row.Micros)
	b = binary.AppendVarint(b, row.Offset)
	if p.format == cdx.RobotsList {
		for _, s := range [...]string{row.Host, row.Digest, row.Headers, row.Body} {
			b = append(binary.AppendVarint(b, int64(len(s))), s...)
		}
		b = binary.AppendVarint(b, int64(row.Status))
	}
	p.text = b
	if len(p.text) > 8<<10 {
		p.sumText()
	}
}

func (p *indexPart) sumText() {
	p.sum.Add(p.text)
	p.text = p.text[:0]
}

// fetch returns the fetch that a row describes; nil if it describes none. The rules are the
// rules of extractFetch.
func (p *indexPart) fetch(row *cdx.Row) (*facts.Fetch, error) {
	if row.IsNoFetch(p.format) {
		return nil, nil
	}
	target := facts.AtMost(row.URL, warc.MaxURL)
	url, problem := p.urls.Parse(target)
	supported := weburl.IsFetchScheme(url.Scheme)
	if row.MIME != p.written {
		p.written = row.MIME
		p.mime, p.revisit = indexMIME(p.written), httpmsg.MediaType(p.written) == mimeRevisit
	}
	mime, detected := p.mime, p.mime
	if row.Detected != row.MIME {
		detected = indexMIME(row.Detected)
	}
	switch {
	case url.Scheme == "":
		p.faultOf(row, words.IssueNoTargetURI, "row skipped", "%s in %.200q", problem, target)
		return nil, nil
	case url.Host == "" && supported:
		p.faultOf(row, words.IssueNoTargetURI, "row skipped", "no host in %.200q", target)
		return nil, nil
	case url.Host == "", !supported && row.Status < 0:
		return nil, nil
	case p.listed && !cdx.IsHost(url.Host):
		p.faultOf(row, words.IssueNoTargetURI, "row skipped", "%.100q can be the name of no host", url.Host)
		return nil, nil
	}
	if problem != 0 {
		p.faultOf(row, words.IssueBadURL, "kept as recorded", "%s in %.200q", problem, target)
	}
	f := &p.made
	*f = p.rowOf(row, facts.TypeIndexed, facts.TrustIndexed)
	p.locate(f, target, &url)
	f.RecordID = recordid.ID(facts.AtMost(string(row.RecordID), warc.MaxRecordID))
	f.Method, f.Location = facts.AtMost(row.Method, MaxWord), facts.AtMost(row.Redirect, warc.MaxURL)
	f.MIMEType, f.DetectedType, f.Languages = mime, detected, httpmsg.LanguageList(row.Language)
	f.PayloadDigest = facts.AtMost(row.Digest, warc.MaxFieldValue)
	if f.Status < 0 && !p.revisit && !p.listed {
		f.Flags |= facts.FlagMayBeNoFetch
	}
	if row.Offset >= 0 && row.Filename != "" {
		f.Archive, f.Offset, f.Length = facts.AtMost(row.Filename, warc.MaxURL), row.Offset, max(row.Length, -1)
	}
	if p.listed {
		f.Trust = facts.TrustListed
		if row.ListID != "" {
			p.stats.ListIDs++
			f.AddListIDs(strings.ReplaceAll(row.ListID, "\x00", "\uFFFD"))
		}
		if row.Agent != "" {
			f.UserAgent, f.UserAgentSource = facts.AtMost(row.Agent, MaxAgent), facts.SourceList
		}
	}
	if !supported {
		f.Flags |= facts.FlagUnsupportedScheme
	}
	if len(row.URL) > warc.MaxURL {
		f.Flags |= facts.FlagURLCut
		p.faultOf(row, words.IssueURLTooLong, "URL cut", "more than %d bytes", warc.MaxURL)
	}
	if len(row.ListID) > MaxListID {
		f.ListIDs = ""
		p.faultOf(row, words.IssueValueCut, "row without id", "an id of more than %d bytes", MaxListID)
	}
	if len(row.RecordID) > warc.MaxRecordID || len(row.Filename) > warc.MaxURL || len(row.Method) > MaxWord ||
		len(row.Redirect) > warc.MaxURL ||
		len(mime) == warc.MaxFieldValue || len(row.Digest) > warc.MaxFieldValue || p.listed &&
		len(row.Agent) > MaxAgent {
		p.faultOf(row, words.IssueValueCut, "the rest dropped", "a value that is too long")
	}
	p.date(f, row)
	if facts.KindOf(url) == facts.CaptureRobots {
		p.stats.IndexedRobots++
		p.stats.AddRobotsIn(f.Archive)
		switch {
		case f.Method == "" || f.Method == http.MethodGet:
			return f, p.out.Event(f.Unread())
		case f.Archive != "":
			return f, p.out.Event(f.NoCapture())
		}
	}
	return f, nil
}

// rowOf is what a fetch has of a row of any format: its place is that of the row itself.
func (p *indexPart) rowOf(row *cdx.Row, kind facts.RecordType, trust facts.Trust) facts.Fetch {
	f := facts.Fetch{
		Input: p.input, Offset: row.At, Index: row.Line, Length: -1, Type: kind, Trust: trust, Status: -1, Millis: -1,
	}
	if row.At < 0 {
		f.Offset = row.Line
	}
	if row.Status > 0 && row.Status <= math.MaxInt16 {
		f.Status = int16(row.Status)
	}
	return f
}

// locate gives a fetch its URL.
func (p *indexPart) locate(f *facts.Fetch, target string, url *weburl.URL) {
	if url.Host != p.host {
		p.host, p.reversed = url.Host, url.HostReversed()
	}
	f.HostReversed, f.Origin, f.URL = p.reversed, url.Origin(), target
}

// date gives a fetch the time of its row.
func (p *indexPart) date(f *facts.Fetch, row *cdx.Row) {
	t, zoned, ok := rowTime(row)
	f.Micros, f.Precision = t.Micros, t.Precision
	if !zoned && ok {
		if f.Trust == facts.TrustLogged {
			f.Flags |= facts.FlagNoZone
		}
		p.faultOf(row, words.IssueDateWithoutZone, "taken as UTC", "date %.40q",
			cmp.Or(row.Time, t.UTC().Format("2006-01-02T15:04:05.999999")))
	}
	switch {
	case !ok:
		p.faultOf(row, words.IssueBadIndexRow, "time unknown", "its time %.40q cannot be read; write it as "+
			"2024-05-31T12:00:00Z", row.Time)
	case t.Micros < firstCrawl || p.saved > firstCrawl && t.Micros > p.saved+day:
		p.faultOf(row, words.IssueBadDate, "kept as recorded", "%s is before 1990, or later than the file itself",
			t.UTC().Format(time.RFC3339))
	}
}

const (
	firstCrawl = 631152000e6 // 1990, before which nothing was crawled, in microseconds since 1970
	day        = 24 * 60 * 60 * 1e6
)

// rowTime reads the time of a row. That of CDX is UTC; zoned is false where another has no zone.
func rowTime(row *cdx.Row) (t facts.Time, zoned, ok bool) {
	if row.Micros != cdx.NoTime {
		t = facts.Time{Micros: row.Micros, Precision: facts.PrecisionMicrosecond}
		if row.Micros%1e6 == 0 {
			t.Precision = facts.PrecisionSecond
		}
		return t, !row.NoZone, true
	}
	if strings.Trim(row.Time, "0123456789") == "" {
		t, _, ok = facts.ParseARCDate(row.Time)
		return t, true, ok
	}
	date := row.Time
	if len(date) > 9 && date[4] == '/' && date[7] == '/' { // as in 2024/05/31: the year first shows the order
		date = date[:4] + "-" + date[5:7] + "-" + date[8:]
	}
	return facts.ParseDate(date)
}

// mimeRevisit is what indexes write as the media type of a revisit.
const mimeRevisit = "warc/revisit"

// indexMIME is the media type in a row; "" for what indexes write where there is none.
func indexMIME(written string) string {
	switch m := httpmsg.MediaType(written); m {
	case "-", "unk", mimeRevisit, "no-type":
		return ""
	default:
		return facts.AtMost(m, warc.MaxFieldValue)
	}
}

// crawlData is where Common Crawl's archives lie.
const crawlData = "crawl-data/"

// commonCrawl is the name of the crawl of Common Crawl that an archive is of; "" for all others.
func commonCrawl(archive string) string {
	_, rest, found := strings.Cut(archive, crawlData)
	if !found {
		return ""
	}
	name, _, found := strings.Cut(rest, "/")
	if !found || !strings.HasPrefix(name, "CC-") || len(name) > 32 {
		return ""
	}
	return name
}
