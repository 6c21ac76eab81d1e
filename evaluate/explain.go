package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/evaluate/parsed"
	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Explain decides one fetch as Run does, and shows how the verdict came about. Errors that
// a user can mend are a *NotFoundError or an *AmbiguousError.
func Explain(ctx context.Context, set *Facts, opt DecideOptions, q Question) (*Explanation, error) {
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
	result   *verdict.Finding
	inquiry  *verdict.Inquiry
	token    string // whose rules are asked for
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
	r, agent := new(verdict.Finding), cmp.Or(q.Agent, x.opt.Crawler)
	var source AgentSource
	if agent != "" {
		source = words.AgentFromOption
	}
	if err := x.origin.decider.DecideFor(r, f, x.origin.timeline, agent, source); err != nil {
		return nil, err
	}
	x.begin(KindNone, r, found)
	return x.fill()
}

func (x *explainer) explainFetch(f *facts.Fetch, found *findings) (*Explanation, error) {
	decided, err := x.origin.Decide(f)
	if err != nil {
		return nil, err
	}
	r := &decided.Finding
	if x.question.Agent == "" || crawler.Key(x.question.Agent) == crawler.Key(r.Agent) {
		x.begin(KindFetch, r, found)
		x.made.Crawler.Second = x.origin.who.CrawlerOf(f).Other
		return x.fill()
	}
	whatIf := verdict.WhatIf{AsOf: x.opt.AsOf.moment()}
	whatIf.NewOrigin(x.origin.decider)
	if r, err = whatIf.Decide(r, x.question.Agent); err != nil {
		return nil, err
	}
	x.begin(KindWhatIf, r, found)
	x.made.Moment = Moment{x.inquiry.Moment()}
	x.made.Crawler = ExplainedCrawler{Token: x.question.Agent, Source: words.AgentFromOption.String(), Made: r.Agent}
	return x.fill()
}

// begin fills in what the result itself holds.
func (x *explainer) begin(kind ExplanationKind, r *verdict.Finding, found *findings) {
	f := r.Fetch
	x.result, x.token = r, r.Agent
	var asOf facts.Time
	if kind == KindWhatIf {
		x.token, asOf = x.question.Agent, x.opt.AsOf.moment()
	}
	x.inquiry = r.Inquire(x.token, asOf)
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
	if kind != KindWhatIf && r.Verdict == Disallowed {
		for _, g := range r.Objections() {
			x.made.Objections = append(x.made.Objections, ExplainedObjection{g.Name(), g.RobotsID()})
		}
		x.made.CopiesAsked = r.CopiesAsked
	}
	if r.HasPrior {
		x.made.Prior = r.Prior.String()
	}
}

