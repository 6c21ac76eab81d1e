package robots

import (
	"testing"
	"time"
)

func TestDelay(t *testing.T) {
	for _, c := range []struct {
		key, value string
		want       time.Duration
		ok         bool
	}{
		{"crawl-delay", "10", 10 * time.Second, true},
		{"crawl-delay", "0.5", 500 * time.Millisecond, true},
		{"crawl-delay", "0", 0, true},
		{"crawl-delay", "86400", 24 * time.Hour, true},
		{"crawl-delay", "86401", 0, false},
		{"crawl-delay", "-1", 0, false},
		{"crawl-delay", "NaN", 0, false},
		{"crawl-delay", "1e3", 0, false},
		{"crawl-delay", "0x10", 0, false},
		{"crawl-delay", "ten", 0, false},
		{"crawl-delay", "5s", 0, false},
		{"crawl-delay", "1.2.3", 0, false},
		{"crawl-delay", ".", 0, false},
		{"crawl-delay", "", 0, false},
		{"request-rate", "1/10", 10 * time.Second, true},
		{"request-rate", "1/10s", 10 * time.Second, true},
		{"request-rate", "1 / 2m", 2 * time.Minute, true},
		{"request-rate", "1/1h", time.Hour, true},
		{"request-rate", "30/60", 0, false},         // thirty at once are one way to obey
		{"request-rate", "1/5 0600-0845", 0, false}, // at these hours only
		{"request-rate", "10", 0, false},
		{"request-rate", "1/", 0, false},
		{"sitemap", "10", 0, false},
	} {
		if d, ok := (Record{Key: c.key, Value: c.value}).Delay(); ok != c.ok || ok && d != c.want.Microseconds() {
			t.Errorf("%s: %s: %d %t, want %v %t", c.key, c.value, d, ok, c.want, c.ok)
		}
	}
}

func TestDelayThatIsNoneIsNoted(t *testing.T) {
	f := Parse([]byte("User-agent: *\nCrawl-delay: 5\nDisallow:\n\nUser-agent: a\nDisallow: /\nCrawl-delay: -1\n"),
		RFC9309)
	var lines []int
	for _, n := range f.Notes() {
		if n.Kind == NoteDelay {
			lines = append(lines, n.Line)
		}
	}
	if len(lines) != 1 || lines[0] != 7 {
		t.Errorf("noted in lines %v, want 7", lines)
	}
}
