package warc

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/netip"
	"slices"
)

// The kinds of ARC records, as InputStats counts them.
const (
	TypeARCInfo = "arcinfo" // the version block that begins an archive
	TypeARC     = "arc"     // a URL record
)

// magicARC begins the version block of an ARC archive.
const magicARC = "filedesc:"

// arcFraming is the framing of ARC, versions 1 and 2
// (https://archive.org/web/researcher/ArcFileFormat.php): a header is one line,
//
//	URL IP-address Archive-date Content-type Archive-length
//	URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length
//
// whose own form decides its version: in some archives the version block announces the
// other one.
type arcFraming struct{}

func (arcFraming) begins(b []byte) bool {
	line, _, whole := bytes.Cut(b, []byte{'\n'})
	if !whole && len(b) >= beginBytes {
		return bytes.HasPrefix(b, []byte(magicARC)) || hasScheme(b) // a long line
	}
	_, ok := parseARCHeader(line)
	return ok
}

// beginsCut: a header is one line, so b is none; and that begins with a URL.
func (arcFraming) beginsCut(b []byte) bool {
	return bytes.IndexByte(b, '\n') < 0 &&
		(beginsARC(b) || slices.ContainsFunc(arcSchemes, func(s string) bool { return isPrefixOf(b, s) }))
}

// arcSchemes are the schemes of URLs that ARC crawlers fetched, and of the version
// block.
var arcSchemes = []string{"http://", "https://", "ftp://", "dns:", SchemeARCMetadata + ":", magicARC}

// SchemeARCMetadata is the scheme of records about the crawl, which fetched nothing.
const SchemeARCMetadata = "metadata"

// beginsARC reports whether b begins with one of arcSchemes.
func beginsARC(b []byte) bool {
	return slices.ContainsFunc(arcSchemes, func(s string) bool { return bytes.HasPrefix(b, []byte(s)) })
}

func (arcFraming) headerEnd(b []byte, _ int) (end, next int) {
	if n := bytes.IndexByte(b, '\n'); n >= 0 {
		return n + 1, 0
	}
	return -1, 0
}

func (arcFraming) parse(header []byte, _ *Header) Header {
	h, ok := parseARCHeader(header)
	if !ok {
		h.ContentLength = -1
	}
	return h
}

// parseARCHeader reads a header line. URLs hold spaces and carriage returns, so
// fields are counted from the end. ok is false for a line that is no header.
func parseARCHeader(line []byte) (h Header, ok bool) {
	line, _ = CutLine(line)
	f, ok := arcFieldsOf(line)
	if !ok || !isARCLength(f.length) || !hasScheme(f.url) {
		return Header{}, false
	}
	h = Header{
		Type: TypeARC, Target: string(cutBytes(f.url, MaxURL+1)), Date: string(f.date), ContentType: arcType(f.mime),
		ContentLength: ParseLength(f.length),
	}
	if bytes.HasPrefix(line, []byte(magicARC)) {
		h.Type, h.Target = TypeARCInfo, ""
	}
	return h, true
}

// arcFields are the fields of a header line in both versions.
type arcFields struct{ url, date, mime, length []byte }

// arcFieldsOf divides a line by the first form that it has: version 1, whose address and date may stand the wrong way
// round; version 2; the line that begins an archive, with arbitrary values for fields of a fetch, as in the
// specification's own "filedesc://IA-001102.arc 0 19960923142103 text/plain 76"; version 1 with spaces in the content
// type; version 1 with anything for the date.
func arcFieldsOf(line []byte) (f arcFields, ok bool) {
	five := lastFields(line, 4)
	if five != nil {
		if isAddress(five[2]) && isARCDate(five[1]) {
			five[1], five[2] = five[2], five[1]
		}
		f = arcFields{five[0], five[2], five[3], five[4]}
		if isAddress(five[1]) && isARCDate(five[2]) {
			return f, true
		}
	}
	if ten := lastFields(line, 9); ten != nil && isAddress(ten[1]) && isARCDate(ten[2]) {
		return arcFields{ten[0], ten[2], ten[3], ten[9]}, true
	}
	if five != nil && bytes.HasPrefix(line, []byte(magicARC)) {
		return f, true
	}
	if spaced, ok := arcSpacedType(line); ok {
		return spaced, true
	}
	return f, five != nil && isAddress(five[1])
}

// arcSpacedType reads a line of version 1 whose content type holds spaces, as in
// "text/html; charset=x": it begins at the one address that a date follows. With two of
// them the URL would be ambiguous.
func arcSpacedType(line []byte) (f arcFields, ok bool) {
	rest, length := cutLastField(line)
	for end := len(rest); end > 0; {
		before, last := cutLastField(rest[:end])
		url, ip := cutLastField(before)
		if isARCDate(last) && isAddress(ip) && len(url) > 0 && end < len(rest) {
			if ok {
				return arcFields{}, false
			}
			f, ok = arcFields{url, last, rest[end+1:], length}, true
		}
		end = len(before)
	}
	return f, ok
}

// lastFields cuts n fields off the end of a line; the first element is the rest before
// them. It is nil where there are fewer.
func lastFields(line []byte, n int) [][]byte {
	fields := make([][]byte, n+1)
	for i := n; i > 0; i-- {
		before, last := cutLastField(line)
		if len(before) == 0 {
			return nil
		}
		fields[i], line = last, before
	}
	fields[0] = line
	return fields
}

func cutLastField(b []byte) (before, last []byte) {
	at := bytes.LastIndexByte(b, ' ')
	if at < 0 {
		return nil, b
	}
	return b[:at], b[at+1:]
}

// isAddress reports whether a field can be the IP-address: one, or the "None" or "-" of
// exports that did not know it.
func isAddress(b []byte) bool {
	if len(b) > maxAddress {
		return false
	}
	_, err := netip.ParseAddr(string(b))
	return err == nil || string(b) == "None" || string(b) == "-"
}

// isARCDate reports whether a field can be the date: 8 to 28 digits.
func isARCDate(b []byte) bool { return len(b) >= 8 && len(b) <= 28 && allDigits(b) }

// isARCLength also accepts the negative lengths of crawlers whose counter overflowed.
func isARCLength(b []byte) bool { return allDigits(bytes.TrimPrefix(b, []byte{'-'})) }

func allDigits(b []byte) bool { return len(b) > 0 && len(bytes.Trim(b, "0123456789")) == 0 }

// hasScheme reports whether b begins as an absolute URL does (RFC 3986 §3.1).
func hasScheme(b []byte) bool {
	for i, c := range b {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return c == ':' && i > 0
		}
	}
	return false
}

// arcType is the content type of a record, "" where the crawler knew none.
func arcType(b []byte) string {
	switch s := string(cutBytes(b, MaxFieldValue)); s {
	case "no-type", "unk", "unknown", "-":
		return ""
	default:
		return s
	}
}

// EachARCField calls f for each field of the crawl in the XML of a version block, as
// EachField does for the fields of a warcinfo record: Heritrix writes the same names
// into both. Other content has no fields.
func EachARCField(block []byte, f func(name, value []byte)) {
	from := bytes.IndexByte(block, '<')
	if from < 0 {
		return
	}
	d := xml.NewDecoder(bytes.NewReader(block[from:]))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var text []byte
	for {
		token, err := d.RawToken()
		if err != nil {
			return
		}
		switch token := token.(type) {
		case xml.StartElement:
			text = text[:0]
		case xml.CharData:
			text = append(text, token...)
		case xml.EndElement:
			if len(text) > 0 {
				f([]byte(token.Name.Local), bytes.TrimSpace(text))
			}
			text = text[:0]
		}
	}
}
