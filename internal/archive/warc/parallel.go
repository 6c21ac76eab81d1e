package warc

import (
	"io"
	"math"
	"sync"
	"sync/atomic"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
)

// Cores limits how many goroutines work at a time: a task holds one of them while
// it runs, and those that no task wants inflate ahead in large archives.
type Cores chan struct{}

func NewCores(n int) Cores { return make(Cores, n) }

func (c Cores) Acquire() { c <- struct{}{} }
func (c Cores) Release() { <-c }

func (c Cores) tryAcquire() bool {
	select {
	case c <- struct{}{}:
		return true
	default:
		return false
	}
}

// Share has workers take the numbers below n, each once and in order: one worker in the calling
// goroutine, whose task holds a core, and others on cores for as long as they are idle. It returns once
// all have ended. A worker gets its numbers from next, and ends when there are no more.
func (c Cores) Share(n int, worker func(next func() (int, bool))) {
	var taken atomic.Int64
	take := func() (int, bool) {
		i := int(taken.Add(1)) - 1
		return i, i < n
	}
	var helpers sync.WaitGroup
	help := func() {
		begun, holds := false, true
		worker(func() (int, bool) {
			if begun {
				c.Release()
				if holds = c.tryAcquire(); !holds {
					return 0, false
				}
			}
			begun = true
			return take()
		})
		if holds {
			c.Release()
		}
	}
	worker(func() (int, bool) {
		for left := n - int(taken.Load()) - 1; left > 0 && c.tryAcquire(); left-- {
			helpers.Go(help)
		}
		return take()
	})
	helpers.Wait()
}

// AheadOptions control how cores read ahead.
type AheadOptions struct {
	Cores    Cores // that may inflate ahead where they are idle; nil: none
	PartSize int64 // bytes of a file that are inflated ahead at a time; 0: aheadPart
	Whole    bool  // all of each record will be read
}

// AheadReader is a reader that idle cores can read ahead of.
type AheadReader interface {
	ReadAhead(size int64, opt AheadOptions)
	Close()
}

// readAhead reads the members of one archive in file order, and has idle cores inflate
// those further on. Where a member begins is known only once the one before it was
// read, so they begin at places that look like one. That is no proof: each member found
// is decoded to its end and its checksum compared, and it counts only if the chain of
// members from the beginning of the file arrives at that very offset. All else, damage
// included, the reader reads itself. So the records are the same for any number of
// cores.
//
// Of a member the first and last bytes are kept: most readers need no more. Otherwise
// it is inflated again.
type readAhead struct {
	at       io.ReaderAt
	size     int64
	cores    Cores
	partSize int64
	keep     int       // bytes kept of a member's content
	progress func(int) // may be nil
	counted  int64     // bytes reported to progress

	in       *gzipMembers // reads what nobody has read ahead
	inStands bool         // in stands at offset
	ahead    *aheadMember // the member in hand, nil where in has it
	position int64        // in its content
	served   int          // members that were read ahead
	useless  int          // members that had to be inflated again, and places without a member

	mu      sync.Mutex
	parts   []*part // after the member in hand, in file order
	planned int64   // end of the last one
	free    []*part
	stopped bool
	helpers sync.WaitGroup
}

// part is a range of the file in which members begin.
type part struct {
	start, end int64
	taken      bool // by somebody who inflates it
	own        bool // by the reader, in order
	done       chan struct{}
	members    []aheadMember
	found      int // members before it were passed
	kept       []byte
}

// aheadMember is a whole member.
type aheadMember struct {
	from       int64 // where the one before it, or padding, begins
	start, end int64
	crc        uint32
	size       int64 // bytes of the content

	first, split, last int    // in part.kept: its first bytes, and after them its last
	head, tail         []byte // first and last bytes, where the member was found
}

// keptTail is how many bytes of a member's end are kept: a record's end and some
// stray ones.
const keptTail = 64

