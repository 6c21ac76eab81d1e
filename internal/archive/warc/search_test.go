package warc

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
)

// A budget that is spent ends the search, and the damage reports it.
func TestSearchBudgets(t *testing.T) {
	var member bytes.Buffer
	w := gzip.NewWriter(&member)
	w.Write([]byte(recordText("", 2)))
	w.Close()
	archive := slices.Concat(member.Bytes(), []byte("x"), member.Bytes())
	m := newMemberReader(gzipCodec{}, warcFraming{}, input.At(bytes.NewReader(archive), 0), bytes.NewReader(archive))
	m.search.budget = 10
	if n, details := readAll(t, m); n != 1 || len(details) != 1 || !strings.Contains(details[0], "given up") {
		t.Errorf("%d members, %q", n, details)
	}
	archive = []byte(recordText("", 1) + recordText("", 2) + recordText("", 2))
	p := newPlainReader(warcFraming{}, input.At(bytes.NewReader(archive), 0), bytes.NewReader(archive))
	p.search.budget = 10
	if n, details := readAll(t, p); n != 0 || len(details) != 1 || !strings.Contains(details[0], "given up") {
		t.Errorf("%d records, %q", n, details)
	}
}

// recordText is a record whose block is "ok", with a length that may be wrong.
func recordText(fields string, length int) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: resource\r\n%sContent-Length: %d\r\n\r\nok\r\n\r\n", fields, length)
}

// readAll counts the records, and returns the details of damage.
func readAll(t *testing.T, r Reader) (records int, details []string) {
	t.Helper()
	for {
		_, err := r.Next()
		if err == nil {
			if _, err = r.Finish(); err == nil {
				records++
				continue
			}
		}
		var d *Damage
		switch {
		case err == io.EOF:
			return records, details
		case !errors.As(err, &d):
			t.Fatal(err)
		}
		if details = append(details, d.Detail); !d.More {
			return records, details
		}
	}
}

// countingAt counts what is read of a file at random.
type countingAt struct {
	io.ReaderAt
	read int64
}

func (c *countingAt) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.read += int64(n)
	return n, err
}

// Candidates that no empty line follows are searched in one pass, whether their end
// comes late, too late or never, and whatever warcinfo they name.
func TestOwnedIsLinear(t *testing.T) {
	const most = 1000 << 10 // the room in a header, with its end
	for name, behind := range map[string]string{
		"no end":       "",
		"an end":       "\r\n\r\n",
		"another's id": "WARC-Warcinfo-ID: <urn:other>\r\n\r\n",
	} {
		work := func(size int) int64 {
			file := strings.Repeat("WARC/1.0\r\n", size/10) + behind
			at := &countingAt{ReaderAt: strings.NewReader(file)}
			s := plainSearch{framing: warcFraming{}, at: at, budget: maxProof}
			if start, err := s.owned(1, ownIDs{"urn:own": true}); start >= 0 || err != nil {
				t.Fatalf("%s: %d, %v", name, start, err)
			}
			return at.read + maxProof - s.budget
		}
		for _, size := range []int{most / 2, 4 * most} {
			if once, twice := work(size), work(2*size); float64(twice) > 2.3*float64(once) {
				t.Errorf("%s: work grows from %d to %d between %d bytes and twice as many", name, once, twice, size)
			}
		}
	}
}

