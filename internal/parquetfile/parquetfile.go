// Package parquetfile opens Parquet files that may be damaged: what is wrong with one is an
// error, whatever its bytes.
package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/object"
)

// ErrDamaged is wrapped by every error about the content of a file.
var ErrDamaged = errors.New("damaged")

// readAhead is what a column reads of its file at a time; pages go past the buffer.
const readAhead = 512

// Open reads the footer of a file. Page indexes and Bloom filters stay on disk.
func Open(file object.LocalFile) (*parquet.File, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := checkFooterSize(file, info.Size()); err != nil {
		return nil, err
	}
	return open(file, info.Size())
}

func open(r io.ReaderAt, size int64) (*parquet.File, error) {
	f, err := parquet.OpenFile(r, size,
		parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(readAhead))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return f, nil
}

// checkFooterSize refuses a footer longer than its file before memory is allocated for it.
func checkFooterSize(file io.ReaderAt, size int64) error {
	const trailer = 8 // footer length, magic
	var b [trailer]byte
	if size < trailer {
		return fmt.Errorf("%w: %w", ErrDamaged, io.ErrUnexpectedEOF)
	}
	if _, err := file.ReadAt(b[:], size-trailer); err != nil {
		return err
	}
	if int64(binary.LittleEndian.Uint32(b[:])) > size-trailer {
		return fmt.Errorf("%w: its footer is longer than the file", ErrDamaged)
	}
	return nil
}

// Guard adds the path to errors of read, and turns panics of the Parquet library on damaged
// files into errors.
func Guard(path string, read func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}()
	return read()
}
