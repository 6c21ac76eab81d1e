package verdict

import (
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// TestOwnAgent: Brozzler without a User-Agent of its own sends a browser's, and looks for its name.
func TestOwnAgent(t *testing.T) {
	const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
	for agent, want := range map[string]string{"": "brozzler", "ExampleBot": chrome} {
		r := Finding{Agent: agent, Fetch: &facts.Fetch{UserAgent: chrome}}
		if got := r.agentOf(robots.Brozzler); got != want {
			t.Errorf("token %q: %q, want %q", agent, got, want)
		}
	}
}
