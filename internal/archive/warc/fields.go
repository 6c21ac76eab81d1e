package warc

import (
	"bytes"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// Fields reads field lines one after the other, without an allocation.
type Fields struct {
	Rest  []byte
	Name  []byte // as it stands
	Value []byte // with folded lines joined (RFC 9112 §5.2)
	Line  []byte // joined but otherwise as it stands
	Stray bool   // a line before it is no field
}

// IsField reports whether a field's name is this one, given in lower case. It begins at the end, where
// names of one length differ soonest.
func IsField(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i := len(lower) - 1; i >= 0; i-- {
		if c := name[i]; c != lower[i] && ascii.LowerByte(c) != lower[i] {
			return false
		}
	}
	return true
}

// Next reads the next field. It returns false after the last one.
func (f *Fields) Next() bool {
	for len(f.Rest) > 0 {
		line, rest := CutLine(f.Rest)
		if len(line) == 0 {
			return false
		}
		if len(rest) > 0 && isBlank(rest[0]) {
			line, rest = unfold(line, rest)
		}
		f.Line, f.Rest = line, rest
		colon := bytes.IndexByte(line, ':')
		if colon < 0 {
			f.Stray = true
			continue
		}
		if f.Name = bytes.TrimSpace(line[:colon]); len(f.Name) <= maxFieldName {
			f.Value = bytes.TrimSpace(line[colon+1:])
			return true
		}
	}
	return false
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// EachField calls f for each field of a block.
func EachField(block []byte, f func(name, value []byte)) {
	for in := (Fields{Rest: block}); in.Next(); {
		f(in.Name, in.Value)
	}
}

// unfold joins to a line the following lines that begin with white space and so
// continue it (RFC 9112 §5.2, WARC 1.1 §4). Only then is the line a copy.
func unfold(line, rest []byte) (joined, behind []byte) {
	folded := false
	for len(rest) > 0 && isBlank(rest[0]) {
		if !folded {
			line, folded = bytes.Clone(line), true
		}
		var more []byte
		more, rest = CutLine(rest)
		line = append(append(line, ' '), bytes.TrimSpace(more)...)
	}
	return line, rest
}

// CutLine cuts a line off b, without its CRLF, LF or CR CR LF.
func CutLine(b []byte) (line, rest []byte) {
	line = b
	if n := bytes.IndexByte(b, '\n'); n >= 0 {
		line, rest = b[:n], b[n+1:]
	}
	for range 2 {
		if n := len(line) - 1; n >= 0 && line[n] == '\r' {
			line = line[:n]
		}
	}
	return line, rest
}
