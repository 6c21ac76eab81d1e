package warc

import (
	"bytes"
	"errors"
	"io"
	"math"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// memberSearch looks for members after damage. A place where a member could begin
// proves nothing: a page can hold a whole member with a record of any content. So
// candidates must form a chain of whole members that begins with a record and
// proves itself:
//
//   - it runs unbroken to the end of the file, where no member inside a page ends;
//   - or it ends at a second damage, and all of its records name a warcinfo record
//     of this very file that was read before.
//
// A file that was cut short can end anywhere, inside a page as well. So a chain to
// its end is refused if it lies in the content of the member that breaks off there.
type memberSearch struct {
	framing framing
	codec   codec
	at      io.ReaderAt
	budget  int64          // bytes that may still be decompressed in search
	visited map[int64]bool // members of chains that were refused
	cut     []int64        // members that break off at the end of the file
	window  input.Window
}

// errSearchSpent ends a search that has used its budget.
var errSearchSpent = errors.New("the search has used its budget")

// behind returns where the first chain after the damage begins, -1 if there is none.
func (s *memberSearch) behind(d *Damage, own ownIDs) (int64, error) {
	s.visited, s.cut = make(map[int64]bool), nil
	if d.Kind == words.IssueTruncatedRecord {
		s.cut = append(s.cut, d.Offset)
	}
	for from := d.Offset + 1; ; {
		start, err := s.window.Find(s.at, from, math.MaxInt64, s.codec.find)
		if start < 0 || err != nil {
			return -1, err
		}
		from = start + 1
		if s.visited[start] {
			continue
		}
		s.budget -= candidateCost
		proven, err := s.walk(start, own)
		if err != nil || s.budget < 0 {
			return -1, err
		}
		if proven {
			return start, nil
		}
	}
}

// walk follows the members from start and reports whether they are a chain that
// proves itself. It stops at one that was walked before: they share its fate.
func (s *memberSearch) walk(start int64, own ownIDs) (proven bool, err error) {
	r := newMemberReader(budgetedCodec{s.codec, &s.budget}, s.framing, input.At(s.at, start), nil)
	named := len(own) > 0
	for records, last := 0, int64(-1); ; {
		rec, err := r.Next()
		if err == nil {
			if rec.Offset != last && s.visited[rec.Offset] {
				return false, nil
			}
			last = rec.Offset
			if len(s.visited) < maxVisited {
				s.visited[last] = true
			}
			id := rec.WarcinfoID
			if _, err = r.Finish(); err == nil {
				named = named && own[id]
				records++
				continue
			}
		}
		var d *Damage
		switch {
		case err == io.EOF:
			return records > 0 && !s.embedded(start), nil
		case errors.Is(err, errSearchSpent):
			return false, nil
		case !errors.As(err, &d):
			return false, err
		case records == 0:
			return false, nil
		case !d.More:
			if d.Kind == words.IssueTruncatedRecord {
				s.cut = append(s.cut, d.Offset)
			}
			return named, nil
		}
	}
}

// embedded reports whether the bytes at start lie in the content of a member that
// breaks off at the end of the file.
func (s *memberSearch) embedded(start int64) bool {
	needle := make([]byte, 64)
	n, _ := s.at.ReadAt(needle, start)
	for _, cut := range s.cut {
		if cut < start && s.contains(cut, needle[:n]) {
			return true
		}
	}
	return false
}

// contains reports whether the member at start holds the bytes of needle.
func (s *memberSearch) contains(start int64, needle []byte) bool {
	in := budgetedCodec{s.codec, &s.budget}.members(input.At(s.at, start))
	if in.next() != nil {
		return false
	}
	buf := make([]byte, 64<<10)
	for kept := 0; ; {
		n, err := in.Read(buf[kept:])
		n += kept
		if bytes.Contains(buf[:n], needle) {
			return true
		}
		if err != nil {
			return false
		}
		kept = copy(buf, buf[max(0, n-len(needle)+1):n])
	}
}

// goesOn reports whether a record of whose block left bytes are missing goes on
// in the member at start, although that begins as a record does: if it does, it
// ends at a boundary.
func (s *memberSearch) goesOn(start, left int64) bool {
	if s.at == nil || left == 0 {
		return false
	}
	r := newMemberReader(budgetedCodec{s.codec, &s.budget}, s.framing, input.At(s.at, start), nil)
	if r.openMember() != nil {
		return false
	}
	for left > 0 {
		n, err := r.out.Discard(left)
		left -= n
		if err != nil && (err != io.EOF || r.closeMember() != nil || r.openMember() != nil) {
			return false
		}
	}
	skipEnd(r.out)
	b, err := r.out.Peek(1)
	return len(b) == 0 && err == io.EOF || r.begins(beginning(r.out))
}

// budgetedCodec decompresses no more than a budget allows.
type budgetedCodec struct {
	codec
	left *int64
}

func (c budgetedCodec) members(src *input.Source) memberStream {
	return budgeted{c.codec.members(src), c.left}
}

type budgeted struct {
	memberStream
	left *int64
}

func (b budgeted) Read(p []byte) (int, error) {
	if *b.left < 0 {
		return 0, errSearchSpent
	}
	n, err := b.memberStream.Read(p)
	*b.left -= int64(n)
	return n, err
}

func (b budgeted) Peek(n int) ([]byte, error) {
	if *b.left < 0 {
		return nil, errSearchSpent
	}
	return b.memberStream.Peek(n)
}

func (b budgeted) Discard(n int64) (int64, error) {
	if *b.left < 0 {
		return 0, errSearchSpent
	}
	k, err := b.memberStream.Discard(min(n, *b.left+1))
	*b.left -= k
	if err == nil && k < n {
		err = errSearchSpent
	}
	return k, err
}
