// Package parsed keeps robots.txt files as parsed, by the digest of their body, with what they hold for a
// product token: its group, the other readings of it, and what other protocols put into the file.
package parsed

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// File is a robots.txt as parsed.
type File struct {
	*robots.File
	LineCut *robots.File // without the last line, where that may be the beginning of a line
	size    int64
	groups  []TokenGroup
	readers map[string]Reader
	profile robots.Profile
	own     []*ownFile // by crawler

	extra    bool           // those below are read
	signals  *tag.RobotsTxt // its statements about use
	delays   map[int]int64  // the least Crawl-delay in microseconds, by the first user-agent line of its group
	rates    map[int]string // the first Request-rate as written, by that line
	sitemaps []string       // the first that it names
}

// Reader is what a file has for a product token: the group that governs it, and
// those that would if tokens were matched in another way.
type Reader struct {
	Group      *robots.Group
	Others     []*robots.Group
	Documented []*robots.Group // of other tokens that the crawler is documented to obey
	Asides     []int           // lines of groups that name the token among other words
	Match      words.Match
	Exempt     words.Notes // why groups for * may not bind the crawler, where no group names it

	HasUsageRules bool // Content-Usage lines taken for rules make other groups
}

// isUnnamed reports whether the file does not name the token.
func (r *Reader) isUnnamed() bool {
	return r.Match == words.MatchGlobal || r.Match == words.MatchNoGroup
}

// maxSitemaps bounds the sitemaps that are kept of a file.
const maxSitemaps = 32

// readExtra reads what other protocols than that of RFC 9309 put into the file.
func (f *File) readExtra() {
	if f.extra {
		return
	}
	f.extra = true
	f.signals = tag.ReadRobots(f.File, f.profile)
	f.delays, f.rates = make(map[int]int64), make(map[int]string)
	for _, record := range f.Records() {
		switch group := record.Group; {
		case record.Key == "crawl-delay" && group != 0:
			micros, ok := robots.CrawlDelay(record.Value)
			if before, known := f.delays[group]; ok && (!known || micros < before) {
				f.delays[group] = micros
			}
		case record.Key == "request-rate" && group != 0:
			if _, known := f.rates[group]; !known {
				f.rates[group] = strings.Clone(record.Value)
			}
		case record.Key == "sitemap" && len(f.sitemaps) < maxSitemaps:
			f.sitemaps = append(f.sitemaps, strings.Clone(record.Value))
		}
	}
}

// Usage returns the file's statements about use.
func (f *File) Usage() *tag.RobotsTxt {
	f.readExtra()
	return f.signals
}

// Sitemaps returns the first sitemaps that the file names.
func (f *File) Sitemaps() []string {
	f.readExtra()
	return f.sitemaps
}

// CrawlDelay returns the least Crawl-delay, in microseconds, of the groups that begin at some lines.
func (f *File) CrawlDelay(groups []int) (least int64, isAsked bool) {
	f.readExtra()
	for _, group := range groups {
		if micros, known := f.delays[group]; known && (!isAsked || micros < least) {
			least, isAsked = micros, true
		}
	}
	return least, isAsked
}

// Rate returns the first Request-rate of the group that begins at a line, as written; "" where there is none.
func (f *File) Rate(group int) string {
	f.readExtra()
	return f.rates[group]
}

// maxReaders bounds the tokens of one file whose groups are kept.
const maxReaders = 64

// Reader returns what the file has for a product token.
func (f *File) Reader(token string) Reader {
	if r, known := f.readers[token]; known {
		return r
	}
	r := f.readerOf(token)
	for _, m := range robots.Modes {
		if g := f.ForMode(token, m); g != r.Group {
			r.Others = append(r.Others, g)
		}
	}
	if f.readers == nil {
		f.readers = make(map[string]Reader)
	}
	if len(f.readers) >= maxReaders {
		clear(f.readers)
	}
	f.readers[token] = r
	return r
}

// readerOf returns what the file has for a product token, but for other ways of matching it.
func (f *File) readerOf(token string) Reader {
	r := Reader{
		Group: f.For(token), Match: f.MatchOf(token), Asides: f.OtherLines(token),
		HasUsageRules: f.UsageRules() != f.File,
	}
	if r.isUnnamed() && forbids(r.Group) {
		for _, other := range agents.Obeys(token) {
			if g := f.For(other); g != r.Group {
				r.Documented = append(r.Documented, g)
			}
		}
		r.Exempt = words.NoteOf(agents.Exempt(token))
	}
	return r
}

// forbids reports whether a rule of a group forbids something.
func forbids(g *robots.Group) bool {
	for p := range g.Patterns() {
		if !p.Allow {
			return true
		}
	}
	return false
}

// MatchOf reports how the group is found that governs a token.
func (f *File) MatchOf(token string) words.Match {
	line, value := f.AgentLine(token, 0)
	switch {
	case line == 0:
		return words.MatchNoGroup
	case strings.HasPrefix(value, "*"):
		return words.MatchGlobal
	case f.profile.Mode() == robots.ModeGoogle:
		return words.MatchGoogle
	}
	return words.MatchExact
}

