package markdown

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"strings"
	"text/template"

	"github.com/dustin/go-humanize"

	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/results"
)

//go:embed card.md
var cardText string

// Functions of the template whose result is Markdown or YAML; text that is placed without one
// must be from this program.
var cardTemplate = template.Must(template.New("card").Funcs(template.FuncMap{
	"yaml":   yamlText,
	"text":   escape,
	"number": humanize.Comma,
	"terms": func(t []document.Term) string {
		return block(func(p *page) { p.terms(t...) })
	},
	"classes": func(c []document.Class) string {
		return block(func(p *page) { p.classes(c) })
	},
	"table": func(t document.Table) string {
		return block(func(p *page) { p.table(&t) })
	},
}).Parse(cardText))

// block is the text that f adds to a page.
func block(f func(*page)) string {
	var p page
	f(&p)
	return strings.Join(p.blocks, "\n\n")
}

// Words are what the card says of every audit: about it, on its limits, on personal data.
func Words(about string) string {
	var b strings.Builder
	if err := cardTemplate.ExecuteTemplate(&b, about, nil); err != nil {
		panic(err) // by its name
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// Card writes a dataset card, as the Hugging Face Hub has them: YAML that names the table files, and a
// description of them. It belongs next to the tables.
func Card(w io.Writer, doc *document.Document, r *results.Results) error {
	tables, err := r.Tables()
	if err != nil {
		return err
	}
	card, largest := card{Document: doc, Tables: tables}, int64(0)
	for _, t := range tables {
		if t.Rows > 0 { // package datasets loads no table without
			card.Configs = append(card.Configs, t)
		}
		largest = max(largest, t.Rows)
	}
	card.Size = sizeCategory(largest)
	var b bytes.Buffer
	if err := cardTemplate.Execute(&b, &card); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// card is the data of the template.
type card struct {
	*document.Document
	Tables  []results.Table
	Configs []results.Table // those with rows
	Size    string
}

// yamlText is a text as a double-quoted scalar. The text is of a document, in which every
// character can be seen: of those, JSON and YAML quote alike.
func yamlText(s string) (string, error) {
	b, err := json.Marshal(s)
	return string(b), err
}

// sizeCategory is the Hub's name for a number of rows.
func sizeCategory(rows int64) string {
	names := []string{"1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B", "100B", "1T"}
	limit := int64(1000)
	for i, name := range names {
		if rows < limit {
			if i == 0 {
				return "n<1K"
			}
			return names[i-1] + "<n<" + name
		}
		limit *= 10
	}
	return "n>1T"
}
