package explain

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/robotsaudit/robotsaudit/evaluate"
)

// TestHostile: whatever archives hold, the text and the JSON hold only characters that can be
// seen, and the text stays short.
func TestHostile(t *testing.T) {
	const evil = "\x1b[2J\u202e\x00\xff\nSECTION \U000e0001é"
	long := strings.Repeat(evil, 400)
	status := int16(200)
	record := evaluate.ExplainedRecord{File: long, Offset: 1, Length: 2, Number: 3, ID: long}
	said := evaluate.Said{Verdict: "disallowed", Reason: "rule", Rule: long, RuleLine: 2, GroupLine: 1}
	f := evaluate.NewFetch("http://a.example/", "", time.Unix(1700000000, 0))
	capture := evaluate.ExplainedCapture{
		ID: 1, Agent: long, Copy: true, Outcome: "rules", Status: &status, Type: "response", Record: record,
		Says: &said,
		Way:  []evaluate.ExplainedStep{{Kind: "redirect", URL: long, Record: &record}},
		Body: &evaluate.ExplainedBody{Agent: long, Record: record},
		Time: evaluate.Moment{Time: f.Time()}, Final: &status,
	}
	file := evaluate.ExplainedFile{Groups: []int{1}, AgentLine: 1, AgentText: long}
	x := &evaluate.Explanation{
		Kind: evaluate.KindFetch, Profile: "rfc9309", Evidence: "fresh", Certainty: "certain", Said: said, File: &file,
		Fetch: evaluate.ExplainedFetch{
			URL: long, Origin: long, Method: long, Status: &status, UserAgent: long,
			Record: record,
		},
		Crawler: evaluate.ExplainedCrawler{Token: long, Second: long, SecondSays: &said},
	}
	for i := range 40 {
		x.Captures = append(x.Captures, capture)
		file.Excerpt = append(file.Excerpt, evaluate.ExplainedLine{Number: i + 1, Text: long, Mark: "lost"})
		file.Matching = append(file.Matching, evaluate.ExplainedRule{Line: i + 1, Text: long})
	}
	all := &Explanation{Explanation: x, Grounds: grounds(x)}
	for _, full := range []bool{false, true} {
		var text bytes.Buffer
		if err := all.WriteText(&text, full); err != nil {
			t.Fatal(err)
		}
		checkSeen(t, text.String())
		if lines := strings.Count(text.String(), "\n"); !full && (lines > 110 || text.Len() > 64<<10) {
			t.Errorf("%d lines of %d bytes", lines, text.Len())
		}
		if strings.Contains(text.String(), "\nSECTION") {
			t.Error("a value begins a line")
		}
	}
	var out bytes.Buffer
	if err := all.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	checkSeen(t, out.String())
	var back struct {
		Fetch struct {
			URL string `json:"url"`
		}
	}
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back.Fetch.URL != strings.ToValidUTF8(long, "\ufffd") {
		t.Errorf("the JSON reads back as %.50q, %v", back.Fetch.URL, err)
	}
}

// TestTwoUserAgents: each stands on a line of its own.
func TestTwoUserAgents(t *testing.T) {
	x := &evaluate.Explanation{
		Kind: evaluate.KindFetch, Said: evaluate.Said{Verdict: "unknown", Reason: "no_time"},
		Fetch: evaluate.ExplainedFetch{UserAgent: "a/1\nb/2"},
	}
	var text bytes.Buffer
	if err := (&Explanation{Explanation: x}).WriteText(&text, false); err != nil {
		t.Fatal(err)
	}
	if got := text.String(); !strings.Contains(got, "  User-Agent     a/1\n  or             b/2\n") {
		t.Error(got)
	}
}

func checkSeen(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("%U is in the output", r)
		}
	}
}

// TestWrapped: no word is lost.
func TestWrapped(t *testing.T) {
	const s = "a bb ccc dddd eeeee ffffffffffffffff g"
	lines := wrapped(s, 8)
	if strings.Join(lines, " ") != s || len(lines) != 5 {
		t.Errorf("%q", lines)
	}
}
