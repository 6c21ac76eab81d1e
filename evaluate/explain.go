package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Explain decides one fetch as Run does, and shows how the verdict came about. Errors that
// a user can mend are a *NotFoundError or an *AmbiguousError.
func Explain(ctx context.Context, set *Facts, opt Options, q Question) (*Explanation, error) {
	opt.Uses = q.Uses
	r, err := Resolve(ctx, set, opt)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	found, err := r.find(ctx, &q)
	if err != nil {
		return nil, err
	}
	x := &explainer{Resolved: r, question: &q}
	fetch := found.only()
	if fetch == nil {
		return x.explainNone(ctx, found)
	}
	if x.origin, err = r.Origin(ctx, fetch.Origin); err != nil {
		return nil, err
	}
	for f, err := range x.origin.Fetches(ctx) {
		if err != nil {
			return nil, err
		}
		if facts.SpotOf(f) == facts.SpotOf(fetch) && f.Offset == fetch.Offset {
			if _, err := x.explainFetch(f, found); err != nil {
				return nil, err
			}
			return x.made, x.addUse(ctx, fetch)
		}
	}
	return nil, fmt.Errorf("the fetch at %s:%d is not where it was found", r.filename(fetch), fetch.Offset)
}

// useOf is a Sink that takes what the page of one fetch states of its use.
type useOf struct {
	NoSink
	at   Spot
	take func(*Result)
}

func (s *useOf) Result(r *Result) error {
	if facts.SpotOf(r.Fetch) == s.at {
		s.take(r)
	}
	return nil
}

// addUse adds what the page and its origin state against the uses that are asked about. Deciding the second of
// the fetch shows it.
func (x *explainer) addUse(ctx context.Context, f *facts.Fetch) error {
	if len(x.question.Uses) == 0 {
		return nil
	}
	from := facts.PlaceOf(f).Cut()
	to := facts.BeforeBucket(from.Bucket + 1)
	if f.Time().Known() {
		from.Micros = f.Micros
		from = from.Earlier(0)
		to = from.Earlier(-facts.Second)
	}
	sink := &useOf{at: facts.SpotOf(f), take: func(r *Result) {
		if r.Page == nil {
			return
		}
		x.made.TagsUnknown = r.Page.From == PageUnknown
		for _, use := range r.Page.Hints {
			x.made.Hints = append(x.made.Hints, use.String())
		}
		for i := range r.Restrictions {
			x.made.Restrictions = append(x.made.Restrictions, x.restriction(r, &r.Restrictions[i]))
		}
	}}
	_, err := x.Decide(ctx, from, to, sink)
	return err
}

func (x *explainer) restriction(r *Result, restriction *Restriction) ExplainedRestriction {
	made := ExplainedRestriction{
		Purpose: restriction.Purpose.String(), Kind: restriction.Kind.String(),
		Certainty: restriction.Certainty.String(),
	}
	for _, statement := range restriction.Statements {
		made.Statements = append(made.Statements, strings.Clone(statement.String()))
		if f := r.Page.FileOf(&statement); f != nil && made.FileOffset == nil {
			made.File, made.FileOffset = x.nameOf(f.Input, f.Entry), new(f.Offset)
		}
	}
	return made
}

// filename names the archive that holds a record, as the tables do.
func (r *Resolved) filename(f *facts.Fetch) string {
	if f.Archive != "" {
		return f.Archive
	}
	return r.nameOf(f.Input, f.Entry)
}

func (r *Resolved) nameOf(input int32, entry string) string {
	if entry != "" {
		return r.store.Input(input).Name + "/" + entry
	}
	return r.store.Input(input).Name
}

type explainer struct {
	*Resolved
	question *Question
	origin   *Origin
	result   *Result
	subject  subject // as the decision began with it
	made     *Explanation
}

// explainNone explains a fetch that no archive holds.
func (x *explainer) explainNone(ctx context.Context, found *findings) (*Explanation, error) {
	q := x.question
	f := NewFetch(q.What, "", q.At)
	var err error
	if x.origin, err = x.Origin(ctx, f.Origin); err != nil {
		return nil, err
	}
	r := &Result{Fetch: f, Agent: cmp.Or(q.Agent, x.opt.Crawler)}
	if r.Agent != "" {
		r.AgentSource = words.AgentFromOption
	}
	if err := x.origin.decider.settle(r, x.origin.timeline, ""); err != nil {
		return nil, err
	}
	x.begin(KindNone, r, found)
	return x.fill()
}

