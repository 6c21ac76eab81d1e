package verdict

import (
	"cmp"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file adds how the crawler's own parser reads the governing capture ("Own readings").

// readOwn adds what the crawler's own parser made of the governing capture, if that is known.
func (d *Decider) readOwn(r *Finding, s *subject) {
	st, c := r.Governing, r.software
	agent := r.agentOf(c.Profile)
	if st == nil || c.Profile == 0 || agent == "" {
		return
	}
	isFinal := st.Status/100 != 3 || c.Profile.FollowsRedirects()
	isError := st.FinalStatus/100 == 4 || st.FinalStatus/100 == 5
	switch {
	case !isFinal:
	case st.Outcome == words.OutcomeRules && facts.Flags(st.BodyFlags)&facts.FlagBodyCut == 0:
		file, err := d.files.Get(&st.State)
		if err != nil {
			s.record.err = cmp.Or(s.record.err, err)
			return
		}
		if m := d.files.Own(file, c.Profile, agent).Match(s.path); m.Reason != words.TooCostly {
			r.Own = OwnReading{c.Software, c.Profile, verdictOf(m.Allowed)}
		}
	case isError && (st.Outcome == words.OutcomeUnavailable || st.Outcome == words.OutcomeUnreachable):
		if allowed, known := c.Profile.OnError(int(st.FinalStatus)); known {
			r.Own = OwnReading{c.Software, c.Profile, verdictOf(allowed)}
		}
	}
}

// OwnReading is what the crawler's own parser made of the governing capture. The zero value: it is not known.
type OwnReading struct {
	Software string // of the crawler, with its version where that is known
	Profile  robots.Profile
	Verdict  words.Verdict
}

// Known reports whether there is one.
func (o OwnReading) Known() bool { return o.Verdict != words.Unknown }

// OwnAgent is the name by which the crawler's own parser looks for its group.
func (r *Finding) OwnAgent() string { return r.agentOf(r.Own.Profile) }

func (r *Finding) agentOf(p robots.Profile) string {
	if p.ReadsUserAgent() {
		return r.Fetch.UserAgent
	}
	if (p == robots.Browsertrix || p == robots.Wget) && r.AgentSource != words.AgentFromOption {
		return p.String()
	}
	return r.Agent
}
