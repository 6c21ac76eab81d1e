package ingest

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/digest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/warc"
)

// A WACZ (https://specs.webrecorder.net/wacz/1.1.1/) is a zip file of web archives
// and what belongs to them. Each archive in it is read as one of its own; rows
// name the entry, and offsets are within it, as in the indexes of a WACZ.
//
// Which entries are archives is told by their content. In the folder archive/
// there should be nothing else.
const waczArchives = "archive/"

// waczSkipped is where Browsertrix lists the pages that it did not fetch, robots.txt
// among the reasons.
const waczSkipped = "reports/skippedPages.jsonl"

// waczReader reads the archives in a zip file.
type waczReader struct {
	warc.Chain
	committer *committer // of what concerns the file as a whole
	out       sink
	opt       *readOptions
	src       warc.Source // of the entry in hand; its buffer is reused
	pages     *pageList
	archives  int
}

// readWACZ reads a zip file.
func readWACZ(in facts.Input, at io.ReaderAt, size int64, index int32, out sink, opt *readOptions) (facts.InputResult, error) {
	r := &waczReader{committer: newCommitter(index, "", out), out: out, opt: opt, src: *warc.NewSource(nil, nil)}
	result := facts.InputResult{Input: in, Container: warc.ContainerZip.String()}
	list, err := openZip(at, size)
	switch {
	case err != nil:
		return result, err
	case list.fault != "" && len(list.entries) == 0:
		result.Refusal = fmt.Sprintf("the zip file cannot be read (%s); fetch it again", list.fault)
		err = r.committer.report(facts.Issue{Offset: -1, Length: size, Kind: facts.IssueDamagedStream, Detail: result.Refusal, Action: "not read"})
	default:
		if err = r.readListing(&list, size); err == nil && r.archives == 0 {
			result.Refusal = "the zip file holds no archive; leave it out"
			err = r.committer.report(facts.Issue{Offset: -1, Length: size, Kind: facts.IssueNotAnArchive, Detail: result.Refusal, Action: "not read"})
		}
	}
	result.InputStats = r.committer.stats
	result.Fingerprint = fmt.Sprintf("%016x", r.Sum)
	return result, err
}

// readListing reads what a zip file holds.
func (r *waczReader) readListing(list *zipListing, size int64) error {
	if list.fault != "" {
		err := r.committer.report(facts.Issue{Offset: list.end, Length: size - list.end, Kind: facts.IssueDamagedStream, Action: "the entries before it read one after the other",
			Detail: list.fault + "; without it entries may be missing"})
		if err != nil {
			return err
		}
	}
	if r.opt.verify {
		if err := r.verifyPackage(list.entries); err != nil {
			return err
		}
	}
	if err := r.readPageLists(list.entries); err != nil {
		return err
	}
	return r.readEntries(list.entries)
}

