package crawler

import (
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// TestSoftwareOf: all warcinfo records name the software, and Browsertrix read robots.txt if it skipped pages for it.
func TestSoftwareOf(t *testing.T) {
	wget, browsertrix := facts.Crawl{Software: "Wget/1.21.3 (linux-gnu)"}, facts.Crawl{Software: "Browsertrix-Crawler 1.10.2"}
	for _, c := range []struct {
		want   string
		events int64
		crawls []facts.Crawl
	}{
		{"Wget 1.21.3", 0, []facts.Crawl{wget, wget}},
		{"", 1, []facts.Crawl{wget, browsertrix}},
		{"", 0, []facts.Crawl{browsertrix}},
		{"Browsertrix 1.10.2", 1, []facts.Crawl{browsertrix}},
	} {
		if got := softwareOf(&facts.InputStats{Events: c.events, Crawls: c.crawls}); got.Software != c.want {
			t.Errorf("%v, %d pages skipped: %q, want %q", c.crawls, c.events, got.Software, c.want)
		}
	}
}
