package reading

import (
	"cmp"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// crawlRuns numbers the runs of a crawler that an archive shows, and finds out whether the order of
// their records follows the dates.
type crawlRuns struct {
	list  []crawlRun
	known map[runKey]int32 // their numbers
	last  runKey           // of the record before
	which int32            // its number
}

// A runKey identifies a run in one archive: by the ID of the warcinfo record, packed, or else by its place.
type runKey struct {
	id recordid.ID
	at int64
}

// crawlRun is a run with what its order has shown so far.
type crawlRun struct {
	facts.CrawlRun
	latest facts.Time // of the fetch before
	server int64      // ServerSeconds of the last fetch before that has it
	pairs  int        // of neighbouring fetches
	backs  int        // pairs whose second fetch is dated earlier
	isFar  bool       // by more than maxBack
	dates  dates
}

// isUnordered reports whether the order of the records shows nothing: more than a tenth of the
// neighbouring fetches, and at least minBacks, go back in date, or any goes back by more than maxBack, and not because
// the clock was put back. Such records were sorted in another way.
func (r *crawlRun) isUnordered() bool {
	return r.isFar || r.backs >= minBacks && r.backs > r.pairs/10
}

// add counts a fetch, the next one of its archive, and returns the number of its run.
func (rs *crawlRuns) add(c *facts.Capture, info *Warcinfo, named recordid.ID) int32 {
	run := rs.of(info, named)
	rs.list[run-1].follow(c)
	return run
}

// of returns the number of the run of a record. One that names a warcinfo record of another archive is of that one's
// run.
func (rs *crawlRuns) of(info *Warcinfo, named recordid.ID) int32 {
	key := runKey{id: named}
	switch {
	case named == "" && info.id != "":
		key.id = info.id
	case named == "":
		key.at = info.at.Index
	}
	if rs.which == 0 || key != rs.last {
		rs.last, rs.which = key, rs.numberOf(key, info)
	}
	return rs.which
}

func (rs *crawlRuns) numberOf(key runKey, info *Warcinfo) int32 {
	key.id = key.id.Key()
	if number, known := rs.known[key]; known {
		return number
	}
	if rs.known == nil {
		rs.known = make(map[runKey]int32)
	}
	number := int32(len(rs.list) + 1)
	run := facts.CrawlRun{Number: number}
	switch {
	case number == maxRuns+1:
		run.Mixed = true
	case number > maxRuns+1: // the last one holds all further ones
		return maxRuns + 1
	case key.id == info.id:
		run = info.run.Known()
		run.Number = number
	}
	run.ID = key.id
	if !run.Mixed {
		rs.known[key] = number
	}
	rs.list = append(rs.list, crawlRun{CrawlRun: run})
	return number
}

// follow compares the date of a fetch with that of the one before. Captures of robots.txt are left out:
// their order is what is asked about.
func (r *crawlRun) follow(c *facts.Capture) {
	t := c.Time()
	if c.Kind == facts.CaptureRobots || t.Precision < facts.PrecisionSecond {
		return
	}
	if r.latest.Known() {
		r.pairs++
		if back := r.latest.MicrosSince(t); back > 0 {
			r.backs++
			// the clock was put back: servers say that time went on
			isSet := r.server != 0 && c.ServerSeconds >= r.server
			r.isFar = r.isFar || back > maxBack.Microseconds() && !isSet
		}
	}
	r.latest, r.server = t, cmp.Or(c.ServerSeconds, r.server)
}

// hear adds the User-Agent of a request to its run. Some crawlers request robots.txt without one, and follow its
// redirects with or without one: that, and what a redirect of robots.txt led to, shows nothing.
func (rs *crawlRuns) hear(run int32, userAgent string, isRobots, isTarget bool) {
	if userAgent != "" || !isRobots && !isTarget {
		rs.list[run-1].Hear(userAgent, isRobots && !isTarget)
	}
}

// hearOf adds who made a fetch, and what its Date field shows of the clock, once its request is known or will not be.
func (rs *crawlRuns) hearOf(x *exchange) {
	if x.Run != 0 && x.ServerSeconds != 0 && x.Precision >= facts.PrecisionSecond {
		rs.list[x.Run-1].dates.add(x.HostReversed, x.Index, x.Micros/1e6-x.ServerSeconds)
	}
	if x.Run != 0 && (x.UserAgent != "" || x.requested) {
		rs.hear(x.Run, x.UserAgent, x.Kind == facts.CaptureRobots, x.isTarget)
	}
}

func (rs *crawlRuns) end(entry string) (list []facts.CrawlRun) {
	for _, r := range rs.list {
		r.Entry, r.Clocks = entry, r.dates.clocks()
		r.Unordered = r.isUnordered() || r.Mixed
		list = append(list, r.CrawlRun)
	}
	return list
}
