package evaluate

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// This file is what the crawler's own parser made of the governing capture ("Own readings"), beside the verdict.

// What chooses the parser (Options.AsCrawler), besides the name of one.
const (
	AsCrawlerAuto = "auto" // what the archive says of the software, else the User-Agent
	AsCrawlerNone = "none"
)

// crawlers are the software that made the archives.
type crawlers struct {
	isFound bool             // it is looked for in the archives
	named   robots.Crawler   // by the option
	list    []robots.Crawler // that warcinfo records name
	inputs  []uint8          // of each: 1 + the index in the list of the one that all its records name; 0: none
}

// crawlersOf finds the software of the inputs of a set, or of all by an option.
func crawlersOf(set *Facts, option string) (c crawlers, err error) {
	switch option {
	case AsCrawlerNone:
		return c, nil
	case AsCrawlerAuto, "":
	default:
		c.named, err = robots.ParseCrawler(option)
		return c, err
	}
	c.isFound = true
	for in, err := range set.Results(context.Background()) {
		if err != nil {
			return c, err
		}
		c.inputs = append(c.inputs, c.number(softwareOf(in.Crawls)))
	}
	return c, nil
}

// number returns the number of a crawler in the list, 0 of none.
func (c *crawlers) number(of robots.Crawler) uint8 {
	if of.Profile == 0 {
		return 0
	}
	i := slices.Index(c.list, of)
	if i < 0 {
		if len(c.list) == math.MaxUint8 {
			return 0
		}
		i, c.list = len(c.list), append(c.list, of)
	}
	return uint8(i + 1)
}

// softwareOf is the software that all warcinfo records of an input name.
func softwareOf(crawls []facts.Crawl) (c robots.Crawler) {
	if len(crawls) == facts.MaxCrawls { // there may be more
		return c
	}
	for i, crawl := range crawls {
		software := crawl.Software
		if strings.HasPrefix(crawl.Robots, words.ClaimOfParser) {
			software = crawl.Robots
		}
		of := robots.CrawlerOf(software)
		if i > 0 && of != c {
			return robots.Crawler{}
		}
		c = of
	}
	return c
}

// softwareFor is the software that made a fetch; the zero value where nothing shows it, or it did not read robots.txt.
func (d *decider) softwareFor(f *facts.Fetch, named robots.Crawler) robots.Crawler {
	m := d.made
	switch {
	case m == nil || !words.Obeys(f.Claim):
		return robots.Crawler{}
	case !m.isFound:
		return m.named
	case int(f.Input) < len(m.inputs) && m.inputs[f.Input] > 0:
		return m.list[m.inputs[f.Input]-1]
	}
	return named
}

// readOwn adds what the crawler's own parser made of the governing capture, if that is known.
func (d *decider) readOwn(r *Result, s *subject) {
	st, c := r.Governing, r.software
	agent := ownAgent(r, c.Profile)
	if st == nil || c.Profile == 0 || agent == "" {
		return
	}
	isFinal := st.Status/100 != 3 || c.Profile.FollowsRedirects()
	isError := st.FinalStatus/100 == 4 || st.FinalStatus/100 == 5
	switch {
	case !isFinal:
	case st.Outcome == words.OutcomeRules && facts.Flags(st.BodyFlags)&facts.FlagBodyCut == 0:
		file, err := d.files.get(st)
		if err != nil {
			d.err = err
			return
		}
		g := d.files.own(file, c.Profile, agent)
		if g == nil {
			return
		}
		if m := g.Match(s.path); m.Reason != robots.ReasonTooCostly {
			r.Own = OwnReading{c.Software, c.Profile, verdictOf(m.Allowed)}
		}
	case isError && (st.Outcome == words.OutcomeUnavailable || st.Outcome == words.OutcomeUnreachable):
		if allowed, known := c.Profile.OnError(int(st.FinalStatus)); known {
			r.Own = OwnReading{c.Software, c.Profile, verdictOf(allowed)}
		}
	}
}

// OwnReading is what the crawler's own parser made of the governing capture. The zero value: it is not known.
type OwnReading struct {
	Software string // of the crawler, with its version where that is known
	Profile  Profile
	Verdict  Verdict
}

// Known reports whether there is one.
func (o OwnReading) Known() bool { return o.Verdict != Unknown }

// ownAgent is the name by which the crawler looks for its group.
func ownAgent(r *Result, p Profile) string {
	if p == robots.Brozzler && r.Agent == "" { // a browser's: it was given none
		return p.String()
	}
	if p.ReadsUserAgent() {
		return r.Fetch.UserAgent
	}
	if (p == robots.Browsertrix || p == robots.Wget) && r.AgentSource != words.AgentFromOption {
		return p.String()
	}
	return r.Agent
}

// ownFile is a robots.txt as a crawler's own parser reads it.
type ownFile struct {
	*robots.File
	profile robots.Profile
	agent   string // that was asked for last
	group   *robots.Group
}

// own returns the group of a file by which a crawler's own parser answers; nil where that fails.
func (c *fileCache) own(f *parsedFile, p robots.Profile, agent string) *robots.Group {
	i := slices.IndexFunc(f.own, func(o *ownFile) bool { return o.profile == p })
	if i < 0 {
		o := &ownFile{File: f.As(p), profile: p}
		i, f.own = len(f.own), append(f.own, o)
		if o.File != nil {
			f.size += parsedRule * int64(o.Rules)
			c.size += parsedRule * int64(o.Rules)
		}
	}
	o := f.own[i]
	if o.File == nil {
		return nil
	}
	if o.group == nil || o.agent != agent {
		o.agent, o.group = strings.Clone(agent), o.For(agent)
	}
	return o.group
}
