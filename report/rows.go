package report

import "github.com/robotsaudit/robotsaudit/evaluate"

// The row types below are the result tables, one struct a table. docs/SCHEMA.md
// describes every column; a test compares the two. Columns are only ever added,
// and added columns are nullable. An optional column whose field is no pointer holds
// null for the field's zero value, where that is no value of the column.
//
// Rows come origin by origin, so that what names the origin is like the row before, and
// differs from all others: delta takes less memory for that than a dictionary, which
// would be given up in every row group of many origins.

// SchemaVersion is written to the footer of every table and to audit.json.
const SchemaVersion = "2"

// FetchRow is a row of fetches: one captured exchange and the verdict on it for
// the crawler that made it. It is narrow; robots_id leads to the proof in robots.
type FetchRow struct {
	URL              string  `parquet:"url,delta"`
	HostName         string  `parquet:"url_host_name,delta"`
	RegisteredDomain string  `parquet:"url_host_registered_domain,optional,delta"`
	Origin           string  `parquet:"origin,delta"`
	FetchTime        *int64  `parquet:"fetch_time,optional,timestamp(microsecond)"`
	FetchMethod      string  `parquet:"fetch_method,dict"`
	FetchStatus      *int16  `parquet:"fetch_status,optional"`
	RecordType       string  `parquet:"record_type,dict"`
	ContentDigest    string  `parquet:"content_digest,optional"`
	ContentMIMEType  string  `parquet:"content_mime_type,optional,dict"`
	WARCFilename     string  `parquet:"warc_filename,dict"`
	WARCRecordOffset int64   `parquet:"warc_record_offset,delta"`
	WARCRecordLength int64   `parquet:"warc_record_length,delta"`
	WARCRecordID     string  `parquet:"warc_record_id,optional"`
	Agent            string  `parquet:"agent,optional,dict"`
	AgentSource      string  `parquet:"agent_source,dict"`
	Verdict          string  `parquet:"verdict,dict"`
	Evidence         string  `parquet:"evidence,dict"`
	Reason           string  `parquet:"reason,dict"`
	Certainty        string  `parquet:"certainty,optional,dict"`
	PriorVerdict     string  `parquet:"prior_verdict,optional,dict"`
	RobotsID         int64   `parquet:"robots_id,optional"`
	RuleLine         int32   `parquet:"rule_line,optional"`
	Notes            string  `parquet:"notes,optional,dict"`
	Trust            string  `parquet:"trust,dict"`
	Via              string  `parquet:"via,optional,dict"`
	HopsFromSeed     *string `parquet:"hops_from_seed,optional,dict"`
	IsSeed           *bool   `parquet:"is_seed,optional"`
	ForceFetch       *bool   `parquet:"force_fetch,optional"`
	FetchDuration    *int32  `parquet:"fetch_duration_ms,optional"`
	IsPage           *bool   `parquet:"is_page,optional"`
	Tags             string  `parquet:"tags,optional,dict"`
	TagsFrom         string  `parquet:"tags_from,optional,dict"`
}

