package robots

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/longtest"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// stepsOf counts the bytes that matching looks at meanwhile.
func stepsOf(do func()) (steps int) {
	counter = func(n int) { steps += n }
	defer func() { counter = nil }()
	do()
	return steps
}

// stepsBound is how many bytes a match and the readings against it may look at: a
// few times the patterns and, for each of them, the path; that in each of the
// readings of the file (six) and of encodings (four), the profile's own twice.
func stepsBound(f *File, g *Group, token, path string) (match, against int) {
	one := func(g *Group) (n int) {
		for i := range g.rules {
			n += 1 + 4*(len(g.rules[i].text)+3*len(path))
		}
		return n
	}
	match = one(g)
	against = 4 * match
	for _, v := range f.variants() {
		against += 8 * one(v.file.For(token))
	}
	return match, against
}

// FuzzSteps fails if a match looks at more bytes than the lengths of patterns and
// path permit. Some parts of both are repeated, lest the fuzzer need to.
func FuzzSteps(f *testing.F) {
	f.Add("/*", "a", "b%2F", "/?", "a", "/", uint16(4000))
	f.Add("/", "*a", "b", "/", "%61", "", uint16(500))
	f.Add("/*", "ab", "a%21$", "/", "ab", "a!", uint16(900))
	f.Add("*", "%2F*", "x", "", "/", "%2f", uint16(300))
	f.Fuzz(func(t *testing.T, before, repeated, after, pathBefore, pathRepeated, pathAfter string, n uint16) {
		n %= 5000
		if len(repeated)+len(pathRepeated) > 8 {
			t.Skip()
		}
		pattern := before + strings.Repeat(repeated, int(n)) + after
		path := pathBefore + strings.Repeat(pathRepeated, 2*int(n)) + pathAfter
		body := "user-agent: *\ndisallow: *\nallow: " + pattern + "\nallow " + pattern + "x\nallowed: " + pattern +
			"y\n"
		for _, p := range Profiles {
			file := Parse([]byte(body), p)
			g := file.For("")
			mostMatch, mostAgainst := stepsBound(file, g, "", path)
			var d Decision
			if steps := stepsOf(func() { d = g.Match(path) }); steps > mostMatch {
				t.Errorf("%v: %d steps to match, more than %d", p, steps, mostMatch)
			}
			if steps := stepsOf(func() { g.Against("", path, d) }); steps > mostAgainst {
				t.Errorf("%v: %d steps for the readings, more than %d", p, steps, mostAgainst)
			}
			if steps := stepsOf(func() { g.Matching(path) }); steps > mostMatch {
				t.Errorf("%v: %d steps to explain, more than %d", p, steps, mostMatch)
			}
		}
	})
}

// quadratic are rules and paths for which a naive search takes as many steps as the
// product of their lengths.
var quadratic = []struct{ name, rule, path string }{
	{
		"4,000 letters, then another", "/*" + strings.Repeat("a", 4000) + "b%2F",
		"/?" + strings.Repeat("a", 16_000) + "/",
	},
	{"beyond 64 KiB", "/*" + strings.Repeat("a", 4000) + "b%2F", "/?" + strings.Repeat("a", 200_000) + "/"},
	{"beyond 64 KiB, encoded", "/*" + strings.Repeat("a", 4000) + "b!", "/?" + strings.Repeat("%61", 100_000) + "%21"},
	{"500 stars", "/" + strings.Repeat("*a", 500) + "b%21", "/" + strings.Repeat("a", 8192) + "!"},
	{
		"periods", "/*" + strings.Repeat("ab", 2000) + "aab%7C",
		"/" + strings.Repeat(strings.Repeat("ab", 1999)+"b", 16) + "|",
	},
	{"a long prefix", "/" + strings.Repeat("a", 60_000) + "%21", "/" + strings.Repeat("a", 60_000) + "!"},
}

// TestStepsAreLinear counts the steps of fifty such rules, with all readings.
func TestStepsAreLinear(t *testing.T) {
	for _, c := range quadratic {
		body := "user-agent: *\ndisallow: *\n" + strings.Repeat("allow: "+c.rule+"x\n", 50)
		for _, p := range [...]Profile{RFC9309, REP08} {
			file := Parse([]byte(body), p)
			g := file.For("")
			most, mostAgainst := stepsBound(file, g, "", c.path)
			var d Decision
			match := stepsOf(func() { d = g.Match(c.path) })
			against := stepsOf(func() { g.Against("", c.path, d) })
			if match > most || against > mostAgainst {
				t.Errorf("%s: %v: %d steps to match, at most %d; %d for the readings, at most %d", c.name, p, match,
					most, against, mostAgainst)
			}
			if product := 50 * len(c.rule) * len(c.path); match+against > product/100 {
				t.Errorf("%s: %v: %d steps, of a product of %d", c.name, p, match+against, product)
			}
		}
	}
}

