package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/index"
	"github.com/robotsaudit/robotsaudit/internal/object"
)

// inputError is a failure to read an input at all, as opposed to damage in it.
type inputError struct {
	input facts.Input
	err   error
}

func (e *inputError) Error() string { return fmt.Sprintf("%s: %v", e.input.Path, e.err) }
func (e *inputError) Unwrap() error { return e.err }

// readOptions define how inputs are read. A nil one has the defaults.
type readOptions struct {
	progress func(int)  // receives the bytes of every read; may be nil
	tmp      string     // folder for what must be on disk to be read; "" is the system's
	verify   bool       // compare the digests of all records
	cores    warc.Cores // that may inflate ahead where they are idle; nil: none
	partSize int64      // bytes of a file that are inflated ahead at a time; 0: aheadPart
	partRows int64      // rows of an index that are read by one core; 0: as in index.Options

	paired func(*facts.Fetch, *Companions) error // receives every fetch; may be nil
	list   *lister                               // takes the records instead; may be nil
}

// readInputs reads the inputs, in order, into w. Where some cannot be read, w is to be
// abandoned; the others are read to their end all the same, into nothing, so that one
// pass finds all that fail.
func readInputs(ctx context.Context, w *facts.Writer, inputs []facts.Input, stdin io.Reader, opt *readOptions) (
	results []facts.InputResult, failed []*inputError, err error,
) {
	var out sink = w
	for i, in := range inputs {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		result, err := readInput(ctx, in, int32(i), out, stdin, opt)
		var failure *inputError
		switch {
		case errors.As(err, &failure):
			failed, out = append(failed, failure), new(keeper)
		case err != nil:
			return nil, nil, err
		}
		results = append(results, result)
	}
	return results, failed, nil
}

// readInput reads one input from its first byte to its last.
func readInput(ctx context.Context, in facts.Input, index int32, out sink, stdin io.Reader, opt *readOptions) (
	facts.InputResult, error,
) {
	src, err := openInput(ctx, in, stdin)
	if err != nil {
		return facts.InputResult{}, &inputError{in, err}
	}
	result, err := readSource(ctx, in, src, index, out, opt)
	src.Close() // a server may bear no other request at the same time
	if err := ctx.Err(); err != nil {
		return facts.InputResult{}, err
	}
	if warc.IsReadError(err) {
		return facts.InputResult{}, &inputError{in, err}
	}
	if err != nil {
		return facts.InputResult{}, err
	}
	if err := unchanged(ctx, in); err != nil {
		return facts.InputResult{}, &inputError{in, err}
	}
	if in.Path == facts.Stdin {
		result.Size = src.read
	}
	return result, nil
}

// readSource reads the bytes of an input. Most can be read at random, too.
func readSource(ctx context.Context, in facts.Input, src io.Reader, number int32, out sink, opt *readOptions) (
	facts.InputResult, error,
) {
	if opt == nil {
		opt = new(readOptions)
	}
	from := warc.NewSource(src, opt.progress)
	form, format := sniff(from, in.Path)
	if in.List {
		format = index.URLList
	}
	if err := from.Failed(); err != nil {
		return facts.InputResult{}, err
	}
	at, size := atRandom(in, src), in.Size
	if at == nil && (form.ProofComesLast() || format == index.Parquet) {
		file, err := spool(from, opt.tmp)
		if err != nil {
			return facts.InputResult{}, err
		}
		defer file.discard()
		copied := &source{Object: random{file}, stopped: ctx.Err}
		at, size, from = copied, file.size, warc.SourceAt(copied, 0)
		// it has been counted
		opt = &readOptions{tmp: opt.tmp, verify: opt.verify, paired: opt.paired, list: opt.list}
	}
	if form.Container == warc.ContainerZip && !in.List {
		if opt.progress != nil {
			opt.progress(-int(from.Fetched())) // its entries will be counted
		}
		return readWACZ(in, at, size, number, out, opt)
	}
	c := newCommitter(number, "", out)
	c.extractor.verify, c.paired, c.list, c.stored = opt.verify, opt.paired, opt.list,
		form.Container == warc.ContainerPlain
	if format != index.None {
		return readIndexInput(c, in, format, from, at, size, opt)
	}
	if !form.Readable() {
		err := c.report(facts.Issue{
			Offset: -1, Length: in.Size, Kind: issueKinds[form.Kind], Detail: form.Refusal,
			Action: "not read",
		})
		return facts.InputResult{Input: in, Container: form.String(), InputStats: c.stats, Refusal: form.Refusal}, err
	}
	if form.Container == warc.ContainerForeign {
		sum, err := c.readLogInput(form, from)
		return facts.InputResult{
			Input: in, Container: "crawl.log", Fingerprint: fmt.Sprintf("%016x", sum),
			InputStats: c.stats,
		}, err
	}
	reader, err := form.Records(from, at)
	if err != nil {
		return facts.InputResult{}, err
	}
	if members, ok := reader.(warc.AheadReader); ok {
		cores := opt.cores
		if object.IsRemote(in.Path) { // one stream is read; ranges all over would be many requests
			cores = nil
		}
		members.ReadAhead(in.Size, warc.AheadOptions{Cores: cores, PartSize: opt.partSize, Whole: opt.verify})
		defer members.Close()
	}
	if !form.Addressable() || at == nil {
		size = -1
	}
	if err := c.readInput(reader, size); err != nil {
		return facts.InputResult{}, err
	}
	return facts.InputResult{
		Input: in, Container: form.String(), InputStats: c.stats,
		Fingerprint: fmt.Sprintf("%016x", reader.Fingerprint()),
	}, nil
}

