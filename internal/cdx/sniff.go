package cdx

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/parquet-go/jsonlite"

	"github.com/robotsaudit/robotsaudit/internal/archive/inflate"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// sniffBytes is how much of a file shows its format, and sniffLines how many of its lines.
const (
	sniffBytes = 64 << 10
	sniffLines = 64
)

// Sniff returns the format of content that begins with b, gzip or not. b holds the first 64 KiB, or
// all of a shorter file. The format is the one of most of the first lines, so that a faulty row is
// one fault wherever it stands. name is the file's name, or "": it decides if the lines leave the
// format open. Sniff never takes an archive or a crawl log for an index, and a URL list in CSV or
// JSON lines only if its columns have names that it knows.
func Sniff(b []byte, name string) Format {
	if IsParquet(b) {
		return Parquet
	}
	whole := len(b) < sniffBytes
	if isGzip(b) {
		b, whole = inflateBegin(b, whole)
	}
	b = bytes.TrimPrefix(b, byteOrderMark)
	named := formatOfName(name)
	if bytes.IndexByte(b, 0) >= 0 && named == None {
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
	if first[0] == '[' {
		return sniffArray(bytes.TrimLeft(b, " \t\r\n"))
	}
	if delimiter, letters, ok := cutCDXHeader(lines[0]); ok {
		if shape, _ := cdxHeader(letters, delimiter); shape != nil || named == CDX {
			return CDX
		}
		return None
	}
	if f := formatOfMost(lines, named); f != None {
		return f
	}
	if _, err := csvHeader(first, urlColumns); err == nil {
		return URLList
	}
	return None
}

// formatOfName is the format that the name of a file states by its ending; None for others.
func formatOfName(name string) Format {
	name, _ = strings.CutSuffix(strings.ToLower(name), ".gz")
	switch path.Ext(name) {
	case ".cdx":
		return CDX
	case ".cdxj":
		return CDXJ
	case ".idx", ".loc":
		return ZipNum
	}
	return None
}

// formatOfMost is the format of more than half of the lines. Without one, it is the format of the
// file's name if a line is a row of that, or if more than half of the lines are like its rows.
func formatOfMost(lines [][]byte, named Format) Format {
	var rows [len(formatNames)]int
	most, all, like := None, 0, 0
	for _, line := range lines {
		if line[0] == '!' {
			if bytes.HasPrefix(line, []byte("!meta ")) && bytes.Contains(line, []byte("cdxj-gzip")) {
				return ZipNum
			}
			continue // any other line about the file
		}
		f := formatOfLine(line)
		all++
		if rows[f]++; f != None && rows[f] > rows[most] || most == None {
			most = f
		}
		if isLike(line, named) {
			like++
		}
	}
	switch {
	case most != None && 2*rows[most] > all:
		return most
	case named != None && (rows[named] > 0 || 2*like > all), named == CDXJ && all == 0:
		return named
	}
	return None
}

// formatOfLine is the format if a line is surely a row of it; None otherwise.
func formatOfLine(line []byte) Format {
	if first := bytes.TrimLeft(line, " \t"); first[0] == '{' {
		return sniffObject(string(first))
	}
	if _, _, ok := cutCDXJ(string(line)); ok {
		row := noRow
		ok, fault := new(cdxjLines).parse(line, &row)
		switch {
		case !ok || fault != "":
		case row.URL != "" || row.IsNoFetch(CDXJ):
			return CDXJ
		case row.Offset >= 0 && row.Length >= 0: // of the summary of a compressed CDXJ
			return ZipNum
		}
		return None
	}
	switch {
	case isCDXLine(line):
		return CDX
	case isZipNumLine(line):
		return ZipNum
	}
	return None
}

// isZipNumLine recognises a line of the .idx of a ZipNum cluster: the key and date of the first line of
// a member; the name of the part, offset, length, and mostly a number.
func isZipNumLine(line []byte) bool {
	columns := strings.Split(string(line), "\t")
	if len(columns) != 4 && len(columns) != 5 {
		return false
	}
	_, time, ok := strings.Cut(columns[0], " ")
	time, _, _ = strings.Cut(time, " ")
	for _, n := range columns[2:] {
		ok = ok && isDigits(n)
	}
	return ok && isCDXTime(time)
}

// isLike reports whether a line has the beginning of a row of a format, whatever is wrong with it.
func isLike(line []byte, f Format) bool {
	switch f {
	case CDX:
		return isLikeCDX(line)
	case CDXJ:
		fields := bytes.SplitN(line, []byte(" "), 3)
		return len(fields) == 3 && isCDXTime(string(fields[1])) && bytes.HasPrefix(fields[2], []byte{'{'})
	case ZipNum:
		return bytes.IndexByte(line, '\t') > 0
	}
	return false
}

// isLikeCDX reports whether a line has a key, a date and a URL, and as many fields as CDX has.
func isLikeCDX(line []byte) bool {
	fields := bytes.Split(line[:min(len(line), maxRow)], []byte(" "))
	return len(fields) >= 7 && isCDXTime(string(fields[1])) && weburl.HasScheme(string(fields[2]))
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
		if line := lastLine(text); len(line) > 0 && lacksLineEnd(line, part) {
			text = append(text, '\n')
		}
		if text = append(text, part...); err != nil {
			return text, false
		}
	}
	return text, false
}

