package crawler

import (
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// TestSoftwareOf has which software warcinfo records name: its parser counts for more, and there is one answer.
func TestSoftwareOf(t *testing.T) {
	const parser = "checked via crawler-commons 1.6 (https://github.com/crawler-commons/crawler-commons)"
	for _, c := range []struct {
		name   string
		crawls []facts.Crawl
		want   string
	}{
		{"none", nil, ""},
		{"software", []facts.Crawl{{Software: "Wget/1.21.3", Robots: "classic"}}, "Wget 1.21.3"},
		{"parser", []facts.Crawl{{Software: "Apache Nutch 1.21 (modified)", Robots: parser}}, "crawler-commons 1.6"},
		{"older parser", []facts.Crawl{{Software: "Apache Nutch 1.21", Robots: "checked via crawler-commons 1.3"}}, "crawler-commons 1.3"},
		{"which is not known", []facts.Crawl{{Software: "Nutch 1.19", Robots: "checked via crawler-commons 1.4-SNAPSHOT"}}, ""},
		{"two", []facts.Crawl{{Software: "Wget/1.21.3"}, {Robots: parser}}, ""},
	} {
		if got := softwareOf(c.crawls).Software; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
