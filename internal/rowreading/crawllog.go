package rowreading

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/cdx"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// LineParser returns the event of a line of a log, nil if nothing in it
// matters, and what is wrong with a line that cannot be read.
type LineParser func(line []byte) (event *facts.LogEvent, fault string)

// ReadLog reads a crawler's log into the facts. Damaged lines are issues.
func ReadLog(a *facts.Account, parse LineParser, r io.Reader) error {
	lines := cdx.NewSplitter(r, MaxLogLine)
	faults := int64(0)
	for {
		line, err := lines.Line()
		if input.IsReadError(err) {
			return err
		}
		if err != nil && err != io.EOF {
			return reportLog(a, words.IssueDamagedStream, lines.Offset, err.Error(), "the rest of the log not read")
		}
		if err == io.EOF {
			break
		}
		if len(bytes.TrimSpace(line)) == 0 && !lines.Long {
			continue
		}
		event, fault := parse(line)
		if lines.Long {
			event, fault = nil, fmt.Sprintf("longer than %d bytes", MaxLogLine)
		}
		if fault != "" {
			if faults++; faults > MaxFaults {
				continue
			}
			detail := fmt.Sprintf("line %d: %s: %.100q", lines.Number, fault, line)
			if err := reportLog(a, words.IssueBadLogLine, lines.Offset, detail, "line skipped"); err != nil {
				return err
			}
		}
		if event == nil {
			continue
		}
		event.Input, event.Entry, event.Line, event.Offset, event.Length = a.Input, a.Entry, lines.Number,
			lines.Offset, lines.Length
		a.Stats.Events++
		if err := a.Out.Event(event); err != nil {
			return err
		}
	}
	if more := faults - MaxFaults; more > 0 {
		return reportLog(a, words.IssueBadLogLine, -1, fmt.Sprintf("%d more lines", more), "lines skipped")
	}
	return nil
}

func reportLog(a *facts.Account, kind words.IssueKind, offset int64, detail, action string) error {
	return a.Report(facts.Issue{Offset: offset, Length: -1, Kind: kind, Detail: detail, Action: action})
}

// ReadCrawlLog reads an input that is a crawl.log into the facts.
func ReadCrawlLog(a *facts.Account, form warc.Form, src *input.Source) (fingerprint uint64, err error) {
	plain, err := warc.Decompressed(form, src)
	if err != nil {
		if input.IsReadError(err) {
			return 0, err
		}
		return 0, reportLog(a, words.IssueDamagedStream, 0, err.Error(), "not read")
	}
	var sum input.Chain
	err = ReadLog(a, ParseCrawlLog, io.TeeReader(plain, &sum))
	return sum.Sum, err
}

// The fields of a line of crawl.log, separated by white space (Heritrix 1 and 3).
const (
	fieldTime   = iota // when the line was written
	fieldStatus        // HTTP status, or Heritrix's own where negative
	fieldSize
	fieldURL
	fieldHops // from the seed
	fieldVia
	fieldMIME
	fieldThread // #123
	fieldBegin  // when the fetch began, and how long it took: 20240501120000123+45
	crawlLogFields
)

// Heritrix's own statuses about robots.txt. See docs/FORMATS.md, "Logs".
const (
	statusRobotsFailed    = "-61"   // the robots.txt that has to come first could not be had
	statusRobotsPrecluded = "-9998" // robots.txt disallows the URL
)

// isFetchFailure reports whether a status means that no answer came to a
// request: DNS lookup failed, connection failed, broken or timed out, DNS of the
// host failed before, all retries failed. Others (-5: an exception in the crawler)
// show nothing about the site.
func isFetchFailure(status string) bool {
	switch status {
	case "-1", "-2", "-3", "-4", "-6", "-8":
		return true
	}
	return false
}

// splitCrawlLog splits a line into its fields, and reports whether it is one of
// crawl.log.
func splitCrawlLog(line []byte) (fields [crawlLogFields][]byte, ok bool) {
	n := 0
	for f := range bytes.FieldsSeq(line) {
		if fields[n] = f; n == fieldThread && (len(f) < 2 || f[0] != '#') {
			return fields, false
		}
		if n++; n == crawlLogFields {
			break
		}
	}
	if n < crawlLogFields || bytes.IndexByte(fields[fieldURL], ':') <= 0 {
		return fields, false
	}
	t := logTime(fields[fieldTime])
	return fields, t.Precision >= facts.PrecisionSecond && isStatus(fields[fieldStatus])
}

func isStatus(b []byte) bool {
	digits := bytes.TrimPrefix(b, []byte{'-'})
	return len(digits) > 0 && len(digits) <= 5 && len(bytes.Trim(digits, "0123456789")) == 0
}

