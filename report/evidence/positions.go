package evidence

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"os"
	"path/filepath"
	"sort"
)

// positions is a file of where the records of a bundle are, in their order. It finds their numbers.
type positions struct {
	file  *os.File
	out   *bufio.Writer // to be flushed before records are looked up
	count int64
}

// position is where a record is in the archives from which the bundle is made, or that are made of it.
type position struct {
	Archive, Index int64 // of a line of a log its offset

	// Of archives made of a bundle:
	Was                                    int64 // its index in the archive that it is from
	Request, Metadata, Warcinfo, Continues int64 // as in record
}

const positionSize = 7 * 8

func newPositions(dir string) (*positions, error) {
	file, err := os.Create(filepath.Join(dir, "positions"))
	return &positions{file: file, out: bufio.NewWriter(file)}, err
}

// add adds the next record.
func (p *positions) add(x position) error {
	p.count++
	return binary.Write(p.out, binary.LittleEndian, x)
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
