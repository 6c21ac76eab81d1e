package warc

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/digest"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// Header is the header of one WARC record: the fields that anybody uses.
type Header struct {
	Version       string      // "WARC/1.0"
	Type          string      // WARC-Type, lower case
	ID            recordid.ID // WARC-Record-ID without angle brackets, packed
	Date          string
	Target        string
	ContentType   string
	ContentLength int64       // bytes of the block; -1 where missing or wrong
	WarcinfoID    recordid.ID // recordid.Key
	PayloadDigest string
	BlockDigest   string
	Profile       string
	RefersTo      recordid.ID // packed id
	RefersToURI   string
	RefersToDate  string
	Truncated     string
	PayloadType   string        // WARC-Identified-Payload-Type
	Languages     string        // WARC-Identified-Content-Language
	Filename      string        // WARC-Filename
	ConcurrentTo  []recordid.ID // recordid.Key of each
	SegmentNumber int64         // 0 where the record is not segmented
	SegmentOrigin recordid.ID   // packed id of the first segment
	SegmentTotal  int64         // bytes of all segments, in the last one; -1 elsewhere
	Repeated      []string      // fields that contradict an earlier one of their name
	Stray         bool          // a line is no field
}

// Record is one record as a Reader yields it. The block is read lazily; the container
// skips and verifies unread bytes.
type Record struct {
	Header
	Offset    int64  // of the record: see Fetch.Offset
	Streamed  bool   // offset counts bytes of the decompressed stream
	Resynced  bool   // it stands after damage, or its length was repaired
	Forgeable bool   // it stands after damage, and a page could hold it
	Mismatch  bool   // the block does not match its digest: known when finish has returned
	Joint     joint  // of its header
	Overrun   bool   // bytes follow it that begin no record: likewise
	Short     int64  // bytes that its members hold too few: known when the block has been read to its end
	Raw       []byte // the header as it stands, valid until the block is read
	Block     io.Reader
}

// joint states whether a header that no checksum covers is made of parts of two: the
// bytes between them are missing.
type joint uint8

const (
	jointNone     joint = iota
	JointPossible       // a field that a record has once contradicts itself, or a line is no field
	JointCertain        // the type or two identifying fields do, or a version line or a NUL stands among the fields
)