// IsCrawlLog reports whether content begins as a crawl.log does. Its first line may
// be the rest of one that a rotation cut.
func IsCrawlLog(b []byte) bool {
	for range 2 {
		line, rest, found := bytes.Cut(b, []byte{'\n'})
		if _, ok := splitCrawlLog(line); ok {
			return true
		}
		if !found {
			return false
		}
		b = rest
	}
	return false
}

// ParseCrawlLog is the LineParser of a crawl.log (Heritrix).
func ParseCrawlLog(line []byte) (event *facts.LogEvent, fault string) {
	fields, ok := splitCrawlLog(line)
	if !ok {
		return nil, "no line of a crawl.log"
	}
	e := facts.LogEvent{Reason: string(fields[fieldStatus])}
	failed := isFetchFailure(e.Reason)
	switch {
	case e.Reason == statusRobotsPrecluded:
		e.Kind = facts.EventExclusion
	case e.Reason == statusRobotsFailed, failed:
		e.Kind = facts.EventRobotsUnreachable
	case bytes.HasSuffix(fields[fieldURL], []byte("/robots.txt")):
		e.Kind = facts.EventRobotsTook
	default:
		return nil, ""
	}
	url, fault := locate(&e, string(fields[fieldURL]))
	isOfRobots := failed || e.Kind == facts.EventRobotsTook
	if fault != "" || url.Origin() == "" || isOfRobots && facts.KindOf(url) != facts.CaptureRobots {
		return nil, fault
	}
	begin, took, _ := bytes.Cut(fields[fieldBegin], []byte{'+'})
	t := logTime(begin)
	if e.Kind == facts.EventRobotsTook {
		status, err := strconv.ParseInt(e.Reason, 10, 16)
		millis, tookErr := strconv.ParseInt(string(took), 10, 32)
		if err != nil || tookErr != nil || status < 0 || millis < 0 || !t.Known() {
			return nil, ""
		}
		e.Status, e.Millis = int16(status), int32(millis)
	}
	if !t.Known() {
		t = logTime(fields[fieldTime])
	}
	e.Micros, e.Precision = t.Micros, t.Precision
	e.HopsFromSeed = facts.AtMost(absent(fields[fieldHops]), MaxHopsFromSeed)
	e.Via = facts.AtMost(absent(fields[fieldVia]), warc.MaxURL)
	return &e, ""
}

// absent reads a field in which "-" means that there is nothing.
func absent(field []byte) string {
	if string(field) == "-" {
		return ""
	}
	return string(field)
}

// locate takes the URL of an event. URLs of other schemes are left alone: url is
// then empty.
func locate(e *facts.LogEvent, target string) (url weburl.URL, fault string) {
	if len(target) > warc.MaxURL {
		return weburl.URL{}, "a URL that is too long"
	}
	url, _ = weburl.Parse(target)
	switch {
	case !weburl.IsFetchScheme(url.Scheme):
		return weburl.URL{}, ""
	case url.Host == "":
		return weburl.URL{}, "no host in the URL"
	}
	e.URL, e.Origin, e.HostReversed = target, url.Origin(), url.HostReversed()
	return url, ""
}

// logTime reads a time of a log, in UTC: 2024-05-01T12:00:00.123Z, or 17 digits.
func logTime(b []byte) facts.Time {
	s := string(b)
	if len(s) == 17 && !strings.ContainsAny(s, "-:.TZ") {
		s = s[:14] + "." + s[14:]
	}
	t, _, ok := facts.ParseDate(s)
	if !ok {
		return facts.Time{}
	}
	return t
}

// skippedByRobots is Browsertrix's reason for a page that robots.txt kept out.
const skippedByRobots = "robotsTxt"

// ParseSkippedPage is the LineParser of a list of the pages that Browsertrix skipped.
func ParseSkippedPage(line []byte) (event *facts.LogEvent, fault string) {
	var page struct {
		Format    string
		URL       string
		Reason    string
		TS        string
		Timestamp string
	}
	if err := json.Unmarshal(line, &page); err != nil {
		return nil, "no JSON object with a URL and a reason"
	}
	if page.Reason != skippedByRobots || page.Format != "" { // the first line names the format
		return nil, ""
	}
	e := facts.LogEvent{Kind: facts.EventExclusion, Reason: page.Reason}
	if url, fault := locate(&e, page.URL); fault != "" || url.Origin() == "" {
		return nil, fault
	}
	t := logTime([]byte(cmp.Or(page.TS, page.Timestamp)))
	e.Micros, e.Precision = t.Micros, t.Precision
	return &e, ""
}
