package arena

import "unsafe"

// Slab makes values many at a time. They live for as long as any of them.
type Slab[T any] struct {
	left []T
	size int
}

// A slab has so many values, fewer where they are large, or few were needed so far.
const (
	slabValues = 256
	slabBytes  = 32 << 10
)

// New returns a zero value.
func (s *Slab[T]) New() *T {
	var zero T
	return &s.List(zero)[0]
}

// List returns a list of one, without room for more.
func (s *Slab[T]) List(v T) []T {
	if len(s.left) == 0 {
		s.size = min(max(2*s.size, 4), slabValues, slabBytes/int(unsafe.Sizeof(v)))
		s.left = make([]T, s.size)
	}
	one := s.left[:1:1]
	one[0], s.left = v, s.left[1:]
	return one
}
