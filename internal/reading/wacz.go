package reading

import (
	"archive/zip"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/digest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/rowreading"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// waczReader reads the archives in a WACZ (https://specs.webrecorder.net/wacz/1.1.1/):
// each as one of its own. Rows name the entry, and offsets are within it, as in the
// indexes of a WACZ. Archives are recognized by their content.
type waczReader struct {
	input.Chain
	account  *facts.Account // of the file as a whole
	opt      Options
	src      input.Source // of the entry in hand; its buffer is reused
	pages    *pageList
	archives int
	names    []string // of all entries of a file, sorted
	within   string   // the entry that it is of another WACZ; "": it is a file
}

func readWACZ(in facts.Input, at io.ReaderAt, size int64, number int32, out facts.Sink, opt Options) (
	facts.InputResult, error,
) {
	r := &waczReader{account: facts.NewAccount(number, "", out), opt: opt, src: *input.New(nil, nil)}
	result := facts.InputResult{Input: in, Container: warc.ContainerZip.String()}
	list, err := wacz.Open(at, size)
	switch {
	case err != nil:
		return result, err
	case list.Fault != "" && len(list.Entries) == 0:
		result.Refusal = fmt.Sprintf("the zip file cannot be read (%s); fetch it again", list.Fault)
		err = r.account.Report(facts.Issue{
			Offset: -1, Length: size, Kind: words.IssueDamagedStream,
			Detail: result.Refusal, Action: "not read",
		})
	default:
		if err = r.readListing(&list, size); err == nil && r.archives == 0 {
			result.Refusal = "the zip file holds no archive; leave it out"
			if list.Fault != "" { // it may hold one after those entries
				result.Refusal = fmt.Sprintf("the zip file cannot be read as a whole (%s), and what of it could "+
					"holds no archive; unpack it, and give what is inside", list.Fault)
			}
			err = r.account.Report(facts.Issue{
				Offset: -1, Length: size, Kind: words.IssueNotAnArchive,
				Detail: result.Refusal, Action: "not read",
			})
		}
	}
	result.InputStats = r.account.Stats
	result.Fingerprint = fmt.Sprintf("%016x", r.Sum)
	return result, err
}

func (r *waczReader) readListing(list *wacz.Listing, size int64) error {
	if list.Fault != "" {
		err := r.account.Report(facts.Issue{
			Entry: r.within, Offset: list.End, Length: size - list.End, Kind: words.IssueDamagedStream,
			Action: "the entries before it read one after the other",
			Detail: list.Fault + "; without it entries may be missing",
		})
		if err != nil {
			return err
		}
	}
	at := slices.IndexFunc(list.Entries,
		func(e wacz.Entry) bool { return e.Local() == wacz.PackageFile && e.Problem == "" })
	if at >= 0 {
		if err := r.readPackage(&list.Entries[at], list.Entries); err != nil {
			return err
		}
	}
	if err := r.readPageLists(list.Entries); err != nil {
		return err
	}
	return r.readEntries(list.Entries)
}

func (r *waczReader) readEntries(entries []wacz.Entry) error {
	if r.within == "" {
		for i := range entries {
			r.names = append(r.names, entries[i].Name)
		}
		slices.Sort(r.names)
	}
	for _, e := range entries {
		var err error
		switch {
		case e.Problem != "":
			err = r.report(&e, words.IssueBadEntry, e.Problem, "not read")
		case e.Damage != "":
			err = r.report(&e, words.IssueBadEntry, e.Damage, "found by the directory alone")
		}
		if err == nil && e.Problem == "" {
			err = r.readEntry(&e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readPackage takes the title from datapackage.json, if that is whole. With Verify, it compares the digests of entries
// there with what they hold.
func (r *waczReader) readPackage(e *wacz.Entry, entries []wacz.Entry) error {
	title, err := wacz.PackageTitle(e)
	if input.IsReadError(err) {
		return err
	}
	if title != "" {
		fault, err := e.Fault()
		if err != nil {
			return err
		}
		if fault == nil {
			r.account.Stats.AddTitle(facts.AtMost(title, httpmsg.MaxUserAgent))
		}
	}
	if !r.opt.Verify {
		return nil
	}
	digests, err := wacz.PackageDigests(e)
	switch {
	case input.IsReadError(err):
		return err
	case err != nil:
		return r.report(e, words.IssueUnknownDigest,
			fmt.Sprintf("the digests of entries cannot be read (%v)", err), "not verified")
	}
	for i := range entries {
		if err := r.verifyEntry(&entries[i], digests[entries[i].Local()]); err != nil {
			return err
		}
	}
	return nil
}

func (r *waczReader) verifyEntry(e *wacz.Entry, field string) error {
	d, err := digest.Parse(field)
	if err != nil {
		r.account.Stats.Digests.Unknown++
		return r.report(e, words.IssueUnknownDigest,
			fmt.Sprintf("%s in %s: %v", facts.AtMost(field, 150), wacz.PackageFile, err), "not verified")
	}
	if !d.Known() || e.Problem != "" {
		return nil
	}
	content := e.Open()
	h := d.NewHash()
	if _, err := io.Copy(h, content); err != nil {
		return err
	}
	if d.Matches(h) {
		return nil
	}
	r.account.Stats.Digests.Mismatched++
	return r.report(e, words.IssueDigestMismatch,
		fmt.Sprintf("%s says %s, the entry has %s", wacz.PackageFile, field, d.Text(h)), "kept")
}

func (r *waczReader) report(e *wacz.Entry, kind words.IssueKind, detail, action string) error {
	return r.account.Report(facts.Issue{
		Entry: e.CutName(), Offset: -1, Length: e.Size(), Kind: kind, Detail: detail, Action: action,
	})
}

// readEntry reads an entry to its end, if it is an archive.
func (r *waczReader) readEntry(e *wacz.Entry) error {
	content := e.Open()
	var progress func(int)
	if e.Method == zip.Store {
		progress = r.opt.Progress
	}
	r.src.Reset(content, progress)
	src := &r.src
	if e.Local() == wacz.SkippedPages {
		return r.readVerifiedLog(e, rowreading.ParseSkippedPage, src, content)
	}
	form := SniffArchive(src)
	if err := src.Failed(); err != nil {
		return err
	}
	kind := form.Kind
	if form.Container == warc.ContainerZip {
		if r.within == "" && e.Method == zip.Store {
			return r.readNested(e)
		}
		kind, form.Refusal = words.IssueUnsupportedContainer,
			"a zip file in a zip file, compressed there or in a third one; unpack it and give what is inside"
	}
	if !form.Readable() && content.Fault != nil {
		kind, form.Refusal = words.IssueBadEntry, content.Fault.Error()
	}
	if !form.Readable() {
		if form.Container != warc.ContainerZip && !strings.HasPrefix(e.Local(), wacz.ArchiveFolder) {
			return nil
		}
		return r.report(e, kind, form.Refusal, "not read")
	}
	if form.Container == warc.ContainerForeign {
		return r.readVerifiedLog(e, rowreading.ParseCrawlLog, src, content)
	}
	r.archives++
	var doubt bool
	if form.Container == warc.ContainerPlain {
		fault, err := e.Fault()
		switch {
		case err != nil:
			return err
		case fault != nil && e.Method == zip.Deflate:
			return r.report(e, words.IssueBadEntry, fault.Error()+"; nothing else proves the headers of its records",
				"not read")
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

// readNested reads a WACZ that is a stored entry of another one: Browsertrix joins several for download.
// An entry whose name would be the name of another entry is not read: rows could not distinguish the two.
func (r *waczReader) readNested(e *wacz.Entry) error {
	if r.encloses(e.Name) {
		return r.report(e, words.IssueBadEntry, "other entries are named as if they lay in it", "not read")
	}
	list, err := e.Nested()
	if err != nil {
		return err
	}
	inner := &waczReader{
		account: r.account, opt: r.opt, src: *input.New(nil, nil),
		within: e.CutName(),
	}
	if list.Fault == "" || len(list.Entries) > 0 {
		if err := inner.readListing(&list, e.Size()); err != nil {
			return err
		}
		r.Add(fmt.Appendf(nil, "%q %016x", e.Name, inner.Sum))
		r.archives += inner.archives
	}
	switch {
	case inner.archives > 0:
		return nil
	case list.Fault != "":
		return r.report(e, words.IssueBadEntry, "a zip file that cannot be read ("+list.Fault+")", "not read")
	}
	return r.report(e, words.IssueNotAnArchive, "a zip file in a zip file, without an archive in it", "not read")
}

// encloses reports whether another entry is named as if it lay in the one of a name.
func (r *waczReader) encloses(name string) bool {
	i, _ := slices.BinarySearch(r.names, name+"/")
	return i < len(r.names) && strings.HasPrefix(r.names[i], name+"/")
}

// readArchive reads the records of an entry, with the lower trust if there is doubt.
func (r *waczReader) readArchive(e *wacz.Entry, form warc.Form, src *input.Source, doubt bool) error {
	reader, err := form.Records(src, e.At())
	if err != nil {
		return err
	}
	if doubt {
		reader = doubted{reader}
	}
	a := r.entryAccount(e)
	c := NewCommitter(a, r.opt)
	c.extractor.pages = r.pages
	size := int64(-1)
	if form.Addressable() {
		size = e.Size()
	}
	switch err := c.readAll(reader, size); {
	case err == errWAT:
		return r.report(e, words.IssueUnsupportedContainer, err.Error(), "not read")
	case err != nil:
		return err
	}
	r.Add(fmt.Appendf(nil, "%q %016x", e.Name, reader.Fingerprint()))
	r.account.Stats.Add(&a.Stats)
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
// could declare another host unreachable.
func (r *waczReader) readVerifiedLog(e *wacz.Entry, parse rowreading.LineParser, src io.Reader,
	content *wacz.EntryReader,
) error {
	fault, err := e.Fault()
	switch {
	case err != nil:
		return err
	case fault != nil:
		return r.report(e, words.IssueBadEntry, fault.Error(), "not read")
	}
	if err := r.readLog(e, parse, src); err != nil {
		return err
	}
	return r.verifyEnd(e, content, "the lines before it were read")
}

func (r *waczReader) entryAccount(e *wacz.Entry) *facts.Account {
	return facts.NewAccount(r.account.Input, e.CutName(), r.account.Out)
}

func (r *waczReader) readLog(e *wacz.Entry, parse rowreading.LineParser, src io.Reader) error {
	a := r.entryAccount(e)
	if err := rowreading.ReadLog(a, parse, src); err != nil {
		return err
	}
	r.account.Stats.Add(&a.Stats)
	return nil
}
