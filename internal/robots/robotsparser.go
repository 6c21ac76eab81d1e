package robots

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
)

// browsertrix is robots-parser 3.0.1, an npm package, which Browsertrix gives the first 100,000 bytes.
var browsertrix = spec{
	limit: 100_000, own: plainNames{}, form: normal.URI, marks: marksUTF8, blanks: jsBlanks,
	crawlerSpec: crawlerSpec{keepCut: true, ends: endsAny},
}

// jsBlanks is what ECMAScript's String.prototype.trim cuts.
const jsBlanks = cBlanks + "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
	"\u2028\u2029\u202f\u205f\u3000\ufeff"

// plainNames compares all of a value, cut at "/". A group without rules is none.
type plainNames struct{}

func (plainNames) collect(f *File, n *names) {
	f.gather(n, func(a *agent) (name string, global bool) {
		if !f.groups[a.group].ruled {
			return "", false
		}
		name = plainName(f.valueOf(a))
		return name, f.valueOf(a) == "*"
	})
}

func (plainNames) find(n *names, token string) int { return n.at(plainName(token)) }

func plainName(value string) string {
	name, _, _ := strings.Cut(value, "/")
	return strings.TrimSpace(name)
}
