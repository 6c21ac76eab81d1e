package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate/crawler"
	"github.com/robotsaudit/robotsaudit/evaluate/parsed"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/restriction"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// PolicyTokens names the product tokens whose policies are read from a robots.txt.
type PolicyTokens uint8

// The product tokens.
const (
	PoliciesAsked PolicyTokens = iota // `*`, the crawlers of the archives and DecideOptions.Agents
	PoliciesNamed                     // those, and the tokens that the file itself names
	PoliciesNone
)

func (p PolicyTokens) String() string { return [...]string{"asked", "named", "none"}[p] }

// ParsePolicyTokens returns the value of a name: asked, named or none.
func ParsePolicyTokens(name string) (PolicyTokens, bool) {
	for p := range PoliciesNone + 1 {
		if name == p.String() {
			return p, true
		}
	}
	return 0, false
}

// Everybody is the token of the groups for every crawler that no group names.
const Everybody = "*"

// Policies is a robots capture's policies for product tokens, whether or not it governs a fetch.
type Policies struct {
	*State
	CaptureClass string   // Common Crawl's, of the capture's own status; "" where there is none
	Sitemaps     []string // the first of the file, for all tokens
	List         []Policy // by token: `*` first, then in the alphabet, in any case
}

// Policy is a robots capture's policy for a product token.
type Policy struct {
	Agent                         string
	Group                         GroupKind
	Restriction, Longpre, Liu, CC RestrictionClass
	*Terms                        // of the group that governs the token; no Known ones where nothing is known
}

// Terms are the terms of the groups of a robots.txt that govern a product token.
type Terms struct {
	Known         bool // all that follows: a whole file was applied
	Rules         int
	HasCrawlDelay bool
	CrawlDelay    int64    // microseconds: the least that is asked for
	RequestRate   string   // the first, as written
	Signals       []string // usage signals for the whole origin: PURPOSE=y or n, in the order of purposes
}

// GroupKind is how the groups were found that govern a product token.
type GroupKind uint8

// The kinds of group. The zero value is that nothing is known: no file was applied, or only a
// part, which may not be the one with the token's group.
const (
	GroupUnknown GroupKind = iota
	GroupNamed
	GroupWildcard
	GroupNone
)

// GroupKinds is indexed by GroupKind.
var GroupKinds = []words.Word{
	GroupNamed:    {Name: "named", Meaning: "User-agent lines name the token."},
	GroupWildcard: {Name: "wildcard", Meaning: "None does; the groups for `*` govern it."},
	GroupNone:     {Name: "none", Meaning: "Neither: the file says nothing to the token."},
}

func (k GroupKind) String() string { return words.Name(GroupKinds, k) }

// What is taken of one file, and how many files are kept besides the parsed ones: most hosts
// serve the same bytes again and again.
const (
	maxPolicyCrawlers = 32   // crawlers of the archives: those with most fetches
	maxPolicyNames    = 1000 // tokens that a file names
	maxPolicyFiles    = 64
)

// policyReader reads the policies of robots.txt files, whoever fetched by them.
type policyReader struct {
	files  *parsed.Cache
	opt    *DecideOptions
	tokens []string // sorted, without `*`
	keys   []string // of tokens, comparable
	kept   map[string]*filePolicies
	passed Policies // reused
}

type filePolicies struct {
	list     []Policy
	sitemaps []string
	cut      int // tokens that the file names, where they are more than are asked
}

// newPolicyReader returns nil if policies are not wanted.
func (r *Resolved) newPolicyReader(ctx context.Context, files *parsed.Cache) (*policyReader, error) {
	if r.opt.Policies == PoliciesNone {
		return nil, nil
	}
	tokens, err := r.policyTokens(ctx)
	if err != nil {
		return nil, err
	}
	p := &policyReader{files: files, opt: &r.opt, tokens: tokens, kept: make(map[string]*filePolicies)}
	for _, token := range tokens {
		p.keys = append(p.keys, crawler.Key(token))
	}
	return p, nil
}

