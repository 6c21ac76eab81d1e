package evaluate

import (
	"cmp"
	"context"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// timelines reads what a range of buckets holds of robots.txt and tdmrep.json, origin by
// origin.
type timelines struct {
	states *cursor[State]
	marks  *cursor[mark]
	copies *cursor[copied]
	events *cursor[facts.LogEvent]
	lines  lineTwins
}

func (r *Resolved) openTimelines(ctx context.Context, from, to int) *timelines {
	return &timelines{
		states: newCursor(r.states.Range(ctx, from, to), func(s *State) place { return placeOf(&s.Fetch) }),
		marks:  newCursor(r.marks.Range(ctx, from, to), (*mark).place),
		copies: newCursor(r.copies.Range(ctx, from, to), (*copied).place),
		events: newCursor(r.store.Events(ctx, facts.Buckets{From: from, To: to}), placeOfEvent),
	}
}

func (l *timelines) stop() {
	l.states.stop()
	l.marks.stop()
	l.copies.stop()
	l.events.stop()
}

func (l *timelines) err() error {
	return cmp.Or(l.states.err, l.marks.err, l.copies.err, l.events.err)
}

// next returns the next origin with a capture or log event.
func (l *timelines) next() (here place, more bool) {
	switch {
	case l.states.row == nil:
		return l.events.here, l.events.row != nil
	case l.events.row != nil && l.events.here.compare(l.states.here) < 0:
		return l.events.here, true
	}
	return l.states.here, true
}

// each calls add for the states of an origin in order: its captures, and the log lines that
// say of its robots.txt more than they do. It tells repeated of lines that say the same. The
// log events then stand at the origin's exclusions.
func (l *timelines) each(here place, add func(*State) error, repeated func(first, ev *facts.LogEvent) error) error {
	var last *State // of the timeline
	addEvents := func(until *State) error {
		for l.events.row != nil && l.events.here == here && l.events.row.Kind == facts.EventRobotsUnreachable {
			ev := l.events.row
			if until != nil && ev.Micros >= until.Micros {
				return nil
			}
			if first := l.lines.first(ev); first != nil {
				if err := repeated(first, ev); err != nil {
					return err
				}
			} else if st := stateOfEvent(ev); st.Time().Known() && st.tells(last) {
				last = st
				if err := add(st); err != nil {
					return err
				}
			}
			l.events.advance()
		}
		return l.events.err
	}
	l.events.skipTo(here)
	err := l.states.each(here, func(s *State) error {
		st := *s
		if st.Kind == facts.CaptureTDMRep {
			return add(&st)
		}
		if err := addEvents(&st); err != nil {
			return err
		}
		last = &st
		return add(&st)
	})
	if err != nil {
		return err
	}
	return addEvents(nil)
}

// count skips an origin, and returns how many states its timeline has.
func (l *timelines) count(here place) (n int64, err error) {
	err = l.each(here, func(st *State) error {
		if st.Kind == facts.CaptureRobots {
			n++
		}
		return nil
	}, func(_, _ *facts.LogEvent) error { return nil })
	for err == nil && l.events.row != nil && l.events.here == here {
		l.events.advance()
	}
	return n, cmp.Or(err, l.events.err)
}

// load makes the timeline of an origin from its states.
func (l *timelines) load(here place, states []*State) (*timeline, error) {
	marked := make(map[mark]bool)
	err := l.marks.each(here, func(m *mark) error {
		marked[*m] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	tl := newTimeline(states, marked)
	return tl, l.copies.each(here, func(c *copied) error {
		tl.places.add(c.first(), c.spot())
		return nil
	})
}
