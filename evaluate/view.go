package evaluate

import (
	"iter"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
)

// view is what a fetch sees of its origin's timeline.
type view struct {
	governing *State // nil where no capture is near
	evidence  Evidence
	own       bool     // the governing capture is the crawler's own
	moment    []*State // the captures of the governing one's moment, it included
	tied      []*State // the governing one, and the captures of its moment in other archives: nothing shows their order
	prior     *State   // the capture before it, in its line, that answers
	ownNext   []*State // where another's governs: the crawler's own first ones within a day after the fetch
	older     []*State // the same: its own latest one that says something; in several archives, one in each
	outdated  bool     // an index reports a capture that would govern in its place, and no input holds it
}

// view finds the capture that governs a fetch ("Which capture governs"), and those near it that count.
func (tl *timeline) view(s *subject) (v view) {
	if s.own != nil {
		v = s.own.latest(s) // 1: the crawler's own, if that is fresh
	}
	if v.governing == nil || s.ageOf(v.governing) > freshFor {
		v = tl.all.latest(s) // 2: the latest by anyone
	}
	if v.governing == nil {
		v = tl.later(s) // 3: the earliest after the fetch
	}
	if v.governing == nil && !s.withRefusals {
		refused := *s
		refused.withRefusals = true
		v = tl.view(&refused)
		s.looked = refused.looked
		return v
	}
	if v.governing == nil { // 4
		return v
	}
	if !v.own && s.own != nil {
		v.older = s.own.latestWith(kindSays, s)
		if v.evidence == Fresh { // around a stale one, everybody's are looked at
			v.ownNext = s.own.next(s, facts.Day)
		}
	}
	// Of a coarse date, the captures of that moment may be later. Of several that may govern, the finest
	// date is the latest that one of them surely has.
	finest := v.governing
	for _, st := range v.tied {
		if st.Precision > finest.Precision {
			finest = st
		}
	}
	v.outdated = tl.hasUnread(func(t facts.Time) bool {
		return s.relationOf(v.governing) > maybeBefore || t.MicrosSince(finest.Time()) >= 0
	}, s.time)
	return v
}

// upTo returns how many captures lie at or before a fetch, the two compared at the
// coarser precision. Of a fetch dated with a day, all captures of that day count
// as before.
func (l *line) upTo(s *subject) int {
	if s.isWholeDay() {
		return l.from(s.time.Micros + facts.Day)
	}
	n := sort.Search(len(l.states), func(i int) bool { return l.states[i].Micros > s.time.Micros })
	for n < len(l.states) && l.states[n].Time().MicrosSince(s.time) <= 0 && s.look() {
		n++
	}
	return n
}

// lastOf returns the latest capture of a kind, among the first n, that is at or before a
// fetch; nil where there is none.
func (l *line) lastOf(k kind, n int, s *subject) *State {
	for i := l.before(k, n); i >= 0 && s.look(); i = l.before(k, i) {
		if st := l.states[i]; s.mayGovern(st) && !s.failsLater(st) {
			return st
		}
	}
	return nil
}

// latest is the view of the latest capture of the line at or before a fetch.
func (l *line) latest(s *subject) (v view) {
	i := l.upTo(s) - 1
	for i >= 0 && !s.mayGovern(l.states[i]) && s.look() {
		i--
	}
	if i < 0 {
		return v
	}
	last := l.states[i].Time()
	near := l.between(last, last)
	near.end = i
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.Time().MicrosSince(last) == 0 && s.mayGovern(st) {
			v.moment = append(v.moment, st)
		}
	}
	if v.moment == nil {
		v.moment = l.states[i : i+1 : i+1]
	} else {
		v.moment = append(v.moment, l.states[i])
	}
	v.prior = l.lastOf(kindAnswers, i, s)
	v.choose(s, lastInArchive)
	switch {
	case s.precedes(v.governing):
		v.evidence = Later
	case s.ageOf(v.governing) <= freshFor:
		v.evidence = Fresh
	default:
		v.evidence = Stale
	}
	return v
}

// later is the view of the earliest capture within a day after a fetch that says
// something, the crawler's own first.
func (tl *timeline) later(s *subject) (v view) {
	if s.own != nil {
		v.moment = s.own.next(s, facts.Day)
	}
	if len(v.moment) == 0 {
		v.moment = tl.all.next(s, facts.Day)
	}
	if len(v.moment) > 0 {
		v.evidence = Later
		v.choose(s, firstInArchive)
	}
	return v
}