// policyTokens are the crawlers of the archives and the tokens asked for. They are found once,
// before any range is decided: which they are does not depend on the ranges.
func (r *Resolved) policyTokens(ctx context.Context) ([]string, error) {
	r.policies.Lock()
	defer r.policies.Unlock()
	if !r.policies.known {
		crawlers, err := r.crawlers(ctx)
		if err != nil {
			return nil, err
		}
		r.policies.tokens, r.policies.known = DistinctTokens(slices.Concat(r.opt.Agents, crawlers)), true
	}
	return r.policies.tokens, nil
}

// crawlers are the product tokens of the crawlers with most fetches, by their User-Agents.
func (r *Resolved) crawlers(ctx context.Context) (tokens []string, err error) {
	if r.opt.Crawler != "" {
		return []string{r.opt.Crawler}, nil
	}
	who := crawler.NewNames("", r.opt.CrawlerMap)
	var counts AgentTable
	err = r.store.UserAgents(ctx, func(userAgent string, fetches int64) {
		if token := who.OfUserAgent(userAgent).Token; token != "" {
			counts.of(token, crawler.Key(token)).Fetches += fetches
		}
	})
	list := slices.DeleteFunc(counts.Sorted(), func(a *AgentStats) bool { return a == counts.others })
	slices.SortStableFunc(list, func(a, b *AgentStats) int { return cmp.Compare(b.Fetches, a.Fetches) })
	for _, a := range list[:min(len(list), maxPolicyCrawlers)] {
		tokens = append(tokens, a.Agent)
	}
	return tokens, err
}

func (p *policyReader) pass(st *State, sink Sink, issues *run.Sorter[facts.Issue]) error {
	p.passed = Policies{State: st, CaptureClass: restriction.CCCapture(max(int(st.Status), 0))}
	said, err := p.said(st)
	if err != nil {
		return err
	}
	p.passed.List, p.passed.Sitemaps = said.list, said.sitemaps
	if said.cut > 0 {
		err := issues.Add(st.Issue(words.IssueLimitReached,
			fmt.Sprintf("robots_policies has the first %d of them", maxPolicyNames),
			"robots.txt names %d product tokens", said.cut))
		if err != nil {
			return err
		}
	}
	return sink.Policies(&p.passed)
}

// said is the policies of a capture, by what it came to.
func (p *policyReader) said(st *State) (*filePolicies, error) {
	key := st.Outcome.String()
	if st.Outcome.HasRules() {
		file, _ := parsed.Key(&st.State)
		key += " " + file
	}
	if said := p.kept[key]; said != nil {
		return said, nil
	}
	said := &filePolicies{}
	switch st.Outcome {
	case words.OutcomeRules, words.OutcomePartial:
		file, err := p.files.Get(&st.State)
		if err != nil {
			return nil, err
		}
		said = p.ask(file, isPart(st, file))
	case words.OutcomeUnavailable:
		said.list = p.withoutFile(Policy{Restriction: restriction.None, Longpre: restriction.None})
	case words.OutcomeUnreachable:
		said.list = p.withoutFile(Policy{Restriction: restriction.Full})
	default:
		said.list = p.withoutFile(Policy{})
	}
	if len(p.kept) >= maxPolicyFiles {
		clear(p.kept)
	}
	p.kept[key] = said
	return said, nil
}

// isPart reports whether a part of a file is all that is known of it. What was cut beyond what the
// profile parses is missed by nobody.
func isPart(st *State, file *parsed.File) bool {
	return st.Outcome == words.OutcomePartial || facts.Flags(st.BodyFlags)&facts.FlagBodyCut != 0 && !file.Cut
}

// withoutFile is the policy for all tokens where there is no file. Of the studies, Longpre et
// al. alone state what they make of that: no robots.txt restricts nobody.
func (p *policyReader) withoutFile(said Policy) []Policy {
	said.Agent, said.Terms = Everybody, new(Terms)
	list := []Policy{said}
	for _, token := range p.tokens {
		said.Agent = token
		list = append(list, said)
	}
	return list
}