// Of candidates that share an end, the first one whose header fits and names the
// archive's own warcinfo is the next record.
func TestOwnedCandidatesShareAnEnd(t *testing.T) {
	const line, own, other = "WARC/1.0\r\n", "WARC-Warcinfo-ID: <urn:own>\r\n", "WARC-Warcinfo-ID: <urn:other>\r\n"
	far := strings.Repeat("x: y\r\n", MaxRecordHeader/6)
	for name, c := range map[string]struct {
		file string
		want int
	}{
		"the first":           {line + line + own + "\r\n", 0},
		"another's id before": {line + line + other + line + line + own + "\r\n", len(line + line + other)},
		"another's id behind": {line + own + line + other + "\r\n", 0},
		"one that is too far": {line + far + line + own + "\r\n", len(line + far)},
		"behind an end":       {line + "\r\n" + line + own + "\r\n", len(line) + 2},
		"an id of no header":  {line + "\r\n" + own + "\r\n", -1},
		"no end":              {line + own, -1},
		"CR CR LF":            {line + other + "\r\r\n" + line + own + "\r\r\n", len(line+other) + 3},
		"at a piece's edge": {
			line + strings.Repeat("x: y\r\n", input.BufferSize/6-3) + "\r\n" + line + own + "\r\n",
			len(line) + input.BufferSize/6*6 - 18 + 2,
		},
	} {
		s := plainSearch{framing: warcFraming{}, at: strings.NewReader("\n" + c.file), budget: maxProof}
		start, err := s.owned(1, ownIDs{"urn:own": true})
		if start >= 0 {
			start--
		}
		if start != int64(c.want) || err != nil {
			t.Errorf("%s: %d, %v; want %d", name, start, err, c.want)
		}
	}
}

// The search after damage takes time in proportion to the file, whatever stands there.
func TestBehindIsLinear(t *testing.T) {
	const header = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:1>\r\nWARC-Date: 2024-05-01T12:00:00Z\r\nContent-Length: %d\r\n"
	const digest = "WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n"
	records := func(n int, fields string, length func(i, size int) int) string {
		size := len(fmt.Sprintf(header, 10_000_000)) + len(fields) + 2 // all of one size
		var b strings.Builder
		b.WriteByte('\n')
		for i := range n {
			h := fmt.Sprintf(header, max(0, length(i, size)))
			b.WriteString(h + fields + strings.Repeat(" ", size-2-len(h)-len(fields)) + "\r\n")
		}
		return b.String()
	}
	for name, file := range map[string]func(n int) string{
		"lengths to the end": func(n int) string {
			return records(n, "", func(i, size int) int { return (n - 1 - i) * size }) + "prose"
		},
		"different lengths": func(n int) string {
			return records(n, "",
				func(i, size int) int { return n*size + i })
		},
		"digests to the end": func(n int) string {
			return records(n, digest,
				func(i, size int) int { return (n - 1 - i) * size })
		},
		"digests of the next": func(n int) string {
			return records(n, digest,
				func(i, size int) int { return size })
		},
		"no record": func(n int) string { return "\n" + strings.Repeat("WARC/1.0\r\n", 20*n) },
		"no record, with an empty line": func(n int) string {
			return "\n" + strings.Repeat("WARC/1.0\r\n", 20*n) +
				"\r\n"
		},
		"line ends": func(n int) string {
			return records(1, "", func(int, int) int { return 0 }) + strings.Repeat("\n", 200*n)
		},
		"ARC": func(n int) string {
			return "\n" + strings.Repeat(fmt.Sprintf("http://h/ 192.0.2.1 20240501120000 x/y %d\n", 40*n), 4*n)
		},
	} {
		work := func(n int) int64 {
			archive := file(n)
			at := &countingAt{ReaderAt: strings.NewReader(archive)}
			f := framing(warcFraming{})
			if name == "ARC" {
				f = arcFraming{}
			}
			s := plainSearch{framing: f, at: at, budget: maxProof}
			for range 3 { // as many times as there is damage
				if _, _, err := s.behind(1, ownIDs{"urn:own": true}, false); err != nil && err != errProofSpent {
					t.Fatal(name, err)
				}
			}
			if limit := 60 * int64(len(archive)); at.read > limit {
				t.Errorf("%s: %d bytes read of a file of %d", name, at.read, len(archive))
			}
			return at.read + maxProof - s.budget
		}
		for _, n := range []int{1000, 8000} {
			if once, twice := work(n), work(2*n); float64(twice) > 2.3*float64(once) {
				t.Errorf("%s: work grows from %d to %d between %d records and twice as many", name, once, twice, n)
			}
		}
	}
}