// ViolationRow is a row of violations and of unproven: a disallowed fetch with all
// that is needed to recompute its verdict from the archive.
type ViolationRow struct {
	URL              string  `parquet:"url,delta"`
	SURTKey          string  `parquet:"url_surtkey,delta"`
	HostName         string  `parquet:"url_host_name,delta"`
	RegisteredDomain string  `parquet:"url_host_registered_domain,optional,delta"`
	HostNameReversed string  `parquet:"url_host_name_reversed,optional,delta"`
	Protocol         string  `parquet:"url_protocol,dict"`
	Port             *int32  `parquet:"url_port,optional"`
	Path             string  `parquet:"url_path"`
	Query            *string `parquet:"url_query,optional"`
	Origin           string  `parquet:"origin,delta"`
	FetchTime        *int64  `parquet:"fetch_time,optional,timestamp(microsecond)"`
	FetchMethod      string  `parquet:"fetch_method,dict"`
	FetchStatus      *int16  `parquet:"fetch_status,optional"`
	FetchRedirect    string  `parquet:"fetch_redirect,optional"`
	RecordType       string  `parquet:"record_type,dict"`
	ContentDigest    string  `parquet:"content_digest,optional"`
	ContentMIMEType  string  `parquet:"content_mime_type,optional,dict"`
	ContentTruncated string  `parquet:"content_truncated,optional,dict"`
	WARCFilename     string  `parquet:"warc_filename,dict"`
	WARCRecordOffset int64   `parquet:"warc_record_offset"`
	WARCRecordLength int64   `parquet:"warc_record_length"`
	WARCRecordID     string  `parquet:"warc_record_id,optional"`
	Agent            string  `parquet:"agent,optional,dict"`
	AgentSource      string  `parquet:"agent_source,dict"`
	UserAgent        string  `parquet:"user_agent,optional,dict"`
	Claim            string  `parquet:"claim,optional,dict"`
	Verdict          string  `parquet:"verdict,dict"`
	Evidence         string  `parquet:"evidence,dict"`
	Reason           string  `parquet:"reason,dict"`
	Certainty        string  `parquet:"certainty,dict"`
	Notes            string  `parquet:"notes,optional,dict"`
	Trust            string  `parquet:"trust,dict"`
	Profile          string  `parquet:"profile,dict"`
	AgentMatch       string  `parquet:"agent_match,optional,dict"`
	Rule             string  `parquet:"rule,optional,dict"`
	RuleLine         int32   `parquet:"rule_line,optional"`
	GroupLine        int32   `parquet:"group_line,optional"`
	RobotsAge        *int64  `parquet:"robots_age_seconds,optional"`
	Via              string  `parquet:"via,optional,dict"`
	HopsFromSeed     *string `parquet:"hops_from_seed,optional,dict"`
	IsSeed           *bool   `parquet:"is_seed,optional"`
	ForceFetch       *bool   `parquet:"force_fetch,optional"`
	FetchDuration    *int32  `parquet:"fetch_duration_ms,optional"`
	IsPage           *bool   `parquet:"is_page,optional"`
	RobotsCitation
	ContestedCitation
}

// RobotsCitation are the columns that tell which robots.txt capture a row rests on,
// and whence the body comes that was applied.
type RobotsCitation struct {
	RobotsID           int64  `parquet:"robots_id,optional"`
	RobotsURL          string `parquet:"robots_url,optional,delta"`
	RobotsOutcome      string `parquet:"robots_outcome,optional,dict"`
	RobotsTime         *int64 `parquet:"robots_time,optional,timestamp(microsecond)"`
	RobotsStatus       *int16 `parquet:"robots_status,optional"`
	RobotsHops         *int32 `parquet:"robots_hops,optional"`
	RobotsAgent        string `parquet:"robots_agent,optional,dict"`
	RobotsFilename     string `parquet:"robots_warc_filename,optional,dict"`
	RobotsOffset       *int64 `parquet:"robots_warc_record_offset,optional"`
	RobotsLength       int64  `parquet:"robots_warc_record_length,optional"`
	RobotsRecordID     string `parquet:"robots_warc_record_id,optional,dict"`
	RobotsBodyTime     *int64 `parquet:"robots_body_time,optional,timestamp(microsecond)"`
	RobotsBodyAgent    string `parquet:"robots_body_agent,optional,dict"`
	RobotsBodyFile     string `parquet:"robots_body_warc_filename,optional,dict"`
	RobotsBodyOffset   *int64 `parquet:"robots_body_warc_record_offset,optional"`
	RobotsBodyRecordID string `parquet:"robots_body_warc_record_id,optional,dict"`
	RobotsBodyDigest   string `parquet:"robots_body_digest,optional,dict"`
}

// ContestedCitation are the columns that tell which copy of robots.txt allows a
// contested fetch.
type ContestedCitation struct {
	ContestedRobotsID   int64  `parquet:"contested_robots_id,optional"`
	ContestedOutcome    string `parquet:"contested_outcome,optional,dict"`
	ContestedTime       *int64 `parquet:"contested_time,optional,timestamp(microsecond)"`
	ContestedAgent      string `parquet:"contested_agent,optional,dict"`
	ContestedFilename   string `parquet:"contested_warc_filename,optional,dict"`
	ContestedOffset     *int64 `parquet:"contested_warc_record_offset,optional"`
	ContestedRecordID   string `parquet:"contested_warc_record_id,optional,dict"`
	ContestedBodyFile   string `parquet:"contested_body_warc_filename,optional,dict"`
	ContestedBodyOffset *int64 `parquet:"contested_body_warc_record_offset,optional"`
	ContestedBodyDigest string `parquet:"contested_body_digest,optional,dict"`
}

