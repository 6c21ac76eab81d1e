package facts

import (
	"cmp"

	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// EventKind is the meaning of a log line or a row of an index. Evidence sorts before the events
// judged by it.
type EventKind uint8

// The kinds of log event.
const (
	eventUnknown           EventKind = iota
	EventRobotsNoCapture             // a record of robots.txt is no capture, as with a HEAD request
	EventRobotsTook                  // a crawl.log states how long a capture of robots.txt took
	EventRobotsUnread                // an index lists a capture of robots.txt
	EventRobotsUnreachable           // robots.txt of the origin could not be had
	EventExclusion                   // robots.txt kept the crawler from fetching the URL
)

// LogEvent is a row of facts: a URL that a crawler reports as not fetched, or a row of an
// index. It is no fetch, and no record proves it.
type LogEvent struct {
	HostReversed string
	Origin       string
	Kind         EventKind
	Micros       int64
	Precision    Precision
	URL          string
	Reason       string // as the log writes it
	Input        int32
	Entry        string // of a WACZ, by its name there; "" elsewhere
	Line         int64  // from 1
	Offset       int64  // of the line in the log, decompressed
	Length       int64
	Via          string
	HopsFromSeed string

	// These fields distinguish records of one robots.txt and second, as in Fetch. For a log line
	// they are empty, but for the status of EventRobotsTook.
	Archive       string
	RecordID      recordid.ID
	PayloadDigest string
	Status        int16

	Millis int32 // of EventRobotsTook
}

// Time returns the moment of the event.
func (e *LogEvent) Time() Time { return Time{e.Micros, e.Precision} }

// Place is the place of the event's origin.
func (e *LogEvent) Place() Place { return Place{Host: e.HostReversed, Origin: e.Origin} }

// compareEvents is the order of the log events: by origin, then kind, then in time.
// Equal lines become neighbours.
func compareEvents(a, b *LogEvent) int {
	return cmp.Or(
		a.Place().Compare(b.Place()),
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Micros, b.Micros),
		cmp.Compare(a.Precision, b.Precision),
		cmp.Compare(a.URL, b.URL),
		cmp.Compare(a.Reason, b.Reason),
		cmp.Compare(a.Input, b.Input),
		cmp.Compare(a.Entry, b.Entry),
		cmp.Compare(a.Line, b.Line),
	)
}

// Unread is the event that an index lists a capture of robots.txt.
func (f *Fetch) Unread() *LogEvent { return f.event(EventRobotsUnread) }

// NoCapture is the event that a record of robots.txt is no capture.
func (f *Fetch) NoCapture() *LogEvent { return f.event(EventRobotsNoCapture) }

func (f *Fetch) event(kind EventKind) *LogEvent {
	return &LogEvent{
		HostReversed: f.HostReversed, Origin: f.Origin, Kind: kind, Micros: f.Micros, Precision: f.Precision,
		Input: f.Input, Entry: f.Entry, Line: f.Index, Offset: f.Offset, Length: f.Length,
		Archive: f.Archive, RecordID: f.RecordID, PayloadDigest: f.PayloadDigest, Status: f.Status,
	}
}

// sighting identifies the record of robots.txt that an event is about.
func (e *LogEvent) sighting() sighting {
	return sighting{
		id: e.RecordID, digest: e.PayloadDigest, entry: e.Entry, archive: e.Archive, offset: e.Offset, input: e.Input,
		status:  e.Status,
		indexed: e.Kind == EventRobotsUnread || e.Archive != "",
	}
}

// eventRuns is the specification of the runs of log events.
var eventRuns = run.Spec[LogEvent]{
	Name:    "events",
	Compare: compareEvents,
	Bucket:  func(e *LogEvent) int { return run.BucketOf(e.HostReversed) },
}