func (r *waczReader) readEntries(entries []zipEntry) error {
	for _, e := range entries {
		var err error
		if e.problem != "" {
			err = r.report(&e, facts.IssueBadEntry, e.problem, "not read")
		} else {
			err = r.readEntry(&e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// waczPackage lists the entries of a WACZ with their digests.
const waczPackage = "datapackage.json"

// verifyPackage compares the digests that datapackage.json gives of entries with
// what they hold.
func (r *waczReader) verifyPackage(entries []zipEntry) error {
	at := slices.IndexFunc(entries, func(e zipEntry) bool { return e.Name == waczPackage && e.problem == "" })
	if at < 0 {
		return nil
	}
	digests, err := packageDigests(&entries[at])
	switch {
	case warc.IsReadError(err):
		return err
	case err != nil:
		return r.report(&entries[at], facts.IssueUnknownDigest, fmt.Sprintf("the digests of entries cannot be read (%v)", err), "not verified")
	}
	for i := range entries {
		if err := r.verifyEntry(&entries[i], digests[entries[i].Name]); err != nil {
			return err
		}
	}
	return nil
}

func (r *waczReader) verifyEntry(e *zipEntry, field string) error {
	d, err := digest.Parse(field)
	if err != nil {
		r.committer.stats.Digests.Unknown++
		return r.report(e, facts.IssueUnknownDigest, fmt.Sprintf("%s in %s: %v", cut(field, 150), waczPackage, err), "not verified")
	}
	if !d.Known() || e.problem != "" {
		return nil
	}
	content := e.open()
	h := d.NewHash()
	if _, err := io.Copy(h, content); err != nil {
		return err
	}
	if d.Matches(h) {
		return nil
	}
	r.committer.stats.Digests.Mismatched++
	return r.report(e, facts.IssueDigestMismatch, fmt.Sprintf("%s says %s, the entry has %s", waczPackage, field, d.Text(h)), "kept")
}

// packageDigests reads the digests by entry, in the form of WACZ 1.1, "hash", or in
// that of 1.0, "stats" and "hashing".
func packageDigests(e *zipEntry) (map[string]string, error) {
	content := e.open()
	var p struct {
		Resources []struct {
			Path, Hash, Hashing string
			Stats               struct{ Hash string }
		}
	}
	if err := json.NewDecoder(io.LimitReader(warc.MarkFailures(content), maxPackage)).Decode(&p); err != nil {
		return nil, err
	}
	digests := make(map[string]string)
	for _, x := range p.Resources {
		digests[x.Path] = x.Hash
		if x.Hash == "" && x.Stats.Hash != "" {
			digests[x.Path] = x.Hashing + ":" + x.Stats.Hash
		}
	}
	return digests, nil
}

func (r *waczReader) report(e *zipEntry, kind facts.IssueKind, detail, action string) error {
	r.committer.entry = e.name()
	defer func() { r.committer.entry = "" }()
	return r.committer.report(facts.Issue{Offset: -1, Length: e.unpacked(), Kind: kind, Detail: detail, Action: action})
}

// readEntry reads an entry to its end, if it is an archive.
func (r *waczReader) readEntry(e *zipEntry) error {
	content := e.open()
	var progress func(int)
	if e.Method == zip.Store {
		progress = r.opt.progress
	}
	r.src.Reset(content, progress)
	src := &r.src
	if e.Name == waczSkipped {
		return r.readVerifiedLog(e, parseSkippedPage, src, content)
	}
	form := warc.Sniff(src, isCrawlLog)
	if err := src.Failed(); err != nil {
		return err
	}
	kind := issueKinds[form.Kind]
	if form.Container == warc.ContainerZip {
		kind, form.Refusal = facts.IssueUnsupportedContainer, "a zip file in a zip file; unpack it and give what is inside"
	}
	if !form.Readable() && content.err != nil {
		kind, form.Refusal = facts.IssueBadEntry, content.err.Error()
	}
	if !form.Readable() {
		if form.Container != warc.ContainerZip && !strings.HasPrefix(e.Name, waczArchives) {
			return nil
		}
		return r.report(e, kind, form.Refusal, "not read")
	}
	if form.Container == warc.ContainerForeign {
		return r.readVerifiedLog(e, parseCrawlLog, src, content)
	}
	r.archives++
	var doubt bool
	if form.Container == warc.ContainerPlain {
		fault, err := e.fault()
		switch {
		case err != nil:
			return err
		case fault != nil && e.Method == zip.Deflate:
			return r.report(e, facts.IssueBadEntry, fault.Error()+"; nothing else proves the headers of its records", "not read")
		}
		doubt = fault != nil
	}
	if err := r.readArchive(e, form, src, doubt); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, src); err != nil {
		return err
	}
	return r.verifyEnd(e, content, "the records in it were read by their own marks")
}

// readArchive reads the records of an entry, with the lower trust if there is doubt.
func (r *waczReader) readArchive(e *zipEntry, form warc.Form, src *warc.Source, doubt bool) error {
	reader, err := form.Records(src, e.at())
	if err != nil {
		return err
	}
	if doubt {
		reader = doubted{reader}
	}
	c := newCommitter(r.committer.input, e.name(), r.out)
	c.verify, c.paired, c.pages = r.opt.verify, r.opt.paired, r.pages
	size := int64(-1)
	if form.Addressable() {
		size = e.unpacked()
	}
	if err := c.readInput(reader, size); err != nil {
		return err
	}
	r.Add(fmt.Appendf(nil, "%q %016x", e.Name, reader.Fingerprint()))
	r.committer.stats.Add(&c.stats)
	return nil
}

// doubted reads records whose headers may be damaged: they stand in an entry as they are,
// and that does not match its checksum.
type doubted struct{ warc.Reader }

func (d doubted) Next() (*warc.Record, error) {
	rec, err := d.Reader.Next()
	if rec != nil {
		rec.Resynced = true
	}
	return rec, err
}

// readVerifiedLog reads a crawler's log if the entry is whole: one wrong letter in a line
// says of another host that it could not be reached.
func (r *waczReader) readVerifiedLog(e *zipEntry, parse lineParser, src io.Reader, content *entryReader) error {
	fault, err := e.fault()
	switch {
	case err != nil:
		return err
	case fault != nil:
		return r.report(e, facts.IssueBadEntry, fault.Error(), "not read")
	}
	if err := r.readLog(e, parse, src); err != nil {
		return err
	}
	return r.verifyEnd(e, content, "the lines before it were read")
}

// readLog reads the lines of an entry.
func (r *waczReader) readLog(e *zipEntry, parse lineParser, src io.Reader) error {
	c := newCommitter(r.committer.input, e.name(), r.out)
	if err := c.readLog(parse, src); err != nil {
		return err
	}
	r.committer.stats.Add(&c.stats)
	return nil
}

// inflatedAt reads a deflated entry at random, by inflating what is before. It
// remembers what it read last, since readers go forward but for what they had read
// ahead. After maxRewinds starts from the front it is at its end.
type inflatedAt struct {
	open    func() *entryReader
	r       *entryReader
	pos     int64
	recent  []byte // the bytes before pos
	rewinds int
}

func (r *inflatedAt) ReadAt(p []byte, offset int64) (n int, err error) {
	if r.r == nil || offset < r.pos-int64(len(r.recent)) {
		if err := r.rewind(); err != nil {
			return 0, err
		}
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

func (r *inflatedAt) rewind() error {
	if r.rewinds++; r.rewinds > maxRewinds {
		return io.EOF
	}
	r.pos, r.recent, r.r = 0, r.recent[:0], r.open()
	return nil
}

// more inflates some more bytes.
func (r *inflatedAt) more() error {
	const step = 32 << 10
	if len(r.recent)+step > keepRecent+readBuffer {
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
