package ingest

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/warc"
)

// The structures of a zip file (APPNOTE.TXT 6.3.10 §4.3): the bytes that begin
// them, and the length of their fixed parts.
const (
	zipLocalHeader  = "PK\x03\x04" // before each entry
	zipDescriptor   = "PK\x07\x08" // behind an entry whose sizes its writer did not know before
	zipDirectory    = "PK\x01\x02" // one header for each entry
	zipEnd64        = "PK\x06\x06"
	zipEnd64Locator = "PK\x06\x07"
	zipEnd          = "PK\x05\x06"

	zipLocalSize     = 30
	zipDirectorySize = 46
	zipEnd64Size     = 56
	zipLocatorSize   = 20
	zipEndSize       = 22
	zipMaxComment    = math.MaxUint16

	zipDescriptorSize = 24 // at most
)

const (
	zipEncrypted   = 1 << 0 // flag: what it says
	zipDescribed   = 1 << 3 // flag: a descriptor follows the entry
	zip64Extra     = 1      // extra field with sizes that need 64 bits
	zip64Elsewhere = math.MaxUint32
)

// zipEntry is an entry of a zip file that can be read at random.
type zipEntry struct {
	zip.FileHeader
	file    io.ReaderAt
	header  int64  // where its local header begins in the file
	offset  int64  // of its bytes in the file
	endless bool   // where it ends is not known: it was read to the end of the file
	problem string // why it is not read

	resumption *resumption // of a damaged one that was read, nil before
}

// zipListing is what a zip file holds.
type zipListing struct {
	entries []zipEntry // in the order of its directory, without folders
	fault   string     // why its directory was not used; "" where it was
	end     int64      // where the entries end that were found without the directory
}

// openZip lists the entries of a zip file.
//
// The directory at its end is believed only if it covers the file from its first
// byte to its last. Readers take any end record near the end of the file, with
// whatever stands before it as a prefix: of a file that was cut behind a page that
// is itself a zip file they would read that page alone. Without a directory the
// entries are read one after the other from the first byte on. What lies inside one
// of them is its content and never an entry.
func openZip(at io.ReaderAt, size int64) (zipListing, error) {
	z := zipScanner{at: at, size: size}
	var list zipListing
	entries, err := z.directory()
	var fault *zipFault
	switch {
	case err == nil:
		list.entries = entries
	case errors.As(err, &fault):
		list.fault = fault.reason
		if list.entries, list.end, err = z.walk(); err != nil {
			return list, err
		}
	default:
		return list, err
	}
	list.entries = slices.DeleteFunc(list.entries, func(e zipEntry) bool { return strings.HasSuffix(e.Name, "/") })
	for i := range list.entries {
		list.entries[i].judge()
	}
	markTwins(list.entries)
	markOverlaps(list.entries)
	return list, nil
}

// judge finds what keeps an entry from being read.
func (e *zipEntry) judge() {
	switch {
	case e.problem != "":
	case e.Flags&zipEncrypted != 0:
		e.problem = "it is encrypted"
	case e.Method != zip.Store && e.Method != zip.Deflate:
		e.problem = fmt.Sprintf("it is compressed by method %d", e.Method)
	case e.Method == zip.Store && e.CompressedSize64 != e.UncompressedSize64:
		e.problem = "it is stored, and its sizes differ"
	case len(e.Name) > maxEntryName:
		e.problem = fmt.Sprintf("its name has %d bytes, more than %d", len(e.Name), maxEntryName)
	}
}

// markTwins finds entries of the same name, of which readers take any.
func markTwins(entries []zipEntry) {
	seen := make(map[string]bool)
	for i := range entries {
		e := &entries[i]
		if seen[e.Name] && e.problem == "" {
			e.problem = "another entry before it has the same name"
		}
		seen[e.Name] = true
	}
}

