package wacz

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"hash/crc32"
	"io"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
)

// EntryReader reads an entry and verifies its checksum and size. In a broken entry it
// ends, and Fault reports the damage at the end: the
// content read is judged by itself. Other errors come from reading the file.
type EntryReader struct {
	Fault error

	r     io.Reader
	entry *Entry
	n     uint64
	crc   uint32
}

// Open reads the entry from its start.
func (e *Entry) Open() *EntryReader {
	r := &EntryReader{entry: e}
	switch e.Method {
	case zip.Deflate:
		r.r = flate.NewReader(input.New(e.stored(), nil))
	default:
		r.r = input.MarkFailures(e.stored())
	}
	return r
}

// errEntrySize is the error of an entry whose content nevertheless matches its
// checksum.
var errEntrySize = errors.New("its content is not of the size that it says")

// Fault reads the entry to its end and returns why its content is not what it was.
func (e *Entry) Fault() (fault, err error) {
	r := e.Open()
	if _, err := io.Copy(io.Discard, r); err != nil || r.Fault == errEntrySize {
		return nil, err
	}
	return r.Fault, nil
}

func (r *EntryReader) Read(p []byte) (int, error) {
	if r.Fault != nil {
		return 0, io.EOF
	}
	n, err := r.r.Read(p)
	r.n += uint64(n)
	r.crc = crc32.Update(r.crc, crc32.IEEETable, p[:n])
	if err == nil || input.IsReadError(err) {
		return n, err
	}
	r.Fault = r.verify(err)
	return n, io.EOF
}

// verify returns what is wrong with an entry that ended with err.
func (r *EntryReader) verify(err error) error {
	matches := err == io.EOF && r.crc == r.entry.CRC32
	switch {
	case matches && r.n == r.entry.UncompressedSize64 && !r.entry.endless:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends before its content does")
	case err != io.EOF:
		return err
	case r.entry.endless:
		return errors.New("where it ends is not known: it was read to the end of the file")
	case r.entry.Method == zip.Store && r.n < r.entry.UncompressedSize64:
		return errors.New("the file ends before the entry does")
	case !matches:
		return errors.New("its content does not match its checksum")
	}
	return errEntrySize
}
