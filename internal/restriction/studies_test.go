package restriction

import (
	"slices"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// TestLongpre holds inputs and outputs of the authors' tests of rules, src/web_analysis/test_robots.py of
// Data-Provenance-Initiative/Data-Provenance-Collection, here written as files. The names are theirs.
func TestLongpre(t *testing.T) {
	type classes map[string]Class // by token
	for _, tt := range []struct {
		name, file string
		want       classes
	}{
		{"complete_block_all_agents", "User-agent: *\nDisallow: /", classes{"*": All, "BingBot": All}},
		{"no_block_all_agents", "User-agent: *\nDisallow:", classes{"*": None, "BingBot": None}},
		{
			"partial_block_specific_directories", "User-agent: *\nDisallow: /private\nDisallow: /tmp",
			classes{"*": Some, "BingBot": Some},
		},
		{
			"agent_specific_allowance",
			"User-agent: *\nDisallow: /\nUser-agent: GoogleBot\nAllow: /public\nDisallow: /\n" +
				"User-agent: BingBot\nAllow: /public/data\nDisallow: /private",
			classes{"*": All, "GoogleBot": Some, "BingBot": Some, "YahooBot": All},
		},
		{
			"malformed_rules_handling",
			"User-agent: *\nDisallow: /*.php\nDisallow: /?id=123\nUser-agent: GoogleBot\nDisallow: " +
				"*.html\nDisallow: /test/*/index",
			classes{"*": Some, "GoogleBot": Some, "BingBot": Some},
		},
		{
			"conflicting_rules", "User-agent: GoogleBot\nDisallow: /private\nAllow: /private/stats",
			classes{"*": None, "GoogleBot": Some},
		},
		{
			"specific_vs_general_agent_rules",
			"User-agent: *\nDisallow: /private\nUser-agent: GoogleBot\nDisallow:\nUser-agent: CustomBot\nDisallow: /",
			classes{"*": Some, "GoogleBot": None, "BingBot": Some, "CustomBot": All},
		},
		{"allow_all_except_one", "User-agent: *\nDisallow: /private\nAllow: /", classes{"*": Some}},
		{"implicit_allow", "", classes{"*": None, "GoogleBot": None}},
		{
			"rule_priority_across_different_user_agents",
			"User-agent: *\nDisallow: /private/\nUser-agent: GoogleBot\nAllow: /private/stats",
			classes{"*": Some, "GoogleBot": None, "BingBot": Some},
		},
		{"allow_and_disallow_same_path", "User-agent: *\nAllow: /path\nDisallow: /path", classes{"*": None}},
		{"query_parameters_in_paths", "User-agent: *\nDisallow: /search?query=public", classes{"*": None}},
		{
			"complex_query_parameters", "User-agent: *\nDisallow: /search\nDisallow: /search?query=allowed",
			classes{"*": Some},
		},
		{
			"group_multiple_user_agents",
			"User-agent: anthropic-ai\nUser-agent: Google-Extended\nUser-agent: GPTBot\nDisallow: /",
			classes{"*": None, "anthropic-ai": All, "Google-Extended": All, "GPTBot": All},
		},
		{
			"group_separation_by_blank_line", "User-agent: GPTBot\nCrawl-delay: 5\n\nUser-agent: CCBot\nDisallow: /",
			classes{"*": None, "GPTBot": All, "CCBot": All},
		},
		{"case_insensitive_directives", "user-agent: GPTBot\nDisallow: /", classes{"*": None, "GPTBot": All}},
		{
			"case_insensitive_agent_names", "User-agent: Googlebot\nDisallow: /\n\nUser-agent: GoogleBot\nAllow: /stats",
			classes{"*": None, "Googlebot": Some},
		},
		{"comment_handling", "User-agent: GPTBot\n# Block GPTBot\nDisallow: /", classes{"*": None, "GPTBot": All}},
		{
			"merge_same_agent_groups",
			"user-agent: googleBot-news\ndisallow: /fish\n\nuser-agent: *\ndisallow: /carrots\n\nuser-agent: " +
				"googlebot-news\ndisallow: /shrimp",
			classes{"*": Some, "googlebot-news": Some},
		},
		{
			"groups_with_non_standard_directives",
			"user-agent: a\nsitemap: https://example.com/sitemap.xml\n\nuser-agent: b\ndisallow: /",
			classes{"*": None, "a": All, "b": All},
		},

		// Not among their tests, by their code: an empty Disallow next to others is one.
		{"own: empty and more", "User-agent: *\nDisallow:\nDisallow:", classes{"*": Some}},
		{"own: order counts", "User-agent: *\nAllow: /a\nAllow: /b\nDisallow: /b\nDisallow: /a", classes{"*": Some}},
		{
			"own: Allow with a query is dropped", "User-agent: *\nAllow: /?a\nDisallow: /\nDisallow: /b",
			classes{"*": All},
		},
		{"own: an empty group", "User-agent: *\nDisallow: /\n\nUser-agent: a\n", classes{"*": All, "a": None}},
	} {
		f := Of(robots.Parse([]byte(tt.file), robots.RFC9309))
		for token, want := range tt.want {
			if got := f.Longpre(token); got != want {
				t.Errorf("%s: %s: %v, want %v", tt.name, token, got, want)
			}
		}
	}
}

// TestCC holds every case of classify_robotstxt_rules in
// src/jupyter/metrics-top-k-sample.ipynb of commoncrawl/robotstxt-experiments.
func TestCC(t *testing.T) {
	for rules, want := range map[string]Class{
		"Disallow: /":                 DisallowAll,
		"Disallow: / # all":           DisallowAll,
		"Allow: /":                    AllowAll,
		"Allow: *":                    AllowAll,
		"Allow: /*":                   AllowAll,
		"Allow:":                      AllowAll,
		"Disallow:":                   AllowAll,
		"Disallow: /*":                AllowPart,
		"Disallow: /\nDisallow: /":    AllowPart, // a list of two
		"Disallow: /\nAllow: /a":      AllowPart,
		"Disallow:\nAllow: /":         AllowPart,
		"Disallow: /a":                AllowPart,
		"Disallow: a":                 AllowPart,
		"Crawl-delay: 1":              Unknown, // no rules, so not in their rulesets
		"Crawl-delay: 1\nDisallow: /": DisallowAll,
	} {
		f := Of(robots.Parse([]byte("User-agent: *\n"+rules), robots.RFC9309))
		if got := f.CC("CCBot"); got != want {
			t.Errorf("%q: %v, want %v", rules, got, want)
		}
	}
	f := Of(robots.Parse([]byte("User-agent: a\nDisallow: /\n\nUser-agent: *\nAllow: /\n\nUser-agent: b\nCrawl-delay: 1"), robots.RFC9309))
	for token, want := range map[string]Class{"a": DisallowAll, "*": AllowAll, "c": AllowAll, "b": AllowAll} {
		if got := f.CC(token); got != want {
			t.Errorf("%s: %v, want %v", token, got, want)
		}
	}
	f = Of(robots.Parse([]byte("User-agent: a\nDisallow: /"), robots.RFC9309))
	if got := f.CC("b"); got != Unknown {
		t.Errorf("no group: %v, want %v", got, Unknown)
	}
}

// TestCCCapture holds every case of fetch_status_classify in
// src/script/get_robotstxt_ranked_list.py of commoncrawl/robotstxt-experiments.
func TestCCCapture(t *testing.T) {
	for want, statuses := range map[string][]int{
		"":             {0},
		"success":      {200},
		"forbidden":    {403},
		"defer_visits": {429, 500, 503, 599},
		"redirect":     {300, 301, 308, 399},
		"notfound":     {400, 404, 410},
		"unauthorized": {401},
		"other":        {100, 202, 204, 206, 402, 406, 418, 451, 600, 999},
	} {
		for _, status := range statuses {
			if got := CCCapture(status); got != want {
				t.Errorf("%d: %q, want %q", status, got, want)
			}
		}
	}
}

// TestLiu derives the classes from get_all_paths_from_robots and get_judgement_amortized
// in robots_analysis_final.py of ucsdsysnet/ai-crawler-imc-25.
func TestLiu(t *testing.T) {
	for _, tt := range []struct {
		file string
		want Class
	}{
		{"", None},
		{"User-agent: *\nDisallow:", None},
		{"User-agent: *\nDisallow: /", Full},
		{"User-agent: *\nDisallow: /a", Partial},
		{"User-agent: *\nDisallow:/a", Partial},             // without a space
		{"User-agent: *\nDisallow: /$", Partial},            // only "/" is forbidden
		{"User-agent: *\nDisallow: /\nAllow: /$", Partial},  // the dummy is forbidden
		{"User-agent: *\nDisallow: /\nAllow: /a", Partial},  // /a is allowed
		{"User-agent: *\nDisallow: /\nAllow: /a$", Partial}, // without its "$"
		{"User-agent: *\nDisallow: /*.gif$", Partial},       // the path /*.gif itself
		{"User-agent: *\nDisallow: *.gif", None},            // no slash: the path is "/"
		{"User-agent: *\nDisallow : /a", None},              // no "allow:" in the line, so no path
		{"User-agent: *\nDisalow: /a", None},                // Google's parser forbids it, but no line lists it
		{"User-agent: *\nDisallow: /a\xC3\xA9", None},       // Google's encodes the rule and not the URL
		{"User-agent: *\nDisallow:/a:b", None},              // the path is cut at the colon
		{"User-agent: *\nDisallow: /a:b", Partial},
		{"User-agent: *\nDisallow: /?a", Partial},
		{"User-agent: *\nDisallow: ?a", None}, // no rule, but the path /?a
		{"User-agent: *\nDisallow: /\nAllow : /?a", Full},
		{"User-agent: *\nDisallow: /\nAllow : /?a\nX-allow: ?a", Partial}, // any line with "allow:"
		{"User-agent: *\nDisallow: http://e.com/a", None},                 // no rule; the path /a
		{"User-agent: *\nDisallow: /\nAllow: /robots.txt$", Partial},
		// The paths of all crawlers are tried.
		{"User-agent: *\nDisallow : /ab\n\nUser-agent: x\nAllow: /abc", Partial},
		{"User-agent: x\nDisallow: /a", None},
	} {
		f := Of(robots.Parse([]byte(tt.file), robots.RFC9309))
		if got := f.Liu("GPTBot"); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.file, got, tt.want)
		}
	}
}

func TestListedPaths(t *testing.T) {
	const dummy = "/dummy-testing-path-54321"
	for body, want := range map[string][]string{
		"Disallow: /a$\nAllow: /b /c\nALLOW:/d\r\nDisallow:\nDisallow: \n# disallow: /e": {"/a", "/b", "/d\r", dummy},
		"Disallow: /a\nDisallow: /a":                 {"/a", dummy},
		"Disallow: ;a\nDisallow: b/c\nDisallow: d?e": {"/;a", "/c", "/?e", dummy},
		"Disallow: /a#b\nDisallow: #c/d":             {"/a", dummy},
		"Disallow: http://e.com/a\nDisallow: //b/c":  {"/a", "//b/c", dummy},
	} {
		l := listing{rest: body, seen: map[string]bool{"/": true}}
		var got []string
		for path, ok := l.path(0); ok; path, ok = l.path(len(got)) {
			got = append(got, path)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}
