package report

import (
	"io"
	"strings"

	"github.com/robotsaudit/robotsaudit/report/layout"
)

// WriteText writes the schema for a person to read.
func (s *Schema) WriteText(w io.Writer) error {
	p := layout.New(0, false)
	for i, t := range s.Tables {
		if i > 0 {
			p.Line("")
		}
		p.Line("%s", t.Name)
		p.Line("  %s", t.Doc)
		if t.With != nil {
			p.Line("  It has rows only with %s.", strings.Join(t.With, " or "))
		}
		if t.Key != nil {
			p.Line("  Key: %s.", strings.Join(t.Key, ", "))
		}
		p.Line("  Sorted by %s.", t.Order)
		for _, j := range t.Joins {
			p.Line("  Joins %s: %s = %s", j.Table, strings.Join(j.Columns, ", "), strings.Join(j.To, ", "))
		}
		for _, c := range t.Columns {
			p.Line("")
			about := c.Type
			if c.Unit != "" {
				about += "; unit: " + c.Unit
			}
			if c.Nullable {
				about += "; null: " + plainText(c.Null)
			}
			p.Line("  %s (%s)", c.Name, about)
			p.Line("    %s", plainText(c.Meaning))
			for _, v := range c.Values {
				p.Line("      %s: %s", v.Name, plainText(v.Meaning))
			}
		}
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// plainText is a text of Markdown without its marks of code.
func plainText(s string) string { return strings.ReplaceAll(s, "`", "") }
