package robots

import (
	"math/bits"
	"strings"
	"sync"

	"github.com/robotsaudit/robotsaudit/internal/robots/normal"
)

// Two readings of how a rule is compared with a path take some bytes as the same
// raw and percent-encoded. Each adds matches to the profile's own: a rule matches
// where it matches anyhow, or where it does once those bytes have one form in its
// pattern and in the path. So the rules are compiled a second time, in that form,
// and compared with a path brought into it by the same matcher.

// classOf gives the reading that takes a byte as the same raw and percent-encoded. It covers the reserved
// bytes of RFC 3986 §2.2 and the bytes that a URI may not hold.
var classOf = func() (t [256]Readings) {
	for b := range t {
		if !normal.Unreserved[b] {
			t[b] = ReadUnsafe
		}
	}
	for _, b := range []byte(":/?#[]@" + "!$&'()*+,;=") { // gen-delims, sub-delims
		t[b] = ReadReserved
	}
	return t
}()

// In the form of a reading, one symbol stands for an ASCII byte of its classes in
// either form: symbol|b. Other bytes outside ASCII do not occur: pattern and path
// have them percent-encoded, but for paths in Google's profile.
const (
	symbol = 0x80
	// inNoPattern is a raw byte outside ASCII in a path: no pattern has one. It is
	// the symbol of DEL, where DEL has none.
	inNoPattern = symbol | 0x7F
)

// appendEqual appends a normalised pattern or path in the form in which the bytes
// of some classes are equal raw and percent-encoded. The stars of a pattern stay.
func appendEqual(dst []byte, text string, equal Readings, isPattern bool) []byte {
	for i := 0; i < len(text); {
		b, width := text[i], 1
		if v, ok := normal.Escape(text, i); ok {
			b, width = v, 3
		}
		switch same := classOf[b]&equal != 0; {
		case same && b >= 0x80:
			dst = normal.AppendEscape(dst, b)
		case same && !(isPattern && b == '*' && width == 1):
			dst = append(dst, symbol|b)
		case b >= 0x80 && width == 1:
			dst = append(dst, inNoPattern)
		default:
			dst = append(dst, text[i:i+width]...)
		}
		i += width
	}
	return dst
}

// equalities are the rules of a group in the forms of the two readings and of both together, and the sets
// of bytes that decide whether a path needs them. They are made on first use.
type equalities struct {
	forms forms // of the patterns
	sets  [3]struct {
		once sync.Once
		matchers
	}
}

// equalities returns the equalities of the group.
func (g *Group) equalities() *equalities {
	g.once.Do(func() {
		g.equal = new(equalities)
		for i := range g.rules {
			g.equal.forms.add(g.rules[i].text)
		}
	})
	return g.equal
}

// equalMatchers returns the rules of the group in the form of a reading, ranked by
// the patterns that they have in the profile.
func (g *Group) equalMatchers(equal Readings) *matchers {
	set := &g.equalities().sets[equal-1]
	set.once.Do(func() {
		set.rules, set.wild = make([]matcher, len(g.rules)), g.wild
		var buf []byte
		for i := range g.rules {
			m := &g.rules[i]
			text := m.text
			if buf = appendEqual(buf[:0], text, equal, true); string(buf) != text {
				text = string(buf)
			}
			set.rules[i] = newMatcher(text, m.anchored, false, m.rank)
		}
	})
	return &set.matchers
}

// classes returns which of the two readings can change what matches the path: the readings of the bytes
// that some pattern has in one form and the path in another.
func (g *Group) classes(path string) (r Readings) {
	patterns := &g.equalities().forms
	if patterns.encoded == (byteSet{}) && strings.IndexByte(path, '%') < 0 {
		return 0
	}
	var own forms
	own.add(path)
	for i := range own.raw {
		differ := patterns.encoded[i]&own.raw[i] | patterns.raw[i]&own.encoded[i]
		if g.spec.form != normal.RFC9309 {
			differ |= patterns.encoded[i] & own.encoded[i] // perhaps in another case
		}
		for ; differ != 0; differ &= differ - 1 {
			r |= classOf[64*i+bits.TrailingZeros64(differ)]
		}
	}
	return r
}

// forms are the bytes that a text has raw, and those that it has percent-encoded.
type forms struct{ raw, encoded byteSet }

// A byteSet has bit b%64 of its word b/64 set where b is in it.
type byteSet [4]uint64

func (s *byteSet) add(b byte) { s[b/64] |= 1 << (b % 64) }

func (s *byteSet) has(b byte) bool { return s[b/64]&(1<<(b%64)) != 0 }

func (f *forms) add(text string) {
	for i := 0; i < len(text); i++ {
		if b, ok := normal.Escape(text, i); ok {
			f.encoded.add(b)
			i += 2
		} else {
			f.raw.add(text[i])
		}
	}
}
