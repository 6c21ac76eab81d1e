package rowreading

import (
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
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
		{cdx.Row{Time: "2024/05/01 12:00:00", Micros: cdx.NoTime}, false, true},
		{cdx.Row{Time: "05/01/2024 12:00:00", Micros: cdx.NoTime}, false, false},
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

// TestReadRanges: all texts of JSON that are addresses but names of members, or all lines; a prefix in another one is
// none more.
func TestReadRanges(t *testing.T) {
	for content, want := range map[string]string{
		`{"a": [{"ipv4Prefix": "10.0.0.0/8", "n": 1}, {"ipv6Prefix": "2001:db8::/32"}], "10.9.0.0/16": {"x": null, "b": "1.2.3.4"}}`: "1.2.3.4/32 10.0.0.0/8 2001:db8::/32",
		`["10.1.0.0/16", ["10.0.0.0/8"], "10.1.2.3", "no"]`:                                                                          "10.0.0.0/8",
		`["10.1.2.128/25", "2001:db8:8000::/33", "10.1.2.0/25", "2001:db8::/31", "::/8"]`:                                            "10.1.2.0/25 10.1.2.128/25 ::/8 2001:db8::/31",
		`"10.1.2.3"`:                    "10.1.2.3/32",
		"10.1.2.3\n\n 10.1.2.0/24 \r\n": "10.1.2.0/24",
		"# all\n10.1.2.3":               "10.1.2.3/32",
		"1.2.3.4 " + strings.Repeat("x", 100_000) + "\n10.1.2.3\n": "10.1.2.3/32",
		`["10.1.2.3"] ["10.1.2.4"]`:                                "", `{"a": "10.1.2.3"`: "", `{}`: "", "": "",
	} {
		path := filepath.Join(t.TempDir(), "ranges")
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		list, sum, err := readRanges(path)
		var r ranges
		r.add(list)
		var got []string
		for _, p := range r.prefixes {
			got = append(got, p.String())
		}
		if strings.Join(got, " ") != want || (err == nil) != (want != "") {
			t.Errorf("%.80s: %s, %v", content, got, err)
		}
		if of := sha256.Sum256([]byte(content)); err == nil && sum != hex.EncodeToString(of[:]) {
			t.Errorf("%.80s: sum %s", content, sum)
		}
		for _, p := range list {
			next := netip.MustParseAddr("11.0.0.0")
			if a := p.Addr(); !r.hold(a) || r.hold(next) {
				t.Errorf("%.80s: %s is held %t, %s %t", content, a, r.hold(a), next, r.hold(next))
			}
		}
	}
}
