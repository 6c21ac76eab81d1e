package agents

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestList(t *testing.T) {
	if _, err := time.Parse(time.DateOnly, Date()); err != nil {
		t.Error(err)
	}
	all := All()
	for i, a := range all {
		if i > 0 && strings.ToLower(all[i-1].Token) >= strings.ToLower(a.Token) {
			t.Errorf("%q is there twice or not in order", a.Token)
		}
		if a.Token == "" || strings.TrimSpace(a.Token) != a.Token || len(a.Categories) == 0 ||
			!slices.IsSorted(a.Categories) {
			t.Errorf("%+v", a)
		}
		if strings.Contains(a.Operator, "Unclear") || len(a.Operator) > 40 || len(a.Function) > 20 {
			t.Errorf("%+v: more than a fact", a)
		}
		for _, c := range a.Categories {
			if !slices.Contains(categories, c) {
				t.Errorf("%s: category %s", a.Token, c)
			}
		}
		if a.Kind != Operator && a.Kind != Software || a.Requests != RequestsUnknown && a.Requests != RequestsYes &&
			a.Requests != RequestsNever {
			t.Errorf("%+v", a)
		}
	}
}

func TestInCategory(t *testing.T) {
	for name, tokens := range map[string][]string{
		"ai": {"GPTBot", "ClaudeBot", "CCBot", "Google-Extended", "Applebot-Extended"},
		"archive": {
			"archive.org_bot", "ia_archiver", "heritrix", "CCBot", "Zeno", "Browsertrix", "special_archiver",
			"Archive-It", "bnf.fr_bot",
		},
		"search": {"Googlebot", "bingbot", "YandexBot", "Baiduspider", "Applebot"},
		"all":    {"GPTBot", "heritrix", "Googlebot"},
	} {
		found, ok := InCategory(name)
		if !ok {
			t.Errorf("no category %s", name)
		}
		for _, token := range tokens {
			if !slices.ContainsFunc(found, func(a Agent) bool { return a.Token == token }) {
				t.Errorf("%s has no %s", name, token)
			}
		}
	}
	for _, name := range []string{"", "unknown", "AI", "bots"} {
		if found, ok := InCategory(name); ok || found != nil {
			t.Errorf("category %q: %v", name, found)
		}
	}
}

// Control tokens make no request, so that no fetch can violate them.
func TestControlTokens(t *testing.T) {
	for token, want := range map[string]Requests{
		"google-extended": RequestsNever, "Applebot-Extended": RequestsNever, "GPTBot": RequestsYes,
		"archive.org_bot": RequestsYes,
	} {
		if a, ok := Find(token); !ok || a.Requests != want {
			t.Errorf("%s: %v, want %v", token, a.Requests, want)
		}
	}
	if _, ok := Find("nobody"); ok {
		t.Error("found nobody")
	}
}

// Every token of the list that this one grew from is in it.
func TestGrown(t *testing.T) {
	data, err := os.ReadFile("../../../shared/agents/ai-agents.json")
	if err != nil {
		t.Skip("no list to compare with: ", err)
	}
	var rows []struct{ Token string }
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if a, ok := Find(r.Token); !ok || !slices.Contains(a.Categories, "ai") {
			t.Errorf("no %s", r.Token)
		}
	}
}

// The tokens that a crawler obeys besides its own are documented, and form no chain: YandexBot obeys
// Yandex, and nothing else follows.
func TestObeys(t *testing.T) {
	for token, want := range map[string][]string{
		"googlebot-image": {"Googlebot"}, "Googlebot": nil, "Applebot": {"Googlebot"}, "bingbot": {"msnbot"},
		"Kagibot":      {"Googlebot"},
		"YandexImages": {"Yandex"}, "GoogleOther-Video": {"GoogleOther"}, "GPTBot": nil, "": nil,
	} {
		if got := Obeys(token); !slices.Equal(got, want) {
			t.Errorf("%s obeys %v, want %v", token, got, want)
		}
	}
	for _, a := range All() {
		if (len(a.Obeys) > 0) != strings.HasPrefix(a.ObeysSource, "https://") {
			t.Errorf("%s obeys %v by %q", a.Token, a.Obeys, a.ObeysSource)
		}
		for _, other := range a.Obeys {
			if strings.EqualFold(other, a.Token) || Obeys(other) != nil {
				t.Errorf("%s obeys %s, which obeys %v", a.Token, other, Obeys(other))
			}
		}
	}
}

// What exempts a crawler from groups for * is its operator's page, and not its function.
func TestExempt(t *testing.T) {
	for token, want := range map[string]string{
		"chatgpt-user": "user_triggered", "Mediapartners-Google": "documented_exempt", "Claude-User": "", "GPTBot": "", "": "",
	} {
		if got := Exempt(token); got != want {
			t.Errorf("%s: %q, want %q", token, got, want)
		}
	}
	for _, a := range All() {
		_, err := time.Parse(time.DateOnly, a.ExemptRead)
		if isExempt := a.Exempt != ""; isExempt != (err == nil) || isExempt != strings.HasPrefix(a.ExemptSource, "https://") {
			t.Errorf("%s is exempt (%q) by %q, read %q", a.Token, a.Exempt, a.ExemptSource, a.ExemptRead)
		}
	}
}

// What people write in place of a token they know.
func TestNear(t *testing.T) {
	for written, want := range map[string]string{
		"GPT Bot": "GPTBot", "gptbott": "GPTBot", "GPT-Bot": "GPTBot", "Claude Bot": "ClaudeBot",
		"google extended": "Google-Extended", "GTPBot": "GPTBot", "CBot": "CCBot",
		"Amazon Bot": "Amazonbot", "PerplexityBotts": "PerplexityBot", "PerplexityBottles": "", "gptbot": "",
		"ExampleBot": "", "": "", "Wge": "",
	} {
		a, ok := meantBy(written)
		if a.Token != want || ok != (want != "") {
			t.Errorf("near %q: %q, want %q", written, a.Token, want)
		}
	}
}

func TestProminentTokensAreKnown(t *testing.T) {
	for i, token := range prominent {
		if a, ok := Find(token); !ok || a.Token != token || Prominence(strings.ToUpper(token)) != i {
			t.Errorf("%s: listed as %q, place %d", token, a.Token, Prominence(token))
		}
	}
	if Prominence("ExampleBot") != len(prominent) {
		t.Error("an unknown token is prominent")
	}
}

// What is known of a token was read somewhere, and on a day: every entry says so.
func TestSources(t *testing.T) {
	for _, a := range All() {
		if _, err := time.Parse(time.DateOnly, a.Read); err != nil || !strings.HasPrefix(a.Source, "https://") ||
			a.Read > Date() {
			t.Errorf("%s: source %q, read %q", a.Token, a.Source, a.Read)
		}
	}
}
