package robots

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
)

// TestDifferential answers the questions of scripts/check/differential.py and readings.py, which compare the answers
// with Google's own code and with the parsers of crawlers. Run alone, it is skipped.
func TestDifferential(t *testing.T) {
	questions, answers := os.Getenv("DIFFERENTIAL_QUESTIONS"), os.Getenv("DIFFERENTIAL_ANSWERS")
	if questions == "" || answers == "" {
		t.Skip("run by scripts/check/run differential")
	}
	in, err := os.Open(questions)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(answers)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReaderSize(in, 1<<20)
	w := bufio.NewWriter(out)
	e := json.NewEncoder(w)
	for d := json.NewDecoder(lines); d.More(); {
		var q question
		if err := d.Decode(&q); err != nil {
			t.Fatal(err)
		}
		if err := e.Encode(q.answer()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// A question is answered for each token and each path.
type question struct {
	Body   []byte   `json:"body"`
	Tokens []string `json:"tokens"`
	Paths  [][]byte `json:"paths"`
	Reader string   `json:"reader"` // of which crawler; "": all below but Own are asked for
}

// An answer has one byte for each token and path, the paths of the first token
// first: 'a' allowed, 'd' disallowed.
type answer struct {
	Google  string         `json:"google"`
	RFC9309 string         `json:"rfc9309"`
	Classes map[string]int `json:"classes"` // of the differences between the two, with how many each explains
	Example map[string]int `json:"example"` // the first place of each
	Own     string         `json:"own"`
}

// The classes of differences are what has to change in Google's profile for
// the RFC's answer.
var differences = []struct {
	name   string
	change func(*spec)
}{
	{"token matching", func(s *spec) { s.mode = ModeExact }},
	{"lenient lines", func(s *spec) { s.leniency = readExact }},
	{"keys that only begin like a record", func(s *spec) { s.leniency = readTypos }},
	{"control bytes", func(s *spec) { s.dropControl = true }},
	{"/robots.txt itself", func(s *spec) { s.selfAllowed = true }},
	{"index page", func(s *spec) { s.indexPage = indexNone }},
	{"normalisation", func(s *spec) { s.form = normal.RFC9309 }},
	{"C strings, long lines, UTF-16", func(s *spec) { s.cString, s.lineLimit, s.marks, s.blanks = false, 0, marksRead, "" }},
	{"parse limit", func(s *spec) { s.limit = ParseLimit }},
}

func (q *question) answer() answer {
	if q.Reader != "" {
		i := slices.IndexFunc(profiles[:], func(p struct{ name, source string }) bool { return p.name == q.Reader })
		return answer{Own: q.verdicts(&specs[i])}
	}
	a := answer{Classes: make(map[string]int), Example: make(map[string]int)}
	a.Google = q.verdicts(&specs[Google])
	a.RFC9309 = q.verdicts(&specs[RFC9309])
	if a.Google == a.RFC9309 {
		return a
	}
	changed := make([]string, len(differences))
	for i, c := range differences {
		s := specs[Google]
		c.change(&s)
		changed[i] = q.verdicts(&s)
	}
	for i := range a.Google {
		if a.Google[i] != a.RFC9309[i] {
			class := "several at once"
			for j := range differences {
				if changed[j][i] == a.RFC9309[i] {
					class = differences[j].name
				}
			}
			if a.Classes[class]++; a.Classes[class] == 1 {
				a.Example[class] = i
			}
		}
	}
	return a
}

func (q *question) verdicts(s *spec) string {
	f := s.parse(q.Body)
	var v strings.Builder
	for _, token := range q.Tokens {
		g := f.For(token)
		for _, path := range q.Paths {
			if g.Match(string(path)).Allowed {
				v.WriteByte('a')
			} else {
				v.WriteByte('d')
			}
		}
	}
	return v.String()
}
