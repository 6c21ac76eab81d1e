package tag

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/robots"
)

const usageRobots = `License: https://licences.example/all.xml
Content-Usage: search=n
User-agent: *
Content-Usage: train-ai=n
Content-Usage: /open/ train-ai=y
Content-Usage: /open/x train-ai=y
Content-Usage: /ope*/x train-ai=n
Content-Signal: search=yes,ai-train=no,use=reference
Disallow: /private

User-agent: ExampleBot
Content-Usage: bots=n, train-ai=y
`

func preferences(list []Signal) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, fmt.Sprintf("%s:%s=%s", s.Kind, s.Label, s.Preference))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// The group of the token counts, within it the longest path, and between paths of
// the same length the restriction (draft-ietf-aipref-attach-05 §3.1).
func TestRobotsSignals(t *testing.T) {
	f := robots.Parse([]byte(usageRobots), robots.RFC9309)
	r := ReadRobots(f, robots.RFC9309)
	if len(r.Signals) != 11 {
		t.Errorf("%d signals: %s", len(r.Signals), preferences(r.Signals))
	}
	for _, c := range []struct {
		token, path string
		train       Preference
		search      Preference
		restricts   int // signals that bind training
	}{
		{"CCBot", "/", PreferenceRestrict, PreferenceAllow, 2},
		{"CCBot", "/open/y", PreferenceRestrict, PreferenceAllow, 1}, // Content-Signal still restricts
		{"CCBot", "/open/x", PreferenceRestrict, PreferenceAllow, 2},
		{"CCBot", "/ope/x", PreferenceRestrict, PreferenceAllow, 2},
		{"examplebot", "/", PreferenceAllow, PreferenceRestrict, 0},
	} {
		list := saidBy(r, c.token, c.path)
		if got := Prefers(list, PurposeTrainAI); got != c.train {
			t.Errorf("%s %s: training %v, want %v: %s", c.token, c.path, got, c.train, preferences(list))
		}
		if got := Prefers(list, PurposeSearch); got != c.search {
			t.Errorf("%s %s: search %v, want %v: %s", c.token, c.path, got, c.search, preferences(list))
		}
		if got := UseTrain.RestrictingSignals(list); len(got) != c.restricts {
			t.Errorf("%s %s: %d signals restrict training, want %d: %s", c.token, c.path, len(got), c.restricts,
				preferences(got))
		}
		if !strings.Contains(preferences(list), "license:license=unstated") {
			t.Errorf("%s %s: no licence, which is everybody's", c.token, c.path)
		}
		if !slices.ContainsFunc(list,
			func(s Signal) bool { return s.Notes == NoteNoGroup && s.Line == 2 && !s.Binds() }) {
			t.Errorf("%s %s: the line outside any group is not recorded", c.token, c.path)
		}
	}
}

func saidBy(r *RobotsTxt, token, path string) []Signal {
	list, _ := r.For(token, path)
	return list
}

// The groups of a Content-Usage line follow its draft, in which it is a rule: it ends the list of agents.
// Other records follow the groups of RFC 9309.
func TestUsageGroups(t *testing.T) {
	f := robots.Parse([]byte("User-agent: a\nContent-Usage: train-ai=y\nContent-Signal: search=no\nUser-agent: "+
		"*\nContent-Usage: train-ai=n\nDisallow: /x\n"), robots.RFC9309)
	r := ReadRobots(f, robots.RFC9309)
	for token, want := range map[string]string{
		"a": "content-signal:search=restrict content-usage:train-ai=allow",
		"b": "content-signal:search=restrict content-usage:train-ai=restrict",
	} {
		if got := preferences(saidBy(r, token, "/x")); got != want {
			t.Errorf("%s: %s, want %s", token, got, want)
		}
		if got := r.MayCrawl(token, "/x"); got != (token == "a") {
			t.Errorf("%s may crawl: %v", token, got)
		}
	}
	if r.Key("a") == r.Key("b") || r.Key("b") != r.Key("c") {
		t.Error("a has what b has, or b has not what c has")
	}
}

