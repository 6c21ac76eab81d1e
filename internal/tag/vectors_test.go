package tag_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/tag/markup"
)

// A vector is a line of testdata/vectors.jsonl: header lines or a page, with where
// the expectation comes from.
type vector struct {
	ID        string            `json:"id"`
	Source    string            `json:"source"`
	Header    []string          `json:"header"`
	HTML      string            `json:"html"`
	Want      map[string]string `json:"want"` // token: effective set
	Conflicts map[string]string `json:"conflicts"`
	Mode      string            `json:"mode"`  // of the first tag
	Notes     *string           `json:"notes"` // one that some tag, signal or the page has; "": none has any
	Place     string            `json:"place"` // of the first meta
	Signals   []string          `json:"signals"`
	Value     string            `json:"value"` // of the first signal
	Draft     string            `json:"draft"`
}

func vectors(t testing.TB) (list []vector) {
	data, err := os.ReadFile("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	for d.More() {
		var v vector
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

func (v *vector) read() tag.Page {
	p := tag.ReadHeaders(strings.Join(v.Header, "\n"))
	found := new(markup.Scanner).Scan([]byte(v.HTML), "", false, false)
	metas := found.Read()
	p.Tags, p.Signals = append(p.Tags, metas.Tags...), append(p.Signals, metas.Signals...)
	return p
}

func TestVectors(t *testing.T) {
	list := vectors(t)
	if len(list) < 150 {
		t.Errorf("%d vectors", len(list))
	}
	for _, v := range list {
		t.Run(v.ID, func(t *testing.T) {
			if v.Source == "" {
				t.Error("no source")
			}
			p := v.read()
			v.sets(t, p, v.Want, "lenient")
			for token, want := range v.Conflicts {
				if set := tag.Effective(p.Tags, token); set.Conflicts.String() != want {
					t.Errorf("%q: conflicts %q, want %q", token, set.Conflicts, want)
				}
			}
			v.details(t, p)
			signals(t, p, v.Signals, "lenient")
		})
	}
}

// TestSaid: what restricts or allows a use names itself, also where it is a bare value. Every protocol of header
// fields and metas has a vector.
func TestSaid(t *testing.T) {
	seen := map[tag.SignalKind]bool{ // that have no vectors: of page tags, and of files
		tag.SignalTag: true, tag.SignalRSL: true, tag.SignalAITraining: true, tag.SignalTraining: true,
	}
	for _, v := range vectors(t) {
		for _, s := range v.read().Signals {
			seen[s.Kind] = true
			said := ascii.Lower(s.Said())
			if s.Preference != tag.PreferenceUnstated && !strings.Contains(said, s.Label) {
				t.Errorf("%s: %q does not say that it is %s", v.ID, said, s.Label)
			}
		}
	}
	for kind := range tag.Protocols[1:] {
		if k := tag.SignalKind(kind + 1); !seen[k] {
			t.Errorf("no vector has %v", k)
		}
	}
}

func (v *vector) sets(t *testing.T, p tag.Page, want map[string]string, reading string) {
	t.Helper()
	for token, w := range want {
		set := tag.Effective(p.Tags, token)
		if got := set.String(); !sameWords(got, w) {
			t.Errorf("%s, %q: %.300s, want %.300s", reading, token, got, w)
		}
	}
}

// sameWords compares lists whatever their order.
func sameWords(a, b string) bool {
	x, y := strings.Split(a, ", "), strings.Split(b, ", ")
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// placeNames are the places of tags, as the vectors have them.
var placeNames = [...]string{"unknown", "head", "head_noscript", "body", "body_noscript", "template"}

func (v *vector) details(t *testing.T, p tag.Page) {
	t.Helper()
	if v.Mode != "" && (len(p.Tags) == 0 || p.Tags[0].Mode.String() != v.Mode) {
		t.Errorf("mode of %+v, want %s", p.Tags, v.Mode)
	}
	if v.Place != "" && (len(p.Tags) == 0 || placeNames[p.Tags[0].Place] != v.Place) {
		t.Errorf("place of %+v, want %s", p.Tags, v.Place)
	}
	notes := p.Notes
	for _, g := range p.Tags {
		notes |= g.Notes
	}
	for _, s := range p.Signals {
		notes |= s.Notes
	}
	if v.Notes != nil && *v.Notes != "" && !slices.Contains(strings.Split(notes.String(), ","), *v.Notes) {
		t.Errorf("notes %q, want %q", notes, *v.Notes)
	}
	if v.Value != "" && p.Signals[0].Value != v.Value {
		t.Errorf("value %q, want %q", p.Signals[0].Value, v.Value)
	}
	if v.Draft != "" && p.Signals[0].Draft != v.Draft {
		t.Errorf("draft %q, want %q", p.Signals[0].Draft, v.Draft)
	}
}

func signals(t *testing.T, p tag.Page, want []string, reading string) {
	t.Helper()
	got := []string{}
	for _, s := range p.Signals {
		got = append(got, s.Purpose.String()+"="+s.Preference.String())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s signals %q, want %q", reading, got, want)
	}
}

// FuzzHeaders looks for panics, and for a tag that is not in the header.
func FuzzHeaders(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(strings.Join(v.Header, "\n"))
	}
	f.Fuzz(func(t *testing.T, policy string) {
		p := tag.ReadHeaders(policy)
		set := tag.Effective(p.Tags, "googlebot")
		_ = set.String()
		for _, g := range p.Tags {
			if g.Rule != tag.RuleUnknown && !strings.Contains(ascii.Lower(policy), g.Rule.String()) {
				t.Errorf("%q: %v is not there", policy, g.Rule)
			}
		}
	})
}