func (x *explainer) explainFetch(f *facts.Fetch, found *findings) (*Explanation, error) {
	r, err := x.origin.Decide(f)
	if err != nil {
		return nil, err
	}
	d := x.origin.decider
	if x.question.Agent == "" || agentKey(x.question.Agent) == agentKey(r.Agent) {
		x.begin(KindFetch, r, found)
		x.made.Crawler.Second = d.crawlerOf(f).other
		return x.fill()
	}
	if r, err = x.whatIf(r); err != nil {
		return nil, err
	}
	x.begin(KindWhatIf, r, found)
	x.subject.token = x.question.Agent
	x.made.Moment = Moment{x.subject.time}
	x.made.Crawler = ExplainedCrawler{Token: x.question.Agent, Source: words.AgentFromOption.String(), Made: r.Agent}
	return x.fill()
}

// oneVerdict is a Sink of a what-if for one token.
type oneVerdict struct {
	NoSink
	verdict GroupVerdict
}

func (s *oneVerdict) GroupVerdict(v *GroupVerdict) error { s.verdict = *v; return nil }

// whatIf decides a fetch for the token asked about, as the what-if of an audit does.
func (x *explainer) whatIf(r *Result) (*Result, error) {
	var sink oneVerdict
	w := &whatIf{decider: x.origin.decider, tokens: []string{x.question.Agent}, asOf: x.opt.AsOf.moment(), sink: &sink}
	w.newOrigin()
	if err := w.decide(r, x.origin.timeline); err != nil {
		return nil, err
	}
	v := &sink.verdict
	other := &Result{
		Fetch: r.Fetch, Agent: r.Agent, AgentSource: r.AgentSource, Evidence: v.Evidence, Answer: v.Answer,
		Governing: v.Governing,
		decider:   r.decider, timeline: r.timeline, withdrawn: w.judged.withdrawn, against: w.judged.against,
	}
	if g := v.Governing; g != nil {
		other.Age = w.judged.Age
	}
	return other, nil
}

// begin fills in what the result itself holds.
func (x *explainer) begin(kind ExplanationKind, r *Result, found *findings) {
	f := r.Fetch
	x.result = r
	var asOf facts.Time
	if kind == KindWhatIf {
		asOf = x.opt.AsOf.moment()
	}
	x.subject = x.origin.decider.newSubject(f, r.Agent, x.origin.timeline, asOf)
	x.made = &Explanation{
		Kind: kind, Profile: x.opt.Profile.String(), Moment: Moment{f.Time()},
		Fetch: ExplainedFetch{
			URL: f.URL, Origin: f.Origin, Time: Moment{f.Time()}, Method: f.Method, Status: knownStatus(f.Status),
			UserAgent: f.UserAgent,
		},
		Crawler:  ExplainedCrawler{Token: r.Agent, Source: r.AgentSource.String()},
		Evidence: r.Evidence.String(), Certainty: r.Certainty.String(), Notes: r.Notes.Strings(), Said: said(&r.Answer),
		Captures: []ExplainedCapture{}, Others: found.others,
	}
	if kind != KindNone {
		x.made.Fetch.Type, x.made.Fetch.Trust, x.made.Fetch.Record = f.Type.String(), f.Trust.String(), x.recordOf(f)
	} else {
		x.made.Fetch.Record.Offset = -1
	}
	if r.HasPrior {
		x.made.Prior = r.Prior.String()
	}
}

// fill adds what the decision looked at.
func (x *explainer) fill() (*Explanation, error) {
	if r := x.result; r.Governing != nil {
		x.made.Age = new(x.subject.secondsOld(r.Governing, r.Evidence))
		x.made.LedBy = x.leads(r)
		if r.against != nil || r.Reason == words.UnreadCapture {
			x.made.Withdrawn = new(said(&r.withdrawn))
		}
		if err := x.askSecond(); err != nil {
			return nil, err
		}
		if err := x.readFile(); err != nil {
			return nil, err
		}
		if err := x.readOwn(r); err != nil {
			return nil, err
		}
	}
	return x.made, x.addCaptures()
}

// readOwn says what the crawler's own parser makes of the governing capture, and why it answers otherwise.
func (x *explainer) readOwn(r *Result) error {
	if !r.Own.Known() {
		return nil
	}
	own := &ExplainedOwn{Software: r.Own.Software, Verdict: r.Own.Verdict.String()}
	x.made.Own = own
	if r.Own.Verdict == r.Verdict || r.Governing.Outcome != words.OutcomeRules {
		return nil
	}
	file, err := x.origin.decider.files.get(r.Governing)
	if err == nil {
		own.Difference = file.Difference(r.Own.Profile, ownAgent(r, r.Own.Profile), r.Agent, x.subject.path)
	}
	return err
}

