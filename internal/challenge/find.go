package challenge

import (
	"encoding/binary"
	"strings"
)

// finder looks for any of some texts at once, at a small part of the cost of looking at each byte:
// every text has a window of windowBytes at each of stride places in a row, so it is enough to look at
// one window in stride.
type finder struct {
	stride  int
	first   [1 << hashBits]uint8 // of the windows of a hash, from 1; 0: none
	windows []window
}

const (
	windowBytes = 4
	hashBits    = 12
)

// window is a place in a text.
type window struct {
	bytes  uint32
	text   string
	offset int
	next   uint8 // of the same hash; 0: none
}

// newFinder looks for the text that a page must hold to have the marks of a list: the longest text of it.
func newFinder(markers []marker) *finder {
	var texts []string
	for _, m := range markers {
		for _, list := range m.Page {
			longest := ""
			for _, k := range list {
				for _, text := range [...]string{k.Value, k.Host, k.Assigns, k.Text} {
					if len(text) > len(longest) {
						longest = text
					}
				}
			}
			texts = append(texts, longest)
		}
	}
	f := new(finder)
	for _, text := range texts {
		if n := len(text) - windowBytes + 1; f.stride == 0 || n < f.stride {
			f.stride = n
		}
	}
	for _, text := range texts {
		for i := range f.stride {
			w := window{bytes: binary.LittleEndian.Uint32([]byte(text[i:])), text: text, offset: i}
			first := &f.first[hash(w.bytes)]
			w.next = *first
			f.windows = append(f.windows, w)
			*first = uint8(len(f.windows))
		}
	}
	return f
}

func hash(window uint32) uint32 { return window * 0x9E3779B1 >> (32 - hashBits) }

// in reports whether a page holds one of the texts.
func (f *finder) in(page []byte) bool {
	stride := f.stride
	for i := stride - 1; i <= len(page)-windowBytes; i += stride {
		w := binary.LittleEndian.Uint32(page[i:])
		if first := f.first[hash(w)]; first != 0 && f.isAt(page, i, w, first) {
			return true
		}
	}
	return false
}

// isAt reports whether a text stands around a window. Those of its hash begin with first.
func (f *finder) isAt(page []byte, at int, bytes uint32, first uint8) bool {
	for i := first; i != 0; i = f.windows[i-1].next {
		w := &f.windows[i-1]
		if start := at - w.offset; w.bytes == bytes && start >= 0 &&
			strings.HasPrefix(string(page[start:min(len(page), start+len(w.text))]), w.text) {
			return true
		}
	}
	return false
}
