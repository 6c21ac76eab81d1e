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
	doc.Violations.List = many(doc.Violations.List, 5000)
	doc.Unproven.List = many(doc.Unproven.List, 1000)
	sites := &doc.Sites.Tables[0]
	for i := range 1000 {
		cells := append([]document.Cell(nil), sites.Rows[i%2]...)
		cells[0].Text = fmt.Sprintf("site-%d.example", i)
		sites.Rows = append(sites.Rows, cells)
	}
	return doc
}

// many repeats findings, each time with another row, URL and place.
func many(findings []document.Finding, n int) (list []document.Finding) {
	for i := range n {
		f := findings[i%len(findings)]
		f.Row = int64(i + 1)
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
		Title:  "Compliance with robots.txt",
		Answer: document.Answer{Level: document.LevelNone, Sentence: "robots.txt permitted all 12 fetches."},
		Method: sample.Method, SignOff: sample.SignOff, Disclaimer: sample.Disclaimer,
	}
	doc.Scope = document.Scope{Section: sample.Scope.Section, Terms: sample.Scope.Terms[:1]}
	doc.Scope.Crawlers.ID, doc.Scope.Inputs.ID = "crawlers", "inputs"
	doc.Certainty = document.Certainty{
		Section: sample.Certainty.Section,
		Classes: []document.Class{{ID: "allowed", Label: "Allowed", Count: 12, Words: "12 fetches, 100 %"}},
	}
	doc.Timeline.Section = sample.Timeline.Section
	doc.Sites.Section, doc.Unknown.Section, doc.Use.Section = sample.Sites.Section, sample.Unknown.Section,
		sample.Use.Section
	doc.WhatIf.Section, doc.Unread.Section = sample.WhatIf.Section, sample.Unread.Section
	doc.Violations.Section, doc.Unproven.Section = sample.Violations.Section, sample.Unproven.Section
	return doc
}