// askSecond gets the answer of a capture for the second crawler that the User-Agent names: the one that
// withdrew the verdict for its sake, or else the governing one.
func (x *explainer) askSecond() error {
	if x.made.Crawler.Second == "" {
		return nil
	}
	second, asked := x.subject, x.result.Governing
	second.token = x.made.Crawler.Second
	if x.result.Reason == words.AmbiguousToken {
		asked = x.result.against
	}
	answer := x.origin.decider.answer(asked, &second)
	x.made.Crawler.SecondSays = new(said(&answer))
	return x.origin.decider.failed()
}

func (x *explainer) recordOf(f *facts.Fetch) ExplainedRecord {
	return ExplainedRecord{
		File: x.filename(f), Offset: f.Offset, Length: f.Length, Number: f.Index, ID: f.RecordID.String(),
	}
}

func (x *explainer) leads(r *Result) (list []ExplainedLead) {
	for _, lead := range r.ledBy {
		at := lead.Spot
		list = append(list, ExplainedLead{
			lead.URL,
			Moment{lead.Time},
			ExplainedRecord{File: x.nameOf(at.Input, at.Entry), Offset: lead.Offset, Number: at.Index},
		})
	}
	return list
}

func knownStatus(status int16) *int16 {
	if status < 0 {
		return nil
	}
	return new(status)
}

func said(a *Answer) Said {
	s := Said{Verdict: a.Verdict.String(), Reason: a.Reason.String(), Match: a.Match.String(), GroupLine: a.GroupLine}
	if a.Rule != nil {
		s.Rule, s.RuleLine = strings.Clone(a.Rule.Text), a.Rule.Line
	}
	if a.allows {
		s.Readings = (a.Notes & words.OpenReadings).Strings()
	}
	return s
}

// ask returns the answer of a capture, without a budget.
func (x *explainer) ask(st *State) (Answer, error) {
	s := x.subject
	return x.origin.decider.answer(st, &s), x.origin.decider.failed()
}

const (
	maxConsidered = 100 // captures that are shown because they took part
	nearestShown  = 4   // captures that are shown on each side of the moment, whatever they hold
)

// addCaptures adds the part of the timeline that the decision looked at.
func (x *explainer) addCaptures() error {
	tl, s := x.origin.timeline, x.subject
	x.made.Undated = len(x.origin.Captures) - len(tl.all.states)
	roles := x.roles()
	shown := make(map[*State]bool)
	for st := range roles {
		shown[st] = true
	}
	if s.time.Known() {
		n := tl.all.upTo(&s)
		for _, st := range tl.all.states[max(0, n-nearestShown):min(len(tl.all.states), n+nearestShown)] {
			shown[st] = true
		}
	}
	skipped := 0
	states := slices.Concat(tl.all.states, filter(tl.targets, func(st *State) bool { return roles[st] != nil }))
	slices.SortStableFunc(states, func(a, b *State) int { return facts.CompareInTime(&a.Fetch, &b.Fetch) })
	for _, st := range states {
		if !shown[st] {
			skipped++
			continue
		}
		c, err := x.capture(st, roles[st])
		if err != nil {
			return err
		}
		c.Skipped, skipped = skipped, 0
		x.made.Captures = append(x.made.Captures, *c)
	}
	x.made.Skipped = skipped
	x.addUnread()
	return nil
}

// addUnread adds the captures nearest to the fetch that an index alone reports.
func (x *explainer) addUnread() {
	unread, at := x.origin.timeline.unread, x.subject.time
	if !at.Known() {
		return
	}
	n := sort.Search(len(unread), func(i int) bool { return unread[i].MicrosSince(at) > 0 })
	for _, t := range unread[max(0, n-nearestShown):min(len(unread), n+nearestShown)] {
		x.made.Unread = append(x.made.Unread, Moment{t})
	}
}

// roles names the part of each capture in the verdict.
func (x *explainer) roles() map[*State][]string {
	r, s := x.result, x.subject
	roles := make(map[*State][]string)
	if r.Governing == nil {
		return roles
	}
	for i, c := range x.origin.timeline.considered(&s) {
		if i < maxConsidered || c.State == r.Contester || c.State == r.against {
			roles[c.State] = append(roles[c.State], c.Role.String())
		}
	}
	if r.Contester != nil {
		roles[r.Contester] = append(roles[r.Contester], RoleContests)
	}
	if r.against != nil {
		roles[r.against] = append(roles[r.against], RoleContradicts)
	}
	if r.HasPrior {
		s := x.subject
		if v := x.origin.timeline.view(&s); v.prior != nil {
			roles[v.prior] = append(roles[v.prior], RolePrior)
		}
	}
	return roles
}

