// Package use reads what a page and its origin say about the use of what was fetched: its tags and usage signals, those
// of the robots.txt that governs it, of other files of the origin, and of licence documents. None of it makes the
// fetch a violation.
package use

import (
	"slices"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate/parsed"
	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Page is the statements of a page, and of its origin, about the use of what was fetched. None of
// it makes the fetch a violation: it is known only afterwards.
type Page struct {
	From resolve.Source
	// when restrictions are judged: as of the date asked for, of a day its end, else at the fetch; zero: not known
	At        time.Time
	Since     time.Time // as At, but of a day its beginning
	Tags      []tag.Tag
	Own       tag.Set    // effective for the crawler that made the fetch
	Sets      []AgentSet // effective for everybody, and for each token that a tag names
	Signals   []Signal
	Conflicts []Conflict
	Hints     []tag.Use      // uses that a statement without force speaks against
	source    resolve.Source // of Tags, even where From means that more is not known
	originals [2]facts.Spot  // of a revisit or 304; two differ and may be it; zero: none
	documents []Document     // that were read: a tdmrep.json, and licences that the page or robots.txt names
	image     bool           // what was fetched is an image, and no page
}

// AgentSet is the tags of a page that are in effect for a product token; "" is every
// token that no tag of the page names.
type AgentSet struct {
	Agent string
	Set   tag.Set
}

// Document is a record other than the page whose payload states something about its use.
type Document struct {
	*facts.Capture
	Steps []resolve.Step // records that the capture led to
}

// Signal is a usage signal that holds for a fetch. One of robots.txt is by the
// governing capture, one of another file by File.
type Signal struct {
	tag.Signal
	File *facts.Capture
}

// ConflictKind names the two sides of a contradiction.
type ConflictKind uint8

// The contradictions. None is a violation; where two statements differ, the
// restriction holds.
const (
	_ ConflictKind = iota
	ConflictTags
	ConflictUnseen
	ConflictPageDenies
	ConflictPageAllows
)

// ConflictKinds is indexed by ConflictKind.
var ConflictKinds = []words.Word{
	0:            {Name: "unknown"},
	ConflictTags: {Name: "tags", Meaning: "The page's tags contradict each other."},
	ConflictUnseen: {
		Name:    "disallowed_yet_tagged",
		Meaning: "robots.txt disallows the fetch, so that a crawler that obeys it never sees the tags.",
	},
	ConflictPageDenies: {
		Name:    "page_restricts",
		Meaning: "The page restricts a purpose that robots.txt or tdmrep.json allows.",
	},
	ConflictPageAllows: {
		Name:    "page_allows",
		Meaning: "The page allows a purpose that robots.txt or tdmrep.json restricts.",
	},
}

func (k ConflictKind) String() string { return words.Name(ConflictKinds, k) }

// Conflict is a contradiction in what is said of a fetch's use.
type Conflict struct {
	Kind   ConflictKind
	Detail string // the rules or the purpose that it is about
}

// maxAgentSets bounds the tokens that one page can name.
const maxAgentSets = 64

// Reader reads what is said of the use of fetches, in the order of the facts.
type Reader struct {
	Options
	store    *facts.Reader
	texts    *parsed.Cache
	files    *siteFiles // of the origin in hand
	licences Licences
	read     map[string]*tag.RSL // licence documents, by digest and origin
	names    metaNames
	asked    []string // tokens of Options.Agents for which everybody's tags may mean more
	silent   Page     // of the fetch in hand, where nothing was said: a new one for each would take most of the time
}

// Options are what an audit asks of use.
type Options struct {
	Uses   []tag.Use // restrictions that bind one of them are looked for
	Agents []string  // product tokens, besides the crawler's own
	// when restrictions are judged: from Since to At; zero: at each fetch's own time
	Since, At time.Time
}

// NewReader reads the statements of facts, their robots.txt by texts.
func NewReader(store *facts.Reader, texts *parsed.Cache, licences Licences, opt Options) *Reader {
	return &Reader{
		Options: opt, store: store, texts: texts, licences: licences, names: newMetaNames(opt.Agents),
		asked:  withOwnRules(opt.Agents),
		silent: Page{Own: tag.Effective(nil, "")},
	}
}

// Read returns what is said of the use of a fetch, nil where that is nothing, and what of it restricts the uses asked
// for. s is what its record states, which may be that of one of two originals. The page is valid until the next fetch.
func (p *Reader) Read(r *verdict.Finding, s resolve.Statements, originals [2]facts.Spot) (*Page, []Restriction, error) {
	f := r.Fetch
	origin, disputed, err := p.usage(r)
	if err != nil {
		return nil, nil, err
	}
	file := p.files.tdm.at(f.Time())
	files, err := p.files.trainingHints(r)
	if err != nil || s.IsEmpty() && len(origin) == 0 && !disputed && file == nil && len(files) == 0 {
		return nil, nil, err
	}
	if len(origin) == 0 && file == nil && len(files) == 0 && s.Headers == "" && s.Metas == "" {
		// as in all rows of indexes
		page := &p.silent
		page.From, page.image = s.From, isImage(s.MimeType)
		page.Since, page.At = p.moment(f)
		if s.IsCut() || disputed {
			page.From = resolve.SourceUnknown
		}
		page.Own.Image = page.image
		return page, nil, nil
	}
	source := s.From
	headers := tag.ReadHeaders(s.Headers)
	kept, ok := tag.Decode(s.Metas)
	if !ok || kept.Open || s.IsCut() || disputed {
		s.From = resolve.SourceUnknown
	}
	metas := kept.Read()
	if (headers.Notes|metas.Notes)&tag.NoteMore != 0 {
		s.From = resolve.SourceUnknown
	}
	page := &Page{From: s.From, source: source, originals: originals, image: isImage(s.MimeType)}
	page.Since, page.At = p.moment(f)
	page.addSignals(origin, nil)
	ofTags := p.readTags(page, headers.Tags, metas.Tags, r.Agent)
	var reserved []tag.Signal
	if file != nil && r.Reason != words.RobotsTxtItself {
		tdm, err := p.files.tdm.of(file, p.store)
		if err != nil {
			return nil, nil, err
		}
		reserved = tdm.For(r.Path)
		page.documents = append(page.documents, Document{&file.Capture, file.Steps()})
	}
	own := slices.Concat(withoutTDM(headers.Signals), withoutTDM(metas.Signals), ofTags)
	for _, rsl := range metas.Licences {
		own = append(own, rsl.For(f.Origin, r.Path)...)
	}
	joined := tag.TDM(reserved, headers.Signals, metas.Signals)
	page.addSignals(joined, file)
	page.addSignals(own, nil)
	documents, more, err := p.readDocuments(r, page, slices.Concat(headers.Signals, metas.Signals), origin)
	if err != nil {
		return nil, nil, err
	}
	if more {
		page.From = resolve.SourceUnknown
	}
	page.Signals = append(append(page.Signals, documents...), files...)
	if page.From == resolve.SourceOwn && len(page.Tags) == 0 && len(page.Signals) == 0 {
		return nil, nil, nil
	}
	for _, s := range documents {
		joined = append(joined, s.Signal)
	}
	for i := range joined {
		if isOrigins(&joined[i]) {
			origin = append(origin, joined[i])
		} else {
			own = append(own, joined[i])
		}
	}
	return page, page.judge(r, origin, own, p.Uses), nil
}

func isImage(mimeType string) bool { return strings.HasPrefix(mimeType, "image/") }

// moment is when what is said of a fetch's use is judged: from the beginning to the end of a day that is
// asked about.
func (p *Reader) moment(f *facts.Fetch) (since, at time.Time) {
	t := f.Time()
	switch {
	case !p.At.IsZero():
		return p.Since, p.At
	case !t.Known():
		return time.Time{}, time.Time{}
	}
	return t.UTC(), t.UTC()
}

// usage returns the statements of the governing robots.txt about the use of a fetch: none where the verdict
// is unknown because captures differ. disputed: captures of its moment differ in this alone, or
// it states more than is kept.
func (p *Reader) usage(r *verdict.Finding) (said []tag.Signal, disputed bool, err error) {
	if r.Governing == nil || r.Reason == words.RobotsTxtItself || r.Reason == words.ConflictingCaptures ||
		r.Reason == words.ChangedBetween {
		return nil, false, nil
	}
	if said, disputed, err = p.usageBy(r.Governing, r); err != nil {
		return nil, false, err
	}
	for _, other := range r.Rivals() {
		theirs, more, err := p.usageBy(other, r)
		if err != nil {
			return nil, false, err
		}
		disputed = disputed || more
		if !tag.SayAlike(said, theirs) {
			return nil, true, nil
		}
	}
	return said, disputed, nil
}

// usageBy returns the statements of one robots.txt about the use of a fetch, and whether there are more.
func (p *Reader) usageBy(st *verdict.State, r *verdict.Finding) (said []tag.Signal, more bool, err error) {
	if !st.HasBody || !st.Outcome.HasRules() {
		return nil, false, nil
	}
	file, err := p.texts.Get(&st.State)
	if err != nil || len(file.Usage().Signals) == 0 {
		return nil, false, err
	}
	said, more = file.Usage().For(r.Agent, r.Path)
	mayCrawl := r.Verdict != words.Disallowed
	if file.UsageRules() != file.File {
		mayCrawl = file.Usage().MayCrawl(r.Agent, r.Path)
	}
	if !mayCrawl { // paths that can't be crawled have no preferences (draft-ietf-aipref-attach-05 §3.1)
		said = slices.DeleteFunc(said, func(s tag.Signal) bool { return s.Kind == tag.SignalContentUsage })
	}
	return said, more || file.Usage().Notes&tag.NoteMore != 0, nil
}

func withoutTDM(list []tag.Signal) []tag.Signal {
	return slices.DeleteFunc(slices.Clone(list), func(s tag.Signal) bool {
		return s.Kind == tag.SignalTDMReservation || s.Kind == tag.SignalTDMPolicy
	})
}

func (p *Page) addSignals(list []tag.Signal, file *resolve.State) {
	for _, s := range list {
		signal := Signal{Signal: s}
		if s.Source == tag.SourceTDMFile {
			signal.File = &file.Capture
		}
		p.Signals = append(p.Signals, signal)
	}
}

// Originals are the places of the record that a revisit or 304 stands for, whose statements count: none, one, or
// two that may be it and differ.
func (p *Page) Originals() []facts.Spot {
	n := 0
	for n < len(p.originals) && p.originals[n].Index > 0 {
		n++
	}
	return p.originals[:n]
}

// Documents are the records other than the page that were read for it.
func (p *Page) Documents() []Document { return p.documents }

// FileOf is the capture of the tdmrep.json or licence document that makes a statement; nil: none does.
func (p *Page) FileOf(said *Statement) *facts.Capture {
	if said.Source != tag.SourceTDMFile && said.Source != tag.SourceLicence {
		return nil
	}
	for i := range p.Signals {
		if s := &p.Signals[i]; s.File != nil && (Statement{s.Source, s.Line, s.Said()}) == *said {
			return s.File
		}
	}
	return nil
}

// Stated are the signals of the page itself, and of licence documents.
func (p *Page) Stated() (list []tag.Signal) {
	for _, s := range p.Signals {
		if s.Source != tag.SourceRobotsTxt && s.Source != tag.SourceTDMFile {
			list = append(list, s.Signal)
		}
	}
	return list
}