// jointOf looks for one in a header.
func jointOf(header []byte, h *Header) joint {
	types, identities, once := 0, 0, 0
	for _, name := range h.Repeated {
		switch strings.ToLower(name) {
		case "warc-type":
			types++
		case "warc-record-id", "warc-date", "warc-target-uri":
			identities++
		case "content-length", "warc-block-digest":
			once++
		}
	}
	switch {
	case types > 0, identities > 1, bytes.Contains(header, []byte("\n"+warcMagic)), bytes.IndexByte(header, 0) >= 0:
		return JointCertain
	case identities+once > 0, h.Stray:
		return JointPossible
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
// line that begins with white space continues the one before it. Bytes that fit
// no field are skipped: the record is judged by the fields that it needs.
//
// The records of a fetch have many values in common. Those that are as in the
// header before, which may be nil, are not copied again.
func parseRecordHeader(block []byte, before *Header) Header {
	if before == nil {
		before = new(Header)
	}
	h := Header{ContentLength: -1, SegmentTotal: -1}
	version, rest := CutLine(block)
	h.Version = same(before.Version, version)
	f := Fields{Rest: rest}
	for f.Next() {
		h.set(f.Name, f.Value, before)
	}
	h.Stray = f.Stray
	return h
}

// ReadHeader reads the header of a record that stands elsewhere than in an archive. begin holds the
// header's bytes, and may hold more. ok is false where it holds no whole header.
func ReadHeader(begin []byte, arc bool) (h Header, ok bool) {
	var f framing = warcFraming{}
	if arc {
		f = arcFraming{}
	}
	end, _ := f.headerEnd(begin, 0)
	if end < 0 || !f.begins(begin) {
		return Header{}, false
	}
	return f.parse(begin[:end], nil), true
}

// set stores a field. Of a field that must not be repeated the first counts, so
// that a value appended by an attacker or a broken tool never replaces another.
func (h *Header) set(name, value []byte, before *Header) {
	contradicts := false
	switch {
	case IsField(name, "warc-type"):
		kind := ""
		if i := slices.Index(types[:], string(value)); i >= 0 {
			kind = types[i]
		} else {
			kind = strings.ToLower(string(value))
		}
		contradicts = First(&h.Type, kind)
	case IsField(name, "warc-record-id"):
		contradicts = First(&h.ID, recordID(value, before))
	case IsField(name, "warc-date"):
		contradicts = First(&h.Date, same(before.Date, value))
	case IsField(name, "warc-target-uri"):
		contradicts = First(&h.Target, same(before.Target, cutBytes(trimBrackets(value), MaxURL+1))) // +1 shows the cut
	case IsField(name, "content-type"):
		contradicts = First(&h.ContentType, contentType(value, before))
	case IsField(name, "content-length"):
		length := ParseLength(value)
		contradicts = h.ContentLength >= 0 && length != h.ContentLength
		if h.ContentLength < 0 {
			h.ContentLength = length
		}
	case IsField(name, "warc-warcinfo-id"):
		contradicts = First(&h.WarcinfoID, recordID(value, before).Key())
	case IsField(name, "warc-payload-digest"):
		contradicts = First(&h.PayloadDigest, same(before.PayloadDigest, value))
	case IsField(name, "warc-block-digest"):
		contradicts = First(&h.BlockDigest, string(value))
	case IsField(name, "warc-profile"):
		contradicts = First(&h.Profile, same(before.Profile, trimBrackets(value)))
	case IsField(name, "warc-refers-to"):
		contradicts = First(&h.RefersTo, recordID(value, before))
	case IsField(name, "warc-refers-to-target-uri"):
		contradicts = First(&h.RefersToURI, same(h.Target, trimBrackets(value)))
	case IsField(name, "warc-refers-to-date"):
		contradicts = First(&h.RefersToDate, string(value))
	case IsField(name, "warc-truncated"):
		contradicts = First(&h.Truncated, string(value))
	case IsField(name, "warc-identified-payload-type"):
		First(&h.PayloadType, same(before.PayloadType, cutBytes(value, MaxFieldValue)))
	case IsField(name, "warc-identified-content-language"):
		First(&h.Languages, same(before.Languages, cutBytes(value, MaxFieldValue)))
	case IsField(name, "warc-filename"):
		contradicts = First(&h.Filename, string(cutBytes(value, MaxFieldValue)))
	case IsField(name, "warc-segment-number"):
		if h.SegmentNumber == 0 {
			h.SegmentNumber = max(ParseLength(value), 0)
		}
	case IsField(name, "warc-segment-origin-id"):
		contradicts = First(&h.SegmentOrigin, recordID(value, before))
	case IsField(name, "warc-segment-total-length"):
		if h.SegmentTotal < 0 {
			h.SegmentTotal = ParseLength(value)
		}
	case IsField(name, "warc-concurrent-to"):
		if len(h.ConcurrentTo) <= MaxConcurrent { // one more shows that there are
			h.ConcurrentTo = append(h.ConcurrentTo, recordID(value, before).Key())
		}
	}
	if contradicts && len(h.Repeated) < MaxRepeated {
		h.Repeated = append(h.Repeated, string(name))
	}
}

// recordID reads an id. One that is absurdly long is cut: ids wait in memory for
// the records that name them.
func recordID(value []byte, before *Header) recordid.ID {
	value = cutBytes(trimBrackets(value), MaxRecordID)
	var buf [recordid.PackedSize]byte
	packed, ok := recordid.AppendUUID(buf[:0], value)
	if !ok {
		packed = value
	}
	if string(packed) == string(before.WarcinfoID) {
		return before.WarcinfoID
	}
	return same(before.ID, packed)
}

// blockDigestOf returns the digest that a record's block has to match; none where it is
// missing, not readable, or, in a revisit, the digest of nothing.
func blockDigestOf(h *Header) digest.Digest {
	d, _ := digest.Parse(h.BlockDigest)
	if h.Type == "revisit" && d.Known() && d.IsEmpty() {
		return digest.Digest{}
	}
	return d
}

// types are the record types of WARC 1.1 §6, the most frequent ones first.
var types = [...]string{
	"response", "request", "metadata", "revisit", "resource", "warcinfo", "conversion", "continuation",
}

// contentType reads a Content-Type.
func contentType(value []byte, before *Header) string {
	for _, usual := range [...]string{
		"application/http; msgtype=response", "application/http; msgtype=request", "application/warc-fields",
	} {
		if string(value) == usual {
			return usual
		}
	}
	return same(before.ContentType, value)
}

// same makes a string of a value, or returns the one that it repeats.
func same[S ~string](before S, value []byte) S {
	if string(value) == string(before) {
		return before
	}
	return S(value)
}

func cutBytes(b []byte, n int) []byte { return b[:min(len(b), n)] }

// First stores a value where none is stored yet, and reports whether it
// contradicts the one that is.
func First[S ~string](dst *S, value S) (contradicts bool) {
	if *dst == "" {
		*dst = value
	}
	return value != "" && value != *dst
}

// ParseLength reads a Content-Length, -1 where it is no decimal number that a
// file could hold.
func ParseLength(value []byte) int64 {
	n, err := strconv.ParseUint(string(value), 10, 63)
	if err != nil {
		return -1
	}
	return int64(n)
}

// trimBrackets drops the angle brackets that WARC 1.0 puts around URIs, and some
// writers around WARC-Target-URI.
func trimBrackets(value []byte) []byte {
	value = bytes.TrimSpace(value)
	if len(value) >= 2 && value[0] == '<' && value[len(value)-1] == '>' {
		value = value[1 : len(value)-1]
	}
	return value
}

// Types are the values of WARC-Type that WARC 1.1 §6 defines.
func Types() []string { return slices.Clone(types[:]) }
