package resolve

import (
	"net/http"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/digest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// reference is what became of the name that a revisit gives its original.
type reference uint8

const (
	namesNothing reference = iota
	namesOne
	namesOther   // a record with another payload
	namesUnclear // a record that came later, or several that nobody can choose from
)

// original finds the record that a revisit names by URL and date, or without a date by
// its id, and reports whether it is the original. It has the revisit's own status, where
// that has one. If several agree, the nearest of kin counts.
func (g *originCaptures) original(res *resolution, who Crawler) (found *facts.Capture, what reference) {
	t := res.WantTime
	if !t.Known() {
		return g.wanted(res).byID(res)
	}
	var other, rival *facts.Capture
	isLate := func(c *facts.Capture) bool { return c.Micros > t.Micros+t.Precision.Unit() }
	_, everyone := g.wanted(res).by(who, "")
	for c := range everyone.all.from(t.Micros, isLate) {
		if !res.look() {
			break
		}
		switch {
		case c.Time().MicrosSince(t) != 0 || !res.isOriginal(c):
		case res.refers(c) != namesOne:
			if what = max(what, res.refers(c)); other == nil {
				other = c
			}
		case found == nil || res.fit(c) > res.fit(found):
			found, rival = c, nil
		case res.fit(c) == res.fit(found):
			if res.kinship(c, who) > res.kinship(found, who) {
				found, c = c, found
			}
			if !answersLike(found, c) {
				rival = c
			}
		}
	}
	switch {
	case rival != nil:
		res.addStep(StepRival, &rival.Fetch)
		return found, namesUnclear
	case found != nil:
		return found, namesOne
	}
	return other, what
}

// kinship grades the records that may be meant: the crawler's own before others, and among equals those in the
// archive of the record in hand.
func (res *resolution) kinship(c *facts.Capture, who Crawler) (kin int) {
	if who(&c.Fetch) == res.curCrawler(who) {
		kin = 2
	}
	if facts.SpotOf(&c.Fetch).SameRun(res.CurSpot) {
		kin++
	}
	return kin
}

// fit grades the records that have the URL and date of the original of the one in hand:
// highest are those with the record id that it names, then those with its digest, which they match.
func (res *resolution) fit(c *facts.Capture) int {
	switch {
	case res.CurRefersTo != "" && res.CurRefersTo == c.RecordID.Key():
		return 2
	case !res.CurUnmodified && sharePayload(&c.Fetch, res.CurDigest):
		return 1
	}
	return 0
}

// byID finds the original that a revisit names by record id: the only one of that id
// and status. There are writers that use an id twice.
func (s *urlCaptures) byID(res *resolution) (found *facts.Capture, what reference) {
	if s.named == nil {
		s.named = make(map[string][]int32)
		for _, i := range s.all {
			if c := s.of.peek(i); c.RecordID != "" && hasOwnBody(&c.Fetch) {
				key := keyOfID(c.RecordID)
				s.named[key] = append(s.named[key], i)
			}
		}
	}
	for _, i := range s.named[keyOfID(res.CurRefersTo)] {
		if !res.look() {
			break
		}
		switch c := s.of.at(i); {
		case !res.isOriginal(c):
		case found != nil:
			return nil, namesNothing
		default:
			found = c
		}
	}
	if found != nil {
		what = res.refers(found)
	}
	return found, what
}

// refers reports whether c, which the record in hand names, can be its original. It cannot if
// it has another payload, by digests of one algorithm, or if it came later, and no digest shows
// that the server sent its body before.
func (res *resolution) refers(c *facts.Capture) reference {
	switch {
	case !res.CurUnmodified && contradictDigests(c.PayloadDigest, res.CurDigest):
		return namesOther
	case !res.isNotAfter(c) && (res.CurUnmodified || !sameDigest(c.PayloadDigest, res.CurDigest)):
		return namesUnclear
	}
	return namesOne
}

// contradictDigests reports whether two payload digests name different bytes.
func contradictDigests(a, b string) bool {
	if a == b || a == "" || b == "" {
		return false
	}
	known, errKnown := digest.Parse(a)
	other, errOther := digest.Parse(b)
	if errKnown == nil && errOther == nil {
		return known.Contradicts(other)
	}
	// of an algorithm that nobody knows, perhaps: compared as written
	x, y := digest.Key(a), digest.Key(b)
	label, _, _ := strings.Cut(x, ":")
	otherLabel, _, _ := strings.Cut(y, ":")
	return x != "" && y != "" && label == otherLabel && x != y
}

// statedDigest is the payload digest that a revisit states of its original; "": none. What comes with a 304 is no
// original, and neither is the empty payload of a revisit that states that nothing was modified.
func statedDigest(f *facts.Fetch) string {
	if f.Type != facts.TypeRevisit || isUnmodified(f) && digest.Key(f.PayloadDigest) == "" {
		return ""
	}
	return f.PayloadDigest
}

// hasOwnBody reports whether f has a body of its own that revisits may refer to.
func hasOwnBody(f *facts.Fetch) bool {
	return f.Type != facts.TypeRevisit && !f.IsIndexed() && f.Method == http.MethodGet &&
		f.Status != http.StatusNotModified && f.Flags&facts.FlagHostMismatch == 0
}

// isOriginal reports whether c can be the original of the record in hand: of
// records with the same payload, one with the same status.
func (res *resolution) isOriginal(c *facts.Capture) bool {
	return hasOwnBody(&c.Fetch) && (res.CurUnmodified || res.CurStatus < 0 || res.CurStatus == statusOf(&c.Fetch))
}

// byDigest calls f for those that can be the original, of the same URL with the same payload digest, until
// it returns false: from the latest before the revisit backwards, then from the earliest after it on.
func (g *originCaptures) byDigest(res *resolution, f func(*facts.Capture) bool) {
	list := g.wanted(res).bodiesOf(res.CurDigest)
	n := g.upTo(list, res.CurTime.Micros)
	for _, i := range slices.Backward(list[:n]) {
		if c := g.at(i); !res.look() || res.isOriginal(c) && !f(c) {
			return
		}
	}
	for _, i := range list[n:] {
		if c := g.at(i); !res.look() || res.isOriginal(c) && !f(c) {
			return
		}
	}
}

// bodiesOf returns the captures of a payload digest that may lend their body.
func (s *urlCaptures) bodiesOf(written string) []int32 {
	if s.originals == nil {
		s.originals = make(map[string][]int32)
		for _, i := range s.all {
			if c := s.of.peek(i); hasOwnBody(&c.Fetch) {
				key := strings.Clone(digest.Key(c.PayloadDigest)) // not with the block in which the capture is packed
				s.originals[key] = append(s.originals[key], i)
			}
		}
	}
	return s.originals[digest.Key(written)]
}

// sharePayload reports whether a payload digest names the payload of f. It does not where f has it and
// holds something else.
func sharePayload(f *facts.Fetch, written string) bool {
	return f.Flags&facts.FlagDigestMismatch == 0 && sameDigest(f.PayloadDigest, written)
}

// sameDigest reports whether two payload digests name the same bytes.
func sameDigest(a, b string) bool {
	key := digest.Key(a)
	return key != "" && (a == b || key == digest.Key(b))
}
