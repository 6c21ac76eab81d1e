package forms

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Figures are what the form takes from the tables.
type Figures struct {
	res   *results.Results
	setup []string // SQL
	// the column of fetches that is the size of content
	measure string

	fetches, robotsFetches        int64
	content                       tally
	crawlers, types, modalities   tallies
	languages                     tallies // by the first one that was found
	names                         []*name // sorted: the largest first
	undigested                    int64   // content fetches
	unnamed                       int64   // content fetches without a host
	verdicts, refusals            counts  // of fetches that are not of robots.txt
	overcome                      counts  // refusals before the same crawler received content from the URL
	claims                        counts
	outcomes, objections, signals counts
	collections                   counts // of inputs
}

// tally adds up content.
type tally struct {
	key             string
	fetches         int64 // of content
	made            int64 // fetches, whatever they brought; of crawlers alone
	unknown         int64 // fetches whose size is not known
	bytes           int64 // of all fetches
	distinct        int64 // bytes of the distinct payloads
	distinctUnknown int64 // distinct payloads whose size is not known
	undated         int64
	first, last     *int64
}

// name is a registered domain, or a host that has none.
type name struct {
	tally
	isDomain bool
	byKind   [evaluate.ModalityOther + 1]int64 // bytes of all fetches, by modality
}

func (t *tally) add(size int64, at *int64) {
	t.fetches++
	if size < 0 {
		t.unknown++
	} else {
		t.bytes += size
	}
	if at == nil {
		t.undated++
		return
	}
	if t.first == nil {
		t.first, t.last = new(*at), new(*at)
	}
	*t.first, *t.last = min(*t.first, *at), max(*t.last, *at)
}

func (t *tally) addDistinct(size int64) {
	if size < 0 {
		t.distinctUnknown++
	} else {
		t.distinct += size
	}
}

// month writes a time as the forms do; nil where there is none.
func month(micros *int64) any {
	if micros == nil {
		return nil
	}
	return time.UnixMicro(*micros).UTC().Format("01/2006")
}

// tallies are content by a key. What has no key has the empty one.
type tallies map[string]*tally

// maxKeys bounds what the archives may make of keys; fetches with further ones share a key.
const maxKeys = 65_536

const others = "(others)"

func (t tallies) of(key string) *tally {
	x := t[key]
	if x == nil && len(t) >= maxKeys {
		key = others
		x = t[key]
	}
	if x == nil {
		x = &tally{key: strings.Clone(key)}
		t[x.key] = x
	}
	return x
}

// sorted has those with most fetches first.
func (t tallies) sorted() []*tally {
	return slices.SortedFunc(maps.Values(t), func(a, b *tally) int {
		return cmp.Or(cmp.Compare(b.fetches, a.fetches), cmp.Compare(a.key, b.key))
	})
}

// counts are numbers of rows by the values of one or two columns.
type counts map[[2]string]int64

func (c counts) add(keys ...string) {
	var key [2]string
	copy(key[:], keys)
	if _, is := c[key]; !is && len(c) >= maxKeys {
		key = [2]string{others}
	} else if !is {
		key = [2]string{strings.Clone(key[0]), strings.Clone(key[1])} // of a row, which is read into again
	}
	c[key]++
}

// rows are the rows of a query that counts: n values, by which they are sorted, and the count.
func (c counts) rows(n int) (rows [][]any) {
	inOrder := func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }
	for _, key := range slices.SortedFunc(maps.Keys(c), inOrder) {
		var row []any
		for _, k := range key[:n] {
			row = append(row, k)
		}
		rows = append(rows, append(row, c[key]))
	}
	return rows
}

func (c counts) all() (n int64) {
	for _, count := range c {
		n += count
	}
	return n
}

func (c counts) of(key string) (n int64) {
	for k, count := range c {
		if k[0] == key {
			n += count
		}
	}
	return n
}

// isContent reports whether a fetch brought content: it is not of robots.txt, was not refused, is no HEAD, and has no
// status that stands for something else. SQL has the same rule in setupOf.
func isContent(f *report.FetchRow) bool {
	return f.Reason != words.RobotsTxtItself.String() && f.Refusal == "" && f.FetchMethod != http.MethodHead &&
		(f.FetchStatus == nil || *f.FetchStatus/100 == 2)
}

// Read reads the figures.
func Read(ctx context.Context, r *results.Results) (*Figures, error) {
	f := &Figures{
		res: r, measure: "payload_bytes", crawlers: make(tallies), types: make(tallies), modalities: make(tallies),
		languages: make(tallies),
		verdicts:  make(counts), refusals: make(counts), overcome: make(counts), claims: make(counts),
		outcomes: make(counts), objections: make(counts), signals: make(counts), collections: make(counts),
	}
	if t := &r.Audit().Totals; t.Indexed > t.Fetches/2 {
		f.measure = "warc_record_length"
	}
	f.setup = setupOf(r, f.measure)
	dir, remove, err := durable.Temporary("")
	if err != nil {
		return nil, err
	}
	if err := f.readFetches(ctx, dir); err != nil {
		return nil, errors.Join(err, remove())
	}
	return f, errors.Join(f.readOthers(ctx), remove())
}

