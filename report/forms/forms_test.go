package forms

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// The template asks for the top 10 % of all names, and SMEs for the top 5 % or 1,000, whichever is less.
func TestListed(t *testing.T) {
	for _, c := range []struct{ names, all, sme int }{
		{0, 0, 0},
		{1, 1, 1},
		{10, 1, 1},
		{11, 2, 1},
		{20, 2, 1},
		{21, 3, 2},
		{20_000, 2_000, 1_000},
		{20_001, 2_001, 1_000},
	} {
		if all, sme := listed(c.names, false), listed(c.names, true); all != c.all || sme != c.sme {
			t.Errorf("of %d names %d and %d are listed, want %d and %d", c.names, all, sme, c.all, c.sme)
		}
	}
}

// A payload counts once for each name, with its largest size.
func TestPayloads(t *testing.T) {
	payloads := run.NewSorter(t.TempDir(), payloadRuns)
	add := func(name int, digest string, size int) {
		if err := payloads.Add(payload{int32(name), digest, int64(size)}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 1000 {
		digest := i / 3 % 50
		add(i%3, fmt.Sprint(digest), i%2-1) // not known, and 0
		add(i%3, fmt.Sprint(digest), digest)
	}
	add(2, "of unknown size", -1)
	got := make([]tally, 3)
	err := eachDistinct(payloads.Sorted(t.Context()), func(name int32, size int64) { got[name].addDistinct(size) })
	if err != nil {
		t.Fatal(err)
	}
	const all = 49 * 50 / 2
	want := []tally{{distinct: all}, {distinct: all}, {distinct: all, distinctUnknown: 1}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The figures of parts add up to those of the whole, and the same tables give the same bytes.
func TestParts(t *testing.T) {
	r, err := results.Open(audittest.Audit(t, evaluate.DecideOptions{}, "../../testdata/warc"))
	if err != nil {
		t.Fatal(err)
	}
	read := func(part results.Part) (*Figures, string) {
		limited, err := r.Limit(t.Context(), part)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Read(t.Context(), limited)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f.EU(false).WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		return f, b.String()
	}
	whole, text := read(results.Part{})
	if _, again := read(results.Part{}); again != text {
		t.Error("another run gives another form")
	}
	one, _ := read(results.Part{Crawler: "Wget"})
	other, _ := read(results.Part{Crawler: "ExampleBot"})
	if whole.content.fetches != one.content.fetches+other.content.fetches || other.content.fetches != 4 ||
		whole.content.bytes != one.content.bytes+other.content.bytes ||
		whole.verdicts.all() != one.verdicts.all()+other.verdicts.all() {
		t.Errorf("%+v and %+v are not %+v", one.content, other.content, whole.content)
	}
}

// What brought content is as in lists: an answer to HEAD is no page.
func TestContent(t *testing.T) {
	for _, c := range []struct {
		method string
		status int16
		want   bool
	}{{"GET", 200, true}, {"", 206, true}, {"POST", 200, true}, {"HEAD", 200, false}, {"GET", 301, false}} {
		if got := isContent(&report.FetchRow{FetchMethod: c.method, FetchStatus: &c.status}); got != c.want {
			t.Errorf("%s, %d: %v", c.method, c.status, got)
		}
	}
}

// A refusal is overcome by later content of its URL, for its crawler, once.
func TestOvercome(t *testing.T) {
	overcome := make(counts)
	r := newRefused(overcome)
	ok := int16(200)
	row := func(origin, url, agent, refusal string, at int64) {
		f := &report.FetchRow{FetchStatus: &ok}
		f.Refusal = refusal
		f.Origin, f.URL, f.Agent, f.FetchTime = origin, url, agent, &at
		r.see(f)
	}
	row("a", "a/1", "x", "challenge", 1)
	row("a", "a/1", "x", "challenge", 2)
	row("a", "a/1", "y", "", 3) // another crawler
	row("a", "a/2", "x", "", 3) // another URL
	row("a", "a/3", "x", "auth", 4)
	row("a", "a/3", "x", "", 4) // not later
	if overcome.all() != 0 {
		t.Fatal(overcome)
	}
	row("a", "a/1", "x", "", 5)
	row("a", "a/1", "x", "", 6)
	row("b", "a/3", "x", "", 7) // another origin
	if overcome.all() != 2 || overcome.of("challenge") != 2 {
		t.Error(overcome)
	}
}
