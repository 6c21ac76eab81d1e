package parsed

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/pack"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// TestCache keeps what an origin uses in turns, and forgets it for the next one
// where it is more than many hosts serve.
func TestCache(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bodies.pack")
	w, err := pack.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	var states []*resolve.State
	for i := range 2 * keptParsed / parsedMin {
		ref, err := w.Put(fmt.Appendf(nil, "User-agent: *\nDisallow: /%d/\n", i))
		if err != nil {
			t.Fatal(err)
		}
		st := &resolve.State{HasBody: true, Outcome: words.OutcomeRules}
		st.BodyDigest, st.BodyOffset, st.BodySize = string(ref.Digest[:]), ref.Offset, ref.Size
		states = append(states, st)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := facts.NewReader(new(facts.Set), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.AddPack(path); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := NewCache(r, robots.RFC9309)
	get := func(i int) *File {
		f, err := c.Get(states[i])
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first := get(0)
	c.NewOrigin()
	if get(0) != first {
		t.Error("one file is forgotten from one origin to the next")
	}
	for i := range states {
		get(i)
	}
	if get(0) != first {
		t.Error("a file is forgotten while its origin is decided")
	}
	c.NewOrigin()
	if len(c.files) != 0 || c.size != 0 {
		t.Errorf("%d files of %d bytes are kept for another origin", len(c.files), c.size)
	}
}
