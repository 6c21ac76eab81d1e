package report

import (
	"maps"
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// pageCounts counts fetches by what was said of their use.
type pageCounts struct {
	rules      map[tag.Rule]int64                             // effective for the crawler
	purposes   map[tag.Purpose]*[4]int64                      // by preference
	restricted map[tag.Use]map[evaluate.RestrictionKind]int64 // by purpose asked for and kind
}

func newPageCounts() pageCounts {
	return pageCounts{
		rules: make(map[tag.Rule]int64), purposes: make(map[tag.Purpose]*[4]int64),
		restricted: make(map[tag.Use]map[evaluate.RestrictionKind]int64),
	}
}

func (c *pageCounts) add(r *evaluate.Result) {
	for i := range r.Restrictions {
		f := &r.Restrictions[i]
		if c.restricted[f.Purpose] == nil {
			c.restricted[f.Purpose] = make(map[evaluate.RestrictionKind]int64)
		}
		c.restricted[f.Purpose][f.Kind]++
	}
	if r.Page == nil {
		return
	}
	for _, rule := range r.Page.Own.Rules() {
		if rule.Restricts() {
			c.rules[rule]++
		}
	}
	var signals []tag.Signal
	for i := range r.Page.Signals {
		signals = append(signals, r.Page.Signals[i].Signal)
	}
	for purpose := tag.PurposeAutomated; purpose < tag.PurposeLicense; purpose++ {
		if !slices.ContainsFunc(signals, func(s tag.Signal) bool { return s.Purpose == purpose && s.Binds() }) {
			continue
		}
		if c.purposes[purpose] == nil {
			c.purposes[purpose] = new([4]int64)
		}
		c.purposes[purpose][tag.Prefers(signals, purpose)]++
	}
}

// ruleGloss says in a curator's words what a rule asks for.
var ruleGloss = map[tag.Rule]string{
	tag.RuleNoindex:          "not to be found in a search index",
	tag.RuleNosnippet:        "no excerpts",
	tag.RuleNofollow:         "its links are not to be followed",
	tag.RuleNoarchive:        "no public copy",
	tag.RuleNocache:          "no public copy",
	tag.RuleNoimageindex:     "its images not to be found in a search index",
	tag.RuleNotranslate:      "no translation",
	tag.RuleMaxSnippet:       "excerpts of a certain length at most",
	tag.RuleMaxImagePreview:  "image previews of a certain size at most",
	tag.RuleMaxVideoPreview:  "video previews of a certain length at most",
	tag.RuleUnavailableAfter: "not to be shown after a date",
	tag.RuleNoai:             "not to be used for AI",
	tag.RuleNoimageai:        "its images not to be used for AI",
}

// purposeGloss says in a curator's words what a purpose is.
var purposeGloss = map[tag.Purpose]string{
	tag.PurposeAutomated:  "any automated use",
	tag.PurposeTDM:        "text and data mining",
	tag.PurposeTrainAI:    "training AI",
	tag.PurposeTrainGenAI: "training generative AI",
	tag.PurposeAIInput:    "input of AI answers",
	tag.PurposeSearch:     "search",
}

// printPages tells what pages and origins said of their use.
func (s *Summary) printPages(p *page) {
	t := &s.audit.Totals
	if t.Tagged+t.TagsUnknown+t.Signalled+t.PolicyFiles+t.CrawlDelays == 0 {
		p.heading("What pages said of their use: nothing.")
		return
	}
	p.columns("What pages said of their use: known only after the fetch, so no violation by it")
	p.noted("tagged", t.Tagged, "fetches whose page has a tag for somebody (page_tags)")
	for _, rule := range slices.Sorted(maps.Keys(s.pages.rules)) {
		p.noted("  "+rule.String(), s.pages.rules[rule], ruleGloss[rule])
	}
	p.noted("signalled", t.Signalled, "fetches of whose use page or site said something (usage_signals)")
	for _, purpose := range slices.Sorted(maps.Keys(s.pages.purposes)) {
		c := s.pages.purposes[purpose]
		p.noted("  "+purpose.String(), c[tag.PreferenceRestrict], purposeGloss[purpose]+" restricted; allowed for "+number(c[tag.PreferenceAllow]))
	}
	p.noted("contradictory", t.Conflicting, "fetches of which two statements differ; the restriction holds (tag_conflicts)")
	p.noted("unknown", t.TagsUnknown, "fetches some of whose tags may be missing: a revisit without original, an unreadable page")
	p.noted("policy files", t.PolicyFiles, "ai.txt and trust.txt got, which are recognised and not read (host_stats.policy_files)")
	p.noted("too soon", t.CrawlDelays, "fetches sooner than Crawl-delay asked for, which is no part of RFC 9309 (rows with --rate)")
	if len(s.pages.restricted) == 0 {
		return
	}
	p.columns("Restricted for the purpose given", "publication", "usage")
	for _, use := range slices.Sorted(maps.Keys(s.pages.restricted)) {
		kinds := s.pages.restricted[use]
		p.row(use.String(), number(kinds[evaluate.RestrictsPublication]), number(kinds[evaluate.RestrictsUsage]))
	}
}
