package object

import (
	"context"
	"io"
	"slices"
	"sync/atomic"
	"time"
)

// remote is an object on a network. It has one connection at a time: where the requests to a server
// are bounded, a second one could wait for the first without end.
type remote struct {
	ctx   context.Context
	place place
	info  Info

	position int64   // of Read
	stream   *stream // of Read; nil: none is open
	whole    atomic.Bool

	blocks []block // read at random, the one used last at the end
	ahead  *stream // that goes on after the last block; nil: none is open
	next   int64   // number of the block after the last one that was fetched
	run    int     // blocks that were fetched in a row
}

type block struct {
	number  int64
	content []byte
}

func newRemote(ctx context.Context, p place, info Info) *remote {
	return &remote{ctx: ctx, place: p, info: info, next: -1}
}

func (r *remote) Random() bool { return !r.whole.Load() }

// Err is not nil once the reading is to stop. It is checked between reads.
func (r *remote) Err() error { return r.ctx.Err() }

func (r *remote) Close() error {
	end(&r.stream)
	end(&r.ahead)
	r.blocks = nil
	return nil
}

// end closes a stream, if one is open.
func end(s **stream) {
	if *s != nil {
		(*s).close()
		*s = nil
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
	end(&r.stream)
	end(&r.ahead)
	t := &transfer{remote: r, position: offset, end: offset + size, random: true}
	defer t.close()
	n, err := io.ReadFull(t, p[:size])
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

func (r *remote) Read(p []byte) (int, error) {
	switch {
	case len(p) == 0:
		return 0, nil
	case r.position >= r.info.Size:
		end(&r.stream)
		return 0, io.EOF
	case r.stream == nil:
		end(&r.ahead)
		r.stream = newStream(r, r.position)
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

// fetch reads a block. Blocks in a row are read as a stream. A stream also reads over a gap between
// two blocks, if it is small.
func (r *remote) fetch(b *block) error {
	gap := (b.number - r.next) * limits.block
	switch {
	case gap == 0:
		r.run++
	case r.ahead != nil && gap > 0 && gap <= limits.gap:
		r.next = -1
		if _, err := io.CopyN(io.Discard, r.ahead, gap); err != nil {
			end(&r.ahead)
			return err
		}
	default:
		r.run = 0
		end(&r.ahead)
	}
	end(&r.stream)
	start := b.number * limits.block
	var from io.Reader
	switch {
	case r.ahead != nil:
		from = r.ahead
	case r.run >= limits.run:
		r.ahead = newStream(r, start)
		from = r.ahead
	default:
		t := &transfer{remote: r, position: start, end: start + int64(len(b.content)), random: true}
		defer t.close()
		from = t
	}
	r.next = -1
	if _, err := io.ReadFull(from, b.content); err != nil {
		end(&r.ahead)
		return err
	}
	r.next = b.number + 1
	return nil
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

// Read fills p, unless the range ends or the connection breaks.
func (t *transfer) Read(p []byte) (int, error) {
	for t.position < t.end {
		err := t.open()
		if err == nil {
			var n int
			n, err = t.fill(p[:min(int64(len(p)), t.end-t.position)])
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
		t.whole.Store(true)
	}
	return nil
}

// skip reads up to the position an answer that is the whole object.
func (t *transfer) skip() error {
	t.whole.Store(true)
	if t.random {
		return errWhole
	}
	chunk := make([]byte, limits.chunk)
	for left := t.position; left > 0; {
		n, err := t.fill(chunk[:min(left, int64(len(chunk)))])
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

// stream reads an object from an offset to its end, ahead of who reads it.
type stream struct {
	full, free chan []byte
	err        error // of the reading ahead; known once full is closed
	rest, cur  []byte
	stop       context.CancelFunc
	done       chan struct{}
}

func newStream(r *remote, offset int64) *stream {
	ctx, stop := context.WithCancel(r.ctx)
	s := &stream{
		full: make(chan []byte, limits.chunks), free: make(chan []byte, limits.chunks), stop: stop,
		done: make(chan struct{}),
	}
	t := &transfer{remote: r.at(ctx), position: offset, end: r.info.Size, good: offset}
	go s.readAhead(ctx, r, t)
	return s
}

// at is the object for a stream, which ends with ctx. It shares nothing that changes.
func (r *remote) at(ctx context.Context) *remote {
	return &remote{ctx: ctx, place: r.place, info: r.info}
}

// readAhead reads into limits.chunks buffers, and fills each again once it was read.
func (s *stream) readAhead(ctx context.Context, r *remote, t *transfer) {
	defer close(s.done)
	defer close(s.full)
	defer t.close()
	made := 0
	for {
		var b []byte
		select {
		case b = <-s.free:
		default:
			if made < limits.chunks {
				made++
				b = make([]byte, limits.chunk)
				break
			}
			select {
			case b = <-s.free:
			case <-ctx.Done():
				s.err = ctx.Err()
				return
			}
		}
		n, err := t.Read(b[:cap(b)])
		if t.whole.Load() {
			r.whole.Store(true)
		}
		if err != nil {
			s.err = err
			return
		}
		s.full <- b[:n] // there is room: there are no more buffers than that
	}
}

func (s *stream) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		if s.cur != nil {
			s.free <- s.cur
			s.cur = nil
		}
		b, ok := <-s.full
		if !ok {
			return 0, s.err
		}
		s.cur, s.rest = b, b
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// close ends the reading ahead, and returns when its connection is given back.
func (s *stream) close() {
	s.stop()
	<-s.done
}
