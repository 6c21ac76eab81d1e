package document

import (
	"cmp"
	"regexp"
	"strings"
)

// What an access log holds is a request to the site. Its readers do not fetch, and have no archive.
var (
	// in texts without anything from the inputs
	fetches    = regexp.MustCompile(`(?:\btable |--purpose |\b)(?:[Ff]etch(?:es)?|[Aa]rchives?)\b`)
	theFetches = strings.NewReplacer("the fetch ", "the request ", "the fetch.", "the request.", "The fetch", "The request")
)

var ofLogs = map[string]string{
	"fetch": "request", "fetches": "requests", "Fetch": "Request", "Fetches": "Requests",
	"archive": "input", "archives": "inputs", "Archive": "Input", "Archives": "Inputs",
}

func ofRequests(text string) string {
	return fetches.ReplaceAllStringFunc(text, func(word string) string {
		return cmp.Or(ofLogs[word], word) // else the name of a table, or of a purpose
	})
}

// SpeakOfRequests puts requests in place of fetches in the texts of the report, as for access logs alone.
func (d *Document) SpeakOfRequests() {
	each := func(say func(string) string, texts ...*string) {
		for _, text := range texts {
			*text = say(*text)
		}
	}
	lists := func(say func(string) string, lists ...[]string) {
		for _, list := range lists {
			for i := range list {
				list[i] = say(list[i])
			}
		}
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		each(ofRequests, &s.Heading)
		lists(ofRequests, s.Intro, s.Totals, s.Blanks)
		values := theFetches.Replace
		if s.ID == "method" {
			values = ofRequests
		}
		for i := range s.Terms {
			each(ofRequests, &s.Terms[i].Name)
			lists(values, s.Terms[i].Values)
		}
		for i := range s.Classes {
			each(ofRequests, &s.Classes[i].Label, &s.Classes[i].Meaning, &s.Classes[i].Action)
		}
		if s.Timeline != nil {
			each(ofRequests, &s.Timeline.What, &s.Timeline.Undated, &s.Timeline.More)
		}
		if s.Findings != nil {
			each(ofRequests, &s.Findings.Empty, &s.Findings.More)
			for i := range s.Findings.List {
				f := &s.Findings.List[i]
				lists(theFetches.Replace, f.Settle)
				for i := range f.Proof {
					if name := f.Proof[i].Name; name != "Group" && name != "Rule" {
						lists(theFetches.Replace, f.Proof[i].Values)
					}
				}
				for i := range f.Records {
					each(theFetches.Replace, &f.Records[i].What)
				}
			}
		}
		for i := range s.Tables {
			t := &s.Tables[i]
			each(ofRequests, &t.Caption, &t.Empty, &t.More)
			lists(ofRequests, t.Notes)
			for i := range t.Columns {
				each(ofRequests, &t.Columns[i].Name)
			}
			for _, row := range t.Rows {
				for i := range row {
					if t.Columns[i].Kind == Words {
						each(theFetches.Replace, &row[i].Text)
					}
				}
			}
		}
	}
}
