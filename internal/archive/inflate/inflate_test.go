package inflate

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/longtest"
)

// vocabulary is made of letters as frequent as in English.
var vocabulary = sync.OnceValue(func() [][]byte {
	random := rand.New(rand.NewPCG(1, 7))
	words := make([][]byte, 8000)
	for i := range words {
		words[i] = make([]byte, 2+random.IntN(9))
		for j := range words[i] {
			words[i][j] = "etaoinshrdlucmfwypvbgk"[min(random.IntN(22), random.IntN(22))]
		}
	}
	return words
})

// page makes n bytes of HTML: words of Zipf's frequencies in markup that repeats,
// compressed about four to one where it is a page of 100 KB.
func page(random *rand.Rand, n int) []byte {
	words := vocabulary()
	zipf := rand.NewZipf(random, 1.1, 8, uint64(len(words)-1))
	word := func() []byte { return words[zipf.Uint64()] }
	b := fmt.Appendf(nil, "<!DOCTYPE html>\n<html><head><title>%s</title></head>\n<body>\n", word())
	for len(b) < n {
		switch random.IntN(10) {
		case 0:
			b = fmt.Appendf(b, "<div class=\"section\" id=\"%s\">\n", word())
		case 1, 2:
			b = fmt.Appendf(b, "  <li><a class=\"reference internal\" href=\"/library/%s.html#%02d\">%s</a></li>\n",
				word(), random.IntN(100), word())
		case 3, 4: // frequent words of pages
			from := random.IntN(len(b))
			b = append(b, b[from:min(len(b), from+100+random.IntN(600))]...)
		default:
			b = append(b, "<p>"...)
			for range 4 + random.IntN(30) {
				b = append(append(b, word()...), ' ')
			}
			b = append(b, "</p>\n"...)
		}
	}
	return b[:n]
}

// TestConsumers reads members with random calls and compares what they see.
func TestConsumers(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var archive []byte
	var want [][]byte
	for _, n := range []int{0, 1, 100, 3000, 400_000, 70_000, 1_500_000, 10} {
		want = append(want, page(random, n))
		archive = append(archive, zipped(want[len(want)-1], 6, gzip.Header{})...)
	}
	r := NewReader(nil)
	for range 30 {
		r.Reset(bytes.NewReader(archive))
		for i, w := range want {
			if err := r.NextMember(); err != nil {
				t.Fatal(err)
			}
			if random.IntN(5) == 0 { // leave the rest to NextMember
				w = w[:random.IntN(len(w)+1)]
			}
			consume(t, random, r, w)
			if len(w) == len(want[i]) {
				atEnd(t, r, w)
			}
		}
		if err := r.NextMember(); err != io.EOF || r.Offset() != int64(len(archive)) {
			t.Fatal(err, r.Offset())
		}
	}
}

// consume consumes w, which comes next, in one way or another.
func consume(t *testing.T, random *rand.Rand, r *Reader, w []byte) {
	t.Helper()
	for len(w) > 0 {
		n := 1 + random.IntN(min(len(w), 1<<random.IntN(21)))
		switch random.IntN(3) {
		case 0:
			n = min(n, maxPeek)
			b, err := r.Peek(n)
			if err != nil || len(b) < n || !bytes.Equal(b[:n], w[:n]) {
				t.Fatalf("Peek(%d): %d bytes, %v", n, len(b), err)
			}
			n = 0
		case 1:
			if k, err := r.Discard(int64(n)); k != int64(n) || err != nil {
				t.Fatal(k, err)
			}
		case 2:
			p := make([]byte, n)
			if _, err := io.ReadFull(r, p); err != nil || !bytes.Equal(p, w[:n]) {
				t.Fatal(err)
			}
		}
		w = w[n:]
	}
}

// atEnd checks the end of a member.
func atEnd(t *testing.T, r *Reader, content []byte) {
	t.Helper()
	if b, err := r.Peek(1); len(b) > 0 || err != io.EOF {
		t.Fatal(len(b), err)
	}
	if n, err := r.Discard(1); n != 0 || err != io.EOF {
		t.Fatal(n, err)
	}
	if r.CRC() != crc32.ChecksumIEEE(content) {
		t.Fatalf("CRC %x", r.CRC())
	}
}

