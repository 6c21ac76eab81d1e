// Package agents knows crawlers by their product tokens: who runs them, what for,
// and whether the token ever appears in a request.
//
// The list is data, agents.json, and dated: tokens change every few months. It is
// no statement that a crawler obeys anything.
package agents

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// An Agent is a crawler's product token.
type Agent struct {
	Token      string   `json:"token"`      // as its operator writes it; it may be no token of RFC 9309 §2.2.1
	Operator   string   `json:"operator"`   // empty where it is not known
	Categories []string `json:"categories"` // of categories, in their order
	Function   string   `json:"function"`   // what its fetches are for, in a word; empty where it is not known
	Requests   Requests `json:"requests"`
	Kind       Kind     `json:"kind"`

	// Source is a page that has the token: of its operator, of the software, of a list. Of a general word, it is the
	// reason why it is here. Read is the day on which that was read.
	Source string `json:"source"`
	Read   string `json:"read"`

	// Obeys are other tokens whose groups the crawler obeys where no group names its
	// own, by its operator's documentation, the first that has a group before the
	// others. ObeysSource is that documentation.
	Obeys       []string `json:"obeys,omitempty"`
	ObeysSource string   `json:"obeys_source,omitempty"`

	// Exempt is why groups for `*` may not bind the crawler, by its operator's page: a note, user_triggered or
	// documented_exempt. ExemptSource is that page, or a copy of it, and ExemptRead the day on which it was read.
	// ExemptQuoted: the page of somebody else, who quotes the operator.
	Exempt       string `json:"exempt,omitempty"`
	ExemptSource string `json:"exempt_source,omitempty"`
	ExemptRead   string `json:"exempt_read,omitempty"`
	ExemptQuoted bool   `json:"exempt_quoted,omitempty"`
}

// A Kind says whether a token names somebody.
type Kind string

// The kinds of token. The list names those alone that are not Operator.
const (
	Operator Kind = "operator" // one operator's crawler
	Software Kind = "software" // software that anybody runs
)

// categories say why somebody looks for a token: ai is training, assistants, agents, and those who
// gather data for them; archive web archives and the crawlers they are made with; search search
// engines; client HTTP clients, and software for scraping.
var categories = []string{"ai", "archive", "search", "client"}

// Requests says whether the token stands in the User-Agent of requests. A control
// token never does: it is for robots.txt alone, where it states what another
// crawler's fetches may be used for, so that no fetch can violate it.
type Requests string

const (
	RequestsUnknown Requests = "unknown"
	RequestsYes     Requests = "yes"
	RequestsNever   Requests = "never"
)

//go:embed agents.json
var data []byte

type list struct {
	Date   string  `json:"date"`
	Agents []Agent `json:"agents"`
}

// load reads the embedded list once. A mistake in it is one of the build, which the
// tests find.
var load = sync.OnceValue(func() list {
	var l list
	if err := json.Unmarshal(data, &l); err != nil {
		panic(err)
	}
	for i := range l.Agents {
		l.Agents[i].Kind = cmp.Or(l.Agents[i].Kind, Operator)
	}
	return l
})

// Date is the day at which the list was last looked through, as YYYY-MM-DD.
func Date() string { return load().Date }

// All returns all agents, in the order of their tokens.
func All() []Agent { return slices.Clone(load().Agents) }

// Names are the words that InCategory takes.
func Names() []string { return append(slices.Clone(categories), "all") }

// InCategory returns the agents of a category by its name: ai, archive, search, client, or
// all. ok is false for another word.
func InCategory(name string) (found []Agent, ok bool) {
	for _, a := range load().Agents {
		if name == "all" || slices.Contains(a.Categories, name) {
			found = append(found, a)
		}
	}
	return found, len(found) > 0
}

// Tokens lists the tokens of a category that a robots.txt can name.
func Tokens(category string) (tokens []string) {
	found, _ := InCategory(category)
	for _, a := range found {
		if TokenFault(a.Token) == "" {
			tokens = append(tokens, a.Token)
		}
	}
	return tokens
}

// byToken finds agents by their lower-cased token.
var byToken = sync.OnceValue(func() map[string]Agent {
	found := make(map[string]Agent)
	for _, a := range load().Agents {
		found[strings.ToLower(a.Token)] = a
	}
	return found
})

