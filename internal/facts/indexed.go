package facts

import (
	"fmt"
	"path"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/digest"
)

// indexed is what has to be known of all inputs to read the rows that indexes and lists have
// of fetches.
type indexed struct {
	any    bool              // there are such rows
	names  [][]string        // of each input: what an index may call it
	agents map[string]string // User-Agents by the name of an archive, as its warcinfo tells; "": it is not one
	agent  string            // that all captures of robots.txt have; "": there is none, or several
}

func newIndexed(s *Set) indexed {
	x := indexed{agents: make(map[string]string)}
	for i := range s.Inputs {
		x.any = x.any || s.Inputs[i].Indexed > 0
	}
	if !x.any {
		return x
	}
	var stats InputStats
	for i := range s.Inputs {
		in := &s.Inputs[i]
		names := []string{path.Base(in.Name)}
		if other := path.Base(in.Path); other != names[0] {
			names = append(names, other)
		}
		x.names = append(x.names, names)
		for _, agent := range in.RobotsAgents {
			stats.AddRobotsAgent(agent)
		}
		if len(in.Crawls) == 0 || len(in.Crawls) == MaxCrawls { // there may be more
			continue
		}
		agent := in.Crawls[0].UserAgent
		for _, crawl := range in.Crawls {
			if crawl.UserAgent != agent {
				agent = ""
			}
		}
		for _, name := range names {
			if other, known := x.agents[name]; known && other != agent {
				agent = ""
			}
			x.agents[name] = agent
		}
	}
	if len(stats.RobotsAgents) == 1 {
		x.agent = stats.RobotsAgents[0]
	}
	return x
}

// credit fills in the User-Agent of a row of an index: that of the archive which it names, else
// that of all captures of robots.txt.
func (x *indexed) credit(f *Fetch) {
	if !x.any || f.Type != TypeIndexed || f.UserAgent != "" {
		return
	}
	if agent := x.agents[path.Base(f.Archive)]; f.Archive != "" && agent != "" {
		f.UserAgent, f.UserAgentSource = agent, SourceWarcinfo
	} else if x.agent != "" {
		f.UserAgent, f.UserAgentSource = x.agent, SourceRobotsSubset
	}
}

// holds reports whether the record of f lies in an archive of a name.
func (x *indexed) holds(f *Fetch, name string) bool {
	if f.Archive != "" {
		return path.Base(f.Archive) == name
	}
	if f.Entry != "" {
		return path.Base(f.Entry) == name
	}
	for _, n := range x.names[f.Input] {
		if n == name {
			return true
		}
	}
	return false
}

// maxJoined bounds the fetches of an origin in one second that rows of indexes are compared with.
const maxJoined = 1 << 14

// joiner finds the rows of indexes and lists that tell of a fetch which another row tells of
// better: its record, or the same row of another index. Rows come in the order of the facts, in
// which these stand before it, within the second at which indexes have times.
type joiner struct {
	*indexed
	here   Place
	second Time
	seen   []Fetch          // of that origin and second
	byURL  map[string][]int // the same, by likeness of their URLs; nil until a row of an index asks
}

// isJoined reports whether f tells of a fetch that another row has told of.
func (j *joiner) isJoined(f *Fetch) bool {
	second := f.Time().Truncate(PrecisionSecond)
	if second.Known() {
		second.Precision = PrecisionSecond // a date without its time has the first second of it
	}
	if here := PlaceOf(f); here != j.here || second != j.second {
		j.here, j.second, j.byURL = here, second, nil
		clear(j.seen)
		j.seen = j.seen[:0]
	}
	if f.Type != TypeIndexed {
		j.add(f)
		return false
	}
	if j.byURL == nil {
		j.byURL = make(map[string][]int)
		for i := range j.seen {
			key := likeness(j.seen[i].URL)
			j.byURL[key] = append(j.byURL[key], i)
		}
	}
	for _, i := range j.byURL[likeness(f.URL)] {
		if j.isSame(&j.seen[i], f) {
			return true
		}
	}
	j.add(f)
	return false
}

func (j *joiner) add(f *Fetch) {
	if len(j.seen) == maxJoined {
		return
	}
	if j.byURL != nil {
		key := likeness(f.URL)
		j.byURL[key] = append(j.byURL[key], len(j.seen))
	}
	j.seen = append(j.seen, Fetch{
		URL: f.URL, RecordID: f.RecordID, Input: f.Input, Entry: f.Entry, Archive: f.Archive, Offset: f.Offset, Type: f.Type, Trust: f.Trust,
		Method: f.Method, Status: f.Status, PayloadDigest: f.PayloadDigest,
	})
}

// isSame reports whether f, a row of an index, tells of the same fetch as other, which is of its
// URL and second: by the record's id or place. Where places differ, as in archives that were moved or
// joined, the digest tells; two rows of one index are then two fetches. What has neither place, id
// nor digest is as much as is known of the fetch.
func (j *joiner) isSame(other, f *Fetch) bool {
	if other.RecordID != "" && f.RecordID != "" {
		return other.RecordID == f.RecordID
	}
	placed, otherPlaced := f.Archive != "", other.Archive != "" || other.Type != TypeIndexed
	if placed && otherPlaced && f.Offset == other.Offset && j.holds(other, path.Base(f.Archive)) {
		return true
	}
	switch {
	case other.Status >= 0 && f.Status >= 0 && other.Status != f.Status, other.Method != "" && f.Method != "" && other.Method != f.Method:
		return false
	case placed && otherPlaced && other.Input == f.Input:
		return false
	case escaped(f.URL) != escaped(other.URL):
		return false
	case f.PayloadDigest != "" && other.PayloadDigest != "":
		return sameDigests(f.PayloadDigest, other.PayloadDigest)
	}
	return !placed || !otherPlaced
}

func sameDigests(a, b string) bool {
	x, y := digestOf(a), digestOf(b)
	if x.Known() && y.Known() {
		return x == y
	}
	return strings.EqualFold(a, b)
}

// digestOf reads a digest, which indexes have without the name of its algorithm.
func digestOf(written string) digest.Digest {
	label := ""
	if !strings.Contains(written, ":") {
		switch len(written) {
		case 32, 40:
			label = "sha1:"
		case 52, 64:
			label = "sha256:"
		}
	}
	d, _ := digest.Parse(label + written)
	return d
}

// escaped is a URL as indexes have it that percent-encode what no URI may hold.
func escaped(url string) string {
	odd := func(c byte) bool { return c <= ' ' || c > '~' }
	n := 0
	for i := range len(url) {
		if odd(url[i]) {
			n++
		}
	}
	if n == 0 {
		return url
	}
	b := make([]byte, 0, len(url)+2*n)
	for i := range len(url) {
		if c := url[i]; odd(c) {
			b = fmt.Appendf(b, "%%%02X", c)
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// likeness is what a URL and what indexes make of it have in common: some take bytes outside ASCII
// for Latin-1.
func likeness(url string) string {
	plain := true
	for i := range len(url) {
		if c := url[i]; c == '%' || c <= ' ' || c > '~' {
			plain = false
			break
		}
	}
	if plain {
		return url
	}
	b := make([]byte, 0, len(url))
	for i := 0; i < len(url); i++ {
		switch c := url[i]; {
		case c == '%' && i+2 < len(url):
			i += 2
		case c > ' ' && c <= '~' && c != '%':
			b = append(b, c)
		}
	}
	return string(b)
}
