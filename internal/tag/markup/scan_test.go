package markup

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/robotsaudit/robotsaudit/internal/longtest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// A seen is an element that the differential tests compare: a meta or link that speaks of use, and whether
// the head holds it. Whether a noscript element holds it is compared in the head alone: after the head Scan
// knows no tree.
type seen struct {
	tag.Item
	place tag.Place
}

func (s seen) String() string { return fmt.Sprintf("%v %+v", s.place, s.Item) }

// oracle finds the same with the parser of golang.org/x/net/html.
func oracle(page []byte, scripting bool) (list []seen, err error) {
	doc, err := html.ParseWithOptions(bytes.NewReader(page), html.ParseOptionEnableScripting(scripting))
	if err != nil {
		return nil, err
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Namespace != "" || n.Data != "meta" && n.Data != "link" {
			continue
		}
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
		}
		it := tag.NewMeta(attr["name"], attr["content"])
		if n.Data == "link" {
			it = tag.NewLink(attr["rel"], attr["href"], attr["type"])
		}
		if it.Speaks() {
			list = append(list, seen{it, place(n)})
		}
	}
	return list, nil
}

// place is coarse after the head.
func place(n *html.Node) tag.Place {
	p := tag.PlaceBody
	for a := range n.Ancestors() {
		switch a.Data {
		case "template":
			return tag.PlaceTemplate
		case "noscript":
			p = tag.PlaceBodyNoscript
		case "head":
			if p == tag.PlaceBodyNoscript {
				return tag.PlaceHeadNoscript
			}
			return tag.PlaceHead
		}
	}
	return tag.PlaceBody
}

// scanned is what one reading of the page finds. That of the source is left out: no parser knows it.
func scanned(page []byte, scripting bool) (list []seen) {
	page = decode(page, "")
	s := scanner{page: page, stop: len(page), scripting: scripting, source: sourceAfter}
	s.run()
	for _, it := range s.found.Items {
		p := it.Place
		if p == tag.PlaceBodyNoscript {
			p = tag.PlaceBody
		}
		it.Place = 0
		list = append(list, seen{it, p})
	}
	return list
}

// compare compares Scan with the oracle. If the page has elements after the head for which the tree decides
// whether metas survive, only the head is compared.
func compare(t *testing.T, page []byte) bool {
	t.Helper()
	if !compareLast(t, page) {
		return false
	}
	return compareTrees(t, page, false) && compareTrees(t, page, true)
}

func compareTrees(t *testing.T, page []byte, scripting bool) bool {
	t.Helper()
	want, err := oracle(page, scripting)
	if err != nil || len(want) > tag.MaxItems {
		return true // the oracle gives up on nesting too deep
	}
	got := scanned(page, scripting)
	if low := bytes.ToLower(page); containsAny(low, "<select", "<frameset", "<svg", "<math", "<plaintext") {
		got, want = heads(got), heads(want)
	}
	if fmt.Sprint(got) == fmt.Sprint(want) {
		return true
	}
	t.Errorf("%.1500q, scripting %v\n got  %v\n want %v", page, scripting, got, want)
	return false
}

// compareLast compares the last candidate, which may be the end of the page where
// too much was to be read.
func compareLast(t *testing.T, page []byte) bool {
	t.Helper()
	got, want := lastCandidate(page), lastSpeaking(page)
	if got == want || got == len(page) {
		return true
	}
	t.Errorf("%.1500q\n last candidate at %d, want %d", page, got, want)
	return false
}

// lastSpeaking is lastCandidate without any of its shortcuts.
func lastSpeaking(page []byte) (end int) {
	var a attributes
	for i := range page {
		if page[i] != '<' || !isMetaOrLink(page[i+1:]) {
			continue
		}
		link := page[i+1]|0x20 == 'l'
		if _, ok := a.read(page, i+5); ok && a.item(link).Speaks() {
			end = i + 2
		}
	}
	return end
}

