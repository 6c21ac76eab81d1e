package tag

import (
	"strings"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// bounded runs f and logs how long it took: where work is not bounded, the test run has
// no end.
func bounded(t *testing.T, what string, f func()) {
	t.Helper()
	start := time.Now()
	f()
	t.Logf("%s: %v", what, time.Since(start))
}

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
			bounded(t, field+" "+name, func() {
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
	bounded(t, "many lines", func() {
		p := ReadHeaders(strings.Repeat("Robots-Tag: *;noindex, (\"\n", mb/26))
		if p.Notes&NoteMore == 0 || len(p.Tags) > maxTags {
			t.Errorf("%d tags, notes %v", len(p.Tags), p.Notes)
		}
	})
}

func TestHostilePages(t *testing.T) {
	const million = 1 << 20
	meta := "<meta name=robots content=noindex>"
	for name, page := range map[string]string{
		"metas":       strings.Repeat(meta, million/8),
		"empty metas": strings.Repeat("<meta>", million),
		"templates":   strings.Repeat("<template>", million) + meta,
		"noscripts":   strings.Repeat("<noscript>", million) + meta,
		"open tags":   strings.Repeat("<meta name='", million),
		"open quotes": strings.Repeat(`<meta a="<link b='`, million),
		"comments":    strings.Repeat("<!--", million),
		"bogus":       strings.Repeat("<!", million),
		"scripts":     strings.Repeat("<script><!--<script>", million),
		"dashes":      "<script><!--" + strings.Repeat("-", million),
		"less than":   strings.Repeat("<", million),
		"ampersands":  `<meta name=robots content="` + strings.Repeat("&", million) + `">`,
		"references":  `<meta name=robots content="` + strings.Repeat("&a", million) + `">`,
		"attributes":  "<meta " + strings.Repeat("a ", million) + ">",
		"nul":         strings.Repeat("\x00", million),
		"not utf-8":   strings.Repeat("\xff<meta name=robots content=\xff>", million/16),
		"utf-16":      "\xff\xfe" + strings.Repeat("<\x00", million),
	} {
		bounded(t, name, func() {
			f := Scan([]byte(page), "", false)
			if len(f.Items) > MaxItems || len(f.Encode()) > maxKept+16*MaxItems {
				t.Errorf("%s: %d items, %d bytes", name, len(f.Items), len(f.Encode()))
			}
			if len(page) > MaxScan && !f.Cut {
				t.Errorf("%s: cut, but not said", name)
			}
			if name == "metas" && (!f.More || len(f.Items) != MaxItems) {
				t.Errorf("%d of many metas kept, more: %v", len(f.Items), f.More)
			}
			p := f.Read()
			Effective(p.Tags, "a")
		})
	}
}

func TestHostileRobots(t *testing.T) {
	body := "User-agent: *\n" + strings.Repeat("Content-Usage: /*a*a*a*a*a train-ai=n\n", 12000)
	bounded(t, "usage lines", func() {
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

// Where the head had not ended before the bound, absence proves nothing, and that is
// said.
func TestScanOpen(t *testing.T) {
	long := "<title>" + strings.Repeat("x", MaxScan)
	for _, c := range []struct {
		page      string
		more      bool
		cut, open bool
	}{
		{"<p>", false, false, false},
		{"<head>", false, false, false},
		{"<head>", true, true, true},
		{"<head><p>", true, true, false},
		{"<head><!-- ", true, true, true},
		{long, false, true, true},
		{"<body>" + long, false, true, false},
	} {
		if f := Scan([]byte(c.page), "", c.more); f.Cut != c.cut || f.Open != c.open {
			t.Errorf("%.20s: cut %v, open %v", c.page, f.Cut, f.Open)
		}
	}
}

// A page in UTF-16 says the same as in UTF-8.
func TestScanUTF16(t *testing.T) {
	page := `<title>é</title><meta name=robots content="noindex, é">`
	for _, bom := range []bool{true, false} {
		for _, big := range []bool{true, false} {
			var b []byte
			text := page
			if bom {
				text = "\uFEFF" + page
			}
			for _, r := range text {
				if big {
					b = append(b, byte(r>>8), byte(r))
				} else {
					b = append(b, byte(r), byte(r>>8))
				}
			}
			f := Scan(b, "", false)
			if len(f.Items) != 1 || f.Items[0].Content != "noindex, é" || f.Items[0].Place != PlaceHead {
				t.Errorf("mark %v, big-endian %v: %+v", bom, big, f.Items)
			}
		}
	}
}

// FuzzHeaders looks for panics, and for a tag that is not in the header.
func FuzzHeaders(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(strings.Join(v.Header, "\n"))
	}
	f.Fuzz(func(t *testing.T, policy string) {
		p := ReadHeaders(policy)
		set := Effective(p.Tags, "googlebot")
		_ = set.String()
		for _, g := range p.Tags {
			if g.Rule != RuleUnknown && !strings.Contains(ascii.Lower(policy), g.Rule.String()) {
				t.Errorf("%q: %v is not there", policy, g.Rule)
			}
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
