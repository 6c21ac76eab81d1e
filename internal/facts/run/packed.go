package run

import (
	"fmt"

	"github.com/klauspost/compress/s2"
)

const (
	packedRows   = 64 // of a block
	packedBlocks = 16 // that are held unpacked
)

// Packed holds rows in memory as files do: in blocks of differences, compressed. It is for rows of which a few near
// one another are looked at, again and again.
type Packed[T any] struct {
	codec  *codec[T]
	blocks [][]byte
	last   []T // rows of the block that is not full yet
	coded  []byte

	unpacked [packedBlocks]struct {
		block int // and 1
		rows  []T
	}
}

// NewPacked makes one without rows.
func NewPacked[T any]() *Packed[T] {
	l, err := layoutOf[T]()
	if err != nil {
		panic(err) // a type of rows that no file could hold, either
	}
	return &Packed[T]{codec: newCodec[T](l)}
}

// Len is the number of rows.
func (p *Packed[T]) Len() int { return len(p.blocks)*packedRows + len(p.last) }

// Add adds a row.
func (p *Packed[T]) Add(row *T) {
	if p.last = append(p.last, *row); len(p.last) < packedRows {
		return
	}
	p.codec.reset()
	p.coded = p.coded[:0]
	for i := range p.last {
		p.coded = p.codec.append(p.coded, &p.last[i], isBase)
	}
	p.blocks = append(p.blocks, append([]byte(nil), s2.Encode(nil, p.coded)...))
	clear(p.last)
	p.last = p.last[:0]
}

// At returns the i-th row. It must not be changed, and stays as it is.
func (p *Packed[T]) At(i int) *T {
	block := i / packedRows
	if block == len(p.blocks) {
		row := p.last[i%packedRows]
		return &row
	}
	held := &p.unpacked[block%packedBlocks]
	if held.block != block+1 {
		held.block, held.rows = block+1, p.unpack(p.blocks[block])
	}
	return &held.rows[i%packedRows]
}

func (p *Packed[T]) unpack(block []byte) []T {
	coded, err := s2.Decode(nil, block)
	if err != nil {
		panic(fmt.Errorf("rows in memory: %w", err))
	}
	list, rest := make([]T, packedRows), string(coded)
	p.codec.reset()
	for i := range list {
		rest = p.codec.next(rest)
		list[i] = p.codec.row
	}
	return list
}
