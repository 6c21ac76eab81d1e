package robots

import (
	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
)

// wget is src/res.c of GNU Wget.
var wget = spec{
	own: wgetNames{}, form: normal.Decoded, marks: marksText, blanks: cBlanks,
	crawlerSpec: crawlerSpec{lfOnly: true, hashApart: true, literal: true, first: true, empty: true},
}

// wgetNames finds "wget" and "*" alone, whatever the token. The first line of a group that names one of them counts.
type wgetNames struct{}

func (wgetNames) collect(f *File, n *names) {
	decided := 0 // groups
	f.gather(n, func(a *agent) (name string, global bool) {
		value := f.valueOf(a)
		if value != "*" && !ascii.EqualFold(value, "wget") || decided > int(a.group) {
			return "", false
		}
		decided = int(a.group) + 1
		return value, value == "*"
	})
}

func (wgetNames) find(n *names, _ string) int { return n.at("wget") }
