package evidence

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/facts/run"
)

// placed is a record to be copied, by its place.
type placed struct {
	Entry     string
	Index     int64
	Offset    int64
	Nth       int64
	Streamed  bool
	Resynced  bool
	Forgeable bool
	Request   int64
	Metadata  int64
	Warcinfo  int64
	Continues int64
}

var placedRuns = run.Spec[placed]{
	Name:    "placed",
	Compare: func(a, b *placed) int { return cmp.Or(cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Index, b.Index)) },
	Bucket:  func(*placed) int { return 0 },
}

func (p *placed) place() ingest.Place {
	return ingest.Place{Index: p.Index, Offset: p.Offset, Nth: p.Nth, Streamed: p.Streamed, Resynced: p.Resynced}
}

// numbered is a record that a finding cites, by its number in the bundle; 0: it could not be
// had.
type numbered struct {
	Violation int64
	Order     int32
	Role      string
	Number    int64
}

var numberedRuns = run.Spec[numbered]{
	Name: "numbered",
	Compare: func(a, b *numbered) int {
		return cmp.Or(cmp.Compare(a.Violation, b.Violation), cmp.Compare(a.Order, b.Order))
	},
	Bucket: func(*numbered) int { return 0 },
}

// gatherer copies the records that are cited out of their archives.
type gatherer struct {
	*collector
	tmp      string
	paths    map[int32]facts.Input // where inputs are now
	copier   *copier
	records  *bufio.Writer // lines of the manifest
	archives []archive
	number   int64  // of the last record
	unproven bitmap // violations with a record that could not be had
	numbered *run.Sorter[numbered]
	cite     func() (*cited, error, bool)
	next     *cited // the first citation that has no number yet; nil: none is left
}

// gather copies all records cited, archive by archive.
func (g *gatherer) gather(ctx context.Context) error {
	cite, stop := iter.Pull2(g.cited.Sorted(ctx))
	defer stop()
	g.cite = cite
	if err := g.advance(); err != nil {
		return err
	}
	keys := slices.SortedFunc(maps.Keys(g.wanted), archiveKey.compare)
	for len(keys) > 0 {
		n := slices.IndexFunc(keys, func(k archiveKey) bool { return k.input != keys[0].input })
		if n < 0 {
			n = len(keys)
		}
		if err := cmp.Or(ctx.Err(), g.gatherInput(ctx, keys[:n])); err != nil {
			return err
		}
		keys = keys[n:]
	}
	g.copier.end()
	return g.copier.out.Flush()
}

// advance goes on to the next citation.
func (g *gatherer) advance() error {
	row, err, ok := g.cite()
	if err != nil {
		return err
	}
	g.next = nil
	if ok {
		c := *row
		g.next = &c
	}
	return nil
}

// gatherInput copies the cited records of an input.
func (g *gatherer) gatherInput(ctx context.Context, keys []archiveKey) error {
	input := keys[0].input
	in := &g.inputs[input]
	found := run.NewSorter(g.tmp, placedRuns)
	p := pairing{keys: make(map[string]*bitmap), found: found, told: make(map[string]*bitmap)}
	for _, k := range keys {
		p.keys[k.entry], p.told[k.entry] = g.wanted[k], new(bitmap)
	}
	var failed error
	result, err := ingest.Pair(ctx, g.paths[input], func(f *facts.Fetch, c *ingest.Companions) error {
		failed = p.pair(f, c)
		return failed
	})
	switch {
	case failed != nil, ctx.Err() != nil:
		return cmp.Or(failed, ctx.Err())
	case err != nil:
		g.missing[input] = fmt.Sprintf("cannot be read (%v)", err)
	case result.Fingerprint != in.Fingerprint:
		g.missing[input] = "its content is not what it was when it was audited"
	}
	if _, gone := g.missing[input]; gone {
		return g.give(archiveKey{input + 1, ""}, 0, 0)
	}
	next, stop := iter.Pull2(found.Sorted(ctx))
	defer stop()
	row, err, ok := next()
	for _, key := range keys {
		a, openErr := openSource(ctx, g.paths[input], key.entry, g.tmp, g.logs[key])
		if openErr != nil {
			return openErr
		}
		before := g.number
		g.begin(key, a)
		if g.logs[key] {
			err = cmp.Or(err, g.gatherLog(key, a))
		}
		for ok && err == nil && row.Entry == key.entry {
			if err = g.gatherRecord(key, row); err == nil {
				row, err, ok = next()
			}
		}
		if err = errors.Join(err, a.Close()); err != nil {
			return err
		}
		if g.number == before { // nothing was found again
			g.archives = g.archives[:len(g.archives)-1]
		}
		if err := g.give(archiveKey{key.input, key.entry + "\x00"}, 0, 0); err != nil {
			return err
		}
	}
	return err
}

