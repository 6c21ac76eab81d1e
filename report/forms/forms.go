// Package forms fills a form that providers of models must publish from the tables of an audit: the European
// Union's public summary of training content. docs/DOCUMENTS.md has its fields and sources.
//
// Each figure comes with the SQL that gives it: DuckDB runs it in the output folder. What archives cannot show stands
// as "Provider to state". The same tables and options give the same bytes.
package forms

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/markdown"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// Form is a form, filled as far as the tables allow.
type Form struct {
	Title    string             `json:"title"`
	Intro    []string           `json:"intro"`
	Sections []document.Section `json:"sections"`
	Setup    []string           `json:"setup"` // SQL, to be run before any query
	Queries  []Query            `json:"queries"`
}

// Query gives the figures of the sentence or table that names it.
type Query struct {
	ID   string  `json:"id"`
	SQL  string  `json:"sql"`
	Rows [][]any `json:"rows"` // its result: texts, numbers, and nil for null
}

// WriteMarkdown writes the form for people, and its queries for DuckDB, a line each, which therefore end no code.
func (f *Form) WriteMarkdown(w io.Writer) error {
	err := markdown.Sections(w, f.Title, f.Intro, append(f.Sections, document.Section{
		ID: "queries", Heading: "Where the figures come from", Intro: []string{
			"The name in brackets after a sentence or caption is that of the query that gives its figures. DuckDB runs the " +
				"queries in the output folder of the audit, after the statements of the setup.",
		},
	}))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n```sql\n-- Setup\n%s;\n", strings.Join(f.Setup, ";\n"))
	for _, q := range f.Queries {
		fmt.Fprintf(w, "-- %s\n%s;\n", q.ID, q.SQL)
	}
	_, err = fmt.Fprintln(w, "```")
	return err
}

// WriteJSON writes the form for programs.
func (f *Form) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(f)
}

// ask adds a query, unless it is there, and returns its name.
func (f *Form) ask(sql string, rows [][]any) string {
	for _, q := range f.Queries {
		if q.SQL == sql {
			return q.ID
		}
	}
	id := fmt.Sprintf("Q%d", len(f.Queries)+1)
	f.Queries = append(f.Queries, Query{id, sql, rows})
	return id
}

// say is a sentence with the figures of the one row that a query gives, in this order.
func (f *Form) say(format, sql string, values ...any) string {
	words := make([]any, len(values))
	for i, v := range values {
		words[i] = text(v)
	}
	id := f.ask(sql, [][]any{values})
	return fmt.Sprintf(format, words...) + " (" + id + ")."
}

// table is a table of the rows that a query gives.
func (f *Form) table(caption, empty, sql string, columns []document.Column, rows [][]any,
) document.Table {
	id := f.ask(sql, rows)
	t := document.NewTable(strings.ToLower(id), caption+" ("+id+")", empty+" ("+id+").", columns)
	for _, row := range rows {
		cells := make([]any, len(row))
		for i, v := range row {
			if cells[i] = v; columns[i].Kind != document.Number {
				cells[i] = text(v)
			}
		}
		t.Add(cells...)
	}
	return t
}

// text writes a value for people.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "none stated"
	case int64:
		return humanize.Comma(v)
	case string:
		return prose.Clip(v, maxText)
	}
	panic(fmt.Sprintf("forms: a figure of type %T", v))
}

const maxText = 200 // bytes shown of a text from an archive

// field is a field of a form with its answers; empty ones are left out.
func field(name string, values ...string) document.Term {
	return document.Term{Name: name, Values: slices.DeleteFunc(values, func(v string) bool { return v == "" })}
}

// toState says what the archives cannot show; "": nothing of it.
func toState(what string) string {
	if what == "" {
		return "Provider to state."
	}
	return "Provider to state: " + what + "."
}
