package reading

import (
	"bytes"
	"fmt"
	"io"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// assembly is a segmented record (WARC 1.1 §7): the first segment, and what its
// continuations have added. Their number is kept of every such record, their
// bytes of policy captures alone.
type assembly struct {
	exchange *exchange // of a policy capture
	head     httpmsg.Head
	raw      []byte      // the body as stored
	origin   warc.Record // the first segment's header and place
	length   int64
	next     int64 // number of the segment that is due
	received int64 // of all blocks so far
	closed   bool
	held     bool // the exchange has been emitted, and waits for its body
}

// segments holds the segmented records of an input, the oldest forgotten first.
type segments struct {
	byOrigin map[recordid.ID]*assembly
	order    []recordid.ID
	held     int // bytes of bodies that wait
}

// assemble begins a segmented record. Where nothing can name it, it stays alone.
func (c *Committer) assemble(d *draft, length int64) error {
	r, a := d.record, d.assembly
	a.origin, a.length, a.next, a.received = *r, length, 2, r.ContentLength-r.Short
	a.origin.Block = nil
	if r.ID == "" || c.segments.byOrigin[r.ID.Key()] != nil {
		return c.disassemble(a, "no other record can name its first segment")
	}
	if c.segments.byOrigin == nil {
		c.segments.byOrigin = make(map[recordid.ID]*assembly)
	}
	key := r.ID.Key()
	c.segments.byOrigin[key] = a
	c.segments.order = append(c.segments.order, key)
	c.segments.held += len(a.raw)
	return c.goOn(a, r.SegmentTotal)
}

// boundSegments gives up the oldest segmented records until so many are left, and
// the bodies that wait hold so many bytes.
func (c *Committer) boundSegments(count, bytes int) error {
	s := &c.segments
	for len(s.order) > count || s.held > bytes {
		a := s.byOrigin[s.order[0]]
		delete(s.byOrigin, s.order[0])
		s.order = s.order[1:]
		if err := c.disassemble(a, fmt.Sprintf("segment %d is not among the records that follow", a.next)); err != nil {
			return err
		}
	}
	return nil
}

// extractContinuation reads what a continuation adds to a policy capture.
func (e *extractor) extractContinuation(d *draft) (err error) {
	r := d.record
	a := e.segments.byOrigin[r.SegmentOrigin.Key()]
	if a != nil && !a.closed && a.exchange != nil && a.next == r.SegmentNumber {
		d.more, err = io.ReadAll(io.LimitReader(r.Block, int64(httpmsg.MaxBody+1-len(a.raw))))
	}
	return err
}

func (c *Committer) join(d *draft, length int64) error {
	r := d.record
	a := c.segments.byOrigin[r.SegmentOrigin.Key()]
	switch {
	case a == nil:
		return c.Report(facts.Issue{
			Offset: r.Offset, Length: length, RecordID: r.ID, Kind: words.IssueMissingSegment,
			Detail: "a continuation whose first segment is not before it", Action: "record skipped",
		})
	case a.closed || r.SegmentNumber < a.next: // said already; a segment twice
		return nil
	case r.SegmentNumber > a.next:
		return c.disassemble(a, fmt.Sprintf("segment %d is missing before segment %d", a.next, r.SegmentNumber))
	}
	if x := a.exchange; x != nil && len(x.companions.Segments) < toldSegments {
		x.companions.Segments = append(x.companions.Segments, c.at)
	}
	a.raw = append(a.raw, d.more...)
	c.segments.held += len(d.more)
	a.received += r.ContentLength - r.Short
	a.next++
	return c.goOn(a, r.SegmentTotal)
}

// goOn ends a segmented record if the segment was its last, which states the length of all.
func (c *Committer) goOn(a *assembly, total int64) error {
	if total < 0 {
		return c.boundSegments(maxSegmented, maxPending)
	}
	if total != a.received {
		return c.disassemble(a, fmt.Sprintf("the segments hold %d bytes, WARC-Segment-Total-Length says %d",
			a.received, total))
	}
	return c.disassemble(a, "")
}

// disassemble ends a segmented record, with what is missing of it if anything.
func (c *Committer) disassemble(a *assembly, missing string) error {
	if a.closed {
		return nil
	}
	a.closed = true
	x := a.exchange
	d := draft{record: &a.origin, exchange: x}
	if missing != "" {
		action := "none: nothing but its head is needed"
		if x != nil {
			action = "body cut"
			x.Flags |= facts.FlagBodyCut
		}
		d.note(words.IssueMissingSegment, action, "%s", missing)
	}
	if x != nil {
		c.segments.held -= len(a.raw)
		if err := c.finishAssembled(a, &d); err != nil {
			return err
		}
	}
	for _, i := range d.issues {
		i.Length = a.length
		if err := c.Report(i); err != nil {
			return err
		}
	}
	facts.Sum(&c.Stats.Digests, &d.digestStats)
	if a.held {
		return c.emitOne(x)
	}
	return nil
}

func (c *Committer) finishAssembled(a *assembly, d *draft) error {
	x, before := a.exchange, a.exchange.size()
	if x.Flags&facts.FlagBodyCut == 0 && len(a.raw) <= httpmsg.MaxBody {
		d.digests = &digestCheck{payload: d.parseDigest("WARC-Payload-Digest", a.origin.PayloadDigest)}
		decoded := d.decoded // of its own record
		if err := d.checkPayload(&a.head, bytes.NewReader(a.raw)); err != nil {
			return err
		}
		d.decoded = decoded
	}
	x.decode(d, &a.head, a.raw)
	a.raw = nil
	if c.pairing.pending[x.index] == x {
		c.pairing.waiting += x.size() - before
	}
	return nil
}
