package cdx

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/parquet-go/jsonlite"
)

// captureNames are the field names of indexes: CDXJ of pywb, of Common Crawl and in WACZ, and the
// CDX servers of Wayback, pywb and OutbackCDX.
var captureNames = columnNames{fields: map[string]field{
	"url": fieldURL, "original": fieldURL, "timestamp": fieldTime, "method": fieldMethod, "recordid": fieldRecordID,
	"status": fieldStatus, "statuscode": fieldStatus, "redirect": fieldRedirect, "redirecturl": fieldRedirect,
	"mime": fieldMIME, "mimetype": fieldMIME, "mime-detected": fieldDetected, "languages": fieldLanguage,
	"digest": fieldDigest, "length": fieldLength, "offset": fieldOffset, "compressedoffset": fieldOffset,
	"filename": fieldFilename, "file": fieldFilename,
}}

// noUnit is the defect of a time that is a number without the digits of CDX.
const noUnit = "its time is a number without a unit; give it as text, or as a timestamp"

type objects struct {
	columnNames
	it  *jsonlite.Iterator
	has [fields]bool // some object had the field
}

func (o *objects) parse(text []byte, row *Row) (ok bool, fault string) {
	if len(bytes.TrimSpace(text)) == 0 {
		return false, ""
	}
	fault = o.set(string(text), row)
	return fault == "", fault
}

func (o *objects) set(text string, row *Row) (fault string) {
	var named [fields]string
	return o.each(text, func(key string, kind jsonlite.Kind) (fault string) {
		f := o.fields[strings.ToLower(key)]
		isName := kind == jsonlite.String || kind == jsonlite.Number
		if f == fieldNone || f == fieldListID && !isName || kind == jsonlite.Null {
			return ""
		}
		if fault := twoNames(&named, f, key, "members"); fault != "" {
			return fault
		}
		o.has[f] = true
		value, fault := o.valueOf(f, kind)
		if fault == "" {
			fault = row.set(f, value)
		}
		if kind == jsonlite.String && (f == fieldBody || f == fieldBodyBase64) {
			row.HasBody = true // empty or not
		}
		if kind == jsonlite.Number && f == fieldTime && !isCDXTime(value) {
			fault = noUnit
		}
		return fault
	})
}

// each calls f for the members of an object, and for those of groups in it, until one has a fault. The value is the one
// in hand.
func (o *objects) each(text string, f func(key string, kind jsonlite.Kind) (fault string)) (fault string) {
	if fault = o.open(text, jsonlite.Object); fault != "" {
		return fault
	}
	return o.close(o.members("", f))
}

// members calls f for the members of the object in hand, whose names have a beginning.
func (o *objects) members(begin string, f func(key string, kind jsonlite.Kind) (fault string)) (fault string) {
	for key, err := range o.it.Object {
		if err != nil || o.it.Err() != nil {
			break
		}
		if key, kind := begin+key, o.it.Kind(); kind == jsonlite.Object && o.groups[strings.ToLower(key)] {
			fault = o.members(key+".", f)
		} else {
			fault = f(key, kind)
		}
		if fault != "" {
			break
		}
	}
	return fault
}

// advice is what to do where no object had a URL or a time by now.
func (o *objects) advice() string {
	if !o.has[fieldURL] && !o.has[fieldHost] || !o.has[fieldTime] {
		return "; if a member of another name is one, say so by --columns"
	}
	return ""
}

func (o *objects) open(text string, kind jsonlite.Kind) (fault string) {
	if o.it == nil {
		o.it = jsonlite.Iterate(text)
	} else {
		o.it.Reset(text)
	}
	if !o.it.Next() || o.it.Kind() != kind {
		o.it = nil
		return "it is no JSON object or array"
	}
	return ""
}

// close ends a value. Nothing may follow it.
func (o *objects) close(fault string) string {
	if fault == "" && (o.it.Err() != nil || o.it.Next() || o.it.Err() != nil) {
		fault = "its JSON is not well formed"
	}
	if fault != "" {
		o.it = nil // it may stand anywhere
	}
	return fault
}