func heads(list []seen) (in []seen) {
	for _, s := range list {
		if s.place.InHead() {
			in = append(in, s)
		}
	}
	return in
}

func containsAny(b []byte, list ...string) bool {
	for _, s := range list {
		if bytes.Contains(b, []byte(s)) {
			return true
		}
	}
	return false
}

// soup holds the parts of generated pages.
var soup = strings.Split(`<html>|<head>|</head>|<body>|</body>|</html>|<!doctype html>|<title>|</title>|<noscript>|</noscript>|<style>|</style>|<script>|</script>|`+
	`<template>|</template>|<meta name=robots content=noindex>|<meta content='nofollow' name="robots"/>|<META NAME=GoogleBot CONTENT="none">|<meta name=x content="noai, b">|`+
	`<meta name="tdm-reservation" content=1>|<link rel="license" href=/l type='application/rsl+xml'>|<link rel=stylesheet href=a>|<meta name=robots content="&#110;oindex&amp;x&copy=1&notit;">|<meta name=robots content="&#0A&#7x&#x&#;&#X;&#6">|`+
	`<meta name=robots>|<meta name=robots name=x content=a content=b>|<meta name=robots content=noindex|<meta name = "robots" content = noindex >|<meta/name=robots/content=noindex/>|`+
	`<!-- -->|<!-->|<!--->|<!--|-->|--!>|<!x>|<?php ?>|</ x>|</>|<!doctype>| |\n|x|&nbsp;|&#32;|&#x20;|<|>|"|'|<p>|</p>|</br>|<br>|<div title="<meta name=robots content=noindex>">|<a b='>'>|`+
	`<base href=x>|<link>|<noframes>|</noframes>|<textarea>|</textarea>|<xmp>|</xmp>|<iframe>|</iframe>|<noembed>|</noembed>|<basefont>|<bgsound>|<frameset>|<select>|`+
	`<script><!--|<img src=x>|</head >|</TITLE>|</script x>|<metax name=robots content=noindex>|<h1 a=">|<b =x>|<i "x>|é|`+"\x00|\r\n|\f|<table>|<tr>|</table>", "|")

func TestScanSoup(t *testing.T) {
	n := 60000
	if !longtest.Run() {
		n = 5000
	}
	random := rand.New(rand.NewPCG(1, 2))
	var again Scanner // in the memory of the pages before
	for range n {
		var b []byte
		for range 1 + random.IntN(14) {
			b = append(b, strings.ReplaceAll(soup[random.IntN(len(soup))], `\n`, "\n")...)
		}
		if !compare(t, b) {
			return
		}
		if got, want := fmt.Sprint(again.Scan(b, "", false, false)), fmt.Sprint(Scan(b, "", false)); got != want {
			t.Fatalf("%q\n got  %s\n want %s", b, got, want)
		}
	}
}

// tagSoup holds the parts of generated metas and links.
var tagSoup = [][]string{
	{" ", " ", " ", " ", " ", "", "/", "\n", " \t/ "},
	{
		"name", "name", "name", "NAME", "content", "content", "content", "Content", "rel", "rel", "rel", "ReL", "href",
		"type", "property", "charset", "names", "nam", "=name", "\"rel", "n\x00me", "<",
	},
	{"=", "=", "=", "=", "=", "=", " = ", "=\n", "\f=", "", "=="},
	{`"`, `"`, `'`, "", ""},
	{
		"robots", "robots", "Robots", "GoogleBot", "ccbot", "google-site-verification", "x", "description", "Keywords",
		"fragment", "og:title", "tdm-policy", "r&#111;bots", "&#58;", "", " ", "\r\n", "\x00",
		"license", "license", "LICENSE", " license\t", "licenses", "licen\u017Fe", "stylesheet", "&#108;icense",
		"&Tab;", "lic", "ense",
		"noindex", "noindex", "NoIndex", "no&#105;ndex", "none", "all", ", noai", ";follow:x", "|index", "a, ",
		"max-snippet:5", "+nofollow&archive", "\vnone", "noinde\u212A", "unavailable_after_all", ">",
	},
	{">", ">", ">", "/>", " >", "", "\">", "x>"},
}