// Of two captures of one moment in one archive, which one counts: the last before a fetch, the first after it.
func lastInArchive(a, b *State) bool  { return a.Index > b.Index }
func firstInArchive(a, b *State) bool { return a.Index < b.Index }

// choose finds the capture that governs ("Captures of one moment"), and those that may govern in its place:
// where the crawler's own governs, those of others are no rivals but copies. In which order those of several
// archives came, nothing shows, and the doubts of all count. So between two that differ in nothing of this
// list, either may be taken.
func (v *view) choose(s *subject, wins func(a, b *State) bool) {
	if len(v.moment) == 1 { // as nearly always
		v.governing, v.own, v.tied = v.moment[0], s.isOwn(v.moment[0]), v.moment
		return
	}
	last := oneOfEach(v.moment, wins)
	v.governing = last[0]
	for _, st := range last[1:] {
		if s.prefers(st, v.governing, wins) {
			v.governing = st
		}
	}
	v.own = s.isOwn(v.governing)
	rivals := filter(v.moment, func(st *State) bool {
		return !facts.SpotOf(&st.Fetch).SameRun(facts.SpotOf(&v.governing.Fetch)) && (!v.own || s.isOwn(st))
	})
	v.tied = append([]*State{v.governing}, oneOfEach(rivals, wins)...)
}

func (s *subject) prefers(a, b *State, wins func(a, b *State) bool) bool {
	at, than := facts.SpotOf(&a.Fetch), facts.SpotOf(&b.Fetch)
	switch {
	case s.isOwn(a) != s.isOwn(b): // the crawler's own
		return s.isOwn(a)
	case at.SameRun(than):
		return wins(a, b)
	case a.Forgeable != b.Forgeable: // one that no page could forge
		return b.Forgeable
	case s.precedes(a) != s.precedes(b): // one whose content is later than the fetch
		return s.precedes(a)
	case s.ageOf(a) != s.ageOf(b): // the oldest content
		return s.ageOf(a) > s.ageOf(b)
	case s.relationOf(a) != s.relationOf(b): // one that stands before the fetch beyond doubt
		return s.relationOf(a) < s.relationOf(b)
	case s.provesOrder(at) != s.provesOrder(than): // if another archive of the fetch holds one
		return s.provesOrder(at)
	case a.Precision != b.Precision: // the finest date
		return a.Precision > b.Precision
	}
	return at.Compare(than) > 0
}

// unreachableMay is how long a server has to be unreachable until crawlers may take its
// robots.txt as unavailable (RFC 9309 §2.3.1.4).
const unreachableMay = 30 * facts.Day

// longUnreachable reports whether an unbroken run of unreachable captures began longer ago than
// that and still lasts at a fetch: of the crawler's own, or of anyone's. The last one of a run is
// within a day, so there are at least two. Captures of the fetch's own moment, and those that took long,
// may have come after it.
func (tl *timeline) longUnreachable(s *subject) bool {
	for _, l := range [...]*line{s.own, tl.all} {
		if l == nil {
			continue
		}
		var run unreachableRun
		end := l.upTo(s)
		start := end
		isNear := func(st *State) bool { return s.time.MicrosSince(st.Time()) == 0 || s.time.Micros-st.Micros <= l.late }
		for start > 0 && isNear(l.states[start-1]) && s.look() {
			start--
		}
		if start > 0 {
			run = l.runs[start-1]
		}
		for _, st := range l.states[start:end] {
			if s.counts(st) && !s.failsLater(st) {
				run = run.with(st)
			}
		}
		if run.first == nil {
			continue
		}
		if s.time.MicrosSince(run.first.Time()) > unreachableMay && s.time.MicrosSince(run.last.Time()) <= freshFor {
			return true
		}
	}
	return false
}

// earliest returns the captures with the smallest date; several, if they share it.
func earliest(list []*State) []*State {
	var first [facts.PrecisionMicrosecond + 1]*State // of each precision
	return filter(list, func(s *State) bool {
		for _, f := range first {
			if f != nil && s.Time().MicrosSince(f.Time()) > 0 {
				return false
			}
		}
		if first[s.Precision] == nil {
			first[s.Precision] = s
		}
		return true
	})
}

