package report

import (
	"io"
	"strings"
)

// WriteText writes the schema for a person to read.
func (s *Schema) WriteText(w io.Writer) error {
	p := page{width: pageWidth}
	for i, t := range s.Tables {
		if i > 0 {
			p.line("")
		}
		t.print(&p)
	}
	_, err := io.WriteString(w, p.text.String())
	return err
}

func (t *TableSchema) print(p *page) {
	p.line("%s", t.Name)
	p.line("  %s", t.Doc)
	if t.With != nil {
		p.line("  It has rows only with %s.", strings.Join(t.With, " or "))
	}
	if t.Key != nil {
		p.line("  Key: %s.", strings.Join(t.Key, ", "))
	}
	p.line("  Sorted by %s.", t.Order)
	for _, j := range t.Joins {
		p.line("  Joins %s: %s = %s", j.Table, strings.Join(j.Columns, ", "), strings.Join(j.To, ", "))
	}
	for _, c := range t.Columns {
		p.line("")
		about := c.Type
		if c.Unit != "" {
			about += "; unit: " + c.Unit
		}
		if c.Nullable {
			about += "; null: " + plainText(c.Null)
		}
		p.line("  %s (%s)", c.Name, about)
		p.line("    %s", plainText(c.Meaning))
		for _, v := range c.Values {
			p.line("      %s: %s", v.Name, plainText(v.Meaning))
		}
	}
}

// plainText is a text of Markdown without its marks of code.
func plainText(s string) string { return strings.ReplaceAll(s, "`", "") }
