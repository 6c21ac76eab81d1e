package robots

import (
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/longtest"
)

var seeds = []struct{ body, token, path string }{
	{"user-agent: *\ndisallow: /a*b$\nallow: /a\n", "Foo", "/axb"},
	{"user-agent: *\ndisallow: /a*b$\nallow: /a\n", "*", "/axbx"},
	{"user-agent: *\ndisallow: /*ab*ab$\n", "", "/%61bxxabab"},
	{
		"User-agent: Foo\nUser-agent: Bar/1\nDisallow: /%7Ea%2f\r\nAllow: *.gif$\r\rUser-agent: *\nDisallow: /", "bar",
		"/~a%2F",
	},
	{"\xEF\xBB\xBFuser-agent: foo*\ndisallow: /a$b$\ndisallow:\nsitemap: x\nuser-agent: *\nuser-agent: " +
		"foo\ndisallow: /\xE9?u=http%3A//x", "foo", "/%E9?u=http://x"},
	{"user-agent: * foo\nDisalow: /a\ndisallow /b\n\x00\x01disallow: /c\x02\nallow: /x/index.html", "foo", "/x/"},
	{"user-agent: a\n\ndisallow: /*a*a*a*ab\nuser-agent: b\nuser-agent: a\ndisallow: /%", "a", "/aaaaaaaaaaaaaa%41b"},
	{"useragent: a\nallow /a%2F|\nUser-agent: *\nDisallow: /\nAllowed: /b!", "a", "/a/%7C"},
	{"useragent \xafa\nallow /q\nUser-agent: *\nDisallow: /\nAllowed: /", "a", "/b"},
	{"user-agent: *\ndisallow: /a\nallow /a%21b\nDisalow: /*c d", "b", "/a!b"},
	{"user-agent: *\ndisallow: /*****x**$\nallow: ***y***$\n", "", "/xy"},
	{"user-agent: *\ndisallow: /****x\n", "", "/x"},
	{"<!DOCTYPE html><html>\n<p>user-agent: *</p>", "", "/*$?x"},
	{"user-agent: GPTBot, \"CCBot\"\ndisallow: /a\nallow: /a%2Fb\nuser-agent: *\ndisallow: /", "CCBot", "/a/b"},
	{"user-agent: Sogou\ndisallow: /\nuser-agent: Sogou web spider/4.0\nallow: /a\nuser-agent: Yahoo! Slurp\ndisallow: /", "Sogou web spider", "/a"},
	{
		"user-agent: Bright\u2011bot 1.0 (x)\nuser-agent: slurp 1\ndisallow: /\nuseragent: slurp\nallow: /a|b",
		"Yahoo! Slurp 1.0", "/a%7Cb",
	},
}

func addSeeds(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s.body), s.token, s.path)
	}
}

// FuzzReference compares rfc9309 with a matcher written from the RFC's
// sentences.
func FuzzReference(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, body []byte, token, path string) {
		if isUTF16(body) || len(body) > ParseLimit {
			t.Skip()
		}
		ref := newRefFile(string(body))
		compare(t, Parse(body, RFC9309), &ref, token, path)
	})
}

// TestReference compares them on real bodies, where there are any.
func TestReference(t *testing.T) {
	step := 64
	if !longtest.Run() {
		step = 1024
	}
	for i, body := range bodies() {
		if i%step != 0 || isUTF16(body) || len(body) > 64<<10 {
			continue
		}
		file, ref := Parse(body, RFC9309), newRefFile(string(body))
		asked := append([]string{}, paths...)
		for j := range file.rules {
			if j%8 == 0 {
				pattern := file.public(file.rules[j]).Pattern
				asked = append(asked, pattern, "/x"+pattern)
			}
		}
		tokens := []string{"ExampleBot"}
		for j := range file.agents {
			if j%8 == 0 {
				tokens = append(tokens, file.valueOf(&file.agents[j]))
			}
		}
		for j, path := range asked {
			compare(t, file, &ref, tokens[j%len(tokens)], path)
		}
	}
}

