package report

import (
	"github.com/robotsaudit/robotsaudit/evaluate"
)

// PolicyRow is a row of robots_policies: what a robots capture says to a product token.
type PolicyRow struct {
	// The capture, in `robots`.
	RobotsID         int64  `parquet:"robots_id,delta"`
	Origin           string `parquet:"origin,dict"`
	HostName         string `parquet:"url_host_name,dict"`
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,dict"`
	FetchTime        *int64 `parquet:"fetch_time,optional,timestamp(microsecond),dict"`
	// What the capture means, redirects and revisits followed.
	Outcome     string `parquet:"outcome,dict" values:"outcome"`
	FetchStatus *int16 `parquet:"fetch_status,optional,dict"`
	// What Common Crawl's study calls the capture by its own status, before redirects. Null: no status.
	CaptureCC string `parquet:"capture_cc,optional,dict" values:"capture_cc"`
	// Product token, or `*`: every crawler that no group names.
	Agent string `parquet:"agent,dict"`
	// How the groups were found that govern the token. Null: no file; or a part of one that does not name the token.
	GroupKind string `parquet:"group_kind,optional,dict" values:"group_kind"`
	// [How much](#restriction-classes) the rules forbid, by the paths that they match: any text that begins with `/`.
	// Null: not known.
	Restriction string `parquet:"restriction,optional,dict" values:"policy_restriction"`
	// By Longpre et al. 2024; values that contain a `?` do not count. Null: no whole file.
	Longpre string `parquet:"restriction_longpre,optional,dict" values:"restriction_longpre"`
	// By Liu et al. 2025: whether Google's parser allows `/`, `/dummy-testing-path-54321`, and the path of each line
	// of the file that contains `allow:`, for any crawler, with a final `$` cut. Null: no whole file.
	Liu string `parquet:"restriction_liu,optional,dict" values:"restriction_liu"`
	// By Common Crawl's study; a token without rules of its own has the class of `*`. Null: no whole file, or no rules
	// for `*`, either.
	CC string `parquet:"restriction_cc,optional,dict" values:"restriction_cc"`
	// Crawl-delay in seconds: the least of the groups. Null: none, or more than a day.
	CrawlDelay *float64 `parquet:"crawl_delay_seconds,optional"`
	// Request-rate as written, the first of the groups. Null: none.
	RequestRate string `parquet:"request_rate,optional,dict"`
	// Number of rules in the groups that can match something. Null: no whole file.
	Rules *int32 `parquet:"rules,optional"`
	// The first 32 sitemaps that the file names, whoever asks.
	Sitemaps []string `parquet:"sitemaps,list"`
	// What usage signals of the groups state about all paths: `PURPOSE=y` or `PURPOSE=n`.
	Signals []string `parquet:"signals,list"`
	// As in `robots`. Null: no body.
	BodyDigest string `parquet:"body_digest,optional,dict"`
}

// eachPolicy calls add for the rows of a capture.
func (b *rowBuilder) eachPolicy(p *evaluate.Policies, add func(PolicyRow) error) error {
	site := b.siteOf(p.Origin, p.URL)
	c := b.cite(p.State)
	row := PolicyRow{
		RobotsID: p.ID, Origin: locator(p.Origin), HostName: site.host, RegisteredDomain: site.registered,
		FetchTime: c.RobotsTime, Outcome: c.RobotsOutcome, FetchStatus: c.RobotsStatus,
		CaptureCC: p.CaptureClass, BodyDigest: c.RobotsBodyDigest,
	}
	for _, url := range p.Sitemaps {
		row.Sitemaps = append(row.Sitemaps, ruleText(url))
	}
	for i := range p.List {
		said := &p.List[i]
		row := row
		row.Agent, row.GroupKind = text(said.Agent), said.Group.String()
		row.Restriction, row.Longpre, row.Liu, row.CC = class(said.Restriction), class(said.Longpre), class(said.Liu),
			class(said.CC)
		row.RequestRate, row.Signals = text(said.RequestRate), said.Signals
		row.CrawlDelay = known(float64(said.CrawlDelay)/1e6, said.HasCrawlDelay && said.Known)
		row.Rules = known(int32(said.Rules), said.Known)
		if err := add(row); err != nil {
			return err
		}
	}
	return nil
}

// class is "", which the table writes as null, where it is unknown.
func class(c evaluate.RestrictionClass) string {
	if c == 0 {
		return ""
	}
	return c.String()
}
