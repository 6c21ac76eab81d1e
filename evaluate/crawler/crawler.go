// Package crawler finds out who made a fetch: its product token, by the options of an audit or by the
// User-Agent, and the software that has a parser of robots.txt of its own.
package crawler

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

// Identity is who made a fetch, as far as is known.
type Identity struct {
	Token  string // product token; "": not known
	Other  string // that of a second crawler which the User-Agent names; "": none
	Source words.AgentSource
	Notes  words.Notes // NoteAmbiguousToken, NoteTokenByOption

	software robots.Crawler // that the User-Agent names
}

// Names finds crawlers by the User-Agent of their fetches. It is a cache, of one goroutine.
type Names struct {
	own     string // the token of all, where an option gives it
	mapped  Map    // else the tokens of those that it knows
	used    []bool // rules of mapped that gave a token
	known   map[string]Identity
	last    Identity // fetches of one crawler follow one another
	lastFor string   // the User-Agent of last
	asked   bool     // there is a last

	token, key string // the last key: see Key

	logged *Names // for lines of access logs, which are of many crawlers: no option names all
}

// maxCached bounds the User-Agents whose crawlers are kept.
const maxCached = 4096

// NewNames knows crawlers by the token of all, if that is given, else by the tokens of those that a map knows.
func NewNames(own string, mapped Map) *Names {
	n := Names{mapped: mapped, used: make([]bool, len(mapped)), known: make(map[string]Identity)}
	logged := n
	logged.known = make(map[string]Identity)
	n.own, n.logged = own, &logged
	return &n
}

// HasOne reports whether an option names the crawler of all fetches.
func (n *Names) HasOne() bool { return n.own != "" }

// Used reports which rules of the map gave a token.
func (n *Names) Used() []bool { return n.used }

// CrawlerOf reports who made a fetch.
func (n *Names) CrawlerOf(f *facts.Fetch) Identity {
	if f.Trust == facts.TrustLogged {
		if f.Flags&facts.FlagForged != 0 { // "Access logs"
			return Identity{}
		}
		n = n.logged
	}
	if f.UserAgent != n.lastFor || !n.asked {
		n.last, n.lastFor, n.asked = n.OfUserAgent(f.UserAgent), f.UserAgent, true
	}
	c := n.last
	if c.Source == words.AgentFromRequest {
		switch f.UserAgentSource {
		case facts.SourceWarcinfo:
			c.Source = words.AgentFromWarcinfo
		case facts.SourceRobotsSubset:
			c.Source = words.AgentFromRobotsSubset
		case facts.SourceList:
			c.Source = words.AgentFromList
		case facts.SourceAccessLog:
			c.Source = words.AgentFromAccessLog
			if f.Flags&facts.FlagOperator != 0 {
				c.Source = words.AgentFromRanges
			}
		}
	}
	return c
}

// Claimed is the token of the crawler in whose name a line of an access log is, whoever made it.
func (n *Names) Claimed(f *facts.Fetch) string { return n.logged.OfUserAgent(f.UserAgent).Token }

// OfUserAgent is who sends a User-Agent.
func (n *Names) OfUserAgent(userAgent string) Identity {
	c, known := n.known[userAgent]
	if !known {
		if len(n.known) >= maxCached {
			clear(n.known)
		}
		userAgent = strings.Clone(userAgent) // else the memory of other rows may stay in use
		c = n.identify(userAgent)
		if c.Other == "" { // else nobody knows which of the two it was
			c.software = robots.CrawlerOf(userAgent)
		}
		n.known[userAgent] = c
	}
	return c
}

// identify tries the options first, then the User-Agent itself.
func (n *Names) identify(userAgent string) Identity {
	token, given := n.own, n.own != ""
	if i := n.mapped.rule(userAgent); !given && i >= 0 {
		token, given, n.used[i] = n.mapped[i].Token, true, true
	}
	switch {
	case given && token == "":
		return Identity{}
	case given:
		c := Identity{Token: token, Source: words.AgentFromOption}
		if userAgent != "" && !IsNamed(userAgent, token) {
			c.Notes = words.NoteTokenByOption
		}
		return c
	}
	token, other := useragent.Tokens(userAgent, agents.Leading)
	c := Identity{Token: token, Other: other}
	if token != "" {
		c.Source = words.AgentFromRequest
	}
	if other != "" {
		c.Notes = words.NoteAmbiguousToken
	}
	return c
}

// Map names crawlers by their User-Agent: the first rule whose pattern matches
// it gives the product token.
type Map []Rule

// Rule is one rule of a Map.
type Rule struct {
	Pattern string // of the whole User-Agent, in any case; * stands for any bytes; "" for no User-Agent
	Token   string // "": the crawler's token is not known
}

// String returns the rule as the file of --crawler has it.
func (r Rule) String() string { return cmp.Or(r.Pattern, "-") + " => " + cmp.Or(r.Token, "-") }

// Without returns the rules that are not used.
func (m Map) Without(used []bool) Map {
	var rules Map
	for i, r := range m {
		if !used[i] {
			rules = append(rules, r)
		}
	}
	return rules
}

// Lines returns the rules as the file of --crawler has them, nil where there are none.
func (m Map) Lines() []string {
	var lines []string
	for _, r := range m {
		lines = append(lines, r.String())
	}
	return lines
}

// rule returns the index of the rule for a User-Agent, -1 where there is none.
func (m Map) rule(userAgent string) int {
	return slices.IndexFunc(m, func(r Rule) bool { return r.matches(userAgent) })
}

// matches tries a pattern from the left: each of its pieces between two * is looked
// for after the one before, where it comes first.
func (r Rule) matches(userAgent string) bool {
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

// Key makes tokens comparable: case does not distinguish crawlers (RFC 9309
// §2.2.1), nor does an operator's name before their own.
func Key(token string) string { return strings.ToLower(robots.ProductName(token)) }

// Key is the function Key, and remembers the last key: fetches of one crawler follow one another.
func (n *Names) Key(token string) string {
	if token != n.token {
		n.token, n.key = token, Key(token)
	}
	return n.key
}

// KeyOf returns the comparable token of the crawler that made a fetch.
func (n *Names) KeyOf(f *facts.Fetch) string { return n.Key(n.CrawlerOf(f).Token) }

// IsNamed reports whether a User-Agent holds a token, in any case.
func IsNamed(userAgent, token string) bool {
	return strings.Contains(strings.ToLower(userAgent), strings.ToLower(token))
}
