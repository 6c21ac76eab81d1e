// Package wat reads the records of WAT files: each describes a record of another archive, as JSON.
// A WAT is a WARC file of metadata records that webarchive-commons, or Common Crawl's fork of it,
// has made: one for each record of an archive, with its header, its HTTP head, and the metas and
// links of its page.
//
// From the JSON it restores a record header and an HTTP head in the form of WARC and HTTP. The
// readers of these formats then read them.
//
// The JSON is read as a stream, with a scanner of the project's own: most of it is links, which no
// library skips without holding or decoding them, and values and depth have no bound.
package wat

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/tag/markup"
)

// Limits on the memory that one record can take. A value that meets one is cut, and the record
// reports it.
const (
	bufferSize = 32 << 10
	maxName    = 4 << 10   // bytes of the name of a member
	maxValue   = 128 << 10 // bytes of one value
	MaxFields  = 1 << 20   // bytes of the fields of one header
	maxRemarks = 8
)

// Limits are those that shape what is read, by name.
var Limits = map[string]int64{"maxName": maxName, "maxValue": maxValue, "MaxFields": MaxFields}

// ErrOther is the error of JSON that is no WAT record.
var ErrOther = errors.New("no WAT record")

// Payload is the kind of content found in a record.
type Payload uint8

// The payloads that matter.
const (
	PayloadOther Payload = iota
	PayloadResponse
	PayloadRequest
	PayloadFields // of a warcinfo or metadata record
)

// Record is the description of a record in a WAT.
type Record struct {
	Archive        string // base name of the file that holds it; "": not said
	Offset, Length int64  // of its member there, or of the record itself; -1: not said
	ARC            bool   // it is a record of an ARC file
	Header         []byte // of the record, as WARC has it; an ARC record's in the same words
	HeaderCut      bool   // a value of the header may not be whole: makers stop at the first byte outside ASCII

	Payload      Payload
	Head         []byte // HTTP head; or the fields of a warcinfo or metadata record
	Incomplete   bool   // the head may lack fields
	Untold       int    // bytes by which the HTTP head of a response is longer in its archive
	EntityLength int64  // bytes of the HTTP body; -1: not said
	HTML         bool   // the body was read as HTML
	Found        tag.Found

	Remarks []string // deviations from the form
}

// Reader reads one record after the other in the same memory.
type Reader struct {
	s      scanner
	record Record
	seen   []string // the sections that came already

	fields                                []byte // of the HTTP head
	version, status, reason, method, path string
	name, content, kind                   []byte // of an element
	headerLength                          int64  // of the record's header in its archive; -1: not said
	headLength                            int64  // of its HTTP head there; -1: not said
	// bytes of the shortest field of it that may have been there more than once
	repeatable int
}

// Read reads the JSON of a record. The result is valid until the next call.
//
// The error is ErrOther where the JSON is no WAT's, a *Fault where it cannot be read, or that of
// the block.
func (r *Reader) Read(block io.Reader) (*Record, error) {
	r.s.reset(block)
	r.seen, r.fields = r.seen[:0], r.fields[:0]
	r.version, r.status, r.reason, r.method, r.path = "", "", "", "", ""
	r.headerLength, r.headLength, r.repeatable = -1, -1, 0
	r.record = Record{
		Offset: -1, Length: -1, EntityLength: -1, Header: r.record.Header[:0], Head: r.record.Head[:0],
		Found: tag.Found{Items: r.record.Found.Items[:0]}, Remarks: r.record.Remarks[:0],
	}
	if r.s.peek() != '{' {
		return nil, r.other()
	}
	first := true
	r.s.object(func(name []byte) {
		switch string(name) {
		case "Container":
			r.section("Container", r.container)
		case "Envelope":
			r.section("Envelope", r.envelope)
		default:
			if first {
				r.s.err = ErrOther
			}
		}
		first = false
	})
	if first {
		return nil, r.other()
	}
	if r.s.err == nil && !r.s.end() {
		r.remark("something stands behind the JSON")
	}
	if r.s.err != nil {
		return nil, r.s.err
	}
	r.finish()
	return &r.record, nil
}

// other is the error of JSON that is no WAT's from its first byte on.
func (r *Reader) other() error {
	if _, is := r.s.err.(*Fault); is || r.s.err == nil {
		return ErrOther
	}
	return r.s.err
}

func (r *Reader) remark(text string) {
	if len(r.record.Remarks) < maxRemarks {
		r.record.Remarks = append(r.record.Remarks, text)
	}
}

// expect remarks a member of another type than it should be.
func (r *Reader) expect(ok bool, name string) {
	if !ok && r.s.err == nil {
		r.remark(name + " is of another type than it should be")
	}
}

// section reads an object that a record has once. Of two the first counts.
func (r *Reader) section(name string, f func(name []byte)) {
	if r.isAgain(name) {
		return
	}
	r.expect(r.s.object(f), name)
}

