package export

import (
	"cmp"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// Grounds are the columns of a row's grounds.
type Grounds struct {
	List      string `parquet:"list,dict"`
	Reason    string `parquet:"reason,dict"`
	Detail    string `parquet:"detail,dict"`
	Agent     string `parquet:"agent,optional,dict"`
	Purpose   string `parquet:"purpose,optional,dict"`
	Rule      string `parquet:"rule,optional,dict"`
	RuleLine  int32  `parquet:"rule_line,optional"`
	Statement string `parquet:"statement,optional,dict"`
	RobotsID  int64  `parquet:"robots_id,optional"`
}

// reasonFetch are the columns of the fetch that the reason is of, in lists by something else.
type reasonFetch struct {
	FetchTime    *int64 `parquet:"reason_fetch_time,optional,timestamp(microsecond)"`
	WARCFilename string `parquet:"reason_warc_filename,dict"`
	WARCOffset   int64  `parquet:"reason_warc_record_offset,delta"`
	WARCRecordID string `parquet:"reason_warc_record_id,optional,delta"`
}

// counts are the columns of how many fetches a row stands for.
type counts struct {
	Fetches int64 `parquet:"fetches"`
	Dropped int64 `parquet:"dropped"`
	Kept    int64 `parquet:"kept"`
}

// Page are the columns of what was fetched.
type Page struct {
	URL              string `parquet:"url,delta"`
	SURTKey          string `parquet:"url_surtkey,delta"`
	SURTHost         string `parquet:"surt_host_name,delta"`
	HostName         string `parquet:"url_host_name,delta"`
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,delta"`
	Origin           string `parquet:"origin,delta"`
}

// groupColumns are the last columns of a list by something else than fetches and URLs.
type groupColumns struct {
	counts
	Grounds
	ReasonURL string `parquet:"reason_url,delta"`
	reasonFetch
}

// RecordRow is a row of a list by records.
type RecordRow struct {
	ID             string `parquet:"id,optional,delta"`
	WARCRecordID   string `parquet:"warc_record_id,optional,delta"`
	WARCRecordUUID string `parquet:"warc_record_uuid,optional"`
	Page
	FetchTime        *int64 `parquet:"fetch_time,optional,timestamp(microsecond)"`
	FetchStatus      *int16 `parquet:"fetch_status,optional"`
	ContentDigest    string `parquet:"content_digest,optional,delta"`
	DigestValue      string `parquet:"content_digest_value,optional,delta"`
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset,delta"`
	WARCRecordLength int64  `parquet:"warc_record_length,delta"`
	Grounds
}

// urlRow is a row of a list by URLs.
type urlRow struct {
	Page
	counts
	Grounds
	reasonFetch
}

// hostRow is a row of a list by hosts.
type hostRow struct {
	SURTHost         string `parquet:"surt_host_name,delta"`
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,delta"`
	groupColumns
}

// originRow is a row of a list by origins.
type originRow struct {
	Origin           string `parquet:"origin,delta"`
	HostName         string `parquet:"url_host_name,delta"`
	SURTHost         string `parquet:"surt_host_name,delta"`
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,delta"`
	groupColumns
}

// domainRow is a row of a list by domains.
type domainRow struct {
	Domain string `parquet:"domain,delta"`
	groupColumns
}

// key is what a list that is not by records has a row for, and all that a text has of a row: of a record
// its id in a list of URLs, or its own.
func (e *entry) key(by By) string {
	switch by {
	case ByRecord:
		if e.RecordID == "" || e.ListID != "" {
			return e.ListID
		}
		return "<" + e.RecordID + ">"
	case ByURL:
		return e.URL
	case ByHost:
		return weburl.SURTHost(e.SURTKey)
	case ByOrigin:
		return e.Origin
	default:
		return cmp.Or(e.RegisteredDomain, e.HostName)
	}
}

func (e *entry) time() *int64 {
	if !e.Dated {
		return nil
	}
	return new(e.Time)
}

func (e *entry) page() Page {
	return Page{e.URL, e.SURTKey, weburl.SURTHost(e.SURTKey), e.HostName, e.RegisteredDomain, e.Origin}
}

func (e *entry) fetch() reasonFetch { return reasonFetch{e.time(), e.Filename, e.Offset, e.RecordID} }

func (e *entry) group() groupColumns { return groupColumns{e.counts, e.Grounds, e.URL, e.fetch()} }

func recordRowOf(e *entry) RecordRow {
	row := RecordRow{
		ID: e.key(ByRecord), WARCRecordID: e.RecordID, WARCRecordUUID: uuidOf(e.RecordID), Page: e.page(),
		FetchTime: e.time(), ContentDigest: e.Digest, WARCFilename: e.Filename, WARCRecordOffset: e.Offset,
		WARCRecordLength: e.Length, Grounds: e.Grounds,
	}
	if e.Status >= 0 {
		row.FetchStatus = new(int16(e.Status))
	}
	if _, value, ok := strings.Cut(e.Digest, ":"); ok {
		row.DigestValue = value
	}
	return row
}

func urlRowOf(e *entry) urlRow { return urlRow{e.page(), e.counts, e.Grounds, e.fetch()} }

func hostRowOf(e *entry) hostRow { return hostRow{e.Key, e.RegisteredDomain, e.group()} }

func originRowOf(e *entry) originRow {
	return originRow{e.Origin, e.HostName, weburl.SURTHost(e.SURTKey), e.RegisteredDomain, e.group()}
}

func domainRowOf(e *entry) domainRow { return domainRow{e.key(ByDomain), e.group()} }

// uuidOf is the UUID of a record ID; "" where it is none.
func uuidOf(recordID string) string {
	const prefix = "urn:uuid:"
	if len(recordID) < len(prefix) || !strings.EqualFold(recordID[:len(prefix)], prefix) {
		return ""
	}
	return recordID[len(prefix):]
}