func compare(t *testing.T, file *File, ref *refFile, token, path string) {
	t.Helper()
	g := file.For(token)
	d := g.Match(path)
	allowed, line := ref[0].decide(token, path, 0)
	if d.Allowed != allowed || d.Rule != nil && d.Rule.Line != line || d.Rule == nil && line != 0 {
		t.Errorf("%q asks for %q: %+v, want %v by line %d\n%q", token, path, d, allowed, line, file.body)
	}
	got, _ := g.Against(token, path, d)
	if want := ref.against(token, path); got != want {
		t.Errorf("%q asks for %q: allowed %v, against it %v, want %v\n%q", token, path, allowed, got.Strings(),
			want.Strings(), file.body)
	}
}

func isUTF16(body []byte) bool {
	return len(body) >= 2 && (string(body[:2]) == "\xFF\xFE" || string(body[:2]) == "\xFE\xFF")
}

// FuzzParse checks properties of any body in any profile.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, body []byte, token, path string) {
		for _, p := range Profiles {
			file := Parse(body, p)
			lines := 1 + strings.Count(string(body), "\n") + strings.Count(string(body), "\r")
			last := 1
			for _, n := range file.Notes() {
				if n.Line < last || n.Line > lines || n.Kind == 0 || len(n.Text) > maxNoteText {
					t.Errorf("%v: note %+v after line %d of %d", p, n, last, lines)
				}
				last = n.Line
			}
			for i := range file.rules {
				r := file.public(file.rules[i])
				if r.Line < 1 || r.Line > lines || r.Text == "" || r.Pattern == "" {
					t.Errorf("%v: rule %+v", p, r)
				}
			}
			for _, r := range file.Records() {
				if r.Line < 1 || r.Line > lines || r.Group < 0 || r.Group >= r.Line {
					t.Errorf("%v: record %+v", p, r)
				}
			}
			for _, m := range Modes {
				g := file.ForMode(token, m)
				line := g.Line(g.Match(path).Rule)
				if line < 0 || line > lines || g.Matched() != (line > 0) || g.Matched() != (g.Key() > 0) {
					t.Errorf("%v, %v: group %+v", p, m, g)
				}
				if file.ForMode(token, m) != g {
					t.Errorf("%v, %v: two groups of one token", p, m)
				}
			}
			if file.For(token) != file.ForMode(token, file.spec.mode) {
				t.Errorf("%v: For differs from its own mode", p)
			}
			for i := 0; i < len(body); i += 1 + len(body)/16 {
				Parse(body[:i], p)
			}
		}
	})
}

// FuzzIndifferent changes a body in ways that must change no verdict.
func FuzzIndifferent(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, body []byte, token, path string) {
		if isUTF16(body) || len(body) > ParseLimit/2 {
			t.Skip()
		}
		for _, p := range Profiles {
			file := Parse(body, p)
			want := file.For(token).Match(path).Allowed
			same := func(what, changed string) {
				t.Helper()
				other := Parse([]byte(changed), p)
				if d := other.For(token).Match(path); d.Allowed != want {
					t.Errorf("%v: %s: allowed %v, want %v\n%q\n%q", p, what, d.Allowed, want, body, changed)
				}
			}
			lines := refEOL.Split(string(body), -1)
			same("LF", strings.Join(lines, "\n"))
			same("CR", strings.Join(lines, "\r"))
			same("CR LF", strings.Join(lines, "\r\n"))
			for i := 1; i < len(lines); i += 1 + len(lines)/8 {
				same("an unknown record",
					strings.Join(lines[:i], "\n")+"\nx-unknown: /\n"+strings.Join(lines[i:], "\n"))
			}
		}
		file := Parse(body, RFC9309)
		other := Parse([]byte(turnedRound(file)), RFC9309)
		if a, b := file.For(token).Match(path), other.For(token).Match(path); a.Allowed != b.Allowed {
			t.Errorf("groups turned round: %+v, want %+v\n%q", b, a, body)
		}
	})
}

// turnedRound writes the groups of a file down, the last first.
func turnedRound(f *File) string {
	var out strings.Builder
	for i := len(f.groups) - 1; i >= 0; i-- {
		for _, a := range f.agents {
			if int(a.group) == i {
				out.WriteString("user-agent: " + f.valueOf(&a) + "\n")
			}
		}
		for _, r := range f.rulesOf(i) {
			out.WriteString(f.public(r).Text + "\n")
		}
		out.WriteString("disallow:\n")
	}
	return out.String()
}
