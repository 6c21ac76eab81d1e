package report

import (
	"errors"
	"os"
)

// spill is what the compressed pages of a table wait in until their row group is whole: a
// file in a folder, for all but small tables. So what a table holds does not depend on the rows of
// its groups. A file that is left over by a crash goes with its folder.
type spill struct {
	dir    string
	size   int64
	memory []byte   // the last of it, which is not in the file
	file   *os.File // nil: there is none
}

// spillMemory is how many bytes are held in memory.
const spillMemory = 64 << 10

// write appends b.
func (s *spill) write(b []byte) (err error) {
	if len(s.memory)+len(b) > spillMemory {
		if s.file == nil {
			if s.file, err = os.CreateTemp(s.dir, "*.pages"); err != nil {
				return err
			}
		}
		if _, err := s.file.WriteAt(s.memory, s.size-int64(len(s.memory))); err != nil {
			return err
		}
		s.memory = s.memory[:0]
	}
	s.size += int64(len(b))
	s.memory = append(s.memory, b...)
	return nil
}

// read fills b with the bytes at a place, in one call.
func (s *spill) read(b []byte, at int64) error {
	if in := at - (s.size - int64(len(s.memory))); in >= 0 {
		copy(b, s.memory[in:])
		return nil
	}
	_, err := s.file.ReadAt(b, at)
	return err
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
