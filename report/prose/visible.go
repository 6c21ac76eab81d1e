package prose

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/robotsaudit/robotsaudit/report"
)

// Visible makes every character of a text from an archive visible: what cannot be seen, or
// changes how what is around it is seen, becomes its number, such as ⟨U+202E⟩, and a byte that
// is no UTF-8 ⟨0xE9⟩. Those are control and format characters (line ends, tabs and NUL, right-to-left
// overrides, zero-width ones), spaces other than the plain one, unassigned and private
// characters. The opening bracket itself is such a number too, so that no text can pretend.
//
// The result is valid UTF-8.
func Visible(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "⟨0x%02X⟩", s[0])
		case r != '⟨' && unicode.IsPrint(r) &&
			!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			b.WriteString(s[:n])
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
		s = s[n:]
	}
	return b.String()
}

// isPlain reports whether s is printable ASCII, as most texts are.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// formula is a text that a spreadsheet could take for a formula.
var formula = regexp.MustCompile(`^ *[-=+@\t\r＝＋－＠]`)

// Cell makes a text visible, and puts an apostrophe before what a spreadsheet could take for a formula.
func Cell(s string) string {
	if formula.MatchString(s) {
		s = "'" + s
	}
	return Visible(s)
}

// Clip makes a text visible and short: at most about n bytes, or twice that where much had to be
// made visible. It says what is left out.
func Clip(s string, n int) string {
	v := Visible(report.Head(s, n))
	if len(s) <= n && len(v) <= 2*n {
		return v
	}
	return fmt.Sprintf("%s… (%s bytes)", report.Head(v, 2*n), Number(int64(len(s))))
}

// ClipMiddle is Clip for URLs, whose ends matter most. It reports whether something is left out.
func ClipMiddle(s string, n int) (string, bool) {
	if v := Visible(report.Head(s, n)); len(s) <= n && len(v) <= 2*n {
		return v, false
	}
	start, end := report.Head(s, n-n/4), s[max(0, len(s)-n/4):]
	for len(end) > 0 && !utf8.RuneStart(end[0]) {
		end = end[1:]
	}
	return fmt.Sprintf("%s… (%s bytes) …%s", report.Head(Visible(start), 2*n), Number(int64(len(s))),
		report.Head(Visible(end), n)), true
}
