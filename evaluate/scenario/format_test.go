package scenario

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// scenario is a set of small archives, how they are audited, and what must be found.
type scenario struct {
	file     string
	line     int
	name     string
	section  string // of the rule that the scenario shows: "§3.1"
	sentence string // that rule, in short
	options  map[string]string
	archives []*archive
	labels   map[string]*record
	whatIfs  []whatIf
	policies []policy
	issues   []string
	totals   []string
}

// whatIf is the verdict expected of a fetch for another token.
type whatIf struct {
	line    int
	of      *record
	token   string
	verdict string
}

// policy is the policy that a capture must have for a token.
type policy struct {
	line  int
	of    *record
	token string
	none  bool // there is no row
	said  map[string]string
}

// policyKeys are what can be expected of a policy.
var policyKeys = []string{
	"group", "restriction", "longpre", "liu", "cc", "rules", "delay", "rate", "signals",
	"sitemaps", "capture", "outcome",
}

// archive is a file of records, or an entry of a WACZ.
type archive struct {
	name    string
	records []*record
}

// record is one line of a scenario.
type record struct {
	line   int
	number int // in the scenario, from 1; its WARC-Record-ID is made of it
	verb   string
	date   string // as written to the archive; "": no date
	url    string
	status string
	keys   map[string]string
	heads  []string // HTTP header lines of the response
	asked  []string // HTTP header lines of the request
	warc   []string // WARC header lines
	want   *want
}

// want is what is expected of a fetch.
type want struct {
	none  bool                // the record is no fetch
	words []string            // verdict, evidence, reason; certainty and table where it is disallowed
	notes map[string]presence // by name; a note that is not in it is not expected
	proof map[string]string   // what the verdict must cite, by kind
}

type presence int

const (
	expected presence = iota + 1
	tolerated
)

const usualHost = "http://a.example"

// verbs are the kinds of records, with whether they have a URL and a status.
var verbs = map[string]struct{ url, status bool }{
	"get":         {true, true},
	"head":        {true, true},
	"post":        {true, true},
	"revisit":     {true, true},  // identical-payload-digest
	"notmodified": {true, true},  // server-not-modified
	"resource":    {true, false}, // no HTTP
	"request":     {true, false}, // standing alone; key of names its response
	"metadata":    {true, false},
	"dns":         {true, false}, // a response of another kind
	"warcinfo":    {false, false},
	"damage":      {false, false}, // a damaged record
	"again":       {false, false}, // the record that key of names, another time
	"log":         {true, true},   // a line of a crawl.log
}

// recordKeys are the keys that are no header fields.
var recordKeys = []string{
	"agent", "body", "coding", "coded", "digest", "refers", "refers-id", "request", "of", "http", "robots", "info",
	"took", "asked", "method", "pad", "via",
	"id", "line", "interim",
}

// headerKeys are the header fields of HTTP that a record may have.
var headerKeys = []string{
	"Authorization",
	"Age", "Content-Encoding", "Content-Length", "Content-Range", "Content-Signal", "Content-Signals", "Content-Type",
	"Content-Usage", "Date", "ETag", "Host",
	"If-Modified-Since", "If-None-Match", "Last-Modified", "Link", "Location", "Robots-Tag", "Transfer-Encoding", "User-Agent",
	"TDM-Reservation", "X-Robots-Tag", "X-Crawler-Content-Length",
	"X-Crawler-Content-Encoding", "CF-Mitigated", "X-Amzn-WAF-Action",
}

// warcKeys are the header fields of WARC that a record may have.
var warcKeys = []string{
	"WARC-Truncated", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date", "WARC-Refers-To", "WARC-Payload-Digest",
	"WARC-Block-Digest",
	"WARC-Warcinfo-ID", "WARC-Concurrent-To", "WARC-Filename", "WARC-Date", "WARC-Target-URI",
}

var optionKeys = []string{
	"crawler", "crawler-map", "profile", "agents", "as-of", "purpose", "software", "policies",
}

