package robots

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
)

// httrack is robots_parse and checkrobots of HTTrack's src/htsrobots.c, from 3.50.3.
var httrack = spec{
	own: httrackNames{}, form: normal.Mirrored, selfAllowed: true, marks: marksText, blanks: cBlanks, cString: true,
	lineLimit:   1022,
	crawlerSpec: crawlerSpec{newlines: []string{"\r", ""}, tightKey: true, flushKey: true},
}

// httrackNames finds three names of HTTrack and "*", with whatever after them, and whatever the token.
type httrackNames struct{}

func (httrackNames) collect(f *File, n *names) {
	f.gather(n, func(a *agent) (name string, global bool) {
		value := f.valueOf(a)
		for _, name := range [...]string{"httrack", "winhttrack", "webhttrack"} {
			if ascii.HasPrefixFold(value, name) {
				return "httrack", false
			}
		}
		return "", strings.HasPrefix(value, "*")
	})
}

func (httrackNames) find(n *names, _ string) int { return n.at("httrack") }