// growing are files of a size, and their questions. Each is hostile to a loop of its own.
var growing = []struct {
	name string
	body func(n int) string
	ask  func(f *File, i int) // for each i below n
}{
	{"rules × paths", literalRules, askPath("/p%d/x")},
	{"no rule × paths", literalRules, askPath("/q%d/x")},
	{
		"anchored rules × paths", func(n int) string { return "user-agent: *\n" + lines(n, "disallow: /p%d$\n") },
		askPath("/p%d"),
	},
	{
		"rules with a star × paths", func(n int) string { return "user-agent: *\n" + lines(n, "disallow: /*/p%d/\n") },
		askPath("/x/p%d/x"),
	},
	{"rules with a long piece × paths", func(n int) string {
		return "user-agent: *\n" + lines(n, "disallow: /*"+strings.Repeat("x", 40)+"%d\n")
	}, askPath("/" + strings.Repeat("x", 40) + "%d")},
	{
		"rules with one end × paths",
		func(n int) string { return "user-agent: *\n" + lines(n, "disallow: /p%d/*index.html$\n") },
		askPath("/p%d/index.html"),
	},
	{
		"one rule × paths", func(n int) string { return "user-agent: *\n" + lines(n, "disallow: /*p\n") },
		askPath("/p%d"),
	},
	{
		"stars × paths", func(n int) string { return "user-agent: *\ndisallow: /" + strings.Repeat("*", n) + "x\n" },
		askPath("/p%d"),
	},
	{
		"pieces × paths", func(n int) string { return "user-agent: *\ndisallow: /" + strings.Repeat("*a", n) + "\n" },
		askPath("/aaaa%d"),
	},
	{
		"a long piece × paths",
		func(n int) string { return "user-agent: *\ndisallow: /*" + strings.Repeat("a", n) + "b\n" },
		askPath("/aaaa%d"),
	},
	{
		"encoded rules × paths",
		func(n int) string { return "user-agent: *\ndisallow: /\n" + lines(n, "allow: /p%d%%2Fx|y\n") },
		askPath("/p%d/x%%7Cy"),
	},
	{
		"misspelt rules × paths",
		func(n int) string { return "user-agent: *\ndisallow: /\n" + lines(n, "alow: /p%d\nallow /p%d\n") },
		askPath("/p%d"),
	},
	{"groups × paths", func(n int) string { return lines(n, "user-agent: a\ndisallow: /p%d\n") }, func(f *File, i int) {
		askToken(f, "a", fmt.Sprintf("/p%d", i))
		f.AgentLine("a", 0)
	}},
	{
		"groups × tokens", func(n int) string { return lines(n, "user-agent: *\ndisallow: /p%d\n") },
		func(f *File, i int) {
			askToken(f, fmt.Sprintf("a%d", i), "/x")
		},
	},
	{
		"names × tokens", func(n int) string { return lines(n, "user-agent: name%d\ndisallow: /\n") },
		func(f *File, i int) {
			askToken(f, fmt.Sprintf("xname%dx", i), "/x")
		},
	},
	{"names × rules", func(n int) string {
		return lines(n, "user-agent: a%d\n") + lines(n, "disallow: /p%d\n") +
			lines(n, "user-agent: a%d\ndisallow: /q\n")
	}, func(f *File, i int) { askToken(f, fmt.Sprintf("a%d", i), "/p1") }},
	{
		"lists of names × tokens", func(n int) string { return lines(n, "user-agent: x%d, bot%d\ndisallow: /\n") },
		func(f *File, i int) {
			askToken(f, fmt.Sprintf("bot%d", i), "/x")
		},
	},
	{
		"named groups × paths without a token",
		func(n int) string { return lines(n, "user-agent: a%d\ndisallow: /p%d\n") }, func(f *File, i int) {
			f.NamedForbids(fmt.Sprintf("/p%d/x", i))
			f.NamedForbids("/q")
		},
	},
	{
		"named groups that allow × paths without a token",
		func(n int) string { return lines(n, "user-agent: a%d\ndisallow: /\nallow: /p\n") }, func(f *File, i int) {
			f.NamedForbids(fmt.Sprintf("/p%d/x", i))
		},
	},
	{"names within names", func(n int) (body string) {
		for i := range n {
			body += "user-agent: " + strings.Repeat("a", 1+i%100) + strings.Repeat("b", i/100) + "\ndisallow: /\n"
		}
		return body
	}, func(f *File, i int) { askToken(f, strings.Repeat("a", i%50), "/x") }},
}

