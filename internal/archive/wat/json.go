package wat

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// Fault is a place at which JSON cannot be read.
type Fault struct {
	Offset int64 // in the block
	Detail string
}

func (f *Fault) Error() string { return fmt.Sprintf("byte %d: %s", f.Offset, f.Detail) }

// scanner reads JSON (RFC 8259) from a stream, in a buffer of fixed size. What it skips it neither
// holds nor checks, beyond strings and brackets: of a WAT record most are links.
//
// The first error stays in err, and ends all that follows.
type scanner struct {
	in   io.Reader
	buf  []byte
	r, w int   // the unread part of it
	past int64 // bytes of the stream before it
	text []byte
	err  error
}

func (s *scanner) reset(in io.Reader) {
	if s.buf == nil {
		s.buf = make([]byte, bufferSize)
	}
	*s = scanner{in: in, buf: s.buf, text: s.text[:0]}
}

// fill reads more once all is read. It returns false at the end.
func (s *scanner) fill() bool {
	for s.err == nil && s.r == s.w {
		n, err := s.in.Read(s.buf)
		s.past += int64(s.w)
		s.r, s.w = 0, n
		switch {
		case n > 0:
			return true
		case err == io.EOF:
			s.fail("it ends early")
		default:
			s.err = err
		}
	}
	return s.err == nil
}

// offset is how much of the stream was read.
func (s *scanner) offset() int64 { return s.past + int64(s.r) }

func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = &Fault{s.offset(), fmt.Sprintf(format, args...)}
	}
}

// peek returns the first byte that is no white space, and leaves it; 0 where there is none.
func (s *scanner) peek() byte {
	for s.fill() {
		for ; s.r < s.w; s.r++ {
			switch c := s.buf[s.r]; c {
			case ' ', '\n', '\r', '\t':
			default:
				return c
			}
		}
	}
	return 0
}

// take takes a byte that must come.
func (s *scanner) take(c byte) bool {
	got := s.peek()
	if s.err == nil && got != c {
		s.fail("%q in place of %q", got, c)
	}
	if s.err != nil {
		return false
	}
	s.r++
	return true
}

// object calls f for each member of an object. f may read the value; its name is valid until
// then. What f does not read is skipped. object returns false, and skips the value, where that is no object.
func (s *scanner) object(f func(name []byte)) bool {
	if s.peek() != '{' {
		s.skip()
		return false
	}
	s.r++
	if s.peek() == '}' {
		s.r++
		return true
	}
	for s.err == nil {
		if s.peek() != '"' {
			s.fail("no name of a member")
			return true
		}
		s.string(maxName)
		if !s.take(':') {
			return true
		}
		begin := s.offset()
		if f(s.text); s.offset() == begin {
			s.skip()
		}
		if s.peek() != ',' {
			s.take('}')
			return true
		}
		s.r++
	}
	return true
}

// array calls f for each element of an array; f is to read it. It returns false, and skips the
// value, where that is no array.
func (s *scanner) array(f func()) bool {
	if s.peek() != '[' {
		s.skip()
		return false
	}
	s.r++
	if s.peek() == ']' {
		s.r++
		return true
	}
	for s.err == nil {
		f()
		if s.peek() != ',' {
			s.take(']')
			return true
		}
		s.r++
	}
	return true
}

// scalar reads a string, or a number, true or false as it stands, into text. ok is false where it
// is none, or null; cut: it was longer than limit.
func (s *scanner) scalar(limit int) (cut, ok bool) {
	switch c := s.peek(); {
	case s.err != nil:
		return false, false
	case c == '"':
		return s.string(limit), s.err == nil
	case c == '{', c == '[':
		s.skip()
		return false, false
	}
	s.text = s.text[:0]
	for s.fill() && isWordByte(s.buf[s.r]) {
		if len(s.text) < limit {
			s.text = append(s.text, s.buf[s.r])
		}
		s.r++
	}
	if len(s.text) == 0 {
		s.fail("no value")
	}
	return false, s.err == nil && string(s.text) != "null"
}

func isWordByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '-' || c == '+' || c == '.'
}

