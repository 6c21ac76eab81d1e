package challenge

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// finder looks for any of some texts at once, at a small part of the cost of looking at each byte:
// every text has a window of windowBytes at each of stride places in a row, so it is enough to look at
// one window in stride.
type finder struct {
	stride  int
	longest int
	texts   [][]byte
	known   [1 << hashBits]bool // hashes of windows
}

const (
	windowBytes = 4
	hashBits    = 12
)

// newFinder looks for the text that a page must hold to have the marks of a list: the longest text of it.
func newFinder(markers []marker) *finder {
	f := &finder{stride: math.MaxInt}
	for _, m := range markers {
		for _, list := range m.Page {
			text := ""
			for _, k := range list {
				for _, t := range [...]string{k.Value, k.Host, k.Assigns, k.Text} {
					if len(t) > len(text) {
						text = t
					}
				}
			}
			f.texts = append(f.texts, []byte(text))
			f.stride, f.longest = min(f.stride, len(text)-windowBytes+1), max(f.longest, len(text))
		}
	}
	for _, text := range f.texts {
		for i := range f.stride {
			f.known[hash(text[i:])] = true
		}
	}
	return f
}

func hash(window []byte) uint32 {
	return binary.LittleEndian.Uint32(window) * 0x9E3779B1 >> (32 - hashBits)
}

// in reports whether a page holds one of the texts.
func (f *finder) in(page []byte) bool {
	for i := f.stride - 1; i <= len(page)-windowBytes; i += f.stride {
		if !f.known[hash(page[i:])] {
			continue
		}
		near := page[i-f.stride+1 : min(len(page), i+f.longest)]
		if slices.ContainsFunc(f.texts, func(text []byte) bool { return bytes.Contains(near, text) }) {
			return true
		}
	}
	return false
}