// next returns the captures of the line that come first, within a time after a fetch, of
// those that say something.
func (l *line) next(s *subject, within int64) []*State {
	var found []*State
	near := l.between(s.time.Add(-l.late), s.time.Add(within))
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if len(found) > 0 && st.Micros > found[0].Micros+found[0].Precision.Unit() {
			break
		}
		switch {
		case !st.says():
			near.skipAlike(near.end)
		case s.relationOf(st) < shownAfter || st.Time().MicrosSince(s.time) > within:
		case s.withRefusals || !s.isRefusedToOther(st):
			found = append(found, st)
		}
	}
	return earliest(found)
}

// others returns, where the governing capture is stale, those that say something else:
// between its content and the fetch, and within a day after the fetch. Where a whole day is
// asked about, those of the day are among them in any case.
func (tl *timeline) others(s *subject, v *view) (list []*State) {
	asked := v.governing
	consider := func(st *State) {
		if st.says() && st != v.governing && !st.saysLike(asked) && (s.withRefusals || !s.isRefusedToOther(st)) {
			list, asked = append(list, st), st
		}
	}
	if v.evidence != Stale && !s.isWholeDay() {
		return nil
	}
	if v.evidence != Stale {
		near := tl.all.between(s.time, s.time)
		for st := near.take(); st != nil && s.look(); st = near.take() {
			if s.time.MicrosSince(st.Time()) == 0 {
				consider(st)
				near.skipAlike(near.end)
			}
		}
		return list
	}
	content := []resolve.Step{v.governing.OldestApplied()}
	start := content[0].Time
	for _, st := range v.tied[1:] {
		if st.Time().MicrosSince(start) == 0 {
			content = append(content, st.Itself())
		}
	}
	near := tl.all.between(start, s.time)
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.Time().MicrosSince(start) < 0 || s.relationOf(st) > maybeBefore {
			continue
		}
		if !slices.ContainsFunc(content, st.isReplacedBy) {
			consider(st)
		}
		if st != v.governing && st.Micros > start.Micros+start.Precision.Unit() {
			near.skipAlike(near.end)
		}
	}
	near = tl.all.between(s.time.Add(-tl.all.late), s.time.Add(facts.Day))
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if s.relationOf(st) < shownAfter || st.Time().MicrosSince(s.time) > facts.Day {
			continue
		}
		consider(st)
		if st != v.governing {
			near.skipAlike(near.end)
		}
	}
	return list
}

// isReplacedBy reports whether a record is the later of two of one moment, by its place in the archive
// of both.
func (s *State) isReplacedBy(r resolve.Step) bool {
	at := facts.SpotOf(&s.Fetch)
	return s.Time().MicrosSince(r.Time) == 0 && at.SameRun(r.Spot) && at.Index < r.Index
}

// copies yields every capture in [t − 24 h, t] of a fetch, whoever made it, and what was got in that time from a
// URL to which one of these that count as before t, or of those that may govern, redirects: by others, or by the
// crawler itself after it had followed the redirect. Of those before t that say the same one after the other, the
// first stands for all; those about its moment may count as after it.
func (tl *timeline) copies(s *subject, governing []*State) iter.Seq[*State] {
	t := s.time
	return func(yield func(*State) bool) {
		ways := make(map[string]int64) // URLs to which captures of the last day redirect, and when the first was followed
		near := tl.all.between(facts.Time{Micros: t.Micros - facts.Day, Precision: t.Precision}, t)
		moment := tl.all.from(t.Micros - tl.all.late)
		for st := near.take(); st != nil; st = near.take() {
			if !st.isCopyAt(t) {
				continue
			}
			if st.Hops > 0 && s.relationOf(st) <= maybeBefore {
				for _, url := range st.ways {
					if first, known := ways[url]; !known || st.followed() < first {
						ways[url] = st.followed()
					}
				}
			}
			if !yield(st) {
				return
			}
			if st.Micros+st.Precision.Unit()+tl.all.late < t.Micros {
				near.skipAlike(moment)
			}
		}
		first := sort.Search(len(tl.targets), func(i int) bool { return tl.targets[i].Micros >= t.Micros-facts.Day-t.Precision.Unit() })
		for _, st := range tl.targets[first:] {
			isCopy := func(followed int64) bool { return st.key != s.key || st.Micros >= followed }
			isOn := func(url string) bool {
				followed, known := ways[url]
				return known && isCopy(followed)
			}
			isLedTo := isOn(st.url) || isOn(cutURL) ||
				slices.ContainsFunc(governing, func(g *State) bool { return st.isTargetOf(g) && isCopy(g.followed()) })
			switch {
			case st.Micros > t.Micros+t.Precision.Unit():
				return
			case facts.SpotOf(&st.Fetch) == facts.SpotOf(s.Fetch) || !isLedTo || !st.isCopyAt(t):
				if !s.look() {
					return
				}
			case !yield(st):
				return
			}
		}
	}
}

