package inflate

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/robotsaudit/robotsaudit/internal/longtest"
)

// outcome is the result of an input: the content of all members, where each ended, and
// how the last one ended.
type outcome struct {
	content []byte
	ends    []int64
	end     string // "end", "cut", "damaged", or a reader's error
	err     error  // that, as it was
}

func ending(err error) string {
	var damage *DamageError
	switch {
	case err == io.EOF:
		return "end"
	case err == io.ErrUnexpectedEOF:
		return "cut"
	case err == gzip.ErrHeader, err == gzip.ErrChecksum, errors.As(err, &damage), errors.As(err,
		new(flate.CorruptInputError)):
		return "damaged"
	}
	return err.Error()
}

// reference reads data with compress/gzip.
func reference(data []byte) (o outcome) {
	src := bytes.NewReader(data)
	var z gzip.Reader
	for {
		if err := z.Reset(src); err != nil {
			o.end = ending(err)
			return o
		}
		z.Multistream(false)
		b, err := io.ReadAll(&z)
		o.content = append(o.content, b...)
		if err != nil {
			o.end = ending(err)
			return o
		}
		o.ends = append(o.ends, int64(len(data)-src.Len()))
	}
}

// inflated reads src with r.
func inflated(r *Reader, src io.Reader) (o outcome) {
	r.Reset(src)
	for {
		if err := r.NextMember(); err != nil {
			o.end, o.err = ending(err), err
			return o
		}
		b, err := io.ReadAll(r)
		o.content = append(o.content, b...)
		if err != nil {
			o.end, o.err = ending(err), err
			return o
		}
		o.ends = append(o.ends, r.Offset())
	}
}

// A feed reads data in one way or another.
type feed func(data []byte) io.Reader

func atOnce(data []byte) io.Reader { return bytes.NewReader(data) }

// same fails where r finds something else in data than compress/gzip.
func same(t *testing.T, r *Reader, data []byte, feed feed) {
	t.Helper()
	got := inflated(r, feed(data))
	compare(t, reference(data), got)
	if behind := r.out[outSize:]; !bytes.Equal(behind, make([]byte, len(behind))) {
		t.Fatal("bytes were written behind the window")
	}
}

func compare(t *testing.T, want, got outcome) {
	t.Helper()
	if !bytes.Equal(want.content, got.content) {
		t.Fatalf("%d bytes, want %d, or others", len(got.content), len(want.content))
	}
	if want.end != got.end {
		t.Fatalf("ends %q, want %q", got.end, want.end)
	}
	if len(want.ends) != len(got.ends) {
		t.Fatalf("%d members, want %d", len(got.ends), len(want.ends))
	}
	for i := range want.ends {
		if want.ends[i] != got.ends[i] {
			t.Fatalf("member %d ends at %d, want %d", i, got.ends[i], want.ends[i])
		}
	}
}

// member makes a gzip member of a DEFLATE stream. Where compress/flate reads it,
// the trailer is right, so that what it holds decides.
func member(deflated []byte) []byte {
	src := bytes.NewReader(deflated)
	content, err := io.ReadAll(flate.NewReader(src))
	m := append([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}, deflated...)
	if err != nil {
		return m
	}
	m = m[:len(m)-src.Len()]
	m = binary.LittleEndian.AppendUint32(m, crc32.ChecksumIEEE(content))
	return binary.LittleEndian.AppendUint32(m, uint32(len(content)))
}

func deflate(content []byte, level int) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, level)
	w.Write(content)
	w.Close()
	return b.Bytes()
}

// zipped makes a gzip member with all that a header can hold.
func zipped(content []byte, level int, h gzip.Header) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, level)
	w.Header = h
	w.Write(content)
	w.Close()
	return b.Bytes()
}

// withHeaderCRC adds a checksum to the header of a member, whose header has n
// bytes.
func withHeaderCRC(m []byte, n int) []byte {
	m = bytes.Clone(m)
	m[3] |= flagHeaderCRC
	head := binary.LittleEndian.AppendUint16(bytes.Clone(m[:n]), uint16(crc32.ChecksumIEEE(m[:n])))
	return append(head, m[n:]...)
}

var levels = []int{flate.NoCompression, flate.BestSpeed, flate.DefaultCompression, flate.HuffmanOnly}

// contents are small contents of many kinds.
func contents() [][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 3000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	return [][]byte{
		{},
		[]byte("a"), []byte("robots"), bytes.Repeat([]byte("a"), 1000), bytes.Repeat([]byte("abcdefg"), 500),
		page(random, 5000), noise, bytes.Repeat(noise[:700], 4),
	}
}

