package resolve

import (
	"net/http"
	"slices"
	"sort"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// A version of a robots.txt is what captures show of it that follow one another: records, and rows of tables.
type version struct {
	first, last facts.Time
	capture     int32  // the first
	digest      string // of its body
	body        bool   // it is whole, and can be read
	none        bool   // there is no file (4xx)
	served      int64  // the size of all lines that say that something was served while it was current
}

// A seen is when a capture shows a version.
type seen struct {
	at      facts.Time
	version int
}

// A servedLine is a line of an access log that says that robots.txt was served.
type servedLine struct {
	at      facts.Time
	size    int64
	isSized bool
}

// deployedIn is how long after a version was seen another may still be served, and how long before: by a cache, or
// because a commit is not yet on the server.
const deployedIn = facts.Day

// currentIn is for how long before a line no other version of a size may have been current: what is committed may not
// be deployed yet.
const currentIn = 30 * facts.Day

// manySizes stands for the sizes of lines that differ.
const manySizes = -1

// framing is by how many bytes the size in a log may exceed that of the body: nginx counts the framing of chunks.
const framing = 32

// findVersions finds the versions of the origin's robots.txt, in the order of their time.
func (g *originCaptures) findVersions() {
	if g.versions != nil {
		return
	}
	url := g.Origin + robotsPath
	all := slices.Concat(g.ofURL(url).all, g.ofURL(listKey(url, facts.TypeRow)).all)
	slices.SortStableFunc(all, g.compareInTime)
	g.versions = make([]version, 0, 1)
	for _, i := range all {
		c := g.peek(i)
		status := statusOf(&c.Fetch)
		if !isDatedGet(c) || isAstray(c) || c.Precision < facts.PrecisionSecond || status == http.StatusNotModified ||
			c.Type == facts.TypeRevisit || status/100 == 5 {
			continue // it shows no version of its own
		}
		const unfit = facts.FlagBodyCut | facts.FlagUndecodable | facts.FlagDigestMismatch | facts.FlagChallenge
		v := version{first: c.Time(), last: c.Time(), capture: i, none: status/100 == 4}
		v.digest = strings.Clone(c.BodyDigest)
		v.body = status == http.StatusOK && c.Flags&facts.FlagBodyKept != 0 && c.Flags&unfit == 0 && c.Truncated == ""
		n := len(g.versions)
		if n == 0 || !g.versions[n-1].isSame(&v) {
			g.versions = append(g.versions, v)
			n++
		}
		g.versions[n-1].last = v.last
		g.sightings = append(g.sightings, seen{v.last, n - 1})
	}
	for _, line := range g.lines {
		current := current(g.versions, line.at, 0)
		if len(current) == 0 {
			continue
		}
		if v := &current[0]; line.isSized && (v.served == 0 || v.served == line.size) {
			v.served = line.size
		} else {
			v.served = manySizes
		}
	}
}

// current returns the versions that were current in a time before a moment.
func current(versions []version, t facts.Time, within int64) []version {
	after := func(t facts.Time) int {
		return sort.Search(len(versions), func(i int) bool { return versions[i].first.MicrosSince(t) > 0 })
	}
	to := after(t)
	return versions[max(min(to, after(t.Add(-within)))-1, 0):to]
}

func (v *version) isSame(other *version) bool {
	return v.body && other.body && v.digest == other.digest || v.none && other.none
}

// surely returns the version that a capture shows within a day before a moment, and one within a day after; nil: they
// show two, or there are none.
func (g *originCaptures) surely(t facts.Time) *version {
	i := sort.Search(len(g.sightings), func(i int) bool { return g.sightings[i].at.MicrosSince(t) > 0 })
	if i == 0 || i == len(g.sightings) {
		return nil
	}
	before, after := g.sightings[i-1], g.sightings[i]
	if before.version != after.version || t.MicrosSince(before.at) > facts.Day || after.at.MicrosSince(t) > facts.Day {
		return nil
	}
	return &g.versions[before.version]
}

// near returns the versions that may have been served at a moment: those seen within a day of it, the last one before
// that day, and the first one after.
func near(versions []version, t facts.Time) []version {
	from := sort.Search(len(versions), func(i int) bool { return versions[i].first.MicrosSince(t) > -deployedIn })
	to := sort.Search(len(versions), func(i int) bool { return versions[i].last.MicrosSince(t) >= deployedIn })
	return versions[max(from-1, 0):min(to+1, len(versions))]
}

// takeServed gives a line of an access log the version that it says was served ("Access logs"). By its size where that
// is the size of one version alone; by time where all that may have been served are one. Where neither is, the line
// shows no rules; where it shows bytes that no version has, nobody knows them.
func (r *resolver) takeServed(res *resolution, g *originCaptures) error {
	g.findVersions()
	candidates, recent := near(g.versions, res.CurTime), current(g.versions, res.CurTime, currentIn)
	size, isSized := res.PayloadBytes()
	isSized = isSized && !res.CurUnmodified
	var bySize, byTime, largest *facts.Capture
	isClear := true // no other version has that size, or one that nobody knows
	for i := range candidates {
		v := &candidates[i]
		if !res.look() {
			res.isUnclear()
			return nil
		}
		if !v.body {
			isClear = isClear && v.none
			continue
		}
		c := g.at(v.capture)
		if largest == nil || c.BodySize > largest.BodySize {
			largest = c
		}
		if v.first.MicrosSince(res.CurTime) <= 0 {
			byTime = c
		}
		if isSized && c.BodySize == size {
			isClear = isClear && (bySize == nil || bySize.BodyDigest == c.BodyDigest)
			bySize = c
		}
	}
	mayBeOther := func(v version) bool { // of the same size, and current not long before
		return res.look() &&
			(!v.body && !v.none || v.body && v.digest != bySize.BodyDigest && g.at(v.capture).BodySize == size)
	}
	sure := g.surely(res.CurTime)
	isSmaller := isSized && bySize == nil && byTime != nil && 0 < size && size < byTime.BodySize
	switch {
	case bySize != nil && isClear:
		isLarger := largest.BodySize > size && byTime != nil && byTime.BodyDigest != bySize.BodyDigest
		if isLarger || slices.ContainsFunc(recent, mayBeOther) { // the larger one may have come compressed to that size
			res.Flags &^= facts.FlagOperator
		}
		r.takeVersion(res, bySize)
	case len(candidates) == 0,
		isClear && isSized && bySize == nil && (largest == nil || size > largest.BodySize+framing):
		res.giveUp(words.UnknownBytes)
	case isSmaller && isClear && len(recent) == 1 && recent[0].served == size:
		res.Compressed = true
		r.takeVersion(res, byTime)
	case sure != nil && sure.body && isClear && len(candidates) == 1:
		res.Flags &^= facts.FlagOperator // the size does not confirm it, so nothing is certain
		r.takeVersion(res, g.at(sure.capture))
	default:
		res.isUnclear()
	}
	if isSmaller && !g.isSmallNoted {
		g.isSmallNoted = true
		return r.note(&res.Capture, words.IssueServedSize, words.NoReason,
			"served with %d bytes, your version has %d: compressed?", size, byTime.BodySize)
	}
	return nil
}

// isUnclear settles a line that shows no more than that robots.txt was served.
func (res *resolution) isUnclear() {
	res.Unclear = true
	res.giveUp(words.UnknownBytes)
}

func (r *resolver) takeVersion(res *resolution, c *facts.Capture) {
	res.addStep(StepOriginal, &c.Fetch)
	res.takeBody(c)
	res.FinalStatus = http.StatusOK
	res.endRules(c)
}
