package facts

import (
	"fmt"
	"slices"
	"testing"
)

// TestJoiner: a row of an index joins the fetch of its record, or of another row.
func TestJoiner(t *testing.T) {
	inputs := []InputResult{
		{Input: Input{Path: "/data/b4d3/pages.warc.gz", Name: "crawl/pages.warc.gz"}},
		{Input: Input{Path: "/data/i.cdxj", Name: "i.cdxj"}, InputStats: InputStats{Indexed: 1}},
		{Input: Input{Path: "/data/k.cdxj", Name: "k.cdxj"}, InputStats: InputStats{Indexed: 1}},
	}
	const sha1 = "YIARRCXO6UYLRJTT475KYZXWVXYQDBYV"
	second := func(f Fetch) Fetch {
		f.Origin, f.Micros, f.Precision = "http://a.example", 1_700_000_000_000_000, PrecisionSecond
		if f.URL == "" {
			f.URL = "http://a.example/x"
		}
		if f.Status == 0 {
			f.Status = -1
		}
		return f
	}
	record := func(f Fetch) Fetch {
		f.Type = TypeResponse
		f = second(f)
		f.Micros, f.Precision = f.Micros+123_456, PrecisionMicrosecond
		return f
	}
	row := func(f Fetch) Fetch {
		f.Type, f.Trust, f.Input = TypeIndexed, TrustIndexed, max(f.Input, 1)
		return second(f)
	}
	verified := func(f Fetch) Fetch {
		f.Trust, f.Input = TrustVerified, max(f.Input, 1)
		return record(f)
	}
	coarse := func(p Precision, f Fetch) Fetch {
		f = record(f)
		t := f.Time().Truncate(p)
		f.Micros, f.Precision = t.Micros, t.Precision
		return f
	}
	other := func(f Fetch) Fetch {
		f = record(f)
		f.Type = TypeOther
		return f
	}
	midnight := func(p Precision) Fetch {
		f := row(Fetch{})
		f.Micros, f.Precision = 1_699_920_000_000_000, p
		if p == PrecisionDay {
			f.Trust = TrustListed
		}
		return f
	}
	for _, c := range []struct {
		name   string
		before Fetch
		row    Fetch
		want   bool
	}{
		{"the same place", record(Fetch{Offset: 7}), row(Fetch{Archive: "s3/pages.warc.gz", Offset: 7}), true},
		{
			"the same place, a URL as an index has it", record(Fetch{Offset: 7, URL: "http://a.example/\xe9 x"}),
			row(Fetch{Archive: "pages.warc.gz", Offset: 7, URL: "http://a.example/é%20x"}), true,
		},
		{
			"the same place in an entry", record(Fetch{Offset: 7, Entry: "archive/data.warc.gz"}),
			row(Fetch{Archive: "data.warc.gz", Offset: 7}), true,
		},
		{
			"the same offset in another archive", record(Fetch{Offset: 7}),
			row(Fetch{Archive: "other.warc.gz", Offset: 7}), false,
		},
		{
			"the same place, escapes of what needs none", record(Fetch{Offset: 7, URL: "http://a.example/%7Ex"}),
			row(Fetch{Archive: "pages.warc.gz", Offset: 7, URL: "http://a.example/~x"}), true,
		},
		{
			"the same place, what no server sees", record(Fetch{Offset: 7}),
			row(Fetch{Archive: "pages.warc.gz", Offset: 7, URL: "http://u:p@A.Example:80/x#y"}), true,
		},
		{
			"the same place, another URL", record(Fetch{Offset: 7}),
			row(Fetch{Archive: "pages.warc.gz", Offset: 7, URL: "http://a.example/y"}), false,
		},
		{"another place, no digest", record(Fetch{Offset: 7}), row(Fetch{Archive: "pages.warc.gz", Offset: 8}), false},
		{
			"moved", record(Fetch{PayloadDigest: "sha1:" + sha1}),
			row(Fetch{Archive: "whole.warc.gz", Offset: 99, PayloadDigest: sha1}), true,
		},
		{
			"moved, another digest", record(Fetch{PayloadDigest: "sha1:" + sha1}),
			row(Fetch{Archive: "whole.warc.gz", Offset: 99, PayloadDigest: "Z" + sha1[1:]}), false,
		},
		{
			"moved, another status", record(Fetch{PayloadDigest: sha1, Status: 200}),
			row(Fetch{Archive: "whole.warc.gz", PayloadDigest: sha1, Status: 301}), false,
		},
		{
			"moved, a URL that is alike", record(Fetch{PayloadDigest: sha1, URL: "http://a.example/\xe9"}),
			row(Fetch{Archive: "whole.warc.gz", PayloadDigest: sha1, URL: "http://a.example/%FC"}), false,
		},
		{"a date and its first second", midnight(PrecisionSecond), midnight(PrecisionDay), true},
		{"nothing but URL and time", record(Fetch{Method: "GET", Status: 200}), row(Fetch{}), true},
		{"nothing but URL, time and another method", record(Fetch{Method: "GET"}), row(Fetch{Method: "POST"}), false},
		{"an id", record(Fetch{RecordID: "urn:a"}), row(Fetch{RecordID: "urn:a", Status: 404}), true},
		{"another id", record(Fetch{RecordID: "urn:a"}), row(Fetch{RecordID: "urn:b"}), false},
		{
			"a UUID in another case", record(Fetch{RecordID: "urn:uuid:12345678-9ABC-DEF0-1234-56789ABCDEF0"}),
			row(Fetch{RecordID: "\x00\x12\x34\x56\x78\x9a\xbc\xde\xf0\x12\x34\x56\x78\x9a\xbc\xde\xf0"}), true,
		},
		{
			"another index", row(Fetch{Archive: "a.warc.gz", Offset: 7}),
			row(Fetch{Archive: "x/a.warc.gz", Offset: 7, Input: 2}), true,
		},
		{
			"another index, moved", row(Fetch{Archive: "a.warc.gz", PayloadDigest: sha1}),
			row(Fetch{Archive: "b.warc.gz", PayloadDigest: sha1, Input: 2}), true,
		},
		{
			"a record that was verified", verified(Fetch{Archive: "a/pages.warc.gz", Offset: 7, RecordID: "urn:a"}),
			row(Fetch{Archive: "a/pages.warc.gz", Offset: 7}), true,
		},
		{
			"a row that was refuted", row(Fetch{Archive: "a.warc.gz", Offset: 7, Flags: FlagRefuted}),
			row(Fetch{Archive: "a.warc.gz", Offset: 7}), true,
		},
		{
			"a verified record, and the record itself", record(Fetch{Offset: 7, RecordID: "urn:a"}),
			verified(Fetch{Archive: "pages.warc.gz", Offset: 7, RecordID: "urn:a"}), true,
		},
		{
			"verified twice", verified(Fetch{Archive: "a.warc.gz", Offset: 7, RecordID: "urn:a"}),
			verified(Fetch{Archive: "x/a.warc.gz", Offset: 7, RecordID: "urn:a", Input: 2}), true,
		},
		{
			"verified, an id used twice", verified(Fetch{Archive: "a.warc.gz", Offset: 7, RecordID: "urn:a"}),
			verified(Fetch{Archive: "a.warc.gz", Offset: 8, RecordID: "urn:a"}), false,
		},
		{
			"the same place, a day", coarse(PrecisionDay, Fetch{Offset: 7}),
			row(Fetch{Archive: "pages.warc.gz", Offset: 7, Status: 200}), true,
		},
		{"the same place, no date", coarse(0, Fetch{Offset: 7}), row(Fetch{Archive: "pages.warc.gz", Offset: 7}), true},
		{
			"another place, a day", coarse(PrecisionDay, Fetch{Offset: 7}),
			row(Fetch{Archive: "pages.warc.gz", Offset: 8}), false,
		},
		{
			"another archive, a day", coarse(PrecisionDay, Fetch{Offset: 7}),
			row(Fetch{Archive: "other.warc.gz", Offset: 7}), false,
		},
		{
			"another URL, a day", coarse(PrecisionDay, Fetch{Offset: 7, URL: "http://a.example/y"}),
			row(Fetch{Archive: "pages.warc.gz", Offset: 7}), false,
		},
		{"a place of no record, a day", coarse(PrecisionDay, Fetch{Offset: 7}), row(Fetch{Offset: 7}), false},
		{"a request", other(Fetch{Offset: 7}), row(Fetch{Archive: "pages.warc.gz", Offset: 7}), true},
		{
			"a request, and a row with a status", other(Fetch{Offset: 7}),
			row(Fetch{Archive: "pages.warc.gz", Offset: 7, Status: 200}), false,
		},
		{"a request elsewhere", other(Fetch{Offset: 7}), row(Fetch{Archive: "pages.warc.gz", Offset: 8}), false},
		{
			"a request in another archive", other(Fetch{Offset: 7}), row(Fetch{Archive: "other.warc.gz", Offset: 7}),
			false,
		},
		{"a request, and a row without a place", other(Fetch{}), row(Fetch{}), false},
		{
			"two places of one index", row(Fetch{Archive: "a.warc.gz", PayloadDigest: sha1}),
			row(Fetch{Archive: "b.warc.gz", PayloadDigest: sha1}), false,
		},
	} {
		index := mustIndex(t, SetOf(inputs...))
		for _, crowd := range []int{0, 2 * fewSeen} { // looked at one by one, or by URL
			j := joiner{indexed: &index}
			for i := range crowd {
				other := record(Fetch{URL: fmt.Sprintf("http://a.example/%d", i)})
				j.begin(&other)
				j.isJoined(&other)
			}
			if CompareFetches(&c.before, &c.row) >= 0 && c.before.Trust != c.row.Trust {
				t.Errorf("%s: the row stands before what it is compared with", c.name)
			}
			j.begin(&c.before)
			if j.isJoined(&c.before) {
				t.Errorf("%s: the first is no other", c.name)
			}
			j.begin(&c.row)
			if got := j.isJoined(&c.row); got != c.want {
				t.Errorf("%s, among %d: %t", c.name, crowd, got)
			}
		}
	}
}