// Cache keeps parsed robots.txt files by the digest of their body. Most hosts
// serve the same bytes again and again.
type Cache struct {
	store   *facts.Reader
	profile robots.Profile
	files   map[string]*File
	size    int64    // of files
	last    struct { // that was asked for: fetches of one origin follow one another
		key  string
		file *File
	}
}

// What the cache holds, in bytes of bodies. Each body counts as parsedMin more, and each of its rules as
// parsedRule more, because they are compiled in several forms.
const (
	maxParsed  = 32 << 20  // of one origin, which may have large files, asked in turns
	keptParsed = 512 << 10 // from one origin to the next: enough for what many hosts serve
	parsedMin  = 3 << 10
	parsedRule = 256
)

// NewCache keeps files of facts, as a profile reads them.
func NewCache(s *facts.Reader, p robots.Profile) *Cache {
	return &Cache{store: s, profile: p, files: make(map[string]*File)}
}

// Profile is the profile that reads the files.
func (c *Cache) Profile() robots.Profile { return c.profile }

// Key distinguishes parsed files. Of one that is partial, the last line may be cut.
func Key(st *resolve.State) (key string, partial bool) {
	partial = st.Outcome == words.OutcomePartial || facts.Flags(st.BodyFlags)&facts.FlagBodyCut != 0
	switch {
	case !st.HasBody:
		return "", partial
	case partial:
		return st.BodyDigest + " partial", partial
	}
	return st.BodyDigest, partial
}

// Get returns the parsed file of a state, an empty one where it has no body.
func (c *Cache) Get(st *resolve.State) (*File, error) {
	key, partial := Key(st)
	if c.last.file != nil && c.last.key == key {
		return c.last.file, nil
	}
	if f := c.files[key]; f != nil {
		c.last.key, c.last.file = key, f
		return f, nil
	}
	var body []byte
	if st.HasBody {
		var err error
		if body, err = c.store.Body(&st.Capture); err != nil {
			return nil, err
		}
	}
	f := &File{profile: c.profile, File: robots.Parse(body, c.profile)}
	f.size = int64(len(body)) + parsedMin + parsedRule*int64(f.Rules)
	if n := bytes.LastIndexByte(body, '\n') + 1; partial && n < len(body) {
		f.LineCut = robots.Parse(body[:n], c.profile)
	}
	if c.size+f.size > maxParsed {
		c.forget()
	}
	c.files[key] = f
	c.size += f.size
	return f, nil
}

// NewOrigin forgets files where there are many: the next origin has others.
func (c *Cache) NewOrigin() {
	if c.size > keptParsed {
		c.forget()
	}
}

func (c *Cache) forget() {
	clear(c.files)
	c.size, c.last.file = 0, nil
}

// ownFile is a robots.txt as a crawler's own parser reads it.
type ownFile struct {
	*robots.File
	profile robots.Profile
	agent   string // that was asked for last
	group   *robots.Group
}

// Own returns the group of a file by which a crawler's own parser answers.
func (c *Cache) Own(f *File, p robots.Profile, agent string) *robots.Group {
	i := slices.IndexFunc(f.own, func(o *ownFile) bool { return o.profile == p })
	if i < 0 {
		o := &ownFile{File: f.As(p), profile: p}
		i, f.own = len(f.own), append(f.own, o)
		f.size += parsedRule * int64(o.Rules)
		c.size += parsedRule * int64(o.Rules)
	}
	o := f.own[i]
	if o.group == nil || o.agent != agent {
		o.agent, o.group = strings.Clone(agent), o.For(agent)
	}
	return o.group
}

// TokenGroup is the product tokens that one group of a robots.txt governs, that the same other groups name in another
// reading, and of which operators document the same, where the group forbids something.
type TokenGroup struct {
	Group  int // its number: the deciding group's, or a further one where several have that group
	Tokens []string
	Askers []string // one token of each sort: an open reading may hold for one sort alone
	Reader Reader   // of all of them; its Others are of each token alone
}

// TokenGroups sorts tokens by the groups that govern them: the same tokens at every call.
func (f *File) TokenGroups(tokens []string) []TokenGroup {
	if f.groups != nil {
		return f.groups
	}
	known, numbers := make(map[string]int), make(map[int]bool)
	for _, token := range tokens {
		r := f.readerOf(token)
		key := fmt.Sprint(r.Group.Key(), r.Asides, r.Exempt)
		for _, g := range r.Documented {
			key += fmt.Sprint(" ", g.Key())
		}
		i, isKnown := known[key]
		if !isKnown {
			i = len(f.groups)
			number := r.Group.Key()
			if numbers[number] {
				number = f.MaxKey() + i
			}
			known[key], numbers[number] = i, true
			f.groups = append(f.groups, TokenGroup{Group: number, Reader: r})
		}
		t := &f.groups[i]
		t.Tokens = append(t.Tokens, token)
		if !slices.ContainsFunc(t.Askers, func(asker string) bool { return f.JudgesAlike(asker, token) }) {
			t.Askers = append(t.Askers, token)
		}
	}
	return f.groups
}