// TestGlance holds what passes over most metas and links against reading them in full:
// on tags of every layout it may never pass over one that speaks of use.
func TestGlance(t *testing.T) {
	n := 200000
	if !longtest.Run() {
		n = 20000
	}
	random := rand.New(rand.NewPCG(3, 4))
	pick := func(part int) string { return tagSoup[part][random.IntN(len(tagSoup[part]))] }
	speak, glanced := 0, 0
	for range n {
		link := random.IntN(2) == 0
		page := "<meta"
		if link {
			page = "<LinK"
		}
		for range 2 + random.IntN(3) {
			quote := pick(3)
			page += pick(0) + pick(1) + pick(2) + quote + pick(4)
			if random.IntN(3) == 0 {
				page += pick(4)
			}
			page += quote
		}
		page += pick(5)
		if lastSpeaking([]byte(page)) > 0 {
			speak++
		}
		if may, _ := glance([]byte(page), 5, link); !may {
			glanced++
		}
		if !compare(t, []byte(page)) {
			return
		}
	}
	if speak < n/50 || glanced < n/20 {
		t.Errorf("of %d tags %d speak of use and %d do not at a glance", n, speak, glanced)
	}
	t.Logf("of %d tags %d speak of use and %d do not at a glance", n, speak, glanced)
}

// TestGlanceLimits is TestGlance for what is longer than is read of it, and for the
// whole vocabulary.
func TestGlanceLimits(t *testing.T) {
	blank, long := strings.Repeat(" ", maxElementName), strings.Repeat("x", maxElementName)
	pages := []string{
		"<meta name='robots" + blank + "x'>",
		"<meta name='" + blank + "robots' content=none>",
		"<meta name='" + long + ":' content=none>",
		"<meta name='x' content='" + strings.Repeat("a,", tag.MaxLine/2) + "none'>",
		"<meta name='x' content='none," + strings.Repeat("a,", tag.MaxLine/2) + "'>",
		"<link rel='license" + blank + "x'>",
		"<link rel='" + long[len("license "):] + " license'>",
		"<link rel='" + long[len("licens "):] + " license'>",
	}
	for _, rule := range tag.RuleWords() {
		pages = append(pages, "<meta name=x content='a;\t| "+strings.ToUpper(rule.Name)+"'>")
	}
	for _, page := range pages {
		compareLast(t, []byte(page))
	}
}

// FuzzGlance holds what passes over metas and links against reading them in full.
func FuzzGlance(f *testing.F) {
	for _, tag := range []string{
		"<meta name=robots content=noindex>", "<Meta content='a, noai' name=x />",
		"<link href=/l rel=\"x License\">", "<meta name='&#110;ame' content=\"&#105;ndex\">",
	} {
		for _, other := range []string{"", "<link rel=icon ", "<meta name=viewport>", "<meta property='"} {
			f.Add([]byte(other + tag + other))
		}
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		if len(page) <= 4096 {
			compareLast(t, page)
		}
	})
}

