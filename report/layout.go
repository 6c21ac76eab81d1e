package report

import (
	"cmp"
	"fmt"
	"strings"

	"golang.org/x/text/width"
)

const (
	pageWidth = 80 // cells of a page where no terminal says how many
	minWidth  = 40
	maxWidth  = 100
	minWords  = 24 // cells that words next to numbers have at least
	minLabel  = 8  // cells that labels have at least
)

// page lays out paragraphs and columns: labels left, numbers right, words about them
// last. No line is longer than its width.
type page struct {
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
	colour  colour // of a line across
}

// colour is the sequence that makes a terminal show a line in a colour.
type colour string

const (
	plain  colour = ""
	red    colour = "\x1b[1;31m"
	green  colour = "\x1b[1;32m"
	yellow colour = "\x1b[1;33m"
	reset         = "\x1b[0m"
)

// columns begins columns, under a heading and names.
func (p *page) columns(heading string, names ...string) {
	p.line("")
	p.rows = append(p.rows, row{label: heading, numbers: names})
}

// answer begins columns under a coloured heading.
func (p *page) answer(c colour, heading string) {
	p.line("")
	p.rows = append(p.rows, row{label: heading, colour: c})
}

// row adds a row of columns: a label and numbers.
func (p *page) row(label string, numbers ...string) {
	p.rows = append(p.rows, row{label: "  " + label, numbers: numbers})
}

// list adds a row for each name.
func (p *page) list(rows []Numbers) {
	for _, r := range rows {
		numbers := make([]string, len(r.N))
		for i, n := range r.N {
			numbers[i] = number(n)
		}
		p.row(cmp.Or(Shown(r.Name, maxLabel), "(none)"), numbers...)
	}
}

// noted adds a row of a label, a number and words about it.
func (p *page) noted(label string, n int64, words string) {
	p.rows = append(p.rows, row{label: "  " + label, numbers: []string{number(n)}, words: words})
}

// across adds a line to the columns in hand.
func (p *page) across(format string, args ...any) {
	p.rows = append(p.rows, row{label: fmt.Sprintf(format, args...)})
}

// more states that a list of n was cut at shown.
func (p *page) more(n, shown int) {
	if n > shown {
		p.line("  and %s more", number(int64(n-shown)))
	}
}

// line ends the columns in hand and writes a paragraph, with the indent of its first
// line.
func (p *page) line(format string, args ...any) {
	p.endColumns()
	p.paragraph(plain, fmt.Sprintf(format, args...))
}

func (p *page) paragraph(c colour, text string) {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	for _, line := range wrap(text, p.width-len(indent)) {
		line = strings.TrimRight(indent+line, " ")
		if c != plain && p.colours {
			line = string(c) + line + reset
		}
		p.text.WriteString(line + "\n")
	}
}

func (p *page) heading(format string, args ...any) {
	p.line("")
	p.line(format, args...)
}

// endColumns writes the rows gathered, each column as wide as its widest cell. Labels
// are cut where they would push the rest beyond the page.
func (p *page) endColumns() {
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
			labels = min(labels, left-2-minWords)
		}
	}
	labels = max(min(labels, left), minLabel)
	for _, r := range p.rows {
		if r.numbers == nil {
			p.paragraph(r.colour, r.label)
			continue
		}
		p.writeRow(r, labels, numbers)
	}
	p.rows = nil
}

func (p *page) writeRow(r row, labels int, numbers []int) {
	var b strings.Builder
	label := fit(r.label, labels)
	b.WriteString(label + strings.Repeat(" ", labels-cellsOf(label)))
	for i, n := range r.numbers {
		b.WriteString(strings.Repeat(" ", 2+numbers[i]-cellsOf(n)) + n)
	}
	used := cellsOf(b.String()) + 2
	for i, words := range wrap(r.words, p.width-used) {
		if i > 0 {
			b.WriteString("\n" + strings.Repeat(" ", used-2))
		}
		b.WriteString("  " + words)
	}
	p.text.WriteString(strings.TrimRight(b.String(), " ") + "\n")
}

// wrap breaks text into lines of at most limit cells, between words where it can.
func wrap(text string, limit int) (lines []string) {
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
