package arena

import (
	"hash/maphash"
	"strings"
	"unsafe"
)

// Strings makes the strings that records are told by: those of one archive lie one
// after the other in chunks of memory, so that there are few allocations, and the
// collector has few objects to visit.
//
// A chunk lives for as long as any string in it. So those that rows keep lie
// apart from those that are forgotten with their record, and what is kept for longer
// than rows are is to be cloned.
type Strings struct {
	chunk  strings.Builder
	lists  Slab[string]
	recent [recentStrings]string // of those that records share
}

const (
	chunkSize     = 8 << 10 // octets of a chunk; the first ones, all that a small archive has, are smaller
	longString    = 512     // a string of more octets lies elsewhere
	recentStrings = 32
)

// Of makes a string of octets. Without texts it is one of its own.
func (t *Strings) Of(value []byte) string {
	if t == nil || len(value) == 0 || len(value) > longString {
		return string(value)
	}
	if len(value) > t.chunk.Cap()-t.chunk.Len() {
		size := min(max(2*t.chunk.Cap(), longString), chunkSize)
		t.chunk.Reset() // what was made of it stays as it is
		t.chunk.Grow(size)
	}
	n := t.chunk.Len()
	t.chunk.Write(value)
	return t.chunk.String()[n:]
}

// Or makes a string of octets, or takes one that may be the same.
func (t *Strings) Or(same string, value []byte) string {
	if string(value) == same {
		return same
	}
	return t.Of(value)
}

// Shared makes a string of octets of which many records have the same: one of those
// made lately, where there is one.
func (t *Strings) Shared(value []byte) string {
	if t == nil || len(value) == 0 || len(value) > longString {
		return string(value)
	}
	recent := &t.recent[maphash.Bytes(seed, value)%recentStrings]
	*recent = t.Or(*recent, value)
	return *recent
}

// seed changes which strings are shared, never what they are.
var seed = maphash.MakeSeed()

// Append appends to a list, the first of which lies in a chunk, too: most lists have
// one.
func (t *Strings) Append(list []string, value string) []string {
	if t == nil || len(list) > 0 {
		return append(list, value)
	}
	return t.lists.List(value)
}

// Slab makes values many at a time. They live for as long as any of them.
type Slab[T any] struct {
	left []T
	size int
}

// A slab has so many values, fewer where they are large, or few were needed so far.
const (
	slabValues = 256
	slabOctets = 32 << 10
)

// New returns a zero value.
func (s *Slab[T]) New() *T {
	var zero T
	return &s.List(zero)[0]
}

// List returns a list of one, without room for more.
func (s *Slab[T]) List(v T) []T {
	if len(s.left) == 0 {
		s.size = min(max(2*s.size, 4), slabValues, slabOctets/int(unsafe.Sizeof(v)))
		s.left = make([]T, s.size)
	}
	one := s.left[:1:1]
	one[0], s.left = v, s.left[1:]
	return one
}
