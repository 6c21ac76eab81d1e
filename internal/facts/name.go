package facts

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// Name is a user's name for fetches: a URL, a WARC-Record-ID, or FILE:OFFSET as in the tables.
type Name struct {
	IsURL  bool
	key    string // of the URL: origin and path
	bucket int    // of its host
	id     recordid.ID
	file   string
	offset int64 // -1: the name is no place
}

// ParseName reads what a user wrote.
func ParseName(what string) Name {
	if u, _ := weburl.Parse(what); strings.Contains(what, "://") && u.Host != "" {
		return Name{IsURL: true, key: u.Key(), bucket: run.BucketOf(u.HostReversed()), offset: -1}
	}
	n := Name{id: recordid.Parse(strings.TrimSuffix(strings.TrimPrefix(what, "<"), ">")), offset: -1}
	if file, digits, ok := splitPlace(what); ok {
		if offset, err := strconv.ParseInt(digits, 10, 64); err == nil && offset >= 0 {
			n.file, n.offset = asInTables(file), offset
		}
	}
	return n
}

// splitPlace cuts FILE:OFFSET at its last colon. The file is with slashes.
func splitPlace(place string) (file, offset string, ok bool) {
	i := strings.LastIndexByte(place, ':')
	if i <= 0 {
		return "", "", false
	}
	return filepath.ToSlash(place[:i]), place[i+1:], true
}

// Buckets are the buckets that hold the named fetches.
func (n *Name) Buckets() Buckets {
	if n.IsURL {
		return Buckets{From: n.bucket, To: n.bucket + 1}
	}
	return Buckets{}
}

// Fits reports whether a fetch is named. filename returns the name of its archive in the
// tables.
func (n *Name) Fits(f *Fetch, filename func(*Fetch) string) bool {
	switch {
	case n.IsURL:
		u, _ := weburl.Parse(f.URL)
		return u.Key() == n.key
	case f.Offset == n.offset && asInTables(filename(f)) == n.file:
		return true
	}
	return f.RecordID != "" && f.RecordID.Is(n.id)
}

// asInTables percent-encodes bytes outside ASCII: the tables do so with bytes that are no
// UTF-8, and people copy it from there.
func asInTables(s string) string { return ascii.Escaped(s, func(c byte) bool { return c >= 0x80 }) }