// A line that is no Dictionary replaces the shorter ones, and what they restrict is a hint: a mistake
// is no permission.
func TestBrokenUsage(t *testing.T) {
	const file = "User-agent: *\nContent-Usage: train-ai=n, search=y\nContent-Usage: /a Train-AI=y\nContent-Usage: /a/b train-ai=y\nContent-Usage: /c Train-AI=n\nContent-Usage: /c train-ai=y\n"
	f := robots.Parse([]byte(file), robots.RFC9309)
	r := ReadRobots(f, robots.RFC9309)
	for _, c := range []struct {
		path, want string
		hints      bool
	}{
		{"/", "content-usage:search=allow content-usage:train-ai=restrict", false},
		{"/a", "content-usage:train-ai=hint content-usage:train-ai=unstated", true},
		{"/a/b", "content-usage:train-ai=allow", false},
		{"/c", "content-usage:train-ai=allow content-usage:train-ai=hint", true},
	} {
		list := saidBy(r, "x", c.path)
		if got := preferences(list); got != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
		if got := UseTrain.Hints(list); got != c.hints || UseIndex.Hints(list) {
			t.Errorf("%s: hints %v", c.path, got)
		}
		if got := len(UseTrain.RestrictingSignals(list)); got != 0 && c.path != "/" {
			t.Errorf("%s: %d restrict", c.path, got)
		}
	}
}

// Uses nest only where their vocabulary has one as a part of another.
func TestNesting(t *testing.T) {
	for _, c := range []struct{ field, want string }{
		{"Content-Usage: bots=n", "automated=n tdm=n ai=n train-ai=n train-genai=n ai-input=n ai-index=n search=n"},
		{
			"Content-Usage: all=n, search=y",
			"automated=n tdm=n ai=n train-ai=n train-genai=n ai-input=n ai-index=n search=y",
		},
		{
			"Content-Usage: bots=y, ai-output=n",
			"automated=y tdm=y ai=y train-ai=y train-genai=y ai-input=n ai-index=y search=n",
		},
		{"Content-Usage: ai-output=n, search=y", "ai-input=n search=y"},
		{
			"Content-Usage: bots=y, train-ai=n",
			"automated=y tdm=y ai=y train-ai=n train-genai=n ai-input=y ai-index=y search=y",
		},
		{
			"Content-Usage: bots=y\nContent-Usage: train-ai=n",
			"automated=y tdm=y ai=y train-ai=n train-genai=n ai-input=y ai-index=y search=y",
		},
		{"Content-Usage: tdm=n, ai=y", "tdm=n train-ai=y train-genai=y"},
		{"Content-Usage: tdm=n, genai=y", "tdm=n train-ai=n train-genai=y"},
		{"Content-Usage: train-ai=n", "train-ai=n"},
		// search overrides what else is said (vocab-08 §4.3)
		{"Content-Usage: train-ai=n, search=y", "train-ai=n search=y"},
		{"Content-Usage: ai-use=n", "ai-input=n"},
		{"Content-Signal: ai-train=no, search=yes", "train-ai=n search=y"},
		{"TDM-Reservation: 1", "tdm=n"},
	} {
		list := ReadHeaders(c.field).Signals
		var got []string
		for p := PurposeAutomated; p < PurposeLicense; p++ {
			switch Prefers(list, p) {
			case PreferenceAllow:
				got = append(got, p.String()+"=y")
			case PreferenceRestrict:
				got = append(got, p.String()+"=n")
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.field, got, c.want)
		}
	}
}

// The search category of vocab-08 overrides others: what is said of them does not bind an index.
func TestSearchOverrides(t *testing.T) {
	list := ReadHeaders("Content-Usage: train-ai=n, ai-use=n, search=y").Signals
	if got := UseIndex.RestrictingSignals(list); len(got) != 0 {
		t.Errorf("an index: %s", preferences(got))
	}
	if got := UseTrain.RestrictingSignals(list); len(got) != 1 {
		t.Errorf("training: %s", preferences(got))
	}
}