// FuzzScan holds Scan against the oracle, and cuts the page anywhere: what is found
// in a prefix is found in the page.
func FuzzScan(f *testing.F) {
	f.Add([]byte(strings.Join(soup[:24], "")), 40)
	for i, s := range soup {
		f.Add([]byte("<title></title>"+s+soup[(i*7)%len(soup)]+"<meta name=robots content=noindex>"), 30)
	}
	f.Fuzz(func(t *testing.T, page []byte, at int) {
		if len(page) > 4096 || bytes.HasPrefix(page, []byte("\xEF\xBB\xBF")) || bytes.IndexByte(page, 0) == 1 ||
			bytes.HasPrefix(page, []byte("\xFE\xFF")) || bytes.HasPrefix(page, []byte("\xFF\xFE")) ||
			bytes.HasPrefix(page, []byte{0, '<'}) {
			return // encodings that the oracle does not know
		}
		if low := bytes.ToLower(page); bytes.Contains(low, []byte("<!--")) && bytes.Contains(low, []byte("<script")) {
			return // the oracle leaves the escaped state of scripts at any "<", against HTML §13.2.5.20
		}
		if foreign := bytes.ToLower(page); bytes.Contains(foreign, []byte("<template")) &&
			containsAny(foreign, "<svg", "<math") {
			return // the oracle gives up on the rest of the page
		}
		compare(t, page)
		if at > 0 && at < len(page) {
			whole, part := Scan(page, "", false), Scan(page[:at], "", true)
			if len(part.Items) > len(whole.Items) ||
				fmt.Sprint(part.Items) != fmt.Sprint(whole.Items[:len(part.Items)]) {
				t.Errorf("%q cut at %d: %v, whole: %v", page, at, part.Items, whole.Items)
			}
		}
		found := Scan(page, "", true)
		if again, ok := tag.Decode(found.Encode()); !ok || fmt.Sprint(again) != fmt.Sprint(found) {
			t.Errorf("%q: decoded %v, want %v", page, again, found)
		}
	})
}

// TestCandidates finds the element at every place of the bytes that are compared at
// once, among tags and in text, and passes what only looks like one.
func TestCandidates(t *testing.T) {
	const like = "<li><not><met a=b><lint><META\x1aname=robots><<metal name=robots>"
	fill := func(with string, n int) string { return strings.Repeat(with, n/len(with)+1)[:n] }
	for _, element := range []string{
		"<meta name=robots content=noindex>", "<MeTA name=robots content=noindex>",
		"<LiNk rel=license href=x>",
	} {
		for _, filler := range []string{" ", "<p>", "<li>\xEF\xBF\xBC", "<br>" + strings.Repeat("x", 2*farAway)} {
			for n := range 2 * maxRun * stride {
				page := like + fill(filler, n) + element + fill(filler, n%(2*stride))
				if end := len(like) + n + 2; lastCandidate([]byte(page)) != end {
					t.Fatalf("%q: %d, want %d", page, lastCandidate([]byte(page)), end)
				}
			}
		}
		for n := range 3 * stride {
			if found := Scan([]byte(like+fill(" ", n)+element), "", false); len(found.Items) != 1 {
				t.Fatalf("%d: %v", n, found.Items)
			}
		}
	}
	for n := range len(like) + 1 {
		if end := lastCandidate([]byte(like[:n])); end != 0 {
			t.Errorf("%q: %d", like[:n], end)
		}
	}
}

// TestScanWARC compares on every piece of HTML in the archives.
func TestScanWARC(t *testing.T) {
	if !longtest.Run() {
		t.Skip("long, and without goroutines")
	}
	const dir = "../../../shared/warc"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no archives at ", dir)
	}
	pages, metas := 0, 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, page := range htmlIn(unpack(data)) {
			pages++
			metas += len(scanned(page, false))
			if !compare(t, page) {
				return fmt.Errorf("%s: page %d", path, pages)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if pages < 100 {
		t.Errorf("only %d pages", pages)
	}
	t.Logf("%d pages, %d metas and links", pages, metas)
}

// unpack undoes gzip and bzip2 as far as that goes.
func unpack(data []byte) []byte {
	var r io.Reader = bytes.NewReader(data)
	if g, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		r = g
	} else if bytes.HasPrefix(data, []byte("BZh")) {
		r = bzip2.NewReader(r)
	}
	out, _ := io.ReadAll(io.LimitReader(r, 16<<20)) // damage ends it
	return out
}

