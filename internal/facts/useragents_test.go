package facts

import (
	"fmt"
	"maps"
	"testing"
)

// TestUserAgents: User-Agents are counted alike, whether a manifest has them or the fetches are read.
func TestUserAgents(t *testing.T) {
	for _, distinct := range []int{1, maxUserAgents, maxUserAgents + 1} {
		dir := t.TempDir()
		w, err := NewWriter(dir)
		if err != nil {
			t.Fatal(err)
		}
		want := make(map[string]int64)
		for i := range 3 * distinct {
			f := Fetch{
				HostReversed: "org,example", Origin: "http://example.org", URL: "http://example.org/",
				Index: int64(i),
			}
			if i%distinct > 0 {
				f.UserAgent = fmt.Sprintf("Bot\xff/%d", i%distinct)
			}
			want[f.UserAgent]++
			if err := w.Fetch(&f); err != nil {
				t.Fatal(err)
			}
		}
		task := Task{Dir: dir, Global: []int32{0}}
		if err := w.Close(&task.Manifest); err != nil {
			t.Fatal(err)
		}
		m, err := ReadManifest(dir)
		if err != nil {
			t.Fatal(err)
		}
		task.Manifest = *m
		if counted := len(m.UserAgents) > 0; counted != (distinct <= maxUserAgents) {
			t.Errorf("%d User-Agents: the manifest has %d", distinct, len(m.UserAgents))
		}
		r, err := NewReader(&Set{Tasks: []Task{task}}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]int64)
		err = r.UserAgents(t.Context(), func(userAgent string, fetches int64) { got[userAgent] += fetches })
		r.Close()
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%d User-Agents: %v, %v; want %v", distinct, got, err, want)
		}
	}
}
