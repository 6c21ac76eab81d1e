package object

import (
	"context"
	"io"
	"slices"
	"time"
)

// remote is an object on a network. It has one connection at a time: where the requests to a server
// are bounded, a second one could wait for the first without end.
type remote struct {
	ctx   context.Context
	place place
	info  Info
	whole bool // its server gives no parts of it

	position int64     // of Read
	stream   *transfer // up to the end, which Read and blocks in a row share; nil: none is open

	blocks []block // read at random, the one used last at the end
	next   int64   // number of the block after the last one that was fetched
	run    int     // blocks that were fetched in a row
}

type block struct {
	number  int64
	content []byte
}

func (r *remote) Random() bool { return !r.whole }

// Err is not nil once the reading is to stop. It is checked between reads.
func (r *remote) Err() error { return r.ctx.Err() }

func (r *remote) Close() error {
	r.endStream()
	r.blocks = nil
	return nil
}

// startStream opens the stream at an offset.
func (r *remote) startStream(offset int64) {
	r.endStream()
	r.stream = &transfer{remote: r, position: offset, end: r.info.Size, good: offset}
}

// endStream closes the stream, if one is open.
func (r *remote) endStream() {
	if r.stream != nil {
		r.stream.close()
		r.stream = nil
	}
}

// ReadRange fills p with the bytes at an offset of an object, with one request if it is on a
// network. At the end of the object it returns io.EOF.
func ReadRange(o Object, p []byte, offset int64) (int, error) {
	r, ok := o.(*remote)
	if !ok {
		return o.ReadAt(p, offset)
	}
	size := min(int64(len(p)), r.info.Size-offset)
	if size <= 0 {
		return 0, io.EOF
	}
	n, err := r.readRange(p[:size], offset)
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

func (r *remote) readRange(p []byte, offset int64) (int, error) {
	r.endStream()
	t := &transfer{remote: r, position: offset, end: offset + int64(len(p)), random: true}
	defer t.close()
	return io.ReadFull(t, p)
}

func (r *remote) Read(p []byte) (int, error) {
	switch {
	case len(p) == 0:
		return 0, nil
	case r.position >= r.info.Size:
		r.endStream()
		return 0, io.EOF
	case r.stream == nil || r.stream.position != r.position:
		r.startStream(r.position)
	}
	n, err := r.stream.Read(p)
	r.position += int64(n)
	return n, err
}

func (r *remote) ReadAt(p []byte, offset int64) (n int, err error) {
	if int64(len(p)) > limits.block { // one request for all of it
		return ReadRange(r, p, offset)
	}
	for n < len(p) {
		at := offset + int64(n)
		if at >= r.info.Size {
			return n, io.EOF
		}
		b, err := r.block(at / limits.block)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], b[at%limits.block:])
	}
	return n, nil
}

// block returns a block of the object, from memory if it is there.
func (r *remote) block(number int64) ([]byte, error) {
	if i := slices.IndexFunc(r.blocks, func(b block) bool { return b.number == number }); i >= 0 {
		b := r.blocks[i]
		r.blocks = append(slices.Delete(r.blocks, i, i+1), b)
		return b.content, nil
	}
	b := block{number: number}
	if len(r.blocks) >= limits.blocks {
		b.content = r.blocks[0].content[:0]
		r.blocks = slices.Delete(r.blocks, 0, 1)
	}
	start := number * limits.block
	size := min(limits.block, r.info.Size-start)
	b.content = slices.Grow(b.content, int(size))[:size]
	if err := r.fetch(&b); err != nil {
		return nil, err
	}
	r.blocks = append(r.blocks, b)
	return b.content, nil
}

