// Package documenttest makes compliance reports for tests of renderers.
package documenttest

import (
	_ "embed" // of the report
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/robotsaudit/robotsaudit/report/document"
)

// golden is the report of the archives in testdata/warc, with changes, as the test of package figures keeps it.
//
//go:embed document.json
var golden []byte

// Hostile are texts that an archive may put into a report, as a Document holds them: control and
// bidirectional characters are visible already, and what means something to HTML, Markdown,
// JavaScript or a shell is there for the renderer to escape.
var Hostile = []string{
	`<script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`,
	`</script><script>alert(2)</script>`,
	`<!--<script>`,
	`'-alert(3)-'`,
	`javascript:alert(4)`,
	`{{.Title}} ${7*7} {%x%}`,
	"`; | a | **b** [c](javascript:d) \\",
	`=HYPERLINK("http://evil.example","x")`,
	`&lt;b&gt; &amp;`,
	`left⟨U+202E⟩thgir⟨U+0000⟩`,
}

// Sample is a report with all sections filled. Every fifth text in it ends with a hostile one, and every text
// that is empty is one.
func Sample() *document.Document {
	doc := new(document.Document)
	if err := json.Unmarshal(golden, doc); err != nil {
		panic(fmt.Sprintf("documenttest: %v", err))
	}
	doc.Section("violations").Findings.List[1].Shortened = true
	n := 0
	spoil(reflect.ValueOf(doc).Elem(), &n)
	return doc
}

// chosen are fields whose texts the program chooses.
var chosen = []string{
	"ID", "Heading", "Start", "Certainty", "Time", "Columns", "Name", "Label", "Words", "Meaning", "Link",
}

// spoil puts hostile texts at the end of texts of a value, one after the other.
func spoil(v reflect.Value, next *int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(v.Elem(), next)
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i), next)
		}
	case reflect.Struct:
		if t, ok := v.Addr().Interface().(*document.Table); ok {
			for _, row := range t.Rows {
				for i := range row {
					if kind := t.Columns[i].Kind; kind != document.Number && kind != document.Moment {
						spoil(reflect.ValueOf(&row[i]), next)
					}
				}
			}
			for _, text := range []any{&t.Caption, &t.Empty, &t.More, &t.Notes} {
				spoil(reflect.ValueOf(text), next)
			}
			return
		}
		for i := range v.NumField() {
			if !slices.Contains(chosen, v.Type().Field(i).Name) {
				spoil(v.Field(i), next)
			}
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			if v.Len() == 0 || *next%5 == 0 {
				v.SetString(v.String() + Hostile[*next/5%len(Hostile)])
			}
			*next++
		}
	}
}