// valueOf returns the value in hand, of a field: of headers the JSON, where they are no text.
func (o *objects) valueOf(f field, kind jsonlite.Kind) (text, fault string) {
	if f == fieldHeaders && (kind == jsonlite.Object || kind == jsonlite.Array) {
		v, err := o.it.Value()
		if err != nil {
			return "", "its JSON is not well formed"
		}
		return v.JSON(), ""
	}
	return o.text()
}

// text returns the value in hand. Numbers are also written as strings.
func (o *objects) text() (text, fault string) {
	switch o.it.Kind() {
	case jsonlite.Null:
		return "", ""
	case jsonlite.String:
		if s, err := o.it.String(); err == nil {
			return s, ""
		}
	case jsonlite.Number:
		if v, err := o.it.Value(); err == nil {
			return v.JSON(), ""
		}
	default:
		return "", "a value is neither text nor a number"
	}
	return "", "its JSON is not well formed"
}

// cdxjLines parses lines of CDXJ: key, time, and a JSON object.
type cdxjLines struct {
	objects
}

func (c *cdxjLines) parse(text []byte, row *Row) (ok bool, fault string) {
	if len(bytes.TrimSpace(text)) == 0 || text[0] == '!' { // lines with ! are about the file
		return false, ""
	}
	time, object, ok := cutCDXJ(string(text))
	if !ok {
		return false, "it is no line of CDXJ: a key, a date in digits, and a JSON object"
	}
	c.columnNames = captureNames
	if fault := c.set(object, row); fault != "" {
		return false, fault
	}
	row.Time = time
	return true, ""
}

// cutCDXJ returns the time and the object of a line.
func cutCDXJ(line string) (time, object string, ok bool) {
	begin := strings.Index(line, " {")
	if begin < 0 {
		return "", "", false
	}
	head := strings.TrimRight(line[:begin], " ")
	time = head[strings.LastIndexByte(head, ' ')+1:]
	return time, line[begin+1:], isDigits(time) && len(time) < len(head)
}

// serverRows parses the elements of the JSON of CDX servers: objects, or arrays, where the first
// may name the fields.
type serverRows struct {
	objects
	shape  []field // of the array that names them
	values []string
	begun  bool
	ended  bool // after an empty array stands a key to the rest of the answer
}

// serverShapes are the fields of arrays that no first array names, by their number (OutbackCDX).
var serverShapes = [15][]field{
	9:  cdxShape("NbamskSVg"),
	11: cdxShapes[11],
	14: cdxShapes[14],
}

func (s *serverRows) parse(text []byte, row *Row) (ok bool, fault string) {
	s.columnNames = captureNames
	if s.ended {
		return false, ""
	}
	if text[0] == '{' {
		return s.objects.parse(text, row)
	}
	if fault = s.list(string(text)); fault != "" {
		return false, fault
	}
	if s.ended = len(s.values) == 0; s.ended {
		return false, ""
	}
	if !s.begun {
		s.begun = true
		if s.shape = s.header(); s.shape != nil {
			return false, ""
		}
	}
	shape := s.shape
	if shape == nil && len(s.values) < len(serverShapes) {
		shape = serverShapes[len(s.values)]
	}
	if len(shape) != len(s.values) {
		return false, fmt.Sprintf("it has %d values, and no array names so many fields", len(s.values))
	}
	return row.setCDX(shape, s.values)
}

func (s *serverRows) list(text string) (fault string) {
	s.values = s.values[:0]
	if fault = s.open(text, jsonlite.Array); fault != "" {
		return fault
	}
	for _, err := range s.it.Array {
		if err != nil || s.it.Err() != nil {
			break
		}
		value := ""
		if value, fault = s.text(); fault != "" {
			break
		}
		if s.values = append(s.values, value); len(s.values) > maxCDXFields {
			fault = fmt.Sprintf("it has more than %d values", maxCDXFields)
			break
		}
	}
	return s.close(fault)
}

// header returns the fields that an array names, nil if it names none.
func (s *serverRows) header() (shape []field) {
	var named [fields]bool
	for _, value := range s.values {
		f := captureNames.fields[value]
		shape = append(shape, f)
		named[f] = true
	}
	if !named[fieldURL] && !named[fieldTime] {
		return nil
	}
	return shape
}
