// Package finding says all that a report says of one disallowed fetch: the finding in one sentence,
// what proves it, what would settle it, the commands that show its records, and the lines of
// robots.txt, which come from the bodies in the facts. A Selection keeps the most certain of many.
package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

const maxAgent = 200 // bytes of a User-Agent

// Case is a row of violations or unproven that a report keeps. The texts and columns that it shows are kept alone.
type Case struct {
	report.ViolationRow

	Row      int64 // number in the table, from 1
	ShortURL string
	Cut      bool // ShortURL is not all of the URL
	Cited    citedCapture
}

// newCase is a row as a report shows it. cite completes it.
func newCase(row *report.ViolationRow, cite func(*Case)) *Case {
	f := &Case{ViolationRow: *row}
	f.clip()
	cite(f)
	return f
}

// has reports whether the verdict has a note.
func (f *Case) has(note string) bool {
	return slices.Contains(f.Notes, note)
}

// clip makes long texts short before the row is kept: a URL may have 64 KiB, thousands of times. What no report
// shows goes.
func (f *Case) clip() {
	f.ShortURL, f.Cut = prose.ClipMiddle(f.URL, prose.MaxURL)
	f.URL = report.Head(f.URL, 2*prose.MaxURL)
	f.RobotsURL = prose.Clip(f.RobotsURL, prose.MaxName)
	f.Origin = prose.Clip(f.Origin, prose.MaxName)
	f.UserAgent = prose.Clip(f.UserAgent, maxAgent)
	f.Claim = prose.Clip(f.Claim, prose.MaxName)
	f.Via = prose.Clip(f.Via, prose.MaxURL)
	f.Rule = prose.Clip(f.Rule, prose.MaxName)
	f.SURTKey, f.HostName, f.RegisteredDomain, f.HostNameReversed, f.Protocol = "", "", "", "", ""
	f.Path, f.Query, f.FetchRedirect, f.ContentMIMEType, f.ContentTruncated = "", nil, "", "", ""
}

// ID is the name of a finding for quotations: by its record, or the place of that where it has no ID, and its
// time in microseconds since 1970. A later report of the same archives has the same name.
func ID(record, origin string, time int64) string {
	sum := sha256.Sum256(fmt.Append(nil, record, " ", origin, " ", time))
	return "f-" + hex.EncodeToString(sum[:5])
}

// IDOf is the ID of the finding in a row.
func IDOf(v *report.ViolationRow) string {
	return ID(cmp.Or(v.WARCRecordID, fmt.Sprintf("%s:%d", v.WARCFilename, v.WARCRecordOffset)), v.Origin,
		prose.Value(v.FetchTime))
}

// ParseName returns the ID in a name that a report gives a finding: a number follows where several have one ID.
func ParseName(s string) (id string, ok bool) {
	const length = len("f-138a3dfb7d")
	if len(s) < length || !strings.HasPrefix(s, "f-") {
		return "", false
	}
	id, number := s[:length], s[length:]
	b, err := hex.DecodeString(id[2:])
	if err != nil || id != "f-"+hex.EncodeToString(b) {
		return "", false
	}
	if number != "" {
		_, err = strconv.ParseUint(strings.TrimPrefix(number, "-"), 10, 64)
		return id, number[0] == '-' && err == nil
	}
	return id, true
}