// ask reads the policies of a file, or of a part of one, whose rest may differ: then all that is known
// is which tokens it names, and its statements about use for them.
func (p *policyReader) ask(f *parsed.File, isPart bool) *filePolicies {
	tokens, cut := p.tokensFor(f)
	said := &filePolicies{cut: cut, sitemaps: f.Sitemaps(), list: make([]Policy, 0, 1+len(tokens))}
	classes := restriction.Of(f.File)
	terms := make(map[[2]int]*Terms) // by the keys of the groups, in both ways in which tokens find them
	nothing := new(Terms)
	add := func(agent, token string) {
		policy := Policy{Agent: agent, Group: kindOf(f, token), Terms: nothing}
		switch {
		case !isPart:
			policy.Restriction, policy.Longpre, policy.Liu, policy.CC = classes.Semantic(token),
				classes.Longpre(token), classes.Liu(token), classes.CC(token)
		case policy.Group != GroupNamed:
			policy.Group = GroupUnknown
		}
		if policy.Group != GroupUnknown {
			key := f.Usage().Key(token)
			if terms[key] == nil {
				terms[key] = termsOf(f, token, policy.Restriction, !isPart)
			}
			policy.Terms = terms[key]
		}
		said.list = append(said.list, policy)
	}
	add(Everybody, "")
	for _, token := range tokens {
		add(token, token)
	}
	return said
}

// kindOf reports how a token's groups are found.
func kindOf(f *parsed.File, token string) GroupKind {
	switch f.MatchOf(token) {
	case words.MatchNoGroup:
		return GroupNone
	case words.MatchGlobal:
		return GroupWildcard
	}
	return GroupNamed
}

// tokensFor are the tokens to read from a file, sorted; cut is how many it names, where not all of
// these are among them.
func (p *policyReader) tokensFor(f *parsed.File) (tokens []string, cut int) {
	if p.opt.Policies != PoliciesNamed {
		return p.tokens, 0
	}
	names := f.Names()
	if len(names) > maxPolicyNames {
		cut = len(names)
		names = names[:maxPolicyNames]
	}
	tokens = slices.Clone(p.tokens)
	for _, name := range names {
		if _, asked := slices.BinarySearch(p.keys, crawler.Key(name)); !asked {
			tokens = append(tokens, strings.Clone(name))
		}
	}
	return DistinctTokens(tokens), cut
}

// termsOf are the terms of the groups of a token, that restrict as c; known: of a whole file.
func termsOf(f *parsed.File, token string, c RestrictionClass, known bool) *Terms {
	g := f.For(token)
	t := &Terms{Known: known, Rules: g.Rules()}
	t.CrawlDelay, t.HasCrawlDelay = f.CrawlDelay(g.Lines())
	for _, line := range g.Lines() {
		t.RequestRate = cmp.Or(t.RequestRate, f.Rate(line))
	}
	signals := f.Usage().ForAll(token)
	if usage := f.UsageRules(); usage != f.File && known {
		c = restriction.Of(usage).Semantic(token)
	}
	if c == restriction.Full { // paths that can't be crawled have no preferences (draft-ietf-aipref-attach-05 §3.1)
		signals = slices.DeleteFunc(signals, func(s tag.Signal) bool { return s.Kind == tag.SignalContentUsage })
	}
	for purpose := tag.PurposeAutomated; purpose < tag.PurposeLicense; purpose++ {
		switch tag.Prefers(signals, purpose) {
		case tag.PreferenceAllow:
			t.Signals = append(t.Signals, purpose.String()+"=y")
		case tag.PreferenceRestrict:
			t.Signals = append(t.Signals, purpose.String()+"=n")
		}
	}
	return t
}

// DistinctTokens sorts product tokens and drops those that differ in case alone.
func DistinctTokens(tokens []string) []string {
	list := slices.Clone(tokens)
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(crawler.Key(a), crawler.Key(b)), cmp.Compare(a, b))
	})
	return slices.CompactFunc(list, func(a, b string) bool { return crawler.Key(a) == crawler.Key(b) })
}
