// Package html writes the compliance report as one HTML file that needs nothing else: no
// network, no other file. It works from a disk and as an attachment of a mail.
//
// All that a person must read is there without JavaScript. Scripts in the file add sorting,
// search and charts that answer the pointer. A Content-Security-Policy permits these scripts
// and the style by their SHA-256, and nothing else: whatever an archive smuggles into the
// report can neither run nor be fetched.
package html

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/robotsaudit/robotsaudit/report/document"
)

//go:embed templates
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"bar":     newBar,
	"chart":   newChart,
	"comma":   comma,
	"prose":   prose,
	"swatch":  func(id string) template.HTML { var m markup; m.swatch(id); return template.HTML(m) },
	"symbols": func() []string { return symbols },
}).ParseFS(templateFiles, "templates/*.html"))

// symbols are the classes of fetches that have a fill and a pattern of their own.
var symbols = []string{"certain", "probable", "possible", "contested", "unknown", "allowed"}

// page is the data of the templates.
type page struct {
	*document.Document
	Policy   string
	Style    template.CSS
	Footer   template.CSS // of printed pages
	Scripts  []template.JS
	Sections []section
	Packed   []packedRows
}

// section is a section of the document with its rows as HTML.
type section struct {
	*document.Section
	Findings findings
	Tables   []table
	Numbers  table // of the timeline
}

// Render writes a report. The same document gives the same bytes.
func Render(w io.Writer, doc *document.Document) error {
	var text strings.Builder
	for _, r := range doc.Title {
		fmt.Fprintf(&text, `\%06x`, r)
	}
	footer := `@page{@bottom-left{content:"` + text.String() + `";font:8pt sans-serif;color:#565c65}}`
	p := &page{
		Document: doc, Policy: policyWith(footer), Style: style, Footer: template.CSS(footer), Scripts: scripts,
		Sections: make([]section, len(doc.Sections)),
	}
	r := rows{room: maxPacked}
	var err error
	for i := range doc.Sections { // findings find room first
		p.Sections[i].Section = &doc.Sections[i]
		if p.Sections[i].Findings, err = r.findings(&doc.Sections[i], doc.Excerpts); err != nil {
			return err
		}
	}
	for i := range p.Sections {
		s := &p.Sections[i]
		if s.Timeline != nil {
			if s.Numbers, err = r.table(s.Timeline.Numbers(s.ID + "-numbers")); err != nil {
				return err
			}
		}
		for _, t := range s.Section.Tables {
			shown, err := r.table(t)
			if err != nil {
				return err
			}
			s.Tables = append(s.Tables, shown)
		}
	}
	p.Packed = r.packed
	var out bytes.Buffer // a template that fails has written a part
	if err := templates.ExecuteTemplate(&out, "page", p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = out.WriteTo(w)
	return err
}
