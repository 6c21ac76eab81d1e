package restriction

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/longtest"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/robots/robotstest"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// probes is the environment variable that says how many random paths TestProbing asks
// of each file. With 10000 there were 502 million answers in 95 seconds of CPU time
// (2026-11-22). None contradicted Semantic, and each of the 14,637 groups that it calls
// Partial, in three profiles, forbade some of the paths and allowed some.
const probes = "ROBOTSAUDIT_PROBES"

// TestProbing matches random paths against real files, many of them made of their rules. No
// group that Semantic calls None forbids one, none that it calls Full allows one; and
// those called Partial forbid the one and allow the other of the paths that show it.
func TestProbing(t *testing.T) {
	files, err := robotstest.Wild()
	if err != nil {
		t.Skipf("no real files: %v", err)
	}
	perFile := 20
	if s := os.Getenv(probes); s != "" {
		if perFile, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	if !longtest.Run() {
		files = files[:400]
	}
	for _, p := range robots.Profiles {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			count := map[Class]int{}
			groups, asked, seen := 0, 0, 0
			for n, file := range files {
				parsed := robots.Parse(file.Body, p)
				all := groupsOf(parsed)
				groups += len(all)
				r := rand.New(rand.NewPCG(9309, uint64(n)))
				allowed, forbidden := make([]bool, len(all)), make([]bool, len(all))
				for path := range randomPaths(r, all, perFile) {
					if p.NormalPath(path) == robotsTxt {
						continue
					}
					for i, g := range all {
						switch d := g.Match(path); {
						case d.Reason == words.TooCostly:
						case d.Allowed:
							allowed[i] = true
						default:
							forbidden[i] = true
						}
						asked++
					}
				}
				for i, g := range all {
					class := semanticOf(g)
					count[class]++
					if class == Unknown || class == None && forbidden[i] || class == Full && allowed[i] {
						t.Errorf("%s, group in line %d: %v, but allowed %t, forbidden %t", file.Host, g.Line(nil),
							class, allowed[i], forbidden[i])
					}
					if class == Partial {
						checkExamples(t, p, g)
						if allowed[i] && forbidden[i] {
							seen++
						}
					}
				}
			}
			t.Logf("%d groups of %d files asked %d times: %d none, %d full, %d partial, which probing saw of %d",
				groups, len(files), asked, count[None], count[Full], count[Partial], seen)
		})
	}
}

// checkExamples matches the paths that show that a group is Partial.
func checkExamples(t *testing.T, p robots.Profile, g *robots.Group) {
	t.Helper()
	forbidden, allowed, _ := examples(g)
	for _, c := range []struct {
		normal string
		allow  bool
	}{{forbidden, false}, {allowed, true}} {
		path := spelled(p, c.normal)
		if got := p.NormalPath(path); got != c.normal {
			t.Errorf("%v: %q normalises to %q, want %q", p, path, got, c.normal)
		}
		if d := g.Match(path); d.Allowed != c.allow && d.Reason != words.TooCostly {
			t.Errorf("%v: %q: allowed %t, want %t", p, path, d.Allowed, c.allow)
		}
	}
}

// spelled returns a path with the given normal form. A "%" in that form may begin an escape of another
// form; then the digit after it is encoded.
func spelled(p robots.Profile, normal string) string {
	return escape.ReplaceAllStringFunc(normal, func(e string) string {
		if p.NormalPath(e) == e {
			return e
		}
		return fmt.Sprintf("%%%%%02X%s", e[1], e[2:])
	})
}

var escape = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

var userAgent = regexp.MustCompile(`(?i)^\s*user-?agent\s*:?\s*(([a-z_-]*)[^#/]*)`)

// groupsOf returns the groups that crawlers can be governed by.
func groupsOf(f *robots.File) (all []*robots.Group) {
	tokens := []string{""}
	for _, line := range f.Lines {
		if m := userAgent.FindStringSubmatch(line); m != nil {
			tokens = append(tokens, strings.TrimSpace(m[1]), m[2]) // m[2] is for Google
		}
	}
	for _, token := range tokens {
		if g := f.For(token); !slices.Contains(all, g) {
			all = append(all, g)
		}
	}
	return all
}

// randomPaths yields paths: some plain, most made of the groups' patterns.
func randomPaths(r *rand.Rand, groups []*robots.Group, n int) func(yield func(string) bool) {
	var patterns []robots.Pattern
	for _, g := range groups {
		patterns = slices.AppendSeq(patterns, g.Patterns())
	}
	plain := []string{
		"/", "/index.html", "/a", "/robots.txt.bak", "/?q=1", "/wp-admin/", "/x/y/z.gif?a=b&c=d",
		"/%7Euser/", "/%C3%A9", "/*", "/$",
	}
	const letters = "abxyzAZ09/?=&.%-_*$2F"
	text := func() string {
		b := make([]byte, r.IntN(6))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	return func(yield func(string) bool) {
		for range n {
			path := "/" + text()
			switch k := r.IntN(8); {
			case k == 0:
				path = plain[r.IntN(len(plain))] + text()
			case k > 1 && len(patterns) > 0:
				p := patterns[r.IntN(len(patterns))].Text
				var b strings.Builder
				for i := range len(p) {
					if p[i] == '*' {
						b.WriteString(text())
					} else {
						b.WriteByte(p[i])
					}
				}
				path = b.String()
				switch r.IntN(4) {
				case 0:
					path += text()
				case 1:
					path = path[:r.IntN(len(path)+1)]
				case 2:
					at := r.IntN(len(path) + 1)
					path = path[:at] + text() + path[at:]
				}
				if !strings.HasPrefix(path, "/") {
					path = "/" + path
				}
			}
			if !yield(path) {
				return
			}
		}
	}
}
