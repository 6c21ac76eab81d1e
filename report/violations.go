package report

import (
	"slices"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// ViolationRow is a row of violations and of unproven: a disallowed fetch with all
// that is needed to recompute its verdict from the archive.
type ViolationRow struct {
	URL              string `parquet:"url,delta"`
	SURTKey          string `parquet:"url_surtkey,delta"`
	HostName         string `parquet:"url_host_name,delta"`
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,delta"`
	// Host with its labels reversed. Null: host is an address.
	HostNameReversed string `parquet:"url_host_name_reversed,optional,delta"`
	// Scheme, lower case.
	Protocol string `parquet:"url_protocol,dict"`
	// Port as written in the URL. Null: none written.
	Port *int32 `parquet:"url_port,optional"`
	// Path as recorded; `/` where the URL has none.
	Path string `parquet:"url_path"`
	// What follows the first `?`, maybe nothing. Null: no `?`.
	Query       *string `parquet:"url_query,optional"`
	Origin      string  `parquet:"origin,delta"`
	FetchTime   *int64  `parquet:"fetch_time,optional,timestamp(microsecond)"`
	FetchMethod string  `parquet:"fetch_method,dict"`
	FetchStatus *int16  `parquet:"fetch_status,optional,dict"`
	// Location, as sent. Null: not sent.
	FetchRedirect   string `parquet:"fetch_redirect,optional"`
	RecordType      string `parquet:"record_type,dict" values:"record_type"`
	ContentDigest   string `parquet:"content_digest,optional,delta"`
	ContentMIMEType string `parquet:"content_mime_type,optional,dict"`
	// WARC-Truncated. Null: not recorded.
	ContentTruncated string `parquet:"content_truncated,optional,dict"`
	Content
	// Input that holds the record; of an indexed fetch the archive that the index names.
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset"`
	WARCRecordLength int64  `parquet:"warc_record_length"`
	WARCRecordID     string `parquet:"warc_record_id,optional,delta"`
	CrawlerToken
	// User-Agent that `agent` was derived from. If nothing shows which of two counts, each is a line. Null: not known.
	UserAgent string `parquet:"user_agent,optional,dict"`
	Claim     string `parquet:"claim,optional,dict"`
	Decision
	Certainty  string   `parquet:"certainty,dict" values:"certainty"`
	OwnReading string   `parquet:"own_reading,optional,dict" values:"verdict"`
	Notes      []string `parquet:"notes,list" values:"note"`
	// Reasons for the class, the strongest first, at most eight; `robots_id`: the capture concerned, 0: the fetch.
	Grounds []Ground `parquet:"grounds,list" values:"ground"`
	// How many [other copies](SEMANTICS.md#the-four-classes) of robots.txt were examined.
	CopiesAsked int32  `parquet:"copies_asked"`
	Trust       string `parquet:"trust,dict" values:"trust"`
	// Reading of the protocol.
	Profile string `parquet:"profile,dict" values:"profile"`
	// How the group was found that decides. Null: no file was applied.
	AgentMatch string `parquet:"agent_match,optional,dict" values:"agent_match"`
	// Deciding line as its file gives it. Null: no rule decided.
	Rule string `parquet:"rule,optional,dict"`
	// Its line, from 1. Null: no rule decided.
	RuleLine int32 `parquet:"rule_line,optional"`
	// First user-agent line of the group that holds the rule; without a rule, of the first group that governs. Null:
	// no group.
	GroupLine int32 `parquet:"group_line,optional"`
	// Age of the evidence in seconds, see Age. Null: no date.
	RobotsAge *int64 `parquet:"robots_age_seconds,optional"`
	Discovery
	RobotsCitation
	ContestedCitation
}

// A Ground is a reason for the class of a disallowed fetch, or what forbids it in place of a rule.
type Ground struct {
	Word     string `parquet:"word,dict" json:"word"`
	RobotsID int64  `parquet:"robots_id" json:"robots_id"` // of the capture that it is about; 0: it is about the fetch
}

// GroundWords are the words of the grounds, each once.
func (r *ViolationRow) GroundWords() (list []string) {
	for _, g := range r.Grounds {
		if !slices.Contains(list, g.Word) {
			list = append(list, g.Word)
		}
	}
	return list
}

// maxGrounds is how many grounds a row has, at most.
const maxGrounds = 8

func (b *rowBuilder) violationRow(r *evaluate.Result) ViolationRow {
	f := r.Fetch
	u, _ := weburl.Parse(f.URL)
	site := b.siteOf(f.Origin, f.URL)
	row := ViolationRow{
		URL:              locator(f.URL),
		SURTKey:          locator(u.SURTKey()),
		HostName:         site.host,
		RegisteredDomain: site.registered,
		HostNameReversed: site.reversed,
		Protocol:         locator(u.Scheme),
		Port:             known(int32(u.Port), u.Port != 0),
		Path:             locator(u.Path),
		Query:            known(locator(u.Query), u.HasQuery),
		Origin:           locator(f.Origin),
		FetchTime:        micros(f.Time()),
		FetchMethod:      text(f.Method),
		FetchStatus:      status(f.Status),
		FetchRedirect:    locator(f.Location),
		RecordType:       f.Type.String(),
		ContentDigest:    text(f.PayloadDigest),
		ContentMIMEType:  text(f.MIMEType),
		ContentTruncated: text(f.Truncated),
		Content:          content(r),
		WARCFilename:     b.archive(f),
		WARCRecordOffset: f.Offset,
		WARCRecordLength: f.Length,
		WARCRecordID:     text(f.RecordID.String()),
		CrawlerToken:     crawlerToken(r),
		UserAgent:        text(f.UserAgent),
		Claim:            text(f.Claim),
		Decision:         decision(r.Evidence, &r.Answer),
		Certainty:        r.Certainty.String(),
		OwnReading:       ownReading(r),
		Notes:            b.noteList(r.Notes),
		CopiesAsked:      int32(r.CopiesAsked),
		Trust:            f.Trust.String(),
		Profile:          b.profile,
		AgentMatch:       r.Match.String(),
		GroupLine:        int32(r.GroupLine),
		Discovery:        discovery(f),
	}
	for _, g := range r.Objections() {
		if len(row.Grounds) == maxGrounds {
			break
		}
		row.Grounds = append(row.Grounds, Ground{g.Name(), g.RobotsID()})
	}
	row.Rule, row.RuleLine = rule(&r.Answer)
	if r.Governing != nil {
		row.RobotsAge, row.RobotsCitation = new(r.Age), b.cite(r.Governing)
	}
	if r.Contester() != nil {
		c := b.cite(r.Contester())
		row.ContestedCitation = ContestedCitation{
			c.RobotsID, c.RobotsOutcome, c.RobotsTime, c.RobotsAgent, c.RobotsFilename, c.RobotsOffset, c.RobotsLength,
			c.RobotsRecordID, c.RobotsBodyFile, c.RobotsBodyOffset, c.RobotsBodyDigest,
		}
	}
	return row
}