func (x *explainer) capture(st *State, roles []string) (*ExplainedCapture, error) {
	r, s := x.result, x.subject
	c := &ExplainedCapture{
		ID: st.ID, Time: Moment{st.Time()}, Agent: st.Agent(), Own: s.see(st).isOwn, Roles: roles,
		Outcome: st.Outcome.String(),
		Reason:  st.Reason.String(), Status: knownStatus(st.Status), Type: st.Type.String(),
		Record: x.recordOf(&st.Fetch),
		Way:    x.way(st), Content: Moment{st.Oldest}, governs: st == r.Governing,
		decisive: st == r.Governing || st == r.Contester || st == r.against || slices.Contains(roles, RolePrior),
	}
	if s.time.Known() {
		c.After = s.see(st).relation >= shownAfter
		c.Copy = r.Governing != nil && x.isCopy(st)
	}
	if st.Kind == facts.CaptureTarget {
		c.URL = st.URL
	}
	if st.Hops > 0 {
		c.Final = knownStatus(st.FinalStatus)
	}
	if st.HasBody && (st.BodyInput != st.Input || st.BodyEntry != st.Entry || st.BodyRecordOffset != st.Offset) {
		c.Body = &ExplainedBody{Moment{st.BodyTime}, st.BodyAgent(), ExplainedRecord{
			File: x.nameOf(st.BodyInput, st.BodyEntry), Offset: st.BodyRecordOffset, ID: st.BodyRecordID.String(),
		}}
	}
	for _, doubt := range [...]Notes{
		when(slices.ContainsFunc(st.led, s.mayBeOthers), words.NoteOtherCrawler),
		when(st.Resynced, words.NoteResynced),
		when(st.Forgeable, words.NoteForgeable),
		when(st.Mismatched, words.NoteDigestMismatch),
		when(st.IsListed(), words.NoteListedRobots),
		when(isDoubtfulLine(&st.Fetch), words.NoteLogged),
		when(st.OtherTarget, words.NoteOtherTarget),
	} {
		c.Doubts = append(c.Doubts, doubt.Strings()...)
	}
	if len(roles) == 0 && !c.Copy {
		return c, nil
	}
	answer, err := x.answerOf(st)
	if err != nil {
		return nil, err
	}
	c.Says = new(said(&answer))
	return c, nil
}

// answerOf is a capture's answer to the fetch: for the governing one, the answer used in the decision.
func (x *explainer) answerOf(st *State) (Answer, error) {
	switch r := x.result; {
	case st != r.Governing:
	case r.against != nil, r.Reason == words.UnreadCapture:
		return r.withdrawn, nil
	case st.Outcome == words.OutcomeUnreachable, r.Reason == words.RefusedToOther:
		return r.Answer, nil
	}
	return x.ask(st)
}

// isCopy reports whether the crawler may have acted on a capture (RFC 9309 §2.4).
func (x *explainer) isCopy(st *State) bool {
	s := x.subject
	if st == x.result.Governing {
		return x.result.Evidence != Later
	}
	if x.result.Governing.Outcome == words.OutcomeUnreachable && slices.Contains(x.origin.timeline.lastCopies(&s), st) {
		return true
	}
	return (st.isDefinite() || s.isUnreadable(st)) && s.isCopy(st) && !s.isOthersRefusal(st) &&
		s.see(st).relation != shownAfter
}

// way shows how a capture led to its content.
func (x *explainer) way(st *State) (way []ExplainedStep) {
	hops := st.HopList()
	for _, step := range st.Steps() {
		at := ExplainedStep{
			Kind:   "original",
			Record: &ExplainedRecord{File: x.nameOf(step.Input, step.Entry), Offset: step.Offset, Number: step.Index},
		}
		switch {
		case step.Kind == StepRival:
			at.Kind = "rival"
		case step.Kind == StepNamed:
			at.Kind = "named"
		case step.Kind == StepHop && len(hops) > 0:
			at.Kind, at.URL, hops = "redirect", hops[0], hops[1:]
		}
		way = append(way, at)
	}
	for _, url := range hops {
		way = append(way, ExplainedStep{Kind: "redirect", URL: url})
	}
	if st.Reason == words.UnresolvedRevisit {
		way = append(way, ExplainedStep{Kind: "original"})
	}
	return way
}