var proofKeys = []string{
	"governing", "body", "contester", "age", "rule", "rule-line", "group-line", "prior", "agent",
	"source", "match", "restricts", "hints", "hops", "refusal", "grounds", "asked",
}

// reader reads one file of scenarios.
type reader struct {
	file  string
	line  int
	texts map[string]string
	list  []*scenario
}

// readScenarios reads a file of testdata. Its format is described in testdata/README.md.
func readScenarios(t *testing.T, path string) []*scenario {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{file: path, texts: map[string]string{"empty": ""}}
	for i, line := range strings.Split(string(content), "\n") {
		r.line = i + 1
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := r.readLine(line); err != nil {
			t.Fatalf("%s:%d: %v", path, r.line, err)
		}
	}
	for _, s := range r.list {
		if err := s.complete(); err != nil {
			t.Fatalf("%s:%d: %s: %v", path, s.line, s.name, err)
		}
	}
	return r.list
}

func (r *reader) readLine(line string) error {
	if name, ok := strings.CutPrefix(line, "== "); ok {
		r.list = append(r.list, &scenario{
			file: r.file, line: r.line, name: name, options: map[string]string{},
			labels: map[string]*record{},
		})
		return nil
	}
	if rest, ok := strings.CutPrefix(line, "text "); ok {
		return r.readText(rest)
	}
	if len(r.list) == 0 {
		return fmt.Errorf("before the first scenario: %q", line)
	}
	s := r.list[len(r.list)-1]
	if strings.HasPrefix(line, "§") {
		s.section, s.sentence, _ = strings.Cut(line, " ")
		return nil
	}
	words, err := split(line)
	if err != nil {
		return err
	}
	switch words[0] {
	case "options":
		return s.readOptions(words[1:])
	case "in":
		if len(words) != 2 {
			return fmt.Errorf("usage: in ARCHIVE")
		}
		s.archives = append(s.archives, &archive{name: words[1]})
		return nil
	case "issue":
		s.issues = append(s.issues, words[1:]...)
		return nil
	case "total":
		s.totals = append(s.totals, words[1:]...)
		return nil
	case "whatif":
		return r.readWhatIf(s, words[1:])
	case "policy":
		return r.readPolicy(s, words[1:])
	}
	return r.readRecord(s, words)
}

// readText reads the definition of a body: NAME, then quoted parts. Each
// may be repeated: 1000*"# comment\n".
func (r *reader) readText(rest string) error {
	words, err := split(rest)
	if err != nil {
		return err
	}
	if len(words) < 2 || r.texts[words[0]] != "" {
		return fmt.Errorf("usage: text NAME PART…, each name once")
	}
	var b strings.Builder
	for _, part := range words[1:] {
		count := 1
		times, quoted, ok := strings.Cut(part, "\x00")
		if !ok {
			return fmt.Errorf("not quoted: %q", part)
		}
		if times != "" {
			if count, err = strconv.Atoi(strings.TrimSuffix(times, "*")); err != nil {
				return err
			}
		}
		b.WriteString(strings.Repeat(quoted, count))
	}
	r.texts[words[0]] = b.String()
	return nil
}

func (s *scenario) readOptions(words []string) error {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		if !slices.Contains(optionKeys, key) {
			return fmt.Errorf("unknown option %q", key)
		}
		s.options[key] = plain(value)
	}
	return nil
}

func (r *reader) readWhatIf(s *scenario, words []string) error {
	if len(words) < 4 || words[2] != "->" || s.labels[words[0]] == nil {
		return fmt.Errorf("usage: whatif LABEL TOKEN -> VERDICT EVIDENCE REASON +NOTE…")
	}
	w, err := readWant(words[3:])
	if err != nil {
		return err
	}
	s.whatIfs = append(s.whatIfs,
		whatIf{line: r.line, of: s.labels[words[0]], token: plain(words[1]), verdict: w.text()})
	return nil
}

