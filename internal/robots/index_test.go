package robots

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// naiveBest tries all matchers, one after another.
func naiveBest(g *matchers, path string) (best *matcher) {
	for i := range g.rules {
		m := &g.rules[i]
		pattern := m.text
		if !m.anchored {
			pattern += "*"
		}
		if naiveGlob(pattern, path) && (best == nil || m.rank > best.rank) {
			best = m
		}
	}
	return best
}

// naiveGlob reports whether a pattern matches all of a text. A "*" first takes nothing, then
// one byte more for each time that the rest does not match.
func naiveGlob(pattern, text string) bool {
	at, star, from := 0, -1, 0
	for i := 0; i < len(text); {
		switch {
		case at < len(pattern) && pattern[at] == '*':
			star, from = at, i
			at++
		case at < len(pattern) && pattern[at] == text[i]:
			at, i = at+1, i+1
		case star >= 0:
			from++
			at, i = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[at:], "*") == ""
}

// expectSame compares what the index finds, and what trying one rule after another does, with
// what the naive search finds.
func expectSame(t *testing.T, g *matchers, x *index, path string) {
	t.Helper()
	want := naiveBest(g, path)
	if got := mostSpecific(g.rules, path); got != want {
		t.Errorf("%q: one after another %s, want %s", path, shown(got), shown(want))
	}
	switch got, cost := x.best(path, g.rules); {
	case cost == tooCostly && g.wild > maxTried(path):
	case cost > costOf(g.wild, path):
		t.Errorf("%q: cost %d for %d rules with a star", path, cost, g.wild)
	case got != want:
		t.Errorf("%q: the index finds %s, want %s", path, shown(got), shown(want))
	}
}

func shown(m *matcher) string {
	if m == nil {
		return "none"
	}
	return fmt.Sprintf("%q of rank %x", m.text, m.rank)
}

// groupOf compiles patterns, each as an allow and as a disallow rule.
func groupOf(patterns []string, p Profile) *Group {
	var body strings.Builder
	body.WriteString("user-agent: *\n")
	for i, pattern := range patterns {
		if i%3 != 1 {
			body.WriteString("disallow: " + pattern + "\n")
		}
		if i%3 != 0 {
			body.WriteString("allow: " + pattern + "\n")
		}
	}
	return Parse([]byte(body.String()), p).For("")
}

// texts returns all texts of some bytes up to a length.
func texts(bytes string, length int) []string {
	all := []string{""}
	for from := 0; length > 0; length-- {
		for _, text := range all[from:] {
			from++
			for i := range bytes {
				all = append(all, text+bytes[i:i+1])
			}
		}
	}
	return all
}

// TestIndexExhaustive has all patterns of a few bytes, and asks groups of them for all paths of
// a few bytes.
func TestIndexExhaustive(t *testing.T) {
	var patterns []string
	for _, text := range texts("ab*$", 4) {
		patterns = append(patterns, "/"+text, "*"+text)
	}
	paths := texts("ab/$", 5)
	rng := rand.New(rand.NewPCG(39, 2))
	for _, p := range Profiles {
		for _, size := range []int{len(patterns), 300, 40, 8, 3, 2} {
			rng.Shuffle(len(patterns), func(i, j int) { patterns[i], patterns[j] = patterns[j], patterns[i] })
			g := groupOf(patterns[:size], p)
			x := newIndex(g.rules)
			for i, path := range paths {
				if size == len(patterns) && i%16 != 0 {
					continue
				}
				expectSame(t, &g.matchers, x, "/"+p.NormalPath(path))
			}
		}
	}
}

// hostileGroups are groups on which an index could fail, or take long.
var hostileGroups = []struct {
	name     string
	patterns func(n int) []string
	path     string
}{
	{"one within another", func(n int) (all []string) {
		for i := range n {
			all = append(all, "/"+strings.Repeat("a", i%700), "/*"+strings.Repeat("a", i%700)+"b",
				strings.Repeat("a*", i%50)+"$")
		}
		return all
	}, "/" + strings.Repeat("a", 300) + "b"},
	{"the same ones", func(n int) []string { return slices.Repeat([]string{"/a", "/a$", "/*a$", "/a*b$"}, n) }, "/ab"},
	{"anchored", func(n int) []string { return numbered(n, "/a%d$") }, "/a77"},
	{"stars alone", func(n int) []string {
		return append(slices.Repeat([]string{"*", "/*", "/**$", "**"}, n), "/"+strings.Repeat("*", n))
	}, "/"},
	{
		"a common beginning", func(n int) []string { return numbered(n, "/"+strings.Repeat("x", 100)+"%d/") },
		"/" + strings.Repeat("x", 100) + "77/y",
	},
	{
		"common beginning behind a star",
		func(n int) []string { return numbered(n, "/*?"+strings.Repeat("x", 100)+"%d/") },
		"/y?" + strings.Repeat("x", 100) + "77/y",
	},
	{"a common end", func(n int) []string { return numbered(n, "/p%d/*index.html$") }, "/p77/index.html"},
	{"two letters", func(n int) (all []string) {
		for i := range n {
			all = append(all, "/*"+strings.NewReplacer("0", "a", "1", "b").Replace(fmt.Sprintf("%b", i)))
		}
		return all
	}, "/" + strings.Repeat("aababbab", 30)},
}

func numbered(n int, format string) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf(format, i))
	}
	return all
}

func TestIndexHostile(t *testing.T) {
	for _, c := range hostileGroups {
		g := groupOf(c.patterns(500), RFC9309)
		x := newIndex(g.rules)
		for i := range len(c.path) {
			expectSame(t, &g.matchers, x, c.path[:i+1])
		}
	}
}

// FuzzIndex has groups of the pieces of a text.
func FuzzIndex(f *testing.F) {
	f.Add("/a /b* *c$ /a*b*c", "/abc", byte(3))
	f.Add("/ * /* /** *$ $ /$", "/", byte(1))
	f.Add("/aaaa /aaa*a /a*aaa$ /aaaaa$", "/aaaaaa", byte(60))
	f.Add("/%2F*! /x%21*%2f /*|%7C", "/x%21/|", byte(2))
	f.Fuzz(func(t *testing.T, patterns, path string, repeat byte) {
		var list []string
		for _, pattern := range strings.Fields(patterns) {
			list = append(list, pattern, pattern+strings.Repeat(pattern, int(repeat%16)))
		}
		path = "/" + path + strings.Repeat(path, int(repeat/16))
		if len(list) > 256 || len(path) > 1024 {
			t.Skip()
		}
		for _, p := range Profiles {
			g := groupOf(list, p)
			expectSame(t, &g.matchers, newIndex(g.rules), p.NormalPath(path))
			for _, equal := range encodings[1:] {
				m := g.equalMatchers(equal)
				expectSame(t, m, newIndex(m.rules), string(appendEqual(nil, p.NormalPath(path), equal, false)))
			}
		}
	})
}
