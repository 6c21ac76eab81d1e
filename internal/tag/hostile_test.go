package tag

import (
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// Whatever is sent, the work is bounded, what fits is read, and what was dropped is
// noted.
func TestHostileHeaders(t *testing.T) {
	const mb = 1 << 20
	for name, value := range map[string]string{
		"commas":    "noindex" + strings.Repeat(",", mb),
		"rules":     strings.Repeat("noindex,", mb/8),
		"semicolon": "noindex, *" + strings.Repeat(";a", mb/2),
		"quotes":    "noindex, " + strings.Repeat(`"\`, mb/2),
		"brackets":  "noindex, " + strings.Repeat("(<", mb/2),
		"prefixes":  "noindex, " + strings.Repeat("a:", mb/2),
		"dates":     "noindex, " + strings.Repeat("unavailable_after:", mb/18),
		"spaces":    "noindex, " + strings.Repeat("noindex ", mb/8),
		"nul":       "noindex, " + strings.Repeat("\x00", mb),
		"not utf-8": "noindex, " + strings.Repeat("\xff", mb),
	} {
		for _, field := range []string{
			"Robots-Tag", "X-Robots-Tag", "Content-Usage", "Content-Signal", "Link",
			"TDM-Reservation",
		} {
			t.Run(field+" "+name, func(t *testing.T) {
				p := ReadHeaders(field + ": " + value)
				if p.Notes&NoteCut == 0 {
					t.Errorf("%s %s: cut, but not noted", field, name)
				}
				if set := Effective(p.Tags, ""); strings.HasSuffix(field, "Robots-Tag") && !set.Has(RuleNoindex) {
					t.Errorf("%s %s: what comes first is lost: %v", field, name, p.Notes)
				}
			})
		}
	}
	t.Run("many lines", func(t *testing.T) {
		p := ReadHeaders(strings.Repeat("Robots-Tag: *;noindex, (\"\n", mb/26))
		if p.Notes&NoteMore == 0 || len(p.Tags) > maxTags {
			t.Errorf("%d tags, notes %v", len(p.Tags), p.Notes)
		}
	})
}

func TestHostileRobots(t *testing.T) {
	body := "User-agent: *\n" + strings.Repeat("Content-Usage: /*a*a*a*a*a train-ai=n\n", 12000)
	t.Run("usage lines", func(t *testing.T) {
		f := robots.Parse([]byte(body), robots.RFC9309)
		r := ReadRobots(f, robots.RFC9309)
		if r.Notes&NoteMore == 0 || len(r.Signals) > maxTags {
			t.Errorf("%d signals, notes %v", len(r.Signals), r.Notes)
		}
		list, more := r.For("a", "/"+strings.Repeat("a", 1000))
		if got := Prefers(list, PurposeTrainAI); !more || got != PreferenceRestrict {
			t.Errorf("%v", got)
		}
	})
}

// FuzzDecode looks for panics: facts can be damaged.
func FuzzDecode(f *testing.F) {
	f.Add("\x00\x04\x06robots\x07noindex\x00")
	f.Fuzz(func(t *testing.T, s string) {
		if found, ok := Decode(s); ok {
			found.Read()
		}
	})
}
