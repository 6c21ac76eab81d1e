package evaluate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/useragent"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// crawler is who made a fetch, as far as is known.
type crawler struct {
	token  string // product token; "": not known
	other  string // that of a second crawler which the User-Agent names; "": none
	source AgentSource
	notes  Notes // NoteAmbiguousToken, NoteTokenByOption

	software robots.Crawler // that the User-Agent names
}

// naming finds crawlers by the User-Agent of their fetches.
type naming struct {
	own     string     // the token of all, where an option gives it
	mapped  CrawlerMap // else the tokens of those that it knows
	used    []bool     // rules of mapped that gave a token
	known   map[string]crawler
	last    crawler // fetches of one crawler follow one another
	lastFor string  // the User-Agent of last
	asked   bool    // there is a last

	logged *naming // the same for lines of access logs: they are of many crawlers, and no option names all
}

// maxCached bounds the User-Agents whose crawlers are kept.
const maxCached = 4096

func newNaming(opt *Options) naming {
	n := naming{mapped: opt.CrawlerMap, used: make([]bool, len(opt.CrawlerMap)), known: make(map[string]crawler)}
	logged := n
	logged.known = make(map[string]crawler)
	n.own, n.logged = opt.Crawler, &logged
	return n
}

// crawlerOf reports who made a fetch.
func (d *decider) crawlerOf(f *facts.Fetch) crawler {
	n := &d.naming
	if f.Trust == facts.TrustLogged {
		if f.Flags&facts.FlagForged != 0 { // "Access logs"
			return crawler{}
		}
		n = n.logged
	}
	if f.UserAgent != n.lastFor || !n.asked {
		n.last, n.lastFor, n.asked = n.of(f.UserAgent), f.UserAgent, true
	}
	c := n.last
	if c.source == words.AgentFromRequest {
		switch f.UserAgentSource {
		case facts.SourceWarcinfo:
			c.source = words.AgentFromWarcinfo
		case facts.SourceRobotsSubset:
			c.source = words.AgentFromRobotsSubset
		case facts.SourceList:
			c.source = words.AgentFromList
		case facts.SourceAccessLog:
			c.source = words.AgentFromAccessLog
			if f.Flags&facts.FlagOperator != 0 {
				c.source = words.AgentFromRanges
			}
		}
	}
	return c
}

// agentOf returns the product token of the crawler that made a fetch.
func (d *decider) agentOf(f *facts.Fetch) (string, AgentSource) {
	c := d.crawlerOf(f)
	return c.token, c.source
}

func (n *naming) of(userAgent string) crawler {
	c, known := n.known[userAgent]
	if !known {
		if len(n.known) >= maxCached {
			clear(n.known)
		}
		userAgent = strings.Clone(userAgent) // else the memory of other rows may stay in use
		c = n.identify(userAgent)
		if c.other == "" { // else nobody knows which of the two it was
			c.software = robots.CrawlerOf(userAgent)
		}
		n.known[userAgent] = c
	}
	return c
}

// identify tries the options first, then the User-Agent itself.
func (n *naming) identify(userAgent string) crawler {
	token, given := n.own, n.own != ""
	if i := n.mapped.rule(userAgent); !given && i >= 0 {
		token, given, n.used[i] = n.mapped[i].Token, true, true
	}
	switch {
	case given && token == "":
		return crawler{}
	case given:
		c := crawler{token: token, source: words.AgentFromOption}
		if userAgent != "" && !containsFold(userAgent, token) {
			c.notes = words.NoteTokenByOption
		}
		return c
	}
	token, other := useragent.Tokens(userAgent, agents.Leading)
	c := crawler{token: token, other: other}
	if token != "" {
		c.source = words.AgentFromRequest
	}
	if other != "" {
		c.notes = words.NoteAmbiguousToken
	}
	return c
}

// CrawlerMap names crawlers by their User-Agent: the first rule whose pattern matches
// it gives the product token.
type CrawlerMap []CrawlerRule

// CrawlerRule is one rule of a CrawlerMap.
type CrawlerRule struct {
	Pattern string // of the whole User-Agent, in any case; * stands for any bytes; "" for no User-Agent
	Token   string // "": the crawler's token is not known
}

// String returns the rule as --crawler-map has it.
func (r CrawlerRule) String() string { return orDash(r.Pattern) + " => " + orDash(r.Token) }

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// without returns the rules that are not used.
func (m CrawlerMap) without(used []bool) CrawlerMap {
	var rules CrawlerMap
	for i, r := range m {
		if !used[i] {
			rules = append(rules, r)
		}
	}
	return rules
}

// Lines returns the rules as --crawler-map has them, nil where there are none.
func (m CrawlerMap) Lines() []string {
	var lines []string
	for _, r := range m {
		lines = append(lines, r.String())
	}
	return lines
}

// rule returns the index of the rule for a User-Agent, -1 where there is none.
func (m CrawlerMap) rule(userAgent string) int {
	return slices.IndexFunc(m, func(r CrawlerRule) bool { return r.matches(userAgent) })
}

// matches tries a pattern from the left: each of its pieces between two * is looked
// for after the one before, where it comes first.
func (r CrawlerRule) matches(userAgent string) bool {
	ua := strings.ToLower(userAgent)
	pieces := strings.Split(strings.ToLower(r.Pattern), "*")
	last := len(pieces) - 1
	if last == 0 {
		return ua == pieces[0]
	}
	ua, begins := strings.CutPrefix(ua, pieces[0])
	if !begins {
		return false
	}
	for _, piece := range pieces[1:last] {
		_, after, found := strings.Cut(ua, piece)
		if !found {
			return false
		}
		ua = after
	}
	return strings.HasSuffix(ua, pieces[last])
}

// DistinctTokens sorts product tokens and drops those that differ in case alone.
func DistinctTokens(tokens []string) []string {
	list := slices.Clone(tokens)
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(agentKey(a), agentKey(b)), cmp.Compare(a, b))
	})
	return slices.CompactFunc(list, func(a, b string) bool { return agentKey(a) == agentKey(b) })
}

// agentKey makes tokens comparable: case does not distinguish crawlers (RFC 9309
// §2.2.1), nor does an operator's name before their own.
func agentKey(token string) string { return strings.ToLower(robots.ProductName(token)) }

// agentKeys remembers the last key: fetches of one crawler follow one another.
type agentKeys struct{ token, key string }

func (k *agentKeys) of(token string) string {
	if token != k.token {
		*k = agentKeys{token, agentKey(token)}
	}
	return k.key
}

func containsFold(userAgent, token string) bool {
	return strings.Contains(strings.ToLower(userAgent), strings.ToLower(token))
}

// keyOf returns the comparable token of the crawler that made a fetch.
func (d *decider) keyOf(f *facts.Fetch) string {
	agent, _ := d.agentOf(f)
	return d.keys.of(agent)
}
