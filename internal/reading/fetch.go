package reading

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// extractFetch makes an exchange of a response, revisit or resource, if it is a
// fetch at all: one of a URL with an authority. dns: and whois: records are none.
func (e *extractor) extractFetch(d *draft) error {
	r := d.record
	if r.Target == "" {
		d.note(words.IssueNoTargetURI, "record skipped", "a %s record without WARC-Target-URI", r.Type)
		return nil
	}
	target := r.Target[:min(len(r.Target), warc.MaxURL)]
	url, problem := weburl.Parse(target)
	supported := weburl.IsFetchScheme(url.Scheme)
	switch {
	case url.Host == "" && supported:
		d.note(words.IssueNoTargetURI, "record skipped", "no host in %.200q", target)
		return nil
	case url.Scheme == "":
		d.note(words.IssueNoTargetURI, "record skipped", "%s in %.200q", problem, target)
		return nil
	case url.Host == "", !supported && r.Type != "response" &&
		(r.Type != warc.TypeARC || url.Scheme == warc.SchemeARCMetadata):
		if scheme, near := nearest(url.Scheme, 1, "http", "https"); near {
			d.note(words.IssueNoTargetURI, "record skipped", "the scheme of %.200q, which may have been %s", target,
				scheme)
		}
		return nil
	}
	if problem != 0 {
		d.note(words.IssueBadURL, "kept as recorded", "%s in %.200q", problem, target)
	}
	x := new(exchange)
	x.concurrentTo, d.exchange = r.ConcurrentTo, x
	e.identify(d, url)
	if !supported {
		x.Flags |= facts.FlagUnsupportedScheme
	}
	return e.extractPayload(d, url)
}

// extractOther notes a record that is no fetch, though its row in an index, which has its media type,
// looks like that of an answer whose status nobody could read.
func (e *extractor) extractOther(d *draft) {
	r := d.record
	url, _ := weburl.Parse(facts.AtMost(r.Target, warc.MaxURL))
	if url.Host == "" || !weburl.IsFetchScheme(url.Scheme) {
		return
	}
	t, _, _ := RecordTime(r)
	d.other = &facts.Fetch{
		HostReversed: e.reversed(url), Origin: url.Origin(), URL: facts.AtMost(r.Target, warc.MaxURL), Input: e.input,
		Entry:  e.entry,
		Offset: r.Offset, Type: facts.TypeOther, Micros: t.Micros, Precision: t.Precision, Status: -1, Millis: -1,
	}
}

// extractConversion notes a record that was made of another one, as the records of a WET are, and the languages that
// its maker found.
func (e *extractor) extractConversion(d *draft) {
	r := d.record
	if e.extractOther(d); d.other != nil && len(r.RefersTo) < recordid.MaxSize { // a cut one names many
		d.other.RefersToID, d.other.Languages = r.RefersTo.Key(), httpmsg.LanguageList(r.Languages)
	}
}

func (e *extractor) identify(d *draft, url weburl.URL) {
	r := d.record
	x := d.exchange
	f := &x.Fetch
	*f = facts.Fetch{
		HostReversed: e.reversed(url), Origin: url.Origin(), URL: r.Target[:min(len(r.Target), warc.MaxURL)],
		RecordID: r.ID, Input: e.input,
		Entry: e.entry, Offset: r.Offset, Type: recordTypes[r.Type], Status: -1,
		PayloadDigest: facts.AtMost(r.PayloadDigest, warc.MaxFieldValue),
		Truncated:     facts.AtMost(r.Truncated, maxWord), Millis: -1,
		DetectedType: httpmsg.DetectedType(r.PayloadType), Languages: httpmsg.LanguageList(r.Languages),
	}
	f.Flags = e.pages.flags(url)
	if r.Streamed {
		f.Flags |= facts.FlagStreamed
	}
	if len(r.Target) > warc.MaxURL {
		f.Flags |= facts.FlagURLCut
		d.note(words.IssueURLTooLong, "URL cut", "more than %d bytes", warc.MaxURL)
	}
	if len(r.PayloadDigest) > warc.MaxFieldValue || len(r.Truncated) > maxWord || len(r.RefersToURI) > warc.MaxURL {
		d.note(words.IssueValueCut, "the rest dropped",
			"a WARC-Payload-Digest, WARC-Truncated or WARC-Refers-To-Target-URI that is too long")
	}
	t, zoned, ok := RecordTime(r)
	f.Micros, f.Precision = t.Micros, t.Precision
	switch {
	case !ok:
		d.note(words.IssueBadDate, "time unknown", "date %.40q", r.Date)
	case !zoned && r.Type == warc.TypeARC:
		d.note(words.IssueBadDate, "the digits that are certain were taken", "date %.40q", r.Date)
	case !zoned:
		d.note(words.IssueDateWithoutZone, "taken as UTC", "WARC-Date %.40q", r.Date)
	}
	if f.Type == facts.TypeRevisit {
		f.Profile = revisitProfile(r.Profile)
		f.RefersToURL, f.RefersToID = facts.AtMost(r.RefersToURI, warc.MaxURL), r.RefersTo.Key()
		refers, _, _ := facts.ParseDate(r.RefersToDate)
		f.RefersToMicros, f.RefersToPrec = refers.Micros, refers.Precision
	}
}

// reversed is the host of a URL, reversed. Most fetches share it with the one before.
func (e *extractor) reversed(url weburl.URL) string {
	if url.Host != e.host {
		e.host, e.hostReversed = url.Host, url.HostReversed()
	}
	return e.hostReversed
}

// RecordTime reads the record's date. zoned is false where it is not wholly certain.
func RecordTime(r *warc.Record) (t facts.Time, zoned, ok bool) {
	if r.Type == warc.TypeARC {
		return facts.ParseARCDate(r.Date)
	}
	return facts.ParseDate(r.Date)
}

var recordTypes = map[string]facts.RecordType{
	"response": facts.TypeResponse, "revisit": facts.TypeRevisit,
	"resource": facts.TypeResource, warc.TypeARC: facts.TypeARC,
}

func revisitProfile(uri string) facts.RevisitProfile {
	switch {
	case strings.HasSuffix(uri, "identical-payload-digest"):
		return facts.RevisitIdenticalPayload
	case strings.HasSuffix(uri, "server-not-modified"):
		return facts.RevisitNotModified
	}
	return facts.RevisitOther
}
