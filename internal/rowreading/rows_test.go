package rowreading

import (
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/cdx"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// A time in digits is UTC. Any other has a zone only if the index states it.
func TestRowTime(t *testing.T) {
	for _, c := range []struct {
		row       cdx.Row
		zoned, ok bool
	}{
		{cdx.Row{Time: "20240501120000", Micros: cdx.NoTime}, true, true},
		{cdx.Row{Time: "2024-05-01T12:00:00Z", Micros: cdx.NoTime}, true, true},
		{cdx.Row{Time: "2024-05-01T12:00:00", Micros: cdx.NoTime}, false, true},
		{cdx.Row{Time: "today", Micros: cdx.NoTime}, false, false},
		{cdx.Row{Micros: 1e15}, true, true},
		{cdx.Row{Micros: 1e15, NoZone: true}, false, true},
	} {
		if _, zoned, ok := rowTime(&c.row); ok != c.ok || zoned != c.zoned && ok {
			t.Errorf("%+v: zoned %t, %t", c.row, zoned, ok)
		}
	}
}

// TestFindAccessLogMissing: a file that is not there is named once, with what to do.
func TestFindAccessLogMissing(t *testing.T) {
	for _, c := range []struct {
		how  facts.AccessLog
		name string
	}{
		{facts.AccessLog{Ranges: []facts.LogRanges{{Token: "A", Path: "no.json"}}}, "--ranges no.json"},
	} {
		rest, found := "", false
		if _, err := FindAccessLog(c.how); err != nil {
			rest, found = strings.CutPrefix(err.Error(), c.name+": ")
		}
		if !found || strings.Contains(rest, "no.") || !strings.HasSuffix(rest, "; check the path") {
			t.Errorf("%s: %q", c.name, rest)
		}
	}
}
