package export

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Reasons of rows: the verdicts, and
var (
	disallowed, unknown, allowed = words.Disallowed.String(), words.Unknown.String(), words.Allowed.String()

	restricted = "restricted"      // the page or its origin, for a purpose
	unnamed    = "unnamed_crawler" // nobody knows who fetched it, and robots.txt forbids it to somebody
	challenged = words.Challenge.String()
)

// isUndecided reports whether a fetch of a reason is neither kept nor dropped, unless that is asked for.
func isUndecided(reason string) bool { return reason == unnamed || reason == challenged }

// Values of the column detail that no table has.
const (
	tagsUnknown = "tags_unknown" // some tags of the page may be missing
	hinted      = "hint"         // a statement without force speaks against the purpose
)

// fetchRow are the columns of fetches that lists need.
type fetchRow struct {
	results.Place
	SURTKey          string `parquet:"url_surtkey,optional,delta"`
	HostName         string `parquet:"url_host_name,delta"`
	RegisteredDomain string `parquet:"url_host_registered_domain,optional,delta"`
	Origin           string `parquet:"origin,delta"`
	FetchTime        *int64 `parquet:"fetch_time,optional,timestamp(microsecond)"`
	FetchStatus      *int16 `parquet:"fetch_status,optional"`
	RecordType       string `parquet:"record_type,dict"`
	ContentDigest    string `parquet:"content_digest,optional"`
	Length           int64  `parquet:"warc_record_length,delta"`
	Agent            string `parquet:"agent,optional,dict"`
	Verdict          string `parquet:"verdict,dict"`
	Reason           string `parquet:"reason,dict"`
	Notes            string `parquet:"notes,optional,dict"`
	Certainty        string `parquet:"certainty,optional,dict"`
	RobotsID         int64  `parquet:"robots_id,optional"`
	RuleLine         int32  `parquet:"rule_line,optional"`
	TagsFrom         string `parquet:"tags_from,optional,dict"`
	Hints            string `parquet:"hints,optional,dict"`
}

// hasContent reports whether a pipeline finds content in the record, or in the one that it stands
// for: an answer of 2xx, or a resource, which has no status.
func (f *fetchRow) hasContent() bool {
	if f.FetchStatus == nil {
		return f.RecordType == "resource"
	}
	return *f.FetchStatus >= 200 && *f.FetchStatus <= 299
}

// decider decides fetches in the order of their table, and reads the tables that it needs in step.
type decider struct {
	options *Options
	rules   *results.Rules                    // of the crawler's own verdicts
	whatIf  *whatIf                           // nil: the crawler's own verdicts count
	pages   *results.Follower[restrictionRow] // nil: no purpose counts
	tables  []follower                        // all that are read
	bound   bound                             // what binds the fetch in hand
}

// follower is a table that is read in step with fetches.
type follower interface {
	End() error
	Stop()
}

// restrictionRow are the columns of restrictions that lists need.
type restrictionRow struct {
	results.Place
	Kind       string   `parquet:"kind,dict"`
	Purpose    string   `parquet:"purpose,dict"`
	Statements []string `parquet:"statements,list"`
}

// bound is a restriction that binds a fetch.
type bound struct {
	results.Place
	binds bool
	Grounds
}

