package report

import (
	"errors"
	"io"
	"os"
)

// spillPool gives the writer of a table what the compressed pages of a row group wait in
// until it is whole: files in a folder, for all but the columns that take next to
// nothing. So what a table holds does not depend on the rows of its groups.
type spillPool struct {
	dir string
}

// spillMin is how many bytes are held in memory before there is a file.
const spillMin = 4 << 10

func (p spillPool) GetBuffer() io.ReadWriteSeeker { return &spill{dir: p.dir} }

// PutBuffer removes a file. One that is left over by a crash goes with its folder.
func (p spillPool) PutBuffer(b io.ReadWriteSeeker) {
	if f := b.(*spill).file; f != nil {
		f.Close()
		os.Remove(f.Name())
	}
}

// spill is written from its beginning to its end, and then read.
type spill struct {
	dir    string
	memory []byte   // what is not in the file
	file   *os.File // nil: there is none
	read   int      // bytes of memory
}

func (s *spill) Write(b []byte) (int, error) {
	if len(s.memory)+len(b) > spillMin {
		if err := s.flush(); err != nil {
			return 0, err
		}
		if len(b) > spillMin {
			return s.file.Write(b)
		}
	}
	s.memory = append(s.memory, b...)
	return len(b), nil
}

// flush moves what is in memory to the file, which it makes.
func (s *spill) flush() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp(s.dir, "*.pages"); err != nil {
			return err
		}
	}
	_, err = s.file.Write(s.memory)
	s.memory = s.memory[:0]
	return err
}

// Seek goes to the beginning, which is all that is asked of it.
func (s *spill) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekStart {
		return 0, errors.ErrUnsupported
	}
	s.read = 0
	if s.file == nil {
		return 0, nil
	}
	if err := s.flush(); err != nil {
		return 0, err
	}
	return s.file.Seek(0, io.SeekStart)
}

func (s *spill) Read(b []byte) (int, error) {
	if s.file != nil {
		return s.file.Read(b)
	}
	if s.read == len(s.memory) {
		return 0, io.EOF
	}
	n := copy(b, s.memory[s.read:])
	s.read += n
	return n, nil
}
