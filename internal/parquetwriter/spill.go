package parquetwriter

import (
	"errors"
	"os"
	"slices"
)

// spill holds compressed pages until their row group is written: in a file in a folder, but for the last of
// them. A file that is left over by a crash goes with its folder.
//
// In memory instead, the pages of an audit of 30,000 random URLs of 4 kB took 720 MB in place of 85.
type spill struct {
	dir    string
	size   int64
	memory []byte   // the last of it, which is not in the file
	file   *os.File // nil: there is none
}

// spillMemory is how many bytes are held in memory.
const spillMemory = 64 << 10

// write appends b.
func (s *spill) write(b []byte) error {
	if len(s.memory)+len(b) > spillMemory {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.size += int64(len(b))
	s.memory = append(s.memory, b...)
	return nil
}

// flush moves what is in memory to the file.
func (s *spill) flush() (err error) {
	if s.file == nil && len(s.memory) > 0 {
		if s.file, err = os.CreateTemp(s.dir, "*.pages"); err != nil {
			return err
		}
	}
	if len(s.memory) > 0 {
		_, err = s.file.WriteAt(s.memory, s.size-int64(len(s.memory)))
	}
	s.memory = s.memory[:0]
	return err
}

// read returns n bytes at a place, of one call of write. They are in the buffer if they fit there.
func (s *spill) read(buffer []byte, at int64, n int) ([]byte, error) {
	buffer = slices.Grow(buffer[:0], n)[:n]
	if in := at - (s.size - int64(len(s.memory))); in >= 0 {
		copy(buffer, s.memory[in:])
		return buffer, nil
	}
	_, err := s.file.ReadAt(buffer, at)
	return buffer, err
}

// reset forgets the bytes written.
func (s *spill) reset() { s.size, s.memory = 0, s.memory[:0] }

// close removes the file.
func (s *spill) close() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}