// markOverlaps finds entries that share bytes with another: no writer does that,
// and a small file becomes a large one so.
func markOverlaps(entries []zipEntry) {
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(entries[a].offset, entries[b].offset) })
	var end int64
	for _, i := range order {
		e := &entries[i]
		if e.problem != "" || e.CompressedSize64 == 0 {
			continue
		}
		if e.offset < end {
			e.problem = "it shares bytes with another entry"
			continue
		}
		end = e.offset + e.packed()
	}
}

// packed is the length of the entry's bytes in the file.
func (e *zipEntry) packed() int64 { return int64(min(e.CompressedSize64, 1<<62)) }

// unpacked is the length of the entry's content.
func (e *zipEntry) unpacked() int64 { return int64(min(e.UncompressedSize64, 1<<62)) }

// name is the entry's name in the facts.
func (e *zipEntry) name() string { return cut(e.Name, maxEntryName) }

func (e *zipEntry) stored() *io.SectionReader {
	return io.NewSectionReader(e.file, e.offset, e.packed())
}

// at reads the entry at random.
func (e *zipEntry) at() io.ReaderAt {
	if e.Method == zip.Store {
		return e.stored()
	}
	return &inflatedAt{open: e.open}
}

// zipScanner finds the entries of a zip file.
type zipScanner struct {
	at   io.ReaderAt
	size int64
}

// zipFault is why a zip file's directory cannot be used.
type zipFault struct{ reason string }

func (f *zipFault) Error() string { return f.reason }

func zipFaultf(format string, args ...any) error { return &zipFault{fmt.Sprintf(format, args...)} }

// read reads n bytes, fewer at the end of the file. The errors are those of the file.
func (z zipScanner) read(offset int64, n int) ([]byte, error) {
	b := make([]byte, max(min(int64(n), z.size-offset), 0))
	n, err := z.at.ReadAt(b, offset)
	if err == nil || err == io.EOF {
		return b[:n], nil
	}
	if !warc.IsReadError(err) {
		err = &warc.ReadError{Err: err}
	}
	return nil, err
}