// newReadAhead reads the members of in, which has read nothing of src yet.
func newReadAhead(in *gzipMembers, src *input.Source, at io.ReaderAt, size int64, opt AheadOptions) *readAhead {
	r := &readAhead{in: in, inStands: true, at: at, size: size, cores: opt.Cores, partSize: aheadPart, keep: aheadKept}
	if opt.PartSize > 0 {
		r.partSize = opt.PartSize
	}
	if opt.Whole {
		r.keep = maxAheadPart
	}
	r.progress = src.SetProgress(nil)
	r.counted = src.Fetched()
	return r
}

// seek goes on reading at an offset.
func (r *readAhead) seek(offset int64) {
	r.in.Reset(input.MarkFailures(io.NewSectionReader(r.at, offset, math.MaxInt64-offset)))
	r.in.from, r.inStands, r.ahead = offset, true, nil
}

// stop ends the reading ahead, and all reading.
func (r *readAhead) stop() {
	r.mu.Lock()
	r.stopped = true
	r.mu.Unlock()
	r.helpers.Wait()
	release(r.in)
}

func (r *readAhead) next() error {
	from := r.offset()
	if r.progress != nil && from > r.counted {
		r.progress(int(from - r.counted))
		r.counted = from
	}
	p := r.partAt(from)
	if !p.own {
		r.await(p)
		if m := p.find(from); m != nil {
			r.ahead, r.position, r.inStands = m, 0, false
			r.served++
			return nil
		}
		r.useless++
	}
	return r.readOwn(from)
}

// readOwn begins the member at an offset without help.
func (r *readAhead) readOwn(from int64) error {
	if !r.inStands {
		r.seek(from)
	}
	r.ahead = nil
	return r.in.next()
}

// partAt returns the part that an offset lies in. One that nobody has begun is the
// reader's own from now on.
func (r *readAhead) partAt(from int64) *part {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.useless > 16+r.served/8 {
		r.stopped = true // an archive of another layout
	}
	for len(r.parts) > 0 && r.parts[0].end <= from {
		r.drop(r.parts[0])
		r.parts = r.parts[1:]
	}
	if len(r.parts) == 0 {
		r.planned = from
		r.plan()
	}
	p := r.parts[0]
	if !p.taken {
		p.taken, p.own = true, true
	}
	for !r.stopped && r.cores.tryAcquire() {
		q := r.take()
		if q == nil {
			r.cores.Release()
			break
		}
		r.helpers.Go(func() { r.help(q) })
	}
	return p
}

// plan adds a part.
func (r *readAhead) plan() *part {
	p := new(part)
	if n := len(r.free); n > 0 {
		p, r.free = r.free[n-1], r.free[:n-1]
	}
	*p = part{
		start: r.planned, end: r.planned + r.partSize, members: p.members[:0], kept: p.kept[:0],
		done: make(chan struct{}),
	}
	r.planned = p.end
	r.parts = append(r.parts, p)
	return p
}

// drop keeps the memory of a part for another one.
func (r *readAhead) drop(p *part) {
	if !p.own {
		select {
		case <-p.done:
		default:
			return // somebody still works on it
		}
	}
	r.free = append(r.free, p)
}

// take returns a part to inflate ahead, nil where there is none.
func (r *readAhead) take() *part {
	if r.stopped {
		return nil
	}
	for _, p := range r.parts {
		if !p.taken {
			p.taken = true
			return p
		}
	}
	if r.planned >= r.size || len(r.parts) >= cap(r.cores)+2 {
		return nil
	}
	p := r.plan()
	p.taken = true
	return p
}

// help inflates parts for as long as no task wants the core.
func (r *readAhead) help(p *part) {
	for p != nil {
		p.inflate(r.at, r.keep)
		r.cores.Release()
		if !r.cores.tryAcquire() {
			return
		}
		r.mu.Lock()
		p = r.take()
		r.mu.Unlock()
	}
	r.cores.Release()
}

// await returns when somebody else has inflated a part, and inflates others until
// then.
func (r *readAhead) await(p *part) {
	for {
		select {
		case <-p.done:
			return
		default:
		}
		r.mu.Lock()
		q := r.take()
		r.mu.Unlock()
		if q == nil {
			<-p.done
			return
		}
		q.inflate(r.at, r.keep)
	}
}

