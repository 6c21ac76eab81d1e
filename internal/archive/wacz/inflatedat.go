package wacz

import (
	"io"
	"slices"
)

// inflatedAt reads a deflated entry at random, by inflating what is before. It
// remembers what it read last, since readers go forward but for what they had read
// ahead. After maxRewinds starts from the front it is at its end.
type inflatedAt struct {
	open    func() *EntryReader
	r       *EntryReader
	pos     int64
	recent  []byte // the bytes before pos
	rewinds int
}

func (r *inflatedAt) ReadAt(p []byte, offset int64) (n int, err error) {
	if r.r == nil || offset < r.pos-int64(len(r.recent)) {
		if r.rewinds++; r.rewinds > maxRewinds {
			return 0, io.EOF
		}
		r.pos, r.recent, r.r = 0, r.recent[:0], r.open()
	}
	for n < len(p) {
		if at := offset + int64(n); at < r.pos {
			n += copy(p[n:], r.recent[len(r.recent)-int(r.pos-at):])
			continue
		}
		if err := r.more(); err != nil {
			return n, err
		}
	}
	return n, nil
}

func (r *inflatedAt) more() error {
	const step = 32 << 10
	if len(r.recent)+step > keepRecent+fileBuffer {
		r.recent = r.recent[:copy(r.recent, r.recent[len(r.recent)-keepRecent:])]
	}
	r.recent = slices.Grow(r.recent, step)
	n, err := r.r.Read(r.recent[len(r.recent) : len(r.recent)+step])
	r.recent = r.recent[:len(r.recent)+n]
	r.pos += int64(n)
	if n > 0 {
		return nil
	}
	return err
}