// list does the same with an array.
func (r *Reader) list(name string, f func()) {
	if r.isAgain(name) {
		return
	}
	r.expect(r.s.array(f), name)
}

func (r *Reader) isAgain(name string) bool {
	if slices.Contains(r.seen, name) {
		r.remark(name + " twice; the first counts")
		return true
	}
	r.seen = append(r.seen, name)
	return false
}

func (r *Reader) container(name []byte) {
	switch string(name) {
	case "Filename":
		if text, ok := r.text("Filename"); ok {
			r.record.Archive = text[strings.LastIndexByte(text, '/')+1:]
		}
	case "Offset":
		r.record.Offset = r.number("Offset")
	case "Gzip-Metadata":
		r.section("Gzip-Metadata", func(name []byte) {
			if string(name) == "Deflate-Length" {
				r.record.Length = r.number("Deflate-Length")
			}
		})
	}
}

func (r *Reader) envelope(name []byte) {
	switch string(name) {
	case "WARC-Header-Metadata":
		r.section("WARC-Header-Metadata", r.headerField)
	case "WARC-Header-Length":
		r.headerLength = r.number("WARC-Header-Length")
	case "ARC-Header-Metadata":
		r.record.ARC = true
		r.section("ARC-Header-Metadata", r.arcField)
	case "Payload-Metadata":
		r.section("Payload-Metadata", r.payload)
	}
}

func (r *Reader) headerField(name []byte) {
	before := len(r.record.Header)
	repeatable := string(name) == "WARC-Concurrent-To" || string(name) == "WARC-Protocol"
	if isList := r.field(&r.record.Header, name); repeatable && !isList {
		line := len(r.record.Header) - before
		r.repeatable = min(line, cmp.Or(r.repeatable, line))
	}
}

// versionAndEnd is the most that a header has in bytes besides its fields.
const versionAndEnd = len("WARC/0.17\r\n\r\n")

// isCut reports whether the header is longer in its archive than in the WAT, or holds the
// replacement for bytes that are no UTF-8. Makers that keep only the last of repeated fields leave
// out fields that may be repeated.
func (r *Reader) isCut() bool {
	missing := int(r.headerLength) - versionAndEnd - len(r.record.Header)
	switch {
	case bytes.Contains(r.record.Header, []byte("\uFFFD")):
		return true
	case r.record.ARC || missing <= 0:
		return false
	case r.repeatable == 0:
		return true
	}
	return missing < r.repeatable-maxProtocol
}

// maxProtocol is by how much the lines of two values of WARC-Protocol differ: "h2" and "tls/1.3".
const maxProtocol = 8

// arcField reads a field of an ARC record's header as one of WARC.
func (r *Reader) arcField(name []byte) {
	switch string(name) {
	case "Target-URI":
		name = []byte("WARC-Target-URI")
	case "Date":
		name = []byte("WARC-Date")
	case "Content-Type":
	default:
		return
	}
	r.field(&r.record.Header, name)
}

func (r *Reader) payload(name []byte) {
	switch string(name) {
	case "HTTP-Response-Metadata":
		r.record.Payload = PayloadResponse
		r.section("HTTP-Response-Metadata", r.message)
	case "HTTP-Request-Metadata":
		r.record.Payload = PayloadRequest
		r.section("HTTP-Request-Metadata", r.message)
	case "WARC-Info-Metadata":
		r.record.Payload = PayloadFields
		r.section("WARC-Info-Metadata", func(name []byte) { r.field(&r.record.Head, name) })
	case "WARC-Metadata-Metadata", "Filedesc-Metadata":
		r.record.Payload = PayloadFields
		r.section(string(name), func(name []byte) {
			if string(name) == "Metadata-Records" || string(name) == "Data" {
				r.list(string(name), r.pair)
			}
		})
	}
}

// pair reads {"Name": …, "Value": …} as a field. Names of ARC's have a prefix: "arc:operator".
func (r *Reader) pair() {
	var name, value string
	r.expect(r.s.object(func(member []byte) {
		switch string(member) {
		case "Name":
			name, _ = r.text("Name")
		case "Value":
			value, _ = r.text("Value")
		}
	}), "a field")
	name = name[strings.LastIndexByte(name, ':')+1:]
	r.addField(&r.record.Head, []byte(name), []byte(value))
}

func (r *Reader) message(name []byte) {
	switch string(name) {
	case "Headers":
		r.section("Headers", func(name []byte) { r.field(&r.fields, name) })
	case "Headers-Length":
		r.headLength = r.number("Headers-Length")
	case "Headers-Corrupt":
		_, ok := r.s.scalar(maxName)
		r.record.Incomplete = r.record.Incomplete || ok && string(r.s.text) == "true"
	case "Response-Message", "Request-Message":
		r.section(string(name), r.startLine)
	case "Entity-Length":
		r.record.EntityLength = r.number("Entity-Length")
	case "HTML-Metadata":
		r.record.HTML = true
		r.section("HTML-Metadata", func(name []byte) {
			if string(name) == "Head" {
				r.section("Head", r.htmlHead)
			}
		})
	}
}

