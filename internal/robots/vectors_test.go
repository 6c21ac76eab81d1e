package robots

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestVectors runs Google's conformance suite, with what RFC 9309 says where it
// says anything.
func TestVectors(t *testing.T) {
	const name = "../../../shared/vectors/rep-spec-test.jsonl"
	file, err := os.Open(name)
	if err != nil {
		t.Skipf("no conformance suite: %v", err)
	}
	defer file.Close()
	counts := make(map[Profile]int)
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v struct {
			ID      string
			Body    []byte `json:"body_b64"`
			Agent   string
			URL     string
			Google  *string
			RFC9309 *string
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		for p, want := range map[Profile]*string{Google: v.Google, RFC9309: v.RFC9309} {
			if want == nil {
				continue
			}
			counts[p]++
			f := Parse(v.Body, p)
			d := f.For(v.Agent).Match(googlePath(v.URL))
			if got := map[bool]string{true: "allow", false: "disallow"}[d.Allowed]; got != *want {
				t.Errorf("%s %v: %q asks for %s: got %s, want %s\n%s", v.ID, p, v.Agent, v.URL, got, *want, v.Body)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if counts[Google] != 400 || counts[RFC9309] < 300 {
		t.Errorf("vectors run: %v", counts)
	}
}

// googlePath splits a URL as Google's matcher does.
func googlePath(url string) string {
	start := 0
	if strings.HasPrefix(url, "//") {
		start = 2
	}
	early := strings.IndexAny(url[start:], "/?;")
	if i := strings.Index(url[start:], "://"); i >= 0 && (early < 0 || i <= early-1) {
		start += i + 3
	}
	path := url[start:]
	if i := strings.IndexByte(path, '#'); i >= 0 {
		path = path[:i]
	}
	i := strings.IndexAny(path, "/?;")
	switch {
	case i < 0:
		return "/"
	case path[i] != '/':
		return "/" + path[i:]
	}
	return path[i:]
}
