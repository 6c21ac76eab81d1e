package crawler

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Software is the crawlers that made the archives, as far as they read robots.txt in a way of their own.
type Software struct {
	list   []robots.Crawler // that warcinfo records name
	inputs []uint8          // of each: 1 + the index in the list of the one that all its records name; 0: none
}

// FindSoftware finds the software of the inputs of a set.
func FindSoftware(set *facts.Set) (c Software, err error) {
	for in, err := range set.Results(context.Background()) {
		if err != nil {
			return c, err
		}
		c.inputs = append(c.inputs, c.number(softwareOf(&in.InputStats)))
	}
	return c, nil
}

// number returns the number of a crawler in the list, 0 of none.
func (c *Software) number(of robots.Crawler) uint8 {
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

// softwareOf is the software that all warcinfo records of an input name. Browsertrix reads robots.txt only if it is
// asked to: its list of pages that robots.txt kept out shows that it was.
func softwareOf(in *facts.InputStats) (c robots.Crawler) {
	if len(in.Crawls) == facts.MaxCrawls { // there may be more
		return c
	}
	for i, crawl := range in.Crawls {
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
	if c.Profile == robots.Browsertrix && in.Events == 0 {
		return robots.Crawler{}
	}
	return c
}

// SoftwareFor is the software that made a fetch by a crawler; the zero value where nothing shows it, or it did not read
// robots.txt.
func (c *Software) SoftwareFor(f *facts.Fetch, by Identity) robots.Crawler {
	switch {
	case !words.Obeys(f.Claim):
		return robots.Crawler{}
	case int(f.Input) < len(c.inputs) && c.inputs[f.Input] > 0:
		return c.list[c.inputs[f.Input]-1]
	}
	return by.software
}
