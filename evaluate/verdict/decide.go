// Package verdict decides one fetch by the timeline of its origin's robots.txt: a pure function of the timeline, the
// fetch, the crawler's token and the profile, whose result is a Finding.
//
// Decider.DecideFetch is the way from a fetch to its verdict. A Decider also answers for other tokens (WhatIf), and
// shows what a finding rests on (Finding.Considered, Inquiry). The package reads files of robots.txt by package parsed,
// and knows who made a fetch by package crawler. It loads nothing, counts nothing and writes nothing.
package verdict

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/evaluate/parsed"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file is the way from a fetch to its verdict: candidates.go finds the captures, judge.go gives the verdict,
// challenge.go and copies.go find what speaks against it, and certify (ground.go) gives the class. The names in
// quotation marks are headings of docs/SEMANTICS.md.

// Bounds of time.
const (
	// FreshFor is how old the content of a copy of robots.txt may be that is used (RFC 9309 §2.4).
	FreshFor = facts.Day
	// how long a crawler counts as informed: older evidence accuses nobody, unless the next capture confirms it
	informedFor = 30 * facts.Day
	// how long a server has to be unreachable until crawlers may take its robots.txt as unavailable
	// (RFC 9309 §2.3.1.4)
	unreachableMay = 30 * facts.Day
)

// Decider decides fetches. It holds no state of its own between them but caches.
type Decider struct {
	files *parsed.Cache
	who   *crawler.Names
	made  *crawler.Software
	runs  *facts.Set // knows the runs of crawlers
	heard *voices

	subject subject     // reused
	asked   knownCopies // reused
	kindBy  [2]string   // see kindOf: the last
	kind    agents.Kind
}

// NewDecider decides the fetches of a set of facts, by its robots.txt files, by who made them, and with which software.
func NewDecider(set *facts.Set, files *parsed.Cache, who *crawler.Names, made *crawler.Software) *Decider {
	return &Decider{files: files, who: who, made: made, runs: set, heard: newVoices(set, who), kind: agents.KindOf("", "")}
}

// DecideFetch makes r the verdict on a fetch for the crawler that made it.
func (d *Decider) DecideFetch(r *Finding, f *facts.Fetch, tl *Timeline) error {
	tl.captures.rest()
	*r = Finding{Fetch: f, record: r.record.emptied()}
	by := d.who.CrawlerOf(f)
	r.Agent, r.AgentSource, r.software = by.Token, by.Source, d.made.SoftwareFor(f, by)
	return d.settle(r, tl, by.Notes, by.Other)
}

// DecideFor makes r the verdict on a fetch, perhaps one that was never made, for a crawler that its User-Agent does
// not name. source is how its token is known; both zero: it is not known.
func (d *Decider) DecideFor(
	r *Finding, f *facts.Fetch, tl *Timeline, agent string, source words.AgentSource,
) error {
	tl.captures.rest()
	*r = Finding{Fetch: f, Agent: agent, AgentSource: source, record: r.record.emptied()}
	return d.settle(r, tl, 0, "")
}

// settle gives the verdict on a fetch for the agent of r. notes are remarks on its User-Agent; other is the token of a
// second crawler that it names.
func (d *Decider) settle(r *Finding, tl *Timeline, notes words.Notes, other string) error {
	s := d.subject.setTo(d, r.Fetch, r.Agent, tl, facts.Time{}, &r.record)
	r.decider, r.timeline, r.Path, s.notes = d, tl, s.path, notes
	if d.settleAtOnce(r, s, tl) {
		s.object(s.notes, nil)
		r.ofVerdict = len(r.Grounds)
	} else {
		s.notes |= when(s.Flags&facts.FlagURLCut != 0, words.NoteURLCut)
		d.decide(r, s, tl, other)
		d.readOwn(r, s)
		d.findChange(r, s, tl)
	}
	r.Notes = r.notes()
	return r.err
}

// settleAtOnce gives the verdict where it needs no capture; false: it needs one.
func (d *Decider) settleAtOnce(r *Finding, s *subject, tl *Timeline) bool {
	isSupported, isRobotsTxt := s.Flags&facts.FlagUnsupportedScheme == 0, s.path == "/robots.txt"
	r.RobotsCapture = isSupported && isRobotsTxt && s.Method == http.MethodGet && s.Flags&facts.FlagHostMismatch == 0
	r.PolicyFile = isSupported && s.Method == http.MethodGet && s.Status/100 == 2 && tag.IsPolicyFile(s.path)
	isLedTo := false
	if len(tl.marks) > 0 {
		_, isLedTo = slices.BinarySearchFunc(tl.marks, resolve.MarkOf(s.Fetch), resolve.CompareMarks)
	}
	switch {
	case !isSupported: // "Fetch"
		r.Reason = words.UnsupportedScheme
	// "Robots capture", "Always allowed": robots.txt itself, and what its redirects led to. Google's matcher
	// knows no such rule; a row of an index without the method may be a capture.
	case r.RobotsCapture, isRobotsTxt && (d.files.Profile().AllowsItself() || s.Method == ""), isLedTo:
		r.Verdict, r.Reason = words.Allowed, words.RobotsTxtItself
	case !s.time.Known(): // "Time"
		r.Reason = words.NoTime
	case s.Flags&facts.FlagForged != 0: // "Access logs"
		r.Reason = words.ForgedAgent
	case s.Trust == facts.TrustLogged && s.agent == "":
		r.Reason = words.NoCrawler
	default:
		return false
	}
	return true
}

// decide gives the verdict by what the fetch sees of the timeline. Where its User-Agent names a second crawler, nobody
// knows which of the two it was, so the one that accuses less counts ("The crawler's token").
func (d *Decider) decide(r *Finding, s *subject, tl *Timeline, other string) {
	v := d.survey(r, candidates{subject: s}, tl)
	if other == "" {
		d.conclude(r, s, tl, &v)
		return
	}
	second := *r
	second.Grounds = slices.Clone(r.Grounds)
	if d.conclude(r, s, tl, &v); r.Verdict == words.Unknown {
		return
	}
	s.token, s.record = other, &second.record
	d.conclude(&second, s, tl, &v)
	s.token, s.record = s.agent, &r.record
	isContested := second.Certainty == words.Contested && r.Certainty != words.Contested
	isAgreed := second.Verdict == r.Verdict && !isContested
	accusesLess := isAgreed && second.Certainty > r.Certainty
	if accusesLess {
		r.forget()
		r.Certainty = second.Certainty
	}
	r.join(&second.record, accusesLess)
	switch {
	case isAgreed:
		return
	case second.Reason == words.TooCostly:
		r.withdraw(words.TooCostly, nil)
	default:
		r.withdraw(words.AmbiguousToken, cmp.Or(second.against, second.Contester(), second.Governing))
	}
	r.Evidence = v.evidence
}

// conclude gives the verdict and the class by the rules for the subject's token.
func (d *Decider) conclude(r *Finding, s *subject, tl *Timeline, v *view) {
	if d.judge(r, s, tl, v); r.Verdict != words.Disallowed {
		return
	}
	if d.challenge(r, s, tl, v); r.Verdict == words.Disallowed {
		r.Certainty = certify(r.Grounds)
	}
}