// RestrictionRow is a row of restrictions: what a page or its origin says against a
// purpose of the audit. It is no violation.
type RestrictionRow struct {
	Kind             string   `parquet:"kind,dict"`
	Certainty        string   `parquet:"certainty,dict"`
	Purpose          string   `parquet:"purpose,dict"`
	Statements       []string `parquet:"statements,list"`
	TagsFrom         string   `parquet:"tags_from,optional,dict"`
	URL              string   `parquet:"url,delta"`
	HostName         string   `parquet:"url_host_name,delta"`
	RegisteredDomain string   `parquet:"url_host_registered_domain,optional,delta"`
	Origin           string   `parquet:"origin,delta"`
	FetchTime        *int64   `parquet:"fetch_time,optional,timestamp(microsecond)"`
	FetchStatus      *int16   `parquet:"fetch_status,optional"`
	WARCFilename     string   `parquet:"warc_filename,dict"`
	WARCRecordOffset int64    `parquet:"warc_record_offset,delta"`
	WARCRecordLength int64    `parquet:"warc_record_length,delta"`
	WARCRecordID     string   `parquet:"warc_record_id,optional"`
	Agent            string   `parquet:"agent,optional,dict"`
	AgentSource      string   `parquet:"agent_source,dict"`
	FileFilename     string   `parquet:"file_warc_filename,optional,dict"`
	FileOffset       *int64   `parquet:"file_warc_record_offset,optional"`
	RobotsCitation
}

// CrawlDelayRow is a row of crawl_delays: a fetch that came sooner after the one
// before it than robots.txt asks for. It is no violation.
type CrawlDelayRow struct {
	URL              string `parquet:"url,delta"`
	HostName         string `parquet:"url_host_name,delta"`
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,delta"`
	Origin           string `parquet:"origin,delta"`
	FetchTime        *int64 `parquet:"fetch_time,optional,timestamp(microsecond)"`
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset,delta"`
	WARCRecordLength int64  `parquet:"warc_record_length,delta"`
	WARCRecordID     string `parquet:"warc_record_id,optional"`
	Agent            string `parquet:"agent,dict"`
	AgentSource      string `parquet:"agent_source,dict"`
	Gap              int64  `parquet:"gap_ms"`
	Delay            int64  `parquet:"delay_ms"`
	Line             int32  `parquet:"line"`
	PreviousFilename string `parquet:"previous_warc_filename,dict"`
	PreviousOffset   int64  `parquet:"previous_warc_record_offset"`
	RobotsAge        *int64 `parquet:"robots_age_seconds,optional"`
	RobotsCitation
}

// RobotsRow is a row of robots: one robots capture and what it came to.
type RobotsRow struct {
	RobotsID         int64    `parquet:"robots_id"`
	Origin           string   `parquet:"origin,delta"`
	URL              string   `parquet:"url,delta"`
	HostName         string   `parquet:"url_host_name,delta"`
	FetchTime        *int64   `parquet:"fetch_time,optional,timestamp(microsecond)"`
	FetchStatus      *int16   `parquet:"fetch_status,optional"`
	RecordType       string   `parquet:"record_type,dict"`
	ContentMIMEType  string   `parquet:"content_mime_type,optional,dict"`
	WARCFilename     string   `parquet:"warc_filename,dict"`
	WARCRecordOffset int64    `parquet:"warc_record_offset"`
	WARCRecordLength int64    `parquet:"warc_record_length"`
	WARCRecordID     string   `parquet:"warc_record_id,optional"`
	Agent            string   `parquet:"agent,optional,dict"`
	Trust            string   `parquet:"trust,dict"`
	Outcome          string   `parquet:"outcome,dict"`
	Reason           string   `parquet:"reason,optional,dict"`
	HopURLs          []string `parquet:"hop_urls,list"`
	FinalStatus      *int16   `parquet:"final_status,optional"`
	BodyTime         *int64   `parquet:"body_time,optional,timestamp(microsecond)"`
	BodyAgent        string   `parquet:"body_agent,optional,dict"`
	BodyFilename     string   `parquet:"body_warc_filename,optional,dict"`
	BodyOffset       *int64   `parquet:"body_warc_record_offset,optional"`
	BodyRecordID     string   `parquet:"body_warc_record_id,optional"`
	BodyDigest       string   `parquet:"body_digest,optional,dict"`
	BodySize         *int64   `parquet:"body_size,optional"`
	Groups           *int32   `parquet:"groups,optional"`
	Rules            *int32   `parquet:"rules,optional"`
	NoteCount        *int32   `parquet:"note_count,optional"`
	Notes            []string `parquet:"notes,list"`
}

