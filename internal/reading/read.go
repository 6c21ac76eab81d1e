package reading

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/cdx"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/rowreading"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Error is a failure to read an input at all, as opposed to damage in it.
type Error struct {
	Input facts.Input
	Err   error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Input.Path, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// Options define how inputs are read.
type Options struct {
	Progress func(int)  // receives the bytes of every read; may be nil
	Tmp      string     // folder for what must be on disk to be read; "" is the system's
	Verify   bool       // compare the digests of all records, not of policy captures alone
	Cores    warc.Cores // that may inflate ahead where they are idle; nil: none
	PartSize int64      // bytes of a file that are inflated ahead at a time; 0: as in warc.AheadOptions
	PartRows int64      // rows of an index that are read by one core; 0: as in cdx.FormatOptions

	Paired func(*facts.Fetch, *Companions) error // receives every fetch; may be nil
}

// Read reads one input from its first byte to its last. A failure to do so is an Error.
func Read(ctx context.Context, in facts.Input, number int32, out facts.Sink, stdin io.Reader, opt Options) (
	facts.InputResult, error,
) {
	src, err := Open(ctx, in, stdin)
	if err != nil {
		return facts.InputResult{}, &Error{in, err}
	}
	result, err := readSource(ctx, in, src, number, out, opt)
	src.Close() // a server may bear no other request at the same time
	if err := ctx.Err(); err != nil {
		return facts.InputResult{}, err
	}
	if input.IsReadError(err) {
		return facts.InputResult{}, &Error{in, err}
	}
	if err != nil {
		return facts.InputResult{}, err
	}
	// An archive that a crawler is still writing is no evidence yet.
	if err := in.Unchanged(ctx); err != nil {
		return facts.InputResult{}, &Error{in, err}
	}
	if in.Path == facts.Stdin {
		result.Size = src.read
	}
	return result, nil
}

// readSource reads the bytes of an input. Most can be read at random, too.
func readSource(ctx context.Context, in facts.Input, src io.Reader, number int32, out facts.Sink, opt Options) (
	facts.InputResult, error,
) {
	from := input.New(src, opt.Progress)
	defer from.Release()
	form, format := Sniff(from, in.Path)
	switch {
	case in.List:
		format = cdx.URLList
	case in.RobotsList:
		format = cdx.RobotsList
	case in.AccessLog != "":
		return readAccessLog(in, form, from, number, out, opt)
	}
	if err := from.Failed(); err != nil {
		return facts.InputResult{}, err
	}
	at, size := atRandom(in, src), in.Size
	if at == nil && (form.ProofComesLast() || format == cdx.Parquet) {
		file, err := Spool(ctx, from, opt.Tmp)
		if err != nil {
			return facts.InputResult{}, err
		}
		defer file.Discard()
		at, size, from = file, file.Size, input.At(file, 0)
		opt.Progress, opt.Cores = nil, nil // it has been counted
	}
	if form.Container == warc.ContainerZip && !in.List && !in.RobotsList {
		if opt.Progress != nil {
			opt.Progress(-int(from.Fetched())) // its entries will be counted
		}
		return readWACZ(in, at, size, number, out, opt)
	}
	a := facts.NewAccount(number, "", out)
	begin, _ := from.Peek(warc.PackedPeek)
	switch {
	case (in.List || in.RobotsList) && warc.IsPacked(begin): // package cdx undoes gzip
		text, err := warc.Decompressed(form, from)
		if err != nil {
			return refuse(a, in, form.String(), words.IssueDamagedStream, err.Error())
		}
		return rowreading.Read(a, in, format, from, nil, size, rowreading.RowOptions{
			Progress: opt.Progress, Text: text, Packed: true,
		})
	case format != cdx.None:
		return rowreading.Read(a, in, format, from, at, size,
			rowreading.RowOptions{Progress: opt.Progress, Cores: opt.Cores, PartRows: opt.PartRows})
	case !form.Readable() && form.Kind == words.IssueNotAnArchive:
		b, _ := from.Peek(sniffIndex)
		what, isKnown := cdx.Recognise(b)
		reason := form.Refusal + "; " + what
		if isKnown {
			reason = "it is no archive; " + what
		}
		return refuse(a, in, form.String(), form.Kind, reason)
	case !form.Readable():
		return refuse(a, in, form.String(), form.Kind, form.Refusal)
	case form.Container == warc.ContainerForeign:
		sum, err := rowreading.ReadCrawlLog(a, form, from)
		return facts.InputResult{
			Input: in, Container: "crawl.log", Fingerprint: fmt.Sprintf("%016x", sum),
			InputStats: a.Stats,
		}, err
	}
	reader, err := form.Records(from, at)
	if err != nil {
		return facts.InputResult{}, err
	}
	if members, ok := reader.(warc.AheadReader); ok {
		cores := opt.Cores
		if object.IsRemote(in.Path) { // one stream is read; ranges all over would be many requests
			cores = nil
		}
		members.ReadAhead(in.Size, warc.AheadOptions{Cores: cores, PartSize: opt.PartSize, Whole: opt.Verify})
		defer members.Close()
	}
	if !form.Addressable() || at == nil {
		size = -1
	}
	switch err := NewCommitter(a, opt).readAll(reader, size); {
	case err == errWAT:
		return refuse(facts.NewAccount(number, "", out), in, "wat", words.IssueUnsupportedContainer, err.Error())
	case err != nil:
		return facts.InputResult{}, err
	}
	return facts.InputResult{
		Input: in, Container: form.String(), InputStats: a.Stats,
		Fingerprint: fmt.Sprintf("%016x", reader.Fingerprint()),
	}, nil
}

// readAccessLog reads a log of requests, whatever its compression.
func readAccessLog(in facts.Input, form warc.Form, from *input.Source, number int32, out facts.Sink, opt Options) (
	facts.InputResult, error,
) {
	text, err := warc.Decompressed(form, from)
	if err != nil {
		return facts.InputResult{}, &input.ReadError{Err: err}
	}
	return rowreading.Read(facts.NewAccount(number, "", out), in, cdx.AccessLog, from, nil, in.Size, rowreading.RowOptions{
		Progress: opt.Progress, Text: text, Packed: text != io.Reader(from),
	})
}

// refuse is the result of an input of which nothing is read.
func refuse(a *facts.Account, in facts.Input, container string, kind words.IssueKind, reason string) (
	facts.InputResult, error,
) {
	err := a.Report(facts.Issue{Offset: -1, Length: in.Size, Kind: kind, Detail: reason, Action: "not read"})
	return facts.InputResult{Input: in, Container: container, InputStats: a.Stats, Refusal: reason}, err
}

// Pair reads an archive once more and yields its fetches with the records that belong to
// them, by the rules by which the facts were made. The fingerprint of the result shows
// whether the archive is still the same. What f is given is valid until it returns.
func Pair(ctx context.Context, in facts.Input, f func(*facts.Fetch, *Companions) error) (facts.InputResult, error) {
	src, err := Open(ctx, in, nil)
	if err != nil {
		return facts.InputResult{}, err
	}
	defer src.Close()
	return readSource(ctx, in, src, 0, facts.Discard{}, Options{Paired: f})
}

// Sniff finds the form of an input by its first bytes, and the format of an index by its name, too, if
// they leave it open; format names an index or a list of URLs, and is None for all else.
func Sniff(src *input.Source, name string) (form warc.Form, format cdx.Format) {
	if begin, _ := src.Peek(len("PAR1")); cdx.IsParquet(begin) {
		// its pages may look like gzip members
		return warc.Form{Kind: words.IssueNotAnArchive, Refusal: "it is a Parquet file"}, cdx.Parquet
	}
	form = SniffArchive(src)
	if form.Readable() {
		return form, cdx.None
	}
	b, _ := src.Peek(sniffIndex)
	return form, cdx.Sniff(b, name)
}

// SniffArchive finds the form of an archive or a crawler's log by its first bytes.
func SniffArchive(src *input.Source) warc.Form { return warc.Sniff(src, rowreading.IsCrawlLog) }

// Workers is the number of workers that an option requires: one per core by default.
func Workers(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}
