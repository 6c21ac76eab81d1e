package robots

import "strings"

// A stream yields the octets of a path as they are compared, normalising them
// on the fly. A copy of it is a place to return to.
type stream struct {
	path      string
	normalise bool
	i         int  // where the current unit begins
	sub       int  // which octet of the unit is next: "%2F" has three
	u         unit // the current unit

	// equalAfter is where gen-delims are equal in both forms: from the first
	// "?" on. There and before they are then one symbol each, beyond ASCII.
	equal      bool
	equalAfter int
}

// genDelims are the general delimiters of RFC 3986 §2.2.
const genDelims = ":/?#[]@"

func isGenDelim(b byte) bool { return strings.IndexByte(genDelims, b) >= 0 }

// The symbols of a gen-delim where both of its forms are equal, and where it is
// percent-encoded. They are no octets of a normalised path, which is ASCII.
const (
	eitherForm  = 0x80
	encodedForm = 0x90
)

func delimSymbol(form, delim byte) byte {
	return form | byte(strings.IndexByte(genDelims, delim))
}

func newStream(path string, normalise, delimsEqual bool) stream {
	s := stream{path: path, normalise: normalise, equal: delimsEqual, equalAfter: len(path)}
	if i := strings.IndexByte(path, '?'); i >= 0 {
		s.equalAfter = i + 1
	}
	s.load()
	return s
}

func (s *stream) done() bool { return s.i >= len(s.path) }

// load reads the unit at i.
func (s *stream) load() {
	switch {
	case s.done():
		return
	case s.normalise:
		s.u = unitAt(s.path, s.i)
	default:
		s.u = unit{s.path[s.i], false, 1}
	}
	if !s.equal || !isGenDelim(s.u.b) {
		return
	}
	switch {
	case s.i >= s.equalAfter:
		s.u = unit{delimSymbol(eitherForm, s.u.b), false, s.u.width}
	case s.u.encoded:
		s.u = unit{delimSymbol(encodedForm, s.u.b), false, s.u.width}
	}
}

// octet returns the next octet or symbol.
func (s *stream) octet() byte {
	switch {
	case !s.u.encoded:
		return s.u.b
	case s.sub == 0:
		return '%'
	case s.sub == 1:
		return upperHex[s.u.b>>4]
	}
	return upperHex[s.u.b&0xF]
}

func (s *stream) advance() {
	if s.u.encoded && s.sub < 2 {
		s.sub++
		return
	}
	s.i += s.u.width
	s.sub = 0
	s.load()
}

// matchStream is match for a path that is not normalised yet. After a star it
// goes back to the latest star only: at most the length of the pattern times
// that of the path in steps.
func (m *matcher) matchStream(path stream) bool {
	if !path.hasPrefix(m.prefix()) {
		return false
	}
	if !m.wild() {
		return !m.anchored || path.done()
	}
	tail := m.tail()
	for {
		piece, rest, more := strings.Cut(tail, "*")
		for {
			after := path
			if after.hasPrefix(piece) && (more || !m.anchored || after.done()) {
				path, tail = after, rest
				break
			}
			if path.done() {
				return false
			}
			path.advance()
		}
		if !more {
			return true
		}
	}
}

// hasPrefix reports whether the octets to come begin with a piece of a pattern,
// and goes past them.
func (s *stream) hasPrefix(piece string) bool {
	for j := 0; j < len(piece); j++ {
		if s.done() {
			return false
		}
		want := piece[j]
		if s.equal {
			if v, ok := escape(piece, j); ok && isGenDelim(v) {
				want = delimSymbol(encodedForm, v)
				j += 2
			}
		}
		if got := s.octet(); got != want && !s.sameDelim(got, want) {
			return false
		}
		s.advance()
	}
	return true
}

// sameDelim reports whether got, a gen-delim of either form, is the wanted one.
func (s *stream) sameDelim(got, want byte) bool {
	if !s.equal || got&0xF0 != eitherForm {
		return false
	}
	return want == genDelims[got&0xF] || want == got&0xF|encodedForm
}
