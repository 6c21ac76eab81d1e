package robots

import (
	goparser "go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/longtest"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// TestPure keeps the package pure, and those below it: their imports can neither read, write, log nor know the
// time. Their tests may.
func TestPure(t *testing.T) {
	allowed := []string{
		"bytes", "cmp", "encoding/binary", "fmt", "math/bits", "slices", "strconv", "strings", "sync", "sync/atomic",
		"unicode/utf16", "unicode/utf8", "unsafe",
		"github.com/robotsaudit/robotsaudit/internal/ascii",
		"github.com/robotsaudit/robotsaudit/internal/robots/normal",
		"github.com/robotsaudit/robotsaudit/internal/useragent",
		"github.com/robotsaudit/robotsaudit/internal/words",
	}
	var files []string
	for _, folder := range []string{".", "normal", "../useragent"} {
		more, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(more) == 0 {
			t.Fatal(folder, err)
		}
		files = append(files, more...)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := goparser.ParseFile(token.NewFileSet(), name, nil, goparser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			if path, _ := strconv.Unquote(i.Path.Value); !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}

func TestMatchAllocatesNothing(t *testing.T) {
	if underRace {
		t.Skip("the race detector empties pools")
	}
	body := []byte("user-agent: *\ndisallow: /a*b*c$\nallow: /a?u=http%3A//x\ndisallow: /é\nallow: " +
		"/*/index.html\nallow /a|b\nallow: /a| %21*\ndisallow: /%7C\n" +
		strings.Repeat("disallow: /folder\n", 20))
	for _, p := range Profiles {
		file := Parse(body, p)
		g := file.For("Foo")
		for _, path := range []string{
			"/", "/axbxc", "/robots.txt", "/folder/x?y=z", "/%61%2F%e9é$*", "/a?u=http://x", "/a%7C%20!", "/|",
			"/" + strings.Repeat("%41", 1000), "/" + strings.Repeat("é", 40_000),
			"/a" + strings.Repeat("b%2F", 1000) + "c",
		} {
			if n := testing.AllocsPerRun(10, func() { g.Match(path) }); n != 0 {
				t.Errorf("%v: %.0f allocations for %.20s", p, n, path)
			}
			if n := testing.AllocsPerRun(10, func() { g.Against("Foo", path, g.Match(path)) }); n != 0 {
				t.Errorf("%v: %.0f allocations for the readings of %.20s", p, n, path)
			}
		}
	}
}

func TestReasons(t *testing.T) {
	body := "user-agent: Foo\nuser-agent: Bar\ndisallow: /a # why\nallow: /a/b\n\nuser-agent: Foo\ndisallow: /c\n"
	file := Parse([]byte(body), RFC9309)
	if notes := file.Notes(); len(notes) > 0 || file.Groups != 2 || file.Rules != 3 || file.Cut || file.HTML {
		t.Errorf("%d groups, %d rules, cut %v, HTML %v, notes %v", file.Groups, file.Rules, file.Cut, file.HTML, notes)
	}
	for _, c := range []struct {
		token, path string
		want        words.Reason
		line        int
	}{
		{"foo", "/a", words.ReasonRule, 3},
		{"foo", "/a/b", words.ReasonRule, 4},
		{"foo", "/c", words.ReasonRule, 7},
		{"bar", "/c", words.NoMatchingRule, 0},
		{"qux", "/c", words.NoMatchingGroup, 0},
		{"", "/c", words.NoMatchingGroup, 0},
		{"foo", "/robots.txt", words.RobotsTxtItself, 0},
		{"qux", "/robots.txt", words.RobotsTxtItself, 0},
	} {
		d := file.For(c.token).Match(c.path)
		line := 0
		if d.Rule != nil {
			line = d.Rule.Line
		}
		if d.Reason != c.want || line != c.line {
			t.Errorf("%q asks for %s: %v by line %d, want %v by %d", c.token, c.path, d.Reason, line, c.want, c.line)
		}
	}
	want := Rule{Text: "disallow: /a", Pattern: "/a", Line: 3}
	if got := file.For("bar").Match("/a").Rule; got == nil || got.Allow || got.Text != want.Text ||
		got.Pattern != want.Pattern || got.Line != want.Line {
		t.Errorf("rule %+v, want %+v", got, want)
	}
	for path, want := range map[string]int{"/a": 1, "/c": 6, "/x": 1} {
		g := file.For("foo")
		if line := g.Line(g.Match(path).Rule); line != want {
			t.Errorf("%s: group of line %d, want %d", path, line, want)
		}
	}
	for token, want := range map[string]int{"foo": 1, "bar": 2, "qux": 0} {
		line, value := file.AgentLine(token, 0)
		if line != want || !strings.EqualFold(value, token) && line != 0 {
			t.Errorf("%q finds line %d, %q", token, line, value)
		}
	}
	if got := file.For("foo").Lines(); !slices.Equal(got, []int{1, 6}) {
		t.Errorf("lines %v", got)
	}
	var lines []int
	for _, r := range file.For("foo").Matching("/a/b") {
		lines = append(lines, r.Line)
	}
	if !slices.Equal(lines, []int{4, 3}) {
		t.Errorf("matching rules in lines %v", lines)
	}
}

func TestGroupsAreShared(t *testing.T) {
	body := "user-agent: a\nuser-agent: b\ndisallow: /1\nuser-agent: *\nuser-agent: c\ndisallow: /2\nuser-agent: a\ndisallow: /3\n"
	asked := [][]string{{"a", "b", "c", "", "z"}, {"z", "", "c", "b", "a"}}
	var keys [2]map[string]int
	for i, tokens := range asked {
		file := Parse([]byte(body), RFC9309)
		keys[i] = make(map[string]int)
		for _, token := range tokens {
			keys[i][token] = file.For(token).Key()
		}
		if file.For("A") != file.For("a") || file.For("z") != file.For("") || file.For("c") != file.For("z") {
			t.Error("the same groups, but not the same Group")
		}
		if file.For("a") == file.For("b") || file.For("a") == file.For("c") {
			t.Error("the same Group for other groups")
		}
		if a, c := file.For("a"), file.For("c"); a.Line(nil) != 1 || c.Line(nil) != 4 {
			t.Errorf("lines %d and %d", a.Line(nil), c.Line(nil))
		}
	}
	for token, k := range keys[0] {
		if k == 0 || keys[1][token] != k {
			t.Errorf("%q: key %d, then %d", token, k, keys[1][token])
		}
	}
}

// TestKeysAreStable looks up tokens in another order: a set of groups keeps its key.
func TestKeysAreStable(t *testing.T) {
	body := []byte("user-agent: a.b\ndisallow: /1\nuser-agent: c\nuser-agent: c.d\ndisallow: /2\n" +
		"user-agent: c\ndisallow: /3\nuser-agent: a\ndisallow: /4\nuser-agent: a\ndisallow: /5\n")
	keys := func(modes ...Mode) map[string]int {
		file := Parse(body, RFC9309)
		keys := make(map[string]int)
		for _, m := range modes {
			for _, token := range []string{"a", "c", "a.b", "c.d"} {
				keys[m.String()+" "+token] = file.ForMode(token, m).Key()
			}
		}
		return keys
	}
	want := keys(ModeExact, ModeGoogle, ModeSubstring)
	if got := keys(ModeGoogle, ModeSubstring, ModeExact); !maps.Equal(got, want) {
		t.Errorf("keys %v, want %v", got, want)
	}
	if want["google a"] == want["exact a"] || want["google a"] == want["exact c"] {
		t.Errorf("one key for two sets: %v", want)
	}
}

func TestModes(t *testing.T) {
	const rest = "\ndisallow: /\n"
	for _, c := range []struct {
		value, token             string
		exact, google, substring bool
	}{
		{"ExampleBot", "ExampleBot", true, true, true},
		{"ExampleBot", "examplebot", true, true, true},
		{"ExampleBot/2.1", "ExampleBot", true, true, true},
		{"ExampleBot*", "ExampleBot", true, true, true},
		{"archive.org_bot", "archive.org_bot", true, false, true},
		{"archive.org_bot", "archive", false, true, false},
		{"MJ12bot", "MJ12bot", true, false, true},
		{"Foo Bar", "Foo", false, true, false},
		{"Foo", "Foo Bar", false, false, true},
		{"Foo", "FooBar/1.0", false, false, true},
		{"FooBar", "Foo", false, false, false},
		{"* x", "Foo", false, true, false},
		{"*", "Foo", true, true, true},
		{"*/*", "Foo", false, false, false},
		{"", "Foo", false, false, false},
		{"\u212Aelvin", "kelvin", false, false, false},
	} {
		file := Parse([]byte("user-agent: "+c.value+rest), RFC9309)
		for m, want := range map[Mode]bool{ModeExact: c.exact, ModeGoogle: c.google, ModeSubstring: c.substring} {
			if got := file.ForMode(c.token, m).Matched(); got != want {
				t.Errorf("%v: line %q, token %q: %v, want %v", m, c.value, c.token, got, want)
			}
		}
		if file.For(c.token) != file.ForMode(c.token, ModeExact) {
			t.Errorf("line %q, token %q: the profile's mode is not exact", c.value, c.token)
		}
	}
	// A crawler of old takes the first name that fits.
	file := Parse([]byte("user-agent: *\ndisallow: /\nuser-agent: bot\ndisallow: /a\nuser-agent: foobot\ndisallow: /b\n"), RFC9309)
	if line := file.ForMode("FooBot", ModeSubstring).Line(nil); line != 3 {
		t.Errorf("substring mode finds line %d", line)
	}
}

// TestLimit parses bodies around the limit of RFC 9309 §2.5.
func TestLimit(t *testing.T) {
	head := "user-agent: *\n"
	tail := "disallow: /b"
	fill := func(n int) string { return strings.Repeat("#\n", n/2) + strings.Repeat("\n", n%2) }
	room := ParseLimit - len(head) - len(tail)
	for _, c := range []struct {
		name, body       string
		cut, disallowed  bool
		wholeDisallowsIt bool
	}{
		{"ends at the limit", head + fill(room) + tail, false, true, true},
		{"a line ending beyond", head + fill(room) + tail + "\n", true, true, true},
		{"CR LF across", head + fill(room-1) + tail + "\r\n", true, true, true},
		{"the last byte beyond", head + fill(room+1) + tail, true, false, true},
		{"a longer pattern beyond", head + fill(room) + tail + "c", true, false, false},
		{"a line more", head + fill(room-1) + tail + "\ndisallow: /c", true, true, true},
	} {
		file := Parse([]byte(c.body), RFC9309)
		notes := file.Notes()
		if d := file.For("").Match("/b"); file.Cut != c.cut || d.Allowed == c.disallowed {
			t.Errorf("%s: cut %v, %+v", c.name, file.Cut, d)
		}
		if noted := slices.ContainsFunc(notes, func(n Note) bool { return n.Kind == NoteCut }); noted != c.cut {
			t.Errorf("%s: notes %v", c.name, notes)
		}
		whole := *RFC9309.spec()
		whole.limit = 0
		if f := whole.parse([]byte(c.body)); f.Cut || f.For("").Match("/b").Allowed == c.wholeDisallowsIt {
			t.Errorf("%s: whole: cut %v", c.name, f.Cut)
		}
	}
}

func TestRecords(t *testing.T) {
	body := "Sitemap: http://x/s.xml\nuser-agent: a\nuser-agent: b\nCrawl-delay: 5 # " +
		"slow\ndisallow:\nHost:x\nDisallowAITraining: /x\n" +
		"user-agent: c\nContent-Usage: train-ai=n\nuser-agent: d\nDisallow: /\nREQUEST-RATE: 1/5\nx-other: y\n"
	want := []Record{
		{"sitemap", "http://x/s.xml", 1, 0},
		{"crawl-delay", "5", 4, 2},
		{"host", "x", 6, 2},
		{"disallowaitraining", "/x", 7, 2},
		{"content-usage", "train-ai=n", 9, 8},
		{"request-rate", "1/5", 12, 8},
	}
	for _, p := range Profiles { // Google's parser takes DisallowAITraining for a Disallow, too
		f := Parse([]byte(body), p)
		if got := f.Records(); !slices.Equal(got, want) {
			t.Errorf("%v: got %+v", p, got)
		}
		if got := f.For("a").Match("/x").Allowed; got != (p != Google) {
			t.Errorf("%v: allowed %v", p, got)
		}
	}
}

// TestHas: a group has the lines of all groups that its token finds, and no other.
func TestHas(t *testing.T) {
	f := Parse([]byte("user-agent: Aa/1\ncrawl-delay: 1\nuser-agent: b\nuser-agent: aa\nuser-agent: *\ndisallow: "+
		"/\nuser-agent: b\nuser-agent: AA\n"), RFC9309)
	for token, inLast := range map[string]bool{"aA": true, "b": true, "c": false, "": false} {
		if g := f.For(token); !g.Has(1) || g.Has(7) != inLast || g.Has(0) || g.Has(3) {
			t.Errorf("%q has groups of other lines", token)
		}
	}
}

// TestLinesAllocateNothing reads a long file again: what a line is must not be made anew.
func TestLinesAllocateNothing(t *testing.T) {
	f := Parse([]byte("User-agent: *\n"+strings.Repeat("Disallow: /a\n# of nothing\n", 10_000)), RFC9309)
	if n := testing.AllocsPerRun(5, func() { f.Records() }); n > 5 {
		t.Errorf("%.0f allocations", n)
	}
}

func TestNotes(t *testing.T) {
	note := func(line int, kind NoteKind, text string) Note { return Note{line, kind, text} }
	for _, c := range []struct {
		name, body string
		want       []Note
	}{
		{"nothing", "x: y\nallow: /\nuser-agent: MJ12bot\ndisallow: /a\nallow: *.gif$\nallow:\n", nil},
		{
			"misspelt", "useragent: a\ndissalow: /\n",
			[]Note{note(1, NoteMisspelt, "useragent: a"), note(2, NoteMisspelt, "dissalow: /")},
		},
		{
			"missing colon", "user-agent: *\nallow /\ndisallow: /\nsitemap x",
			[]Note{note(2, NoteMissingColon, "allow /"), note(4, NoteMissingColon, "sitemap x")},
		},
		{"no leading slash", "user-agent: *\ndisallow: a # b", []Note{note(2, NoteNoLeadingSlash, "disallow: a")}},
		{"control", "user-agent: *\x01\ndisallow: /\x01", []Note{note(2, NoteControl, "disallow: /\x01")}},
		{
			"long", "user-agent: *\ndisallow: " + strings.Repeat("a", 300),
			[]Note{note(2, NoteNoLeadingSlash, ("disallow: " + strings.Repeat("a", 300))[:maxNoteText])},
		},
		{"cut", strings.Repeat("#\n", ParseLimit/2) + "a", []Note{note(ParseLimit/2, NoteCut, "")}},
		{"HTML", "\n<!DOCTYPE html>\n<html><p>none</p></html>", []Note{note(1, NoteHTML, "")}},
		{"empty", "", []Note{note(1, NoteEmpty, "")}},
		{"white space", "\r\n \t", []Note{note(1, NoteEmpty, "")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Parse([]byte(c.body), RFC9309).Notes(); !slices.Equal(got, c.want) {
				t.Errorf("got %v\nwant %v", got, c.want)
			}
		})
	}
	many := Parse([]byte(strings.Repeat("disalow: /\n", 3*maxNotes)), RFC9309).Notes()
	if len(many) != maxNotes || many[maxNotes-1].Kind != NoteMore {
		t.Errorf("%d notes, the last %v", len(many), many[len(many)-1])
	}
	for k := NoteKind(1); k <= NoteMore; k++ {
		if k.String() == "" || k.String() == "unknown" {
			t.Errorf("kind %d is %q", k, k)
		}
	}
}

// TestHTML separates HTML from text that only mentions it.
func TestHTML(t *testing.T) {
	for body, want := range map[string]bool{
		"<html><body>404</body></html>":                 true,
		"<HTML>\nuser-agent: *\ndisallow: /\n</HTML>":   true,
		"user-agent: *\n# <html>\ndisallow: /":          false,
		"<?xml version='1.0'?><!DOCTYPE html><html></>": true,
		"<pre>user-agent: *\ndisallow: /</pre>":         false,
	} {
		file := Parse([]byte(body), RFC9309)
		noted := slices.ContainsFunc(file.Notes(), func(n Note) bool { return n.Kind == NoteHTML })
		if file.HTML != want || noted != want {
			t.Errorf("HTML is %v, noted %v for %q", file.HTML, noted, body)
		}
	}
}

// TestHostile bounds the time that bodies and paths made to hurt can take.
func TestHostile(t *testing.T) {
	if !longtest.Run() {
		t.Skip("long, and without goroutines")
	}
	stars := "disallow: /" + strings.Repeat("*a", 500) + "b\n"
	for _, c := range []struct{ name, body, path string }{
		{
			"10,000 rules of 500 stars, 8 KiB path", "user-agent: *\n" + strings.Repeat(stars, 10_000),
			"/" + strings.Repeat("a", 8192),
		},
		{
			"the same, 8 KiB encoded", "user-agent: *\n" + strings.Repeat(stars, 10_000),
			"/" + strings.Repeat("%61", 8192),
		},
		{"one line of 100 MB", "user-agent: *\ndisallow: /" + strings.Repeat("a", 100_000_000), "/a"},
		{"500 KiB of NULs", strings.Repeat("\x00", ParseLimit), "/a"},
		{"1 MiB of CRs", strings.Repeat("\r", 1<<20), "/a"},
		{"agents that share groups in all ways", hostileAgents(), "/a"},
	} {
		for _, p := range Profiles {
			start := time.Now()
			file := Parse([]byte(c.body), p)
			parsed := time.Since(start)
			file.For("Foo").Match(c.path)
			matched := time.Since(start)
			file.Notes()
			file.Records()
			took := time.Since(start)
			t.Logf("%s, %v: parse %v, match %v, notes and records %v", c.name, p, parsed, matched-parsed, took-matched)
		}
	}
}

func hostileAgents() string {
	var b strings.Builder
	for i := range 20_000 {
		b.WriteString("user-agent: a")
		b.WriteString(strconv.Itoa(i))
		b.WriteByte('\n')
	}
	for i := range 20_000 {
		b.WriteString("disallow: /\nuser-agent: a")
		b.WriteString(strconv.Itoa(i))
		b.WriteByte('\n')
	}
	return b.String()
}
