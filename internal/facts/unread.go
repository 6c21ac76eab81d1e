package facts

// Unread collects the times of the captures of an origin's robots.txt that indexes tell of, by the
// second, from the events of the origin in their order. A row of a record that is no capture, as the
// record or another row of its place shows, tells of none. The zero value has seen no event.
type Unread struct {
	Times []Time // in order
	none  map[secondAt]bool
}

type secondAt struct{ micros, offset int64 }

// Add takes an event.
func (u *Unread) Add(e *LogEvent) {
	t := e.Time().Truncate(PrecisionSecond)
	if !t.Known() {
		return
	}
	switch at := (secondAt{t.Micros, e.Offset}); e.Kind { // of a coarse date, indexes have the first second
	case EventRobotsNoCapture:
		if u.none == nil {
			u.none = make(map[secondAt]bool)
		}
		u.none[at] = true
	case EventRobotsUnread:
		if n := len(u.Times); !u.none[at] && (n == 0 || u.Times[n-1] != t) {
			u.Times = append(u.Times, t)
		}
	}
}

// Clear forgets all events.
func (u *Unread) Clear() {
	u.Times = u.Times[:0]
	clear(u.none)
}