// followed returns the moment, in microseconds, at which a capture and what its redirects led to lie before.
func (s *State) followed() (micros int64) {
	for i, r := range s.records() {
		if latest := r.Time.Latest(); i == 0 || latest > micros {
			micros = latest
		}
	}
	return micros
}

// isTargetOf reports whether a capture redirects to the URL of another record, of at most a day before or after.
func (s *State) isTargetOf(st *State) bool {
	gap := s.Time().MicrosSince(st.Time())
	return gap >= -facts.Day && gap <= facts.Day && (slices.Contains(st.ways, s.url) || slices.Contains(st.ways, cutURL))
}

// olderCopies returns the permitted copies that may be older than a day: copies of the moment of the governing
// capture by other crawlers than one that may govern, and, while the file is unreachable, the last ones that
// were got.
func (tl *timeline) olderCopies(s *subject, v *view, isUnreachable bool) (list []*State) {
	if v.evidence == Stale || v.governing.Precision < facts.PrecisionSecond { // else the last day has them
		moment := v.moment
		if v.evidence != Stale {
			moment = tl.all.ofMoment(kindSays, v.governing, s)
		}
		list = slices.Concat(v.tied[1:], v.byOthers(s, moment), tl.refusalsOfMoment(s, v))
	}
	if isUnreachable {
		list = append(list, tl.lastCopies(s)...)
	}
	return list
}

// byOthers are the captures that are by another crawler than one of those that may govern.
func (v *view) byOthers(s *subject, list []*State) []*State {
	keyOf := func(st *State) string { // as the fetch's run shows it
		if s.isOwn(st) {
			return s.key
		}
		return st.key
	}
	return filter(list, func(st *State) bool {
		return slices.ContainsFunc(v.tied, func(o *State) bool { return keyOf(o) != keyOf(st) })
	})
}

// refusalsOfMoment returns the refusals of the moment of a stale governing capture to other crawlers than the one
// that made it. They do not govern, and are permitted copies as other captures of its moment are.
func (tl *timeline) refusalsOfMoment(s *subject, v *view) (list []*State) {
	if v.evidence != Stale {
		return nil
	}
	near := tl.all.between(v.governing.Time(), v.governing.Time())
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.Time().MicrosSince(v.governing.Time()) == 0 && s.counts(st) && !s.mayGovern(st) {
			list = append(list, st)
		}
	}
	return v.byOthers(s, list)
}

// isCopyAt reports whether a capture lies in [t − 24 h, t].
func (st *State) isCopyAt(t facts.Time) bool {
	gap := t.MicrosSince(st.Time())
	return gap >= 0 && gap <= facts.Day
}

// lastCopies returns what a crawler may use while the file is unreachable (RFC 9309
// §2.4): the latest 2xx of any age at or before a fetch, by anyone and its own, and a
// later copy that a 304 or revisit renewed and that the archive does not hold.
func (tl *timeline) lastCopies(s *subject) (list []*State) {
	for _, l := range [...]*line{tl.all, s.own} {
		if l == nil {
			continue
		}
		n := l.upTo(s)
		got, gone := l.lastOf(kindSuccess, n, s), l.lastOf(kindLost, n, s)
		list = append(list, l.latestWith(kindSuccess, s)...)
		if gone != nil && (got == nil || gone.Micros >= got.Micros) {
			list = append(list, gone)
		}
	}
	return list
}

// latestWith returns all captures of a kind, at or before a fetch, at its latest moment: the last in each archive.
func (l *line) latestWith(k kind, s *subject) []*State {
	last := l.lastOf(k, l.upTo(s), s)
	if last == nil {
		return nil
	}
	return oneOfEach(l.ofMoment(k, last, s), lastInArchive)
}

// ofMoment returns the captures of a kind that are of one's moment, and at or before a fetch.
func (l *line) ofMoment(k kind, one *State, s *subject) (moment []*State) {
	near := l.between(one.Time(), one.Time())
	for st := near.take(); st != nil && s.look(); st = near.take() {
		if st.is(k) && st.Time().MicrosSince(one.Time()) == 0 && s.mayGovern(st) && !s.failsLater(st) {
			moment = append(moment, st)
		}
	}
	return moment
}

