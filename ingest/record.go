package ingest

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/arena"
	"github.com/robotsaudit/robotsaudit/internal/digest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// recordHeader is the header of one WARC record: the fields that anybody asks for.
type recordHeader struct {
	version       string // "WARC/1.0"
	kind          string // WARC-Type, lower case
	id            string // WARC-Record-ID without angle brackets, packed
	date          string
	target        string
	contentType   string
	contentLength int64 // octets of the block; -1 where missing or wrong
	warcinfoID    string
	payloadDigest string
	blockDigest   string
	profile       string
	refersTo      string // packed id
	refersToURI   string
	refersToDate  string
	truncated     string
	concurrentTo  []string // packed ids
	segmentNumber int64    // 0 where the record is not segmented
	segmentOrigin string   // packed id of the first segment
	segmentTotal  int64    // octets of all segments, in the last one; -1 elsewhere
	repeated      []string // fields that contradict an earlier one of their name

	texts   *arena.Strings // where its strings lie; nil: each by itself
	passing *arena.Strings // where those lie that no row keeps
}

// noHeader is what stands before the first header of an archive.
func noHeader() recordHeader {
	return recordHeader{texts: new(arena.Strings), passing: new(arena.Strings)}
}

// record is one record as a container hands it to the committer. The block is
// read lazily; what nobody reads of it the container skips, and verifies.
type record struct {
	recordHeader
	offset    int64 // of the record: see Fetch.Offset
	streamed  bool  // offset counts octets of the decompressed stream
	trust     facts.Trust
	forgeable bool  // it stands behind damage, and a page could hold it
	mismatch  bool  // the block does not match its digest: known when finish has returned
	joint     joint // of its header
	overrun   bool  // octets stand behind it that begin no record: likewise
	short     int64 // octets that its members hold too few: known when the block has been read to its end
	block     io.Reader
}

// joint says whether a header that no checksum covers is made of parts of two: what
// lay between them in the file is missing.
type joint uint8

const (
	jointNone     joint = iota
	jointPossible       // a field that a record has once contradicts itself
	jointCertain        // two of those that tell records apart do, or a version line or a NUL stands among the fields
)

// jointOf looks for one in a header.
func jointOf(header []byte, h *recordHeader) joint {
	identities, once := 0, 0
	for _, name := range h.repeated {
		switch strings.ToLower(name) {
		case "warc-record-id", "warc-date", "warc-target-uri":
			identities++
		case "warc-type", "content-length", "warc-block-digest":
			once++
		}
	}
	switch {
	case identities > 1, bytes.Contains(header, []byte("\n"+warcMagic)), bytes.IndexByte(header, 0) >= 0:
		return jointCertain
	case identities+once > 0:
		return jointPossible
	}
	return jointNone
}

// warcMagic begins every WARC record, in any case (WARC 1.1 §4 defines it in
// ABNF, whose strings have none).
const warcMagic = "WARC/"

func isWARC(b []byte) bool {
	return len(b) >= len(warcMagic) && strings.EqualFold(string(b[:len(warcMagic)]), warcMagic)
}

// parseRecordHeader reads a header block: the version line and the fields up to
// the empty line (WARC 1.1 §4). Lines end in CRLF or LF, names have any case, a
// line that begins with white space continues the one before it. Octets that fit
// no field are skipped: the record is judged by the fields that it needs.
//
// The records of a fetch have many values in common. Those that are as in the
// header before, which may be nil, are not copied again; others go to its texts.
func parseRecordHeader(block []byte, before *recordHeader) recordHeader {
	if before == nil {
		before = new(recordHeader)
	}
	h := recordHeader{contentLength: -1, segmentTotal: -1, texts: before.texts, passing: before.passing}
	version, rest := cutLine(block)
	h.version = h.texts.Or(before.version, version)
	f := fields{rest: rest}
	for f.next() {
		h.set(f.name, f.value, before)
	}
	return h
}

// unfold joins to a line those that begin with white space, and so continue it
// (RFC 9112 §5.2, WARC 1.1 §4). Only then is the line a copy.
func unfold(line, rest []byte) (joined, behind []byte) {
	folded := false
	for len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t') {
		if !folded {
			line, folded = bytes.Clone(line), true
		}
		var more []byte
		more, rest = cutLine(rest)
		line = append(append(line, ' '), bytes.TrimSpace(more)...)
	}
	return line, rest
}