// directory lists the entries as the file's directory does, if that covers the file.
func (z zipScanner) directory() ([]zipEntry, error) {
	start, end, err := z.findDirectory()
	if err != nil {
		return nil, err
	}
	if end-start > maxZipDirectory {
		return nil, zipFaultf("its directory has more than %d bytes", maxZipDirectory)
	}
	b, err := z.read(start, int(end-start))
	if err != nil {
		return nil, err
	}
	var entries []zipEntry
	for len(b) > 0 {
		e, rest, ok := parseDirectoryHeader(b)
		if !ok {
			return nil, zipFaultf("its directory is damaged")
		}
		e.file, b = z.at, rest
		entries = append(entries, e)
	}
	if err := z.cover(entries, start); err != nil {
		return nil, err
	}
	for i := range entries {
		if err := z.locate(&entries[i], start); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// findDirectory returns where the directory begins and ends. The end record has to
// be the last thing in the file, but for its comment, and the directory to end right
// before it.
func (z zipScanner) findDirectory() (start, end int64, err error) {
	tailStart := max(z.size-zipEndSize-zipMaxComment, 0)
	tail, err := z.read(tailStart, zipEndSize+zipMaxComment)
	if err != nil {
		return 0, 0, err
	}
	i := lastZipEnd(tail)
	if i < 0 {
		return 0, 0, zipFaultf("it does not end as a zip file does")
	}
	record := tail[i:]
	end = tailStart + int64(i)
	length, start := int64(binary.LittleEndian.Uint32(record[12:])), int64(binary.LittleEndian.Uint32(record[16:]))
	if i >= zipLocatorSize && bytes.HasPrefix(tail[i-zipLocatorSize:], []byte(zipEnd64Locator)) {
		end = int64(binary.LittleEndian.Uint64(tail[i-zipLocatorSize+8:]))
		record, err := z.read(max(end, 0), zipEnd64Size)
		if err != nil {
			return 0, 0, err
		}
		if end < 0 || len(record) < zipEnd64Size || !bytes.HasPrefix(record, []byte(zipEnd64)) {
			return 0, 0, zipFaultf("it has no end record of 64 bits where it says")
		}
		length, start = int64(binary.LittleEndian.Uint64(record[40:])), int64(binary.LittleEndian.Uint64(record[48:]))
	}
	if start < 0 || length < 0 || start > end || length != end-start {
		return 0, 0, zipFaultf("its directory is not where its end record says")
	}
	return start, end, nil
}

// lastZipEnd finds the last end record in the tail of a file that ends, with its
// comment, where the file does; -1: there is none.
func lastZipEnd(tail []byte) int {
	for i := len(tail) - zipEndSize; i >= 0; i-- {
		if bytes.HasPrefix(tail[i:], []byte(zipEnd)) && i+zipEndSize+int(binary.LittleEndian.Uint16(tail[i+20:])) == len(tail) {
			return i
		}
	}
	return -1
}

// parseDirectoryHeader reads the first header of a directory.
func parseDirectoryHeader(b []byte) (e zipEntry, rest []byte, ok bool) {
	if len(b) < zipDirectorySize || !bytes.HasPrefix(b, []byte(zipDirectory)) {
		return e, nil, false
	}
	name, extra := int(binary.LittleEndian.Uint16(b[28:])), int(binary.LittleEndian.Uint16(b[30:]))
	whole := zipDirectorySize + name + extra + int(binary.LittleEndian.Uint16(b[32:]))
	if len(b) < whole {
		return e, nil, false
	}
	offset := uint64(binary.LittleEndian.Uint32(b[42:]))
	e.setFields(b[8:], b[16:])
	e.Name = string(b[zipDirectorySize : zipDirectorySize+name])
	e.widen(b[zipDirectorySize+name:zipDirectorySize+name+extra], &offset)
	e.header = int64(min(offset, 1<<62))
	return e, b[whole:], true
}

// setFields reads what both headers of an entry have: its flags and method, its
// checksum and sizes.
func (e *zipEntry) setFields(flags, sums []byte) {
	e.Flags, e.Method = binary.LittleEndian.Uint16(flags), binary.LittleEndian.Uint16(flags[2:])
	e.CRC32 = binary.LittleEndian.Uint32(sums)
	e.CompressedSize64 = uint64(binary.LittleEndian.Uint32(sums[4:]))
	e.UncompressedSize64 = uint64(binary.LittleEndian.Uint32(sums[8:]))
}

// widen takes from an extra field the numbers that need 64 bits (§4.5.3).
func (e *zipEntry) widen(extra []byte, offset *uint64) {
	for len(extra) >= 4 {
		id, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		field := extra[4:min(4+n, len(extra))]
		extra = extra[4+len(field):]
		if id != zip64Extra {
			continue
		}
		for _, v := range [...]*uint64{&e.UncompressedSize64, &e.CompressedSize64, offset} {
			if v != nil && *v == zip64Elsewhere && len(field) >= 8 {
				*v, field = binary.LittleEndian.Uint64(field), field[8:]
			}
		}
	}
}

// cover makes sure that the entries of a directory at end are all that the file
// holds: they lie one behind the other, and no other entry begins between them.
func (z zipScanner) cover(entries []zipEntry, end int64) error {
	order := make([]*zipEntry, len(entries))
	for i := range entries {
		order[i] = &entries[i]
	}
	slices.SortStableFunc(order, func(a, b *zipEntry) int { return cmp.Compare(a.header, b.header) })
	var gaps warc.Window
	free := func(from, to int64) error {
		if from > to {
			return zipFaultf("its directory lists entries that lie in one another")
		}
		if to-from < zipLocalSize {
			return nil
		}
		found, err := gaps.Find(z.at, from, to, func(b []byte) int {
			return bytes.Index(b[:min(int64(len(b)), to-from+zipLocalSize)], []byte(zipLocalHeader))
		})
		if err == nil && found >= 0 && found < to {
			err = zipFaultf("its directory leaves out the entry at %d", found)
		}
		return err
	}
	pos := int64(0)
	for _, e := range order {
		if err := free(pos, e.header); err != nil {
			return err
		}
		pos = e.header + zipLocalSize + int64(len(e.Name)) + e.packed()
	}
	return free(pos, end)
}

// locate finds the bytes of an entry behind its local header, before end.
func (z zipScanner) locate(e *zipEntry, end int64) error {
	b, err := z.read(e.header, zipLocalSize+len(e.Name))
	if err != nil {
		return err
	}
	if len(b) < zipLocalSize || !bytes.HasPrefix(b, []byte(zipLocalHeader)) {
		e.problem = "no header where the directory says"
		return nil
	}
	if string(b[zipLocalSize:]) != e.Name {
		return zipFaultf("its directory names the entry at %d otherwise than that does itself", e.header)
	}
	e.offset = e.header + zipLocalSize + int64(binary.LittleEndian.Uint16(b[26:])) + int64(binary.LittleEndian.Uint16(b[28:]))
	if e.packed() > end-e.offset {
		e.problem = "it does not end before the directory"
	}
	return nil
}

// walk lists the entries by their own headers, from the first byte of the file on,
// and returns where they end.
func (z zipScanner) walk() (entries []zipEntry, pos int64, err error) {
	for left := maxZipDirectory; left > 0; {
		e, ok, err := z.localEntry(pos)
		if err != nil || !ok {
			return entries, pos, err
		}
		if e.Flags&zipDescribed != 0 && e.CompressedSize64 == 0 {
			if err := z.measure(&e); err != nil {
				return entries, pos, err
			}
		}
		entries = append(entries, e)
		left -= zipDirectorySize + len(e.Name)
		if e.packed() > z.size-e.offset {
			return entries, z.size, nil
		}
		if pos, err = z.behind(&e); err != nil {
			return entries, pos, err
		}
	}
	return entries, pos, nil
}

// localEntry reads the local header at pos. ok is false where there is none.
func (z zipScanner) localEntry(pos int64) (e zipEntry, ok bool, err error) {
	b, err := z.read(pos, zipLocalSize)
	if err != nil || len(b) < zipLocalSize || !bytes.HasPrefix(b, []byte(zipLocalHeader)) {
		return e, false, err
	}
	name, extra := int(binary.LittleEndian.Uint16(b[26:])), int(binary.LittleEndian.Uint16(b[28:]))
	more, err := z.read(pos+zipLocalSize, name+extra)
	if err != nil || len(more) < name+extra {
		return e, false, err
	}
	e.setFields(b[6:], b[14:])
	e.Name = string(more[:name])
	e.widen(more[name:], nil)
	e.file, e.header, e.offset = z.at, pos, pos+zipLocalSize+int64(name+extra)
	return e, true, nil
}

// measure finds the end of an entry whose local header does not say how long it is,
// and its checksum, by the descriptor behind it. Where none matches what stands
// before it the entry goes on to the end of the file.
func (z zipScanner) measure(e *zipEntry) error {
	in := warc.NewSource(io.NewSectionReader(z.at, e.offset, z.size-e.offset), nil)
	var sizes zipSizes
	found := false
	switch e.Method {
	case zip.Deflate:
		found = sizes.inflate(in)
	case zip.Store:
		found = sizes.scan(in.Reader)
	}
	if err := in.Failed(); err != nil {
		return err
	}
	if !found {
		e.endless = true
		sizes = zipSizes{packed: uint64(z.size - e.offset)}
		sizes.unpacked = sizes.packed
	}
	e.CRC32, e.CompressedSize64, e.UncompressedSize64 = sizes.crc, sizes.packed, sizes.unpacked
	return nil
}

// zipSizes are what a descriptor says of the entry before it (§4.3.9).
type zipSizes struct {
	crc              uint32
	packed, unpacked uint64
}

// inflate reads a deflated entry to its own end, and reports whether a descriptor
// that matches follows.
func (s *zipSizes) inflate(in *warc.Source) bool {
	sum := crc32.NewIEEE()
	n, err := io.Copy(sum, flate.NewReader(in))
	if err != nil {
		return false
	}
	s.crc, s.packed, s.unpacked = sum.Sum32(), uint64(in.Position()), uint64(n)
	b, _ := in.Peek(zipDescriptorSize)
	return s.describedBy(b) || s.describedBy(bytes.TrimPrefix(b, []byte(zipDescriptor)))
}

// scan reads a stored entry up to a descriptor that matches what stands before it.
// No page can hold one: it would have to know what was written before it.
func (s *zipSizes) scan(in *bufio.Reader) bool {
	for {
		b, err := in.Peek(readBuffer)
		n, found := s.scanPart(b, err != nil)
		if found || n == 0 {
			return found
		}
		in.Discard(n)
	}
}

// scanPart looks for the descriptor in b, and returns how many bytes it has passed.
// Without last more follows: what could be the start of a descriptor is left.
func (s *zipSizes) scanPart(b []byte, last bool) (n int, found bool) {
	for n < len(b) {
		next := bytes.Index(b[n:], []byte(zipDescriptor))
		switch {
		case next < 0 && last:
			s.take(b[n:])
			return len(b), false
		case next < 0:
			next = max(len(b)-n-len(zipDescriptor)+1, 0)
			fallthrough
		case !last && len(b)-n-next < zipDescriptorSize:
			s.take(b[n : n+next])
			return n + next, false
		}
		s.take(b[n : n+next])
		n += next
		if s.describedBy(b[n+len(zipDescriptor):]) {
			return n, true
		}
		s.take(b[n : n+1])
		n++
	}
	return n, false
}

// take counts bytes of a stored entry.
func (s *zipSizes) take(b []byte) {
	s.crc = crc32.Update(s.crc, crc32.IEEETable, b)
	s.packed += uint64(len(b))
	s.unpacked = s.packed
}

// describedBy reports whether b begins with a descriptor, behind its signature, with
// sizes of 32 or 64 bits, that says what s does.
func (s *zipSizes) describedBy(b []byte) bool {
	if len(b) < 12 || binary.LittleEndian.Uint32(b) != s.crc {
		return false
	}
	b = b[4:]
	if uint64(binary.LittleEndian.Uint32(b)) == s.packed && uint64(binary.LittleEndian.Uint32(b[4:])) == s.unpacked {
		return true
	}
	return len(b) >= 16 && binary.LittleEndian.Uint64(b) == s.packed && binary.LittleEndian.Uint64(b[8:]) == s.unpacked
}

// behind returns where the next structure begins behind an entry and its descriptor.
func (z zipScanner) behind(e *zipEntry) (int64, error) {
	end := e.offset + e.packed()
	if e.Flags&zipDescribed == 0 {
		return end, nil
	}
	b, err := z.read(end, zipDescriptorSize+len(zipLocalHeader))
	if err != nil {
		return end, err
	}
	for _, n := range [...]int{16, 24, 12, 20} { // of 32 or 64 bits, with or without a signature
		if len(b) >= n && (len(b) == n || isZipStructure(b[n:])) {
			return end + int64(n), nil
		}
	}
	return end, nil
}

// isZipStructure reports whether b begins as what can stand behind an entry.
func isZipStructure(b []byte) bool {
	return slices.ContainsFunc([]string{zipLocalHeader, zipDirectory, zipEnd64, zipEnd}, func(s string) bool { return bytes.HasPrefix(b, []byte(s)) })
}
