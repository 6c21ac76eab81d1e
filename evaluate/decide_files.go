package evaluate

import (
	"bytes"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// answer applies a parsed file, by the groups of r, for the capture that it belongs to. Notes name what would
// answer otherwise: another way of matching tokens, or a reading that the specifications leave open.
func (f *parsedFile) answer(a *Answer, st *State, s *subject, r *reader) {
	m := s.match(r.group)
	*a = Answer{
		Verdict: verdictOf(m.Allowed), Reason: matchReasons[m.Reason], Match: r.match,
		Rule: m.Rule, Group: r.group.Key(), GroupLine: r.group.Line(m.Rule),
	}
	if m.Reason == robots.ReasonTooCostly {
		a.Verdict = Unknown
	} else {
		readings, cost := r.group.Against(s.token, s.path, m)
		s.spend(cost / matchCost)
		if readings != 0 {
			a.Notes, a.allows = notesOf(readings), !m.Allowed
		}
		for _, g := range r.others {
			if a.Notes&words.NoteAgentName == 0 && s.match(g).Allowed != m.Allowed {
				a.Notes |= words.NoteOtherMode
			}
		}
	}
	if a.Verdict == Disallowed {
		for _, g := range r.documented {
			if d := s.match(g); d.Allowed || d.Reason == robots.ReasonTooCostly {
				a.Notes, a.allows = a.Notes|words.NoteDocumentedToken, true
			}
		}
		if f.lineCut != nil && s.match(f.lineCut.For(s.token)).Allowed {
			a.allows = true // the rule may be longer than what is left of it
		}
		a.allows = a.allows || f.HTML
	}
	if facts.Flags(st.BodyFlags)&facts.FlagBodyCut != 0 {
		a.Notes |= words.NoteBodyCut
	}
	if f.HTML {
		a.Notes |= words.NoteHTML
	}
	if st.Outcome == words.OutcomePartial {
		// Of a part only what it forbids is known; the rest may forbid more, and
		// may allow what this part forbids.
		a.Notes |= words.NotePartial
		if a.Verdict != Disallowed {
			*a = Answer{Reason: words.Truncated, Notes: a.Notes}
		}
	}
	if s.token == "" && a.Verdict == Allowed {
		_, forbids, cost := f.NamedForbids(s.path)
		s.spend(cost / matchCost)
		if forbids {
			a.Notes |= words.NoteNamedGroupForbids // nobody knows whether the crawler has that name
		}
	}
}

// readingNotes are the notes on the readings that the specifications leave open.
var readingNotes = [...]struct {
	reading robots.Readings
	note    Notes
}{
	{robots.ReadReserved, words.NoteReservedEncoding},
	{robots.ReadUnsafe, words.NoteUnsafeEncoding},
	{robots.ReadLenient, words.NoteLenient},
	{robots.ReadBeyondLimit, words.NoteParseLimit},
	{robots.ReadRobotsTxtEncoded, words.NoteRobotsTxtEncoded},
	{robots.ReadContentUsage, words.NoteContentUsage},
	{robots.ReadAgentName, words.NoteAgentName},
}

// notesOf names readings that turn an answer round.
func notesOf(readings robots.Readings) (n Notes) {
	for _, r := range readingNotes {
		n |= when(readings&r.reading != 0, r.note)
	}
	return n
}

var matchReasons = [...]Reason{
	robots.ReasonRule:      words.ReasonRule,
	robots.ReasonNoRule:    words.NoMatchingRule,
	robots.ReasonNoGroup:   words.NoMatchingGroup,
	robots.ReasonRobotsTxt: words.RobotsTxtItself,
	robots.ReasonTooCostly: words.TooCostly,
}

// parsedFile is a robots.txt as parsed.
type parsedFile struct {
	*robots.File
	lineCut *robots.File // without the last line, where that may be the beginning of a line
	size    int64
	groups  []tokenGroup // what-if tokens by deciding group, once asked for
	readers map[string]reader
	profile robots.Profile
	own     []*ownFile // by crawler

	extra    bool           // those below are read
	signals  *tag.RobotsTxt // its statements about use
	delays   delays         // that it requires
	rates    []requestRate  // the same, as written
	sitemaps []string       // the first that it names
}

// reader is what a file has for a product token: the group that governs it, and
// those that would if tokens were matched in another way.
type reader struct {
	group      *robots.Group
	others     []*robots.Group
	documented []*robots.Group // of other tokens that the crawler is documented to obey
	asides     []int           // lines of groups that name the token among other words
	match      Match

	hasUsageRules bool // Content-Usage lines taken for rules make other groups
}

// isUnnamed reports whether the file does not name the token.
func (r *reader) isUnnamed() bool {
	return r.match == words.MatchGlobal || r.match == words.MatchNoGroup
}

type requestRate struct {
	group int
	text  string
}

// readExtra reads what other protocols than that of RFC 9309 put into the file.
func (f *parsedFile) readExtra() {
	if f.extra {
		return
	}
	f.extra = true
	f.signals = tag.ReadRobots(f.File, f.profile)
	for _, record := range f.Records() {
		isRate := record.Key == "request-rate"
		if d, ok := record.Delay(); ok && record.Group != 0 {
			f.delays.list = append(f.delays.list, delay{record.Group, record.Line, d, isRate})
		}
		switch {
		case isRate && record.Group != 0:
			f.rates = append(f.rates, requestRate{record.Group, strings.Clone(record.Value)})
		case record.Key == "sitemap" && len(f.sitemaps) < maxSitemaps:
			f.sitemaps = append(f.sitemaps, strings.Clone(record.Value))
		}
	}
	f.delays.index()
}

// usage returns the file's statements about use.
func (f *parsedFile) usage() *tag.RobotsTxt {
	f.readExtra()
	return f.signals
}

// maxReaders bounds the tokens of one file whose groups are kept.
const maxReaders = 64

func (f *parsedFile) reader(token string) reader {
	if r, known := f.readers[token]; known {
		return r
	}
	r := reader{
		group: f.For(token), match: f.matchOf(token), asides: f.OtherLines(token),
		hasUsageRules: f.UsageRules() != f.File,
	}
	for _, m := range robots.Modes {
		if g := f.ForMode(token, m); g != r.group {
			r.others = append(r.others, g)
		}
	}
	if r.isUnnamed() {
		for _, other := range agents.Obeys(token) {
			if g := f.For(other); g != r.group {
				r.documented = append(r.documented, g)
			}
		}
	}
	if f.readers == nil {
		f.readers = make(map[string]reader)
	}
	if len(f.readers) >= maxReaders {
		clear(f.readers)
	}
	f.readers[token] = r
	return r
}

func (f *parsedFile) matchOf(token string) Match {
	line, value := f.AgentLine(token, 0)
	switch {
	case line == 0:
		return words.MatchNoGroup
	case strings.HasPrefix(value, "*"):
		return words.MatchGlobal
	case f.profile == robots.Google:
		return words.MatchGoogle
	}
	return words.MatchExact
}

// fileCache keeps parsed robots.txt files by the digest of their body. Most hosts
// serve the same bytes again and again.
type fileCache struct {
	store   *facts.Reader
	profile robots.Profile
	files   map[string]*parsedFile
	size    int64    // of files
	last    struct { // that was asked for: fetches of one origin follow one another
		key  string
		file *parsedFile
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

func newFileCache(s *facts.Reader, p robots.Profile) *fileCache {
	return &fileCache{store: s, profile: p, files: make(map[string]*parsedFile)}
}

// fileKey distinguishes parsed files. Of one that is partial, the last line may be cut.
func fileKey(st *State) (key string, partial bool) {
	partial = st.Outcome == words.OutcomePartial || facts.Flags(st.BodyFlags)&facts.FlagBodyCut != 0
	switch {
	case !st.HasBody:
		return "", partial
	case partial:
		return st.BodyDigest + " partial", partial
	}
	return st.BodyDigest, partial
}

// get returns the parsed file of a state, an empty one where it has no body.
func (c *fileCache) get(st *State) (*parsedFile, error) {
	key, partial := fileKey(st)
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
	f := &parsedFile{profile: c.profile, File: robots.Parse(body, c.profile)}
	f.size = int64(len(body)) + parsedMin + parsedRule*int64(f.Rules)
	if n := bytes.LastIndexByte(body, '\n') + 1; partial && n < len(body) {
		f.lineCut = robots.Parse(body[:n], c.profile)
	}
	if c.size+f.size > maxParsed {
		c.forget()
	}
	c.files[key] = f
	c.size += f.size
	return f, nil
}

// newOrigin forgets files where there are many: the next origin has others.
func (c *fileCache) newOrigin() {
	if c.size > keptParsed {
		c.forget()
	}
}

func (c *fileCache) forget() {
	clear(c.files)
	c.size, c.last.file = 0, nil
}
