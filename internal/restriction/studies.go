package restriction

import (
	"slices"
	"strings"
	"unicode"

	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// The classes of three studies. What each does with the rules of a crawler is its own.
// Which rules those are is ours (groups that name the token, else the `*` groups, as
// RFC 9309 §2.2.1 has it), for their parsers lose rules or add foreign ones: see below.
// With theirs, of 7,375 names in 4,231 files of 2019 (40 a file at most), 8 % had
// another class by CC, and by Longpre 18 % with the parser as first published, 23 % with
// the later one.

// Longpre returns the class of Longpre et al. 2024, "Consent in Crisis: The Rapid
// Decline of the AI Data Commons": None, Some or All. Source: interpret_agent and
// interpret_robots in src/web_analysis/parse_robots.py of
// github.com/Data-Provenance-Initiative/Data-Provenance-Collection.
//
// Of the values of the crawler's Disallow and Allow lines, those that contain a "?" are
// dropped. None: no Disallow is left, or only one that is empty, or the list of
// Disallow values equals that of Allow values. All: a Disallow is "/" and no Allow is
// left. Some: everything else. A crawler that no group names has the class of `*`;
// where there is none either, or no robots.txt at all, None.
//
// Their parser is not used. It takes names of crawlers as they are written and in full;
// as first published, it gave the rules of a group to the last of its user-agent lines
// and ended the group at an empty line or a comment; later, it gives rules to all
// crawlers named further up in the file, too.
func (f *File) Longpre(token string) Class {
	return once(f.longpre, f.file.For(token), func(g *robots.Group) Class {
		var allow, disallow []string
		for _, l := range g.RuleLines() {
			switch {
			case strings.Contains(l.Value, "?"):
			case l.Allow:
				allow = append(allow, l.Value)
			default:
				disallow = append(disallow, l.Value)
			}
		}
		switch {
		case len(disallow) == 0, len(disallow) == 1 && disallow[0] == "", slices.Equal(allow, disallow):
			return None
		case len(allow) == 0 && slices.Contains(disallow, "/"):
			return All
		}
		return Some
	})
}

// CC returns the class of Common Crawl's experiments: DisallowAll, AllowAll or
// AllowPart. Source: classify_robotstxt_rules in src/jupyter/metrics-top-k-sample.ipynb
// of github.com/commoncrawl/robotstxt-experiments.
//
// DisallowAll: the crawler has one rule line, "Disallow: /". AllowAll: it has one rule
// line, an Allow of "/", "*", "/*" or nothing, or a Disallow of nothing. AllowPart:
// everything else. A crawler without a rule line of its own has the class of `*`, as in
// their counts of what holds for a crawler; where that has none either, Unknown.
//
// Their parser (src/cc-pyspark/robotstxt_statistics.py) is not used. After the first
// rule of a file it gives the rules of a group to the last of its user-agent lines alone.
func (f *File) CC(token string) Class {
	if c := once(f.cc, f.file.For(token), cc); c != Unknown {
		return c
	}
	return once(f.cc, f.file.For(""), cc)
}

func cc(g *robots.Group) Class {
	lines := g.RuleLines()
	switch len(lines) {
	case 0:
		return Unknown
	case 1:
		switch lines[0] {
		case robots.Line{Value: "/"}:
			return DisallowAll
		case robots.Line{Value: ""}, robots.Line{Allow: true, Value: "/"}, robots.Line{Allow: true, Value: "*"},
			robots.Line{Allow: true, Value: "/*"}, robots.Line{Allow: true, Value: ""}:
			return AllowAll
		}
	}
	return AllowPart
}

// Liu returns the class of Liu et al. 2025, "Somesite I Used To Crawl" (IMC): None,
// Partial or Full. Source: get_all_paths_from_robots and get_judgement_amortized in
// robots_analysis_final.py of github.com/ucsdsysnet/ai-crawler-imc-25.
//
// Google's parser is asked for "/", for the path in each line of the file that holds
// "allow:", whatever crawler it is for, and for /dummy-testing-path-54321. None: all
// are allowed. Full: none is. Partial: everything else. A final "$" of such a path is
// cut; its stars stand for themselves. Whatever the file's profile, Google's is used,
// as they did.
//
// Unknown is a file of so many paths and rules that asking takes more than maxWork.
func (f *File) Liu(token string) Class {
	if f.google == nil {
		f.google = robots.Parse(f.file.Body(), robots.Google)
		f.listed = listing{rest: string(f.file.Body()), seen: map[string]bool{"/": true}} // which is tried anyway
	}
	return once(f.liu, f.google.For(token), func(g *robots.Group) Class {
		rules, wild := 0, 0
		for p := range g.Patterns() {
			rules++
			if strings.Contains(p.Text, "*") {
				wild++
			}
		}
		first := g.Match("/")
		work := 0
		for i := 0; ; i++ {
			path, ok := f.listed.path(i)
			if !ok {
				break
			}
			d := g.Match(path)
			work += rules + wild*len(path)
			if work > maxWork || d.Reason == words.TooCostly {
				return Unknown
			}
			if d.Allowed != first.Allowed {
				return Partial
			}
		}
		if first.Allowed {
			return None
		}
		return Full
	})
}

// A listing is the paths that Liu et al. take from a file, as Google's parser reads the URLs that they make
// of them, each once. Paths are read on demand, because mostly the first ones decide.
type listing struct {
	rest  string // of the body
	paths []string
	seen  map[string]bool
	ended bool
}

// path returns path i, if there are so many.
func (l *listing) path(i int) (path string, ok bool) {
	for len(l.paths) <= i && l.rest != "" {
		line, rest, _ := strings.Cut(l.rest, "\n")
		l.rest = rest
		var words []string
		switch lower := strings.ToLower(line); {
		case strings.Contains(lower, "allow: "):
			words = strings.FieldsFunc(line, isPythonSpace)
		case strings.Contains(lower, "allow:"):
			words = strings.Split(line, ":")
		}
		if len(words) > 1 {
			l.add(words[1])
		}
	}
	if len(l.paths) <= i && !l.ended {
		l.ended = true
		l.add("/dummy-testing-path-54321")
	}
	if i >= len(l.paths) {
		return "", false
	}
	return l.paths[i], true
}

func (l *listing) add(listed string) {
	path := urlPath(strings.TrimSuffix(listed, "$"))
	if !l.seen[path] {
		l.seen[path] = true
		l.paths = append(l.paths, path)
	}
}

// urlPath returns the path that Google's parser finds in a URL of a host and what a
// line lists, which need not begin with a slash: from the first "/", "?" or ";", up to
// a fragment.
func urlPath(listed string) string {
	listed, _, _ = strings.Cut(listed, "#")
	start := strings.IndexAny(listed, "/?;")
	if i := strings.Index(listed, "://"); i >= 0 && i < start {
		listed = listed[i+len("://"):]
		start = strings.IndexAny(listed, "/?;")
	}
	switch {
	case start < 0:
		return "/"
	case listed[start] != '/':
		return "/" + listed[start:]
	}
	return listed[start:]
}

func isPythonSpace(r rune) bool { return unicode.IsSpace(r) || 0x1C <= r && r <= 0x1F }

// CCCapture returns the class that Common Crawl's experiments give to a capture of robots.txt by its HTTP
// status; "" where there is no status. Source: fetch_status_classify in
// src/script/get_robotstxt_ranked_list.py of github.com/commoncrawl/robotstxt-experiments.
//
// Their notebook's "HTTP allow all" is no class of a capture: it is a host without a success and with some
// capture that is notfound, unauthorized or other.
func CCCapture(status int) string {
	switch {
	case status == 0:
		return ""
	case status == 200:
		return "success"
	case status == 403:
		return "forbidden"
	case status == 429, 500 <= status && status <= 599:
		return "defer_visits"
	case 300 <= status && status <= 399:
		return "redirect"
	case status == 400, status == 404, status == 410:
		return "notfound"
	case status == 401:
		return "unauthorized"
	}
	return "other"
}
