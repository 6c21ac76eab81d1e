// Command browser writes reports of invented data for the test in the browser: the sample with
// its hostile texts, a large one, and an empty one.
//
//	go run ./scripts/check/browser FOLDER
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/document/documenttest"
	"github.com/robotsaudit/robotsaudit/report/html"
)

func main() {
	for name, doc := range map[string]*document.Document{
		"sample.html": documenttest.Sample(), "large.html": large(), "empty.html": empty(),
	} {
		if err := write(filepath.Join(os.Args[1], name), doc); err != nil {
			log.Fatal(err)
		}
	}
}

func write(path string, doc *document.Document) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := html.Render(file, doc); err != nil {
		return err
	}
	return file.Close()
}

// large is a report with as many findings and sites as a report can have.
func large() *document.Document {
	doc := documenttest.Sample()
	for id, n := range map[string]int{"violations": 5000, "unproven": 1000} {
		f := doc.Section(id).Findings
		f.List = many(f.List, n)
	}
	sites := &doc.Section("sites").Tables[0]
	for i := range 1000 {
		cells := append([]document.Cell(nil), sites.Rows[i%2]...)
		cells[0].Text = fmt.Sprintf("site-%d.example", i)
		sites.Rows = append(sites.Rows, cells)
	}
	return doc
}

// many repeats findings, each time with another row, URL and place, and with a short proof: 400 long ones in
// the page and the packed ones take 3.1 MB.
func many(findings []document.Finding, n int) (list []document.Finding) {
	for i := range n {
		f := findings[i%len(findings)]
		f.ID, f.Proof, f.Commands = fmt.Sprintf("f-%010x", i*2_654_435), f.Proof[:3], nil
		f.URL += fmt.Sprintf("&page=%d", i*7919)
		f.Certainty = findings[i*len(findings)/n].Certainty
		f.Records = append([]document.Record(nil), f.Records...)
		f.Records[0].Offset = int64(i) * 104_729
		f.Records[0].ID = fmt.Sprintf("urn:uuid:%08x-0000-4000-8000-%012x", i*2_654_435, i*40_503)
		list = append(list, f)
	}
	return list
}

// empty is the report of an audit that found nothing to tell.
func empty() *document.Document {
	sample := documenttest.Sample()
	doc := &document.Document{
		Title:      "Compliance with robots.txt",
		Answer:     document.Answer{Level: document.LevelNone, Sentence: "robots.txt permitted all 12 fetches."},
		Disclaimer: sample.Disclaimer,
	}
	for _, s := range sample.Sections {
		bare := document.Section{ID: s.ID, Heading: s.Heading, Intro: s.Intro, Blanks: s.Blanks}
		switch {
		case s.Findings != nil:
			bare.Findings = new(document.Findings)
		case s.Timeline != nil:
			bare.Timeline = new(document.Timeline)
		case s.ID == "certainty":
			bare.Classes = []document.Class{{ID: "allowed", Label: "Allowed", Count: 12, Words: "12 fetches, 100 %"}}
			bare.Totals = s.Totals
		case s.Terms != nil:
			bare.Terms = s.Terms[:1]
		}
		for _, t := range s.Tables {
			bare.Tables = append(bare.Tables, document.NewTable(t.ID, t.Caption, t.Empty))
		}
		doc.Sections = append(doc.Sections, bare)
	}
	return doc
}
