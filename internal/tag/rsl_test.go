package tag

import (
	"fmt"
	"strings"
	"testing"
)

const openRSL = `<rsl xmlns="https://rslstandard.org/rsl">`

// TestRSL: what licence documents state of https://a.example/p/x.
func TestRSL(t *testing.T) {
	content := func(url, licences string) string { return `<content url="` + url + `">` + licences + `</content>` }
	licence := func(parts string) string { return `<license>` + parts + `</license>` }
	permits := func(uses string) string { return `<permits type="usage">` + uses + `</permits>` }
	prohibits := func(uses string) string { return `<prohibits type="usage">` + uses + `</prohibits>` }
	whole := func(contents ...string) string { return openRSL + strings.Join(contents, "") + `</rsl>` }
	for _, c := range []struct{ name, document, want string }{
		{"a prohibited use", whole(content("/", licence(prohibits("ai-train")))), "ai-train=restrict"},
		{
			"all use by AI", whole(content("/", licence(prohibits("ai-all")+permits("search")))),
			"ai-all=restrict search=allow",
		},
		{
			"several uses, in any case", whole(content("", licence(prohibits(" AI-Train\n ai-input,search")))),
			"ai-train=restrict ai-input=restrict search=restrict",
		},
		{"another word", whole(content("/", licence(prohibits("fun")))), "fun=unstated"},
		{
			"by prefix", `<r:rsl xmlns:r="https://rslstandard.org/rsl"><r:content url="/"><r:license><r:prohibits type="usage">all</r:prohibits></r:license></r:content></r:rsl>`,
			"all=restrict",
		},
		{"elements of others", whole(content("/",
			`<x:license xmlns:x="urn:x"><x:prohibits type="usage">all</x:prohibits></x:license>`)), ""},
		{
			"permitted, and nothing else", whole(content("/", licence(permits("search ai-index")))),
			"search=allow ai-index=allow permits:train-ai=hint permits:ai-input=hint",
		},
		{"one licence permits all", whole(content("/", licence(permits("search"))+licence(""))), "search=allow"},
		{
			"for a payment", whole(content("/", licence(permits("all")+`<payment type="subscription"/>`))),
			"all=unstated",
		},
		{"free of charge", whole(content("/", licence(permits("all")+`<payment type="free"/>`))), "all=allow"},
		{
			"for some users", whole(content("/",
				licence(permits("ai-train")+prohibits("search")+`<permits type="user">education</permits>`))),
			"search=hint ai-train=unstated permits:ai-input=hint permits:ai-index=hint",
		},
		{"another path", whole(content("/q/", licence(prohibits("all")))), ""},
		{"a wildcard", whole(content("/*/x$", licence(prohibits("all")))), "all=restrict"},
		{"a URL", whole(content("HTTPS://A.example:443/p/", licence(prohibits("all")))), "all=restrict"},
		{"a URL without a path", whole(content("https://a.example", licence(prohibits("all")))), "all=restrict"},
		{"another origin", whole(content("http://a.example/", licence(prohibits("all")))), ""},
		{
			"no URL", whole(content("p/", licence(prohibits("ai-train")+permits("search")))),
			"ai-train=hint search=unstated permits:ai-input=hint permits:ai-index=hint",
		},
		{
			"a longer path", whole(content("/", licence(prohibits("ai-train search"))),
				content("/p/", licence(permits("ai-train")+`<permits type="usage">all</permits>`))),
			"search=restrict ai-train=allow all=allow",
		},
		{
			"a longer path restricts more",
			whole(content("/", licence(permits("ai-train all"))), content("/p/", licence(prohibits("ai-all")))),
			"all=allow ai-all=restrict",
		},
		{
			"the same path", whole(content("/", licence(permits("all"))), content("/", licence(prohibits("ai-train")))),
			"all=allow ai-train=restrict",
		},
		{
			"not well-formed", openRSL + content("/", licence(prohibits("ai-train")+permits("search"))),
			"ai-train=hint search=unstated permits:ai-input=hint permits:ai-index=hint",
		},
		{
			"a licence that does not end", openRSL + `<content url="/"><license>` + prohibits("ai-train"),
			"ai-train=hint",
		},
		{"an entity", `<!DOCTYPE rsl [<!ENTITY a "ai-train">]>` + whole(content("/", licence(prohibits("&a;")))), "prohibits=hint"},
		{"a document type", `<!DOCTYPE rsl>` + whole(content("/", licence(prohibits("ai-train")))), "ai-train=hint"},
		{
			"no namespace", `<rsl><content url="/"><license>` + prohibits("ai-train") + `</license></content></rsl>`,
			"ai-train=hint",
		},
		{"another element", `<html xmlns="https://rslstandard.org/rsl">` +
			content("/", licence(prohibits("ai-train"))) + `</html>`, "ai-train=hint"},
		{"other elements", whole(`<x>`+content("/", licence(prohibits("all")))+`</x>`,
			content("/", `<schema>s</schema>`+licence(`<legal type="x">all</legal>`))), ""},
		{"in no licence", whole(content("/", `<x>`+prohibits("all")+`</x>`+licence(""))), ""},
		{"no XML", "ai-train=no", ""},
		{"nothing", "", ""},
	} {
		var got []string
		for _, s := range readRSL(c.document, false).For("https://a.example", "/p/x") {
			label := s.Label
			if label == "permits" {
				label += ":" + s.Purpose.String()
			}
			got = append(got, label+"="+s.Preference.String())
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestRSLMeaning: what a document comes to for training and an index.
func TestRSLMeaning(t *testing.T) {
	for _, c := range []struct {
		parts           string
		trains, indexes Preference
	}{
		{`<prohibits type="usage">ai-all</prohibits>`, PreferenceRestrict, PreferenceUnstated},
		{`<prohibits type="usage">all</prohibits>`, PreferenceRestrict, PreferenceRestrict},
		{
			`<prohibits type="usage">all</prohibits><permits type="usage">search</permits>`, PreferenceRestrict,
			PreferenceAllow,
		},
		{
			`<prohibits type="usage">ai-all</prohibits><permits type="usage">ai-train</permits>`, PreferenceAllow,
			PreferenceUnstated,
		},
		{
			`<prohibits type="usage">ai-all</prohibits><permits type="usage">ai-train</permits><payment type="use"/>`,
			PreferenceRestrict, PreferenceUnstated,
		},
	} {
		r := readRSL(openRSL+`<content url="/"><license>`+c.parts+`</license></content></rsl>`, false)
		r.Place = PlaceHead
		list := r.For("http://a", "/")
		if got := Prefers(list, PurposeTrainAI); got != c.trains {
			t.Errorf("%s: training %v", c.parts, got)
		}
		if got := Prefers(list, PurposeSearch); got != c.indexes {
			t.Errorf("%s: an index %v", c.parts, got)
		}
		if got := len(UseTrain.RestrictingSignals(list)) > 0; got != (c.trains == PreferenceRestrict) {
			t.Errorf("%s: restricts training: %v", c.parts, got)
		}
	}
}

// TestHostileRSL: documents that are deep, long or have many parts.
func TestHostileRSL(t *testing.T) {
	const scriptSize = 32 << 10 // of a script that a page holds
	content := `<content url="/"><license><prohibits type="usage">all</prohibits></license></content>`
	for _, document := range []string{
		openRSL + strings.Repeat("<content>", scriptSize/9),
		openRSL + strings.Repeat(content, 4000) + "</rsl>",
		openRSL + strings.Repeat(`<content url="/*a*a*a*a*a*a*a*a*b">`+strings.Repeat("<license/>", 9)+"</content>",
			300) + "</rsl>",
		openRSL + `<content url="/"><license><prohibits type="usage">` + strings.Repeat("all ", scriptSize/4) +
			`</prohibits></license></content></rsl>`,
		"<rsl " + strings.Repeat(`a="b" `, 5000) + "/>",
		strings.Repeat(`<a xmlns:a="b">`, 2000),
		"\x00\xff", "<?xml version='1.0' encoding='utf-16'?>" + openRSL + "</rsl>",
	} {
		r := readRSL(document, false)
		if n := len(r.For("http://a", "/"+strings.Repeat("a", 1000))); n > 2*maxTags {
			t.Errorf("%.40s: %d signals", document, n)
		}
	}
}

func FuzzRSL(f *testing.F) {
	f.Add(openRSL+`<content url="/"><license><prohibits type="usage">all</prohibits></license></content></rsl>`, false)
	f.Fuzz(func(t *testing.T, document string, isCut bool) {
		r := readRSL(document, isCut)
		for _, s := range r.For("http://a", "/") {
			if isCut && s.Preference >= PreferenceAllow {
				t.Errorf("%+v", s)
			}
		}
	})
}

// TestLinkedRSL: what a licence document that https://a.example/p/x names states of it.
func TestLinkedRSL(t *testing.T) {
	document := func(declared, url string) string {
		return declared + openRSL + `<content url="` + url +
			`"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>`
	}
	for _, c := range []struct{ name, document, origin, want string }{
		{"of the same origin", document("", "/p/"), "https://a.example", "license:ai-train=restrict"},
		{"of another", document("", "/p/"), "https://b.example", "license:ai-train=hint"},
		{"of another, by URL", document("", "https://a.example/p/"), "https://b.example", "license:ai-train=restrict"},
		{"of another, about the page", document("", ""), "https://b.example", "license:ai-train=restrict"},
		{
			"in UTF-8", document(`<?xml version="1.0" encoding="utf-8"?>`, "/"), "https://a.example",
			"license:ai-train=restrict",
		},
		{
			"in another charset", document(`<?xml version="1.0" encoding="ISO-8859-1"?>`, "/"), "https://a.example",
			"license:ai-train=restrict",
		},
		{
			"behind a byte order mark", document("\xEF\xBB\xBF"+`<?xml version="1.0"?>`, "/"), "https://a.example",
			"license:ai-train=restrict",
		},
		{
			"with a byte that is no UTF-8", strings.Replace(document("", "/"), "</rsl>", "\xE4</rsl>", 1),
			"https://a.example", "license:ai-train=hint",
		},
		{
			"too long", document("", "/") + strings.Repeat(" ", maxLicence), "https://a.example",
			"license:ai-train=hint license:prohibits=hint",
		},
		{"no licence", "<html></html>", "https://a.example", ""},
	} {
		var got []string
		for _, s := range ReadRSL([]byte(c.document), c.origin).For("https://a.example", "/p/x") {
			got = append(got, fmt.Sprintf("%v:%s=%v", s.Source, s.Label, s.Preference))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestTrainingFile: what lines of Disallow-Training hint at for /p/x.
func TestTrainingFile(t *testing.T) {
	for _, c := range []struct{ name, file, agent, want string }{
		{"a path", "User-Agent: *\nDisallow-Training: /p/\n", "A", "2 1 /p/"},
		{"another path", "User-Agent: *\nDisallow-Training: /q/\n", "A", ""},
		{"a word", "# x\n\ndisallow-training :  True # y\r\n", "A", "3 0 True"},
		{"a word that means no", "Disallow-Training: false\n", "A", ""},
		{"nothing", "Disallow-Training:\n", "A", ""},
		{"before any group", "Disallow-Training: /\nUser-agent: B\nDisallow-Training: /q\n", "A", "1 0 /"},
		{
			"before any group, for one that has one", "Disallow-Training: /\nUser-agent: B\nDisallow-Training: /q\n", "B",
			"",
		},
		{"a group each", "User-agent: *\nDisallow-Training: /q\nUser-agent: B\nDisallow-Training: /\n", "A", ""},
		{
			"a group each, of which one says nothing",
			"User-agent: *\nDisallow-Training: no\nUser-agent: B\nDisallow-Training: /\n", "A", "",
		},
		{
			"the other group", "User-agent: *\nDisallow-Training: /q\nUser-agent: B\nDisallow-Training: /\n", "B",
			"4 3 /",
		},
		{"the longest path", "User-agent: *\nDisallow-Training: /\nDisallow-Training: /p\n", "A", "3 1 /p"},
		{"Disallow", "User-agent: *\nDisallow: /\nDisallow-Training-Data: /\n", "A", ""},
		{"a page", "<p>Disallow-Training: /</p>\n", "A", ""},
	} {
		got := ""
		for _, s := range ReadTraining([]byte(c.file)).For(c.agent, "/p/x") {
			got = fmt.Sprintf("%d %d %s", s.Line, s.Group, s.Raw)
			if s.Preference != PreferenceHint || s.Purpose != PurposeTrainAI {
				t.Errorf("%s: %v", c.name, s)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
