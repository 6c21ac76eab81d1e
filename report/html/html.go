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

	"github.com/robotsaudit/robotsaudit/report/document"
)

//go:embed templates
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"bar":     newBar,
	"chart":   newChart,
	"comma":   comma,
	"fill":    func(claim int) int { return min(claim, maxClaims-1) },
	"symbols": func() []string { return symbols },
}).ParseFS(templateFiles, "templates/*.html"))

// symbols are the classes of fetches that have a fill and a pattern of their own.
var symbols = []string{"certain", "probable", "possible", "contested", "unknown", "allowed"}

// page is the data of the templates.
type page struct {
	*document.Document
	Policy     string
	Style      template.CSS
	Scripts    []template.JS
	Violations findings
	Unproven   findings
	tables     map[string]table // by ID
	Packed     []packedRows
}

// Table returns a table of the document as it is shown.
func (p *page) Table(t document.Table) table { return p.tables[t.ID] }

// TimelineTable returns the numbers of the timeline.
func (p *page) TimelineTable() table { return p.tables[timelineTable(&p.Timeline).ID] }

// section is a section of tables as it is shown.
type section struct {
	document.Section
	Tables []table
}

// Tables returns a section of tables as it is shown.
func (p *page) Tables(t document.Tables) section {
	s := section{Section: t.Section}
	for _, one := range t.Tables {
		s.Tables = append(s.Tables, p.Table(one))
	}
	return s
}

// Contents returns the sections in the order of the page.
func (p *page) Contents() []document.Section {
	sections := []document.Section{p.Certainty.Section, p.Scope.Section, p.Timeline.Section}
	if p.Changes != nil {
		sections = append(sections, p.Changes.Section)
	}
	return append(sections, p.Sites.Section, p.Violations.Section, p.Unproven.Section, p.Unknown.Section,
		p.Use.Section, p.WhatIf.Section, p.Unread.Section, p.Method.Section, p.SignOff.Section)
}

// Render writes a report. The same document gives the same bytes.
func Render(w io.Writer, doc *document.Document) error {
	p := &page{Document: doc, Policy: policy, Style: style, Scripts: scripts, tables: make(map[string]table)}
	r := newRows()
	var err error
	if p.Violations, err = r.findings(&doc.Violations, doc.Excerpts); err != nil {
		return err
	}
	if p.Unproven, err = r.findings(&doc.Unproven, doc.Excerpts); err != nil {
		return err
	}
	for _, t := range tablesOf(doc) {
		if p.tables[t.ID], err = r.table(t); err != nil {
			return err
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

// tablesOf returns all tables of a document, in the order of the page.
func tablesOf(doc *document.Document) (all []document.Table) {
	all = append(all, timelineTable(&doc.Timeline))
	if doc.Changes != nil {
		all = append(all, doc.Changes.Tables...)
	}
	for _, tables := range [][]document.Table{
		{doc.Scope.Crawlers, doc.Scope.Inputs},
		doc.Sites.Tables, doc.Violations.Summary, doc.Unproven.Summary,
		doc.Unknown.Tables, doc.Use.Tables, doc.WhatIf.Tables, doc.Unread.Tables,
	} {
		all = append(all, tables...)
	}
	return all
}
