package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/diff"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/finding"
	"github.com/robotsaudit/robotsaudit/report/prose"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// ReportOptions are the contents of a report that the tables do not have.
type ReportOptions struct {
	Title    string // "": a plain one
	Operator string // who ran the crawl
	Date     string // of the report; without it the report has none
	Brief    bool   // two pages of print, without the findings

	Changes *diff.Changes // from an earlier audit; nil: there is no section of changes
}

// Build makes the report of the figures of an audit, whose results are res. Besides a few thousand findings it holds
// counts alone, whatever the size of the tables.
func Build(ctx context.Context, res *results.Results, figures *Figures, options ReportOptions) (
	*document.Document, error,
) {
	b := &builder{
		Figures: figures, audit: res.Audit(), collections: make(groupTally), cited: make(map[int]*report.AuditInput),
		ids:      make(map[string]int),
		excerpts: finding.NewExcerpts(),
		found:    figures.violations.Sorted(), doubted: figures.unproven.Sorted(),
	}
	for _, f := range slices.Concat(b.found, b.doubted) {
		b.excerpts.Of(f)
		b.cite(f.WARCFilename)
		for _, r := range f.Records() {
			b.cite(r.File)
		}
	}
	if err := b.readInputs(res); err != nil {
		return nil, err
	}
	profile, err := robots.ParseProfile(b.audit.Settings.Profile)
	if err != nil {
		return nil, err
	}
	if err := b.excerpts.Fill(ctx, res.Dir(), b.audit.Settings.FactsFingerprint, profile); err != nil {
		return nil, err
	}
	return b.document(&options), nil
}

// builder puts a Document together.
type builder struct {
	*Figures
	audit    *report.Audit
	excerpts *finding.Excerpts

	found, doubted []*finding.Case // violations, and unproven ones
	ids            map[string]int  // of findings

	firstInputs []*report.AuditInput
	cited       map[int]*report.AuditInput // by findings; nil under noInput
	collections groupTally                 // of fetches
	names       []string                   // of all collections, in the order of the inputs
}

// readInputs keeps what the report shows of inputs.
func (b *builder) readInputs(res *results.Results) error {
	n, known := 0, make(map[string]bool)
	for in, err := range res.Inputs() {
		if err != nil {
			return err
		}
		if n < maxInputs {
			b.firstInputs = append(b.firstInputs, in)
		}
		if _, is := b.cited[n]; is {
			b.cited[n] = in
		}
		counts := b.byInput[n+1]
		fetched := counts.Fetches > 0
		for _, name := range collections(in) {
			if !known[name] && (fetched || b.part.IsZero()) {
				known[name] = true
				b.names = append(b.names, name)
			}
			if fetched {
				b.collections.add(name+"\t"+claims(in), counts)
			}
		}
		n++
	}
	return nil
}

func (b *builder) cite(file string) {
	n, _ := b.inputs.of(file)
	b.cited[n] = nil
}

// inputOf finds the input that holds a record of a finding, and in a WACZ the entry. nil: none does.
func (b *builder) inputOf(file string) (in *report.AuditInput, entry string) {
	n, entry := b.inputs.of(file)
	return b.cited[n], entry
}

// document puts together what was read.
func (b *builder) document(options *ReportOptions) *document.Document {
	d := &document.Document{
		Title:    document.TitleOf(options.Title),
		Period:   b.period(),
		Operator: prose.Visible(options.Operator), Date: prose.Visible(options.Date),
		Answer: b.answer(),
		Sections: []document.Section{
			b.actionSection(b.audit), b.certainty(), b.scope(), b.timeline.section(false),
		},
		Excerpts: b.excerpts.List, Disclaimer: document.Disclaimer,
	}
	if part := b.part.String(); part != "" {
		d.Title += ": " + part
		d.Answer.Details = slices.Concat([]string{"All figures are of a part of the audit: " + part + "."}, d.Answer.Details)
	}
	if options.Changes != nil {
		d.Sections = append(d.Sections, changesSection(options.Changes))
	}
	d.Sections = append(d.Sections, b.siteSection(), b.violationSection(), b.unprovenSection(), b.unknown.section(),
		b.use.section(b.audit, b.part), whatIfSection(b.WhatIf.Ranking(), b.audit), b.issues.section(b.audit, b.part),
		method(), signOff())
	if b.audit.Inputs.AreLogs() { // the owner of the site asks first who did what, and when
		d.Sections = slices.DeleteFunc(d.Sections, func(s document.Section) bool {
			return s.ID == "timeline" || s.ID == "use" && len(b.audit.Settings.Purposes) == 0
		})
		d.Sections = slices.Concat([]document.Section{
			{ID: "conduct", Heading: "How crawlers behaved", Tables: []document.Table{b.crawlers.conduct()}},
			b.timeline.section(true),
		}, d.Sections)
		d.SpeakOfRequests()
	}
	for _, s := range d.Sections {
		for i := range s.Tables {
			s.Tables[i].PutInWords()
		}
	}
	if options.Brief {
		d.Brief()
	}
	return d
}