func newDecider(ctx context.Context, r *results.Results, o *Options, tokens []string) *decider {
	d := &decider{options: o}
	if len(o.Purposes) > 0 {
		d.pages = results.Follow[restrictionRow](ctx, r, report.RestrictionsTable)
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
func (d *decider) decide(f *fetchRow) (w Grounds, err error) {
	if d.whatIf != nil {
		w, err = d.whatIf.decide(f)
	} else {
		w, err = d.own(f)
	}
	if w.Reason == unknown && w.Detail == challenged {
		w.Reason = challenged
	}
	if err != nil || d.pages == nil {
		return w, err
	}
	if err := d.readRestriction(f); err != nil {
		return w, err
	}
	hint := slices.IndexFunc(d.options.Purposes,
		func(p string) bool { return slices.Contains(strings.Split(f.Hints, ","), p) })
	switch {
	case w.Reason == disallowed:
	case d.bound.binds:
		w = d.bound.Grounds
	case w.Reason != allowed && (!isUndecided(w.Reason) || d.options.KeepUnknown):
	case f.TagsFrom == "unknown":
		w.Reason, w.Detail = unknown, tagsUnknown
	case hint >= 0:
		w.Reason, w.Detail, w.Purpose = unknown, hinted, d.options.Purposes[hint]
	}
	return w, nil
}

// forbidsToNamed is the note on a fetch that is allowed to a crawler without a name.
var forbidsToNamed = words.NoteNamedGroupForbids.Strings()[0]

// own is the verdict for the crawler that made the fetch.
func (d *decider) own(f *fetchRow) (w Grounds, err error) {
	w = Grounds{Reason: f.Verdict, Detail: f.Reason, Agent: f.Agent, RuleLine: f.RuleLine, RobotsID: f.RobotsID}
	if f.Verdict == allowed && slices.Contains(strings.Split(f.Notes, ","), forbidsToNamed) {
		w.Reason = unnamed
	}
	w.Rule, err = d.rules.Of(&f.Place, f.Certainty)
	return w, err
}

// readRestriction sets what binds a fetch. If fetches cannot be distinguished, what binds one binds all.
func (d *decider) readRestriction(f *fetchRow) error {
	if d.bound.Place == f.Place {
		return nil
	}
	d.bound = bound{Place: f.Place}
	for {
		r, err := d.pages.Next(&f.Place)
		if r == nil || err != nil {
			return err
		}
		if d.bound.binds || !slices.Contains(d.options.Purposes, r.Purpose) {
			continue
		}
		d.bound.binds = true
		d.bound.Grounds = Grounds{Reason: restricted, Detail: r.Kind, Purpose: r.Purpose}
		if len(r.Statements) > 0 {
			d.bound.Statement = r.Statements[0]
		}
	}
}

// decided yields each fetch with its decision, except fetches of robots.txt itself.
func (l *list) decided(ctx context.Context) iter.Seq2[*entry, error] {
	return func(yield func(*entry, error) bool) {
		d := newDecider(ctx, l.results, &l.options, l.tokens)
		for _, t := range d.tables {
			defer t.Stop()
		}
		for f, err := range results.Select[fetchRow](ctx, l.results, report.FetchesTable) {
			if err != nil {
				yield(nil, err)
				return
			}
			w, err := d.decide(f)
			if err != nil {
				yield(nil, err)
				return
			}
			if f.Reason == words.RobotsTxtItself.String() {
				continue
			}
			e := l.entryOf(f, &w)
			if !yield(&e, nil) {
				return
			}
		}
		for _, t := range d.tables {
			if err := t.End(); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// entryOf is the entry of one fetch.
func (l *list) entryOf(f *fetchRow, w *Grounds) entry {
	e := entry{item: item{
		Place: f.Place, SURTKey: f.SURTKey, HostName: f.HostName, RegisteredDomain: f.RegisteredDomain,
		Origin: f.Origin,
		Status: -1, Digest: f.ContentDigest, Length: f.Length, Grounds: *w,
	}, Counts: Counts{Fetches: 1}}
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
	switch {
	case w.Reason == disallowed:
		e.Rank = dropDisallowed
	case w.Reason == restricted:
		e.Rank = dropRestricted
	case w.Reason == unknown && !l.options.KeepUnknown:
		e.Rank = dropUnknown
	case isUndecided(w.Reason) && l.options.Undecided == Drop:
		e.Rank = dropUndecided
	case isUndecided(w.Reason) && l.options.Undecided != Keep:
		e.Rank = undecided
	case !f.hasContent():
		e.Rank = nothing
	case w.Reason == unknown:
		e.Rank = keepUnknown
	case isUndecided(w.Reason):
		e.Rank = keepUndecided
	default:
		e.Rank = keep
	}
	switch {
	case e.Rank < undecided:
		e.Dropped = 1
	case e.Rank > undecided && e.Rank < nothing:
		e.Kept = 1
	}
	l.summary.add(&e)
	return e
}

func (s *Summary) add(e *entry) {
	s.Fetches++
	s.Dropped += e.Dropped
	s.Kept += e.Kept
	switch e.Rank {
	case dropDisallowed:
		s.Disallowed++
	case dropRestricted:
		s.Restricted++
	case dropUnknown, keepUnknown:
		s.Unknown++
	case dropUndecided, undecided, keepUndecided:
		s.Undecided++
	}
}
