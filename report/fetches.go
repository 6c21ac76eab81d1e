package report

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
)

// FetchRow is a row of fetches: one captured exchange and the verdict on it for
// the crawler that made it. It is narrow; robots_id leads to the proof in robots.
type FetchRow struct {
	FetchedURL
	// Sort key of the URL, as in Common Crawl's indexes.
	SURTKey string `parquet:"url_surtkey,delta"`
	// HTTP method of the request record, else GET; empty if an index has none.
	FetchMethod string `parquet:"fetch_method,dict"`
	// HTTP status. Null: not known.
	FetchStatus *int16 `parquet:"fetch_status,optional,dict"`
	// Kind of the record.
	RecordType string `parquet:"record_type,dict" values:"record_type"`
	// WARC-Payload-Digest, as recorded. Null: not recorded.
	ContentDigest string `parquet:"content_digest,optional,delta"`
	// Content-Type without parameters, as sent. Null: not sent.
	ContentMIMEType string `parquet:"content_mime_type,optional,dict"`
	// Media type found by the crawler (WARC-Identified-Payload-Type) or an index. Null: not stated.
	ContentMIMEDetected string `parquet:"content_mime_detected,optional,dict"`
	// [Languages](DOCUMENTS.md#eu-summary-of-training-content) found by the crawler or an index: codes, mostly of ISO
	// 639-3, with commas between. Null: not stated.
	ContentLanguages string `parquet:"content_languages,optional,dict"`
	Content
	RecordPlace
	CrawlerToken
	// Obedience, by the warcinfo record (`robots:`); not trusted. Null: none claimed.
	Claim string `parquet:"claim,optional,dict"`
	Decision
	// How sure the violation is. Null: not disallowed.
	Certainty string `parquet:"certainty,optional,dict" values:"certainty"`
	// If the governing capture is unresolved or undefined: the answer of the one before it; no verdict. Null:
	// does not apply.
	PriorVerdict string `parquet:"prior_verdict,optional,dict" values:"verdict"`
	// What the crawler's [own parser](crawlers.md#own-readings) makes of the governing capture; no verdict. Null: not
	// known.
	OwnReading string `parquet:"own_reading,optional,dict" values:"verdict"`
	// The capture that governs, in `robots`. Null: no governing capture.
	RobotsID int64 `parquet:"robots_id,optional"`
	// Line of the deciding rule, from 1. Null: no rule decided.
	RuleLine int32 `parquet:"rule_line,optional"`
	// Remarks on the verdict.
	Notes []string `parquet:"notes,list" values:"note"`
	// Whether the archive was whole up to the record.
	Trust string `parquet:"trust,dict" values:"trust"`
	Discovery
	// The page's tags for `agent`, as one tag: `noindex, max-snippet:50`; for other tokens see `effective_tags`. Null:
	// no tag applies.
	Tags string `parquet:"tags,optional,dict"`
	// Where the tags are from, if not from the record itself. Null: the record itself.
	TagsFrom string `parquet:"tags_from,optional,dict" values:"tags_from"`
	// Purposes that a [hint](SIGNALS.md#restrictions) is against, joined by commas. Null: none.
	Hints string `parquet:"hints,optional,dict" values:"hint"`
	// Ids of the rows of [lists of URLs](FORMATS.md#indexes-and-lists) that report the fetch.
	ListIDs []string `parquet:"list_ids,list"`
}

func ownReading(r *evaluate.Result) string {
	if !r.Own.Known() {
		return ""
	}
	return r.Own.Verdict.String()
}

// fetchRow is the row of a fetch without its SURT key, which takes as long as all else.
func (b *rowBuilder) fetchRow(r *evaluate.Result) FetchRow {
	f := r.Fetch
	row := FetchRow{
		FetchedURL:          b.fetchedURL(f),
		FetchMethod:         text(f.Method),
		FetchStatus:         status(f.Status),
		RecordType:          f.Type.String(),
		ContentDigest:       text(f.PayloadDigest),
		ContentMIMEType:     text(f.MIMEType),
		ContentMIMEDetected: text(f.DetectedType),
		ContentLanguages:    f.Languages,
		Content:             content(r),
		RecordPlace:         b.recordPlace(f),
		CrawlerToken:        crawlerToken(r),
		Claim:               text(f.Claim),
		Decision:            decision(r.Evidence, &r.Answer),
		Certainty:           r.Certainty.String(),
		RobotsID:            robotsID(r.Governing),
		Notes:               b.noteList(r.Notes),
		Trust:               f.Trust.String(),
		Discovery:           discovery(f),
	}
	for _, id := range f.ListedIDs() {
		row.ListIDs = append(row.ListIDs, text(id))
	}
	if r.HasPrior {
		row.PriorVerdict = r.Prior.String()
	}
	row.OwnReading = ownReading(r)
	if r.Rule != nil {
		row.RuleLine = int32(r.Rule.Line)
	}
	if r.Page != nil {
		row.Tags, row.TagsFrom = text(r.Page.Own.String()), r.Page.From.String()
		names := make([]string, len(r.Page.Hints))
		for i, u := range r.Page.Hints {
			names[i] = u.String()
		}
		row.Hints = strings.Join(names, ",")
	}
	return row
}
