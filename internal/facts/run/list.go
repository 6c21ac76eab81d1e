package run

import (
	"bytes"
	"sync"
)

// A List holds rows in memory, to be read in any order. They are packed, as their differences from the empty row:
// the garbage collector finds no pointers in them.
type List[T any] struct {
	codecs sync.Pool
	blocks [][]byte // of listBlock rows each
	ends   []uint32 // of the rows in their blocks
}

const listBlock = 64

// NewList returns an empty list.
func NewList[T any]() (*List[T], error) {
	l, err := layoutOf[T]()
	return &List[T]{codecs: sync.Pool{New: func() any { return newCodec[T](l) }}}, err
}

// Add adds a row, and keeps no reference to it.
func (l *List[T]) Add(row *T) {
	if len(l.ends)%listBlock == 0 {
		if n := len(l.blocks); n > 0 {
			l.blocks[n-1] = bytes.Clone(l.blocks[n-1]) // which has grown by more than its rows
		}
		l.blocks = append(l.blocks, nil)
	}
	c := l.codecs.Get().(*codec[T])
	defer l.codecs.Put(c)
	c.reset()
	block := &l.blocks[len(l.blocks)-1]
	*block = c.append(*block, row, 0)
	l.ends = append(l.ends, uint32(len(*block)))
}

// Len is the number of rows.
func (l *List[T]) Len() int { return len(l.ends) }

// At returns the i-th row. Rows may be read at the same time.
func (l *List[T]) At(i int) T {
	start := uint32(0)
	if i%listBlock > 0 {
		start = l.ends[i-1]
	}
	c := l.codecs.Get().(*codec[T])
	defer l.codecs.Put(c)
	c.reset()
	c.next(string(l.blocks[i/listBlock][start:l.ends[i]]))
	return c.row
}
