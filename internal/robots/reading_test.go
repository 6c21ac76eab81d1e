package robots

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/longtest"
)

// against returns the names of the readings against the decision on a path, the
// decision first.
func against(t *testing.T, body string, p Profile, token, path string) string {
	t.Helper()
	g := Parse([]byte(body), p).For(token)
	d := g.Match(path)
	said := "disallowed"
	if d.Allowed {
		said = "allowed"
	}
	r, _ := g.Against(token, path, d)
	return strings.Join(append([]string{said}, r.Strings()...), " ")
}

// TestReadings has cases of how rules are compared with paths. Each rule is tried
// twice: as an allow rule under a disallow for all, and as a disallow rule alone.
func TestReadings(t *testing.T) {
	for _, c := range []struct{ name, rule, path, allow, disallow string }{
		{"gen-delim of the path, encoded in the rule", "/a%2Fb", "/a/b", "disallowed reserved_encoding", "allowed"},
		{"gen-delim of the path, encoded in the URL", "/a/b", "/a%2fb", "disallowed reserved_encoding", "allowed"},
		{
			"gen-delim of the query, encoded in the rule", "/a?u=http%3A%2F%2Fx", "/a?u=http://x",
			"disallowed reserved_encoding", "allowed",
		},
		{
			"gen-delim of the query, encoded in the URL", "/a?u=http://x", "/a?u=http%3a/%2fx",
			"disallowed reserved_encoding", "allowed",
		},
		{"the question mark itself", "/a?b", "/a%3Fb", "disallowed reserved_encoding", "allowed"},
		{"sub-delim of the path, raw in the rule", "/a!b", "/a%21b", "disallowed reserved_encoding", "allowed"},
		{"sub-delim of the path, raw in the URL", "/a%21b", "/a!b", "disallowed reserved_encoding", "allowed"},
		{
			"sub-delim of the query, raw in the rule", "/a?b=c&d", "/a?b=c%26d", "disallowed reserved_encoding",
			"allowed",
		},
		{"sub-delim of the query, raw in the URL", "/a?b=c%26d", "/a?b=c&d", "disallowed reserved_encoding", "allowed"},
		{"behind a star", "/*u=http://x$", "/a?u=http%3A%2F%2Fx", "disallowed reserved_encoding", "allowed"},
		{"between stars", "/*%3D*%3D", "/a?b=c=d", "disallowed reserved_encoding", "allowed"},
		{"the anchor holds", "/*=x$", "/a?b%3Dxy", "disallowed", "allowed"},
		{"a star is no byte", "/a%2Ab", "/axb", "disallowed", "allowed"},
		{"alike on both sides", "/a%2Fb", "/a%2fb", "allowed", "disallowed"},
		{"other bytes", "/a%2Fb", "/a:b", "disallowed", "allowed"},

		{
			"unsafe byte, raw in the rule", "/b/*?*|", "/b/x?y%7C", "disallowed unsafe_encoding",
			"allowed unsafe_encoding",
		},
		{
			"unsafe byte, raw in the URL", "/b/*?*%7C", "/b/x?y|", "disallowed unsafe_encoding",
			"allowed unsafe_encoding",
		},
		{"space", "/a b", "/a%20b", "disallowed unsafe_encoding", "allowed unsafe_encoding"},
		{"percent sign", "/100%x", "/100%25x", "disallowed unsafe_encoding", "allowed unsafe_encoding"},
		{"part of an escape", "/a%2", "/a%2Fb", "allowed", "disallowed"},
		{"part of an escape is no escape", "/a%7", "/a|", "disallowed", "allowed"},
		{"an escape of a percent sign is no other", "/a%2541", "/a%41", "disallowed", "allowed"},

		{"both", "/a!|", "/a%21%7C", "disallowed reserved_encoding unsafe_encoding", "allowed"},
		{"both, each on another side", "/a%21|", "/a!%7C", "disallowed reserved_encoding unsafe_encoding", "allowed"},
		{"robots.txt, encoded", "/x", "/%72obots.txt", "disallowed robots_txt_encoded", "allowed"},
		{"robots.txt with a query", "/x", "/%72obots.txt?", "disallowed", "allowed"},
		{"robots.txt behind another slash", "/x", "/%2Frobots.txt", "disallowed", "allowed"},
	} {
		for _, p := range [...]Profile{RFC9309, REP08} {
			if got := against(t, "user-agent: *\ndisallow: *\nallow: "+c.rule, p, "", c.path); got != c.allow {
				t.Errorf("%s: %v: allow: %s, of %s: %s, want %s", c.name, p, c.rule, c.path, got, c.allow)
			}
			if got := against(t, "user-agent: *\ndisallow: "+c.rule, p, "", c.path); got != c.disallow {
				t.Errorf("%s: %v: disallow: %s, of %s: %s, want %s", c.name, p, c.rule, c.path, got, c.disallow)
			}
		}
	}
}

