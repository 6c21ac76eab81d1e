package markdown

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/document/documenttest"
)

func render(t *testing.T, doc *document.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, doc); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Hostile texts stay texts: there is no element but code and anchors, no link but to these, and every row of a table
// has as many cells as there are columns.
func TestSample(t *testing.T) {
	text := render(t, documenttest.Sample())
	anchors := make(map[string]bool)
	for _, a := range regexp.MustCompile(`<a id="([a-z0-9-]+)"></a>`).FindAllStringSubmatch(text, -1) {
		if anchors[a[1]] {
			t.Errorf("two anchors %s", a[1])
		}
		anchors[a[1]] = true
		text = strings.Replace(text, a[0], "", 1)
	}
	links := regexp.MustCompile(`\]\(#([a-z0-9-]+)\)`).FindAllStringSubmatch(text, -1)
	for _, link := range links {
		if !anchors[link[1]] {
			t.Errorf("%s leads nowhere", link[0])
		}
		text = strings.Replace(text, link[0], "]", 1)
	}
	if len(links) < 10 || !strings.Contains(text, "| [<code>http&#58;//") {
		t.Errorf("%d links, or none of a site", len(links))
	}
	if tags := regexp.MustCompile(`<[^>]*>`).FindAllString(text, -1); len(tags) == 0 {
		t.Error("no code")
	} else {
		for _, tag := range tags {
			if tag != "<code>" && tag != "</code>" {
				t.Errorf("there is an element %s", tag)
			}
		}
	}
	for _, part := range []string{"](", "://", "www.", "`", "\\", ".; "} {
		if strings.Contains(text, part) {
			t.Errorf("there is a %s", part)
		}
	}
	cells := 0
	for line := range strings.Lines(text) {
		n := strings.Count(line, "|")
		if !strings.HasPrefix(line, "|") {
			cells = 0
			if n > 0 {
				t.Errorf("a bar outside a table: %s", line)
			}
			continue
		}
		if cells > 0 && n != cells {
			t.Errorf("%d bars, where the line before has %d: %s", n, cells, line)
		}
		cells = n
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"On 3 May: at 10:15 (UTC), a/b-c?d=e.": "On 3 May: at 10&#58;15 (UTC), a/b-c?d=e.",
		"<script>|[x](y)*_`\\#1@you&amp;":      "&#60;script&#62;&#124;&#91;x&#93;(y)&#42;&#95;&#96;&#92;&#35;1&#64;you&#38;amp;",
		"http://www.example.com":               "http&#58;//www&#46;example.com",
		"a\nb":                                 "a&#10;b",
		"日本 é":                                 "日本 é",
	} {
		if got := escape(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// However much there is to say, a job's summary takes it, and says that it is cut.
func TestSize(t *testing.T) {
	doc := documenttest.Sample()
	row := make([]document.Cell, 3)
	for i := range row {
		row[i].Text = strings.Repeat("<é>", 1000)
	}
	table := document.Table{Caption: "Long", Columns: make([]document.Column, 3)}
	for range 2 * maxRows {
		table.Rows = append(table.Rows, row)
	}
	doc.Section("sites").Tables = []document.Table{table, table, table}
	text := render(t, doc)
	if len(text) > maxBytes || !strings.Contains(text, "This summary is full") {
		t.Errorf("%d bytes, with the end %q", len(text), text[len(text)-200:])
	}
}
