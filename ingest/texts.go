package ingest

import (
	"hash/maphash"
	"strings"
	"unsafe"
)

// texts makes the strings that records are told by: those of one archive lie one
// after the other in chunks of memory, so that there are few allocations, and the
// collector has few objects to visit.
//
// A chunk lives for as long as any string in it. So those that rows keep lie
// apart from those that are forgotten with their record, and what is kept for longer
// than rows are is to be cloned.
type texts struct {
	chunk  strings.Builder
	lists  slab[string]
	recent [recentTexts]string // of those that records share
}

const (
	textChunk   = 8 << 10 // octets of a chunk; the first ones, all that a small archive has, are smaller
	longText    = 512     // a string of more octets lies elsewhere
	recentTexts = 32
)

// of makes a string of octets. Without texts it is one of its own.
func (t *texts) of(value []byte) string {
	if t == nil || len(value) == 0 || len(value) > longText {
		return string(value)
	}
	if len(value) > t.chunk.Cap()-t.chunk.Len() {
		size := min(max(2*t.chunk.Cap(), longText), textChunk)
		t.chunk.Reset() // what was made of it stays as it is
		t.chunk.Grow(size)
	}
	n := t.chunk.Len()
	t.chunk.Write(value)
	return t.chunk.String()[n:]
}

// or makes a string of octets, or takes one that may be the same.
func (t *texts) or(same string, value []byte) string {
	if string(value) == same {
		return same
	}
	return t.of(value)
}

// shared makes a string of octets of which many records have the same: one of those
// made lately, where there is one.
func (t *texts) shared(value []byte) string {
	if t == nil || len(value) == 0 || len(value) > longText {
		return string(value)
	}
	recent := &t.recent[maphash.Bytes(textSeed, value)%recentTexts]
	*recent = t.or(*recent, value)
	return *recent
}

// textSeed changes which strings are shared, never what they are.
var textSeed = maphash.MakeSeed()

// add appends to a list, the first of which lies in a chunk, too: most lists have
// one.
func (t *texts) add(list []string, value string) []string {
	if t == nil || len(list) > 0 {
		return append(list, value)
	}
	return t.lists.list(value)
}

// slab makes values many at a time. They live for as long as any of them.
type slab[T any] struct {
	left []T
	size int
}

// A slab has so many values, fewer where they are large, or few were needed so far.
const (
	slabValues = 256
	slabOctets = 32 << 10
)

// new returns a zero value.
func (s *slab[T]) new() *T {
	var zero T
	return &s.list(zero)[0]
}

// list returns a list of one, without room for more.
func (s *slab[T]) list(v T) []T {
	if len(s.left) == 0 {
		s.size = min(max(2*s.size, 4), slabValues, slabOctets/int(unsafe.Sizeof(v)))
		s.left = make([]T, s.size)
	}
	one := s.left[:1:1]
	one[0], s.left = v, s.left[1:]
	return one
}
