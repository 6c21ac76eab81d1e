package verify

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/digest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/reading"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/records"
	"github.com/robotsaudit/robotsaudit/internal/rowreading"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

const (
	besideBytes = 16 << 10 // read before and after a record, for its request
	guessBytes  = 64 << 10 // read of a record whose length the index does not state
	windowBytes = 4 << 20  // read of a record at once, at most
)

// find looks for the record of a row. An error is one of reading the archive.
func (a *namedArchive) find(row *facts.Fetch) (finding, error) {
	from := max(row.Offset-besideBytes, 0)
	length := row.Length
	if length <= 0 {
		length = guessBytes
	}
	size := row.Offset - from + min(length, windowBytes) + besideBytes
	w, err := a.window(from, size)
	if err != nil {
		return finding{}, err
	}
	s := &section{Until: a.Until, windows: [2]window{w, a.head}}
	t, err := a.take(s, row, "")
	if err == nil && t.begun && t.refuted != "" && !w.last { // it may go on after the window
		s.more = a
		t, err = a.take(s, row, "")
	}
	if err == nil && t.refuted == "" && !sameWords(row.PayloadDigest, t.record.PayloadDigest) && hasPayload(&t.record) {
		var other taking
		if other, err = a.take(s, row, row.PayloadDigest); err == nil && other.mismatched > 0 && other.matched == 0 {
			t.refuted = fmt.Sprintf("the record there has the digest %s, the row %s, and its payload does not match that", cmp.Or(t.record.PayloadDigest, "none"), row.PayloadDigest)
		}
	}
	return t.finding, err
}

// sameWords reports whether the digest of a row is none, or that of its record's header.
func sameWords(row, record string) bool {
	return row == "" || !digest.OfIndex(row).Known() || digest.Same(row, record)
}

// hasPayload reports whether a digest of a record can be that of its payload. A revisit has that of
// another; that of an ARC record is its maker's affair.
func hasPayload(f *facts.Fetch) bool {
	return f.Type == facts.TypeResponse || f.Type == facts.TypeResource
}

// taking is what is taken of the record of a row, and of the adjacent records that belong to it.
type taking struct {
	finding
	begun               bool  // some record begins there
	matched, mismatched int64 // payload digests
}

// take reads what stands at the place of a row. want, unless it is "", is the digest that the payload must have,
// in place of the record's own.
func (a *namedArchive) take(s *section, row *facts.Fetch, want string) (t taking, err error) {
	var got taken
	c := reading.NewCommitter(facts.NewAccount(row.Input, row.Entry, &got),
		reading.Options{Verify: true, Paired: got.pair})
	if a.infoID != "" {
		c.Know(a.infoID, a.info)
	}
	r := records.In(s, s.Until, a.Form)
	defer r.Close()
	var heads []head
	rec, err := r.Find(reading.Place{Offset: row.Offset})
	for err == nil && rec.Offset == row.Offset && len(heads) < maxAtPlace {
		t.begun = true
		heads = append(heads, headOf(rec))
		if want != "" {
			rec.PayloadDigest = digest.Labelled(want)
		}
		if err = c.Take(r, rec); err == nil {
			rec, err = r.Next()
		}
	}
	var damage *warc.Damage
	switch {
	case input.IsReadError(err):
		return t, err
	case len(heads) == 0:
		t.refuted = "no record begins there"
		return t, nil
	case errors.As(err, &damage) && damage.Offset <= row.Offset:
		t.refuted = "the record there is damaged: " + damage.Error()
		return t, nil
	}
	if want == "" {
		b := beside{archive: a, section: s, committer: c, heads: heads, offset: row.Offset}
		if err := b.takeRequest(r, rec, err); err != nil {
			return t, err
		}
	}
	if err := c.Finish(); err != nil {
		return t, err
	}
	digests := c.Stats.Digests
	t.matched, t.mismatched = digests.Stored+digests.Dechunked+digests.Decoded, digests.Mismatched
	t.finding = got.settle(row, heads)
	if a.binds(heads, t.record.RecordID) {
		t.runID = a.infoID
	} else {
		t.record.Flags |= facts.FlagUnbound
	}
	return t, nil
}

