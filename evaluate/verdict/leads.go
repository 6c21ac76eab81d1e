package verdict

import (
	"cmp"
	"net/http"
	"slices"
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// This file finds the redirects of robots.txt that may have led to a fetch ("Always allowed").

// leads are the times in which a redirect of robots.txt may have led to any GET of a URL by a crawler.
type leads map[visited][]window

// A visited is a URL that a crawler got.
type visited struct {
	key     string // of the URL
	crawler string
	archive facts.Spot // of a crawler without a name: others may have none, either
}

// A window is a time in which any GET may be what a redirect led to.
type window struct {
	from, to int64 // microseconds
	why      []*resolve.Lead
}

// newLeads takes the redirects of one origin, those to one URL by one crawler in the order of their dates.
func newLeads(redirects []*resolve.Lead) leads {
	if len(redirects) == 0 {
		return nil
	}
	l := make(leads)
	add := func(t facts.Time, after int64, why ...*resolve.Lead) {
		to := visited{key: why[0].Key, crawler: why[0].Crawler}
		w := window{t.Micros, t.Micros + t.Precision.Unit() - 1 + after, why}
		if to.crawler != "" {
			l[to] = append(l[to], w)
			return
		}
		for _, at := range why[0].Spots() {
			to.archive = at.InRun()
			l[to] = append(l[to], w)
		}
	}
	for i, lead := range redirects {
		// Within one moment, the order of records does not show which one it led to.
		add(lead.Time, 0, lead)
		add(lead.TargetTime, 0, lead)
		if lead.IsOthers { // and nothing shows to what the redirect led
			add(lead.Time, facts.Hour, lead)
		}
		// Two redirects may have led to two records, although the same one is the nearest to both.
		if i > 0 && lead.MayShare(redirects[i-1]) {
			add(lead.Time, facts.Hour, lead, redirects[i-1])
		}
	}
	for to, windows := range l {
		slices.SortStableFunc(windows, func(a, b window) int { return cmp.Compare(a.from, b.from) })
		last := 0
		for _, w := range windows[1:] {
			if w.to > windows[last].to { // else those before hold all of it
				last++
				windows[last] = w
			}
		}
		l[to] = windows[:last+1]
	}
	return l
}

// to returns the redirects of robots.txt that may have led to a fetch: one, or two that may have led to
// each other's target; none where none may.
func (l leads) to(s *subject) []*resolve.Lead {
	if len(l) == 0 || s.Method != http.MethodGet && s.Method != "" {
		return nil
	}
	u, _ := weburl.Parse(s.URL)
	if why := l.at(visited{key: u.Key(), crawler: s.key}, s); why != nil {
		return why
	}
	// Some crawlers send a User-Agent with every request but those for robots.txt.
	for _, at := range append([]place{s.at}, s.others...) {
		if why := l.at(visited{key: u.Key(), archive: at.InRun()}, s); why != nil {
			return why
		}
	}
	return nil
}

func (l leads) at(to visited, s *subject) []*resolve.Lead {
	windows := l[to]
	n := sort.Search(len(windows), func(i int) bool { return windows[i].from >= s.time.Micros+s.unit })
	if n == 0 || windows[n-1].to < s.time.Micros {
		return nil
	}
	return windows[n-1].why
}
