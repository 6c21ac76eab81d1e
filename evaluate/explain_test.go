package evaluate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestExplainAgrees: the explanation of each fetch has the verdict of the tables, for the
// crawler that made it and for another, and the governing capture that they cite.
func TestExplainAgrees(t *testing.T) {
	t.Parallel()
	for _, dir := range corpora(t) {
		set := factsOf(t, dir)
		opt := askAll(t)
		opt.Agents = []string{"GPTBot"}
		r, err := Resolve(t.Context(), set, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		want := &decidedTexts{own: map[string]string{}, other: map[string]string{}, origins: map[string]bool{}}
		if _, err := r.Decide(t.Context(), r.Cut(0, 1), r.Cut(1, 1), want); err != nil {
			t.Fatal(err)
		}
		explained := 0
		for name := range want.origins {
			o, err := r.Origin(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			for f, err := range o.Fetches(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				at := placeText(f)
				x := &explainer{Resolved: r, question: &Question{}, origin: o}
				own, err := x.explainFetch(f, &findings{})
				if err != nil {
					t.Fatal(err)
				}
				if got := explanationText(own); got != want.own[at] {
					t.Errorf("%s %s: explained as\n%s, the tables have\n%s", dir, f.URL, got, want.own[at])
				}
				x = &explainer{Resolved: r, question: &Question{Agent: "GPTBot"}, origin: o}
				other, err := x.explainFetch(f, &findings{})
				if err != nil {
					t.Fatal(err)
				}
				if other.Kind != KindWhatIf {
					t.Fatalf("%s: %s", f.URL, other.Kind)
				}
				if got := explanationText(other); got != want.other[at] {
					t.Errorf("%s %s: for GPTBot explained as\n%s, the tables have\n%s", dir, f.URL, got, want.other[at])
				}
				explained++
			}
		}
		if explained == 0 || explained != len(want.own) || len(want.other) != len(want.own) {
			t.Errorf("%s: %d explained, %d and %d decided", dir, explained, len(want.own), len(want.other))
		}
	}
}

// decidedTexts is a Sink that remembers verdicts by the place of the fetch.
type decidedTexts struct {
	NoSink
	own, other map[string]string
	origins    map[string]bool
}

func placeText(f *Fetch) string { return fmt.Sprint(f.Input, f.Entry, f.Offset, f.Index) }

func governingID(st *State) (id int64) {
	if st != nil {
		id = st.ID
	}
	return id
}

func verdictText(a *Answer, e Evidence, c Certainty, governing *State) string {
	return saidText(said(a), e.String(), c.String(), a.Notes.Strings(), governingID(governing))
}

func explanationText(x *Explanation) string {
	id := int64(0)
	for _, c := range x.Captures {
		if c.Governs() {
			id = c.ID
		}
	}
	return saidText(x.Said, x.Evidence, x.Certainty, x.Notes, id)
}

func saidText(s Said, more ...any) string {
	return fmt.Sprintf("%v %v %q %d %d %v", s.Verdict, s.Reason, s.Rule, s.RuleLine, s.GroupLine, append(more, s.Match))
}

func (s *decidedTexts) Result(r *Result) error {
	s.own[placeText(r.Fetch)] = verdictText(&r.Answer, r.Evidence, r.Certainty, r.Governing)
	s.origins[r.Fetch.Origin] = true
	return nil
}

func (s *decidedTexts) GroupVerdict(v *GroupVerdict) error {
	s.other[placeText(v.Fetch)] = verdictText(&v.Answer, v.Evidence, NoCertainty, v.Governing)
	return nil
}

// TestExplainFinds: a fetch is found by its URL, its ID and its place; anything but one fetch is
// an error with enough detail.
func TestExplainFinds(t *testing.T) {
	const robots, page, often = "http://a.example/robots.txt", "http://a.example/x", "http://a.example/often"
	first := rec{url: page, at: "+0h"}
	set := makeFacts(t, 1, archive{
		{url: robots, at: "-1h", body: "User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nDisallow: /often\n"},
		first,
		{url: often, at: "+1h"},
		{url: often, at: "+2h"},
		{url: "http://a.example/\xff", at: "+3h"},
	})
	explain := func(q Question) (*Explanation, error) { return Explain(context.Background(), set, DecideOptions{}, q) }
	for _, test := range []struct {
		q    Question
		want string
	}{
		{Question{What: page}, "fetch disallowed certain"},
		{Question{What: "HTTP://A.example:80/x#y"}, "fetch disallowed certain"},
		{Question{What: "<" + first.recordID() + ">"}, "fetch disallowed certain"},
		{Question{What: "http://a.example/%FF"}, "fetch allowed "},
		{Question{What: page, Agent: "GPTBot"}, "what_if allowed "},
		{Question{What: page, Agent: "testBOT"}, "fetch disallowed certain"},
		{Question{What: page, At: noon}, "fetch disallowed certain"},
		{Question{What: page, At: noon.Add(time.Hour)}, "no_fetch disallowed possible"},
		{Question{What: page, At: noon.Add(time.Hour), Agent: "TestBot"}, "no_fetch disallowed certain"},
		{Question{What: often, At: noon.Add(time.Hour)}, "fetch allowed "},
		{Question{What: "http://b.example/", At: noon}, "no_fetch unknown "},
	} {
		x, err := explain(test.q)
		if err != nil {
			t.Errorf("%+v: %v", test.q, err)
			continue
		}
		if got := fmt.Sprintf("%s %s %s", x.Kind, x.Verdict, x.Certainty); got != test.want {
			t.Errorf("%+v: %s, want %s", test.q, got, test.want)
		}
	}
	x, err := explain(Question{What: page})
	if err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("%s:%d", x.Fetch.Record.File, x.Fetch.Record.Offset)
	if same, err := explain(Question{What: at}); err != nil || same.Fetch.URL != page {
		t.Errorf("%s: %+v, %v", at, same, err)
	}
	var many *AmbiguousError
	if _, err := explain(Question{What: often}); !errors.As(err, &many) || many.Total != 2 || len(many.Fetches) != 2 ||
		!strings.Contains(many.Fetches[0].Time.String(), "13:00:00") || many.Fetches[0].Agent != "TestBot" {
		t.Errorf("%v", err)
	}
	for _, what := range []string{"http://a.example/never", "nothing", "archive.warc:1"} {
		var none *NotFoundError
		if _, err := explain(Question{What: what}); !errors.As(err, &none) ||
			none.IsURL != strings.Contains(what, "://") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
