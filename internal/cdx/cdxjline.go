package cdx

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// A CDXJLine is a record's line of a CDXJ index, as pywb's cdxj-indexer writes it.
type CDXJLine struct {
	Key       string // SURT
	Time      time.Time
	URL       string
	MediaType *string // nil: none
	Status    string  // "": none
	Digest    string  // "": none
	Length    int64
	Offset    int64
	Filename  string
}

// Append appends a line.
func (r *CDXJLine) Append(b []byte) []byte {
	b = append(b, r.Key...)
	b = append(b, ' ')
	b = r.Time.UTC().AppendFormat(b, "20060102150405")
	b = append(b, " {"...)
	start := len(b)
	member := func(name, value string) {
		if len(b) > start {
			b = append(b, ", "...)
		}
		b = appendText(append(appendText(b, name), ": "...), value)
	}
	if r.URL != "" {
		member("url", strings.ReplaceAll(r.URL, " ", "%20"))
	}
	if r.MediaType != nil {
		member("mime", *r.MediaType)
	}
	if r.Status != "" {
		member("status", r.Status)
	}
	if r.Digest != "" {
		member("digest", r.Digest)
	}
	member("length", strconv.FormatInt(r.Length, 10))
	member("offset", strconv.FormatInt(r.Offset, 10))
	member("filename", r.Filename)
	return append(b, "}\n"...)
}

// appendText writes a JSON string in ASCII. A text that is no UTF-8 is taken for Latin-1, which has
// a character for every byte.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	latin := !utf8.ValidString(s)
	for i, n := 0, 0; i < len(s); i += n {
		var r rune
		if r, n = utf8.DecodeRuneInString(s[i:]); latin {
			r, n = rune(s[i]), 1
		}
		b = appendRune(b, r)
	}
	return append(b, '"')
}

func appendRune(b []byte, r rune) []byte {
	const short = "\b\f\n\r\t\"\\"
	switch i := strings.IndexRune(short, r); {
	case i >= 0:
		return append(b, '\\', "bfnrt\"\\"[i])
	case ' ' <= r && r <= '~':
		return append(b, byte(r))
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return fmt.Appendf(b, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(b, `\u%04x`, r)
}
