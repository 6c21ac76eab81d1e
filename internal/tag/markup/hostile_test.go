package markup

import (
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/tag"
)

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
		t.Run(name, func(t *testing.T) {
			f := Scan([]byte(page), "", false)
			if len(f.Items) > tag.MaxItems || len(f.Encode()) > maxKept+16*tag.MaxItems {
				t.Errorf("%s: %d items, %d bytes", name, len(f.Items), len(f.Encode()))
			}
			if len(page) > MaxScan && !f.Cut {
				t.Errorf("%s: cut, but not said", name)
			}
			if name == "metas" && (!f.More || len(f.Items) != tag.MaxItems) {
				t.Errorf("%d of many metas kept, more: %v", len(f.Items), f.More)
			}
			p := f.Read()
			tag.Effective(p.Tags, "a")
		})
	}
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
		{"<head><p>", true, true, true}, // the source may hold more of its head
		{"<head></head><p>", true, true, false},
		{"<p>", true, true, false},
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
			if len(f.Items) != 1 || f.Items[0].Content != "noindex, é" || f.Items[0].Place != tag.PlaceHead {
				t.Errorf("mark %v, big-endian %v: %+v", bom, big, f.Items)
			}
		}
	}
}
