package use

import (
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// This file finds which tags of a page are in effect, and for whom.

// readTags takes the tags of a page, from its header fields and its metas, of which those count whose name is robots or
// a product token. It returns what they say of use to the crawler that made the fetch.
func (p *Reader) readTags(page *Page, headers, metas []tag.Tag, by string) []tag.Signal {
	key := crawler.Key(by)
	isOther := func(t tag.Tag) bool { return !t.Global() && !p.names.isToken(t.Agent, key) }
	page.Tags = append(headers, slices.DeleteFunc(metas, isOther)...)
	page.Own = page.effective(by)
	if len(page.Tags) > 0 {
		page.addSets(p.asked, key)
	}
	return tag.TagSignals(page.Tags, by, page.image)
}

// addSets finds what holds for everybody and for each token that is named. It adds tokens asked for, and the
// crawler's own, if everybody's tags mean more for them.
func (p *Page) addSets(asked []string, by string) {
	agents := []string{""}
	for i := range p.Tags {
		t := &p.Tags[i]
		name, _, _ := strings.Cut(t.Agent, "/")
		name = crawler.Key(strings.TrimSpace(name))
		switch {
		case !t.Binds() || slices.Contains(agents, name):
		case len(agents) <= maxAgentSets:
			agents = append(agents, name)
		default:
			p.From = resolve.SourceUnknown // everybody's row does not answer for the rest
		}
	}
	add := func(token string) {
		if set := p.effective(token); set.IsOwn() && !slices.Contains(agents, crawler.Key(token)) {
			agents = append(agents, crawler.Key(token))
		}
	}
	for _, token := range asked {
		add(token)
	}
	if p.Own.IsOwn() && !slices.Contains(agents, by) {
		agents = append(agents, by)
	}
	slices.Sort(agents)
	for _, a := range agents {
		if set := p.effective(a); len(set.Tags) > 0 {
			p.Sets = append(p.Sets, AgentSet{a, set})
		}
	}
}

func (p *Page) effective(token string) tag.Set {
	set := tag.Effective(p.Tags, token)
	set.Image = p.image
	return set
}

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
	return n[name] || tag.IsAgentMeta(name) || name == by ||
		strings.Contains(name, "bot") || strings.Contains(name, "crawler") || strings.Contains(name, "spider")
}

// withOwnRules are the tokens for which everybody's tags may mean more.
func withOwnRules(tokens []string) (list []string) {
	for _, token := range tokens {
		if tag.HasOwnRules(token) {
			list = append(list, token)
		}
	}
	return list
}