// TestGoogleReadings has the differences where paths are not normalised.
func TestGoogleReadings(t *testing.T) {
	for _, c := range []struct{ rule, path, want string }{
		{"/a%2Fb", "/a/b", "disallowed reserved_encoding"},
		{"/a%2Fb", "/a%2fb", "disallowed reserved_encoding"}, // its letters in another case
		{"/a%2Ab", "/a*b", "disallowed reserved_encoding"},
		{"/a$b", "/a%24b", "disallowed reserved_encoding"},
		{"/a|b", "/a%7cb", "disallowed unsafe_encoding"},
		{"/\u00e9", "/\u00e9", "disallowed unsafe_encoding"},
		{"/\u00e9!", "/\u00e9%21", "disallowed reserved_encoding unsafe_encoding"},
		{"/%62", "/b", "disallowed"},
		{"/x", "/robots.txt", "disallowed"},
		{"/x", "/%72obots.txt", "disallowed robots_txt_encoded"},
	} {
		if got := against(t, "user-agent: *\ndisallow: *\nallow: "+c.rule, Google, "", c.path); got != c.want {
			t.Errorf("allow: %s, of %s: %s, want %s", c.rule, c.path, got, c.want)
		}
	}
}

// TestReadingsRank: a rule is as specific as its pattern is in the profile.
func TestReadingsRank(t *testing.T) {
	for _, c := range []struct{ name, rules, path, want string }{
		{"a longer disallow matches too", "disallow: /\nallow: /a%2F\ndisallow: /a/bcd", "/a/bcd", "disallowed"},
		{"the encoded pattern is longer", "disallow: /a/bc\nallow: /a%2Fb", "/a/bc", "disallowed reserved_encoding"},
		{"a tie goes to allow", "disallow: /a/b*\nallow: /a%2F", "/a/b", "disallowed reserved_encoding"},
		{"what allows anyhow", "allow: /a/bcd\ndisallow: /a%7Cb", "/a/bcd", "allowed"},
		{"an allow that outranks the unsafe disallow", "allow: /a%7Cbc\ndisallow: /a|b", "/a%7Cbc", "allowed"},
		{
			"the reading allows by one rule and disallows by a longer one", "disallow: /\nallow: /a%21\ndisallow: /a!bcd",
			"/a!b", "disallowed reserved_encoding",
		},
		{
			"what matches in the profile alone still decides", "allow: /\ndisallow: /a%2\nallow: /long", "/a%2Fb",
			"disallowed",
		},
		{"and the longer one matches in it", "disallow: /\nallow: /a%21\ndisallow: /a%21bc", "/a!bc", "disallowed"},
	} {
		if got := against(t, "user-agent: *\n"+c.rules, RFC9309, "", c.path); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestFileReadings covers the readings of lines and of the limit, also together with the readings of
// encodings.
func TestFileReadings(t *testing.T) {
	long := "user-agent: *\ndisallow: /\n" + strings.Repeat("#"+strings.Repeat("x", 998)+"\n", 512)
	longAllowed := strings.Replace(long, "/\n", "/\nallow: /p\n", 1)
	for _, c := range []struct{ name, body, path, rfc, rep08, google string }{
		{
			"typo allows", "useragent: foo\nallow: /\nuser-agent: *\ndisallow: /", "/a", "disallowed lenient", "allowed",
			"allowed",
		},
		{"a typo closes", "user-agent: *\ndisalow: /", "/a", "allowed", "disallowed lenient", "disallowed lenient"},
		{"missing colon", "user-agent: *\ndisallow: /\nallow /a", "/a", "disallowed lenient", "allowed", "allowed"},
		{
			"a misspelt key without its colon", "user-agent: *\ndisalow /", "/a", "allowed", "disallowed lenient",
			"disallowed lenient",
		},
		{
			"a key that only begins so", "user-agent: *\ndisallow: /\nallowed: /a", "/a", "disallowed lenient",
			"disallowed lenient", "allowed",
		},
		{"it closes", "user-agent: *\ndisallowed: /", "/a", "allowed", "allowed", "disallowed lenient"},
		{
			"a typo closes what a beginning opens", "user-agent: *\ndisalow: /\nallowed: /a", "/a", "allowed",
			"disallowed lenient", "allowed",
		},
		{
			"nothing hangs on it", "user-agent: *\ndisallow: /\ndisalow: /b\nsitemap x", "/a", "disallowed", "disallowed",
			"disallowed",
		},
		{
			"a comment", "user-agent: *\ndisallow: /\n# allow /a\nallow nothing here", "/a", "disallowed", "disallowed",
			"disallowed",
		},

		{"beyond the limit", long + "allow: /a", "/a", "disallowed parse_limit", "allowed", "allowed"},
		{
			"a limit opens", long[:14] + long[27:] + "disallow: /", "/a", "allowed", "disallowed parse_limit",
			"disallowed parse_limit",
		},
		{"beyond it more of the same", long + "disallow: /a", "/a", "disallowed", "disallowed", "disallowed"},
		{"before it allowed", longAllowed + "disallow: /p", "/p", "allowed", "allowed", "allowed"},

		{
			"lenient and encoded", "user-agent: *\ndisallow: /\nallow /a%2Fb", "/a/b",
			"disallowed reserved_encoding lenient",
			"disallowed reserved_encoding", "disallowed reserved_encoding",
		},
		{
			"lenient and unsafe", "user-agent: *\ndisallow: /\nallow /a|b", "/a%7Cb",
			"disallowed unsafe_encoding lenient",
			"disallowed unsafe_encoding", "disallowed unsafe_encoding",
		},
		{
			"beyond the limit and lenient", long + "allow /a", "/a", "disallowed lenient parse_limit", "allowed",
			"allowed",
		},
		{
			"beyond the limit and encoded", long + "allow: /a%2Fb", "/a/b", "disallowed reserved_encoding parse_limit",
			"disallowed reserved_encoding", "disallowed reserved_encoding",
		},
		{
			"all at once", long + "allow /a%2F|", "/a/%7C",
			"disallowed reserved_encoding unsafe_encoding lenient parse_limit",
			"disallowed reserved_encoding unsafe_encoding", "disallowed reserved_encoding unsafe_encoding",
		},
		{"each by itself", long + "allow: /a\nallow: /x%21", "/a", "disallowed parse_limit", "allowed", "allowed"},
		{
			"two that need nothing of each other", "user-agent: *\ndisallow: /\nallow: /a%21\nallow /a", "/a!",
			"disallowed reserved_encoding lenient", "allowed", "allowed",
		},
		{
			"robots.txt, encoded, and lenient", "user-agent: *\ndisallow: /\nallow /r", "/%72obots.txt",
			"disallowed lenient robots_txt_encoded", "allowed", "disallowed robots_txt_encoded",
		},
	} {
		for i, want := range []string{c.rfc, c.rep08, c.google} {
			if got := against(t, c.body, Profiles[i], "foo", c.path); got != want {
				t.Errorf("%s: %v: %s, want %s", c.name, Profiles[i], got, want)
			}
		}
	}
}

// TestVariantsAreNeeded: no file is parsed again that has nothing to be read
// otherwise.
func TestVariantsAreNeeded(t *testing.T) {
	long := strings.Repeat("#\n", ParseLimit/2)
	for _, c := range []struct {
		body string
		want int // in each profile
	}{
		{"user-agent: *\nDisallow : /\nallow:\nx: y\ncrawl-delay 5\nuser friendly", 0},
		{"useragent: *", 1},
		{"user-agents: *", 1},
		{"useragent: *\nuser-agents: a", 2},
		{"allowed /", 1},
		{"user-agent: a\ncontent-usage: x=n\nuser-agent: b\ndisallow: /", 1},
		{"user-agent: a\n\tContent-Usage :\nuser-agent: b", 1},
		{"user-agent: a\ncontent-usage: x=n\ndisallow: /\nuser-agent: b", 0},
		{"user-agent: a\nallow: /\ncontent-usage: x=n\nuser-agent: b", 0},
		{"content-usage: x=n\nuser-agent: a\nuser-agent: b", 0},
		{"user-agent: a\ncontent-signal: x=no\nuser-agent: b", 0},
		{"user-agent: a\ncontent-usage: x=n\nuseragent: b\ndisallow: /", 2},
		{"user-agent: a\ncontent-usage: x=n\nuser-agent: b\ndisalow: /", 3},
		{long, 0},
		{long + "#", 1},
		{long + "useragent: *", 2},
	} {
		for _, p := range Profiles {
			if got := len(Parse([]byte(c.body), p).variants()); got != c.want {
				t.Errorf("%v: %d variants, want %d, of %.40q", p, got, c.want, c.body)
			}
		}
	}
}

func TestReadingNames(t *testing.T) {
	all := ReadReserved | ReadUnsafe | ReadLenient | ReadBeyondLimit |
		ReadRobotsTxtEncoded | ReadContentUsage | ReadAgentName
	want := []string{
		"reserved_encoding", "unsafe_encoding", "lenient", "parse_limit", "robots_txt_encoded",
		"content_usage", "agent_name",
	}
	if got := all.Strings(); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := Readings(0).Strings(); got != nil {
		t.Errorf("none: %v", got)
	}
}

// TestReadingsExhaustively compares with a slow reference: all patterns and paths of
// up to two parts, and some of three.
func TestReadingsExhaustively(t *testing.T) {
	step := 29
	if !longtest.Run() {
		step = 499
	}
	for _, parts := range [][]string{
		{"/", "%2f", "!", "%21", "2", "%", "*", "$", "%24", "%2A"},
		{"|", "%7C", "%", "%25", "2", "5", "*", "\xFC", "%fc", "!"},
	} {
		texts, short := upToThree(parts)
		for _, p := range Profiles {
			paths := make([]refSide, len(texts))
			for i, text := range texts {
				paths[i] = refPath(p, "/"+text)
			}
			next := 0 // the next path of a pair with three parts
			for i, text := range texts {
				g := Parse([]byte("user-agent: *\ndisallow: *\nallow: /"+text), p).For("")
				pattern := refPattern(p, "/"+text)
				compare := func(n int) {
					path := "/" + texts[n]
					got, _ := g.Against("", path, g.Match(path))
					if want := pattern.against(&paths[n]); got != want {
						t.Fatalf("%v: allow: /%s, of %s: %v, want %v", p, text, path, got.Strings(), want.Strings())
					}
				}
				if i < short {
					for n := range short {
						compare(n)
					}
				}
				for ; next < len(texts); next += step {
					compare(next)
				}
				next -= len(texts)
			}
		}
	}
}

// upToThree returns what up to three parts make, one after another; the first short
// of it consist of fewer.
func upToThree(parts []string) (texts []string, short int) {
	texts = []string{""}
	first := 0
	for range 3 {
		short = len(texts)
		for _, text := range texts[first:short] {
			for _, part := range parts {
				texts = append(texts, text+part)
			}
		}
		first = short
	}
	return texts, short
}

func refPattern(p Profile, value string) refSide {
	if p == Google {
		return refPatternUnits(refGooglePattern(value))
	}
	return refPatternUnits(refNormal(value, true))
}

func refPath(p Profile, path string) refSide {
	if p == Google {
		return refPathUnits(path)
	}
	return refPathUnits(refNormal(path, false))
}

// against returns the readings against a decision that only this pattern could make
// allowed.
func (s *refSide) against(path *refSide) (r Readings) {
	var matches [4]bool
	for i := range matches {
		matches[i] = refGlob(s[i], path[i])
	}
	switch {
	case matches[0]:
		return 0
	case matches[1] && matches[2]:
		return ReadReserved | ReadUnsafe
	case matches[1]:
		return ReadReserved
	case matches[2]:
		return ReadUnsafe
	case matches[3]:
		return ReadReserved | ReadUnsafe
	}
	return 0
}

// refGooglePattern is a rule's value as Google's parser reads it.
func refGooglePattern(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '%' && i+2 < len(s) && strings.Contains(refHex, s[i+1:i+2]) &&
			strings.Contains(refHex, s[i+2:i+3]):
			out.WriteString(strings.ToUpper(s[i : i+3]))
			i += 2
		case s[i] >= 0x80:
			fmt.Fprintf(&out, "%%%02X", s[i])
		default:
			out.WriteByte(s[i])
		}
	}
	return out.String()
}

