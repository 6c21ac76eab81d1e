// Package scenario holds the truth table of the audit: small archives, each with
// what must be found in it, derived by hand from docs/SEMANTICS.md and RFC 9309.
// The whole tool runs on them: archives are written, ingested and evaluated.
//
// testdata/README.md describes the format. Expectations are never taken from
// the output of the program.
package scenario

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

func allScenarios(t *testing.T) (list []*scenario) {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		list = append(list, readScenarios(t, path)...)
	}
	return list
}

// TestScenarios audits the archives of each scenario and compares what is found.
func TestScenarios(t *testing.T) {
	list := allScenarios(t)
	if len(list) < 150 {
		t.Errorf("%d scenarios, want at least 150", len(list))
	}
	names := map[string]bool{}
	for _, s := range list {
		if names[s.name] {
			t.Errorf("%s:%d: two scenarios are named %q", s.file, s.line, s.name)
		}
		names[s.name] = true
		t.Run(strings.TrimSuffix(filepath.Base(s.file), ".txt")+"/"+s.name, func(t *testing.T) {
			t.Parallel()
			for _, form := range s.forms() {
				paths := s.write(t, t.TempDir(), form)
				s.run(t, paths)
				if len(paths) > 1 && form == indexForms[0] && !t.Failed() {
					// the order in which archives are given shows nothing
					slices.Reverse(paths)
					s.run(t, paths)
				}
				if t.Failed() {
					t.Fatalf("indexes in the form %s", form)
				}
			}
		})
	}
}

// forms are the forms in which the indexes of a scenario are written: each has the same content.
func (s *scenario) forms() []string {
	if slices.ContainsFunc(s.archives, func(a *archive) bool { return a.isIndex() && !a.isList() }) {
		return indexForms
	}
	return indexForms[:1]
}

// TestEveryWordHasAScenario: every note and every reason is expected somewhere. The words of access logs are in
// access-log.txtar of the command.
func TestEveryWordHasAScenario(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range allScenarios(t) {
		for _, a := range s.archives {
			for _, r := range a.records {
				if r.want == nil || len(r.want.words) == 0 {
					continue
				}
				seen[r.want.words[2]] = true
				for name, p := range r.want.notes {
					seen[name] = seen[name] || p == expected
				}
			}
		}
	}
	for r := words.ReasonRule; r <= words.UnsupportedScheme; r++ {
		if !seen[r.String()] && r != words.TooCostly { // of files that are too long for a scenario: TestTooManyCopies
			t.Errorf("no scenario expects the reason %s", r)
		}
	}
	outside := []string{"no_record", "logged", "date_without_zone", "compressed_size"} // of --verify and of access logs
	for _, name := range noteNames() {
		if !seen[name] && !slices.Contains(outside, name) {
			t.Errorf("no scenario expects the note %s", name)
		}
	}
}

func noteNames() []string { return evaluate.Notes(^evaluate.Notes(0)).Strings() }

// expand turns paths into inputs.
func expand(paths []string) ([]ingest.Input, []*ingest.InputError) {
	var archives []string
	var opt ingest.ExpandOptions
	for _, path := range paths {
		switch {
		case strings.HasSuffix(path, ".csv"):
			opt.URLs = append(opt.URLs, path)
		case isTable(path):
			opt.Robots = append(opt.Robots, path)
		default:
			archives = append(archives, path)
		}
	}
	return ingest.Expand(context.Background(), archives, opt)
}

