// Package layout writes paragraphs and columns for a terminal, as wide as it is.
package layout

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/text/width"
)

const (
	pageWidth = 80 // cells of a page where nothing says how many
	minWidth  = 40
	maxWidth  = 100
	minWords  = 24 // cells that words next to numbers have, if they need them
	minLabel  = 8  // cells that labels have at least
)

// Page lays out paragraphs and columns: labels left, numbers right, words about them
// last. No line is longer than its width.
type Page struct {
	width   int
	colours bool
	text    strings.Builder
	rows    []row // of the columns in hand
}

// row is a row of columns. One without numbers is a line across all of them.
type row struct {
	label   string
	numbers []string
	words   string // about the numbers
	colour  Colour // of a line across
}

// New begins a page of a width in cells; 0: that of no terminal. With colours, headings stand out by ANSI escapes.
func New(width int, colours bool) *Page {
	return &Page{width: min(max(cmp.Or(width, pageWidth), minWidth), maxWidth), colours: colours}
}

// String is the text of the page.
func (p *Page) String() string {
	p.endColumns()
	return p.text.String()
}

// Colour is the sequence that makes a terminal show a line in a colour.
type Colour string

// The colours.
const (
	plain  Colour = ""
	Red    Colour = "\x1b[1;31m"
	Green  Colour = "\x1b[1;32m"
	Yellow Colour = "\x1b[1;33m"
	reset         = "\x1b[0m"
)

// Columns begins columns, under a heading and names.
func (p *Page) Columns(heading string, names ...string) {
	p.Line("")
	p.rows = append(p.rows, row{label: heading, numbers: names})
}

// Answer begins columns under a coloured heading.
func (p *Page) Answer(c Colour, heading string) {
	p.Line("")
	p.rows = append(p.rows, row{label: heading, colour: c})
}

// Names adds the names of numbers.
func (p *Page) Names(names ...string) { p.rows = append(p.rows, row{numbers: names}) }

// Row adds a row of columns: a label, numbers, and words about them.
func (p *Page) Row(label, words string, numbers ...int64) {
	r := row{label: "  " + label, words: words}
	for _, n := range numbers {
		r.numbers = append(r.numbers, humanize.Comma(n))
	}
	p.rows = append(p.rows, r)
}

// Across adds a line to the columns in hand.
func (p *Page) Across(format string, args ...any) {
	p.rows = append(p.rows, row{label: fmt.Sprintf(format, args...)})
}

// More states that a list of n was cut at shown.
func (p *Page) More(n, shown int) {
	if n > shown {
		p.Line("  and %s more", humanize.Comma(int64(n-shown)))
	}
}

// Line ends the columns in hand and writes a paragraph, with the indent of its first
// line.
func (p *Page) Line(format string, args ...any) {
	p.endColumns()
	p.paragraph(plain, fmt.Sprintf(format, args...))
}

// Command ends the columns in hand and writes a command line, in one line whatever the width, so that it can be pasted.
func (p *Page) Command(line string) {
	p.endColumns()
	p.text.WriteString("  " + line + "\n")
}

func (p *Page) paragraph(c Colour, text string) {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	for _, line := range Wrap(text, p.width-len(indent)) {
		line = strings.TrimRight(indent+line, " ")
		if c != plain && p.colours {
			line = string(c) + line + reset
		}
		p.text.WriteString(line + "\n")
	}
}

func (p *Page) Heading(format string, args ...any) {
	p.Line("")
	p.Line(format, args...)
}

// endColumns writes the rows gathered, each column as wide as its widest cell. Labels
// are cut where they would push the rest beyond the page.
func (p *Page) endColumns() {
	var numbers []int // widths
	labels, left := 0, p.width
	for _, r := range p.rows {
		for i, n := range r.numbers {
			if i == len(numbers) {
				numbers = append(numbers, 0)
			}
			numbers[i] = max(numbers[i], cellsOf(n))
		}
		if r.numbers != nil {
			labels = max(labels, cellsOf(r.label))
		}
	}
	for _, n := range numbers {
		left -= 2 + n
	}
	for _, r := range p.rows {
		if r.words != "" {
			labels = min(labels, left-2-min(minWords, cellsOf(r.words)))
		}
	}
	labels = max(min(labels, left), minLabel)
	for _, r := range p.rows {
		if r.numbers == nil {
			p.paragraph(r.colour, r.label)
			continue
		}
		var b strings.Builder
		label := fit(r.label, labels)
		b.WriteString(label + strings.Repeat(" ", labels-cellsOf(label)))
		for i, n := range r.numbers {
			b.WriteString(strings.Repeat(" ", 2+numbers[i]-cellsOf(n)) + n)
		}
		used := cellsOf(b.String()) + 2
		for i, words := range Wrap(r.words, p.width-used) {
			if i > 0 {
				b.WriteString("\n" + strings.Repeat(" ", used-2))
			}
			b.WriteString("  " + words)
		}
		p.text.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
	p.rows = nil
}

// Wrap breaks text into lines of at most limit cells, between words where it can.
func Wrap(text string, limit int) (lines []string) {
	line := ""
	limit = max(limit, minLabel)
	for _, word := range strings.Fields(text) {
		if line != "" && cellsOf(line)+1+cellsOf(word) > limit {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		for line += word; cellsOf(line) > limit; {
			head := cutCells(line, limit)
			lines = append(lines, head)
			line = line[len(head):]
		}
	}
	return append(lines, line)
}

// fit cuts a label that is wider than limit cells.
func fit(s string, limit int) string {
	if cellsOf(s) <= limit {
		return s
	}
	return cutCells(s, limit-1) + "…"
}

// cutCells returns the beginning of s that fits into limit cells.
func cutCells(s string, limit int) string {
	for i, r := range s {
		if limit -= runeCells(r); limit < 0 {
			return s[:i]
		}
	}
	return s
}

// cellsOf is the number of cells that s takes on a terminal, at most.
func cellsOf(s string) (n int) {
	for _, r := range s {
		n += runeCells(r)
	}
	return n
}

// runeCells is 2 for what East Asian terminals show twice as wide (UAX 11).
func runeCells(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