func TestPeekTooMuch(t *testing.T) {
	r := NewReader(bytes.NewReader(zipped([]byte("short"), 6, gzip.Header{})))
	if err := r.NextMember(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Peek(maxPeek + 1); err != bufio.ErrBufferFull {
		t.Error(err)
	}
	if b, err := r.Peek(maxPeek); string(b) != "short" || err != io.EOF {
		t.Errorf("%q %v", b, err)
	}
}

func TestSkipZeros(t *testing.T) {
	a, b := zipped([]byte("a"), 6, gzip.Header{}), zipped([]byte("b"), 6, gzip.Header{})
	zeros := make([]byte, 300_000)
	archive := bytes.Join([][]byte{a, zeros, b, zeros}, nil)
	r := NewReader(bytes.NewReader(archive))
	for i, want := range []int{0, len(a) + len(zeros)} {
		if err := r.SkipZeros(); err != nil || r.Offset() != int64(want) {
			t.Fatal(i, err, r.Offset())
		}
		if ahead, err := r.Ahead(3); string(ahead) != "\x1f\x8b\x08" || err != nil {
			t.Fatal(i, ahead, err)
		}
		if err := r.NextMember(); err != nil {
			t.Fatal(i, err)
		}
	}
	if err := r.SkipZeros(); err != nil {
		t.Fatal(err)
	}
	if ahead, err := r.Ahead(3); len(ahead) != 0 || err != io.EOF {
		t.Fatal(ahead, err)
	}
	if err := r.NextMember(); err != io.EOF || r.Offset() != int64(len(archive)) {
		t.Fatal(err, r.Offset())
	}
}

// TestErrors: each kind of error is distinct, and sticky.
func TestErrors(t *testing.T) {
	disk := errors.New("disk")
	whole := zipped(bytes.Repeat([]byte("content "), 100_000), 6, gzip.Header{})
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-5]++
	length := bytes.Clone(whole)
	length[len(length)-1]++
	for name, c := range map[string]struct {
		src  io.Reader
		want string
	}{
		"disk": {io.MultiReader(bytes.NewReader(whole[:700]),
			readFunc(func([]byte) (int, error) { return 0, disk })), "disk"},
		"in header": {io.MultiReader(bytes.NewReader(whole[:7]),
			readFunc(func([]byte) (int, error) { return 0, disk })), "disk"},
		"at start": {readFunc(func([]byte) (int, error) { return 0, disk }), "disk"},
		"idle":     {readFunc(func([]byte) (int, error) { return 0, nil }), io.ErrNoProgress.Error()},
		"cut":      {bytes.NewReader(whole[:700]), "cut"},
		"checksum": {bytes.NewReader(damaged), "damaged"},
		"length":   {bytes.NewReader(length), "damaged"},
		"no gzip":  {bytes.NewReader([]byte("WARC/1.0\r\nWARC-Type: warcinfo")), "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewReader(c.src)
			err := r.NextMember()
			if err == nil {
				_, err = r.Discard(1 << 40)
			}
			if ending(err) != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			if again := r.NextMember(); again != err {
				t.Errorf("then %v, before %v", again, err)
			}
			if _, again := r.Peek(1); again != err {
				t.Errorf("Peek: %v, before %v", again, err)
			}
		})
	}
}

// TestReadErrorBehindMember: a disk that fails after a member does not hurt it.
func TestReadErrorBehindMember(t *testing.T) {
	disk := errors.New("disk")
	m := zipped([]byte("whole"), 6, gzip.Header{})
	r := NewReader(io.MultiReader(bytes.NewReader(m), readFunc(func([]byte) (int, error) { return 0, disk })))
	if err := r.NextMember(); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r); string(b) != "whole" || err != nil {
		t.Fatalf("%q %v", b, err)
	}
	if err := r.NextMember(); err != disk {
		t.Fatal(err)
	}
}

// TestLarge reads a member of more than 4 GiB: its length counts modulo 2³² (RFC
// 1952 §2.3.1), and it needs no more memory than a small one.
func TestLarge(t *testing.T) {
	if !longtest.Run() {
		t.Skip("takes seconds")
	}
	const piece, pieces = 1 << 26, 65
	zeros := make([]byte, piece)
	var first bytes.Buffer
	w := gzip.NewWriter(&first)
	w.Write(zeros)
	w.Flush()
	start := first.Len()
	w.Write(zeros)
	w.Flush()
	again := first.Bytes()[start:]
	crc := uint32(0)
	for range pieces {
		crc = crc32.Update(crc, crc32.IEEETable, zeros)
	}
	end := binary.LittleEndian.AppendUint32([]byte{1, 0, 0, 0xff, 0xff}, crc)
	end = binary.LittleEndian.AppendUint32(end, uint32(piece*pieces&0xffffffff))
	readers := []io.Reader{bytes.NewReader(first.Bytes()[:start])}
	for range pieces - 1 {
		readers = append(readers, bytes.NewReader(again))
	}
	r := NewReader(io.MultiReader(append(readers, bytes.NewReader(end))...))
	if err := r.NextMember(); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Discard(1 << 40); n != piece*pieces || err != io.EOF {
		t.Fatal(n, err)
	}
}

func TestNothingAllocated(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	var archive []byte
	for range 20 {
		archive = append(archive, zipped(page(random, 5000), 6, gzip.Header{Name: "name"})...)
	}
	src := bytes.NewReader(archive)
	r := NewReader(src)
	n := testing.AllocsPerRun(10, func() {
		src.Reset(archive)
		r.Reset(src)
		for r.NextMember() == nil {
			r.Discard(100)
			r.Peek(500)
		}
	})
	if n != 0 || r.Offset() != int64(len(archive)) {
		t.Errorf("%v allocations, at %d of %d", n, r.Offset(), len(archive))
	}
}
