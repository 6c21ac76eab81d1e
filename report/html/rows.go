package html

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html/template"

	"github.com/dustin/go-humanize"
	"github.com/klauspost/compress/gzip"

	"github.com/robotsaudit/robotsaudit/report/document"
)

// Bounds that keep a report small enough to mail, and quick to open, whatever is in it.
const (
	maxFirst      = 200       // rows of a table that stand in the page itself
	maxFirstBytes = 640 << 10 // of the first rows
	maxPacked     = 1280 << 10
	rowsPerPack   = 100

	// of gzip. With 9 a report takes a fifth longer for 3 % more rows; with 5 a tenth less for 8 % fewer
	level = 8
)

// table is a table of the document with its rows as HTML.
type table struct {
	document.Table
	shownRows
}

// findings are findings of the document with their rows as HTML.
type findings struct {
	*document.Findings
	shownRows
}

// shownRows are the rows of a table. The first stand in the page, for paper and where there is
// no JavaScript. More are packed; scripts show them.
type shownRows struct {
	HTML  template.HTML
	First int // rows in HTML
	Here  int // rows in the file: First, and those packed
	Of    int // rows in the document
}

// packedRows are up to rowsPerPack rows, each part as JSON in gzip in base64: the values by
// which scripts search and sort, and the rows as HTML. The latter are unpacked when they are
// shown.
type packedRows struct {
	Table  string
	Values template.HTML
	Rows   template.HTML
}

// rows makes rows, and packs those for which there is room.
type rows struct {
	packed []packedRows
	room   int // bytes
}

// findings makes the rows of the findings of a section, if it has any.
func (r *rows) findings(s *document.Section, excerpts []document.Excerpt) (findings, error) {
	f := s.Findings
	if f == nil {
		return findings{}, nil
	}
	source := rowSource{
		table: s.ID, n: len(f.List),
		row: func(out *markup, i int) { out.finding(&f.List[i], excerpts) },
		values: func(i int) []any {
			one := &f.List[i]
			return []any{one.ID, one.Certainty, one.Time, one.URL, one.Crawler, one.Rule, one.Origin}
		},
	}
	shown, err := r.make(source)
	return findings{Findings: f, shownRows: shown}, err
}

func (r *rows) table(t document.Table) (table, error) {
	source := rowSource{
		table: t.ID, n: len(t.Rows),
		row: func(out *markup, i int) { out.row(t.Columns, t.Rows[i]) },
		values: func(i int) (values []any) {
			for n, c := range t.Rows[i] {
				if t.Columns[n].Kind == document.Number {
					values = append(values, c.Number)
				} else {
					values = append(values, c.Text)
				}
			}
			return values
		},
	}
	shown, err := r.make(source)
	return table{Table: t, shownRows: shown}, err
}

// rowSource is where the rows of a table come from.
type rowSource struct {
	table  string // ID
	n      int
	row    func(out *markup, i int) // writes row i
	values func(i int) []any        // strings and numbers, one a column
}

func (r *rows) make(source rowSource) (shown shownRows, err error) {
	shown.Of = source.n
	var first markup
	for ; shown.First < min(source.n, maxFirst) && len(first) < maxFirstBytes; shown.First++ {
		source.row(&first, shown.First)
	}
	shown.HTML = template.HTML(first)
	shown.Here, err = r.pack(source, shown.First)
	return shown, err
}

// pack packs rows until all are packed or there is no more room, and returns the first row
// that is not.
func (r *rows) pack(source rowSource, from int) (next int, err error) {
	for from < source.n {
		next := min(source.n, from+rowsPerPack)
		pack, err := source.pack(from, next)
		if err != nil || pack.size() > r.room {
			return from, err
		}
		r.room -= pack.size()
		r.packed = append(r.packed, pack)
		from = next
	}
	return from, nil
}

func (p *packedRows) size() int { return len(p.Values) + len(p.Rows) }

// pack packs the rows from ≤ row < to.
func (s rowSource) pack(from, to int) (packedRows, error) {
	var values [][]any
	var rows []string
	var row markup
	for i := from; i < to; i++ {
		row = row[:0]
		s.row(&row, i)
		values, rows = append(values, s.values(i)), append(rows, string(row))
	}
	packed := packedRows{Table: s.table}
	var err error
	if packed.Values, err = compress(values); err != nil {
		return packed, err
	}
	packed.Rows, err = compress(rows)
	return packed, err
}

// compress returns a value as JSON in gzip in base64.
func compress(value any) (template.HTML, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		return "", err
	}
	values := json.NewEncoder(z)
	values.SetEscapeHTML(false) // base64 hides them from parsers of HTML
	if err := values.Encode(value); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return template.HTML(base64.StdEncoding.EncodeToString(out.Bytes())), nil
}

func comma(n int) string { return humanize.Comma(int64(n)) }
