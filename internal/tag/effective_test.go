package tag

import (
	"slices"
	"testing"
	"time"
)

// Nothing opts out: a token's rules are its own and everybody's
// (draft-illyes-repext-03 §3.1.1).
func TestEffectiveIsUnion(t *testing.T) {
	tags := ReadHeaders("Robots-Tag: *;nosnippet, ExampleBot;noindex\nX-Robots-Tag: examplebot: all, otherbot: noai").Tags
	for token, want := range map[string]string{
		"ExampleBot": "noindex, nosnippet, follow",
		"otherbot":   "nosnippet, noai",
		"CCBot":      "nosnippet",
		"":           "nosnippet",
	} {
		set := Effective(tags, token)
		if got := set.String(); got != want {
			t.Errorf("%q: %s, want %s", token, got, want)
		}
	}
	set := Effective(tags, "ExampleBot")
	if set.Conflicts != ConflictIndex {
		t.Errorf("conflicts %q, want index", set.Conflicts)
	}
}

// Of several values the most restrictive holds, and -1 restricts nothing.
func TestEffectiveValues(t *testing.T) {
	tags := ReadHeaders("X-Robots-Tag: max-snippet:-1, max-snippet:20, max-snippet:50, max-snippet:x, " +
		"max-image-preview:large, max-image-preview:standard, " +
		"unavailable_after: 2030-01-01, unavailable_after: 2020-01-01, unavailable_after: never").Tags
	set := Effective(tags, "")
	if got, want := set.String(),
		"max-snippet:20, max-image-preview:standard, unavailable_after: 2020-01-01T00:00:00Z"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if set.Conflicts != ConflictValues {
		t.Errorf("conflicts %q", set.Conflicts)
	}
}

// Each tag keeps its rule as written, a date with its comma and all.
func TestRaw(t *testing.T) {
	const date = "unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT"
	metas := Found{Items: []Item{{Name: "robots", Content: "a, " + date + " , NoIndex", Place: PlaceHead}}}
	for _, c := range []struct {
		page Page
		raw  []string
		mode Mode
	}{
		{ReadHeaders("X-Robots-Tag: bot: " + date + "; NoIndex"), []string{"bot: " + date, "NoIndex"}, ModeLegacy},
		{metas.Read(), []string{"a", date, "NoIndex"}, ModeMeta},
		{
			ReadHeaders("Robots-Tag: *; NoIndex;noai , Bot;all"),
			[]string{"*; NoIndex;noai", "*; NoIndex;noai", "Bot;all"},
			ModeStructured,
		},
	} {
		var raw []string
		for _, g := range c.page.Tags {
			raw = append(raw, g.Raw)
			if g.Mode != c.mode {
				t.Errorf("%q is %s, want %s", g.Raw, g.Mode, c.mode)
			}
		}
		if !slices.Equal(raw, c.raw) {
			t.Errorf("%q, want %q", raw, c.raw)
		}
	}
}

// A rule is grounds for a restriction only where it restricts by itself.
func TestGrounds(t *testing.T) {
	tags := ReadHeaders("X-Robots-Tag: max-snippet:-1, max-snippet:9, none, index, noimageai, unavailable_after: " +
		"2020-01-01T00:00:00Z, unavailable_after: 2030-01-01").Tags
	at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, image := range []bool{false, true} {
		set := Effective(tags, "")
		set.Image = image
		var grounds []string
		for _, r := range set.Rules() {
			for i := range tags {
				if r.Kind() != 0 && set.Restricts(&tags[i], r, at) {
					grounds = append(grounds, tags[i].Raw)
				}
			}
		}
		want := []string{"none", "max-snippet:9", "unavailable_after: 2020-01-01T00:00:00Z"}
		if image {
			want = append(want, "noimageai")
		}
		if !slices.Equal(grounds, want) {
			t.Errorf("image %t: %q, want %q", image, grounds, want)
		}
	}
}
