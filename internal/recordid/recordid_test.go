package recordid

import (
	"encoding/json"
	"testing"
)

func TestPack(t *testing.T) {
	for in, size := range map[string]int{
		"urn:uuid:12345678-9abc-def0-1234-56789abcdef0": 17,
		"urn:uuid:12345678-9ABC-DEF0-1234-56789ABCDEF0": 45, // upper case would come back lower
		"urn:uuid:123456789abc-def0-1234-56789abcdef0-": 45,
		"urn:uuid:12345678-9abc-def0-1234-56789abcdeg0": 45,
		"urn:uuid:":                   9,
		"http://archive.example/id/1": 27,
		"":                            0,
	} {
		packed := Parse(in)
		if len(packed) != size {
			t.Errorf("%q packed to %d bytes, want %d", in, len(packed), size)
		}
		if back := packed.String(); back != in {
			t.Errorf("%q came back as %q", in, back)
		}
	}
}

func TestIs(t *testing.T) {
	const lower, upper = "urn:uuid:12345678-9abc-def0-1234-56789abcdef0",
		"urn:uuid:12345678-9ABC-DEF0-1234-56789ABCDEF0"
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{lower, lower, true},
		{lower, upper, true},
		{upper, upper, true},
		{upper, "URN:UUID:12345678-9ABC-def0-1234-56789abcdef0", true},
		{lower, "urn:uuid:12345678-9abc-def0-1234-56789abcdef1", false},
		{upper, "urn:uuid:12345678-9abc-def0-1234-56789abcdef1", false},
		{lower, "urn:uuid:12345678-9ABC-def0-1234-56789abcdef0", true},
		// no UUID
		{"urn:uuid:12345678-9abc-def0-1234-56789abcdefg", "urn:uuid:12345678-9abc-def0-1234-56789abcdefG", false},
		{"http://archive.example/id/a", "http://archive.example/id/a", true},
		{"http://archive.example/id/a", "http://archive.example/id/A", false},
	} {
		if got := Parse(c.a).Is(Parse(c.b)); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}

// TestJSON: an ID is never shown packed.
func TestJSON(t *testing.T) {
	const text = "urn:uuid:12345678-9abc-def0-1234-56789abcdef0"
	b, err := json.Marshal(map[string]ID{"id": Parse(text)})
	if want := `{"id":"` + text + `"}`; string(b) != want || err != nil {
		t.Errorf("%s, %v", b, err)
	}
	var back map[string]ID
	if err := json.Unmarshal(b, &back); err != nil || back["id"] != Parse(text) {
		t.Errorf("%q, %v", string(back["id"]), err)
	}
}
