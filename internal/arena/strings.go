// Package arena makes strings and values many at a time, for records that come by the
// million and are forgotten together.
package arena

import (
	"hash/maphash"
	"strings"
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
	chunkSize     = 8 << 10 // bytes of a chunk; the first ones, all that a small archive has, are smaller
	longString    = 512     // a string of more bytes lies elsewhere
	recentStrings = 32
)

// Of makes a string of bytes. Without an arena it is one of its own.
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

// Or makes a string of bytes, or takes one that may be the same.
func (t *Strings) Or(same string, value []byte) string {
	if string(value) == same {
		return same
	}
	return t.Of(value)
}

// Shared makes a string of bytes of which many records have the same: one of those
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
