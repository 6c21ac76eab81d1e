package tag

import "testing"

// Nothing opts out: a token's rules are its own and everybody's
// (draft-illyes-repext-03 §3.1.1).
func TestEffectiveIsUnion(t *testing.T) {
	tags := ReadHeaders("Robots-Tag: *;nosnippet, ExampleBot;noindex\nX-Robots-Tag: examplebot: all, otherbot: noai", Lenient).Tags
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
	tags := ReadHeaders("X-Robots-Tag: max-snippet:-1, max-snippet:20, max-snippet:50, max-snippet:x, max-image-preview:large, max-image-preview:standard, "+
		"unavailable_after: 2030-01-01, unavailable_after: 2020-01-01, unavailable_after: never", Lenient).Tags
	set := Effective(tags, "")
	if got, want := set.String(), "max-snippet:20, max-image-preview:standard, unavailable_after: 2020-01-01T00:00:00Z"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if set.Conflicts != ConflictValues {
		t.Errorf("conflicts %q", set.Conflicts)
	}
}