// oneOfEach returns, of captures of one moment, those that win in their archives.
func oneOfEach(moment []*State, wins func(a, b *State) bool) []*State {
	if len(moment) < 2 {
		return moment
	}
	best := make(map[facts.Spot]*State)
	for _, st := range moment {
		at := facts.SpotOf(&st.Fetch).InRun()
		if b := best[at]; b == nil || wins(st, b) {
			best[at] = st
		}
	}
	return filter(moment, func(st *State) bool { return best[facts.SpotOf(&st.Fetch).InRun()] == st })
}

// filter returns the captures that keep accepts: the list itself, where it accepts
// them all.
func filter(list []*State, keep func(*State) bool) []*State {
	for i, s := range list {
		if keep(s) {
			continue
		}
		kept := list[:i:i]
		for _, s := range list[i+1:] {
			if keep(s) {
				kept = append(kept, s)
			}
		}
		return kept
	}
	return list
}

// maxTook and maxLate bound how late an answer may have come by a duration and by a Date field that are
// believed. Of a longer time there is doubt, and no more. Heritrix ends a fetch after 20 minutes. maxDrift is
// by how many seconds the server's clock may lie from the crawler's, to be taken for the same.
const (
	maxTook  = 20 * 60 * facts.Second
	maxLate  = 10 * 60 * facts.Second
	maxDrift = 5
)

// relationOf says where a capture stands to the fetch in time: by their dates, and by what else the
// archives show of the two exchanges ("Received before"). A date is when an exchange began, or when it ended.
func (s *subject) relationOf(st *State) relation {
	itself := st.Itself()
	r := s.relationTo(&itself)
	// The Date fields show when the server answered the two requests. A cache may have sent an old one: so that
	// of the fetch has to be near its WARC-Date. One of robots.txt that is later comes from no cache.
	drift := s.ServerSeconds - s.Micros/1e6
	switch {
	case r >= shownAfter || s.asOf || s.ServerSeconds == 0 || st.ServerSeconds <= s.ServerSeconds,
		st.Origin != s.Origin || st.Kind != facts.CaptureRobots,
		drift < -maxDrift || drift > maxDrift || s.Precision < facts.PrecisionSecond:
		return r
	case st.ServerSeconds-st.Micros/1e6 > maxLate/facts.Second:
		return maybeBefore
	}
	return shownAfter
}

// relationTo is the same for a record that a capture led to.
func (s *subject) relationTo(r *resolve.Step) relation {
	gap, took, ended := s.time.MicrosSince(r.Time), int64(r.Millis)*1000, before
	if took > 0 { // the exchange ended so long after its date, or later by what the date's last digit is worth
		end := facts.Time{Micros: r.Time.Micros + took, Precision: facts.PrecisionMicrosecond}
		switch {
		case took <= maxTook && s.time.MicrosSince(end.Truncate(r.Time.Precision)) < 0:
			ended = shownAfter
		case r.Time.Latest()+took > s.time.Micros:
			ended = maybeBefore
		}
	}
	isRecordedAfter := func(a, b facts.Spot) bool { // than the fetch, in an archive whose order follows the dates
		if !a.SameRun(b) || b.Index > a.Index {
			return false
		}
		run := s.runs.CrawlRunOf(a)
		return run != nil && !run.Unordered
	}
	switch at := facts.SpotOf(s.Fetch); {
	case gap < 0:
		return after
	case s.asOf:
		return before
	case gap == 0 && (ended == shownAfter || took > maxTook):
		return max(ended, s.places.relation(r.Spot, at))
	case gap == 0: // "Order within one moment"
		return s.places.relation(r.Spot, at)
	case ended == before && s.places.any(r.Spot, at, isRecordedAfter):
		return maybeBefore
	}
	return ended
}

// lateness is how long after its date a capture may count as after a fetch, or be in doubt.
func (s *State) lateness() (micros int64) {
	micros = min(int64(s.Millis)*1000, maxTook) + min(s.Precision.Unit(), facts.Second)
	if s.ServerSeconds != 0 {
		micros = max(micros, min((s.ServerSeconds-s.Micros/1e6)*facts.Second, maxLate)+(maxDrift+1)*facts.Second)
	}
	return micros
}

// isOfRun reports whether a record was made in the fetch's run of a crawler.
func (s *subject) isOfRun(at facts.Spot, userAgent string) bool {
	return s.places.any(at, facts.SpotOf(s.Fetch), func(a, b facts.Spot) bool {
		return s.runs.IsSameRun(a, b, userAgent, s.UserAgent)
	})
}