const refHex = "0123456789abcdefABCDEF"

// TestContentUsage: by draft-ietf-aipref-attach-05 §3 a Content-Usage line is a rule, which ends the
// list of user-agent lines. By RFC 9309 it is not.
func TestContentUsage(t *testing.T) {
	const two = "user-agent: a\ncontent-usage: train-ai=y\n\nuser-agent: *\ndisallow: /"
	for _, c := range []struct{ name, body, token, path, want string }{
		{"a group of its own allows", two, "a", "/x", "disallowed content_usage"},
		{"everybody else", two, "b", "/x", "disallowed"},
		{
			"an empty value", "user-agent: a\ncontent-usage:\nuser-agent: *\ndisallow: /", "a", "/x",
			"disallowed content_usage",
		},
		{
			"the group has a rule that disallows",
			"user-agent: a\ncontent-usage: x=n\ndisallow: /x\nuser-agent: *\ndisallow: /", "a", "/x", "disallowed",
		},
		{
			"other records end nothing", "user-agent: a\ncontent-signal: ai-train=no\nuser-agent: *\ndisallow: /", "a",
			"/x", "disallowed",
		},
		{"before any group", "content-usage: x=n\nuser-agent: a\nuser-agent: *\ndisallow: /", "a", "/x", "disallowed"},
		{"allowed", "user-agent: a\ncontent-usage: x=n\nuser-agent: *\nallow: /", "a", "/x", "allowed"},
		{"with an encoding", "user-agent: a\ncontent-usage: x=n\nuser-agent: b\ndisallow: /\nuser-agent: " +
			"a\ndisallow: /\nallow: /x%2F", "a", "/x/", "disallowed reserved_encoding"},
		{
			"each of two will do", "user-agent: a\nallow: /x%2F\nuser-agent: a\ncontent-usage: x=n\nuser-agent: " +
				"b\ndisallow: /x/b", "a", "/x/b",
			"disallowed reserved_encoding content_usage",
		},
		{
			"both are needed", "user-agent: a\nallow: /x%2F\ndisallow: /x\nuser-agent: a\ncontent-usage: " +
				"x=n\nuser-agent: b\ndisallow: /x/bcd", "a", "/x/bcd",
			"disallowed reserved_encoding content_usage",
		},
		{
			"with a misspelt line",
			"user-agent: a\ncontent-usage: x=n\nuser-agent: b\ndisallow: /xyz\nuser-agent: a\ndisallow: /x\nallow /x",
			"a", "/xyz", "disallowed lenient content_usage",
		},
	} {
		if got := against(t, c.body, RFC9309, c.token, c.path); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	f := Parse([]byte(two), RFC9309)
	if g := f.UsageRules(); g == f || !g.For("a").Match("/x").Allowed {
		t.Error("UsageRules has the groups of RFC 9309")
	}
	if f = Parse([]byte("user-agent: a\ncontent-usage: x=n\ndisallow: /"), RFC9309); f.UsageRules() != f {
		t.Error("UsageRules parses again what makes no difference")
	}
}
