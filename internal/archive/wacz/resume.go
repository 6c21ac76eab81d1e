package wacz

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"

	"github.com/robotsaudit/robotsaudit/internal/archive/inflate"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
)

// resumption is where a deflated entry is read on after damage. Members that are whole
// there prove themselves (resync.go).
type resumption struct {
	damaged int64  // how far its bytes were read when the damage showed
	bit     int64  // of its bytes where the block begins to go on with; -1: there is none
	at      int64  // offset of that block in its content
	history []byte // the content before, to which that block may refer
}

func (x *resumption) Error() string {
	return fmt.Sprintf("its deflated data is damaged before byte %d; it was read on from the block that begins in byte %d", x.damaged, x.bit/8)
}

// resume goes on after damage in the bytes of a deflated entry, if damage ended it.
// Unknown bytes replace the missing ones, so that the rest keeps its offsets.
func (r *EntryReader) resume(ending error) (resumed bool, err error) {
	damaged := r.in.Position()
	if packed := r.entry.packed(); ending == io.EOF && damaged == packed || ending == io.ErrUnexpectedEOF &&
		damaged < packed {
		return false, nil // all of it was read, or the file ends
	}
	x := r.entry.resumption
	if x == nil {
		if x, err = r.entry.findResumption(damaged, int64(r.n)); err != nil {
			return false, err
		}
		r.entry.resumption = x
	}
	r.in = nil
	if x.bit < 0 {
		return false, nil
	}
	blocks := r.entry.inflateFrom(inflate.NewReader(nil), x.bit, x.history)
	missing := x.at - int64(r.n)
	if _, err := blocks.Discard(max(-missing, 0)); warc.IsReadError(err) {
		return false, err
	}
	r.r = io.MultiReader(io.LimitReader(unknownBytes{}, missing), blocks)
	return true, nil
}

// unknownBytes replaces the bytes lost to damage.
type unknownBytes struct{}

func (unknownBytes) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = inflate.Unknown
	}
	return len(p), nil
}

// findResumption looks for a block near or after damage from which blocks run to the
// entry's last byte, with no more content than the entry has. Before the damage n bytes
// of content were read. Bytes between two damages are not read: their place in the
// content is unknown.
//
// Blocks that end in the same damage share its fate, so after many of them the search
// goes on at the last: it is one pass over the rest, but for false blocks, which a budget
// bounds.
func (e *Entry) findResumption(damaged, n int64) (*resumption, error) {
	x := &resumption{damaged: damaged, bit: -1}
	if e.Size()/maxExpansion > e.packed() {
		return x, nil
	}
	m := inflate.NewReader(nil)
	var search warc.Window
	from := 8 * max(damaged-blockReach, 0)
	for budget := int64(maxBlockSearch); budget > 0; budget -= blockCost {
		bit, err := e.nextBlock(m, &search, from, budget/scanCost)
		if bit < 0 || err != nil {
			return x, err
		}
		length, err := e.inflateFrom(m, bit, nil).Discard(e.Size() + 1)
		if warc.IsReadError(err) {
			return x, err
		}
		if err == io.EOF && bit/8+m.Offset() == e.packed() {
			x.bit, x.at = bit, e.Size()-length
			x.history, err = e.contentBefore(x.at, n)
			return x, err
		}
		budget -= length + (bit-from)/8*scanCost
		from = bit + 1
		if err != nil && err != io.EOF && length > longBlocks {
			from = bit&^7 + m.BlockStart() + 1
		}
	}
	return x, nil
}

// nextBlock returns the first bit from one on, and within reach bytes, where a block may
// begin, -1 if there is none.
func (e *Entry) nextBlock(m *inflate.Reader, search *warc.Window, from, reach int64) (int64, error) {
	first, bit := int(from&7), 0
	at, err := search.Find(e.stored(), from/8, min(e.packed(), from/8+reach), func(b []byte) int {
		bit = m.FindBlock(b, first)
		first = 0
		return bit >> 3
	})
	if at < 0 {
		return -1, err
	}
	return 8*at + int64(bit&7), nil
}

// inflateFrom has r inflate the entry from a bit of its bytes on, where a block begins.
func (e *Entry) inflateFrom(r *inflate.Reader, bit int64, history []byte) *inflate.Reader {
	bytes := io.NewSectionReader(e.file, e.offset+bit/8, e.packed()-bit/8)
	r.ResetBlocks(warc.MarkFailures(bytes), uint(bit&7), history)
	return r
}

// contentBefore returns the content of a deflated entry before at, as far as a match there
// can refer to it. The first n bytes of the content can be read.
func (e *Entry) contentBefore(at, n int64) ([]byte, error) {
	from := max(at-inflate.WindowSize, 0)
	content := make([]byte, at-from)
	unknownBytes{}.Read(content)
	if n <= from {
		return content, nil
	}
	r := flate.NewReader(warc.NewSource(e.stored(), nil))
	_, err := io.CopyN(io.Discard, r, from)
	if err == nil {
		_, err = io.ReadFull(r, content[:min(n, at)-from])
	}
	if !warc.IsReadError(err) {
		err = nil
	}
	return content, err
}
