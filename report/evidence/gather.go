package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/reading"
	"github.com/robotsaudit/robotsaudit/internal/records"
)

// placed is a record to be copied, by its place.
type placed struct {
	Entry string
	reading.Place
	Length int64 // of a line of a log
	Clock  int64 // record.Clock
	companions
}

var placedRuns = run.Spec[placed]{
	Name:    "placed",
	Compare: func(a, b *placed) int { return cmp.Or(cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Index, b.Index)) },
	Bucket:  func(*placed) int { return 0 },
}

// gather copies all records cited, archive by archive.
func (w *writer) gather(ctx context.Context) error {
	w.copier.newest = warcDate(w.newest)
	byInput := make(map[int32][]*citedArchive)
	for _, a := range w.archives {
		if a.wanted != nil || a.lines != nil {
			byInput[a.input] = append(byInput[a.input], a)
		}
	}
	input := int32(-1)
	for result, err := range w.set.Results(ctx) {
		if input++; err == nil && byInput[input] != nil {
			result.Input = w.inputs[input]
			err = w.gatherInput(ctx, input, result, byInput[input])
		}
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return err
		}
	}
	return nil
}

// gatherInput copies the cited records of an input.
func (w *writer) gatherInput(ctx context.Context, input int32, in *facts.InputResult,
	archives []*citedArchive,
) error {
	slices.SortFunc(archives, func(a, b *citedArchive) int { return cmp.Compare(a.entry, b.entry) })
	found := run.NewSorter(w.tmp, placedRuns)
	p := pairing{
		keys: make(map[string]*bitmap), found: found, told: make(map[string]*bitmap), nameless: make(map[runOf]bool),
		clocks: make(map[runOf][]facts.Clock),
	}
	for i := range in.Runs {
		p.clocks[runOf{in.Runs[i].Entry, in.Runs[i].Number}] = in.Runs[i].Clocks
	}
	for _, a := range archives {
		p.keys[a.entry], p.told[a.entry] = &a.wanted, new(bitmap)
	}
	var failed error
	result, err := reading.Pair(ctx, in.Input, func(f *facts.Fetch, c *reading.Companions) error {
		failed = p.pair(f, c)
		return failed
	})
	switch {
	case failed != nil, ctx.Err() != nil:
		return cmp.Or(failed, ctx.Err())
	case err != nil:
		w.missing[input] = fmt.Sprintf("cannot be read (%v)", err)
	case result.Fingerprint != in.Fingerprint:
		w.missing[input] = "its content is not what it was when it was audited"
	}
	if _, gone := w.missing[input]; gone {
		return nil
	}
	next, stop := iter.Pull2(found.Sorted(ctx))
	defer stop()
	row, err, ok := next()
	for _, a := range archives {
		from, openErr := records.Open(ctx, in.Input, a.entry, w.tmp)
		if openErr != nil {
			return openErr
		}
		if err := from.Sniff(); err != nil {
			return errors.Join(err, from.Close())
		}
		before := w.positions.count
		form := formWARC
		switch {
		case a.isLog:
			form = formLog
		case !from.Form.IsWARC():
			form = formARC
		}
		made := archive{
			Name: in.Name, Entry: a.entry, Form: form, Container: in.Container, Size: in.Size,
			Fingerprint: in.Fingerprint,
		}
		for _, r := range in.Runs {
			if r.Entry == a.entry && r.Unordered && !slices.Contains(made.Unordered, r.ID.String()) {
				made.Unordered = append(made.Unordered, r.ID.String())
			}
			if p.nameless[runOf{a.entry, r.Number}] {
				if made.Voices == nil {
					made.Voices = make(map[string][]facts.Voice)
				}
				made.Voices[r.ID.String()] = r.Voices
			}
		}
		a.number = int64(len(w.copied))
		w.copied = append(w.copied, made)
		w.copier.archive = from
		if a.lines != nil {
			err = cmp.Or(err, w.gatherLog(ctx, a, from))
		}
		for ok && err == nil && row.Entry == a.entry {
			if err = w.gatherRecord(row); err == nil {
				row, err, ok = next()
			}
		}
		if err = errors.Join(err, from.Close()); err != nil {
			return err
		}
		if w.positions.count == before { // nothing was found again
			w.copied = w.copied[:len(w.copied)-1]
			a.number = -1
		}
	}
	return err
}

