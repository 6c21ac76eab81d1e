package report

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// A rowBuilder makes the rows of the result tables. The file of each table has its row
// type and how a row is made; what several tables have in common is here.
type rowBuilder struct {
	facts   *facts.Set
	input   int32  // of the row before
	name    string // of input, as in warc_filename; "": there is no row before
	profile string
	site    site // of the row before
	surt    weburl.SURTKeys
	cited   cited // by the row before
	noted   evaluate.Notes
	notes   []string // of noted, as the row before has them
}

// filename is the warc_filename of an input, or of an entry of it.
func (b *rowBuilder) filename(input int32, entry string) string {
	if b.name == "" || b.input != input {
		b.input, b.name = input, locator(b.facts.Input(input).Name)
	}
	if entry == "" {
		return b.name
	}
	return b.name + "/" + locator(entry)
}

// archive is the warc_filename of a fetch: for a fetch in an index, the archive that the index names.
func (b *rowBuilder) archive(f *facts.Fetch) string {
	if f.Archive != "" {
		return locator(f.Archive)
	}
	return b.filename(f.Input, f.Entry)
}

// site is the names of a host in the tables. Rows come origin by origin, so one is kept.
type site struct {
	origin     string // as recorded
	host       string
	registered string
	reversed   string // "" where the host is no name
}

// siteOf returns the site of a URL of an origin.
func (b *rowBuilder) siteOf(origin, url string) *site {
	if origin == "" || origin != b.site.origin {
		u, _ := weburl.Parse(url)
		b.site = site{
			origin: origin, host: locator(u.Host), registered: locator(u.RegisteredDomain()),
		}
		if u.HostIsName() {
			b.site.reversed = locator(u.HostReversed())
		}
	}
	return &b.site
}

// FetchedURL are the columns of the fetched URL and its time.
type FetchedURL struct {
	// URL as recorded (WARC-Target-URI).
	URL string `parquet:"url,delta"`
	// Host, lower case, ASCII (UTS 46); IPv6 in brackets; empty if unreadable.
	HostName string `parquet:"url_host_name,delta"`
	// Registrable domain, by the ICANN part of the public suffix list. Null: host has none.
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,delta"`
	// Scheme, host and port, without a default port; empty if unreadable.
	Origin string `parquet:"origin,delta"`
	// WARC-Date, or the date of the ARC record. Null: date missing or impossible.
	FetchTime *int64 `parquet:"fetch_time,optional,timestamp(microsecond)"`
}

func (b *rowBuilder) fetchedURL(f *facts.Fetch) FetchedURL {
	site := b.siteOf(f.Origin, f.URL)
	return FetchedURL{
		URL: locator(f.URL), HostName: site.host, RegisteredDomain: site.registered, Origin: locator(f.Origin),
		FetchTime: micros(f.Time()),
	}
}

// RecordPlace are the columns of where a record lies.
type RecordPlace struct {
	// Input that holds the record; of an indexed fetch the archive that the index names.
	WARCFilename string `parquet:"warc_filename,dict"`
	// Its offset, in bytes: see Places.
	WARCRecordOffset int64 `parquet:"warc_record_offset,delta"`
	// Length of the record in bytes; -1 where an index has none.
	WARCRecordLength int64 `parquet:"warc_record_length,delta"`
	// WARC-Record-ID without angle brackets. Null: not recorded.
	WARCRecordID string `parquet:"warc_record_id,optional,delta"`
}

func (b *rowBuilder) recordPlace(f *facts.Fetch) RecordPlace {
	return RecordPlace{
		WARCFilename: b.archive(f), WARCRecordOffset: f.Offset, WARCRecordLength: f.Length,
		WARCRecordID: text(f.RecordID.String()),
	}
}

// CrawlerToken are the columns of who fetched.
type CrawlerToken struct {
	// Product token of the crawler. Null: not known.
	Agent string `parquet:"agent,optional,dict"`
	// How `agent` is known.
	AgentSource string `parquet:"agent_source,dict" values:"agent_source"`
}

func crawlerToken(r *evaluate.Result) CrawlerToken {
	return CrawlerToken{Agent: text(r.Agent), AgentSource: r.AgentSource.String()}
}