// PageTagRow is a row of page_tags: one rule that a page states for itself.
type PageTagRow struct {
	URL              string `parquet:"url,delta"`
	FetchTime        *int64 `parquet:"fetch_time,optional,timestamp(microsecond)"`
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset,delta"`
	Source           string `parquet:"source,dict"`
	Line             int32  `parquet:"line"`
	Agent            string `parquet:"agent,optional,dict"`
	Rule             string `parquet:"rule,dict"`
	Word             string `parquet:"word,dict"`
	Value            string `parquet:"value,optional,dict"`
	Raw              string `parquet:"raw,dict"`
	ParseMode        string `parquet:"parse_mode,dict"`
	InHead           *bool  `parquet:"in_head,optional"`
	InNoscript       *bool  `parquet:"in_noscript,optional"`
	Binds            bool   `parquet:"binds"`
	Restricts        string `parquet:"restricts,optional,dict"`
	RestrictsFrom    *int64 `parquet:"restricts_from,optional,timestamp(microsecond)"`
	DefinedBy        string `parquet:"defined_by,optional,dict"`
	TagsFrom         string `parquet:"tags_from,optional,dict"`
	Notes            string `parquet:"notes,optional,dict"`
}

// EffectiveTagsRow is a row of effective_tags: what the tags of a page come to for a
// product token.
type EffectiveTagsRow struct {
	URL              string `parquet:"url,delta"`
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset,delta"`
	Agent            string `parquet:"agent,optional,dict"`
	Rules            string `parquet:"rules,dict"`
	Conflicts        string `parquet:"conflicts,optional,dict"`
	RestrictsArchive bool   `parquet:"restricts_archive"`
	RestrictsIndex   bool   `parquet:"restricts_index"`
	RestrictsTrain   bool   `parquet:"restricts_train"`
}

// UsageSignalRow is a row of usage_signals: a statement on the use of what was
// fetched, by the page or its origin.
type UsageSignalRow struct {
	URL              string `parquet:"url,delta"`
	FetchTime        *int64 `parquet:"fetch_time,optional,timestamp(microsecond)"`
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset,delta"`
	Protocol         string `parquet:"protocol,dict"`
	Source           string `parquet:"source,dict"`
	Line             int32  `parquet:"line"`
	GroupLine        int32  `parquet:"group_line,optional"`
	Scope            string `parquet:"scope,dict"`
	Path             string `parquet:"path,optional,dict"`
	Purpose          string `parquet:"purpose,dict"`
	Preference       string `parquet:"preference,dict"`
	Label            string `parquet:"label,dict"`
	Value            string `parquet:"value,optional,dict"`
	Raw              string `parquet:"raw,dict"`
	Draft            string `parquet:"draft,optional,dict"`
	ParseMode        string `parquet:"parse_mode,dict"`
	InHead           *bool  `parquet:"in_head,optional"`
	Binds            bool   `parquet:"binds"`
	RobotsID         int64  `parquet:"robots_id,optional"`
	FileFilename     string `parquet:"file_warc_filename,optional,dict"`
	FileOffset       *int64 `parquet:"file_warc_record_offset,optional"`
	Notes            string `parquet:"notes,optional,dict"`
}

