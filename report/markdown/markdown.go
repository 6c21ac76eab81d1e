// Package markdown writes a compliance report as GitHub Flavored Markdown, short enough for the
// summary of a job (1 MiB).
//
// Texts from archives are escaped: they can form no markup, and no link. Links lead to anchors of the document alone:
// sections, tables and findings. Findings have the same names in the HTML report.
package markdown

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/report/document"
)

const (
	maxBytes = 1 << 20  // of a job's summary
	reserve  = 64 << 10 // for the last item begun, and what says that others are left out
	maxRows  = 100      // of a table
	maxItems = 100      // findings of a kind
)

// order is the order of the sections: what matters most comes first, and what is cut last.
var order = []string{
	"conduct", "actions", "certainty", "scope", "timeline", "violations", "unproven", "unknown", "sites", "use", "what-if",
	"unread", "changes", "method",
}

// Render writes the report.
func Render(w io.Writer, doc *document.Document) error {
	p := page{anchors: anchorsOf(doc)}
	p.heading(1, "", doc.Title)
	p.terms(nonEmpty("Period", doc.Period), nonEmpty("Operator", doc.Operator), nonEmpty("Date", doc.Date))
	p.paragraph("**" + escape(doc.Answer.Sentence) + "**")
	p.paragraphs(doc.Answer.Details)
	p.paragraph(escape(doc.Disclaimer))
	ids := order
	if doc.Section("conduct") != nil { // when crawlers did what follows
		ids = slices.Insert(slices.DeleteFunc(slices.Clone(order), func(id string) bool { return id == "timeline" }), 1, "timeline")
	}
	for _, id := range ids {
		if s := doc.Section(id); s != nil {
			p.section(s)
		}
	}
	return p.write(w)
}

// Sections writes a title, paragraphs, and sections in their order: a document that is no report of an audit.
func Sections(w io.Writer, title string, intro []string, sections []document.Section) error {
	var p page
	p.heading(1, "", title)
	p.paragraphs(intro)
	for i := range sections {
		p.section(&sections[i])
	}
	return p.write(w)
}

// page gathers blocks, between which is an empty line.
type page struct {
	blocks  []string
	bytes   int
	leftOut int               // blocks for which there is no room
	anchors map[string]string // by the ID of a section or table, or the name of a site; nil: there are none
}

// anchorsOf names what links lead to: a site to its first finding, as findings stand site by site.
func anchorsOf(doc *document.Document) map[string]string {
	anchors := make(map[string]string)
	for _, s := range doc.Sections {
		anchors[s.ID] = s.ID
		for _, t := range s.Tables {
			anchors[t.ID] = t.ID
		}
		for _, f := range bySite(s.Findings) {
			if anchors[f.Origin] == "" {
				anchors[f.Origin] = f.ID
			}
		}
	}
	return anchors
}

// bySite are the findings that are shown, site by site.
func bySite(f *document.Findings) []document.Finding {
	if f == nil {
		return nil
	}
	first := make(map[string]int)
	for i, v := range f.List {
		if _, seen := first[v.Origin]; !seen {
			first[v.Origin] = i
		}
	}
	list := slices.Clone(f.List[:min(len(f.List), maxItems)])
	slices.SortStableFunc(list,
		func(a, b document.Finding) int { return cmp.Compare(first[a.Origin], first[b.Origin]) })
	return list
}

// anchor is a place that links lead to.
func (p *page) anchor(id string) string {
	if p.anchors[id] == "" {
		return ""
	}
	return `<a id="` + id + `"></a>`
}

// link makes a text in Markdown lead to what a name stands for, if that is in the document.
func (p *page) link(text, name string) string {
	if id := p.anchors[name]; id != "" {
		return "[" + text + "](#" + id + ")"
	}
	return text
}

func (p *page) write(w io.Writer) error {
	if p.leftOut > 0 {
		p.blocks = append(p.blocks, "This summary is full: more is in the tables and in the report as HTML.")
	}
	_, err := io.WriteString(w, strings.Join(p.blocks, "\n\n")+"\n")
	return err
}

func (p *page) add(block string) {
	if p.bytes += len(block) + 2; p.bytes > maxBytes-reserve {
		p.leftOut++
		return
	}
	p.blocks = append(p.blocks, block)
}

func (p *page) heading(level int, id, text string) {
	p.add(strings.Repeat("#", level) + " " + p.anchor(id) + escape(text))
}

func (p *page) section(s *document.Section) {
	p.heading(2, s.ID, s.Heading)
	p.paragraphs(s.Intro)
	p.terms(s.Terms...)
	p.classes(s.Classes)
	p.paragraphs(s.Totals)
	if t := s.Timeline; t != nil {
		table := document.NewTable("", "", "", document.Words.Columns("From"),
			document.Number.Columns(t.What, "Violations", "Unknown"), document.Words.Columns("robots.txt"))
		for _, period := range t.Periods {
			table.Add(period.Label, period.Fetches, period.Violations, period.Unknown, period.Mark)
		}
		if t.By == document.ByCrawler {
			table = t.Numbers("")
		}
		if len(table.Rows) > 0 {
			p.add(strings.Join(p.rows(&table), "\n"))
		}
		p.rest(len(table.Rows), maxRows, t.More)
		p.paragraph(escape(t.Undated))
	}
	if f := s.Findings; f != nil && len(f.List) == 0 {
		p.paragraph(escape(f.Empty))
		return
	}
	for i := range s.Tables {
		p.table(&s.Tables[i])
	}
	if s.Findings != nil {
		p.findings(s.Findings)
	}
}

