package export

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Known is what is known of a fetch of a page, by which it is kept, dropped or undecided.
type Known struct {
	Verdict       words.Verdict // for the crawler, or for the tokens asked about
	Challenge     bool          // for which the verdict is unknown
	UnnamedForbid bool          // it is allowed to a crawler without a name, and forbidden to one that robots.txt names
	NotAPage      bool
	StatusUnknown bool
	Restricted    bool // of the purposes that are asked about, like those below
	TagsUnknown   bool
	Hinted        bool
}

// Choices are the fates that the user gives to causes that leave a fetch undecided.
type Choices map[words.Cause]words.Fate

// Decide returns the fate of a fetch, and the cause.
func (c Choices) Decide(k *Known) (fate words.Fate, cause words.Cause) {
	for _, x := range [...]struct {
		holds bool
		cause words.Cause
	}{
		{k.Verdict == words.Disallowed, words.CauseDisallowed},
		{k.Restricted, words.CauseRestricted},
		{k.NotAPage, words.NotAPage},
		{k.StatusUnknown, words.StatusUnknown},
		{k.Verdict == words.Unknown && !k.Challenge, words.RobotsUnknown},
		{k.Verdict == words.Unknown && k.Challenge, words.CauseChallenge},
		{k.UnnamedForbid, words.UnnamedCrawler},
		{k.TagsUnknown, words.TagsUnknown},
		{k.Hinted, words.CauseHint},
		{true, words.CauseAllowed},
	} {
		if x.holds && c.fate(x.cause) > fate {
			fate, cause = c.fate(x.cause), x.cause
		}
	}
	return fate, cause
}

// fate is what a cause makes of a fetch.
func (c Choices) fate(cause words.Cause) words.Fate { return cmp.Or(c[cause], cause.Fate()) }

// columns are the columns of fetches that lists need.
var columns = []string{
	"url", "url_surtkey", "url_host_name", "url_host_registered_domain", "origin", "fetch_time", "fetch_method", "fetch_status",
	"content_mime_type", "content_mime_detected",
	"record_type", "content_digest", "warc_filename", "warc_record_offset", "warc_record_length", "warc_record_id",
	"agent", "trust", "verdict", "reason", "notes", "certainty", "robots_id", "rule_line", "tags_from", "hints", "list_ids",
}

// SetPage notes whether a record, or the one that it stands for, surely holds no page, or whether nobody knows.
// An answer of 2xx does, but to HEAD, a resource, which has no status, and what a list of URLs names.
func (k *Known) SetPage(method string, status *int16, recordType, trust string) {
	switch {
	case method == http.MethodHead:
		k.NotAPage = true
	case status != nil:
		k.NotAPage = *status < 200 || *status > 299
	case recordType == facts.TypeResource.String(), trust == facts.TrustListed.String():
	case trust == facts.TrustIndexed.String():
		k.StatusUnknown = true
	default:
		k.NotAPage = true
	}
}

// SetVerdict notes a verdict and its reason.
func (k *Known) SetVerdict(verdict, reason string) {
	k.Verdict = words.Parse[words.Verdict](words.Verdicts, verdict)
	k.Challenge = reason == words.Challenge.String()
}

// SetNotes notes, of the crawler's own verdict, that robots.txt forbids to somebody what it allows to a crawler
// without a name.
func (k *Known) SetNotes(notes []string) {
	k.UnnamedForbid = k.Verdict == words.Allowed && slices.Contains(notes, words.NoteNamedGroupForbids.Strings()[0])
}

// decider decides fetches in the order of their table, and reads the tables that it needs in step.
type decider struct {
	options *Options
	rules   *results.Rules                           // of the crawler's own verdicts
	whatIf  *whatIf                                  // nil: the crawler's own verdicts count
	pages   *results.Follower[report.RestrictionRow] // nil: no purpose counts
	tables  []follower                               // all that are read
	bound   bound                                    // what binds the fetch in hand
}

// follower is a table that is read in step with fetches.
type follower interface {
	End() error
	Stop()
}

// bound is a restriction that binds a fetch.
type bound struct {
	place report.Place
	binds bool
	Grounds
}

func newDecider(ctx context.Context, r *results.Results, o *Options, tokens []string) *decider {
	d := &decider{options: o}
	if len(o.Purposes) > 0 {
		d.pages = results.Follow(ctx, r, report.RestrictionsTable, "kind", "purpose", "statements")
		d.tables = append(d.tables, d.pages)
	}
	if len(tokens) > 0 {
		d.whatIf = newWhatIf(ctx, r, tokens)
		d.tables = append(d.tables, d.whatIf)
		return d
	}
	d.rules = results.FollowRules(ctx, r)
	d.tables = append(d.tables, d.rules)
	return d
}