// set stores a field. Of a field that must not be repeated the first counts, so
// that a value appended by an attacker or a broken tool never replaces another.
func (h *recordHeader) set(name, value []byte, before *recordHeader) {
	contradicts := false
	switch {
	case isField(name, "warc-type"):
		contradicts = first(&h.kind, recordKind(value))
	case isField(name, "warc-record-id"):
		contradicts = first(&h.id, recordID(value, before))
	case isField(name, "warc-date"):
		contradicts = first(&h.date, h.passing.Or(before.date, value))
	case isField(name, "warc-target-uri"):
		contradicts = first(&h.target, h.texts.Or(before.target, cutOctets(trimBrackets(value), maxURL+1))) // one more tells that it was cut
	case isField(name, "content-type"):
		contradicts = first(&h.contentType, contentType(value, before))
	case isField(name, "content-length"):
		length := parseLength(value)
		contradicts = h.contentLength >= 0 && length != h.contentLength
		if h.contentLength < 0 {
			h.contentLength = length
		}
	case isField(name, "warc-warcinfo-id"):
		contradicts = first(&h.warcinfoID, recordID(value, before))
	case isField(name, "warc-payload-digest"):
		contradicts = first(&h.payloadDigest, h.texts.Or(before.payloadDigest, value))
	case isField(name, "warc-block-digest"):
		contradicts = first(&h.blockDigest, h.passing.Of(value))
	case isField(name, "warc-profile"):
		contradicts = first(&h.profile, h.texts.Or(before.profile, trimBrackets(value)))
	case isField(name, "warc-refers-to"):
		contradicts = first(&h.refersTo, recordID(value, before))
	case isField(name, "warc-refers-to-target-uri"):
		contradicts = first(&h.refersToURI, h.texts.Or(h.target, trimBrackets(value)))
	case isField(name, "warc-refers-to-date"):
		contradicts = first(&h.refersToDate, h.passing.Of(value))
	case isField(name, "warc-truncated"):
		contradicts = first(&h.truncated, h.texts.Of(value))
	case isField(name, "warc-segment-number"):
		if h.segmentNumber == 0 {
			h.segmentNumber = max(parseLength(value), 0)
		}
	case isField(name, "warc-segment-origin-id"):
		contradicts = first(&h.segmentOrigin, recordID(value, before))
	case isField(name, "warc-segment-total-length"):
		if h.segmentTotal < 0 {
			h.segmentTotal = parseLength(value)
		}
	case isField(name, "warc-concurrent-to"):
		if len(h.concurrentTo) <= maxConcurrent { // one more tells that there are
			h.concurrentTo = h.passing.Append(h.concurrentTo, recordID(value, before))
		}
	}
	if contradicts && len(h.repeated) < maxRepeated {
		h.repeated = append(h.repeated, string(name))
	}
}

// recordID reads an id. One that is absurdly long is cut: ids wait in memory for
// the records that name them.
func recordID(value []byte, before *recordHeader) string {
	value = cutOctets(trimBrackets(value), maxRecordID)
	var buf [recordid.PackedSize]byte
	packed, ok := recordid.AppendUUID(buf[:0], value)
	if !ok {
		packed = value
	}
	if string(packed) == before.warcinfoID {
		return before.warcinfoID
	}
	return before.texts.Or(before.id, packed)
}

// blockDigestOf returns the digest that a record's block has to match; none where it
// is missing, not readable, or, of a revisit, that of nothing.
func blockDigestOf(h *recordHeader) digest.Digest {
	d, _ := digest.Parse(h.blockDigest)
	if h.kind == "revisit" && d.Known() && d.IsEmpty() {
		return digest.Digest{}
	}
	return d
}

// recordKinds are those of WARC 1.1 §6, the most frequent ones first.
var recordKinds = [...]string{"response", "request", "metadata", "revisit", "resource", "warcinfo", "conversion", "continuation"}

// nearest returns the known word that an unknown one differs from by so many letters at
// most, changed, left out or put in.
func nearest(unknown string, letters int, known ...string) (word string, ok bool) {
	for _, word := range known {
		if withinEdits(unknown, word, letters) {
			return word, true
		}
	}
	return "", false
}

// withinEdits reports whether n changed, missing or additional bytes make b of a.
func withinEdits(a, b string, n int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	switch {
	case len(a) == 0, len(b) == 0:
		return len(a)+len(b) <= n
	case n == 0:
		return false
	}
	return withinEdits(a[1:], b[1:], n-1) || withinEdits(a[1:], b, n-1) || withinEdits(a, b[1:], n-1)
}

// recordKind reads a WARC-Type.
func recordKind(value []byte) string {
	for _, kind := range recordKinds {
		if string(value) == kind {
			return kind
		}
	}
	return strings.ToLower(string(value))
}

// contentType reads a Content-Type.
func contentType(value []byte, before *recordHeader) string {
	for _, usual := range [...]string{"application/http; msgtype=response", "application/http; msgtype=request", "application/warc-fields"} {
		if string(value) == usual {
			return usual
		}
	}
	return before.texts.Or(before.contentType, value)
}

func cutOctets(b []byte, n int) []byte { return b[:min(len(b), n)] }

// first stores a value where none is stored yet, and reports whether it
// contradicts the one that is.
func first(dst *string, value string) (contradicts bool) {
	if *dst == "" {
		*dst = value
	}
	return value != "" && value != *dst
}

// parseLength reads a Content-Length, -1 where it is no decimal number that a
// file could hold.
func parseLength(value []byte) int64 {
	n, err := strconv.ParseUint(string(value), 10, 63)
	if err != nil {
		return -1
	}
	return int64(n)
}

// trimBrackets drops the angle brackets that WARC 1.0 puts around URIs, and
// that some writers put around those of WARC-Target-URI.
func trimBrackets(value []byte) []byte {
	value = bytes.TrimSpace(value)
	if len(value) >= 2 && value[0] == '<' && value[len(value)-1] == '>' {
		value = value[1 : len(value)-1]
	}
	return value
}

// cutLine cuts a line off b, without its CRLF, LF or CR CR LF.
func cutLine(b []byte) (line, rest []byte) {
	line = b
	if n := bytes.IndexByte(b, '\n'); n >= 0 {
		line, rest = b[:n], b[n+1:]
	}
	for range 2 {
		if n := len(line) - 1; n >= 0 && line[n] == '\r' {
			line = line[:n]
		}
	}
	return line, rest
}

func lowerASCII(dst, src []byte) []byte {
	dst = append(dst, src...)
	for i, c := range dst[len(dst)-len(src):] {
		if 'A' <= c && c <= 'Z' {
			dst[len(dst)-len(src)+i] = c + 'a' - 'A'
		}
	}
	return dst
}
