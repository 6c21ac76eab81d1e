package parsed

import (
	"sort"

	"github.com/robotsaudit/robotsaudit/internal/agents"
)

// delay is a record that requires a group's crawlers to wait.
type delay struct {
	group, line int // the group's first user-agent line, and its own
	micros      int64
	isRate      bool // by Request-rate, not Crawl-delay
}

// delays are all the delays that a file requires.
type delays struct {
	list  []delay
	least []int         // of each and those that follow it in its group, the first of the shortest ones
	known map[int]delay // what a token is asked for, by the first user-agent line that names it
}

// index fills in least.
func (d *delays) index() {
	d.least, d.known = make([]int, len(d.list)), make(map[int]delay)
	for i := len(d.list) - 1; i >= 0; i-- {
		d.least[i] = i
		if next := i + 1; next < len(d.list) && d.list[next].group == d.list[i].group &&
			d.list[d.least[next]].micros < d.list[i].micros {
			d.least[i] = d.least[next]
		}
	}
}

// after returns the first that stands after a line.
func (d *delays) after(line int) int {
	return sort.Search(len(d.list), func(i int) bool { return d.list[i].line > line })
}

// ofGroup returns the delays of the group that begins at a line.
func (d *delays) ofGroup(line int) []delay {
	start := d.after(line)
	end := start
	for end < len(d.list) && d.list[end].group == line {
		end++
	}
	return d.list[start:end]
}

// Delay returns the least wait that the groups of a token require, in microseconds, and its line. The delay of
// another token that the crawler is documented to obey may be shorter.
func (f *File) Delay(token string) (micros int64, line int) {
	f.readExtra()
	if len(f.delays.list) == 0 {
		return 0, 0
	}
	d := f.delayOf(token)
	r := f.Reader(token)
	if r.isUnnamed() {
		for _, other := range agents.Obeys(token) { // whose group may be the same, and its delay another
			if o := f.delayOf(other); o.micros < d.micros {
				d = o
			}
		}
	}
	return d.micros, d.line
}

// delayOf returns the least wait that a token is asked for. A record among a group's user-agent
// lines counts for those above it: crawlers of old end a group there.
func (f *File) delayOf(token string) (least delay) {
	named, _ := f.AgentLine(token, 0)
	if d, known := f.delays.known[named]; known {
		return d
	}
	for _, line := range f.AgentLines(token) {
		i := f.delays.after(line)
		if i == len(f.delays.list) || f.delays.list[i].group > line { // of a later group
			continue
		}
		if d := f.delays.list[f.delays.least[i]]; least.line == 0 || d.micros < least.micros {
			least = d
		}
	}
	f.delays.known[named] = least
	return least
}

// LongestDelay returns the longest wait that the file requires of anybody, in microseconds.
func (f *File) LongestDelay() (longest int64) {
	f.readExtra()
	for _, d := range f.delays.list {
		longest = max(longest, d.micros)
	}
	return longest
}

// CrawlDelay returns the least Crawl-delay, in microseconds, of the groups that begin at some lines.
func (f *File) CrawlDelay(groups []int) (least int64, isAsked bool) {
	f.readExtra()
	for _, line := range groups {
		for _, d := range f.delays.ofGroup(line) {
			if !d.isRate && (!isAsked || d.micros < least) {
				least, isAsked = d.micros, true
			}
		}
	}
	return least, isAsked
}
