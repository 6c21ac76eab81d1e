package export

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// Grounds are the columns of a row's grounds.
type Grounds struct {
	Reason    string `parquet:"reason,dict"`
	Detail    string `parquet:"detail,dict"`
	Agent     string `parquet:"agent,optional,dict"`
	Purpose   string `parquet:"purpose,optional,dict"`
	Rule      string `parquet:"rule,optional,dict"`
	RuleLine  int32  `parquet:"rule_line,optional"`
	Statement string `parquet:"statement,optional,dict"`
	RobotsID  int64  `parquet:"robots_id,optional"`
}

// Fetch are the columns of the fetch that the reason is of, in lists by something else.
type Fetch struct {
	FetchTime    *int64 `parquet:"reason_fetch_time,optional,timestamp(microsecond)"`
	WARCFilename string `parquet:"reason_warc_filename,dict"`
	WARCOffset   int64  `parquet:"reason_warc_record_offset,delta"`
	WARCRecordID string `parquet:"reason_warc_record_id,optional"`
}

// Counts are the columns of how many fetches a row stands for.
type Counts struct {
	Fetches int64 `parquet:"fetches"`
	Dropped int64 `parquet:"dropped"`
	Kept    int64 `parquet:"kept"`
}

// RecordRow is a row of a list by records.
type RecordRow struct {
	ID               string `parquet:"id,optional"`
	WARCRecordID     string `parquet:"warc_record_id,optional"`
	WARCRecordUUID   string `parquet:"warc_record_uuid,optional"`
	URL              string `parquet:"url,delta"`
	SURTKey          string `parquet:"url_surtkey,delta"`
	SURTHost         string `parquet:"surt_host_name,delta"`
	HostName         string `parquet:"url_host_name,delta"`
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,delta"`
	Origin           string `parquet:"origin,delta"`
	FetchTime        *int64 `parquet:"fetch_time,optional,timestamp(microsecond)"`
	FetchStatus      *int16 `parquet:"fetch_status,optional"`
	ContentDigest    string `parquet:"content_digest,optional"`
	DigestValue      string `parquet:"content_digest_value,optional"`
	WARCFilename     string `parquet:"warc_filename,dict"`
	WARCRecordOffset int64  `parquet:"warc_record_offset,delta"`
	WARCRecordLength int64  `parquet:"warc_record_length,delta"`
	Grounds
}

// URLRow is a row of a list by URLs.
type URLRow struct {
	URL              string `parquet:"url,delta"`
	SURTKey          string `parquet:"url_surtkey,delta"`
	SURTHost         string `parquet:"surt_host_name,delta"`
	HostName         string `parquet:"url_host_name,delta"`
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,delta"`
	Origin           string `parquet:"origin,delta"`
	Counts
	Grounds
	Fetch
}

// HostRow is a row of a list by hosts.
type HostRow struct {
	SURTHost         string `parquet:"surt_host_name,delta"`
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,delta"`
	Counts
	Grounds
	ReasonURL string `parquet:"reason_url,delta"`
	Fetch
}

// OriginRow is a row of a list by origins.
type OriginRow struct {
	Origin           string `parquet:"origin,delta"`
	HostName         string `parquet:"url_host_name,delta"`
	SURTHost         string `parquet:"surt_host_name,delta"`
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,delta"`
	Counts
	Grounds
	ReasonURL string `parquet:"reason_url,delta"`
	Fetch
}

// DomainRow is a row of a list by domains.
type DomainRow struct {
	Domain string `parquet:"domain,delta"`
	Counts
	Grounds
	ReasonURL string `parquet:"reason_url,delta"`
	Fetch
}

// keyed is a row that has a key, which is all that a text has of it.
type keyed interface {
	key() (string, error)
}

func (r RecordRow) key() (string, error) {
	if r.ID == "" {
		return "", fmt.Errorf("the record at %s:%d has no WARC-Record-ID, by which a text names it; take --format "+
			"csv, or --by url",
			r.WARCFilename, r.WARCRecordOffset)
	}
	return r.ID, nil
}

func (r URLRow) key() (string, error)    { return r.URL, nil }
func (r HostRow) key() (string, error)   { return r.SURTHost, nil }
func (r OriginRow) key() (string, error) { return r.Origin, nil }
func (r DomainRow) key() (string, error) { return r.Domain, nil }

func (e *entry) fetch() Fetch {
	return Fetch{FetchTime: e.time(), WARCFilename: e.Filename, WARCOffset: e.Offset, WARCRecordID: e.RecordID}
}

func (e *entry) time() *int64 {
	if !e.Dated {
		return nil
	}
	return new(e.Time)
}

func recordRowOf(e *entry) RecordRow {
	row := RecordRow{
		WARCRecordID: e.RecordID, WARCRecordUUID: uuidOf(e.RecordID), URL: e.URL, SURTKey: e.SURTKey,
		SURTHost: weburl.SURTHost(e.SURTKey),
		HostName: e.HostName, RegisteredDomain: e.RegisteredDomain, Origin: e.Origin, FetchTime: e.time(),
		ContentDigest: e.Digest,
		WARCFilename:  e.Filename, WARCRecordOffset: e.Offset, WARCRecordLength: e.Length, Grounds: e.Grounds,
	}
	if e.RecordID != "" {
		row.ID = "<" + e.RecordID + ">"
	}
	if e.Status >= 0 {
		row.FetchStatus = new(int16(e.Status))
	}
	if _, value, ok := strings.Cut(e.Digest, ":"); ok {
		row.DigestValue = value
	}
	return row
}

func urlRowOf(e *entry) URLRow {
	return URLRow{
		URL: e.URL, SURTKey: e.SURTKey, SURTHost: weburl.SURTHost(e.SURTKey), HostName: e.HostName,
		RegisteredDomain: e.RegisteredDomain,
		Origin:           e.Origin, Counts: e.Counts, Grounds: e.Grounds, Fetch: e.fetch(),
	}
}

func hostRowOf(e *entry) HostRow {
	return HostRow{
		SURTHost: e.Key, RegisteredDomain: e.RegisteredDomain,
		Counts: e.Counts, Grounds: e.Grounds, ReasonURL: e.URL, Fetch: e.fetch(),
	}
}

func originRowOf(e *entry) OriginRow {
	return OriginRow{
		Origin: e.Origin, HostName: e.HostName, SURTHost: weburl.SURTHost(e.SURTKey),
		RegisteredDomain: e.RegisteredDomain,
		Counts:           e.Counts, Grounds: e.Grounds, ReasonURL: e.URL, Fetch: e.fetch(),
	}
}

func domainRowOf(e *entry) DomainRow {
	return DomainRow{
		Domain: cmp.Or(e.RegisteredDomain, e.HostName),
		Counts: e.Counts, Grounds: e.Grounds, ReasonURL: e.URL, Fetch: e.fetch(),
	}
}