// firstLines are the first lines that are not empty, up to the next that is.
func firstLines(b []byte, whole bool) (lines [][]byte) {
	for len(b) > 0 && len(lines) < sniffLines {
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

// sniffObject distinguishes JSON lines of a CDX server from JSON lines of a list.
func sniffObject(line string) Format {
	var keys []string
	o := objects{columnNames: *urlColumns}
	if o.each(line, func(key string, _ jsonlite.Kind) string {
		if keys = append(keys, key); len(keys) > maxListColumns {
			return "too many columns"
		}
		return ""
	}) != "" {
		return None
	}
	if slices.Contains(keys, "urlkey") {
		row := noRow
		o.columnNames = captureNames
		if o.set(line, &row) == "" && row.finish(CDXServer) == "" && isDigits(row.Time) {
			return CDXServer
		}
		return None
	}
	if _, err := urlColumns.find(keys); err == nil {
		return URLList
	}
	return None
}

func sniffArray(b []byte) Format {
	s := NewSplitter(bytes.NewReader(b[1:]), maxRow)
	rows := serverRows{}
	for range 2 {
		text, err := s.element()
		if err != nil || s.Long {
			return None
		}
		row := noRow
		ok, fault := rows.parse(text, &row)
		switch {
		case fault != "":
			return None
		case ok && row.finish(CDXServer) == "" && isCDXTime(row.Time) && weburl.HasScheme(row.URL):
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

// toParquet is how to make a table that is read out of one that is not.
const toParquet = "; write it as Parquet, as by DuckDB: COPY (FROM 'FILE') TO 'FILE.parquet'"

// Recognise says what a file is that begins with b, where it is none that can be read, and what to do. It is known, or
// only its beginning is shown.
func Recognise(b []byte) (what string, isKnown bool) {
	for _, known := range [...]struct{ begin, what string }{
		{"PK\x03\x04", "it is a zip file or an Excel workbook"},
		{"\xd0\xcf\x11\xe0", "it is an Excel workbook"},
		{"SQLite format 3\x00", "it is a database of SQLite"},
		{"ARROW1", "it is an Arrow or Feather file"},
		{"ORC", "it is an ORC file"},
		{"Obj\x01", "it is an Avro file"},
		{"\x89HDF", "it is an HDF5 file"},
		{"\x80\x04", "it is a pickle of Python"},
		{"\x04\"M\x18", "it is lz4: decompress it first, with lz4 -d"},
		{"\xfd7zXZ", "it is xz: decompress it first, with xz -d"},
		{"7z\xbc\xaf", "it is a 7z archive: unpack it first"},
	} {
		if bytes.HasPrefix(b, []byte(known.begin)) {
			if strings.Contains(known.what, ":") {
				return known.what, true
			}
			return known.what + toParquet, true
		}
	}
	if isGzip(b) {
		b, _ = inflateBegin(b, len(b) < sniffBytes)
	}
	logged, ruled, all := 0, 0, 0
	log := accessLog{formats: usualFormats(), kept: make(map[string]string)}
	for _, line := range firstLines(bytes.TrimPrefix(b, byteOrderMark), len(b) < sniffBytes) {
		all++
		log.req = request{}
		text := string(line)
		name, _, _ := strings.Cut(strings.ToLower(text), ":")
		switch strings.TrimSpace(name) {
		case "user-agent", "disallow", "allow", "sitemap", "crawl-delay":
			ruled++
		}
		if text[0] == '{' && log.json.read(text, &log.req) == "" && or(log.req[partRequest], log.req[partMethod]) != "" ||
			strings.HasPrefix(text, "#Fields:") || text[0] != '{' && log.usual(text) {
			logged++
		}
	}
	switch {
	case 2*logged > all, logged > 0 && bytes.HasPrefix(b, []byte("#")):
		return "it is an access log: name it by --access-log", true
	case 2*ruled > all:
		return "it is a robots.txt itself: 'robotsaudit match FILE TOKEN URL' asks it; as a capture, it needs a row " +
			"with its URL and time in a table, for --robots", true
	case bytes.HasPrefix(bytes.TrimSpace(b), []byte("<")):
		return "it is HTML or XML: leave it out", true
	}
	return fmt.Sprintf("it begins with %.40q", b[:min(len(b), 40)]), false
}