// paragraph adds a paragraph that is Markdown already.
func (p *page) paragraph(text string) {
	if text != "" {
		p.add(text)
	}
}

func (p *page) paragraphs(texts []string) {
	for _, t := range texts {
		p.paragraph(escape(t))
	}
}

func nonEmpty(name, value string) document.Term {
	if value == "" {
		return document.Term{}
	}
	return document.Term{Name: name, Values: []string{value}}
}

// terms adds a list of names and their descriptions.
func (p *page) terms(terms ...document.Term) {
	var lines []string
	for _, t := range terms {
		var values strings.Builder
		for i, v := range t.Values {
			switch {
			case i == 0:
			case strings.HasSuffix(t.Values[i-1], "."):
				values.WriteByte(' ')
			default:
				values.WriteString("; ")
			}
			values.WriteString(escape(v))
		}
		if t.Name != "" {
			lines = append(lines, "- **"+escape(t.Name)+"**: "+values.String())
		}
	}
	p.paragraph(strings.Join(lines, "\n"))
}

func (p *page) classes(classes []document.Class) {
	if len(classes) == 0 {
		return
	}
	lines := []string{"| | | |", "| --- | ---: | --- |"}
	for _, c := range classes {
		meaning := escape(strings.TrimSpace(c.Meaning + " " + c.Action))
		if c.Command != "" {
			meaning += " " + code(c.Command)
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %s |", p.link(escape(c.Label), c.Link), escape(c.Words), meaning))
	}
	p.add(strings.Join(lines, "\n"))
}

func (p *page) table(t *document.Table) {
	if len(t.Rows) == 0 {
		p.paragraph(p.anchor(t.ID) + escape(t.Empty))
		return
	}
	p.paragraph(p.anchor(t.ID) + "**" + escape(t.Caption) + "**")
	p.add(strings.Join(p.rows(t), "\n"))
	p.rest(len(t.Rows), maxRows, t.More)
	p.paragraphs(t.Notes)
}

// rows are the lines of a table.
func (p *page) rows(t *document.Table) []string {
	names, rules := "|", "|"
	for _, c := range t.Columns {
		names += " " + escape(c.Name) + " |"
		if c.Kind == document.Number {
			rules += " ---: |"
		} else {
			rules += " --- |"
		}
	}
	lines := []string{names, rules}
	for _, row := range t.Rows[:min(len(t.Rows), maxRows)] {
		line := "|"
		for i, cell := range row {
			text := escape(cell.Text)
			if t.Columns[i].Kind == document.Code && text != "" {
				text = code(cell.Text)
			}
			if cell.Link != "" {
				text = p.link(text, cell.Text)
			}
			line += " " + text + " |"
		}
		lines = append(lines, line)
	}
	return lines
}

// rest says what of a list is not shown; more says what the list itself leaves out.
func (p *page) rest(listed, shown int, more string) {
	if listed > shown {
		p.paragraph(fmt.Sprintf("The first %d are shown. The report as HTML has more.", shown))
		return
	}
	p.paragraph(escape(more))
}

func (p *page) findings(f *document.Findings) {
	var lines []string
	site := ""
	for i, v := range bySite(f) {
		if i == 0 || v.Origin != site {
			site = v.Origin
			p.paragraph(strings.Join(lines, "\n"))
			p.paragraph("**" + code(site) + "**")
			lines = nil
		}
		line := fmt.Sprintf("- <a id=%q></a>**%s** [%s](#%s): %s", v.ID, escape(v.Certainty), v.ID, v.ID,
			escape(v.Sentence))
		for _, r := range v.Records {
			line += fmt.Sprintf(" %s: %s at %d.", escape(r.What), code(r.File), r.Offset)
		}
		lines = append(lines, line)
	}
	p.add(strings.Join(lines, "\n"))
	p.rest(len(f.List), maxItems, f.More)
}

// code is a text in fixed pitch. A code span cannot hold every text in a table, so it is an
// element.
func code(s string) string { return "<code>" + escape(s) + "</code>" }

// plain are the punctuation marks that never mean anything in Markdown, once others are gone.
const plain = " ,;%'\"/=?.-()"

// escape writes a text so that it is itself in Markdown, in a table, too. Character references
// never form markup.
func escape(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r > '~' || isInWord(string(r)) || isPlain(r, s[:i], s[i:]) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}

// isInWord reports whether a character is an ASCII letter or digit.
func isInWord(c string) bool {
	return c >= "0" && c <= "9" || c >= "A" && c <= "Z" || c >= "a" && c <= "z"
}

// isPlain reports whether a punctuation mark stays as it is. GitHub makes links of http: and www.
// and pictures of :names: as well.
func isPlain(r rune, before, from string) bool {
	switch r {
	case '_': // within a word it marks nothing
		return isInWord(before[max(len(before)-1, 0):]) && isInWord(from[1:min(len(from), 2)])
	case ':':
		return from == ":" || strings.HasPrefix(from, ": ")
	case '.':
		return len(before) < 3 || !strings.EqualFold(before[len(before)-3:], "www")
	}
	return strings.ContainsRune(plain, r)
}