// fill adds what the decision looked at.
func (x *explainer) fill() (*Explanation, error) {
	if r := x.result; r.Governing != nil {
		x.made.Age = new(x.inquiry.Age())
		x.made.LedBy = x.leads(r)
		if withdrawn := x.inquiry.Withdrawn(); withdrawn != nil {
			x.made.Withdrawn = new(said(withdrawn))
		}
		if second := x.made.Crawler.Second; second != "" {
			answer, err := x.inquiry.AskSecond(second)
			if err != nil {
				return nil, err
			}
			x.made.Crawler.SecondSays = new(said(&answer))
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
func (x *explainer) readOwn(r *verdict.Finding) error {
	if !r.Own.Known() {
		return nil
	}
	own := &ExplainedOwn{Software: r.Own.Software, Verdict: r.Own.Verdict.String()}
	x.made.Own = own
	if r.Own.Verdict == r.Verdict || r.Governing.Outcome != words.OutcomeRules {
		return nil
	}
	file, err := x.origin.files.Get(&r.Governing.State)
	if err == nil {
		own.Difference = file.Difference(r.Own.Profile, r.OwnAgent(), r.Agent, x.result.Path)
	}
	return err
}

func (r *Resolved) recordOf(f *facts.Fetch) ExplainedRecord {
	return ExplainedRecord{
		File: r.filename(f), Offset: f.Offset, Length: f.Length, Number: f.Index, ID: f.RecordID.String(),
	}
}

func (x *explainer) leads(r *verdict.Finding) (list []ExplainedLead) {
	for _, lead := range r.LedBy() {
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
	if a.IsOpen() {
		s.Readings = (a.Notes & words.OpenReadings).Strings()
	}
	return s
}

// addCaptures adds the part of the timeline that the decision looked at.
func (x *explainer) addCaptures() error {
	x.made.Undated = x.origin.captures.Undated
	captures, skipped, err := x.inquiry.Captures()
	if err != nil {
		return err
	}
	for i := range captures {
		x.made.Captures = append(x.made.Captures, *x.capture(&captures[i]))
	}
	x.made.Skipped = skipped
	for _, t := range x.inquiry.Unread() {
		x.made.Unread = append(x.made.Unread, Moment{t})
	}
	return nil
}

func (x *explainer) capture(seen *verdict.Seen) *ExplainedCapture {
	st, governs := seen.State, seen.State == x.result.Governing
	c := &ExplainedCapture{
		ID: st.ID, Skipped: seen.Skipped, Time: Moment{st.Time()}, Agent: st.Agent(), Own: seen.IsOwn,
		After: seen.IsAfter, Copy: seen.IsCopy, Roles: seen.Roles, Doubts: seen.Doubts,
		Outcome: st.Outcome.String(),
		Reason:  st.Reason.String(), Status: knownStatus(st.Status), Type: st.Type.String(),
		Record: x.recordOf(&st.Fetch),
		Way:    x.way(st), Content: Moment{st.Oldest}, governs: governs,
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
	if seen.Says != nil {
		c.Says = new(said(seen.Says))
	}
	return c
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
	answer, err := x.inquiry.Ask(g)
	if err != nil {
		return err
	}
	if !g.HasBody {
		x.tryReadings(&answer, nil)
		return nil
	}
	text, err := x.origin.files.Get(&g.State)
	if err != nil {
		return err
	}
	reader := text.Reader(x.token)
	file := &ExplainedFile{Size: g.BodySize, Groups: reader.Group.Lines()}
	file.AgentLine, file.AgentText = text.AgentLine(x.token, 0)
	file.AgentText = strings.Clone(file.AgentText)
	marks := make(map[int]string)
	for _, line := range file.Groups {
		marks[line] = "group"
	}
	if file.AgentLine > 0 {
		marks[file.AgentLine] = "agent"
	}
	for _, line := range x.otherLines(text, &reader, answer.Notes) {
		if marks[line] == "" {
			marks[line] = "other"
		}
	}
	if answer.Rule != nil {
		rules := reader.Group.Matching(x.result.Path)
		file.More = max(0, len(rules)-maxMatching)
		for _, rule := range rules[:len(rules)-file.More] {
			file.Matching = append(file.Matching,
				ExplainedRule{rule.Line, strings.Clone(rule.Text), rule.Allow, len(rule.Pattern)})
			marks[rule.Line] = "lost"
		}
		marks[answer.Rule.Line] = "rule"
	}
	file.Excerpt = excerpt(text.File, marks)
	x.made.File = file
	x.tryReadings(&answer, &reader)
	return nil
}

// otherLines returns the lines by which others than the crawler's groups would decide otherwise.
func (x *explainer) otherLines(f *parsed.File, r *parsed.Reader, notes Notes) (lines []int) {
	if notes&words.NoteAgentName != 0 {
		lines = r.Asides
	}
	if notes&words.NoteNamedGroupForbids == 0 {
		return lines
	}
	if by, _, _ := f.NamedForbids(x.result.Path); by != nil {
		if rule := by.Match(x.result.Path).Rule; rule != nil {
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
func (x *explainer) tryReadings(a *Answer, r *parsed.Reader) {
	if a.Verdict != Disallowed {
		return
	}
	tried := words.NoteRobotsTxtEncoded
	if r != nil {
		tried = words.OpenReadings&^(words.NoteDocumentedToken|words.NoteContentUsage|words.NoteAgentName|
			words.NoteUserTriggered|words.NoteDocumentedExempt) | r.Exempt
	}
	if r != nil && len(r.Asides) > 0 {
		tried |= words.NoteAgentName
	}
	if r != nil && len(r.Documented) > 0 {
		tried |= words.NoteDocumentedToken
	}
	if r != nil && r.HasUsageRules {
		tried |= words.NoteContentUsage
	}
	for _, name := range tried.Strings() {
		x.made.Readings = append(x.made.Readings,
			ExplainedReading{name, slices.Contains((a.Notes & words.OpenReadings).Strings(), name)})
	}
	if a.IsOpen() && a.Notes&words.OpenReadings == words.GroundUnfinishedLine {
		x.made.Readings = append(x.made.Readings, ExplainedReading{readingUnfinished, true})
	}
}
