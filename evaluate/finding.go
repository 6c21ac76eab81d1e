package evaluate

import (
	"fmt"
	"net/http"
	"time"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// RestrictionKind says what a page or origin speaks against. None is a violation by
// the fetch: it is known only afterwards.
type RestrictionKind uint8

// The kinds of restriction.
const (
	_                    RestrictionKind = iota
	RestrictsPublication                 // a tag restricts showing what was fetched
	RestrictsUsage                       // a tag or signal restricts using it
)

func (k RestrictionKind) String() string {
	return [...]string{"unknown", "publication", "usage"}[k]
}

// Restriction is what a page or its origin says against a purpose of the audit.
type Restriction struct {
	Kind       RestrictionKind
	Certainty  Certainty // that it is said: certain or probable
	Purpose    tag.Use
	Statements []string // source, line, and the text as written
}

// maxStatements bounds the statements that one restriction names.
const maxStatements = 16

// restrictions are those of a page that bind the uses asked for. A page that
// was not served, nor its content with an answer to HEAD, is not published, and
// nobody uses it.
func (p *pages) restrictions(r *Result) (list []Restriction) {
	f := r.Fetch
	if r.Reason == RobotsTxtItself || f.Method == http.MethodHead || f.Status >= 0 && f.Status/100 != 2 && f.Status != http.StatusNotModified {
		return nil
	}
	var at time.Time
	if f.Time().Known() {
		at = f.Time().UTC()
	}
	for _, use := range p.uses {
		publication := Restriction{Kind: RestrictsPublication, Certainty: Probable, Purpose: use}
		usage := Restriction{Kind: RestrictsUsage, Certainty: r.pageCertainty(), Purpose: use}
		for _, rule := range r.Page.Own.Restrictions(use, at) {
			to := &usage
			if rule.Kind() == tag.KindPublication {
				to = &publication
				if r.Page.Own.Surely(rule, at) {
					publication.Certainty = r.pageCertainty()
				}
			}
			r.Page.state(to, rule)
		}
		for _, s := range use.RestrictingSignals(r.Page.signals()) {
			if isOrigins(s.Source) {
				if !r.inForce(&s) {
					continue
				}
				if len(usage.Statements) == 0 { // nothing of the page's own
					usage.Certainty = Probable
				}
			}
			usage.add(s.Source, s.Line, s.Raw)
		}
		for _, found := range [...]Restriction{publication, usage} {
			if len(found.Statements) > 0 {
				list = append(list, found)
			}
		}
	}
	return list
}

// isOrigins reports whether a signal is the origin's, not the page's own.
func isOrigins(s tag.Source) bool { return s == tag.SourceRobotsTxt || s == tag.SourceTDMFile }

// inForce reports whether a signal of the origin was captured at most a day before
// the fetch: a preference is not retroactive, and may have been changed since.
func (r *Result) inForce(s *tag.Signal) bool {
	if s.Source == tag.SourceRobotsTxt {
		return r.Evidence == Fresh
	}
	for i := range r.Page.Signals {
		if file := r.Page.Signals[i].File; file != nil {
			return r.Fetch.Time().MicrosSince(file.Time()) <= freshFor
		}
	}
	return false
}

// pageCertainty is how sure it is that the page says what it is said to say.
func (r *Result) pageCertainty() Certainty {
	f := r.Fetch
	if r.Page.From == PageOriginal || f.Trust == ingest.TrustResynced || f.Flags&ingest.FlagDigestMismatch != 0 {
		return Probable
	}
	return Certain
}

// state adds the tags that put a rule into the effective set.
func (p *Page) state(to *Restriction, rule tag.Rule) {
	for _, i := range p.Own.Tags {
		t := &p.Tags[i]
		if t.Rule == rule || t.Rule == tag.RuleNone && rule == tag.RuleNoindex {
			to.add(t.Source, t.Line, t.Raw)
		}
	}
}

func (f *Restriction) add(source tag.Source, line int, raw string) {
	if len(f.Statements) < maxStatements {
		f.Statements = append(f.Statements, fmt.Sprintf("%s %d: %s", source, line, raw))
	}
}

// restricts reports whether what is said restricts a use, whoever asks for it.
func (p *Page) restricts(at ingest.Time) (publication, usage bool) {
	var moment time.Time
	if at.Known() {
		moment = at.UTC()
	}
	for _, use := range [...]tag.Use{tag.UseArchive, tag.UseIndex, tag.UseTrain} {
		for _, rule := range p.Own.Restrictions(use, moment) {
			publication = publication || rule.Kind() == tag.KindPublication
			usage = usage || rule.Kind() == tag.KindUsage
		}
	}
	for i := range p.Signals {
		usage = usage || p.Signals[i].Preference == tag.PreferenceRestrict && p.Signals[i].Binds()
	}
	return publication, usage
}