// fetch reads a block. Blocks in a row are read as a stream, over small gaps between two blocks, too.
func (r *remote) fetch(b *block) error {
	start := b.number * limits.block
	switch {
	case b.number == r.next:
		r.run++
	case !r.isNear(start):
		r.run = 0
	}
	read := r.readRange
	if r.isNear(start) || r.run >= limits.run {
		read = r.readOn
	}
	r.next = -1
	if _, err := read(b.content, start); err != nil {
		return err
	}
	r.next = b.number + 1
	return nil
}

// isNear reports whether the stream comes by an offset after a small gap, or none.
func (r *remote) isNear(offset int64) bool {
	return r.stream != nil && r.stream.position <= offset && offset-r.stream.position <= limits.gap
}

// readOn fills p from the stream, which passes over a gap, or else begins there.
func (r *remote) readOn(p []byte, offset int64) (n int, err error) {
	if !r.isNear(offset) {
		r.startStream(offset)
	}
	if _, err = io.CopyN(io.Discard, r.stream, offset-r.stream.position); err == nil {
		n, err = io.ReadFull(r.stream, p)
	}
	if err != nil {
		r.endStream()
	}
	return n, err
}

// transfer reads a range in order, and goes on where a connection broke off.
type transfer struct {
	*remote
	attempts
	position, end int64
	random        bool  // an answer that begins before the range is refused, not read up to it
	good          int64 // position up to which it got on

	answer *answer // nil: none is open
	began  time.Time
	within context.Context // of the answer
	cancel context.CancelCauseFunc
	timer  *time.Timer // ends the answer unless something comes in time
}

// Read reads what p has room for, at most a chunk, unless the range ends or the connection breaks.
func (t *transfer) Read(p []byte) (int, error) {
	for t.position < t.end {
		err := t.open()
		if err == nil {
			var n int
			n, err = t.fill(p[:min(int64(len(p)), limits.chunk, t.end-t.position)])
			if t.position += int64(n); t.position-t.good >= limits.progress {
				t.good, t.failed = t.position, 0
			}
			if n > 0 {
				return n, nil // the error is met again
			}
		}
		t.close()
		if err := t.again(t.ctx, t.place.host(), t.began, err); err != nil {
			return 0, err
		}
	}
	t.close()
	return 0, io.EOF
}

// open sees to it that there is an answer that goes on at the position.
func (t *transfer) open() (err error) {
	if t.answer != nil {
		return nil
	}
	p := paceOf(t.place.host())
	if t.began, err = p.enter(t.ctx); err != nil {
		return err
	}
	t.within, t.cancel = context.WithCancelCause(t.ctx)
	t.timer = time.AfterFunc(limits.stall, func() { t.cancel(errSlow) })
	traffic.requests.Add(1)
	a, err := t.place.get(t.within, t.info, t.position, t.end)
	t.timer.Stop()
	if err != nil {
		err = faultOf(t.within, err)
		t.cancel(nil)
		p.leave()
		return err
	}
	p.went()
	t.answer = a
	if a.whole && t.position > 0 {
		return t.skip()
	}
	if a.whole {
		t.whole = true
	}
	return nil
}

// skip reads up to the position an answer that is the whole object.
func (t *transfer) skip() error {
	t.whole = true
	if t.random {
		return errWhole
	}
	chunk := make([]byte, limits.chunk)
	for left := t.position; left > 0; {
		n, err := t.fill(chunk[:min(left, limits.chunk)])
		if left -= int64(n); n == 0 {
			return err
		}
	}
	return nil
}

// fill reads until p is full, in the time that this may take.
func (t *transfer) fill(p []byte) (n int, err error) {
	t.timer.Reset(limits.stall)
	defer t.timer.Stop()
	n, err = io.ReadFull(t.answer.body, p)
	traffic.bytes.Add(int64(n))
	if err != nil {
		err = faultOf(t.within, err)
	}
	return n, err
}

func (t *transfer) close() {
	if t.answer == nil {
		return
	}
	t.cancel(nil)
	t.answer.body.Close()
	t.answer = nil
	paceOf(t.place.host()).leave()
}