func members() (all [][]byte) {
	extra := gzip.Header{Extra: []byte("LX\x08\x00abcdefgh"), Name: "a name", Comment: "a comment"}
	for _, content := range contents() {
		for _, level := range levels {
			all = append(all, zipped(content, level, gzip.Header{}))
		}
	}
	full := zipped([]byte("full"), 6, extra)
	plain := zipped([]byte("plain"), 6, gzip.Header{})
	reserved := bytes.Clone(plain)
	reserved[3] |= 0xe1
	return append(all, full, reserved,
		withHeaderCRC(plain, 10), withHeaderCRC(full, 10+2+len(extra.Extra)+len(extra.Name)+len(extra.Comment)+2),
		zipped(nil, 6, gzip.Header{Extra: make([]byte, 65535)}),
		zipped(nil, 6, gzip.Header{Name: string(bytes.Repeat([]byte("n"), 511))}),
		zipped(nil, 6, gzip.Header{Comment: string(bytes.Repeat([]byte("n"), 512))}))
}

func TestMembersLikeCompressGzip(t *testing.T) {
	r := NewReader(nil)
	all := members()
	for _, m := range all {
		same(t, r, m, atOnce)
	}
	whole := bytes.Join(all, nil)
	same(t, r, whole, atOnce)
	same(t, r, whole, func(b []byte) io.Reader { return iotest.DataErrReader(atOnce(b)) })
	same(t, r, whole, func(b []byte) io.Reader { return iotest.HalfReader(atOnce(b)) })
	for step := range uint16(40) {
		same(t, r, whole, stepped(1+step))
	}
}

// TestCut cuts members at every byte: nearly always compress/gzip yields what came
// before and calls it cut, and so does Reader.
func TestCut(t *testing.T) {
	r := NewReader(nil)
	for _, m := range members() {
		step := 1 + len(m)/200
		for n := 0; n < len(m); n += step {
			same(t, r, m[:n], atOnce)
		}
	}
}

// TestFlipped damages members bit by bit.
func TestFlipped(t *testing.T) {
	r := NewReader(nil)
	for _, m := range members() {
		step := 1 + 8*len(m)/400
		for bit := 0; bit < 8*len(m); bit += step {
			flipped := bytes.Clone(m)
			flipped[bit/8] ^= 1 << (bit % 8)
			same(t, r, flipped, atOnce)
			body := member(flipped[10:])
			same(t, r, body, atOnce)
		}
	}
}

// bitWriter writes DEFLATE's bits.
type bitWriter struct {
	b []byte
	n int
}

func (w *bitWriter) write(value, bits int) {
	for i := range bits {
		if w.n%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[len(w.b)-1] |= byte(value>>i&1) << (w.n % 8)
		w.n++
	}
}

// lengthsBlock begins a last, dynamic block whose codes have these lengths.
func (w *bitWriter) lengthsBlock(lit, dist []int) {
	w.write(1, 1)
	w.write(2, 2)
	w.write(len(lit)-257, 5)
	w.write(len(dist)-1, 5)
	w.write(preSymbols-4, 4)
	for _, s := range preOrder { // 16 codes of 4 bits, none that repeats
		if s < 16 {
			w.write(4, 3)
		} else {
			w.write(0, 3)
		}
	}
	for _, n := range append(append([]int(nil), lit...), dist...) {
		reversed := n&1<<3 | n&2<<1 | n&4>>1 | n&8>>3
		w.write(reversed, 4)
	}
}

// randomCode returns the lengths of a complete code of at most n symbols, made by
// splitting codes, and damages some.
func randomCode(random *rand.Rand, n int) []int {
	lengths := []int{1, 1}
	for want := 2 + random.IntN(n-1); len(lengths) < want; {
		i := random.IntN(len(lengths))
		if random.IntN(3) > 0 { // long codes, too
			i = len(lengths) - 1
		}
		if lengths[i] == maxCode {
			i = random.IntN(len(lengths))
		}
		if lengths[i] == maxCode {
			break
		}
		lengths[i]++
		lengths = append(lengths, lengths[i])
	}
	for len(lengths) < n {
		lengths = append(lengths, 0)
	}
	random.Shuffle(n, func(i, j int) { lengths[i], lengths[j] = lengths[j], lengths[i] })
	switch i := random.IntN(n); random.IntN(8) {
	case 0:
		lengths[i] = random.IntN(16) // incomplete or over-subscribed
	case 1:
		clear(lengths) // no code
	case 2:
		clear(lengths)
		lengths[i] = 1 + random.IntN(2) // one code
	}
	return lengths
}

// TestCodes reads blocks with random codes, complete ones and others, and random
// symbols.
func TestCodes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	r := NewReader(nil)
	rounds := 20000
	if !longtest.Run() {
		rounds = 2000
	}
	history := page(random, 100)
	for range rounds {
		var w bitWriter
		w.stored(history)
		w.lengthsBlock(randomCode(random, 257+random.IntN(30)), randomCode(random, 2+random.IntN(29)))
		for range random.IntN(300) {
			w.write(int(random.Uint32()), 8)
		}
		m := member(w.b)
		same(t, r, m, atOnce)
	}
}

// stored writes a stored block.
func (w *bitWriter) stored(content []byte) {
	w.write(0, 3)
	w.b = binary.LittleEndian.AppendUint16(w.b, uint16(len(content)))
	w.b = binary.LittleEndian.AppendUint16(w.b, ^uint16(len(content)))
	w.b = append(w.b, content...)
	w.n = 8 * len(w.b)
}

