package reading

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
)

// Until is when a reading stops: it returns an error from then on.
type Until func() error

// Err returns it. Package warc calls it while it undoes a compression, because a few bytes may hold much.
func (u Until) Err() error { return u() }

// Source is an input that is read until its context is done.
type Source struct {
	object.Object
	Until
	read int64 // bytes, in their order
}

// Open opens an input.
func Open(ctx context.Context, in facts.Input, stdin io.Reader) (*Source, error) {
	if in.Path == facts.Stdin {
		return &Source{Object: pipe{stdin}, Until: ctx.Err}, nil
	}
	o, err := in.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &Source{Object: o, Until: ctx.Err}, nil
}

func (s *Source) Read(p []byte) (int, error) {
	if err := s.Err(); err != nil {
		return 0, err
	}
	n, err := s.Object.Read(p)
	s.read += int64(n)
	return n, err
}

func (s *Source) ReadAt(p []byte, offset int64) (int, error) {
	if err := s.Err(); err != nil {
		return 0, err
	}
	return s.Object.ReadAt(p, offset)
}

// pipe is standard input.
type pipe struct{ io.Reader }

func (pipe) ReadAt([]byte, int64) (int, error) { return 0, errors.ErrUnsupported }
func (pipe) Close() error                      { return nil }
func (pipe) Random() bool                      { return false }

// atRandom is an input at random; nil where it can be read but once. It is known once something
// was read.
func atRandom(in facts.Input, src io.Reader) io.ReaderAt {
	if o, ok := src.(object.Object); in.Path == facts.Stdin || ok && !o.Random() {
		return nil
	}
	at, _ := src.(io.ReaderAt)
	return at
}

// Spooled is a copy on the disk of what can be read but once, or only from its start. It is read until
// its context is done.
type Spooled struct {
	Until
	Size   int64
	file   *os.File
	remove func() error
}

// Spool copies to the disk what has not been read of src: into a folder for temporary files, "" for the
// system's.
func Spool(ctx context.Context, src io.Reader, folder string) (s *Spooled, err error) {
	s = &Spooled{Until: ctx.Err}
	if s.file, s.remove, err = durable.File(folder); err != nil {
		return nil, err
	}
	if s.Size, err = io.Copy(s.file, src); err != nil {
		s.Discard()
		return nil, err
	}
	return s, nil
}

func (s *Spooled) ReadAt(p []byte, offset int64) (int, error) {
	if err := s.Err(); err != nil {
		return 0, err
	}
	return s.file.ReadAt(p, offset)
}

// Discard removes the copy.
func (s *Spooled) Discard() { s.remove() }
