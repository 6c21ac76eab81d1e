package evaluate

import (
	"fmt"
	"slices"
	"testing"
)

// maxLooked is how many captures package verdict looks at for one fetch, and package resolve for one step.
const maxLooked = 1000

// TestCrowd: where more captures of one moment refer to each other than a step looks at,
// nobody knows which; an issue reports it once.
func TestCrowd(t *testing.T) {
	crowd := func(n int) archive {
		var a archive
		for i := range n {
			r := redirect(home+"/robots.txt", "+0h", "/robots.txt")
			r.id = fmt.Sprint(i)
			a = append(a, r)
		}
		return a
	}
	few := crowd(maxLooked / 4)
	few[0].state = "unavailable too_many_redirects hops=21 final=302"
	if s, _ := check(t, DecideOptions{}, few); len(s.issues) != 0 {
		t.Errorf("%d issues: %v", len(s.issues), s.issues[0])
	}
	many := crowd(maxLooked + maxLooked/4)
	many[0].state = "unresolved unresolved_redirect hops=1 final=302"
	if s, _ := check(t, DecideOptions{}, many); !slices.Equal(s.issues, []string{"limit_reached"}) {
		t.Errorf("%d issues: %v", len(s.issues), s.issues[0])
	}
}

// TestTooManyCopies: nothing is known of a fetch whose crawler may have used more
// copies than are tried. Equal copies one after the other are one.
func TestTooManyCopies(t *testing.T) {
	every := func(minutes, n int, body func(i int) string) (a archive) {
		for i := range n {
			a = append(a, robotsTxt(fmt.Sprintf("-%dm", 1+minutes*i), body(i)))
		}
		return a
	}
	same := func(int) string { return closed }
	distinct := func(i int) string { return fmt.Sprintf("%sDisallow: /%d\n", closed, i) }
	list := []scenario{
		{"alike", append(every(1, 1400, same), page(certain))},
		{"a hundred files", append(every(10, 100, distinct), page(certain))},
		{"four hundred files", append(every(3, 400, distinct), page("unknown fresh too_costly"))},
		{"one allows", append(every(3, 400, func(i int) string {
			if i == 399 { // the first that is asked
				return open
			}
			return distinct(i)
		}), page("disallowed fresh rule contested +permitted_copy"))},
	}
	checkScenarios(t, DecideOptions{}, list)
}
