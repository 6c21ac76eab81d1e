package index

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

// maxParts is how many files a ZipNum cluster may have: Common Crawl's have 300.
const maxParts = 100_000

// ClusterPart is a file that the .idx or .loc of a ZipNum cluster names.
type ClusterPart struct {
	Name   string
	Line   int      // that names it first
	Places []string // where it lies, as a .loc has it; nil in an .idx
}

// ClusterParts reads the .idx or .loc of a ZipNum cluster, or the summary of a compressed CDXJ, and
// returns the files that it names, each once, in its order. An .idx has their names, or aliases of
// them; a .loc has names and places.
func ClusterParts(r io.Reader) ([]ClusterPart, error) {
	var parts []ClusterPart
	seen := make(map[string]bool)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxRow)
	all := "" // the file that holds all of a compressed CDXJ
	for n := 1; lines.Scan(); n++ {
		line := lines.Bytes()
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		part := ClusterPart{Line: n}
		columns := strings.Split(string(line), "\t")
		switch meta, isMeta := bytes.CutPrefix(line, []byte("!meta ")); {
		case isMeta:
			_, object, _ := cutCDXJ("!meta " + string(meta))
			all = fileOf(object)
			continue
		case formatOfLine(line) == ZipNum && len(columns) == 1:
			_, object, _ := cutCDXJ(string(line))
			if part.Name = fileOf(object); part.Name == "" {
				part.Name = all
			}
		case isZipNumLine(line):
			part.Name = columns[1]
		case len(columns) == 1 && isName(columns[0]): // without a place
			continue
		case isName(columns[0]) && len(columns) <= maxPlaces:
			part.Name = columns[0]
			for _, place := range columns[1:] {
				if !isName(place) {
					part.Name = ""
					break
				}
				part.Places = append(part.Places, strings.TrimSpace(place))
			}
		}
		if part.Name == "" {
			return nil, fmt.Errorf("line %d is not one of the .idx or .loc of a ZipNum cluster", n)
		}
		if seen[part.Name] {
			continue
		}
		if seen[part.Name] = true; len(seen) > maxParts {
			return nil, fmt.Errorf("it names more than %d files", maxParts)
		}
		parts = append(parts, part)
	}
	return parts, lines.Err()
}

// maxPlaces bounds the columns of a .loc.
const maxPlaces = 64

// isName reports whether a column of a .loc may be a name or a place.
func isName(s string) bool { return s != "" && !strings.Contains(strings.TrimRight(s, " \r"), " ") }

// fileOf is the file that a line of the summary of a compressed CDXJ names.
func fileOf(object string) string {
	o, row := objects{names: captureNames}, noRow
	if object == "" || o.set(object, &row) != "" {
		return ""
	}
	return row.Filename
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

// isLocationLine recognises a line of the .loc of a ZipNum cluster, which gives the places of its parts: a
// name, and places with that name in them.
func isLocationLine(line []byte) bool {
	columns := strings.Split(string(line), "\t")
	if len(columns) < 2 || columns[0] == "" {
		return false
	}
	for _, place := range columns[1:] {
		if !strings.Contains(place, columns[0]) || !strings.HasSuffix(place, ".gz") || strings.Contains(place, " ") {
			return false
		}
	}
	return true
}