// Find returns the agent of a token, in any case.
func Find(token string) (Agent, bool) {
	a, ok := byToken()[strings.ToLower(token)]
	return a, ok
}

// Exempt returns the note on a crawler that groups for * may not bind, by its operator's page; "" for all others.
func Exempt(token string) string {
	a, _ := Find(token)
	return a.Exempt
}

// Obeys returns the other tokens that a crawler is documented to obey where no group
// names its own token, nil where there are none. The caller must not change them.
func Obeys(token string) []string {
	a, _ := Find(token)
	return a.Obeys
}

// Family returns the names that an operator documents for all of its crawlers of a kind, where the token is one of
// theirs (Yandex of YandexBot): what a page says to that name, it says to the crawler. The caller must not change them.
func Family(token string) []string { return families()[strings.ToLower(token)] }

// families are what crawlers obey of their own operator, by lower-cased token.
var families = sync.OnceValue(func() map[string][]string {
	found := make(map[string][]string)
	for _, a := range load().Agents {
		for _, name := range a.Obeys {
			if of, known := Find(name); !known || of.Operator == a.Operator {
				key := strings.ToLower(a.Token)
				found[key] = append(found[key], name)
			}
		}
	}
	return found
})

// KindOf returns whether a token names somebody; "" if the list does not know it. Whoever runs Nutch puts a name before
// it ("Name/Nutch-1.19").
func KindOf(token, userAgent string) Kind {
	switch a, ok := Find(token); {
	case ok:
		return a.Kind
	case strings.Contains(ascii.Lower(userAgent), ascii.Lower(token)+"/nutch"):
		return Software
	}
	return ""
}

// spaced are the tokens that hold a space, the longest first.
var spaced = sync.OnceValue(func() (tokens []string) {
	for _, a := range load().Agents {
		if strings.Contains(a.Token, " ") {
			tokens = append(tokens, a.Token)
		}
	}
	slices.SortStableFunc(tokens, func(a, b string) int { return len(b) - len(a) })
	return tokens
})

// Leading returns the token of several words that a text begins with, as the text has it: "" where there is
// none. RFC 9309 §2.2.1 knows no such tokens; without the list, the end of a name would be unknown.
func Leading(text string) string {
	for _, token := range spaced() {
		if len(text) < len(token) || ascii.Lower(text[:len(token)]) != ascii.Lower(token) {
			continue
		}
		if rest := text[len(token):]; rest == "" || !strings.ContainsRune(wordBytes, rune(rest[0])) {
			return text[:len(token)]
		}
	}
	return ""
}

// wordBytes are the bytes that a name may go on with.
const wordBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

// meantBy returns the agent whose token somebody may have meant who wrote another (Nearest).
// ok is false where there is none, or where the token itself is known.
func meantBy(token string) (near Agent, ok bool) {
	if _, known := Find(token); known {
		return Agent{}, false
	}
	name, ok := Nearest(token, tokens())
	if ok {
		near, _ = Find(name)
	}
	return near, ok
}

// tokens are the tokens of all agents but general words (bot, crawler), which nobody means.
var tokens = sync.OnceValue(func() (tokens []string) {
	for _, a := range load().Agents {
		if a.Kind != Software || a.Operator != "" {
			tokens = append(tokens, a.Token)
		}
	}
	return tokens
})

// prominent are the tokens that most readers look for, first the tokens of crawlers that gather data for
// AI.
var prominent = []string{
	"GPTBot", "ClaudeBot", "CCBot", "Google-Extended", "Bytespider", "PerplexityBot", "Amazonbot", "meta-externalagent",
	"Applebot-Extended", "ChatGPT-User", "OAI-SearchBot", "anthropic-ai", "Googlebot", "bingbot", "archive.org_bot",
	"ia_archiver",
}

// Prominence is where a token stands among those that readers look for: the lower, the
// better known. All others share the last place.
func Prominence(token string) int {
	i := slices.IndexFunc(prominent, func(p string) bool { return strings.EqualFold(p, token) })
	if i < 0 {
		return len(prominent)
	}
	return i
}
