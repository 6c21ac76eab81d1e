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

// What chooses the software, besides its name.
const (
	Auto = "auto" // what the archive says of it, else the User-Agent
	None = "none"
)

// Software is the crawlers that made the archives, as far as they read robots.txt in a way of their own.
type Software struct {
	isFound bool             // it is looked for in the archives
	named   robots.Crawler   // by the option
	list    []robots.Crawler // that warcinfo records name
	inputs  []uint8          // of each: 1 + the index in the list of the one that all its records name; 0: none
}

// FindSoftware finds the software of the inputs of a set, or of all by an option: Auto, which "" is, None or a name.
func FindSoftware(set *facts.Set, option string) (c Software, err error) {
	switch option {
	case None:
		return c, nil
	case Auto, "":
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

// SoftwareFor is the software that made a fetch by a crawler; the zero value where nothing shows it, or it did not read
// robots.txt.
func (c *Software) SoftwareFor(f *facts.Fetch, by Identity) robots.Crawler {
	switch {
	case !words.Obeys(f.Claim):
		return robots.Crawler{}
	case !c.isFound:
		return c.named
	case int(f.Input) < len(c.inputs) && c.inputs[f.Input] > 0:
		return c.list[c.inputs[f.Input]-1]
	}
	return by.software
}