// begin goes on to another archive.
func (g *gatherer) begin(key archiveKey, a *source) {
	in := &g.inputs[key.input]
	form := formWARC
	switch {
	case g.logs[key]:
		form = formLog
	case !a.form.IsWARC():
		form = formARC
	}
	made := archive{
		Name: in.Name, Entry: key.entry, Form: form, Container: in.Container, Size: in.Size,
		Fingerprint: in.Fingerprint,
	}
	for _, r := range in.Runs {
		if r.Entry == key.entry && r.Unordered && !slices.Contains(made.Unordered, r.ID) {
			made.Unordered = append(made.Unordered, r.ID)
		}
	}
	g.archives = append(g.archives, made)
	g.copier.begin(a)
}

// give gives a number to the citations of a record, and 0 to the citations of earlier records,
// which could not be had.
func (g *gatherer) give(key archiveKey, index, number int64) error {
	for g.next != nil {
		order := cmp.Or(g.next.archive().compare(key), cmp.Compare(g.next.Index, index))
		if order > 0 || order == 0 && number == 0 {
			return nil
		}
		n := numbered{Violation: g.next.Violation, Order: g.next.Order, Role: g.next.Role}
		if order == 0 {
			n.Number = number
		} else if g.unproven.add(g.next.Violation) {
			g.affected[g.next.Input]++
		}
		if err := cmp.Or(g.numbered.Add(n), g.advance()); err != nil {
			return err
		}
	}
	return nil
}

// gatherRecord copies a record.
func (g *gatherer) gatherRecord(key archiveKey, p *placed) error {
	r := record{
		Number: g.number + 1, Archive: len(g.archives) - 1, Index: p.Index, Resynced: p.Resynced,
		Request: p.Request, Metadata: p.Metadata, Warcinfo: p.Warcinfo, Continues: p.Continues,
	}
	a := &g.archives[r.Archive]
	a.Forgeable = a.Forgeable || p.Forgeable
	err := g.copier.copy(p.place(), &r)
	if err == errNoRecord { // what cites it is left out
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: the record at %d: %w", a.place(), p.Offset, err)
	}
	return g.addRecord(key, &r)
}

// addRecord writes a record's line of the manifest.
func (g *gatherer) addRecord(key archiveKey, r *record) error {
	g.number++
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := g.records.Write(append(line, '\n')); err != nil {
		return err
	}
	return g.give(key, r.Index, r.Number)
}

// gatherLog copies the lines of a log that the citations name.
func (g *gatherer) gatherLog(key archiveKey, a *source) error {
	text, err := a.text()
	if err != nil {
		return err
	}
	from := int64(0)
	for g.next != nil && g.next.archive() == key {
		offset, length := g.next.Index, g.next.Length
		if _, err := io.CopyN(io.Discard, text, offset-from); err != nil {
			return err
		}
		r := record{
			Number: g.number + 1, Archive: len(g.archives) - 1, Index: offset, Offset: offset, Length: length,
			Type: facts.TypeLogLine.String(),
		}
		if err := g.copier.wrap(&r, length, io.LimitReader(text, length)); err != nil {
			return err
		}
		from = offset + length
		if err := g.addRecord(key, &r); err != nil {
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
}

func (p *pairing) pair(f *facts.Fetch, c *ingest.Companions) error {
	cited := p.keys[f.Entry]
	if cited == nil || !cited.has(f.Index) {
		return nil
	}
	own := c.Own
	for _, other := range append([]ingest.Place{c.Request, c.Metadata, c.Warcinfo}, c.Segments...) {
		row := placed{}
		if other.Index > own.Index && slices.Contains(c.Segments, other) {
			row.Continues = own.Index
		}
		if err := p.add(f.Entry, other, row); err != nil {
			return err
		}
	}
	return p.add(f.Entry, own, placed{Request: c.Request.Index, Metadata: c.Metadata.Index, Warcinfo: c.Warcinfo.Index})
}

// add adds a record once.
func (p *pairing) add(entry string, at ingest.Place, row placed) error {
	if at.Index == 0 || !p.told[entry].add(at.Index) {
		return nil
	}
	row.Entry, row.Index, row.Offset, row.Nth, row.Streamed = entry, at.Index, at.Offset, at.Nth, at.Streamed
	row.Resynced, row.Forgeable = at.Resynced, at.Forgeable
	return p.found.Add(row)
}