func (r *reader) readPolicy(s *scenario, words []string) error {
	if len(words) < 4 || words[2] != "->" || s.labels[words[0]] == nil {
		return fmt.Errorf("usage: policy LABEL TOKEN -> KEY=VALUE…, or nothing")
	}
	p := policy{
		line: r.line, of: s.labels[words[0]], token: words[1], none: words[3] == "nothing",
		said: map[string]string{},
	}
	for _, word := range words[3:] {
		key, value, ok := strings.Cut(word, "=")
		if !slices.Contains(policyKeys, key) || !ok {
			if p.none {
				continue
			}
			return fmt.Errorf("unknown expectation %q", word)
		}
		p.said[key] = plain(value)
	}
	s.policies = append(s.policies, p)
	return nil
}

// readRecord reads [LABEL:] VERB [TIME URL [STATUS]] KEY=VALUE… [-> WANT…].
func (r *reader) readRecord(s *scenario, words []string) error {
	if len(s.archives) == 0 {
		s.archives = append(s.archives, &archive{name: "a.warc"})
	}
	rec := &record{line: r.line, number: 1, keys: map[string]string{}}
	for _, a := range s.archives {
		rec.number += len(a.records)
	}
	if label, ok := strings.CutSuffix(words[0], ":"); ok && len(words) > 1 {
		if s.labels[label] != nil {
			return fmt.Errorf("label %q is there twice", label)
		}
		s.labels[label], words = rec, words[1:]
	}
	form, ok := verbs[words[0]]
	if !ok {
		return fmt.Errorf("unknown verb %q", words[0])
	}
	rec.verb, words = words[0], words[1:]
	if form.url {
		if len(words) < 2 {
			return fmt.Errorf("no time or no URL")
		}
		var err error
		if rec.date, err = readDate(words[0]); err != nil {
			return err
		}
		if rec.url = plain(words[1]); rec.url[0] == '/' {
			rec.url = usualHost + rec.url
		}
		words = words[2:]
	}
	rec.status = "200"
	if form.status && len(words) > 0 && words[0] != "->" && !strings.Contains(words[0], "=") {
		rec.status, words = words[0], words[1:]
	}
	for i, word := range words {
		if word == "->" {
			var err error
			if rec.want, err = readWant(words[i+1:]); err != nil {
				return err
			}
			break
		}
		if err := r.readKey(rec, word); err != nil {
			return err
		}
	}
	if n := rec.keys["pad"]; n != "" {
		count, err := strconv.Atoi(n)
		if err != nil {
			return err
		}
		rec.url += strings.Repeat("x", count)
	}
	a := s.archives[len(s.archives)-1]
	a.records = append(a.records, rec)
	return nil
}

func (r *reader) readKey(rec *record, word string) error {
	key, value, ok := strings.Cut(word, "=")
	quoted := strings.HasPrefix(value, "\x00")
	value = plain(value)
	name, asked := strings.CutPrefix(key, ">")
	switch {
	case !ok:
		return fmt.Errorf("no key=value: %q", word)
	case slices.Contains(warcKeys, name):
		rec.warc = append(rec.warc, name+": "+value)
	case slices.Contains(headerKeys, name) && asked:
		rec.asked = append(rec.asked, name+": "+value)
	case slices.Contains(headerKeys, name):
		rec.heads = append(rec.heads, name+": "+value)
	case !slices.Contains(recordKeys, key):
		return fmt.Errorf("unknown key %q", key)
	case (key == "body" || key == "digest") && !quoted:
		text, known := r.texts[value]
		if !known {
			return fmt.Errorf("unknown text %q", value)
		}
		rec.keys[key] = text
	default:
		rec.keys[key] = value
	}
	return nil
}

// readWant reads VERDICT EVIDENCE REASON [CERTAINTY TABLE] +NOTE… ~NOTE… KEY=VALUE…
func readWant(words []string) (*want, error) {
	w := &want{notes: map[string]presence{}, proof: map[string]string{}}
	if slices.Equal(words, []string{"nothing"}) {
		w.none = true
		return w, nil
	}
	for _, word := range words {
		key, value, cites := strings.Cut(word, "=")
		switch {
		case word[0] == '+':
			w.notes[word[1:]] = expected
		case word[0] == '~':
			w.notes[word[1:]] = tolerated
		case !cites:
			w.words = append(w.words, word)
		case !slices.Contains(proofKeys, key):
			return nil, fmt.Errorf("unknown expectation %q", key)
		default:
			w.proof[key] = plain(value)
		}
	}
	for name := range w.notes {
		if !slices.Contains(noteNames(), name) {
			return nil, fmt.Errorf("unknown note %q", name)
		}
	}
	return w, nil
}

