package use

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Restriction is a statement of a page or its origin against a purpose of the audit.
type Restriction struct {
	Kind       tag.Kind        // neither makes a violation of the fetch: it is known only afterwards
	Certainty  words.Certainty // that it is said: certain or probable
	Purpose    tag.Use
	Statements []Statement // each once
}

// Statement is what speaks against it, as written.
type Statement struct {
	Source tag.Source
	Line   int
	Text   string
}

func (s Statement) String() string { return fmt.Sprintf("%s %d: %s", s.Source, s.Line, s.Text) }

// maxStatements bounds the statements that one restriction names.
const maxStatements = 16

// opinion is the finding on a fetch, with its page.
type opinion struct {
	*verdict.Finding
	page *Page
}

// judge finds what statements contradict, what they hint at, and what of them restricts the uses asked for.
func (p *Page) judge(r *verdict.Finding, origin, own []tag.Signal, uses []tag.Use) (list []Restriction) {
	o := opinion{r, p}
	if isUsed(r) {
		p.Hints, list = o.hints(), o.restrictions(uses)
	}
	o.findConflicts(origin, own)
	return list
}

// findConflicts compares the tags with each other and with the verdict, and
// the origin's statements on each purpose, as far as they are in force, with the page's.
func (o opinion) findConflicts(origin, own []tag.Signal) {
	r, p := o.Finding, o.page
	if c := p.Own.Conflicts.String(); c != "" {
		p.Conflicts = append(p.Conflicts, Conflict{ConflictTags, c})
	}
	if r.Verdict == words.Disallowed && len(p.Own.Rules()) > 0 {
		p.Conflicts = append(p.Conflicts, Conflict{ConflictUnseen, p.Own.String()})
	}
	origin = slices.DeleteFunc(origin, func(s tag.Signal) bool { return !o.inForce(&s) })
	for purpose := tag.PurposeAutomated; purpose < tag.PurposeLicense; purpose++ {
		if !slices.ContainsFunc(slices.Concat(origin, own), func(s tag.Signal) bool { return s.Purpose == purpose }) {
			continue
		}
		switch theirs, its := tag.Prefers(origin, purpose), tag.Prefers(own, purpose); {
		case theirs == tag.PreferenceAllow && its == tag.PreferenceRestrict:
			p.Conflicts = append(p.Conflicts, Conflict{ConflictPageDenies, purpose.String()})
		case theirs == tag.PreferenceRestrict && its == tag.PreferenceAllow:
			p.Conflicts = append(p.Conflicts, Conflict{ConflictPageAllows, purpose.String()})
		}
	}
}

// isUsed reports whether what was fetched may be published or used: a page that was not served, or
// its content with an answer to HEAD, is not.
func isUsed(r *verdict.Finding) bool {
	f := r.Fetch
	return r.Reason != words.RobotsTxtItself && f.Method != http.MethodHead &&
		(f.Status < 0 || f.Status/100 == 2 || f.Status == http.StatusNotModified)
}

// hints are the uses that a statement speaks against which its specification does not let count.
func (o opinion) hints() (list []tag.Use) {
	signals := slices.DeleteFunc(o.page.signals(), func(s tag.Signal) bool { return isOrigins(&s) && !o.inForce(&s) })
	for _, use := range [...]tag.Use{tag.UseArchive, tag.UseIndex, tag.UseTrain} {
		if use.Hints(signals) {
			list = append(list, use)
		}
	}
	return list
}

// restrictions are what binds the uses of a page that are asked for, as of Page.At: one a
// use and kind.
func (o opinion) restrictions(uses []tag.Use) (list []Restriction) {
	for _, use := range uses {
		publication, usage := o.restrictionByTags(tag.KindPublication, use), o.restrictionByTags(tag.KindUsage, use)
		o.restrictBySignals(&usage)
		for _, x := range [...]Restriction{publication, usage} {
			if len(x.Statements) > 0 {
				list = append(list, x)
			}
		}
	}
	return list
}