// DisallowAITraining and AllowAITraining have paths; the longest counts.
func TestAITraining(t *testing.T) {
	f := robots.Parse([]byte("DisallowAITraining: /\nUser-agent: *\nDisallowAITraining: /\nAllowAITraining: "+
		"/a/\nDisallow:\nUser-agent: b\nDisallowAITraining:\n"), robots.RFC9309)
	r := ReadRobots(f, robots.RFC9309)
	for _, c := range []struct {
		token, path string
		want        Preference
	}{{"a", "/x", PreferenceRestrict}, {"a", "/a/x", PreferenceAllow}, {"b", "/x", PreferenceUnstated}} {
		if got := Prefers(saidBy(r, c.token, c.path), PurposeTrainAI); got != c.want {
			t.Errorf("%s %s: %v, want %v", c.token, c.path, got, c.want)
		}
	}
	if s := saidBy(r, "a", "/x"); len(s) != 2 || s[1].Draft != "draft-canel-robots-ai-control-00" ||
		s[1].Path != "/" || s[0].Notes != NoteNoGroup {
		t.Errorf("%+v", s)
	}
}

// License lines of the group that a token selects replace those outside any group (RSL 1.0 §4.4.2).
func TestLicenseGroups(t *testing.T) {
	f := robots.Parse([]byte("License: http://l/all\nUser-agent: a\nDisallow:\nUser-agent: b\nLicense: "+
		"http://l/b\nLicense: http://l/b2\nDisallow:\nUser-agent: a\nLicense: http://l/a\n"), robots.RFC9309)
	r := ReadRobots(f, robots.RFC9309)
	for token, want := range map[string]string{
		"a": "[http://l/a]", "b": "[http://l/b http://l/b2]",
		"c": "[http://l/all]",
	} {
		if got := fmt.Sprint(licenses(saidBy(r, token, "/"))); got != want {
			t.Errorf("%s: %s, want %s", token, got, want)
		}
	}
}

// For Bing, noarchive and nocache restrict use, too; together they count as nocache.
func TestBing(t *testing.T) {
	at, _, _ := parseDate("2026-01-01")
	for _, c := range []struct{ token, tags, signals, rules string }{
		{"bingbot", "noarchive", "train-ai ai-input", "[noarchive]"},
		{"BingBot", "nocache", "train-ai", "[nocache]"},
		{"bingbot", "noarchive, nocache", "train-ai", "[nocache]"},
		{"bingbot", "noarchive: false, nocache", "train-ai", "[nocache]"},
		{"bingbot", "noarchive, noai", "train-ai ai-input train-ai ai-input", "[noai noarchive]"},
		{"bingbot", "googlebot: nocache, bingbot: noarchive", "train-ai ai-input", "[noarchive]"},
		{"googlebot", "noarchive", "", "[]"},
		{"", "noarchive", "", "[]"},
	} {
		tags := ReadHeaders("X-Robots-Tag: " + c.tags).Tags
		var purposes []string
		for _, s := range TagSignals(tags, c.token, false) {
			purposes = append(purposes, s.Purpose.String())
		}
		if got := strings.Join(purposes, " "); got != c.signals {
			t.Errorf("%s: %s: signals %s, want %s", c.token, c.tags, got, c.signals)
		}
		set := Effective(tags, c.token)
		if got := fmt.Sprint(set.Restrictions(UseTrain, at)); got != c.rules {
			t.Errorf("%s: %s: rules %s, want %s", c.token, c.tags, got, c.rules)
		}
	}
}

// Of the same length is "/ope*/x" to "/open/x": both hold, n wins.
func TestRobotsTie(t *testing.T) {
	f := robots.Parse([]byte("User-agent: *\nContent-Usage: /open/x train-ai=y\nContent-Usage: /ope*/x train-ai=n\n"),
		robots.RFC9309)
	list := saidBy(ReadRobots(f, robots.RFC9309), "a", "/open/x")
	if len(list) != 2 || Prefers(list, PurposeTrainAI) != PreferenceRestrict {
		t.Errorf("%s", preferences(list))
	}
}

