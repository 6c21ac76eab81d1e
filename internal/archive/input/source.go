// Package input reads the bytes of an input in order (Source), and searches them (Window). Content is a run of
// bytes that can be looked at where it lies. A ReadError is a failure of the file below, and not damage in it.
package input

import (
	"bufio"
	"errors"
	"hash/crc32"
	"io"
	"math"
)

// Source reads an input in order and knows where it stands in it.
type Source struct {
	*bufio.Reader
	file *countingReader
}

// New reads an input from its beginning. progress receives the size of every
// read, and may be nil.
func New(r io.Reader, progress func(int)) *Source {
	return sourceOf(newCounting(r, progress))
}

func sourceOf(file *countingReader) *Source { return &Source{NewBuffered(file).Reader, file} }

// Release gives up a source that nobody uses any more. It need not be called.
func (s *Source) Release() { s.Content().Release() }

// Reset reads another input, in the same memory.
func (s *Source) Reset(r io.Reader, progress func(int)) {
	s.file = newCounting(r, progress)
	s.Reader.Reset(s.file)
}

// Failed is the failure of the file below that ended the reading, nil if none did.
func (s *Source) Failed() error { return s.file.failed }

// Stopped is the error of a file whose reading must stop. A file with a method Err reports
// it between reads, too.
func (s *Source) Stopped() error {
	if c := s.file; c.below != nil && c.failed == nil {
		if err := c.below.Err(); err != nil {
			c.failed = &ReadError{err}
		}
	}
	return s.file.failed
}

// Fetched is how many bytes of the file below have been read, buffered ones included.
func (s *Source) Fetched() int64 { return s.file.n }

// At reads from the middle of an input.
func At(at io.ReaderAt, offset int64) *Source {
	below, _ := at.(stopper)
	return sourceOf(&countingReader{r: io.NewSectionReader(at, offset, math.MaxInt64-offset), below: below, n: offset})
}

// Content is what comes next.
func (s *Source) Content() Buffered { return Buffered{s.Reader} }

// SetProgress sets what receives the size of every read, and returns what did before.
func (s *Source) SetProgress(progress func(int)) (before func(int)) {
	before, s.file.progress = s.file.progress, progress
	return before
}

// Position is how many bytes of the input have been read.
func (s *Source) Position() int64 { return s.file.n - int64(s.Buffered()) }

// Chain is the fingerprint of an input: CRC-32C and CRC-32 over the CRC and length of every
// member as verified, over every record's header, or over the content of index rows.
type Chain struct {
	Sum uint64
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Fingerprint is Sum.
func (c *Chain) Fingerprint() uint64 { return c.Sum }

// Add adds the bytes of a member, a header or rows.
func (c *Chain) Add(b []byte) {
	low := crc32.Update(uint32(c.Sum), castagnoli, b)
	high := crc32.Update(uint32(c.Sum>>32), crc32.IEEETable, b)
	c.Sum = uint64(high)<<32 | uint64(low)
}

// Write makes a chain of what is read through it.
func (c *Chain) Write(p []byte) (int, error) {
	c.Add(p)
	return len(p), nil
}

// countingReader counts what is read from a file. After a failure it reads no more,
// so that a failure that a buffer has swallowed is met again.
type countingReader struct {
	r io.Reader
	n int64
	// progress receives the size of every read.
	progress func(int)
	below    stopper // r, where it is one
	failed   error
}

// stopper is a file that may have to be read no more.
type stopper interface{ Err() error }

func newCounting(r io.Reader, progress func(int)) *countingReader {
	below, _ := r.(stopper)
	return &countingReader{r: r, progress: progress, below: below}
}

func (c *countingReader) Read(p []byte) (int, error) {
	if c.failed != nil {
		return 0, c.failed
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.progress != nil {
		c.progress(n)
	}
	if err != nil && err != io.EOF {
		err = &ReadError{err}
		c.failed = err
	}
	return n, err
}

// MarkFailures makes failures of a file below a reader a ReadError, as a Source does, but
// has no buffer.
func MarkFailures(r io.Reader) io.Reader { return &countingReader{r: r} }

// ReadError is a failure of the disk or the network below an input, as opposed to
// damage in it: the input has failed, and is tried again next time.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return e.Err.Error() }
func (e *ReadError) Unwrap() error { return e.Err }

// IsReadError reports whether an error is a failure below an input.
func IsReadError(err error) bool {
	if err == nil || err == io.EOF { // most calls
		return false
	}
	var re *ReadError
	return errors.As(err, &re)
}
