package object

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
)

// A LocalFile is a file of the disk that is read at random, by any number of goroutines.
type LocalFile interface {
	io.ReaderAt
	io.Closer
	Name() string
	Stat() (os.FileInfo, error)
}

// later is the state of a local file that stands for an object.
type later struct {
	guard  sync.Mutex
	path   string
	object Object
	size   int64
	has    []bool // by number of the block
}

// copies are the files that stand for objects, by path.
var copies sync.Map

// CopyLater makes a file that stands for an object until the process ends. It is as long as the object.
// A block of the object is copied when whoever opened the file with OpenCopy first reads it. Blocks
// that were not copied are zeros for all others who open the file.
func CopyLater(ctx context.Context, path string, info Info, file string) error {
	o, err := Open(ctx, path, info)
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	copies.Store(file, &later{
		path: path, object: o, size: info.Size,
		has: make([]bool, (info.Size+limits.block-1)/limits.block),
	})
	return f.Truncate(info.Size)
}

// OpenCopy opens a file, which may stand for an object.
func OpenCopy(file string) (LocalFile, error) {
	l, is := copies.Load(file)
	if !is {
		return os.Open(file)
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &openCopy{f, l.(*later)}, nil
}

type openCopy struct {
	*os.File
	of *later
}

func (c *openCopy) ReadAt(p []byte, offset int64) (int, error) {
	if err := c.of.fill(c.File, offset, min(offset+int64(len(p)), c.of.size)); err != nil {
		return 0, err
	}
	return c.File.ReadAt(p, offset)
}

// fill makes sure that a file has the bytes between two offsets.
func (l *later) fill(f *os.File, from, to int64) error {
	if from < 0 || from >= to {
		return nil
	}
	l.guard.Lock()
	defer l.guard.Unlock()
	end := (to-1)/limits.block + 1
	for n := from / limits.block; n < end; n++ {
		if l.has[n] {
			continue
		}
		more := l.lacking(n, end)
		if err := l.copy(f, n, more); err != nil {
			return err
		}
		n = more - 1
	}
	return nil
}

// lacking returns the end of the blocks that are to be copied with the n-th, which are those up to end.
// If those before the n-th were read in a row, this is likely to go on: a quarter as many come, too.
func (l *later) lacking(n, end int64) int64 {
	first := n
	for first > 0 && l.has[first-1] && n-first < limits.ahead {
		first--
	}
	end = min(max(end, n+1+(n-first)/4), int64(len(l.has)), n+limits.ahead)
	for i := n + 1; i < end; i++ {
		if l.has[i] {
			return i
		}
	}
	return end
}

// copy copies the blocks from one number up to another, with one request.
func (l *later) copy(f *os.File, from, to int64) error {
	start := from * limits.block
	b := make([]byte, min(to*limits.block, l.size)-start)
	if _, err := ReadRange(l.object, b, start); err != nil {
		return fmt.Errorf("%s: %w", l.path, err)
	}
	if _, err := f.WriteAt(b, start); err != nil {
		return err
	}
	for n := from; n < to; n++ {
		l.has[n] = true
	}
	return nil
}
