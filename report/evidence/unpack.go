package evidence

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// unpacker puts the records of a bundle into archives of their own, one for each that they
// are from.
type unpacker struct {
	dir       string
	archives  []archive
	newest    string   // date of the manifest, which records without a date have
	paths     []string // of the archives made
	file      *os.File
	out       *bufio.Writer
	gzip      *gzip.Writer
	index     int64   // of the last record in the archive in hand, as Fetch.Index counts; of a log its size
	last      int64   // its index in the archive that it is from
	damaged   bool    // the copy has the damage that the records after it had in their archive
	plain     int64   // bytes that may still be written uncompressed
	behind    []int64 // by archive the number of the first record after it
	positions *positions
	clocks    [][]facts.Clock // of the archives made, by their records
}

// maxPlain bounds what is written uncompressed: archives with records that a page could hold.
const maxPlain = 1 << 30

func newUnpacker(dir string, archives []archive, newest string) (u *unpacker, err error) {
	u = &unpacker{dir: dir, archives: archives, newest: newest, plain: maxPlain, out: bufio.NewWriterSize(nil, 64<<10)}
	if u.gzip, err = gzip.NewWriterLevel(nil, gzip.BestSpeed); err != nil {
		return nil, err
	}
	file, err := newSpool(dir, "positions")
	u.positions = &positions{spool: file}
	return u, err
}

// was is the index that a record has in the archive that it is from, by its index in the one made; 0: none.
func (u *unpacker) was(archive, index int64) (int64, error) {
	if index == 0 {
		return 0, nil
	}
	number, err := u.positions.number(archive, index)
	if number == 0 || err != nil {
		return 0, err
	}
	p, err := u.positions.at(number)
	return p.Was, err
}

// begin goes on to the next archive.
func (u *unpacker) begin() (err error) {
	if err := u.end(); err != nil {
		return err
	}
	n := len(u.paths)
	a := &u.archives[n]
	path := filepath.Join(u.dir, fmt.Sprintf("%08d.%s", n, a.Form))
	if u.file, err = os.Create(path); err != nil {
		return err
	}
	u.paths, u.clocks = append(u.paths, path), append(u.clocks, nil)
	u.out.Reset(u.file)
	u.index, u.last, u.damaged = 0, 0, false
	switch a.Form {
	case formWARC:
		return u.fill()
	case formARC: // ARC archives begin so; the number makes each unlike any other
		block := "1 0 robotsaudit\nURL IP-address Archive-date Content-type Archive-length\n"
		return u.add(func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "filedesc://%d.arc 0.0.0.0 19960101000000 text/plain %d\n%s\n", n, len(block),
				block)
			return err
		})
	}
	return nil
}

// fill adds an empty record in the place of others: a record that was not directly next to another must not
// be so now. The number makes each archive unlike any other.
func (u *unpacker) fill() error {
	return u.add(func(w io.Writer) error {
		id := uuidOf("left out", strconv.Itoa(len(u.paths)), strconv.FormatInt(u.index, 10))
		_, err := fmt.Fprintf(w, "%s\r\n\r\n",
			header("conversion", id, u.newest, "urn:robotsaudit:left-out", "", "text/plain", 0))
		return err
	})
}

// add adds a record as a member. Of an archive with records that a page could hold the copy
// is not compressed, for only there can there be any.
func (u *unpacker) add(write func(io.Writer) error) error {
	u.index++
	if u.archives[len(u.paths)-1].Forgeable {
		return write(plainWriter{u})
	}
	u.gzip.Reset(u.out)
	return errors.Join(write(u.gzip), u.gzip.Close())
}

// plainWriter writes up to the bound of what is not compressed.
type plainWriter struct{ *unpacker }

func (w plainWriter) Write(b []byte) (int, error) {
	if w.plain -= int64(len(b)); w.plain < 0 {
		return 0, refusef("its archives that hold records after damage have more than %d bytes; bundle fewer "+
			"findings at a time", maxPlain)
	}
	return w.out.Write(b)
}

// record adds the record that m holds next.
func (u *unpacker) record(m *member, r *record) (err error) {
	at := u.index
	form := u.archives[r.Archive].Form
	if form != formLog {
		err = u.separate(r)
	}
	if err == nil && form == formWARC && r.Index != u.last+1 {
		err = u.fill()
	}
	if err != nil {
		return err
	}
	err = u.add(func(w io.Writer) error {
		switch form {
		case formWARC:
			return m.read(w, w, r.Size, false)
		case formARC:
			return errors.Join(m.read(w, io.Discard, r.Size, true), writeString(w, "\n"))
		}
		return m.read(w, io.Discard, r.Size, true)
	})
	if err != nil {
		return err
	}
	if form == formLog {
		u.index = at + r.Size
	} else {
		at = u.index
	}
	u.last = r.Index
	if list := &u.clocks[len(u.paths)-1]; r.Clock != 0 || len(*list) > 0 {
		*list = append(*list, facts.Clock{From: at, Seconds: r.Clock})
	}
	return u.positions.add(position{int64(r.Archive), at, r.Index, r.companions})
}

// separate puts damage before the first record that stood after any.
func (u *unpacker) separate(r *record) error {
	if !r.Resynced || u.damaged {
		return nil
	}
	u.damaged = true
	u.index++                                                           // ingest counts damage, too
	if a := &u.archives[r.Archive]; a.Forgeable && a.Form == formWARC { // what is before must be seen to end
		return writeString(u.out, "WARC/1.1\r\nContent-Length: not known\r\n\r\n")
	}
	return writeString(u.out, "bytes that are no record")
}

// end closes the archive in hand.
func (u *unpacker) end() error {
	if u.file == nil {
		return nil
	}
	u.behind = append(u.behind, u.positions.count+1)
	err := errors.Join(u.out.Flush(), u.file.Close())
	u.file = nil
	return err
}

// close lets go of all files, which Windows does not remove before.
func (u *unpacker) close() {
	if u.file != nil {
		u.file.Close()
	}
	u.positions.file.Close()
}

// finish closes the archives.
func (u *unpacker) finish() error { return errors.Join(u.end(), u.positions.Flush()) }

func writeString(w io.Writer, s string) error {
	_, err := io.WriteString(w, s)
	return err
}