// code writes the code of a symbol, of a canonical code with these lengths (RFC
// 1951 §3.2.2).
func (w *bitWriter) code(lengths []int, symbol int) {
	code, n := 0, lengths[symbol]
	for s, m := range lengths {
		if m != 0 && (m < n || m == n && s < symbol) {
			code += 1 << (n - m)
		}
	}
	for n--; n >= 0; n-- {
		w.write(code>>n, 1)
	}
}

// TestLongCodes reads symbols with codes of all lengths and with all their extra
// bits, whatever comes before them.
func TestLongCodes(t *testing.T) {
	lit, dist := make([]int, maxLitSymbols), make([]int, maxDistSymbols)
	for n := 1; n < maxCode; n++ {
		lit['a'+n], dist[n] = n, n
	}
	lit[endBlock], lit[284], dist[28], dist[29] = maxCode, maxCode, maxCode, maxCode
	random := rand.New(rand.NewPCG(8, 8))
	var w bitWriter
	w.stored(page(random, windowSize))
	w.lengthsBlock(lit, dist)
	for range 5000 {
		for range random.IntN(6) {
			w.code(lit, 'a'+1+random.IntN(maxCode-1))
		}
		w.code(lit, 284)
		w.write(random.IntN(32), 5)
		w.code(dist, 28+random.IntN(2))
		w.write(random.IntN(1<<13), 13)
	}
	w.code(lit, endBlock)
	m := member(w.b)
	same(t, NewReader(nil), m, atOnce)
}

// TestWindow refers as far back as possible, from everywhere in the window.
func TestWindow(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 8))
	noise := make([]byte, windowSize)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	var w bitWriter
	w.stored(noise)
	w.write(1, 1)
	w.write(1, 2)
	for range 5000 {
		w.write(0b10100011, 8) // 285, of 11000101: 258 bytes
		w.write(0b10111, 5)    // 29, of 11101
		w.write(1<<13-1, 13)
	}
	w.write(0, 7)
	m := member(w.b)
	same(t, NewReader(nil), m, atOnce)
}

// TestOverlaps copies matches of all lengths from all small distances, and from some
// larger ones, after any preceding bytes.
func TestOverlaps(t *testing.T) {
	lit, dist := make([]int, 288), make([]int, 32)
	for s := range lit { // RFC 1951 §3.2.6
		lit[s] = 8
		if s >= 144 && s < 256 {
			lit[s] = 9
		}
		if s >= 256 && s < 280 {
			lit[s] = 7
		}
	}
	for s := range dist {
		dist[s] = 5
	}
	random := rand.New(rand.NewPCG(10, 8))
	var w bitWriter
	w.stored(page(random, 1000))
	w.write(1, 1)
	w.write(1, 2)
	for distance := 1; distance <= 150; distance++ {
		for length := minMatch; length <= maxMatch; length++ {
			for range random.IntN(3) {
				w.code(lit, random.IntN(256))
			}
			w.symbol(lit, 257, length-minMatch, litEntries[257:286])
			w.symbol(dist, 0, distance-1, distEntries[:maxDistSymbols])
		}
	}
	w.code(lit, endBlock)
	m := member(w.b)
	same(t, NewReader(nil), m, atOnce)
}

// symbol writes the last of some symbols, from first on, whose least value is not
// above value, and the extra bits.
func (w *bitWriter) symbol(lengths []int, first, value int, entries []uint32) {
	for i := len(entries) - 1; i >= 0; i-- {
		extra := int(entries[i] & entryWidth)
		least := int(entries[i] >> entryValue)
		if first == 0 {
			least <<= extra
		}
		if least <= value {
			w.code(lengths, first+i)
			w.write(value-least, extra)
			return
		}
	}
}

func FuzzInflate(f *testing.F) {
	for _, content := range contents() {
		for _, level := range levels {
			d := deflate(content, level)
			f.Add(d, uint16(0))
			f.Add(d[:len(d)/2], uint16(3))
		}
	}
	r := NewReader(nil)
	f.Fuzz(func(t *testing.T, deflated []byte, step uint16) {
		m := member(deflated)
		same(t, r, m, stepped(step))
	})
}

func FuzzMember(f *testing.F) {
	for _, m := range members() {
		f.Add(m, uint16(0))
		f.Add(append(m[:len(m):len(m)], m...), uint16(1))
		f.Add(m[:len(m)/2], uint16(9))
	}
	r := NewReader(nil)
	f.Fuzz(func(t *testing.T, data []byte, step uint16) { same(t, r, data, stepped(step)) })
}

// stepped reads data in pieces of step bytes; all at once for 0.
func stepped(step uint16) feed {
	if step == 0 {
		return atOnce
	}
	return func(data []byte) io.Reader {
		return readFunc(func(p []byte) (int, error) {
			if len(data) == 0 {
				return 0, io.EOF
			}
			n := copy(p[:min(len(p), int(step))], data)
			data = data[n:]
			return n, nil
		})
	}
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