func TestTDMFile(t *testing.T) {
	for _, c := range []struct {
		body, path string
		want       Preference
		notes      Notes
	}{
		{`[{"location":"/a/*","tdm-reservation":0},{"location":"/","tdm-reservation":1,"tdm-policy":"https://a.example/p"}]`, "/a/b", PreferenceAllow, 0},
		{`[{"location":"/a/*","tdm-reservation":0},{"location":"/","tdm-reservation":1,"tdm-policy":"https://a.example/p"}]`, "/b", PreferenceRestrict, 0},
		{`[{"location":"*.jpg$","tdm-reservation":"1"}]`, "/x/y.jpg", PreferenceRestrict, 0},
		{`[{"location":"/x","tdm-reservation":1}]`, "/y", PreferenceUnstated, 0},
		{`[{"location":"/","tdm-reservation":true}]`, "/y", PreferenceUnstated, 0},
		{`[7,{"location":"/","tdm-reservation":1}]`, "/y", PreferenceRestrict, NoteValue},
		{`{"tdm-reservation":1}`, "/y", PreferenceUnstated, NoteMalformed | NoteValue},
		{`{"location":"/","tdm-reservation":1}`, "/y", PreferenceRestrict, NoteMalformed},
		{`<!doctype html>`, "/y", PreferenceUnstated, NoteMalformed},
		{``, "/y", PreferenceUnstated, NoteMalformed},
		{strings.Repeat("[", 1<<20), "/y", PreferenceUnstated, NoteMalformed},
	} {
		f := ReadTDMFile([]byte(c.body))
		if got := Prefers(f.For(c.path), PurposeTDM); got != c.want || f.Notes != c.notes {
			t.Errorf("%.80s %s: %v (%v), want %v (%v)", c.body, c.path, got, f.Notes, c.want, c.notes)
		}
	}
}

// A key said twice in one dictionary is the last one's (RFC 9651 §3.2).
func TestDuplicateKeys(t *testing.T) {
	p := ReadHeaders("Content-Usage: train-ai=n, search=n\nContent-Usage: train-ai=y")
	if got, want := preferences(p.Signals), "content-usage:search=restrict content-usage:train-ai=allow"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if p.Signals[len(p.Signals)-1].Notes != NoteDuplicate {
		t.Error("not noted")
	}
	f := robots.Parse([]byte("User-agent: *\nContent-Usage: train-ai=n, train-ai=y\nContent-Usage: search=n, search=\n"), robots.RFC9309)
	list := saidBy(ReadRobots(f, robots.RFC9309), "", "/")
	if got, want := preferences(list),
		"content-usage:search=hint content-usage:search=hint content-usage:train-ai=allow"; got != want {
		t.Errorf("%s, want %s: of one line the last, and hints of one that can't be read", got, want)
	}
}

// TestManyStatements: the statements of a file on one fetch are bounded.
func TestManyStatements(t *testing.T) {
	for n, want := range map[int]bool{MaxItems: false, MaxItems + 1: true} {
		f := robots.Parse([]byte("User-agent: a\n"+strings.Repeat("Content-Usage: train-ai=n\n", n)+
			"Disallow:\nUser-agent: b\nContent-Usage: search=y\n"), robots.RFC9309)
		if list, more := ReadRobots(f, robots.RFC9309).For("a", "/"); more != want || len(list) != MaxItems {
			t.Errorf("%d lines: %d signals, more %v", n, len(list), more)
		}
	}
}

