package document

import "slices"

const briefSites = 6 // rows of the table of sites in a brief report

// Brief makes the report one of two pages: the answer, what to do, how certain it is and the worst sites. What it
// leaves out, no link leads to.
func (d *Document) Brief() {
	d.Disclaimer += " This is the brief report: the whole one has each finding with its proof."
	var kept []Section
	for _, s := range d.Sections {
		switch s.ID {
		case "actions":
			s.Tables = nil
			if len(s.Classes) > 0 {
				s.Intro = nil // of commands
			}
			for i := range s.Classes {
				c := &s.Classes[i]
				c.Link, c.Command = "", ""
				switch c.ID {
				case "unproven":
					c.Meaning = "The whole report names with each finding what would settle it."
				case "unknown":
					c.Action = "Add what the whole report names by reason, and audit again."
				}
			}
		case "scope":
			s.Tables = nil
			s.Terms = slices.DeleteFunc(s.Terms, func(t Term) bool { return t.Name == "Collections" || t.Name == "Program" })
		case "sites":
			t := &s.Tables[0]
			s.Intro, s.Tables, t.Notes = nil, s.Tables[:1], nil
			if len(t.Rows) > briefSites {
				t.Rows, t.More = t.Rows[:briefSites], "The whole report has more."
			}
			for _, row := range t.Rows {
				row[0].Link = ""
			}
		case "changes":
			s.Tables = nil
			s.Classes = slices.DeleteFunc(s.Classes, func(c Class) bool { return c.Count == 0 })
		case "sign-off":
			s.Intro = nil
		case "certainty", "conduct":
		default:
			continue
		}
		kept = append(kept, s)
	}
	d.Sections, d.Excerpts = kept, []Excerpt{}
}