// htmlIn cuts an archive at bytes that look like the end of an HTTP head before HTML. The bytes after it,
// up to the next record, are a page, damaged or not.
func htmlIn(data []byte) (pages [][]byte) {
	for {
		_, rest, ok := bytes.Cut(data, []byte("HTTP/1."))
		if !ok {
			return pages
		}
		data = rest
		end := bytes.Index(rest[:min(len(rest), 16<<10)], []byte("\r\n\r\n"))
		if end < 0 {
			continue
		}
		head, body := rest[:end], rest[end+4:]
		body = body[:min(len(body), 256<<10)]
		if !bytes.Contains(bytes.ToLower(head), []byte("text/html")) {
			continue
		}
		if i := bytes.Index(body, []byte("\r\n\r\nWARC/1.")); i >= 0 {
			body = body[:i]
		}
		body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))
		pages = append(pages, body)
	}
}

// Bytes of other characters are no markup: "small" in ISO-2022-JP ends an attribute
// and a tag. x/net/html reads bytes of one encoding alone, and is no oracle here.
func TestEncodings(t *testing.T) {
	const robots = "<meta name=robots content=noindex>"
	utf16 := func(s string, first int) string { // the byte of ASCII is the first or the second
		b := make([]byte, 2*len(s))
		for i, c := range []byte(s) {
			b[2*i+first] = c
		}
		return string(b)
	}
	const japanese = "<head><meta charset=%s><meta name=description content=\"\x1b$B$\"\x3e.\x1b(B\">" + robots
	for name, c := range map[string]struct {
		page, charset string
		want          tag.Place
	}{
		"UTF-16 behind white space": {utf16("\r\n\t <head>"+robots, 0), "", tag.PlaceHead},
		"UTF-16 by header":          {utf16("\x01<head>"+robots, 0), "UTF-16LE", tag.PlaceBody},
		"UTF-16BE by header":        {utf16("\x01<head>"+robots, 1), "utf-16be", tag.PlaceBody},
		"UTF-16 by header alone":    {"<head>" + robots, "utf-16", tag.PlaceHead},
		"ISO-2022-JP":               {fmt.Sprintf(japanese, "ISO-2022-JP"), "", tag.PlaceHead},
		"ISO-2022-JP by header":     {fmt.Sprintf(japanese, "x"), "ISO-2022-JP", tag.PlaceHead},
		"not said":                  {fmt.Sprintf(japanese, "utf-8"), "utf-8", tag.PlaceBody},
		"escapes alone":             {"<meta charset=iso-2022-jp>" + strings.Repeat("\x1b", 3) + robots, "", tag.PlaceBody},
	} {
		found := Scan([]byte(c.page), c.charset, false)
		if len(found.Items) != 1 || found.Items[0].Place != c.want {
			t.Errorf("%s: %+v, want one in %v", name, found.Items, c.want)
		}
	}
}

// In XHTML "/>" ends an element; in HTML it is as good as ">".
func TestScanXHTML(t *testing.T) {
	const robots = `<meta name="robots" content="noindex"/>`
	for page, want := range map[string]tag.Place{
		`<head><script src="x"/>` + robots: tag.PlaceHead, `<head><title/>` + robots: tag.PlaceHead,
		`<head><template/>` + robots: tag.PlaceHead, `<head><noscript/>` + robots: tag.PlaceHead,
		`<head/>` + robots: tag.PlaceHead, `<head><script type="application/rsl+xml"/>` + robots: tag.PlaceHead,
		`<head/><body/>` + robots: tag.PlaceBody, `<head><template>` + robots: tag.PlaceTemplate, `<head><title>` + robots: 0,
	} {
		place := tag.Place(0)
		for _, it := range new(Scanner).Scan([]byte(page), "", true, false).Items {
			if !it.Script {
				place = it.Place
			}
		}
		if place != want {
			t.Errorf("%s: %v, want %v", page, place, want)
		}
	}
	if found := Scan([]byte("<head><title/>"+robots), "", false); len(found.Items) > 0 {
		t.Errorf("HTML: %+v", found.Items)
	}
}