// TagConflictRow is a row of tag_conflicts: a contradiction in what is said of a
// fetch's use.
type TagConflictRow struct {
	URL              string `parquet:"url,delta"`
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset,delta"`
	Agent            string `parquet:"agent,optional,dict"`
	Kind             string `parquet:"kind,dict"`
	Detail           string `parquet:"detail,dict"`
	RobotsID         int64  `parquet:"robots_id,optional"`
}

// HostRow is a row of host_stats: the fetches of one origin.
type HostRow struct {
	Origin           string `parquet:"origin,delta"`
	HostName         string `parquet:"url_host_name,delta"`
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,delta"`
	FirstFetchTime   *int64 `parquet:"first_fetch_time,optional,timestamp(microsecond)"`
	LastFetchTime    *int64 `parquet:"last_fetch_time,optional,timestamp(microsecond)"`
	evaluate.Counts
}

// AgentRow is a row of agent_stats: the fetches of one product token, with what
// the archives' warcinfo records claim of its obedience.
type AgentRow struct {
	Agent  string   `parquet:"agent,optional,dict"`
	Claims []string `parquet:"claims,list"`
	evaluate.Counts
}

// ExclusionRow is a row of exclusions: a URL that robots.txt kept a crawler from, by
// the word of its log, and what the captures say of it.
type ExclusionRow struct {
	URL              string  `parquet:"url,delta"`
	HostName         string  `parquet:"url_host_name,dict"`
	RegisteredDomain string  `parquet:"url_host_registered_domain,optional,dict"`
	Origin           string  `parquet:"origin,dict"`
	LogTime          *int64  `parquet:"log_time,optional,timestamp(microsecond)"`
	LogReason        string  `parquet:"log_reason,dict"`
	WARCFilename     string  `parquet:"warc_filename,dict"`
	LogLine          int64   `parquet:"log_line"`
	Via              string  `parquet:"via,optional,dict"`
	HopsFromSeed     *string `parquet:"hops_from_seed,optional,dict"`
	Agent            string  `parquet:"agent,optional,dict"`
	AgentSource      string  `parquet:"agent_source,dict"`
	AgentMatch       string  `parquet:"agent_match,optional,dict"`
	Verdict          string  `parquet:"verdict,dict"`
	Evidence         string  `parquet:"evidence,dict"`
	Reason           string  `parquet:"reason,dict"`
	RobotsID         int64   `parquet:"robots_id,optional"`
	Rule             string  `parquet:"rule,optional,dict"`
	RuleLine         int32   `parquet:"rule_line,optional"`
	GroupLine        int32   `parquet:"group_line,optional"`
	Notes            string  `parquet:"notes,optional,dict"`
}

// IssueRow is a row of issues: something that could not be read or trusted.
type IssueRow struct {
	WARCFilename string `parquet:"warc_filename,dict"`
	Offset       *int64 `parquet:"offset,optional"`
	Length       *int64 `parquet:"length,optional"`
	RecordID     string `parquet:"warc_record_id,optional"`
	Kind         string `parquet:"kind,dict"`
	Detail       string `parquet:"detail"`
	Action       string `parquet:"action,dict"`
}

// GroupVerdictRow is a row of group_verdicts: what a fetch would have been for
// every token that robots_agents maps to (robots_id, group).
type GroupVerdictRow struct {
	URL              string `parquet:"url,delta"`
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset"`
	WARCRecordID     string `parquet:"warc_record_id,optional"`
	RobotsID         int64  `parquet:"robots_id"`
	Group            int32  `parquet:"group"`
	Verdict          string `parquet:"verdict,dict"`
	Evidence         string `parquet:"evidence,dict"`
	Reason           string `parquet:"reason,dict"`
	Rule             string `parquet:"rule,optional,dict"`
	RuleLine         int32  `parquet:"rule_line,optional"`
	GroupLine        int32  `parquet:"group_line,optional"`
	Notes            string `parquet:"notes,optional,dict"`
}

// RobotsAgentRow is a row of robots_agents: the token is governed by the group.
type RobotsAgentRow struct {
	RobotsID int64  `parquet:"robots_id"`
	Group    int32  `parquet:"group"`
	Agent    string `parquet:"agent,dict"`
}
