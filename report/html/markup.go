package html

import (
	"cmp"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/document"
)

// markup is HTML in the making. The rows of a report are thousands: they are written here, as html/template takes
// ten times as long. Texts are escaped as it escapes them.
type markup []byte

// put writes markup and texts in turn, markup first. Texts are escaped for elements, and for attributes in quotes.
func (m *markup) put(parts ...string) {
	for i, part := range parts {
		if i%2 == 0 {
			*m = append(*m, part...)
		} else {
			m.text(part)
		}
	}
}

func (m *markup) text(s string) {
	from := 0
	for i := range len(s) {
		if entity := entities[s[i]]; entity != "" {
			*m = append(append(*m, s[from:i]...), entity...)
			from = i + 1
		}
	}
	*m = append(*m, s[from:]...)
}

var entities = [256]string{
	0: "\uFFFD", '"': "&#34;", '&': "&amp;", '\'': "&#39;", '+': "&#43;", '<': "&lt;", '>': "&gt;",
}

// code writes a text in fixed pitch, which may break after the marks between its parts.
func (m *markup) code(s string) {
	from := 0
	for i := 1; i < len(s); i++ {
		if strings.IndexByte("./?&=_,:", s[i-1]) >= 0 && strings.IndexByte("./?&=_,:", s[i]) < 0 {
			m.text(s[from:i])
			m.put("<wbr>")
			from = i
		}
	}
	m.text(s[from:])
}

var option = regexp.MustCompile(`(^|[ (])(--?[A-Za-z][A-Za-z-]*)`)

// prose is a text in which no line breaks within an option, such as --ranges.
func prose(s string) template.HTML {
	var m markup
	m.text(s)
	return template.HTML(option.ReplaceAllString(string(m), `$1<span class="option">$2</span>`))
}

// row writes a row of a table. The first cell names the row.
func (m *markup) row(columns []document.Column, cells []document.Cell) {
	m.put("<tr>")
	tag := `th scope="row"`
	for i, c := range cells {
		m.put("<"+tag+` class="`, string(columns[i].Kind))
		if c.Number == 0 && columns[i].Kind == document.Number && c.Text != "" && c.Text != "0" {
			m.put(" word") // such as never: it is shown on a narrow screen, too, which leaves zeros out
		}
		m.put(`"`)
		if columns[i].Kind == document.Number {
			m.put(` data-number="`, strconv.FormatInt(c.Number, 10), `"`)
		}
		if i > 0 {
			m.put(` data-name="`, columns[i].Name, `"`)
		}
		m.put(">")
		if c.Link != "" {
			m.put(`<a href="#`, c.Link, `">`)
		}
		if columns[i].Kind == document.Code {
			m.code(c.Text)
		} else {
			m.text(c.Text)
		}
		if c.Link != "" {
			m.put("</a>")
		}
		m.put("</" + tag[:2] + ">")
		tag = "td"
	}
	m.put("</tr>\n")
}

// finding writes a finding with its proof.
func (m *markup) finding(f *document.Finding, excerpts []document.Excerpt) {
	m.put(`<tbody class="finding" id="`, f.ID, `" data-site="`, f.Origin, `">
<tr><th scope="row" class="name"><a href="#`, f.ID, `">`, f.ID, `</a></th><td class="certainty">`)
	m.swatch(f.Certainty)
	m.put("", f.Certainty, `</td><td class="moment">`, cmp.Or(f.Time, "no date"), `</td><td class="code">`)
	m.code(f.URL)
	m.put(`</td><td class="words" data-name="Crawler">`, f.Crawler, `</td><td class="code" data-name="Rule">`, f.Rule,
		`</td></tr>
<tr class="proof"><td colspan="6"><details><summary>Proof <span class="hidden">of `, f.ID, `</span></summary>
<p class="sentence">`, f.Sentence, "</p>\n")
	if 0 <= f.Excerpt && f.Excerpt < len(excerpts) {
		m.excerpt(&excerpts[f.Excerpt])
	}
	m.put("\n<dl>\n")
	for _, s := range f.Settle {
		m.put("<div><dt>What would settle it</dt><dd>", s, "</dd></div>")
	}
	m.put("\n")
	m.terms(f.Proof, "<dd>", "</dd>")
	m.put("\n")
	if f.UserAgent != "" {
		m.put("<div><dt>User-Agent</dt><dd><code>", f.UserAgent, "</code></dd></div>")
	}
	m.put("\n")
	if f.Shortened {
		m.put("<div><dt>URL</dt><dd>Shortened here. The table has it whole.</dd></div>")
	}
	m.put("\n")
	for i := range f.Records {
		r := &f.Records[i]
		m.put("<div><dt>", r.What, "</dt><dd><code>", r.File, "</code>, ", report.PlaceText(r.File, r.Offset, r.Length))
		if r.Length > 0 {
			m.put(", ", strconv.FormatInt(r.Length, 10), " bytes")
		}
		if r.ID != "" {
			m.put(", record <code>", r.ID, "</code>")
		}
		if r.Digest != "" {
			m.put(", digest <code>", r.Digest, "</code>")
		}
		m.put("</dd></div>")
	}
	m.put("\n")
	m.terms(f.Commands, `<dd><code class="command">`, "</code></dd>")
	m.put("\n</dl></details></td></tr>\n</tbody>\n")
}

// swatch writes a small field with the fill of a class.
func (m *markup) swatch(id string) {
	m.put(`<svg class="swatch" width="14" height="14" aria-hidden="true"><rect width="14" height="14" fill="url(#fill-`,
		id, `)"/></svg>`)
}

// terms writes names and their values, each between two tags.
func (m *markup) terms(terms []document.Term, before, after string) {
	for _, t := range terms {
		m.put("<div><dt>", t.Name, "</dt>")
		for _, v := range t.Values {
			m.put(before, v, after)
		}
		m.put("</div>")
	}
}

func (m *markup) excerpt(e *document.Excerpt) {
	if len(e.Lines) == 0 && e.Missing == "" {
		return
	}
	m.put(`<figure class="excerpt"><figcaption>`, e.Source, "</figcaption>")
	if e.Missing != "" {
		m.put("<p>", e.Missing, "</p>")
	}
	for _, l := range e.Lines {
		number := "…"
		if l.Number != 0 {
			number = strconv.Itoa(l.Number)
		}
		m.put(`<p class="`, string(cmp.Or(l.Mark, "plain")), `"><span class="at">`, number, "</span><code>", l.Text,
			"</code>")
		if l.Label != "" {
			m.put("<b>", l.Label, "</b>")
		}
		m.put("</p>")
	}
	m.put("</figure>")
}
