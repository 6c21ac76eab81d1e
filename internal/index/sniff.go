package index

import (
	"bufio"
	"bytes"
	"io"
	"slices"

	"github.com/parquet-go/jsonlite"

	"github.com/robotsaudit/robotsaudit/internal/inflate"
)

// sniffBytes is how much of a file tells its format.
const sniffBytes = 64 << 10

// Sniff says which format content that begins with b has, gzip or not: by content, never by name.
// b holds the first 64 KiB, or all of a shorter file. It never takes an archive or a crawl log for
// an index, and a URL list in CSV or JSON lines only if its columns have names that it knows.
func Sniff(b []byte) Format {
	if bytes.HasPrefix(b, []byte(parquetMagic)) {
		return Parquet
	}
	whole := len(b) < sniffBytes
	if isGzip(b) {
		b, whole = inflateBegin(b, whole)
	}
	b = bytes.TrimPrefix(b, byteOrderMark)
	if bytes.IndexByte(b, 0) >= 0 {
		return None
	}
	lines := firstLines(b, whole)
	if len(lines) == 0 {
		if text := bytes.TrimLeft(b, " \t\r\n"); len(text) > 0 && text[0] == '[' {
			return sniffArray(text)
		}
		return None
	}
	first := bytes.TrimLeft(lines[0], " \t")
	switch {
	case first[0] == '[':
		return sniffArray(bytes.TrimLeft(b, " \t\r\n"))
	case first[0] == '{':
		return sniffObject(string(first))
	case first[0] == '!':
		return sniffCDXJ(lines)
	}
	if delimiter, letters, ok := cutCDXHeader(lines[0]); ok {
		if shape, _ := cdxHeader(letters, delimiter); shape != nil {
			return CDX
		}
		return None
	}
	if _, _, ok := cutCDXJ(string(lines[0])); ok {
		return sniffCDXJ(lines)
	}
	switch {
	case all(lines, isCDXLine):
		return CDX
	case all(lines, isZipNumLine), all(lines, isLocationLine):
		return ZipNum
	}
	if _, err := csvHeader(first); err == nil {
		return URLList
	}
	return None
}

// inflateBegin inflates the beginning of a gzip file, and reports whether that is all of it.
func inflateBegin(b []byte, whole bool) ([]byte, bool) {
	in := inflate.NewReader(bytes.NewReader(b))
	var text []byte
	for len(text) < sniffBytes {
		err := in.SkipZeros()
		if err == nil {
			err = in.NextMember()
		}
		if err != nil {
			return text, whole && err == io.EOF
		}
		part, err := io.ReadAll(io.LimitReader(in, int64(sniffBytes-len(text))))
		if text = append(text, part...); err != nil {
			return text, false
		}
	}
	return text, false
}

// firstLines are the first lines that are not empty, at most two, and up to the next that is.
func firstLines(b []byte, whole bool) (lines [][]byte) {
	for len(b) > 0 && len(lines) < 2 {
		line, rest, found := bytes.Cut(b, []byte{'\n'})
		if !found && !whole {
			break
		}
		if line = bytes.TrimRight(line, "\r"); len(bytes.TrimSpace(line)) > 0 {
			lines = append(lines, line)
		} else if len(lines) > 0 {
			break
		}
		b = rest
	}
	return lines
}

func all(lines [][]byte, is func([]byte) bool) bool {
	for _, line := range lines {
		if !is(line) {
			return false
		}
	}
	return true
}

// sniffCDXJ tells CDXJ from the index of a compressed CDXJ in a WACZ, whose lines look the same and
// say where a member lies.
func sniffCDXJ(lines [][]byte) Format {
	c := cdxjLines{}
	for _, line := range lines {
		if line[0] == '!' {
			if bytes.HasPrefix(line, []byte("!meta ")) && bytes.Contains(line, []byte("cdxj-gzip")) {
				return ZipNum
			}
			continue
		}
		row := noRow
		ok, fault := c.parse(line, &row)
		switch {
		case !ok || fault != "":
			return None
		case row.URL != "":
			return CDXJ
		case row.Offset >= 0 && row.Length >= 0:
			return ZipNum
		}
	}
	return None
}

// sniffObject tells the JSON lines of a CDX server from those of a list.
func sniffObject(line string) Format {
	var keys []string
	o := objects{}
	if o.open(line, jsonlite.Object) != "" {
		return None
	}
	key, columns := false, 0
	for k, err := range o.it.Object {
		if err != nil || o.it.Err() != nil {
			return None
		}
		key = key || k == "urlkey"
		if columns++; columns > maxListColumns {
			return None
		}
		keys = append(keys, k)
	}
	if o.close("") != "" {
		return None
	}
	if key {
		row := noRow
		o.names = captureNames[:]
		if o.set(line, &row) == "" && row.finish() == "" && isDigits(row.Time) {
			return CDXServer
		}
		return None
	}
	if _, err := listColumns(keys); err == nil {
		return URLList
	}
	return None
}

// sniffArray tells the JSON of a CDX server.
func sniffArray(b []byte) Format {
	s := splitter{br: bufio.NewReader(bytes.NewReader(b[1:]))}
	rows := serverRows{}
	for range 2 {
		text, err := s.element()
		if err != nil || s.long {
			return None
		}
		row := noRow
		ok, fault := rows.parse(text, &row)
		switch {
		case fault != "":
			return None
		case ok && row.finish() == "" && isCDXTime(row.Time) && hasScheme(row.URL):
			return CDXServer
		case ok:
			return None
		}
		if rows.shape != nil && slices.Contains(rows.shape, fieldURL) && slices.Contains(rows.shape, fieldTime) {
			return CDXServer // which may have no row
		}
	}
	return None
}
