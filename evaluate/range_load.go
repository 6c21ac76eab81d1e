package evaluate

import (
	"cmp"
	"context"
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate/use"
	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
)

// timelines reads what a range of buckets holds of robots.txt and the other files of sites, origin by
// origin.
type timelines struct {
	states *facts.Cursor[resolve.State]
	marks  *facts.Cursor[resolve.Mark]
	leads  *facts.Cursor[resolve.Lead]
	events *facts.Cursor[facts.LogEvent]
	lines  lineTwins

	targets []*State // of the origin in hand: see timeline

	// what indexes may report of captures is compared with them; nil where they report none
	held   *facts.Cursor[facts.Capture]
	unread facts.Unread // captures of the origin in hand that indexes report and no input holds
}

func (r *Resolved) openTimelines(ctx context.Context, from, to int) *timelines {
	l := &timelines{
		states: facts.NewCursor(r.res.States.Range(ctx, from, to),
			func(s *resolve.State) facts.Place { return facts.PlaceOf(&s.Fetch) }),
		marks:  facts.NewCursor(r.res.Marks.Range(ctx, from, to), (*resolve.Mark).Place),
		leads:  facts.NewCursor(r.res.Leads.Range(ctx, from, to), (*resolve.Lead).Place),
		events: facts.NewCursor(r.store.Events(ctx, facts.Buckets{From: from, To: to}), (*facts.LogEvent).Place),
		unread: r.store.NewUnread(),
	}
	if r.store.Totals.IndexedRobots > 0 {
		l.held = facts.NewCursor(r.store.Captures(ctx, facts.Buckets{From: from, To: to}),
			func(c *facts.Capture) facts.Place { return facts.PlaceOf(&c.Fetch) })
	}
	return l
}

func (l *timelines) stop() {
	l.states.Stop()
	l.marks.Stop()
	l.leads.Stop()
	l.events.Stop()
	if l.held != nil {
		l.held.Stop()
	}
}

func (l *timelines) err() error {
	return cmp.Or(l.states.Err, l.marks.Err, l.leads.Err, l.events.Err)
}

// next returns the next origin with a capture or log event.
func (l *timelines) next() (here facts.Place, more bool) {
	switch {
	case l.states.Row == nil:
		return l.events.Here, l.events.Row != nil
	case l.events.Row != nil && l.events.Here.Compare(l.states.Here) < 0:
		return l.events.Here, true
	}
	return l.states.Here, true
}

// each calls add for the states of an origin in order: its captures, and the log lines that
// add to them about its robots.txt. It calls repeated for equal lines. The
// log events then stand at the origin's exclusions.
func (l *timelines) each(here facts.Place, add func(*State) error,
	repeated func(first, ev *facts.LogEvent) error,
) error {
	var last *State // of the timeline
	addEvents := func(until *State) error {
		for l.events.Row != nil && l.events.Here == here && l.events.Row.Kind == facts.EventRobotsUnreachable {
			ev := l.events.Row
			if until != nil && ev.Micros >= until.Micros {
				return nil
			}
			if first := l.lines.first(ev); first != nil {
				if err := repeated(first, ev); err != nil {
					return err
				}
			} else if st := stateOfEvent(ev); st.Time().Known() && addsTo(st, last) {
				last = st
				if err := add(st); err != nil {
					return err
				}
			}
			l.events.Advance()
		}
		return l.events.Err
	}
	if err := l.readUnread(here); err != nil {
		return err
	}
	l.targets = nil
	err := l.states.Each(here, func(s *resolve.State) error {
		st := &State{State: *s}
		if st.Kind == facts.CaptureTarget {
			l.targets = append(l.targets, st)
			return nil
		}
		if use.IsSiteFile(s) {
			return add(st)
		}
		if err := addEvents(st); err != nil {
			return err
		}
		last = st
		return add(st)
	})
	if err != nil {
		return err
	}
	return addEvents(nil)
}

// readUnread reads what indexes report of captures of an origin.
func (l *timelines) readUnread(here facts.Place) error {
	l.events.SkipTo(here)
	l.unread.Clear()
	reports := func() bool {
		return l.events.Row != nil && l.events.Here == here && l.events.Row.Kind <= facts.EventRobotsUnread
	}
	if reports() && l.held != nil {
		err := l.held.Each(here, func(c *facts.Capture) error {
			l.unread.Hold(c)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for reports() {
		l.unread.Add(l.events.Row)
		l.events.Advance()
	}
	return l.events.Err
}

// count skips an origin, and returns how many states its timeline has.
func (l *timelines) count(here facts.Place) (n int64, err error) {
	err = l.each(here, func(st *State) error {
		if st.Kind == facts.CaptureRobots {
			n++
		}
		return nil
	}, func(_, _ *facts.LogEvent) error { return nil })
	for err == nil && l.events.Row != nil && l.events.Here == here {
		l.events.Advance()
	}
	return n, cmp.Or(err, l.events.Err)
}

// skipTo skips the origins before the one that a cut lies in or before. id is that of the first state;
// that of the next one is returned.
func (l *timelines) skipTo(c Cut, id int64) (int64, error) {
	for here, more := l.next(); more && here.Cut().Compare(c.Origin()) < 0; here, more = l.next() {
		n, err := l.count(here)
		if err != nil {
			return 0, err
		}
		id += n
	}
	return id, nil
}

// load makes the timeline of an origin from its captures, by who made them.
func (l *timelines) load(here facts.Place, captures *verdict.Captures, d *verdict.Decider) (*verdict.Timeline, error) {
	found := verdict.Found{Captures: captures, Targets: l.targets, Unread: slices.Clone(l.unread.Times)}
	err := l.marks.Each(here, func(m *resolve.Mark) error {
		if n := len(found.Marks); n == 0 || found.Marks[n-1] != *m {
			found.Marks = append(found.Marks, *m)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = l.leads.Each(here, func(lead *resolve.Lead) error {
		kept := *lead
		found.Leads = append(found.Leads, &kept)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d.Timeline(&found), nil
}