const (
	maxMatching = 20   // rules that match which are shown
	around      = 3    // lines of an excerpt around one that is marked
	maxExcerpt  = 60   // lines
	maxLineText = 1024 // bytes shown of a line
)

// readFile reads from the governing file its group, the rules that match, and the lines.
func (x *explainer) readFile() error {
	g := x.result.Governing
	answer, err := x.answerOf(g)
	if err != nil {
		return err
	}
	if !g.HasBody {
		x.tryReadings(&answer, nil)
		return nil
	}
	parsed, err := x.origin.decider.files.get(g)
	if err != nil {
		return err
	}
	reader := parsed.reader(x.subject.token)
	file := &ExplainedFile{Size: g.BodySize, Groups: reader.group.Lines()}
	file.AgentLine, file.AgentText = parsed.AgentLine(x.subject.token, 0)
	file.AgentText = strings.Clone(file.AgentText)
	marks := make(map[int]string)
	for _, line := range file.Groups {
		marks[line] = "group"
	}
	if file.AgentLine > 0 {
		marks[file.AgentLine] = "agent"
	}
	for _, line := range x.otherLines(parsed, &reader, answer.Notes) {
		if marks[line] == "" {
			marks[line] = "other"
		}
	}
	if answer.Rule != nil {
		rules := reader.group.Matching(x.subject.path)
		file.More = max(0, len(rules)-maxMatching)
		for _, rule := range rules[:len(rules)-file.More] {
			file.Matching = append(file.Matching,
				ExplainedRule{rule.Line, strings.Clone(rule.Text), rule.Allow, len(rule.Pattern)})
			marks[rule.Line] = "lost"
		}
		marks[answer.Rule.Line] = "rule"
	}
	file.Excerpt = excerpt(parsed.File, marks)
	x.made.File = file
	x.tryReadings(&answer, &reader)
	return nil
}

// otherLines returns the lines by which others than the crawler's groups would decide otherwise.
func (x *explainer) otherLines(f *parsedFile, r *reader, notes Notes) (lines []int) {
	if notes&words.NoteAgentName != 0 {
		lines = r.asides
	}
	if notes&words.NoteNamedGroupForbids == 0 {
		return lines
	}
	if by, _, _ := f.NamedForbids(x.subject.path); by != nil {
		if rule := by.Match(x.subject.path).Rule; rule != nil {
			lines = append(lines, by.Line(rule), rule.Line)
		}
	}
	return lines
}

// excerpt returns the lines that are marked, and those around all but rules that lost.
func excerpt(file *robots.File, marks map[int]string) (lines []ExplainedLine) {
	last := 0
	for line := range marks {
		last = max(last, line)
	}
	isNear := func(n int) bool {
		for line := n - around; line <= n+around; line++ {
			if mark := marks[line]; mark != "" && (line == n || mark != "lost") {
				return true
			}
		}
		return false
	}
	for n, text := range file.Lines {
		if n > last+around || len(lines) == maxExcerpt {
			break
		}
		if isNear(n) {
			lines = append(lines, ExplainedLine{n, strings.Clone(text[:min(len(text), maxLineText)]), marks[n]})
		}
	}
	return lines
}

// readingUnfinished is the reading of an unfinished last line as the beginning of a longer one.
const readingUnfinished = "unfinished_line"

// tryReadings shows which open readings were tried for a disallowed fetch, and which allow it.
func (x *explainer) tryReadings(a *Answer, r *reader) {
	if a.Verdict != Disallowed {
		return
	}
	tried := words.NoteRobotsTxtEncoded
	if r != nil {
		tried = words.OpenReadings &^ (words.NoteDocumentedToken | words.NoteContentUsage | words.NoteAgentName)
	}
	if r != nil && len(r.asides) > 0 {
		tried |= words.NoteAgentName
	}
	if r != nil && len(r.documented) > 0 {
		tried |= words.NoteDocumentedToken
	}
	if r != nil && r.hasUsageRules {
		tried |= words.NoteContentUsage
	}
	for _, name := range tried.Strings() {
		x.made.Readings = append(x.made.Readings,
			ExplainedReading{name, slices.Contains((a.Notes & words.OpenReadings).Strings(), name)})
	}
	if a.allows && a.Notes&words.OpenReadings == 0 {
		x.made.Readings = append(x.made.Readings, ExplainedReading{readingUnfinished, true})
	}
}
