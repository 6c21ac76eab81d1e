package use

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// metaNames are the names of metas that are product tokens, whoever made the fetch: the
// names in the list of agents and the tokens of the audit, in lower case. A page has metas
// of many other names, whose content may be a word of the vocabulary and binds nobody.
type metaNames map[string]bool

func newMetaNames(asked []string) metaNames {
	names := make(metaNames)
	for _, a := range agents.All() {
		names[crawler.Key(a.Token)] = true
	}
	for _, token := range asked {
		names[crawler.Key(token)] = true
	}
	return names
}

// isToken reports whether a meta's name is a product token: one that is known, the token of
// the crawler that fetched the page, or one that is marked as a crawler's.
func (n metaNames) isToken(name, by string) bool {
	name = crawler.Key(name)
	return n[name] || tag.IsAgentMeta(name) || name == crawler.Key(by) ||
		strings.Contains(name, "bot") || strings.Contains(name, "crawler") || strings.Contains(name, "spider")
}

// withOwnRules are the tokens for which a tag that is everybody's may come to more.
func withOwnRules(tokens []string) (list []string) {
	for _, token := range tokens {
		if tag.HasOwnRules(token) {
			list = append(list, token)
		}
	}
	return list
}