// TestIndexedAgent: the User-Agent of a row comes from its archive's warcinfo records, else from
// all captures of robots.txt, and only where these agree.
func TestIndexedAgent(t *testing.T) {
	stats := func(s InputStats, agents ...string) InputStats {
		for _, agent := range agents {
			s.AddCrawl(Crawl{UserAgent: agent, Software: fmt.Sprint(len(s.Crawls))})
		}
		return s
	}
	index := InputResult{Input: Input{Name: "i.cdxj"}, InputStats: InputStats{Indexed: 1}}
	robots := []InputResult{{
		Input:      Input{Name: "b.warc.gz"},
		InputStats: InputStats{Fetches: 1, RobotsAgents: []string{"B/1"}},
	}}
	for _, c := range []struct {
		name   string
		inputs []InputResult
		want   string
		source Source
	}{
		{"nothing", nil, "", SourceNone},
		{"warcinfo", []InputResult{{
			Input:      Input{Path: "/data/crawl/warc/a.warc.gz"},
			InputStats: stats(InputStats{RobotsAgents: []string{"B/1"}}, "A/1", "A/1"),
		}}, "A/1", SourceWarcinfo},
		{
			"of an archive in another folder",
			[]InputResult{{Input: Input{Path: "/data/other/a.warc.gz"}, InputStats: stats(InputStats{}, "A/1")}},
			"",
			SourceNone,
		},
		{"of another archive", []InputResult{{
			Input:      Input{Name: "b.warc.gz"},
			InputStats: stats(InputStats{RobotsAgents: []string{"B/1"}}, "B/1"),
		}}, "B/1", SourceRobotsSubset},
		{
			"of another archive of another crawler",
			append(robots[:1:1], InputResult{Input: Input{Name: "c.warc.gz"}, InputStats: stats(InputStats{}, "A/1")}),
			"", SourceNone,
		},
		{"by its name", []InputResult{{
			Input:      Input{Path: "/data/1", Name: "crawl/warc/a.warc.gz"},
			InputStats: stats(InputStats{}, "A/1"),
		}}, "A/1", SourceWarcinfo},
		{"by its whole path", []InputResult{{
			Input:      Input{Path: "crawl/warc/a.warc.gz"},
			InputStats: stats(InputStats{}, "A/1"),
		}}, "A/1", SourceWarcinfo},
		{
			"of an archive in a folder whose name ends so",
			[]InputResult{{
				Input:      Input{Path: "/data/othercrawl/warc/a.warc.gz"},
				InputStats: stats(InputStats{}, "A/1"),
			}},
			"", SourceNone,
		},
		{"two warcinfos", []InputResult{{
			Input:      Input{Path: "/data/crawl/warc/a.warc.gz"},
			InputStats: stats(InputStats{}, "A/1", "A/2"),
		}}, "", SourceNone},
		{
			"more warcinfos than are told",
			[]InputResult{{
				Input:      Input{Path: "/data/crawl/warc/a.warc.gz"},
				InputStats: stats(InputStats{}, slices.Repeat([]string{"A/1"}, MaxCrawls)...),
			}},
			"", SourceNone,
		},
		{"two archives of one name", []InputResult{
			{Input: Input{Path: "/1/crawl/warc/a.warc.gz"}, InputStats: stats(InputStats{}, "A/1")},
			{Input: Input{Path: "/2/crawl/warc/a.warc.gz"}, InputStats: stats(InputStats{}, "A/2")},
		}, "", SourceNone},
		{"two crawlers of robots.txt", []InputResult{
			{Input: Input{Name: "b.warc.gz"}, InputStats: InputStats{RobotsAgents: []string{"B/1"}}},
			{Input: Input{Name: "c.warc.gz"}, InputStats: InputStats{RobotsAgents: []string{"C/1"}}},
		}, "", SourceNone},
		{
			"one capture without a User-Agent",
			[]InputResult{{
				Input:      Input{Name: "b.warc.gz"},
				InputStats: InputStats{RobotsAgents: []string{"B/1", ""}},
			}},
			"", SourceNone,
		},
	} {
		x := mustIndex(t, SetOf(append(c.inputs, index)...))
		f := Fetch{Type: TypeIndexed, Archive: "crawl/warc/a.warc.gz"}
		x.credit(&f)
		if f.UserAgent != c.want || f.UserAgentSource != c.source {
			t.Errorf("%s: %q, %s", c.name, f.UserAgent, f.UserAgentSource)
		}
	}

	// The User-Agents of the other fetches show whether there is only one crawler.
	count := func(agents ...string) (list []UserAgentCount) {
		for _, agent := range agents {
			list = append(list, UserAgentCount{[]byte(agent), 1})
		}
		return list
	}
	for _, c := range []struct {
		name   string
		agents []UserAgentCount
		want   string
	}{
		{"the same", count("B/1"), "B/1"},
		{"rows of an index", count("", "B/1"), "B/1"},
		{"pages of another crawler", count("B/1", "C/1"), ""},
		{"too many to tell", nil, ""},
	} {
		set := SetOf(append(robots[:1:1], index)...)
		set.Tasks = []Task{{Manifest: Manifest{Totals: SetOf(robots...).Totals, UserAgents: c.agents}}}
		x := mustIndex(t, set)
		f := Fetch{Type: TypeIndexed, Archive: "a.warc.gz"}
		if x.credit(&f); f.UserAgent != c.want {
			t.Errorf("other fetches, %s: %q", c.name, f.UserAgent)
		}
	}

	// What is known of the request counts.
	for _, c := range []struct {
		name  string
		trust Trust
		flags Flags
		want  string
	}{
		{"an index", TrustIndexed, 0, "B/1"},
		{"a record that was verified, with its request", TrustVerified, 0, ""},
		{"a record that was verified, without its request", TrustVerified, FlagRequestUnread, "B/1"},
	} {
		x := mustIndex(t, SetOf(append(robots[:1:1], index)...))
		f := Fetch{
			Type:    map[bool]RecordType{true: TypeResponse, false: TypeIndexed}[c.trust == TrustVerified],
			Archive: "a.warc.gz", Trust: c.trust, Flags: c.flags,
		}
		if x.credit(&f); f.UserAgent != c.want {
			t.Errorf("%s: %q", c.name, f.UserAgent)
		}
	}

	// The subsets of Common Crawl have archives of one name.
	x := mustIndex(t, SetOf(InputResult{
		Input:      Input{Path: "/data/CC-MAIN-1-00000.warc.gz"},
		InputStats: stats(InputStats{}, "A/1"),
	}, index))
	f := Fetch{Type: TypeIndexed, Archive: "crawl-data/CC-MAIN-2024-10/segments/1/warc/CC-MAIN-1-00000.warc.gz"}
	if x.credit(&f); f.UserAgent != "A/1" {
		t.Errorf("a row of Common Crawl: %q", f.UserAgent)
	}
	x = mustIndex(t, SetOf(InputResult{
		Input:      Input{Path: "/data/a.warc.gz"},
		InputStats: stats(InputStats{}, "A/1"),
	}, index))
	f = Fetch{Type: TypeIndexed, Archive: "CC-mine/a.warc.gz"}
	if x.credit(&f); f.UserAgent != "" {
		t.Errorf("a row of a folder that is named like one: %q", f.UserAgent)
	}
}

func mustIndex(t *testing.T, s *Set) indexed {
	t.Helper()
	x, err := newIndexed(s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