func (b *builder) siteSection() document.Section {
	t := b.collections.table("sites-collections", "By collection and policy", "Collection", "Claims about robots.txt")
	t.Notes = []string{"A collection is a folder of archives, a WACZ, or what warcinfo records say that they are " +
		"part of (isPartOf). Where none says so, the title of a WACZ is one, which may be its program's own word. " +
		"A fetch may count in several. An archive whose warcinfo records name several counts in " +
		"each. What archives claim about robots.txt is the field robots of these records: a mandate such as legal " +
		"deposit may override robots.txt. It changes no verdict."}
	if n := b.byInput[noInput+1].Fetches; n > 0 {
		t.Notes = append(t.Notes, report.Count(n, "fetch")+" of archives that are no input, reported by an index or a list, "+
			prose.IsAre(n, "counts", "count")+" in none.")
	}
	s := document.Section{ID: "sites", Heading: "Sites and collections", Intro: []string{
		"Those with most violations come first, then those with most that is unproven or unknown. Unproven fetches " +
			"are the possible and the contested ones.",
	}, Tables: []document.Table{b.sites.table()}}
	for _, t := range []document.Table{t, b.kinds.table("sites-kinds", "Pages, embeds and seeds, as far as the archives show", "Kind")} {
		if n := len(t.Rows); n > 1 || n == 1 && len(t.Notes) > 1 { // one row has what the whole has
			s.Tables = append(s.Tables, t)
		}
	}
	return s
}

func (b *builder) violationSection() document.Section {
	f := &document.Findings{
		Total: b.violations.Total, List: b.list(b.found), Empty: "No violation is proven.",
	}
	if more := f.Total - int64(len(f.List)); more > 0 {
		f.More = fmt.Sprintf("Of %s, these are the %s most certain; %s more are in the table violations.",
			prose.Number(f.Total), prose.Number(int64(len(f.List))), prose.Number(more))
	}
	return document.Section{ID: "violations", Heading: "Violations", Intro: []string{
		"robots.txt disallowed each of these fetches, certainly or probably. Each proof names its records, and states no " +
			"more than they show.",
	}, Findings: f}
}

func (b *builder) unprovenSection() document.Section {
	f := &document.Findings{Total: b.unproven.Total, List: b.list(b.doubted), Empty: "There is none."}
	if more := f.Total - int64(len(f.List)); more > 0 {
		f.More = fmt.Sprintf("%s more are in the table unproven.", prose.Number(more))
	}
	intro := "robots.txt disallows these fetches, but as far as these archives show none of them is a violation."
	if f.Total > 0 {
		intro += " Each names what would settle it."
	}
	return document.Section{ID: "unproven", Heading: "Disallowed, but not proven", Intro: []string{intro}, Findings: f, Tables: []document.Table{b.settles.Table()}}
}

// list makes findings of the rows kept.
func (b *builder) list(rows []*finding.Case) []document.Finding {
	list := []document.Finding{}
	for _, f := range rows {
		list = append(list, b.finding(f))
	}
	return list
}

func (b *builder) finding(f *finding.Case) document.Finding {
	records := f.Records()
	x := document.Finding{
		ID: b.idOf(f), Certainty: f.Certainty, Sentence: f.Sentence(), Time: prose.Moment(f.FetchTime),
		Crawler: prose.TokenName(f.Agent), UserAgent: strings.ReplaceAll(f.UserAgent, "\n", " or "),
		URL: f.ShortURL, Shortened: f.Cut, Origin: prose.OrNoOrigin(f.Origin),
		Rule: ruleOf(&f.ViolationRow), Line: f.RuleLine, Excerpt: b.excerpts.Of(f),
		Proof: f.Proof(), Records: records, Commands: f.Commands(records, b.inputOf),
	}
	if !f.IsViolation() {
		x.Settle = f.Settle()
	}
	return x
}

// idOf is the name of a finding, with a number where another has it already.
func (b *builder) idOf(f *finding.Case) string {
	id := finding.IDOf(&f.ViolationRow)
	b.ids[id]++
	if n := b.ids[id]; n > 1 {
		return fmt.Sprintf("%s-%d", id, n)
	}
	return id
}