func literalRules(n int) string { return "user-agent: *\n" + lines(n, "disallow: /p%d/\n") }

// lines formats a text for each number below n.
func lines(n int, format string) string {
	var b strings.Builder
	verbs := strings.Count(format, "%d")
	for i := range n {
		fmt.Fprintf(&b, format, slices.Repeat([]any{i}, verbs)...)
	}
	return b.String()
}

func askPath(format string) func(f *File, i int) {
	return func(f *File, i int) { askToken(f, "", fmt.Sprintf(format, i)) }
}

// askToken puts all questions of an audit.
func askToken(f *File, token, path string) {
	g := f.For(token)
	g.Against(token, path, g.Match(path))
	for _, m := range Modes {
		f.ForMode(token, m).Match(path)
	}
}

// TestStepsGrowLinearly asks a file n questions, and one of twice the size twice as many.
func TestStepsGrowLinearly(t *testing.T) {
	n := 1000
	if longtest.Run() {
		n = 3000
	}
	for _, c := range growing {
		for _, p := range [...]Profile{RFC9309, REP08} {
			steps := func(n int) int {
				return stepsOf(func() {
					f := Parse([]byte(c.body(n)), p)
					for i := range n {
						c.ask(f, i)
					}
				})
			}
			once, twice := steps(n), steps(2*n)
			if growth := float64(twice) / float64(once); growth >= 2.3 {
				t.Errorf("%s: %v: %d steps at %d, %d at twice that: growth %.2f", c.name, p, once, n, twice, growth)
			}
		}
	}
}

// BenchmarkHostile takes one such rule, with all readings.
func BenchmarkHostile(b *testing.B) {
	for _, c := range quadratic {
		b.Run(c.name, func(b *testing.B) {
			g := Parse([]byte("user-agent: *\ndisallow: *\nallow: "+c.rule+"x\n"), RFC9309).For("")
			b.ReportAllocs()
			for b.Loop() {
				g.Against("", c.path, g.Match(c.path))
			}
		})
	}
	most := maxCost / (64 << 10)
	for name, rule := range map[string]string{
		"short":  "allow:*ab\n",
		"longer": "allow:*" + strings.Repeat("a", 60) + "b%21*\n",
	} {
		b.Run("64 KiB, most rules, "+name, func(b *testing.B) {
			g := Parse([]byte("user-agent: *\ndisallow: *\n"+strings.Repeat(rule, most-1)), RFC9309).For("")
			path := "/" + strings.Repeat("a", 64<<10-2) + "!"
			for b.Loop() {
				d := g.Match(path)
				if r, _ := g.Against("", path, d); d.Reason == words.TooCostly || r != 0 {
					b.Fatal(d, r)
				}
			}
		})
	}
}

// TestTooCostly: beyond the bound nothing is known, and no reading is tried.
func TestTooCostly(t *testing.T) {
	const rules = 2000
	most := maxCost/rules - tryingOne
	body := "user-agent: *\n" + strings.Repeat("disallow: /*b\n", rules) + "disallow: /\n"
	for path, want := range map[string]words.Reason{
		"/" + strings.Repeat("%61", most/3-1) + "b": words.ReasonRule,
		"/" + strings.Repeat("a", most-2) + "b":     words.ReasonRule,
		"/" + strings.Repeat("a", most-1) + "b":     words.TooCostly,
		"/" + strings.Repeat("a", most-2) + "b%21":  words.TooCostly,
		"/" + strings.Repeat("a", most):             words.ReasonRule, // no rule may match
	} {
		for _, p := range Profiles {
			g := Parse([]byte(body), p).For("")
			d := g.Match(path)
			if d.Reason != want || d.Allowed {
				t.Errorf("%v: %+v for %d bytes, want %v", p, d, len(path), want)
			}
			if r, _ := g.Against("", path, d); want == words.TooCostly && r != 0 {
				t.Errorf("%v: %v against what nobody knows", p, r.Strings())
			}
		}
	}
	// A reading under which it is too costly may allow.
	lenient := "useragent: foo\n" + strings.Repeat("disallow: /*b\n", rules) + "user-agent: *\ndisallow: /\n"
	if got := against(t, lenient, RFC9309, "foo", "/"+strings.Repeat("b", most)); got != "disallowed lenient" {
		t.Error(got)
	}
}
