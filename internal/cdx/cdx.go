package cdx

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// cdxLetters are the fields that a header line of CDX names by letters. Others are passed over; of
// two with one meaning, the last one counts (wget writes a b a).
var cdxLetters = [256]field{
	'a': fieldURL, // N and A are keys, from which no URL can be had
	'b': fieldTime,
	'g': fieldFilename,
	'k': fieldDigest,
	'm': fieldMIME,
	'r': fieldRedirect,
	's': fieldStatus,
	'S': fieldLength,
	'u': fieldRecordID, // wget
	'V': fieldOffset,
}

// cdxShapes are the fields of lines without a header, by their number: those that CDX servers and
// indexers write. 7 is the Wayback CDX server; 14 is 11 with three about the original of a revisit
// (OutbackCDX, pywb).
var cdxShapes = [15][]field{
	7:  cdxShape("NbamskS"),
	9:  cdxShape("NbamskrVg"),
	10: cdxShape("NbamskrMVg"),
	11: cdxShape("NbamskrMSVg"),
	14: cdxShape("NbamskrMSVg   "),
}

func cdxShape(letters string) (shape []field) {
	for _, c := range []byte(letters) {
		shape = append(shape, cdxLetters[c])
	}
	return shape
}

type cdxLines struct {
	delimiter byte
	shape     []field // of the header, nil without one
	values    []string
	bad       bool // the header cannot be used, and so no line up to the next one
	blank     bool // the line before was empty
}

func (c *cdxLines) parse(text []byte, row *Row) (ok bool, fault string) {
	if len(bytes.TrimSpace(text)) == 0 {
		c.blank = true
		return false, ""
	}
	afterBlank := c.blank
	c.blank = false
	if delimiter, letters, ok := cutCDXHeader(text); ok {
		c.delimiter = delimiter
		c.shape, fault = cdxHeader(letters, delimiter)
		c.bad = fault != ""
		return false, fault
	}
	if c.bad {
		return false, ""
	}
	if c.delimiter == 0 {
		c.delimiter = ' '
	}
	c.values = c.values[:0]
	for value := range strings.SplitSeq(string(text), string(rune(c.delimiter))) {
		if c.values = append(c.values, value); len(c.values) > maxCDXFields {
			return false, fmt.Sprintf("it has more than %d fields", maxCDXFields)
		}
	}
	if afterBlank && len(c.values) == 1 {
		return false, "" // a CDX server's key to the rest of its answer
	}
	shape := c.shape
	if shape == nil && len(c.values) < len(cdxShapes) {
		shape = cdxShapes[len(c.values)]
	}
	switch {
	case shape == nil:
		return false, fmt.Sprintf("it has %d fields, where 7, 9, 10, 11 or 14 are known without a header line",
			len(c.values))
	case len(shape) != len(c.values):
		return false, fmt.Sprintf("it has %d fields, and the header names %d", len(c.values), len(shape))
	}
	if i := slices.Index(shape, fieldStatus); i >= 0 && c.shape == nil && c.values[i] != "-" && !isDigits(c.values[i]) {
		return false, "the status is no number, so its fields may be others than their number says"
	}
	return row.setCDX(shape, c.values)
}

// maxCDXFields is how many fields a line of CDX may have. The legend has 46 letters.
const maxCDXFields = 64

// cutCDXHeader recognises a header line: " CDX N b a m s k r M S V g", whose first character
// delimits fields. Some programs leave that out.
func cutCDXHeader(line []byte) (delimiter byte, letters []byte, ok bool) {
	if len(line) < len(" CDX a b") {
		return 0, nil, false
	}
	if letters, ok = bytes.CutPrefix(line, []byte("CDX ")); ok {
		return ' ', letters, true
	}
	delimiter = line[0]
	if delimiter > ' ' && isWord(delimiter) || string(line[1:4]) != "CDX" || line[4] != delimiter {
		return 0, nil, false
	}
	return delimiter, line[5:], true
}

// isWord reports whether a character can be part of a word, and so delimits nothing.
func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// cdxHeader returns the fields that a header line names.
func cdxHeader(letters []byte, delimiter byte) (shape []field, fault string) {
	var named [fields]bool
	for name := range bytes.SplitSeq(bytes.TrimRight(letters, string(rune(delimiter))), []byte{delimiter}) {
		if len(name) != 1 || len(shape) == maxCDXFields {
			return nil, "the header line of CDX names fields by other than letters; no line below it is read"
		}
		f := cdxLetters[name[0]]
		shape = append(shape, f)
		named[f] = true
	}
	if !named[fieldURL] || !named[fieldTime] {
		return nil, "the header line of CDX names no original URL (a) or no date (b); no line below it is read"
	}
	return shape, ""
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// isCDXLine reports whether a line without a header has the shape of CDX beyond doubt.
func isCDXLine(line []byte) bool {
	row := noRow
	ok, fault := new(cdxLines).parse(line, &row)
	return ok && fault == "" && isCDXTime(row.Time) && weburl.HasScheme(row.URL) &&
		(row.Status == -1 || row.Status >= 100 && row.Status < 1000)
}

// isCDXTime reports whether a time has the 14 digits of CDX, or 17 with milliseconds.
func isCDXTime(s string) bool {
	return (len(s) == 14 || len(s) == 17) && isDigits(s) && (s[0] == '1' || s[0] == '2')
}
