package document

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/diff"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Options are the contents of a report that the tables do not have.
type Options struct {
	Title    string // "": a plain one
	Operator string // who ran the crawl
	Date     string // of the report; without it the report has none

	Changes *diff.Changes // from an earlier audit; nil: there is no section of changes
}

// Build makes the report of the results of an audit. Besides a few thousand findings it holds
// counts alone, whatever the size of the tables.
func Build(ctx context.Context, res *results.Results, options Options) (*Document, error) {
	b := &builder{
		res: res, audit: res.Audit(), inputs: make(map[string]*report.AuditInput), timeline: newTimelineTally(),
		unknown:  newUnknownTally(),
		excerpts: excerptTally{index: make(map[excerptKey]int), list: []Excerpt{}},
	}
	for i := range b.audit.Inputs {
		b.inputs[b.audit.Inputs[i].Name] = &b.audit.Inputs[i]
	}
	if err := b.read(ctx); err != nil {
		return nil, err
	}
	return b.document(&options), nil
}

// builder goes through the tables, each once, and keeps the parts of a Document.
type builder struct {
	res    *results.Results
	audit  *report.Audit
	inputs map[string]*report.AuditInput // by name

	crawlers   crawlerTally
	sites      siteTally
	rules      *ruleTally
	violations selection
	unproven   selection
	settles    settleTally
	lengths    map[place]int64 // of records that findings cite
	timeline   *timelineTally
	unknown    *unknownTally
	byInput    map[*report.AuditInput]*Tally
	kinds      groupTally
	use        useTally
	whatIf     whatIfTally
	issues     issueTally
	excerpts   excerptTally
}

// read reads the tables. Sites and findings come first: they decide which rows of the others are needed.
func (b *builder) read(ctx context.Context) error {
	for _, read := range []func(context.Context, *results.Results) error{
		b.sites.read, b.readViolations, b.readUnproven, b.readCaptures, b.readFetches,
		b.crawlers.read, b.use.read, b.whatIf.read, b.issues.read,
	} {
		if err := read(ctx, b.res); err != nil {
			return err
		}
	}
	return b.readExcerpts(ctx)
}

// readViolations finds the most certain violations, and the rules that cause most, for the sites that are shown.
func (b *builder) readViolations(ctx context.Context, res *results.Results) error {
	b.violations.limit = maxViolations
	b.rules = newRuleTally(&b.sites)
	err := results.Each(ctx, res, report.ViolationsTable, func(row *found) {
		b.rules.add(row.Origin, domainOf(row.Domain, row.Host), row.Rule)
		b.violations.add(row)
	})
	b.rules.end()
	return err
}

func (b *builder) readUnproven(ctx context.Context, res *results.Results) error {
	b.unproven.limit = maxUnproven
	b.settles = make(settleTally)
	return results.Each(ctx, res, report.UnprovenTable, func(row *found) {
		b.settles.add(row)
		b.unproven.add(row)
	})
}

// findings are all that are kept, in the order of reading.
func (b *builder) findings() []*found {
	return slices.Concat(b.violations.sorted(), b.unproven.sorted())
}

func (b *builder) readCaptures(ctx context.Context, res *results.Results) error {
	b.lengths = make(map[place]int64)
	r := captureReader{wanted: make(map[int64][]*found), lengths: b.lengths, timeline: b.timeline, causes: b.unknown}
	for _, f := range b.findings() {
		r.wanted[f.RobotsID] = append(r.wanted[f.RobotsID], f)
		if f.hasOtherBody() {
			b.lengths[f.bodyPlace()] = 0
		}
		if f.ContestedOffset != nil {
			b.lengths[f.contestedPlace()] = 0
		}
	}
	return r.read(ctx, res)
}

// fetchRow holds the columns of fetches that are read.
type fetchRow struct {
	Origin    string  `parquet:"origin"`
	FetchTime *int64  `parquet:"fetch_time"`
	File      string  `parquet:"warc_filename"`
	Offset    int64   `parquet:"warc_record_offset"`
	Length    int64   `parquet:"warc_record_length"`
	Claim     string  `parquet:"claim"`
	Verdict   string  `parquet:"verdict"`
	Reason    string  `parquet:"reason"`
	Certainty string  `parquet:"certainty"`
	Hops      *string `parquet:"hops_from_seed"`
	IsSeed    *bool   `parquet:"is_seed"`
	IsPage    *bool   `parquet:"is_page"`
}

func (b *builder) readFetches(ctx context.Context, res *results.Results) error {
	b.byInput, b.kinds = make(map[*report.AuditInput]*Tally), make(groupTally)
	file := ""
	in, _ := b.inputOf(file)
	return results.Each(ctx, res, report.FetchesTable, func(row *fetchRow) {
		if row.File != file {
			file = row.File
			in, _ = b.inputOf(file)
		}
		b.addFetch(row, in)
	})
}

func (b *builder) addFetch(row *fetchRow, in *report.AuditInput) {
	at := place{row.File, row.Offset}
	if length, asked := b.lengths[at]; asked && length == 0 {
		b.lengths[at] = row.Length
	}
	counts := Tally{Fetches: 1}
	switch {
	case row.Certainty == "certain" || row.Certainty == "probable":
		counts.Violations = 1
	case row.Verdict == "unknown":
		counts.Unknown = 1
		b.unknown.addFetch(row.Origin, row.Reason)
	}
	b.timeline.addFetch(row.FetchTime, row.Claim, counts)
	b.kinds.add(kindOf(row.IsSeed, row.IsPage, row.Hops), counts)
	v := b.byInput[in]
	if v == nil {
		v = new(Tally)
		b.byInput[in] = v
	}
	v.add(counts)
}

