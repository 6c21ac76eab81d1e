package evaluate

import (
	"fmt"
	"net/http"
	"time"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// FindingKind says what a finding is about. A violation of robots.txt by the fetch
// itself is none of them: it is the Result's own.
type FindingKind uint8

// The kinds of finding.
const (
	_                  FindingKind = iota
	FindingPublication             // a tag restricts showing what was fetched
	FindingUsage                   // a tag or signal restricts using it
	FindingRate                    // it came sooner after the fetch before than was asked for
)

func (k FindingKind) String() string {
	return [...]string{"unknown", "publication", "usage", "rate"}[k]
}

// Finding is a restriction that binds a purpose of the audit, or a fetch that came
// too soon.
type Finding struct {
	Kind         FindingKind
	Certainty    Certainty
	Purpose      tag.Use  // of publication and usage
	Restrictions []string // source, line, and the text as written
	Rate         *Rate    // of rate
}

// maxRestrictions bounds the restrictions that one finding names.
const maxRestrictions = 16

// findings are the restrictions of a page that bind the uses asked for. A page that
// was not served, nor its content with an answer to HEAD, is not published, and
// nobody uses it.
func (p *pages) findings(r *Result) (list []Finding) {
	f := r.Fetch
	if r.Reason == RobotsTxtItself || f.Method == http.MethodHead || f.Status >= 0 && f.Status/100 != 2 && f.Status != http.StatusNotModified {
		return nil
	}
	var at time.Time
	if f.Time().Known() {
		at = f.Time().UTC()
	}
	for _, use := range p.uses {
		publication := Finding{Kind: FindingPublication, Certainty: Probable, Purpose: use}
		usage := Finding{Kind: FindingUsage, Certainty: r.pageCertainty(), Purpose: use}
		for _, rule := range r.Page.Own.Restrictions(use, at) {
			to := &usage
			if rule.Kind() == tag.KindPublication {
				to = &publication
				if r.Page.Own.Surely(rule, at) {
					publication.Certainty = r.pageCertainty()
				}
			}
			r.Page.restrictions(to, rule)
		}
		for _, s := range use.RestrictingSignals(r.Page.signals()) {
			if isOrigins(s.Source) {
				if !r.inForce(&s) {
					continue
				}
				if len(usage.Restrictions) == 0 { // nothing of the page's own
					usage.Certainty = Probable
				}
			}
			usage.add(s.Source, s.Line, s.Raw)
		}
		for _, found := range [...]Finding{publication, usage} {
			if len(found.Restrictions) > 0 {
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

// restrictions adds the tags that put a rule into the effective set.
func (p *Page) restrictions(to *Finding, rule tag.Rule) {
	for _, i := range p.Own.Tags {
		t := &p.Tags[i]
		if t.Rule == rule || t.Rule == tag.RuleNone && rule == tag.RuleNoindex {
			to.add(t.Source, t.Line, t.Raw)
		}
	}
}

func (f *Finding) add(source tag.Source, line int, raw string) {
	if len(f.Restrictions) < maxRestrictions {
		f.Restrictions = append(f.Restrictions, fmt.Sprintf("%s %d: %s", source, line, raw))
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
