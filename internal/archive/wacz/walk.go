package wacz

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"

	"github.com/klauspost/compress/flate"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
)

// walk lists the entries by their own headers, from the first byte of the file on,
// and returns where they end.
func (z scanner) walk() (entries []Entry, pos int64, err error) {
	for left := maxDirectory; left > 0; {
		e, ok, err := z.localEntry(pos)
		if err != nil || !ok {
			return entries, pos, err
		}
		if e.Flags&flagDescribed != 0 && e.CompressedSize64 == 0 {
			if err := z.measure(&e); err != nil {
				return entries, pos, err
			}
		}
		entries = append(entries, e)
		left -= directoryHeaderSize + len(e.Name)
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
func (z scanner) localEntry(pos int64) (e Entry, ok bool, err error) {
	b, err := z.read(pos, localHeaderSize)
	if err != nil || len(b) < localHeaderSize || !bytes.HasPrefix(b, []byte(localHeader)) {
		return e, false, err
	}
	name, extra := int(binary.LittleEndian.Uint16(b[26:])), int(binary.LittleEndian.Uint16(b[28:]))
	more, err := z.read(pos+localHeaderSize, name+extra)
	if err != nil || len(more) < name+extra {
		return e, false, err
	}
	e.setFields(b[6:], b[14:])
	e.Name = string(more[:name])
	e.widen(more[name:], nil)
	e.file, e.header, e.offset = z.at, pos, pos+localHeaderSize+int64(name+extra)
	return e, true, nil
}

// measure finds the end of an entry whose local header does not state its length, and
// its checksum, by the descriptor after it. If none matches the bytes before it, the
// entry goes on to the end of the file.
func (z scanner) measure(e *Entry) error {
	in := input.New(io.NewSectionReader(z.at, e.offset, z.size-e.offset), nil)
	var sizes entrySizes
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
		sizes = entrySizes{packed: uint64(z.size - e.offset)}
		sizes.unpacked = sizes.packed
	}
	e.CRC32, e.CompressedSize64, e.UncompressedSize64 = sizes.crc, sizes.packed, sizes.unpacked
	return nil
}

// entrySizes are the checksum and sizes that a descriptor states for the entry before
// it (§4.3.9).
type entrySizes struct {
	crc              uint32
	packed, unpacked uint64
}

// inflate reads a deflated entry to its own end, and reports whether a descriptor
// that matches follows.
func (s *entrySizes) inflate(in *input.Source) bool {
	sum := crc32.NewIEEE()
	n, err := io.Copy(sum, flate.NewReader(in))
	if err != nil {
		return false
	}
	s.crc, s.packed, s.unpacked = sum.Sum32(), uint64(in.Position()), uint64(n)
	b, _ := in.Peek(dataDescriptorSize)
	return s.describedBy(b) || s.describedBy(bytes.TrimPrefix(b, []byte(dataDescriptor)))
}

// scan reads a stored entry up to a descriptor that matches what stands before it.
// No page can hold one: it would have to know what was written before it.
func (s *entrySizes) scan(in *bufio.Reader) bool {
	for {
		b, err := in.Peek(fileBuffer)
		n, found := s.scanPart(b, err != nil)
		if found || n == 0 {
			return found
		}
		in.Discard(n)
	}
}

// scanPart looks for the descriptor in b, and returns how many bytes it has passed.
// Without last more follows: a possible start of a descriptor is left.
func (s *entrySizes) scanPart(b []byte, last bool) (n int, found bool) {
	for n < len(b) {
		next := bytes.Index(b[n:], []byte(dataDescriptor))
		switch {
		case next < 0 && last:
			s.take(b[n:])
			return len(b), false
		case next < 0:
			next = max(len(b)-n-len(dataDescriptor)+1, 0)
			fallthrough
		case !last && len(b)-n-next < dataDescriptorSize:
			s.take(b[n : n+next])
			return n + next, false
		}
		s.take(b[n : n+next])
		n += next
		if s.describedBy(b[n+len(dataDescriptor):]) {
			return n, true
		}
		s.take(b[n : n+1])
		n++
	}
	return n, false
}

// take counts bytes of a stored entry.
func (s *entrySizes) take(b []byte) {
	s.crc = crc32.Update(s.crc, crc32.IEEETable, b)
	s.packed += uint64(len(b))
	s.unpacked = s.packed
}

// describedBy reports whether b begins with a descriptor, after its signature, with
// sizes of 32 or 64 bits, that equals s.
func (s *entrySizes) describedBy(b []byte) bool {
	if len(b) < 12 || binary.LittleEndian.Uint32(b) != s.crc {
		return false
	}
	b = b[4:]
	if uint64(binary.LittleEndian.Uint32(b)) == s.packed && uint64(binary.LittleEndian.Uint32(b[4:])) == s.unpacked {
		return true
	}
	return len(b) >= 16 && binary.LittleEndian.Uint64(b) == s.packed && binary.LittleEndian.Uint64(b[8:]) == s.unpacked
}

// behind returns where the next structure begins after an entry and its descriptor.
func (z scanner) behind(e *Entry) (int64, error) {
	end := e.offset + e.packed()
	if e.Flags&flagDescribed == 0 {
		return end, nil
	}
	b, err := z.read(end, dataDescriptorSize+len(localHeader))
	if err != nil {
		return end, err
	}
	for _, n := range [...]int{16, 24, 12, 20} { // of 32 or 64 bits, with or without a signature
		if len(b) >= n && (len(b) == n || isStructure(b[n:])) {
			return end + int64(n), nil
		}
	}
	return end, nil
}

// isStructure reports whether b begins with a structure that can follow an entry.
func isStructure(b []byte) bool {
	return slices.ContainsFunc([]string{localHeader, directoryHeader, endRecord64, endRecord},
		func(s string) bool { return bytes.HasPrefix(b, []byte(s)) })
}