func (b *builder) readExcerpts(ctx context.Context) error {
	for _, f := range b.findings() {
		b.excerpts.of(f)
	}
	profile, err := robots.ParseProfile(b.audit.Settings.Profile)
	if err != nil {
		return err
	}
	return b.excerpts.fill(ctx, b.res.Dir(), b.audit.Settings.FactsFingerprint, profile)
}

// document puts together what was read.
func (b *builder) document(options *Options) *Document {
	t := &b.audit.Totals
	d := &Document{
		Title:    cmp.Or(Visible(options.Title), "Compliance with robots.txt"),
		Operator: Visible(options.Operator), Date: Visible(options.Date),
		Answer:   answer(t, b.crawlers.all(), t.InputsNotWhollyRead),
		Sections: []Section{certainty(t), b.scope(), b.timeline.section()},
		Excerpts: b.excerpts.list, Disclaimer: disclaimer,
	}
	if options.Changes != nil {
		d.Sections = append(d.Sections, changesSection(options.Changes))
	}
	d.Sections = append(d.Sections, b.siteSection(), b.violationSection(), b.unprovenSection(), b.unknown.section(),
		b.use.section(b.audit), b.whatIf.section(b.audit), b.issues.section(b.audit), method(), signOff())
	return d
}

func (b *builder) siteSection() Section {
	byCollection := make(groupTally)
	for in, v := range b.byInput {
		if in == nil {
			continue
		}
		for _, name := range collections(in) {
			byCollection.add(name, *v)
		}
	}
	t := byCollection.table("sites-collections", "By collection", "Collection")
	t.Notes = []string{"A collection is a folder of archives, a WACZ, or what warcinfo records say that they are " +
		"part of (isPartOf). A fetch may count in several. An archive whose warcinfo records name several counts in each."}
	if v := b.byInput[nil]; v != nil {
		t.Notes = append(t.Notes,
			plural(v.Fetches, "fetch")+" of archives that are no input, reported by an index or a list, "+
				isAre(v.Fetches, "counts", "count")+" in none.")
	}
	kinds := b.kinds.table("sites-kinds", "Pages, embeds and seeds, as far as the archives show", "Kind")
	return Section{ID: "sites", Heading: "Sites and collections", Intro: []string{
		"Those with most violations come first, then those with most that is unproven or unknown. Unproven fetches " +
			"are the possible and the contested ones.",
	}, Tables: append(b.sites.tables(), t, kinds)}
}

// collectionNames are the names of the archives, in the order of the inputs.
func (b *builder) collectionNames() (names []string) {
	seen := make(map[string]bool)
	for i := range b.audit.Inputs {
		for _, name := range collections(&b.audit.Inputs[i]) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return []string{"none"}
	}
	return names
}

func (b *builder) violationSection() Section {
	f := &Findings{
		Total: b.violations.total, List: b.list(&b.violations),
		Empty: "No fetch is shown to have been disallowed by robots.txt.",
	}
	if more := f.Total - int64(len(f.List)); more > 0 {
		f.More = fmt.Sprintf("Of %s, these are the %s most certain; %s more are in the table violations.",
			number(f.Total), number(int64(len(f.List))), number(more))
	}
	return Section{ID: "violations", Heading: "Violations", Intro: []string{
		"Each of these fetches was disallowed by robots.txt, certainly or probably. The sentence says no more " +
			"than the records prove, which are named for each.",
	}, Findings: f, Tables: []Table{b.rules.table()}}
}

func (b *builder) unprovenSection() Section {
	f := &Findings{Total: b.unproven.total, List: b.list(&b.unproven), Empty: "There is none."}
	if more := f.Total - int64(len(f.List)); more > 0 {
		f.More = fmt.Sprintf("%s more are in the table unproven.", number(more))
	}
	return Section{ID: "unproven", Heading: "Disallowed, but not proven", Intro: []string{
		"robots.txt disallows these fetches, but as far as these archives show none of them is a violation. " +
			"Each names what would settle it.",
	}, Findings: f, Tables: []Table{b.settles.table()}}
}

// list makes findings of the rows kept.
func (b *builder) list(s *selection) []Finding {
	list := []Finding{}
	for _, f := range s.sorted() {
		list = append(list, b.finding(f))
	}
	return list
}

func (b *builder) finding(f *found) Finding {
	records := f.records(b.lengths)
	x := Finding{
		Row: f.row, Certainty: f.Certainty, Sentence: f.sentence(), Time: moment(f.FetchTime),
		Crawler: tokenName(f.Agent), UserAgent: f.UserAgent,
		URL: f.shortURL, Shortened: f.cut, Origin: orNoOrigin(f.Origin), Rule: orUnreachable(f.Rule), Line: f.RuleLine,
		Excerpt: b.excerpts.of(f),
		Proof:   f.proof(), Records: records, Commands: b.commands(f, records),
	}
	if !f.isViolation() {
		for _, c := range f.causes() {
			x.Settle = append(x.Settle, c.cure)
		}
	}
	return x
}