func (r *Reader) startLine(name []byte) {
	var to *string
	switch string(name) {
	case "Version":
		to = &r.version
	case "Status":
		to = &r.status
	case "Reason":
		to = &r.reason
	case "Method":
		to = &r.method
	case "Path":
		to = &r.path
	default:
		return
	}
	if text, ok := r.text("the start line"); ok && *to == "" {
		*to = text
	}
}

func (r *Reader) htmlHead(name []byte) {
	switch string(name) {
	case "Metas":
		r.list("Metas", func() { r.element(false) })
	case "Link":
		r.list("Link", func() { r.element(true) })
	}
}

func (r *Reader) element(link bool) {
	r.name, r.content, r.kind = r.name[:0], r.content[:0], r.kind[:0]
	r.expect(r.s.object(func(name []byte) {
		var to *[]byte
		switch n := string(name); {
		case !link && n == "name", link && n == "rel":
			to = &r.name
		case !link && n == "content", link && n == "url":
			to = &r.content
		case link && n == "type":
			to = &r.kind
		default:
			return
		}
		_, ok := r.s.scalar(maxValue)
		if r.expect(ok, "a meta or link"); ok {
			*to = append((*to)[:0], r.s.text...)
		}
	}), "a meta or link")
	markup.Keep(&r.record.Found, link, r.name, r.content, r.kind)
}

func (r *Reader) text(what string) (text string, ok bool) {
	cut, ok := r.s.scalar(maxValue)
	r.expect(ok, what)
	if cut {
		r.remark(what + " is cut")
	}
	return string(r.s.text), ok
}

// number reads a number that is at least 0, or -1. Writers make strings of them.
func (r *Reader) number(what string) int64 {
	text, ok := r.text(what)
	n, err := strconv.ParseInt(text, 10, 64)
	if !ok {
		return -1
	}
	if err != nil || n < 0 {
		r.remark(what + " is no number of bytes")
		return -1
	}
	return n
}

// field reads the value of a field, or a list of several, and appends its lines to a header.
func (r *Reader) field(to *[]byte, name []byte) (isList bool) {
	r.name = append(r.name[:0], name...)
	if isList = r.s.peek() == '['; isList {
		r.s.array(func() { r.fieldValue(to, r.name) })
	} else {
		r.fieldValue(to, r.name)
	}
	return isList
}

func (r *Reader) fieldValue(to *[]byte, name []byte) {
	cut, ok := r.s.scalar(maxValue)
	if !ok {
		r.expect(ok, "a field")
		return
	}
	if cut {
		r.remark("a field is cut")
	}
	r.addField(to, name, r.s.text)
}

// addField appends a line to a header. A name that holds a colon or a line end, and a value that
// holds a line end, would be other fields there.
func (r *Reader) addField(to *[]byte, name, value []byte) {
	switch {
	case len(name) == 0:
		return
	case bytes.ContainsAny(name, ":\r\n"):
		r.remark("a field whose name is none")
		return
	case len(*to)+len(name)+len(value)+4 > MaxFields:
		if !r.record.Incomplete {
			r.remark("fields over " + strconv.Itoa(MaxFields) + " bytes")
		}
		r.record.Incomplete = true
		return
	}
	*to = append(append(*to, name...), ": "...)
	*to = append(appendLine(*to, value), "\r\n"...)
}

// appendLine appends text in which line ends, which would begin another line, are spaces.
func appendLine(to, text []byte) []byte {
	start := len(to)
	to = append(to, text...)
	line := to[start:]
	for i, c := range line {
		if c == '\n' || c == '\r' && (i+1 == len(line) || line[i+1] == '\n') {
			line[i] = ' '
		}
	}
	return to
}

// finish makes the HTTP head of its parts.
func (r *Reader) finish() {
	rec := &r.record
	rec.HeaderCut = r.isCut()
	if r.status == "0" { // what makers write where they read none
		r.status = ""
	}
	var line []string
	switch rec.Payload {
	case PayloadResponse:
		if r.status == "" && r.version == "" {
			return
		}
		line = []string{r.version, r.status, r.reason}
	case PayloadRequest:
		line = []string{r.method, r.path, r.version}
	default:
		return
	}
	rec.Head = append(appendLine(rec.Head, []byte(strings.Join(line, " "))), "\r\n"...)
	rec.Head = append(append(rec.Head, r.fields...), "\r\n"...)
	if rec.Payload == PayloadResponse {
		rec.Untold = max(int(r.headLength)-len(rec.Head), 0)
	}
}