// admits reports whether words are the expected ones; ? stands for any.
func (w *want) admits(words []string) bool {
	return slices.EqualFunc(w.words, words, func(want, got string) bool { return want == got || want == "?" })
}

// text is the expectation as the failure message shows it.
func (w *want) text() string {
	parts := slices.Clone(w.words)
	for _, name := range slices.Sorted(maps.Keys(w.notes)) {
		if w.notes[name] == expected {
			parts = append(parts, "+"+name)
		}
	}
	return strings.Join(parts, " ")
}

// complete checks that nothing is missing.
func (s *scenario) complete() error {
	if s.section == "" || s.sentence == "" {
		return fmt.Errorf("cites no sentence of semantics.md")
	}
	wants := len(s.whatIfs) + len(s.policies) + len(s.issues) + len(s.totals)
	for _, a := range s.archives {
		for _, rec := range a.records {
			for _, key := range []string{"refers", "refers-id", "of"} {
				if label, ok := rec.keys[key]; ok && s.labels[label] == nil {
					return fmt.Errorf("line %d: unknown label %q", rec.line, label)
				}
			}
			if rec.want == nil {
				continue
			}
			wants++
			if err := rec.want.complete(s); err != nil {
				return fmt.Errorf("line %d: %v", rec.line, err)
			}
		}
	}
	if wants == 0 {
		return fmt.Errorf("expects nothing")
	}
	return nil
}

var tables = map[string]string{
	"certain": "violations", "probable": "violations", "possible": "unproven",
	"contested": "unproven",
}

func (w *want) complete(s *scenario) error {
	for _, key := range []string{"governing", "body", "contester"} {
		if label, ok := w.proof[key]; ok && label != "none" && s.labels[label] == nil {
			return fmt.Errorf("unknown label %q", label)
		}
	}
	switch {
	case w.none || len(w.words) == 0 && len(w.proof) > 0:
	case len(w.words) == 5 && w.words[0] == "disallowed" && (w.words[3] == "?" || tables[w.words[3]] == w.words[4]):
	case len(w.words) == 3 && w.words[0] != "disallowed":
	default:
		return fmt.Errorf("expected verdict, evidence, reason and, of a disallowed fetch alone, certainty and its table: %q", w.words)
	}
	return nil
}

// day is that of times without one.
const day = "2024-05-01"

// readDate turns 12:00, 12:00:30, 04-30T12:00 into WARC dates of 2024. What begins
// with = is a date as it stands, = alone none.
func readDate(text string) (string, error) {
	if raw, ok := strings.CutPrefix(text, "="); ok {
		return plain(raw), nil
	}
	full := day + "T" + text
	if strings.Contains(text, "T") {
		full = "2024-" + text
	}
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, full); err == nil {
			return at.Format(time.RFC3339), nil
		}
	}
	return "", fmt.Errorf("no time: %q", text)
}

// split splits a line at blanks. In words, "…" is a string of Go; it is marked by
// NUL in front.
func split(line string) (words []string, err error) {
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		var word strings.Builder
		for line != "" && line[0] != ' ' && line[0] != '\t' {
			if line[0] != '"' {
				word.WriteByte(line[0])
				line = line[1:]
				continue
			}
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fmt.Errorf("%v: %q", err, line)
			}
			value, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, err
			}
			word.WriteString("\x00" + value)
			line = line[len(quoted):]
		}
		words = append(words, word.String())
	}
	return words, nil
}

// plain is a word without the mark of split.
func plain(word string) string { return strings.Replace(word, "\x00", "", 1) }