// string reads a string into text, up to limit bytes.
func (s *scanner) string(limit int) (cut bool) {
	s.r++
	s.text = s.text[:0]
	for s.fill() {
		rest := s.buf[s.r:s.w]
		n := bytes.IndexByte(rest, '"')
		ends := n >= 0
		if ends {
			rest = rest[:n]
		}
		if n := bytes.IndexByte(rest, '\\'); n >= 0 {
			rest, ends = rest[:n], false
			cut = s.add(rest, limit) || cut
			s.r += n + 1
			cut = s.escape(limit) || cut
			continue
		}
		cut = s.add(rest, limit) || cut
		if s.r += len(rest); ends {
			s.r++
			return cut
		}
	}
	return cut
}

// add adds to text what there is room for.
func (s *scanner) add(b []byte, limit int) (cut bool) {
	n := min(len(b), max(limit-len(s.text), 0))
	s.text = append(s.text, b[:n]...)
	return n < len(b)
}

// escape reads what follows a backslash.
func (s *scanner) escape(limit int) (cut bool) {
	c := s.next()
	switch c {
	case 'u':
		return s.unicode(limit)
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case '"', '\\', '/':
	default:
		s.fail("the escape %q", c)
	}
	return s.add([]byte{c}, limit)
}

// unicode reads the digits of an escape, and the next one where both are a pair. Half a pair is
// U+FFFD.
func (s *scanner) unicode(limit int) (cut bool) {
	var buf [2 * utf8.UTFMax]byte
	r := s.hex()
	if !utf16.IsSurrogate(r) || !s.ahead(`\u`) {
		return s.add(utf8.AppendRune(buf[:0], r), limit)
	}
	s.r += 2
	second := s.hex()
	if pair := utf16.DecodeRune(r, second); pair != utf8.RuneError {
		return s.add(utf8.AppendRune(buf[:0], pair), limit)
	}
	return s.add(utf8.AppendRune(utf8.AppendRune(buf[:0], r), second), limit)
}

// ahead reports whether two bytes come next, and sees to it that they can be taken.
func (s *scanner) ahead(two string) bool {
	if s.w-s.r < len(two) {
		held := copy(s.buf, s.buf[s.r:s.w])
		s.past += int64(s.r)
		s.r, s.w = 0, held
		n, err := io.ReadAtLeast(s.in, s.buf[held:], len(two)-held)
		s.w += n
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			s.err = err
		}
	}
	return s.err == nil && string(s.buf[s.r:min(s.r+len(two), s.w)]) == two
}

func (s *scanner) next() (c byte) {
	if s.fill() {
		c = s.buf[s.r]
		s.r++
	}
	return c
}

// hex reads four hexadecimal digits.
func (s *scanner) hex() (r rune) {
	for range 4 {
		c := s.next()
		if ascii.Hex[c] == ascii.NotHex {
			s.fail("%q in an escape", c)
			return utf8.RuneError
		}
		r = r<<4 | rune(ascii.Hex[c])
	}
	return r
}

// skip skips a value of any depth.
func (s *scanner) skip() {
	depth := 0
	for {
		switch c := s.peek(); {
		case s.err != nil:
			return
		case c == '"':
			s.skipString()
		case c == '{', c == '[':
			s.r++
			depth++
		case c == '}', c == ']':
			if depth--; depth < 0 {
				s.fail("%q in place of a value", c)
				return
			}
			s.r++
		case depth > 0 && (c == ',' || c == ':'):
			s.r++
			continue
		case isWordByte(c):
			for s.fill() && isWordByte(s.buf[s.r]) {
				s.r++
			}
		default:
			s.fail("%q in place of a value", c)
			return
		}
		if depth == 0 {
			return
		}
	}
}

func (s *scanner) skipString() {
	s.r++
	for s.fill() {
		rest := s.buf[s.r:s.w]
		n := bytes.IndexByte(rest, '"')
		if n >= 0 {
			rest = rest[:n]
		}
		if i := bytes.IndexByte(rest, '\\'); i >= 0 {
			s.r += i + 1
			s.next()
			continue
		}
		if s.r += len(rest); n >= 0 {
			s.r++
			return
		}
	}
}

func (s *scanner) end() bool {
	if s.err != nil {
		return false
	}
	s.peek()
	_, ended := s.err.(*Fault)
	if ended {
		s.err = nil
	}
	return ended
}
