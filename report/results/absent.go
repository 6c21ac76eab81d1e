package results

import (
	"context"
	"fmt"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/report"
)

// AbsentError reports that an audit has no fetch of a part, from one of its hosts, or by its crawler.
type AbsentError struct{ text string }

func (e *AbsentError) Error() string { return e.text }

// CheckPart returns an *AbsentError where there is no fetch of the part that the results are limited to, none from
// one of its hosts, or none by its crawler.
func (r *Results) CheckPart(ctx context.Context) error {
	p := &r.part
	if p.IsZero() || r.audit.Totals.Fetches > 0 && len(p.Hosts) < 2 {
		return nil
	}
	searches := []*search{{what: "by", word: p.Crawler, part: Part{Crawler: p.Crawler}}}
	for _, host := range p.Hosts {
		searches = append(searches, &search{what: "from", word: host, part: Part{Hosts: []string{host}}})
	}
	var atAnyTime report.HostRow
	rest := Part{Hosts: p.Hosts, Crawler: p.Crawler, Operator: p.Operator}
	for f, err := range Rows(ctx, r.Whole(), report.FetchesTable, keyOfFetch...) {
		if err != nil {
			return err
		}
		for _, s := range searches {
			s.add(f)
		}
		if rest.has(f) {
			widen(&atAnyTime, f.FetchTime)
		}
	}
	absent := func(format string, args ...any) error {
		return &AbsentError{fmt.Sprintf("the audit in %s has no fetch ", r.name) + fmt.Sprintf(format, args...)}
	}
	for _, s := range searches {
		if !s.found {
			return absent("%s %s; %s", s.what, report.Shown(s.word, maxToken), s.advice())
		}
	}
	if r.audit.Totals.Fetches > 0 {
		return nil
	}
	if first, last := atAnyTime.FirstFetchTime, atAnyTime.LastFetchTime; first != nil && rest.String() != p.String() {
		const day = "2006-01-02"
		return absent("of this part (%s); leave out the period, or choose one between %s and %s", p, timeOf(first).Format(day),
			timeOf(last).Format(day))
	}
	return absent("of this part (%s); leave out one of the options", p)
}

// search looks for the fetches from a host, or by a crawler, and for a name that may be meant where there is none.
type search struct {
	what, word string
	part       Part
	found      bool
	near       string
	isRelated  bool // near is a subdomain, or the name with or without www
}

func (s *search) add(f *report.FetchRow) {
	name := f.HostName
	if s.part.Crawler != "" {
		name = f.Agent
	}
	word := strings.TrimPrefix(s.word, subdomains)
	switch {
	case s.found || s.part.Keeps(f.HostName, nil, f.Agent):
		s.found = true
	case s.isRelated || name == "":
	case word == name, word == "www."+name, name == "www."+word:
		s.near, s.isRelated = name, true
	case strings.HasSuffix(name, "."+word):
		s.near, s.isRelated = subdomains+word, true
	default:
		s.near, _ = agents.Nearest(word, []string{s.near, name})
	}
}

// advice is what follows the name of what is not there.
func (s *search) advice() string {
	switch {
	case s.near != "":
		return "did you mean " + report.Shown(s.near, maxToken) + "?"
	case s.part.Crawler != "":
		return "the report lists the crawlers, and so does the table agent_stats"
	}
	return "the report lists the sites, and so does the table host_stats"
}