func TestInherit(t *testing.T) {
	for _, c := range [][3]string{
		{"X-Robots-Tag: noindex\nTDM-Reservation: 1", "", "X-Robots-Tag: noindex\nTDM-Reservation: 1"},
		{"X-Robots-Tag: noindex\nTDM-Reservation: 1", "x-robots-tag: all", "x-robots-tag: all\nTDM-Reservation: 1"},
		{"", "x-robots-tag: all", "x-robots-tag: all"},
	} {
		if got := Inherit(c[0], c[1]); got != c[2] {
			t.Errorf("Inherit(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// A nearer word lifts the wider one of its own statement, not that of another.
func TestStatements(t *testing.T) {
	line := func(value string) []Signal {
		f := robots.Parse([]byte("User-agent: *\nContent-Usage: "+value+"\n"), robots.RFC9309)
		return saidBy(ReadRobots(f, robots.RFC9309), "", "/")
	}
	header := func(s string) []Signal { return ReadHeaders(s).Signals }
	for _, c := range []struct {
		name      string
		list      []Signal
		want      Preference
		restricts int
	}{
		{"one field in two lines", header("Content-Usage: bots=n\nContent-Usage: train-ai=y"), PreferenceAllow, 0},
		{"one line", line("bots=n, train-ai=y"), PreferenceAllow, 0},
		{
			"the header lifts nothing", slices.Concat(line("bots=n"), header("Content-Usage: train-ai=y")),
			PreferenceRestrict, 1,
		},
		{
			"nor does robots.txt", slices.Concat(line("train-ai=y"), header("Content-Usage: bots=n")), PreferenceRestrict,
			1,
		},
		{"nor another line", line("bots=n\nContent-Usage: train-ai=y"), PreferenceRestrict, 1},
	} {
		if got := Prefers(c.list, PurposeTrainAI); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if got := UseTrain.RestrictingSignals(c.list); len(got) != c.restricts {
			t.Errorf("%s: %s restrict, want %d", c.name, preferences(got), c.restricts)
		}
	}
}

// What restricts one use does not restrict another.
func TestUse(t *testing.T) {
	for _, c := range []struct {
		use  Use
		tags string
		want string
	}{
		{UseArchive, "noindex, nosnippet, noai", "[]"},
		{UseArchive, "noarchive", "[noarchive]"},
		{UseIndex, "none, max-snippet:-1, max-image-preview:large, noai", "[noindex]"},
		{UseIndex, "max-snippet:0, max-image-preview:none", "[max-snippet max-image-preview]"},
		{UseTrain, "noindex, noai", "[noai]"},
		{UseArchive, "unavailable_after: 2010-01-01", "[unavailable_after]"},
		{UseArchive, "unavailable_after: 2030-01-01", "[]"},
		{UseArchive, "unavailable_after: never", "[]"},
	} {
		at, _, _ := parseDate("2020-01-01")
		set := Effective(ReadHeaders("X-Robots-Tag: "+c.tags).Tags, "")
		if got := fmt.Sprint(set.Restrictions(c.use, at)); got != c.want {
			t.Errorf("%v of %q: %s, want %s", c.use, c.tags, got, c.want)
		}
	}
}

// A signal of a tag has the tag's value, which its note may be about.
func TestTagSignalValue(t *testing.T) {
	list := TagSignals(ReadHeaders("X-Robots-Tag: noai: x").Tags, "", false)
	if len(list) != 2 || list[0].Value != "x" || list[0].Notes != NoteValue {
		t.Errorf("%+v, want two with the value x", list)
	}
}

// An empty License line names no licence, so that it states nothing.
func TestEmptyLicense(t *testing.T) {
	f := robots.Parse([]byte("License:\nLicense: \nUser-agent: *\nlicense:\nLicense: x\n"), robots.RFC9309)
	if list := ReadRobots(f, robots.RFC9309).Signals; len(list) != 1 || list[0].Value != "x" || list[0].Line != 5 {
		t.Errorf("%+v, want x alone", list)
	}
}

// Parameters are no part of a value, whatever it is (RFC 9651 §3.1.2).
func TestUsageParameters(t *testing.T) {
	for _, c := range []struct{ member, value string }{
		{"tdm=n;x=1", "n"},
		{"tdm=N;x=1", "N"},
		{"tdm=?0;x", "?0"},
		{"tdm;x=1", ""},
		{`tdm="a;\"b";x`, `"a;\"b"`},
		{"tdm=(a;x b;y);z", "(a;x b;y)"},
		{"tdm=N", "N"},
		{"tdm", ""},
	} {
		list := contentUsage(c.member, true)
		if len(list) != 1 || list[0].Value != c.value || list[0].Label != "tdm" || list[0].Raw != c.member ||
			list[0].Notes&NoteMalformed != 0 {
			t.Errorf("%s: %+v, want the value %q", c.member, list, c.value)
		}
	}
}
