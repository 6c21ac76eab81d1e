package evaluate

import (
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
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

// TestOwnFails: what a crawler's own parser makes of a file where it fails is not known.
func TestOwnFails(t *testing.T) {
	var c fileCache
	f := &parsedFile{File: robots.Parse([]byte("user-agent: *\ndisallow: /\xFF\n"), robots.RFC9309)}
	for range 2 {
		if g := c.own(f, robots.Urllib0, "bot"); g != nil {
			t.Error("urllib.robotparser of before 3.13.8 reads bytes that are no UTF-8")
		}
		if g := c.own(f, robots.Urllib, "bot"); g == nil || g.Match("/%FF").Allowed {
			t.Error("urllib.robotparser reads no bytes that are no UTF-8")
		}
	}
}

// TestOwnAgent: Brozzler without a User-Agent of its own sends a browser's, and looks for its name.
func TestOwnAgent(t *testing.T) {
	const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
	for agent, want := range map[string]string{"": "brozzler", "ExampleBot": chrome} {
		r := Result{Agent: agent, Fetch: &facts.Fetch{UserAgent: chrome}}
		if got := ownAgent(&r, robots.Brozzler); got != want {
			t.Errorf("token %q: %q, want %q", agent, got, want)
		}
	}
}
