package evaluate

import (
	"context"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// Verification counts the fetches that an index or a list reports, and whose records matter: they
// would prove violations. Each suspected fetch is in one of the other counts.
type Verification struct {
	Suspected int64 `json:"suspected"`
	Verified  int64 `json:"verified"` // the record was found, whatever the verdict is then
	Refuted   int64 `json:"refuted"`  // the record was looked for, and is not there
	Unread    int64 `json:"unread"`   // the record was looked for, and could not be read
	Untried   int64 `json:"untried"`
}

func (v *Verification) count(r *Result) {
	switch {
	case r.Fetch.Trust == facts.TrustVerified:
		v.Verified++
	case !r.IsSuspected() || !r.Fetch.NamesRecord():
		return
	case r.Fetch.Flags&facts.FlagRefuted != 0:
		v.Refuted++
	case r.Fetch.Flags&facts.FlagUnread != 0:
		v.Unread++
	default:
		v.Untried++
	}
	v.Suspected++
}

// Suspected decides the fetches of facts and calls f with the suspected ones, in no order and from several
// goroutines. Of the options, it leaves out what concerns other results.
func Suspected(ctx context.Context, set *Facts, opt DecideOptions, f func(*Fetch) error) error {
	opt.Agents, opt.Uses, opt.Policies = nil, nil, PoliciesNone
	_, err := Run(ctx, set, opt, &suspects{f: f})
	return err
}

// suspects is a sink of the fetches that are suspected.
type suspects struct {
	NoSink
	f func(*Fetch) error
}

func (s *suspects) Part(int) (Sink, error) { return s, nil }
func (s *suspects) Done(int) error         { return nil }

func (s *suspects) Result(r *Result) error {
	if !r.IsSuspected() {
		return nil
	}
	return s.f(r.Fetch)
}