// gatherRecord copies a record.
func (w *writer) gatherRecord(p *placed) error {
	r := record{
		Archive: len(w.copied) - 1, Index: p.Index, Resynced: p.Resynced, Clock: p.Clock,
		companions: p.companions,
	}
	a := &w.copied[r.Archive]
	a.Forgeable = a.Forgeable || p.Forgeable
	err := w.copier.copy(p.Place, &r)
	if records.IsMissing(err) { // what cites it is left out
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: the record at %d: %w", a.place(), p.Offset, err)
	}
	return w.addRecord(&r)
}

// addRecord writes a record's line of the manifest.
func (w *writer) addRecord(r *record) error {
	r.Number = w.positions.count + 1
	return cmp.Or(w.positions.add(position{Archive: int64(r.Archive), Index: r.Index}), writeLine(w.records, r))
}

// gatherLog copies the lines of a log that are cited.
func (w *writer) gatherLog(ctx context.Context, a *citedArchive, log *records.Archive) error {
	text, err := log.Log()
	if err != nil {
		return err
	}
	from, last := int64(0), int64(-1)
	for line, err := range a.lines.Sorted(ctx) {
		if err != nil {
			return err
		}
		if line.Index == last {
			continue
		}
		last = line.Index
		if _, err := io.CopyN(io.Discard, text, line.Index-from); err != nil {
			return err
		}
		r := record{
			Archive: len(w.copied) - 1, Index: line.Index, Offset: line.Index, Length: line.Length,
			Type: facts.TypeLogLine.String(),
		}
		if err := w.copier.wrap(&r, line.Length, io.LimitReader(text, line.Length)); err != nil {
			return err
		}
		from = line.Index + line.Length
		if err := w.addRecord(&r); err != nil {
			return err
		}
	}
	return nil
}

// pairing finds the places of the records of an input that are cited, and of those that
// belong to them.
type pairing struct {
	keys  map[string]*bitmap // cited, by entry
	told  map[string]*bitmap // found
	found *run.Sorter[placed]

	clocks   map[runOf][]facts.Clock
	nameless map[runOf]bool // those with a cited record without a User-Agent; nil: nobody asks
}

// runOf is a run of a crawler in an entry.
type runOf struct {
	entry  string
	number int32
}

func (p *pairing) pair(f *facts.Fetch, c *reading.Companions) error {
	cited := p.keys[f.Entry]
	if cited == nil || !cited.has(f.Index) {
		return nil
	}
	if f.UserAgent == "" && f.Run != 0 && p.nameless != nil {
		p.nameless[runOf{f.Entry, f.Run}] = true
	}
	own := c.Own
	for _, other := range append([]reading.Place{c.Request, c.Second, c.Metadata, c.Warcinfo}, c.Segments...) {
		var with companions
		if other.Index > own.Index && slices.Contains(c.Segments, other) {
			with.Continues = own.Index
		}
		if err := p.add(placed{Entry: f.Entry, Place: other, companions: with}); err != nil {
			return err
		}
	}
	clock := facts.ClockAt(p.clocks[runOf{f.Entry, f.Run}], f.Index)
	return p.add(placed{Entry: f.Entry, Place: own, Clock: clock, companions: companions{
		Request: c.Request.Index, Second: c.Second.Index, Metadata: c.Metadata.Index, Warcinfo: c.Warcinfo.Index,
	}})
}

// add adds a record once.
func (p *pairing) add(x placed) error {
	if x.Index == 0 || !p.told[x.Entry].add(x.Index) {
		return nil
	}
	return p.found.Add(x)
}