// spooled is a pipe that was copied to the disk.
type spooled struct {
	*os.File
	size   int64
	remove func() error // its folder
}

// spool copies a pipe to the disk, as far as it has not been read.
func spool(src io.Reader, folder string) (*spooled, error) {
	dir, remove, err := temporaryIn(folder)
	if err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, "spooled"))
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	s := &spooled{File: f, remove: remove}
	if s.size, err = io.Copy(f, src); err != nil {
		s.discard()
		return nil, err
	}
	return s, nil
}

func (s *spooled) discard() {
	s.Close()
	s.remove()
}

// temporaryIn makes a folder for temporary files in another one, which goes when it is removed; "" is the
// system's.
func temporaryIn(folder string) (dir string, remove func() error, err error) {
	if folder == "" {
		return durable.Temporary("")
	}
	dir, err = os.MkdirTemp(folder, facts.TemporaryPrefix+"*")
	return dir, func() error { return os.RemoveAll(dir) }, err
}

// source is an input that is read until the reading is to stop. Err reports that between reads,
// too: package warc calls it while it undoes a compression, because a few bytes may hold much.
type source struct {
	object.Object
	stopped func() error // returns an error once the reading is to stop
	read    int64        // bytes, in their order
}

func openInput(ctx context.Context, in facts.Input, stdin io.Reader) (*source, error) {
	if in.Path == facts.Stdin {
		return &source{Object: pipe{stdin}, stopped: ctx.Err}, nil
	}
	o, err := in.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &source{Object: o, stopped: ctx.Err}, nil
}

// pipe is standard input.
type pipe struct{ io.Reader }

func (pipe) ReadAt([]byte, int64) (int, error) { return 0, errors.ErrUnsupported }
func (pipe) Close() error                      { return nil }
func (pipe) Random() bool                      { return false }

// random is what lies on the disk.
type random struct{ io.ReaderAt }

func (random) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }
func (random) Close() error             { return nil }
func (random) Random() bool             { return true }

// atRandom is an input at random; nil where it can be read but once. It is known once something
// was read.
func atRandom(in facts.Input, src io.Reader) io.ReaderAt {
	if o, ok := src.(object.Object); in.Path == facts.Stdin || ok && !o.Random() {
		return nil
	}
	at, _ := src.(io.ReaderAt)
	return at
}

func (s *source) Err() error { return s.stopped() }

func (s *source) Read(p []byte) (int, error) {
	if err := s.Err(); err != nil {
		return 0, err
	}
	n, err := s.Object.Read(p)
	s.read += int64(n)
	return n, err
}

func (s *source) ReadAt(p []byte, offset int64) (int, error) {
	if err := s.Err(); err != nil {
		return 0, err
	}
	return s.Object.ReadAt(p, offset)
}

// unchanged checks that the file is still the one that was planned: an archive
// that a crawler is still writing is no evidence yet.
func unchanged(ctx context.Context, in facts.Input) error {
	if in.Path == facts.Stdin {
		return nil
	}
	return in.Unchanged(ctx)
}
