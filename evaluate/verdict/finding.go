package verdict

import (
	"github.com/robotsaudit/robotsaudit/evaluate/parsed"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Finding is the verdict on one fetch, with its proof.
type Finding struct {
	Fetch       *facts.Fetch
	Path        string // with the query: what rules are matched against
	Agent       string // product token of the crawler; "": unknown
	AgentSource words.AgentSource
	Evidence    words.Evidence
	Certainty   words.Certainty
	Answer
	Governing *State // nil where there is none
	// seconds from the oldest content applied to the fetch; of later evidence from the newest, negative
	Age      int64
	Prior    words.Verdict
	HasPrior bool // the governing capture shows nothing; Prior is the answer of the one before it

	RobotsCapture bool // the fetch is a GET of exactly /robots.txt
	PolicyFile    bool // the fetch got an ai.txt

	Own OwnReading // of the governing capture, by the crawler's own parser

	// The crawler's capture before allowed the violation. AfterChange is how long after it first got what forbids it,
	// in microseconds.
	IsAfterChange bool
	AfterChange   int64

	record
	decider   *Decider
	timeline  *Timeline
	software  robots.Crawler // that made the fetch and reads robots.txt in its own way; the zero value: not known
	withdrawn Answer         // the answer of the governing capture, where the verdict was withdrawn
	against   *State         // the capture that shows that it may be wrong; nil: none does
	tied      []*State       // the governing capture, and captures of the same moment in other archives

	ledBy []*resolve.Lead // the redirects of NoteRedirectTarget
}

// IsViolation reports whether the fetch counts among the violations.
func (r *Finding) IsViolation() bool {
	return r.Certainty == words.Certain || r.Certainty == words.Probable
}

// IsUnproven reports whether the fetch was disallowed and is yet no violation.
func (r *Finding) IsUnproven() bool {
	return r.Certainty == words.Possible || r.Certainty == words.Contested
}

// IsSuspected reports whether an index or a list alone reports a fetch that is a violation, or whose
// record could make it one: by being that of a fetch, by a more exact date, or by a request that names
// the crawler. A fetch whose record was looked for and is not there stays among the suspected.
func (r *Finding) IsSuspected() bool {
	mayBecomeOne := mayBeProven(r.Grounds) || r.Agent == "" && r.Evidence != words.Later ||
		r.Fetch.Flags&facts.FlagRefuted != 0
	return r.Fetch.IsIndexed() && (r.IsViolation() || r.Certainty == words.Possible && mayBecomeOne)
}

// Rivals returns the captures of the governing one's moment in other archives, which may govern in its place.
func (r *Finding) Rivals() []*State { return r.tied[min(1, len(r.tied)):] }

// LedBy returns the captures of robots.txt that may have led to the fetch by redirects.
func (r *Finding) LedBy() []*resolve.Lead { return r.ledBy }

// Twins returns the other places of a record, the fetch's or one that a capture applies, if several
// archives hold it: any of them may show which of two records of one moment came first.
func (r *Finding) Twins(first facts.Spot) (twins []facts.Spot) {
	for _, at := range r.timeline.places[first] {
		twins = append(twins, at.Spot)
	}
	return twins
}

// Answer is the answer of one robots capture for a path and a token.
type Answer struct {
	Verdict   words.Verdict
	Reason    words.Reason
	Rule      *robots.Rule // nil unless the reason is a rule
	GroupLine int          // line of the group's user-agent line; 0: none
	Group     int          // the deciding group's number in its file; 0: none
	Match     words.Match  // how the token was matched to that group
	Notes     words.Notes
}

// IsOpen reports whether a reading that the specifications leave open allows the fetch.
func (a *Answer) IsOpen() bool {
	return a.Verdict == words.Disallowed && a.Notes&words.OpenReadings != 0
}

func verdictOf(allowed bool) words.Verdict {
	if allowed {
		return words.Allowed
	}
	return words.Disallowed
}

// read makes a the answer of a parsed file, by the groups of r, for the capture that it belongs to. Notes name what
// would answer otherwise: another way of matching tokens, or a reading that the specifications leave open.
func (a *Answer) read(f *parsed.File, st *State, s *subject, r *parsed.Reader) {
	m := s.match(r.Group)
	*a = Answer{
		Verdict: verdictOf(m.Allowed), Reason: m.Reason, Match: r.Match,
		Rule: m.Rule, Group: r.Group.Key(), GroupLine: r.Group.Line(m.Rule),
	}
	if m.Reason == words.TooCostly {
		a.Verdict = words.Unknown
	} else {
		readings, cost := r.Group.Against(s.token, s.path, m)
		s.spend(cost / matchCost)
		if readings != 0 {
			a.Notes = notesOf(readings)
		}
		for _, g := range r.Others {
			if a.Notes&words.NoteAgentName == 0 && s.match(g).Allowed != m.Allowed {
				a.Notes |= words.NoteOtherMode
			}
		}
	}
	if a.Verdict == words.Disallowed {
		a.Notes |= r.Exempt
		for _, g := range r.Documented {
			if d := s.match(g); d.Allowed || d.Reason == words.TooCostly {
				a.Notes |= words.NoteDocumentedToken
			}
		}
		if f.LineCut != nil && s.match(f.LineCut.For(s.token)).Allowed {
			a.Notes |= words.GroundUnfinishedLine // the rule may be longer than what is left of it
		}
	}
	if facts.Flags(st.BodyFlags)&facts.FlagBodyCut != 0 {
		a.Notes |= words.NoteBodyCut
	}
	if f.HTML {
		a.Notes |= words.NoteHTML
	}
	if st.Outcome == words.OutcomePartial {
		// Of a part only what it forbids is known; the rest may forbid more, and
		// may allow what this part forbids.
		a.Notes |= words.NotePartial
		if a.Verdict != words.Disallowed {
			*a = Answer{Reason: words.Truncated, Notes: a.Notes}
		}
	}
	if s.token == "" && a.Verdict == words.Allowed {
		_, forbids, cost := f.NamedForbids(s.path)
		s.spend(cost / matchCost)
		if forbids {
			a.Notes |= words.NoteNamedGroupForbids // nobody knows whether the crawler has that name
		}
	}
}

// readingNotes are the notes on the readings that the specifications leave open.
var readingNotes = [...]struct {
	reading robots.Readings
	note    words.Notes
}{
	{robots.ReadReserved, words.NoteReservedEncoding},
	{robots.ReadUnsafe, words.NoteUnsafeEncoding},
	{robots.ReadLenient, words.NoteLenient},
	{robots.ReadBeyondLimit, words.NoteParseLimit},
	{robots.ReadRobotsTxtEncoded, words.NoteRobotsTxtEncoded},
	{robots.ReadContentUsage, words.NoteContentUsage},
	{robots.ReadAgentName, words.NoteAgentName},
}

// notesOf names readings that turn an answer round.
func notesOf(readings robots.Readings) (n words.Notes) {
	for _, r := range readingNotes {
		n |= when(readings&r.reading != 0, r.note)
	}
	return n
}