// Content are the columns of what the server sent.
type Content struct {
	// Length of the payload as transferred, with its codings. Null: record cut, in segments or not read, or a
	// revisit.
	PayloadBytes *int64 `parquet:"payload_bytes,optional"`
	// Length of the payload without its codings. Null: as above; coding broken or unknown; a gigabyte or more; coded,
	// and not read to its end.
	PayloadBytesDecoded *int64 `parquet:"payload_bytes_decoded,optional"`
	// Kind of content, by `fetches.content_mime_detected`, else by `content_mime_type`. Null: no media type
	// known.
	Modality string `parquet:"modality,optional,dict" values:"modality"`
	// [Why](SEMANTICS.md#challenges) the server refused the request. Null: it did not.
	Refusal string `parquet:"refusal,optional,dict" values:"refusal"`
}

func content(r *evaluate.Result) Content {
	f := r.Fetch
	return Content{known(f.PayloadBytes()), known(f.DecodedBytes()), r.Modality.String(), r.Refusal.String()}
}

// Decision are the columns of a verdict.
type Decision struct {
	// Whether robots.txt permits the fetch.
	Verdict string `parquet:"verdict,dict" values:"verdict"`
	// How near to the fetch the governing capture lies.
	Evidence string `parquet:"evidence,dict" values:"evidence"`
	// What the verdict rests on.
	Reason string `parquet:"reason,dict" values:"reason"`
}

func decision(e evaluate.Evidence, a *evaluate.Answer) Decision {
	return Decision{Verdict: a.Verdict.String(), Evidence: e.String(), Reason: a.Reason.String()}
}

// Discovery are the columns of how the crawler came to the URL, as far as the archives show it.
type Discovery struct {
	// URL that led the crawler here, by the fetch's metadata record. Null: not stated.
	Via string `parquet:"via,optional,dict"`
	// How it came here, a letter a hop, as Heritrix writes it (`L` link, `R` redirect, `E` embed); empty for a
	// seed. Null: not stated.
	HopsFromSeed *string `parquet:"hops_from_seed,optional,dict"`
	// The URL was a seed, by the metadata record, else by the WACZ's page list (`"seed": true`). Null: not stated.
	IsSeed *bool `parquet:"is_seed,optional"`
	// Fetched although the crawler had it already. Null: not stated.
	ForceFetch *bool `parquet:"force_fetch,optional"`
	// Milliseconds that the fetch took (`fetchTimeMs`). Null: not stated.
	FetchDuration *int32 `parquet:"fetch_duration_ms,optional"`
	// The WACZ lists the URL among its pages (`pages/*.jsonl`). Null: not stated.
	IsPage *bool `parquet:"is_page,optional"`
}

func discovery(f *facts.Fetch) Discovery {
	told := f.Flags&facts.FlagDiscovery != 0
	return Discovery{
		Via:           locator(f.Via),
		HopsFromSeed:  known(text(f.HopsFromSeed), told),
		IsSeed:        known(f.Flags&facts.FlagSeed != 0, f.Flags&(facts.FlagDiscovery|facts.FlagSeedKnown) != 0),
		ForceFetch:    known(f.Flags&facts.FlagForceFetch != 0, told),
		FetchDuration: known(f.Millis, f.Millis >= 0 && f.Millis < facts.NoMillis),
		IsPage:        known(f.Flags&facts.FlagPage != 0, f.Flags&facts.FlagPagesListed != 0),
	}
}

func (b *rowBuilder) noteList(n evaluate.Notes) []string {
	if n != b.noted {
		b.noted, b.notes = n, n.Strings()
	}
	return b.notes
}

// rule returns the rule that decided. Its text is a copy: rows wait by the hundred, and
// a part of a robots.txt would keep the whole of it in memory.
func rule(a *evaluate.Answer) (text string, line int32) {
	if a.Rule == nil {
		return "", 0
	}
	return strings.Clone(ruleText(a.Rule.Text)), int32(a.Rule.Line)
}

// robotsID is the number of the governing capture, 0 where there is none.
func robotsID(governing *evaluate.State) int64 {
	if governing == nil {
		return 0
	}
	return governing.ID
}

func micros(t facts.Time) *int64 { return known(t.Micros, t.Known()) }

func status(s int16) *int16 { return known(s, s >= 0) }