// restrictionByTags is the restriction of a use by the tags of a page; without statements
// where there is none. One sure tag of the record itself makes it certain.
func (o opinion) restrictionByTags(kind tag.Kind, use tag.Use) Restriction {
	x := Restriction{Kind: kind, Certainty: words.Probable, Purpose: use}
	own := &o.page.Own
	if use.Kind() != kind {
		return x
	}
	for _, rule := range own.Restrictions(use, o.page.At) {
		for _, i := range own.Tags {
			t := &o.page.Tags[i]
			if !own.Restricts(t, rule, o.page.At) {
				continue
			}
			s := Statement{t.Source, t.Line, t.Raw}
			if t.Surely(o.page.Since) && o.isCertain(s) {
				x.Certainty = words.Certain
			}
			x.add(s)
		}
	}
	return x
}

// restrictBySignals adds the signals of a page and its origin. The origin
// alone never makes it certain.
func (o opinion) restrictBySignals(x *Restriction) {
	for _, s := range x.Purpose.RestrictingSignals(o.page.signals()) {
		said := Statement{s.Source, s.Line, s.Said()}
		switch {
		case isOrigins(&s):
			if !o.inForce(&s) {
				continue
			}
		case o.isCertain(said):
			x.Certainty = words.Certain
		}
		x.add(said)
	}
}

// isOrigins reports whether a signal is the origin's, not the page's own.
func isOrigins(s *tag.Signal) bool {
	switch s.Source {
	case tag.SourceRobotsTxt, tag.SourceTDMFile, tag.SourceAITxt:
		return true
	}
	return isNamedByRobots(s)
}

// isNamedByRobots reports whether a signal is that of a licence document which robots.txt names, not the page.
func isNamedByRobots(s *tag.Signal) bool {
	return s.Source == tag.SourceLicence && s.Scope == tag.ScopeOrigin
}

// inForce reports whether a signal of the origin was captured at most a day before
// the fetch. It never looks beyond the fetch, whatever moment is asked for: a
// preference is not retroactive (draft-ietf-aipref-attach-05), and what the fetch got
// under it stays so. Of a licence document, robots.txt must have named it then.
func (o opinion) inForce(s *tag.Signal) bool {
	if s.Source == tag.SourceRobotsTxt || isNamedByRobots(s) {
		return o.Evidence == words.Fresh
	}
	return slices.ContainsFunc(o.page.Signals, func(of Signal) bool { // two files may say the same
		return of.File != nil && of.Signal == *s && o.Fetch.Time().MicrosSince(of.File.Time()) <= verdict.FreshFor
	})
}

// isCertain reports whether the record itself surely holds a page's statement: a licence document is
// another record. A revisit or 304 holds its own header fields, which come before its original's.
func (o opinion) isCertain(s Statement) bool {
	f := o.Fetch
	if s.Source == tag.SourceLicence || f.Trust != facts.TrustChained ||
		f.Flags&facts.FlagDigestMismatch != 0 {
		return false
	}
	return o.page.source != resolve.SourceOriginal || isHeaders(s.Source) && f.PolicyHeaders != "" &&
		s.Line <= 1+strings.Count(f.PolicyHeaders, "\n")
}

func isHeaders(s tag.Source) bool {
	return s == tag.SourceRobotsTag || s == tag.SourceXRobotsTag || s == tag.SourceHeader
}

func (x *Restriction) add(s Statement) {
	if len(x.Statements) < maxStatements && !slices.Contains(x.Statements, s) {
		x.Statements = append(x.Statements, s)
	}
}

// Restricts reports whether a statement restricts a use, for any token.
func (p *Page) Restricts() (publication, usage bool) {
	if len(p.Tags) == 0 && len(p.Signals) == 0 {
		return false, false
	}
	for _, use := range [...]tag.Use{tag.UseArchive, tag.UseIndex, tag.UseTrain} {
		if len(p.Own.Restrictions(use, p.At)) > 0 {
			publication = publication || use.Kind() == tag.KindPublication
			usage = usage || use.Kind() == tag.KindUsage
		}
	}
	for i := range p.Signals {
		s := &p.Signals[i]
		usage = usage || s.Preference == tag.PreferenceRestrict && s.Scope != tag.ScopeImages && s.Binds()
	}
	return publication, usage
}

// signals are the signals that hold for the fetch, less those that repeat a tag.
func (p *Page) signals() (list []tag.Signal) {
	for _, s := range p.Signals {
		if s.Kind != tag.SignalTag {
			list = append(list, s.Signal)
		}
	}
	return list
}