// size is that of the content of a fetch; -1: not known.
func (f *Figures) size(row *report.FetchRow) int64 {
	switch {
	case f.measure == "warc_record_length":
		return row.WARCRecordLength
	case row.PayloadBytes == nil:
		return -1
	}
	return *row.PayloadBytes
}

// readFetches reads the table of fetches. Payloads are sorted in a folder that is there.
func (f *Figures) readFetches(ctx context.Context, dir string) error {
	payloads := run.NewSorter(dir, payloadRuns)
	numbers := make(map[string]int32) // of names
	after := newRefused(f.overcome)
	for row, err := range results.Rows(ctx, f.res, report.FetchesTable, "url_host_name", "url_host_registered_domain",
		"url", "origin", "fetch_time", "fetch_method", "fetch_status", "record_type", "content_digest", "content_mime_type", "content_languages", "payload_bytes",
		"modality", "refusal", "warc_record_length", "agent", "claim", "verdict", "reason", "certainty") {
		if err != nil {
			return err
		}
		f.fetches++
		crawler := f.crawlers.of(strings.ToLower(row.Agent))
		crawler.made++
		f.claims.add(row.Claim)
		if row.Reason == words.RobotsTxtItself.String() {
			f.robotsFetches++
			continue
		}
		f.verdicts.add(row.Verdict, row.Certainty)
		after.see(row)
		if row.Refusal != "" {
			f.refusals.add(row.Refusal)
		}
		if !isContent(row) {
			continue
		}
		size := f.size(row)
		key := cmp.Or(row.RegisteredDomain, row.HostName)
		number, known := numbers[key]
		if !known {
			number = int32(len(f.names))
			key = strings.Clone(key)
			numbers[key] = number
			f.names = append(f.names, &name{tally: tally{key: key}, isDomain: row.RegisteredDomain != ""})
		}
		of := f.names[number]
		language, _, _ := strings.Cut(row.ContentLanguages, ",")
		for _, t := range []*tally{
			&f.content, crawler, f.types.of(row.ContentMIMEType), f.modalities.of(row.Modality),
			f.languages.of(language), &of.tally,
		} {
			t.add(size, row.FetchTime)
		}
		of.byKind[words.Parse[evaluate.Modality](evaluate.Modalities, row.Modality)] += max(size, 0)
		if row.ContentDigest == "" {
			f.undigested++
			of.addDistinct(size)
		} else if err := payloads.Add(payload{number, row.ContentDigest, size}); err != nil {
			return err
		}
	}
	err := eachDistinct(payloads.Sorted(ctx), func(number int32, size int64) { f.names[number].addDistinct(size) })
	if err != nil {
		return err
	}
	for _, n := range f.names {
		f.content.distinct += n.distinct
		f.content.distinctUnknown += n.distinctUnknown
		if n.key == "" {
			f.unnamed = n.fetches
		}
	}
	f.names = slices.DeleteFunc(f.names, func(n *name) bool { return n.key == "" })
	slices.SortFunc(f.names, func(a, b *name) int {
		return cmp.Or(cmp.Compare(b.distinct, a.distinct), cmp.Compare(b.bytes, a.bytes),
			cmp.Compare(b.fetches, a.fetches), cmp.Compare(a.key, b.key))
	})
	return nil
}

// has reports whether the audit wrote a table.
func (f *Figures) has(table string) bool {
	_, written := f.res.Audit().Tables[table]
	return written
}

// isAsked reports whether the audit looked for objections to training.
func (f *Figures) isAsked() bool {
	return f.has(report.RestrictionsTable.Name) && slices.Contains(f.res.Audit().Settings.Purposes, "train")
}

// readOthers reads what the other tables have, those that the audit wrote, and audit.json.
func (f *Figures) readOthers(ctx context.Context) error {
	for row, err := range results.RowsIfWritten(ctx, f.res, report.RobotsTable, "record_type", "outcome") {
		if err != nil {
			return err
		}
		if row.RecordType != facts.TypeLogLine.String() {
			f.outcomes.add(row.Outcome)
		}
	}
	if f.isAsked() {
		for row, err := range results.Rows(ctx, f.res, report.RestrictionsTable, "kind", "purpose", "certainty") {
			if err != nil {
				return err
			}
			if row.Purpose == "train" && row.Kind == evaluate.RestrictsUsage.String() {
				f.objections.add(row.Certainty)
			}
		}
	}
	if f.has(report.UsageSignalsTable.Name) {
		err := results.InStep(ctx, f.res, report.UsageSignalsTable, func(row *report.UsageSignalRow, kept bool) error {
			if kept && row.Binds && row.Preference == "restrict" {
				f.signals.add(row.Protocol, row.Purpose)
			}
			return nil
		}, "protocol", "purpose", "preference", "binds")
		if err != nil {
			return err
		}
	}
	for in, err := range f.res.Inputs() {
		if err != nil {
			return err
		}
		seen := make(map[string]bool)
		for _, c := range in.Crawls {
			if c.IsPartOf != "" {
				seen[c.IsPartOf] = true
			}
		}
		for _, name := range in.CommonCrawls {
			seen[name] = true
		}
		for name := range seen {
			f.collections.add(name)
		}
	}
	return nil
}