// binds reports whether a record names the warcinfo that the archive begins with. No page can know that
// id, so such a record is none that a page holds, though an index that lies names it.
func (a *namedArchive) binds(heads []head, id recordid.ID) bool {
	return a.infoID != "" &&
		slices.ContainsFunc(heads, func(h head) bool { return h.id == id && h.warcinfo == a.infoID })
}

// head is what is known of a record before its block is read.
type head struct {
	kind         string
	id           recordid.ID
	target       string
	warcinfo     recordid.ID
	concurrentTo []recordid.ID
}

func headOf(r *warc.Record) head {
	return head{r.Type, r.ID, r.Target, r.WarcinfoID, r.ConcurrentTo}
}

// names reports whether WARC-Concurrent-To joins two records.
func (h *head) names(other *head) bool {
	return other.id != "" && slices.Contains(h.concurrentTo, other.id.Key()) || h.id != "" &&
		slices.Contains(other.concurrentTo, h.id.Key())
}

// beside finds the request and the metadata of records at a place, among the adjacent records.
type beside struct {
	archive   *namedArchive
	section   *section
	committer *reading.Committer
	heads     []head
	offset    int64
}

// belongs reports whether a request is one of the records at the place: byID because one names the
// other, else because it is of their URL and nothing names anything.
func (b *beside) belongs(q *head) (byID, byURL bool) {
	for i := range b.heads {
		h := &b.heads[i]
		switch {
		case h.kind == "request" || h.kind == "metadata":
		case h.names(q):
			return true, false
		case len(h.concurrentTo)+len(q.concurrentTo) == 0 && h.target == q.target:
			byURL = true
		}
	}
	return false, byURL
}

// takeRequest goes on after the records at the place, where rec or err is what r returned last.
func (b *beside) takeRequest(r warc.Reader, rec *warc.Record, err error) error {
	requested := slices.ContainsFunc(b.heads, func(h head) bool { return h.kind == "request" })
	looked := false
	before := func() error {
		if requested || looked {
			return nil
		}
		looked = true
		found, err := b.takeBefore()
		requested = found
		return err
	}
	for n := 0; err == nil && n < maxBeside && (rec.Type == "request" || rec.Type == "metadata"); n++ {
		h := headOf(rec)
		byID, byURL := b.belongs(&h)
		if rec.Type == "request" && byURL && !byID { // it may be the request of the record after it
			if err := before(); err != nil {
				return err
			}
			byURL = !requested && b.archive.Form.Container != warc.ContainerPlain
		}
		switch {
		case byID || byURL:
			if err = b.committer.Take(r, rec); err == nil && rec.Type == "request" {
				requested = true
			}
		default:
			_, err = r.Finish()
		}
		if err == nil {
			rec, err = r.Next()
		}
	}
	if readErr := readFailure(err); readErr != nil {
		return readErr
	}
	return before()
}

// takeBefore looks for the request right before the place: a record that ends where the place begins.
// What precedes it in a file that is not compressed may be a page's content, so it has to be named.
func (b *beside) takeBefore() (found bool, err error) {
	var magic []byte
	switch b.archive.Form.Container {
	case warc.ContainerPlain:
		magic = []byte("WARC/")
	case warc.ContainerMembers, warc.ContainerGzip:
		magic = []byte{0x1f, 0x8b, 8}
	default: // zstd frames without a checksum prove no boundary
		magic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	}
	w := &b.section.windows[0]
	at := b.offset
	for range maxTries {
		if at = w.lastBefore(magic, at); at < 0 {
			return false, nil
		}
		if found, ends, err := b.takeAt(at); found || ends || err != nil { // another record may end there
			return found, err
		}
	}
	return false, nil
}

// takeAt takes the record that begins at an offset, if it ends at the place, as ends reports, and is its request.
func (b *beside) takeAt(offset int64) (found, ends bool, err error) {
	r := records.In(b.section, b.section.Until, b.archive.Form)
	defer r.Close()
	at := reading.Place{Offset: offset}
	rec, err := r.Find(at)
	if err != nil {
		return false, false, readFailure(err)
	}
	h := headOf(rec)
	if _, err = r.Finish(); err == nil {
		rec, err = r.Next()
	}
	if err != nil || rec.Offset != b.offset {
		return false, false, readFailure(err)
	}
	byID, byURL := b.belongs(&h)
	isProof := r.Form.Container == warc.ContainerMembers || r.Form.Container == warc.ContainerGzip
	if h.kind != "request" || !byID && !(byURL && isProof) {
		return false, true, nil
	}
	if rec, err = r.Find(at); err == nil {
		err = b.committer.Take(r, rec)
	}
	return err == nil, true, readFailure(err)
}

