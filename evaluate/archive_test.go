package evaluate

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// rec is an archive record to be audited, with what is expected of it. The same
// rec in two archives is the same record.
type rec struct {
	url    string
	at     string   // "-2h", "+31d": from noon on 1 May 2024; or a WARC-Date as it stands
	typ    string   // WARC-Type; "": response
	method string   // "": GET
	ua     string   // User-Agent of the request; "": TestBot/1.0; "-": no request record
	status string   // status line without version; "": 200 OK; "-": no HTTP head
	head   []string // HTTP header lines
	asked  []string // header lines of the request
	warc   []string // WARC header lines
	body   string
	id     string // "": made of all of the above; "-": none
	want   string // the result, as resultText has it; "": not looked at
	state  string // of a robots capture: what it came to, as stateText has it
}

var noon = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

func (r rec) date() string {
	if r.at == "" {
		r.at = "+0h"
	}
	if r.at[0] != '+' && r.at[0] != '-' {
		return r.at
	}
	text, days := strings.CutSuffix(r.at, "d")
	if days {
		text += "h"
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	if days {
		d *= 24
	}
	return noon.Add(d).Format(time.RFC3339)
}

func (r rec) recordID() string {
	switch r.id {
	case "-":
		return ""
	case "":
		h := fnv.New128a()
		fmt.Fprintf(h, "%q", []any{r.url, r.date(), r.typ, r.method, r.ua, r.status, r.head, r.asked, r.warc, r.body})
		s := fmt.Sprintf("%x", h.Sum(nil))
		return "urn:uuid:" + s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
	}
	return "urn:test:" + r.id
}

func writeRecord(b *bytes.Buffer, typ string, fields []string, block string) {
	fmt.Fprintf(b, "WARC/1.1\r\nWARC-Type: %s\r\n", typ)
	for _, f := range fields {
		b.WriteString(f + "\r\n")
	}
	fmt.Fprintf(b, "Content-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block)
}

func (r rec) write(b *bytes.Buffer) {
	if r.typ == "warcinfo" {
		writeRecord(b, r.typ, nil, r.body)
		return
	}
	fields := []string{"WARC-Target-URI: " + r.url}
	if r.at != "none" {
		fields = append(fields, "WARC-Date: "+r.date())
	}
	if id := r.recordID(); id != "" {
		fields = append(fields, "WARC-Record-ID: <"+id+">")
	}
	if r.ua != "-" {
		method, ua := r.method, r.ua
		if method == "" {
			method = "GET"
		}
		if ua == "" {
			ua = "TestBot/1.0"
		}
		writeRecord(b, "request", []string{"WARC-Target-URI: " + r.url, "WARC-Concurrent-To: <" + r.recordID() + ">"},
			strings.Join(append([]string{method + " / HTTP/1.1", "User-Agent: " + ua}, r.asked...), "\r\n")+"\r\n\r\n")
	}
	block := r.body
	if r.status != "-" {
		status := r.status
		if status == "" {
			status = "200 OK"
		}
		block = strings.Join(append([]string{"HTTP/1.1 " + status}, r.head...), "\r\n") + "\r\n\r\n" + block
	}
	typ := r.typ
	if typ == "" {
		typ = "response"
	}
	writeRecord(b, typ, append(fields, r.warc...), block)
}

// archive is a file of records.
type archive []rec

func (a archive) bytes() []byte {
	var b bytes.Buffer
	for _, r := range a {
		r.write(&b)
	}
	return b.Bytes()
}

// recorder is a Sink that remembers.
type recorder struct {
	calls      []string
	results    map[string]string // by record id
	states     map[string]string
	issues     []string
	exclusions []string
	groups     map[string]map[int]string // by record id and group
	ruled      map[string]int64          // robots_id by record id
	agents     map[string][]string       // by "robots_id group"
}

func resultText(r *Result) string {
	parts := []string{r.Verdict.String(), r.Evidence.String(), r.Reason.String()}
	if r.Certainty != NoCertainty {
		parts = append(parts, r.Certainty.String())
	}
	for _, n := range r.Notes.Strings() {
		parts = append(parts, "+"+n)
	}
	if r.HasPrior {
		parts = append(parts, "prior="+r.Prior.String())
	}
	return strings.Join(parts, " ")
}

func stateText(s *RobotsRecord) string {
	text := s.Outcome.String()
	if s.Reason != words.NoReason {
		text += " " + s.Reason.String()
	}
	if s.Hops > 0 {
		text += fmt.Sprintf(" hops=%d final=%d", s.Hops, s.FinalStatus)
	}
	if s.Parsed {
		text += fmt.Sprintf(" rules=%d", s.Rules)
	}
	for _, n := range s.Notes {
		text += " " + n.Kind.String()
	}
	return text
}

func (s *recorder) note(format string, args ...any) error {
	s.calls = append(s.calls, fmt.Sprintf(format, args...))
	return nil
}

func (s *recorder) Robots(r *RobotsRecord) error {
	s.states[r.RecordID.String()] = stateText(r)
	return s.note("robots %d %s %s %s %v %q", r.ID, r.URL, r.Time().UTC(), stateText(r), r.HopList(), r.Agent())
}

func (s *recorder) Policies(p *Policies) error {
	for _, said := range p.List {
		if err := s.note("policy %d %v %s %v %v %v %v %v %+v", p.ID, p.Outcome, said.Agent, said.Group,
			said.Restriction, said.Longpre, said.Liu, said.CC, *said.Terms); err != nil {
			return err
		}
	}
	return s.note("policies %d %s %q", p.ID, p.CaptureClass, p.Sitemaps)
}

func (s *recorder) Result(r *Result) error {
	s.results[r.Fetch.RecordID.String()] = resultText(r)
	governing, contester := int64(0), int64(0)
	if r.Governing != nil {
		governing = r.Governing.ID
	}
	if r.Contester() != nil {
		contester = r.Contester().ID
	}
	return s.note("result %s %d:%d %q %v %s %d %d age=%d", r.Fetch.URL, r.Fetch.Input, r.Fetch.Offset, r.Agent,
		r.AgentSource, resultText(r), governing, contester, r.Age)
}

func (s *recorder) GroupVerdict(v *GroupVerdict) error {
	id, governing := v.Fetch.RecordID.String(), int64(0)
	if v.Governing != nil {
		governing = v.Governing.ID
	}
	if s.groups[id] == nil {
		s.groups[id] = make(map[int]string)
	}
	text := fmt.Sprintf("%v %v %v", v.Verdict, v.Evidence, v.Reason)
	if s.groups[id][v.Group] != "" {
		text = "twice"
	}
	s.groups[id][v.Group], s.ruled[id] = text, governing
	return s.note("group %s %d %d %s", v.Fetch.URL, governing, v.Group, text)
}

func (s *recorder) RobotsAgent(id int64, group int, agent string) error {
	key := fmt.Sprint(id, group)
	s.agents[key] = append(s.agents[key], agent)
	return s.note("agent of %d %d %s", id, group, agent)
}

func (s *recorder) Host(h *HostStats) error {
	return s.note("host %s %v %v %+v", h.Origin, h.First, h.Last, h.Counts)
}

func (s *recorder) Agent(a *AgentStats) error {
	return s.note("agent %q %v %+v", a.Agent, slices.Sorted(maps.Keys(a.Claims)), a.Counts)
}

func (s *recorder) Exclusion(x *Exclusion) error {
	s.exclusions = append(s.exclusions,
		fmt.Sprintf("%s %s %s %v: %s", x.Event.URL, x.Event.Reason, x.Agent, x.AgentSource, resultText(&x.Result)))
	return s.note("exclusion %s", s.exclusions[len(s.exclusions)-1])
}

func (s *recorder) Issue(i *facts.Issue) error {
	s.issues = append(s.issues, i.Kind.String())
	return s.note("issue %d %d %v %s %s", i.Input, i.Offset, i.Kind, i.Detail, i.Action)
}

// makeFacts ingests archives, each in a file of its own. They are handed over in
// steps, one task a step.
func makeFacts(t testing.TB, steps int, archives ...archive) *facts.Set {
	t.Helper()
	in, out := t.TempDir(), t.TempDir()
	var paths []string
	for i, a := range archives {
		path := filepath.Join(in, fmt.Sprintf("%d.warc", i))
		if err := os.WriteFile(path, a.bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	for i := range steps {
		ingestFiles(t, out, paths[:len(paths)*(i+1)/steps])
	}
	facts := openFacts(t, out)
	if len(facts.Tasks) != steps {
		t.Fatalf("%d tasks, want %d", len(facts.Tasks), steps)
	}
	return facts
}

func openFacts(t testing.TB, out string) *facts.Set {
	t.Helper()
	facts, err := ingest.OpenFacts(out)
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

func ingestFiles(t testing.TB, out string, paths []string) {
	t.Helper()
	release, err := ingest.Lock(out)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	inputs, failures := ingest.Expand(t.Context(), paths, ingest.ExpandOptions{})
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	if err := ingest.Ingest(context.Background(), inputs, ingest.ReadOptions{Dir: out, Workers: 1}); err != nil {
		t.Fatal(err)
	}
}

func evaluateFacts(t testing.TB, facts *facts.Set, opt DecideOptions) (*recorder, *Totals) {
	t.Helper()
	s := newRecorder()
	return s, runInto(t, facts, opt, s)
}

func newRecorder() *recorder {
	return &recorder{
		results: make(map[string]string), states: make(map[string]string), groups: make(map[string]map[int]string),
		ruled: make(map[string]int64), agents: make(map[string][]string),
	}
}

func runInto(t testing.TB, facts *facts.Set, opt DecideOptions, s Sink) *Totals {
	t.Helper()
	totals, err := Run(context.Background(), facts, opt, s)
	if err != nil {
		t.Fatal(err)
	}
	return totals
}

// check audits archives and compares what was wanted of their records.
func check(t *testing.T, opt DecideOptions, archives ...archive) (*recorder, *Totals) {
	t.Helper()
	facts := makeFacts(t, 1, archives...)
	s, totals := evaluateFacts(t, facts, opt)
	compare(t, s, archives...)
	return s, totals
}

func compare(t *testing.T, s *recorder, archives ...archive) {
	t.Helper()
	for _, a := range archives {
		for _, r := range a {
			id := r.recordID()
			if got := s.results[id]; r.want != "" && got != r.want {
				t.Errorf("%s at %s (%s):\n got %q\nwant %q", r.url, r.date(), r.status, got, r.want)
			}
			if got := s.states[id]; r.state != "" && got != r.state {
				t.Errorf("%s at %s (%s) came to\n     %q\nwant %q", r.url, r.date(), r.status, got, r.state)
			}
		}
	}
	if t.Failed() {
		for _, a := range archives {
			t.Logf("%s", strings.ReplaceAll(string(a.bytes()[:min(4000, len(a.bytes()))]), "\r\n", "\n"))
		}
	}
}

// scenario is what happens on hosts that nothing else happens on.
type scenario struct {
	name    string
	records archive
}

// checkScenarios audits scenarios together, each on hosts of its own: in one
// file; with each record of a scenario in another file; and in the reverse order.
func checkScenarios(t *testing.T, opt DecideOptions, list []scenario) {
	t.Helper()
	var joined archive
	var apart []archive
	for n, c := range list {
		for i, r := range c.records {
			r = r.move(n)
			joined = append(joined, r)
			if i == len(apart) {
				apart = append(apart, nil)
			}
			apart[i] = append(apart[i], r)
		}
	}
	ways := map[string][]archive{"joined": {joined}, "apart": apart}
	if len(apart) > 2 {
		ways["reversed"] = slices.Clone(apart)
		slices.Reverse(ways["reversed"])
	}
	for way, archives := range ways {
		s, _ := evaluateFacts(t, makeFacts(t, 1, archives...), opt)
		for n, c := range list {
			t.Run(c.name+"/"+way, func(t *testing.T) {
				var moved archive
				for _, r := range c.records {
					moved = append(moved, r.move(n))
				}
				compare(t, s, moved)
			})
		}
	}
}

// move takes a record to the hosts of scenario n, and the ids that it is given.
func (r rec) move(n int) rec {
	names := strings.NewReplacer(".example", fmt.Sprintf(".n%d.example", n), "urn:test:",
		fmt.Sprintf("urn:test:n%d-", n))
	edit := names.Replace
	r.url = edit(r.url)
	if r.id != "" && r.id != "-" {
		r.id = fmt.Sprintf("n%d-%s", n, r.id)
	}
	r.head, r.warc = slices.Clone(r.head), slices.Clone(r.warc)
	for _, lines := range [][]string{r.head, r.warc} {
		for i := range lines {
			lines[i] = edit(lines[i])
		}
	}
	return r
}