// isSameMoment reports whether a record of the fetch's moment counts as before it, and may have come after.
func (s *subject) isSameMoment(r *resolve.Step, to relation) bool {
	return to == maybeBefore && s.time.MicrosSince(r.Time) == 0
}

// isWholeDay reports whether a whole day is asked about. All captures of that day count as before.
func (s *subject) isWholeDay() bool { return s.asOf && s.time.Precision == facts.PrecisionDay }

// provesOrder reports whether the order of a record and the fetch, of one moment, is beyond doubt.
func (s *subject) provesOrder(at facts.Spot) bool {
	return s.places.proves(at, facts.SpotOf(s.Fetch), s.Flags&facts.FlagSerial != 0)
}

// counts reports whether a capture is at or before the fetch.
func (s *subject) counts(st *State) bool {
	relation := s.relationOf(st)
	return relation == before || relation == maybeBefore && !s.beyondDoubt
}

// mayGovern reports whether a capture is a candidate: at or before the fetch, and no refusal to another
// crawler, which says nothing to this one ("Refusals").
func (s *subject) mayGovern(st *State) bool {
	return s.counts(st) && (!st.isRefusal() || s.withRefusals || s.isOwn(st))
}

// isRefusedToOther reports whether a capture led to such a refusal, though it may be the crawler's own.
func (s *subject) isRefusedToOther(st *State) bool {
	return st.isRefusal() && !(s.isOwn(st) && s.owns(st.last()))
}

// isOwn reports whether the crawler that made the fetch made the capture.
func (s *subject) isOwn(st *State) bool {
	return st.key == s.key || s.ownsNameless && s.owns(st.itself())
}

// owns reports whether the crawler that made the fetch got a record. Some crawlers send a User-Agent with
// some requests alone.
func (s *subject) owns(r answered) bool {
	return r.key == s.key || r.key == "" && s.isOfRun(r.at, r.userAgent)
}

// mayBeOthers reports whether another crawler may have got a record: also one of the fetch's run with the
// name of a browser.
func (s *subject) mayBeOthers(r answered) bool {
	return !s.owns(r) || r.key != s.key && r.userAgent != ""
}

// failsLater reports whether a capture at or before the fetch redirects to what was found unreachable
// after it. What the redirect led to at the fetch, nobody knows.
func (s *subject) failsLater(st *State) bool {
	return st.Outcome == OutcomeUnreachable && s.relationOf(st) <= maybeBefore && s.precedes(st)
}

// isUnreadable reports whether nobody knows what a crawler received that used a capture at the
// fetch.
func (s *subject) isUnreadable(st *State) bool {
	return st.Outcome == OutcomePartial || st.Outcome == OutcomeUnresolved || st.Outcome == OutcomeUndefined || s.failsLater(st)
}

// precedes reports whether the content of a capture was got after the fetch.
func (s *subject) precedes(st *State) bool {
	return s.hasApplied(st, func(_ *resolve.Step, to relation) bool { return to >= shownAfter })
}

// hasApplied reports whether is holds for a record whose content a capture applies, and its relation.
func (s *subject) hasApplied(st *State, is func(*resolve.Step, relation) bool) bool {
	applied := st.records()
	if is(&applied[0], s.relationOf(st)) {
		return true
	}
	for i := range applied[1:] {
		if r := &applied[i+1]; is(r, s.relationTo(r)) {
			return true
		}
	}
	return false
}

// freshFor is how old the content of a copy of robots.txt may be that is used (RFC 9309 §2.4).
const freshFor = facts.Day

// ageOf returns how old the content of a capture is at the fetch. Of coarse dates, the one that comes
// first need not be that of the oldest.
func (s *subject) ageOf(st *State) int64 {
	age := s.time.MicrosSince(st.Oldest())
	if st.Coarsest < facts.PrecisionSecond {
		for _, r := range st.Applied() {
			age = max(age, s.time.MicrosSince(r.Time))
		}
	}
	return age
}

// secondsOld is the age of the governing capture in results. Of later evidence, it is how long after the
// fetch the newest content was dated, negative; 0 where it is dated no later.
func (s *subject) secondsOld(st *State, e Evidence) int64 {
	if e == Later {
		return min(s.time.MicrosSince(st.Newest())/facts.Second, 0)
	}
	return s.ageOf(st) / facts.Second
}
