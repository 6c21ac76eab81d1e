package report

import (
	"github.com/robotsaudit/robotsaudit/evaluate"
)

// ExclusionRow is a row of exclusions: a URL that robots.txt kept a crawler from, by
// the word of its log, and what the captures say of it.
type ExclusionRow struct {
	URL              string `parquet:"url,delta"`
	HostName         string `parquet:"url_host_name,dict"`
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,dict"`
	Origin           string `parquet:"origin,dict"`
	// When the crawler left it out, by the log. Null: missing or unreadable.
	LogTime *int64 `parquet:"log_time,optional,timestamp(microsecond)"`
	// As the log writes it: `-9998` (Heritrix), `robotsTxt` (Browsertrix).
	LogReason string `parquet:"log_reason,dict"`
	// Input that is the log, or holds it.
	WARCFilename string `parquet:"warc_filename,dict"`
	// Line in that file, from 1.
	LogLine int64 `parquet:"log_line"`
	// URL that led the crawler there. Null: not stated.
	Via          string  `parquet:"via,optional,dict"`
	HopsFromSeed *string `parquet:"hops_from_seed,optional,dict"`
	CrawlerToken
	// How the group was found that decides. Null: no file was applied.
	AgentMatch string `parquet:"agent_match,optional,dict" values:"agent_match"`
	Decision
	RobotsID int64 `parquet:"robots_id,optional"`
	// Deciding line as its file gives it. Null: no rule decided.
	Rule string `parquet:"rule,optional,dict"`
	// Its line, from 1. Null: no rule decided.
	RuleLine int32 `parquet:"rule_line,optional"`
	// First user-agent line of the group that holds the rule; without a rule, of the first group that governs. Null:
	// no group.
	GroupLine int32    `parquet:"group_line,optional"`
	Notes     []string `parquet:"notes,list" values:"note"`
}

func (b *rowBuilder) exclusionRow(x *evaluate.Exclusion) ExclusionRow {
	site := b.siteOf(x.Fetch.Origin, x.Fetch.URL)
	row := ExclusionRow{
		URL:              locator(x.Fetch.URL),
		HostName:         site.host,
		RegisteredDomain: site.registered,
		Origin:           locator(x.Fetch.Origin),
		LogTime:          micros(x.Event.Time()),
		LogReason:        text(x.Event.Reason),
		WARCFilename:     b.filename(x.Event.Input, x.Event.Entry),
		LogLine:          x.Event.Line,
		Via:              locator(x.Event.Via),
		HopsFromSeed:     known(text(x.Event.HopsFromSeed), x.Event.HopsFromSeed != ""),
		CrawlerToken:     crawlerToken(&x.Result),
		AgentMatch:       x.Match.String(),
		Decision:         decision(x.Evidence, &x.Answer),
		RobotsID:         robotsID(x.Governing),
		GroupLine:        int32(x.GroupLine),
		Notes:            b.noteList(x.Notes),
	}
	row.Rule, row.RuleLine = rule(&x.Answer)
	return row
}
