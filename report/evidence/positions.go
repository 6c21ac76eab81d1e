package evidence

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"io"
	"iter"
	"os"
	"path/filepath"
	"sort"
)

// spool is a temporary file that is written once, and then read.
type spool struct {
	*bufio.Writer
	file *os.File
}

func newSpool(dir, name string) (*spool, error) {
	file, err := os.Create(filepath.Join(dir, name))
	return &spool{bufio.NewWriterSize(file, 64<<10), file}, err
}

// content is what was written and flushed.
func (s *spool) content() io.Reader { return io.NewSectionReader(s.file, 0, 1<<62) }

// lines flushes what was written, and yields its lines.
func (s *spool) lines() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := s.Flush(); err != nil {
			yield(nil, err)
			return
		}
		lines := bufio.NewScanner(s.content())
		lines.Buffer(nil, maxLine)
		for lines.Scan() {
			if !yield(lines.Bytes(), nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// positions is a file of where the records of a bundle are, in their order. It finds their numbers.
type positions struct {
	*spool // to be flushed before records are looked up
	count  int64
}

// position is where a record is in the archives from which the bundle is made, or that are made of it.
type position struct {
	Archive, Index int64 // of a line of a log its offset

	// Of archives made of a bundle:
	Was int64 // its index in the archive that it is from
	companions
}

const positionSize = 8 * 8

// add adds the next record.
func (p *positions) add(x position) error {
	p.count++
	return binary.Write(p, binary.LittleEndian, x)
}

// at is where the record with a number is.
func (p *positions) at(number int64) (x position, err error) {
	var b [positionSize]byte
	if _, err := p.file.ReadAt(b[:], (number-1)*positionSize); err != nil {
		return x, err
	}
	_, err = binary.Decode(b[:], binary.LittleEndian, &x)
	return x, err
}

// number is the number of the record at a place; 0: it is not in the bundle.
func (p *positions) number(archive, index int64) (int64, error) {
	var failed error
	i, found := sort.Find(int(p.count), func(i int) int {
		x, err := p.at(int64(i) + 1)
		failed = cmp.Or(failed, err)
		return cmp.Or(cmp.Compare(archive, x.Archive), cmp.Compare(index, x.Index))
	})
	if !found {
		return 0, failed
	}
	return int64(i) + 1, failed
}