// decide returns the decision on a fetch. Fetches come in the order of the table.
func (d *decider) decide(f *report.FetchRow) (x decision, err error) {
	var k Known
	if d.whatIf != nil {
		x.Grounds, err = d.whatIf.decide(f)
	} else {
		x.Grounds = Grounds{
			Reason: f.Verdict, Detail: f.Reason, Agent: f.Agent, RuleLine: f.RuleLine, RobotsID: f.RobotsID,
		}
		x.Rule, err = d.rules.Of(f.Place(), f.Certainty)
	}
	if err == nil && d.pages != nil {
		err = d.readRestriction(f)
	}
	if err != nil {
		return x, err
	}
	k.SetPage(f.FetchMethod, f.FetchStatus, f.RecordType, f.Trust)
	k.SetVerdict(x.Reason, x.Detail)
	if d.whatIf == nil {
		k.SetNotes(f.Notes)
	}
	hint := -1
	if d.pages != nil {
		hint = slices.IndexFunc(d.options.Purposes,
			func(p string) bool { return slices.Contains(strings.Split(f.Hints, ","), p) })
		k.Restricted, k.TagsUnknown, k.Hinted = d.bound.binds, f.TagsFrom == tagsUnknown, hint >= 0
	}
	x.Fate, x.Cause = d.options.Decide.Decide(&k)
	switch x.Cause {
	case words.CauseRestricted:
		x.Grounds = d.bound.Grounds
	case words.CauseHint:
		x.Purpose = d.options.Purposes[hint]
	}
	x.Reason = x.Cause.String()
	return x, nil
}

// tagsUnknown is where the tags of a fetch are from if some may be missing.
var tagsUnknown = evaluate.PageUnknown.String()

// readRestriction sets what binds a fetch. If fetches cannot be distinguished, what binds one binds all.
func (d *decider) readRestriction(f *report.FetchRow) error {
	if d.bound.place == f.Place() {
		return nil
	}
	d.bound = bound{place: f.Place()}
	for {
		r, err := d.pages.Next(d.bound.place)
		if r == nil || err != nil {
			return err
		}
		if d.bound.binds || !slices.Contains(d.options.Purposes, r.Purpose) {
			continue
		}
		d.bound.binds = true
		d.bound.Grounds = Grounds{Detail: r.Kind, Purpose: r.Purpose}
		if len(r.Statements) > 0 {
			d.bound.Statement = r.Statements[0]
		}
	}
}

// decided calls do for each fetch of the part with its decision, except fetches of robots.txt itself. It decides all
// fetches, as the tables are read in step with them. In a list by records, a fetch that rows of lists of URLs name has
// an entry for each name.
func (l *list) decided(ctx context.Context, do func(*entry) error) error {
	whole, part := l.results.Whole(), l.results.Part()
	d := newDecider(ctx, whole, &l.options, l.tokens)
	for _, t := range d.tables {
		defer t.Stop()
	}
	for f, err := range results.Rows(ctx, whole, report.FetchesTable, columns...) {
		if err != nil {
			return err
		}
		w, err := d.decide(f)
		if err != nil {
			return err
		}
		if f.Reason == words.RobotsTxtItself.String() || !part.Keeps(f.Key()) {
			continue
		}
		e := l.entryOf(f, &w)
		if l.options.By != ByRecord || len(f.ListIDs) == 0 {
			f.ListIDs = append(f.ListIDs[:0], "")
		}
		for _, e.ListID = range f.ListIDs {
			if err := do(&e); err != nil {
				return err
			}
		}
	}
	var err error
	for _, t := range d.tables {
		err = cmp.Or(err, t.End())
	}
	return err
}

// isSealed reports whether a media type is that of files that may carry a reservation inside.
func isSealed(mediaType string) bool {
	return strings.HasPrefix(mediaType, "image/") || mediaType == "application/pdf" || mediaType == "application/epub+zip"
}

// entryOf is the entry of one fetch.
func (l *list) entryOf(f *report.FetchRow, w *decision) entry {
	e := entry{item: item{
		Place: f.Place(), SURTKey: f.SURTKey, HostName: f.HostName, RegisteredDomain: f.RegisteredDomain,
		Origin: f.Origin,
		Status: -1, Digest: f.ContentDigest, Length: f.WARCRecordLength, decision: *w,
	}, counts: counts{Fetches: 1}}
	if isSealed(cmp.Or(f.ContentMIMEDetected, f.ContentMIMEType)) {
		e.sealed = 1
	}
	e.List = w.Fate.String()
	if e.SURTKey == "" { // an earlier program wrote the table
		u, _ := weburl.Parse(f.URL)
		e.SURTKey = u.SURTKey()
	}
	if f.FetchTime != nil {
		e.Dated, e.Time = true, *f.FetchTime
	}
	if f.FetchStatus != nil {
		e.Status = int32(*f.FetchStatus)
	}
	switch w.Fate {
	case words.Drop:
		e.Dropped = 1
	case words.Keep:
		e.Kept = 1
	}
	return e
}