// run audits the archives of a scenario, in this order, in a folder of their own.
func (s *scenario) run(t *testing.T, paths []string) {
	out := t.TempDir()
	release, err := ingest.Lock(out)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	inputs, failures := expand(paths)
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	if err := ingest.Ingest(context.Background(), inputs, ingest.ReadOptions{Dir: out, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	facts, err := ingest.OpenFacts(out)
	if err != nil {
		t.Fatal(err)
	}
	found := &findings{
		results: map[string]finding{}, verdicts: map[string][]groupVerdict{},
		agents: map[groupKey][]string{}, policies: map[string]map[string]string{},
	}
	totals, err := evaluate.Run(context.Background(), facts, s.evaluateOptions(t), found)
	if err != nil {
		t.Fatal(err)
	}
	s.compare(t, found, totals)
}

func (s *scenario) evaluateOptions(t *testing.T) evaluate.DecideOptions {
	opt := evaluate.DecideOptions{Profile: robots.RFC9309, Crawler: s.options["crawler"]}
	if name := s.options["profile"]; name != "" {
		var err error
		if opt.Profile, err = robots.ParseProfile(name); err != nil {
			t.Fatal(err)
		}
	}
	if rules := s.options["crawler-map"]; rules != "" {
		for _, rule := range strings.Split(rules, "\n") {
			pattern, token, ok := strings.Cut(rule, " => ")
			if !ok {
				t.Fatalf("no rule of a crawler map: %q", rule)
			}
			opt.CrawlerMap = append(opt.CrawlerMap, evaluate.CrawlerRule{Pattern: pattern, Token: token})
		}
	}
	if tokens := s.options["agents"]; tokens != "" {
		opt.Agents = strings.Split(tokens, ",")
	}
	if policies := s.options["policies"]; policies != "" {
		var ok bool
		if opt.Policies, ok = evaluate.ParsePolicyTokens(policies); !ok {
			t.Fatalf("unknown policies %q", policies)
		}
	}
	if moment := s.options["as-of"]; moment != "" {
		date, err := readDate(moment)
		if err != nil {
			t.Fatal(err)
		}
		if opt.AsOf, err = evaluate.ParseAsOf(date); err != nil {
			t.Fatal(err)
		}
	}
	if s.options["purpose"] != "" {
		for _, purpose := range strings.Split(s.options["purpose"], ",") {
			use, ok := tag.ParseUse(purpose)
			if !ok {
				t.Fatalf("unknown purpose %q", purpose)
			}
			opt.Uses = append(opt.Uses, use)
		}
	}
	return opt
}

// finding is the tool's finding on one fetch. Results are the tool's own until a
// Sink returns, so what is compared is copied.
type finding struct {
	words []string
	notes []string
	proof map[string]string
}

type groupKey struct {
	robots int64
	group  int
}

type groupVerdict struct {
	groupKey
	text string
}

// findings is a Sink that remembers.
type findings struct {
	results  map[string]finding // by record id
	verdicts map[string][]groupVerdict
	agents   map[groupKey][]string
	policies map[string]map[string]string // by record id and token
	issues   []string
}

func (f *findings) Result(r *evaluate.Result) error {
	found := finding{
		words: []string{r.Verdict.String(), r.Evidence.String(), r.Reason.String()},
		notes: r.Notes.Strings(),
	}
	if r.Certainty != evaluate.NoCertainty {
		found.words = append(found.words, r.Certainty.String())
	}
	switch {
	case r.IsViolation():
		found.words = append(found.words, "violations")
	case r.IsUnproven():
		found.words = append(found.words, "unproven")
	}
	found.proof = proofOf(r)
	f.results[keyOf(r.Fetch)] = found
	return nil
}

// keyOf is what a fetch is known by: its record id, its URL in an ARC, which has none.
func keyOf(f *facts.Fetch) string {
	if f.RecordID == "" {
		return f.URL
	}
	return f.RecordID.String()
}

// idOf is the ID of a capture. A row of a table has it as its entity tag.
func idOf(st *evaluate.State) string { return cmp.Or(st.RecordID.String(), st.ETag) }

func proofOf(r *evaluate.Result) map[string]string {
	proof := map[string]string{
		"governing": "none", "body": "none", "contester": "none", "prior": "none", "rule": "none", "restricts": "none",
		"hints": "none", "refusal": cmp.Or(r.Refusal.String(), "none"),
		"agent": r.Agent, "source": r.AgentSource.String(), "match": r.Match.String(),
		"group-line": fmt.Sprint(r.GroupLine),
		"age":        (time.Duration(r.Age) * time.Second).String(),
	}
	if g := r.Governing; g != nil {
		proof["governing"], proof["hops"] = idOf(g), strings.Join(g.HopList(), " ")
		if g.HasBody {
			proof["body"] = g.BodyRecordID.String()
		}
	}
	if r.Contester() != nil {
		proof["contester"] = idOf(r.Contester())
	}
	var grounds []string
	for _, g := range r.Objections() {
		if !slices.Contains(grounds, g.Name()) {
			grounds = append(grounds, g.Name())
		}
	}
	proof["grounds"], proof["asked"] = strings.Join(grounds, ","), fmt.Sprint(r.CopiesAsked)
	if r.HasPrior {
		proof["prior"] = r.Prior.String()
	}
	if r.Rule != nil {
		proof["rule"], proof["rule-line"] = string(r.Rule.Text), fmt.Sprint(r.Rule.Line)
	}
	var kinds []string
	for _, restriction := range r.Restrictions {
		kinds = append(kinds, restriction.Kind.String())
	}
	if len(kinds) > 0 {
		slices.Sort(kinds)
		proof["restricts"] = strings.Join(slices.Compact(kinds), ",")
	}
	if r.Page != nil && len(r.Page.Hints) > 0 {
		proof["hints"] = strings.Trim(strings.ReplaceAll(fmt.Sprint(r.Page.Hints), " ", ","), "[]")
	}
	return proof
}

func (f *findings) GroupVerdict(v *evaluate.GroupVerdict) error {
	key := groupKey{group: v.Group}
	if v.Governing != nil {
		key.robots = v.Governing.ID
	}
	words := []string{v.Verdict.String(), v.Evidence.String(), v.Reason.String()}
	for _, name := range slices.Sorted(slices.Values(v.Notes.Strings())) {
		words = append(words, "+"+name)
	}
	id := keyOf(v.Fetch)
	f.verdicts[id] = append(f.verdicts[id], groupVerdict{key, strings.Join(words, " ")})
	return nil
}

func (f *findings) RobotsAgent(robotsID int64, group int, agent string) error {
	key := groupKey{robotsID, group}
	f.agents[key] = append(f.agents[key], agent)
	return nil
}

func (f *findings) Issue(i *facts.Issue) error {
	f.issues = append(f.issues, i.Kind.String())
	return nil
}

func (f *findings) Robots(*evaluate.RobotsRecord) error { return nil }
func (f *findings) Policies(p *evaluate.Policies) error {
	for _, said := range p.List {
		f.policies[p.RecordID.String()+" "+said.Agent] = policyOf(p, &said)
	}
	return nil
}

func (f *findings) Host(*evaluate.HostStats) error      { return nil }
func (f *findings) Agent(*evaluate.AgentStats) error    { return nil }
func (f *findings) Exclusion(*evaluate.Exclusion) error { return nil }

// policyOf is a capture's policy for a token, by the keys of the verb policy.
func policyOf(p *evaluate.Policies, said *evaluate.Policy) map[string]string {
	got := map[string]string{
		"group": said.Group.String(), "restriction": "", "longpre": "", "liu": "", "cc": "", "rules": "", "delay": "",
		"rate":    said.RequestRate,
		"signals": strings.Join(said.Signals, ","), "sitemaps": strings.Join(p.Sitemaps, ","),
		"capture": p.CaptureClass, "outcome": p.Outcome.String(),
	}
	for key, class := range map[string]evaluate.RestrictionClass{
		"restriction": said.Restriction, "longpre": said.Longpre, "liu": said.Liu, "cc": said.CC,
	} {
		if class != 0 {
			got[key] = class.String()
		}
	}
	if said.Known {
		got["rules"] = fmt.Sprint(said.Rules)
		if said.HasCrawlDelay {
			got["delay"] = (time.Duration(said.CrawlDelay) * time.Microsecond).String()
		}
	}
	return got
}

func (s *scenario) compare(t *testing.T, found *findings, totals *evaluate.Totals) {
	fail := func(line int, want, got string) {
		t.Errorf("%s\n%s:%d\nwant %s\n got %s\n%s %s", s.name, s.file, line, want, got, s.section, s.sentence)
	}
	for _, a := range s.archives {
		for _, r := range a.records {
			if r.want == nil {
				continue
			}
			key := r.id()
			if a.isARC() || a.isIndex() {
				key = r.url
			}
			got, ok := found.results[key]
			if !ok || r.want.none {
				if ok != !r.want.none {
					fail(r.line, r.want.text(), fmt.Sprintf("fetch found: %v", ok))
				}
				continue
			}
			s.compareFinding(r, got, fail)
		}
	}
	for _, w := range s.whatIfs {
		if got := found.whatIf(w); got != w.verdict {
			fail(w.line, w.verdict, got)
		}
	}
	for _, w := range s.policies {
		got := found.policies[w.of.id()+" "+w.token]
		if w.none != (got == nil) {
			fail(w.line, fmt.Sprintf("a policy: %v", !w.none), fmt.Sprint(got != nil))
		}
		for key, value := range w.said {
			if got != nil && got[key] != value {
				fail(w.line, key+"="+value, key+"="+got[key])
			}
		}
	}
	for _, kind := range s.issues {
		if !slices.Contains(found.issues, kind) {
			fail(s.line, "issue "+kind, fmt.Sprint(found.issues))
		}
	}
	s.compareTotals(found, totals, fail)
}

func (s *scenario) compareFinding(r *record, got finding, fail func(line int, want, got string)) {
	var notes, asked []string
	for _, name := range slices.Sorted(slices.Values(got.notes)) {
		if r.want.notes[name] != tolerated {
			notes = append(notes, "+"+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.want.notes)) {
		if r.want.notes[name] == expected {
			asked = append(asked, "+"+name)
		}
	}
	if len(r.want.words) > 0 && (!r.want.admits(got.words) || !slices.Equal(notes, asked)) {
		fail(r.line, r.want.text(), strings.Join(append(slices.Clone(got.words), notes...), " "))
	}
	for key, value := range r.want.proof {
		if labelled := s.labels[value]; labelled != nil && (key == "governing" || key == "body" || key == "contester") {
			value = labelled.id()
		}
		if key == "age" {
			d, err := time.ParseDuration(value)
			if err != nil {
				fail(r.line, "a duration", value)
			}
			value = d.String()
		}
		if got.proof[key] != value {
			fail(r.line, key+"="+value, key+"="+got.proof[key])
		}
	}
}

// whatIf is the verdict for a token: that of the group that governs it.
func (f *findings) whatIf(w whatIf) string {
	for _, v := range f.verdicts[w.of.id()] {
		if slices.Contains(f.agents[v.groupKey], w.token) {
			return v.text
		}
	}
	return "no verdict"
}

// compareTotals checks the totals named, and that the totals agree with the fetches.
func (s *scenario) compareTotals(found *findings, totals *evaluate.Totals, fail func(line int, want, got string)) {
	counted := map[string]int64{
		"allowed": totals.Allowed, "disallowed": totals.Disallowed, "unknown": totals.Unknown,
		"certain": totals.ViolationsCertain, "probable": totals.ViolationsProbable, "possible": totals.Possible,
		"contested": totals.Contested,
	}
	of := map[string]int64{}
	for _, r := range found.results {
		of[r.words[0]]++
		if len(r.words) > 3 {
			of[r.words[3]]++
		}
	}
	for word, n := range counted {
		if of[word] != n {
			fail(s.line, fmt.Sprintf("a total of %d fetches %s", of[word], word), fmt.Sprint(n))
		}
	}
	counted["fetches"], counted["robots_txt_itself"] = totals.Fetches, totals.RobotsTxtItself
	counted["allowed_unsafe_encoding"], counted["duplicates"] = totals.UnsafeEncoding, totals.Duplicates
	counted["allowed_named_group_forbids"] = totals.NamedGroupForbids
	counted["suspected"] = totals.Verification.Suspected
	if totals.AgentUnseen {
		counted["agent_unseen"] = 1
	}
	for _, want := range s.totals {
		name, _, _ := strings.Cut(want, "=")
		if got := fmt.Sprintf("%s=%d", name, counted[name]); got != want {
			fail(s.line, want, got)
		}
	}
}