// TestScanScripts: which scripts are kept, whole, in their place.
func TestScanScripts(t *testing.T) {
	const rsl = `<rsl/>`
	for _, c := range []struct{ page, want string }{
		{`<script type="application/rsl+xml">` + rsl + `</script>`, "head <rsl/>"},
		{
			`<head><meta name=robots content=noai><script async TYPE=' Application/RSL+XML '>` + rsl + `</script>`,
			"head noai, head <rsl/>",
		},
		{
			`<body><script type=application/rsl+xml>` + rsl + `</script><meta name=robots content=noai>`,
			"body <rsl/>, body noai",
		},
		{`<template><script type=application/rsl+xml>` + rsl + `</script></template>`, "template <rsl/>"},
		{`<script>"<script type=application/rsl+xml>"</script>`, ""},
		{`<!-- <script type=application/rsl+xml></script> -->`, ""},
		{`<link rel=x type=application/rsl+xml><script type=text/x>x</script>`, ""},
		{`<script type=application/rsl+xml>` + rsl, "head <rsl/> cut"},
		{
			`<script type=application/rsl+xml>` + strings.Repeat("x", maxScript+1) + `</script>`,
			"head " + strings.Repeat("x", maxScript) + " cut",
		},
	} {
		f := Scan([]byte(c.page), "", false)
		back, ok := tag.Decode(f.Encode())
		if !ok || fmt.Sprint(back) != fmt.Sprint(f) {
			t.Errorf("%.80s: decoded %v", c.page, back)
		}
		places := [...]string{"unknown", "head", "head_noscript", "body", "body_noscript", "template"}
		var got []string
		for _, it := range f.Items {
			text := places[it.Place] + " " + it.Content
			if it.Cut {
				text += " cut"
			}
			got = append(got, text)
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%.80s: %.80s, want %.80s", c.page, got, c.want)
		}
	}
}

// TestScanHeads: an element is in the head if it is in one of three readings.
func TestScanHeads(t *testing.T) {
	const robots = `<meta name=robots content=noai>`
	for page, want := range map[string]tag.Place{
		`<head><noscript><img src=x></noscript>` + robots + `</head><body>`:                tag.PlaceHead,
		`<head><iframe src=x></iframe>` + robots + `</head>`:                               tag.PlaceHead,
		`<html>text` + robots + `</head><body>`:                                            tag.PlaceHead,
		`<head>text<noscript>` + robots + `</noscript></head>`:                             tag.PlaceHeadNoscript,
		`<head>text` + robots + `<body>`:                                                   tag.PlaceHead,
		`<head><noscript><img></noscript>` + robots + `<p>`:                                tag.PlaceHead, // with scripts
		`<head><noscript><!-- </noscript>` + robots + `<!-- --></noscript></head>`:         tag.PlaceHead, // with scripts
		`text<head></head>` + robots:                                                       tag.PlaceBody,
		`text` + robots + `<head></head>`:                                                  tag.PlaceBody,
		`<head><p>` + robots:                                                               tag.PlaceBody,
		`<body>` + robots + `</head>`:                                                      tag.PlaceBody,
		`<head>text<template>` + robots + `</template></head>`:                             tag.PlaceTemplate,
		`<head></head><body>` + robots + `<head></head>`:                                   tag.PlaceBody,
		`<head>text` + robots + `<script>"</head>"</script><!-- </head> --><p>`:            tag.PlaceBody,
		`<head><noscript><img></noscript></head><body><noscript>` + robots + `</noscript>`: tag.PlaceBodyNoscript,
	} {
		items := Scan([]byte(page), "", false).Items
		if len(items) != 1 || items[0].Place != want {
			t.Errorf("%s: %+v, want %v", page, items, want)
		}
	}
}

// Scan scans one page.
func Scan(page []byte, charset string, more bool) tag.Found {
	return new(Scanner).Scan(page, charset, false, more)
}