// inflate reads the members that begin in the part, and seem to.
func (p *part) inflate(at io.ReaderAt, keep int) {
	defer close(p.done)
	in := newGzipMembers()
	defer release(in)
	for from := p.start; from < p.end; {
		start, err := in.search.Find(at, from, p.end+input.Overlap, gzipCodec{}.find)
		if start < 0 || start >= p.end || err != nil {
			return
		}
		in.from = start
		in.Reset(io.NewSectionReader(at, start, math.MaxInt64-start))
		for p.add(in, keep) {
		}
		if len(p.kept) > maxAheadPart || in.start() >= p.end {
			return
		}
		from = max(start, in.start()) + 1
	}
}

// add reads the next member, and reports whether another may follow.
func (p *part) add(in *gzipMembers, keep int) bool {
	m := aheadMember{from: in.offset()}
	if in.next() != nil || in.start() >= p.end {
		return false
	}
	first := len(p.kept)
	var tail [2 * keptTail]byte
	last := tail[:0]
	for {
		b, err := in.Peek(1)
		if err == io.EOF {
			break
		}
		if err != nil || m.size > maxAheadMember {
			return false
		}
		m.size += int64(len(b))
		p.kept = append(p.kept, b[:min(len(b), keep-(len(p.kept)-first))]...)
		last = append(last, b[max(0, len(b)-keptTail):]...)
		last = last[:copy(last, last[max(0, len(last)-keptTail):])]
		in.Discard(int64(len(b)))
	}
	end := len(p.kept)
	p.kept = append(p.kept, last...)
	m.start, m.end, m.crc = in.start(), in.offset(), in.sum()
	m.first, m.split, m.last = first, end, len(p.kept) // no slices: kept may move as it grows
	p.members = append(p.members, m)
	return len(p.kept) <= maxAheadPart
}

// find returns the member that begins at an offset, or after padding there.
func (p *part) find(from int64) *aheadMember {
	for ; p.found < len(p.members); p.found++ {
		if m := &p.members[p.found]; m.start >= from {
			if m.start == from || m.from == from {
				m.head, m.tail = p.kept[m.first:m.split:m.split], p.kept[m.split:m.last]
				return m
			}
			break
		}
	}
	return nil
}

func (r *readAhead) start() int64 {
	if r.ahead != nil {
		return r.ahead.start
	}
	return r.in.start()
}

func (r *readAhead) offset() int64 {
	if r.ahead != nil {
		return r.ahead.end
	}
	return r.in.offset()
}

func (r *readAhead) sum() uint32 {
	if r.ahead != nil {
		return r.ahead.crc
	}
	return r.in.sum()
}

func (r *readAhead) Peek(n int) ([]byte, error) {
	if m := r.ahead; m != nil {
		tail := m.size - int64(len(m.tail))
		switch {
		case r.position+int64(n) <= int64(len(m.head)):
			return m.head[r.position:], nil
		case r.position >= tail:
			rest := input.Memory(m.tail[r.position-tail:])
			return rest.Peek(n)
		}
		if err := r.again(); err != nil {
			return nil, err
		}
	}
	return r.in.Peek(n)
}

func (r *readAhead) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := r.Peek(1)
	n := copy(p, b)
	if n > 0 {
		_, err = r.Discard(int64(n))
	}
	return n, err
}

func (r *readAhead) Discard(n int64) (int64, error) {
	m := r.ahead
	if m == nil {
		return r.in.Discard(n)
	}
	if left := m.size - r.position; n > left {
		r.position = m.size
		return left, io.EOF
	}
	r.position += n
	return n, nil
}

// again inflates the member in hand once more: more is wanted of it than was kept.
func (r *readAhead) again() error {
	r.useless++
	if err := r.readOwn(r.ahead.start); err != nil {
		return unexpectedEOF(err)
	}
	_, err := r.in.Discard(r.position)
	return err
}
