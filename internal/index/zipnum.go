package index

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// maxParts is how many files a ZipNum cluster may have: those of Common Crawl have 300.
const maxParts = 100_000

// ClusterParts reads the .idx or .loc of a ZipNum cluster, and returns the files that it names, each
// once: an .idx has their names, a .loc their places.
func ClusterParts(r io.Reader) ([]string, error) {
	seen := make(map[string]bool)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxRow)
	for n := 1; lines.Scan(); n++ {
		line := lines.Bytes()
		if len(line) == 0 {
			continue
		}
		if !isZipNumLine(line) && !isLocationLine(line) {
			return nil, fmt.Errorf("line %d is not one of the .idx or .loc of a ZipNum cluster", n)
		}
		part := strings.Split(string(line), "\t")[1]
		if seen[part] = true; len(seen) > maxParts {
			return nil, fmt.Errorf("it names more than %d files", maxParts)
		}
	}
	return slices.Sorted(maps.Keys(seen)), lines.Err()
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

// isLocationLine recognises a line of the .loc of a ZipNum cluster, which says where its parts lie: a
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