// taken is a sink for the fetches at a place. Captures are none: robots.txt is never disallowed.
type taken struct {
	facts.Discard
	fetches   []facts.Fetch
	requested []bool // its request was found
	next      bool   // of the fetch that comes next
	issues    []facts.Issue
}

func (t *taken) pair(_ *facts.Fetch, c *reading.Companions) error {
	t.next = c.Request.Index > 0
	return nil
}

func (t *taken) Fetch(f *facts.Fetch) error {
	t.fetches, t.requested = append(t.fetches, *f), append(t.requested, t.next)
	return nil
}

func (t *taken) Issue(i facts.Issue) error {
	t.issues = append(t.issues, i)
	return nil
}

// settle finds the record of a row among the records at a place.
func (t *taken) settle(row *facts.Fetch, heads []head) (f finding) {
	for i := range t.fetches {
		got := &t.fetches[i]
		if got.Offset != row.Offset {
			continue
		}
		difference := differenceOf(row, got)
		if difference == "" {
			f = finding{record: *got}
			f.complete(row, t.requested[i])
			f.issues = t.issuesOf(&f.record)
			return f
		}
		f.refuted = cmp.Or(f.refuted, "the record there "+difference)
	}
	if f.refuted == "" {
		f.refuted = fmt.Sprintf("the record there is no fetch: its type is %q", facts.AtMost(heads[0].kind, rowreading.MaxWord))
	}
	return f
}

// complete makes of the facts of a record the facts of its row.
func (f *finding) complete(row *facts.Fetch, requested bool) {
	r := &f.record
	r.Input, r.Entry, r.Archive, r.Index, r.Trust = row.Input, row.Entry, row.Archive, row.Index, facts.TrustVerified
	r.Flags &^= facts.FlagBodyKept
	r.Languages = cmp.Or(r.Languages, row.Languages) // mostly of a metadata record, which was not read
	if requested {
		return
	}
	r.Flags |= facts.FlagRequestUnread
	r.Method = row.Method // nothing shows that it was GET
	if r.UserAgent == "" {
		r.UserAgent, r.UserAgentSource = row.UserAgent, row.UserAgentSource
	}
}

// issuesOf are the issues of a record, as issues of the index that names it.
func (t *taken) issuesOf(f *facts.Fetch) (issues []facts.Issue) {
	for _, i := range t.issues {
		if i.Offset != f.Offset || i.RecordID != f.RecordID {
			continue
		}
		i.Input, i.Entry, i.Offset = f.Input, f.Entry, -1
		i.Detail = fmt.Sprintf("at %d of %.300s: %s", f.Offset, f.Archive, i.Detail)
		issues = append(issues, i)
	}
	return issues
}

// differenceOf describes how a record differs from a row; "": not at all. Rows and records that
// do not differ are one fetch to facts.Reader.
func differenceOf(row, record *facts.Fetch) string {
	second := func(f *facts.Fetch) int64 { return f.Time().Truncate(facts.PrecisionSecond).Micros }
	switch {
	case row.Origin != record.Origin || !weburl.SameInIndex(row.URL, record.URL):
		return fmt.Sprintf("is of %.300q, not of %.300q", record.URL, row.URL)
	case !record.Time().Known() || second(row) != second(record):
		return fmt.Sprintf("is of %s, not of %s", timeText(record), timeText(row))
	case row.Status >= 0 && row.Status != record.Status:
		return fmt.Sprintf("has the status %d, not %d", record.Status, row.Status)
	case row.RecordID != "" && !row.RecordID.Is(record.RecordID):
		return "has another WARC-Record-ID"
	}
	return ""
}

func timeText(f *facts.Fetch) string {
	if t := f.Time(); t.Known() {
		return t.UTC().Format(time.RFC3339)
	}
	return "no known date"
}
