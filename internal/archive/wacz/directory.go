package wacz

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
)

// directory lists the entries as the file's directory does, if that covers the file.
func (z scanner) directory() ([]Entry, error) {
	start, end, err := z.findDirectory()
	if err != nil {
		return nil, err
	}
	if end-start > maxDirectory {
		return nil, faultf("its directory has more than %d bytes", maxDirectory)
	}
	b, err := z.read(start, int(end-start))
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for len(b) > 0 {
		e, rest, ok := parseDirectoryHeader(b)
		if !ok {
			return nil, faultf("its directory is damaged")
		}
		e.file, b = z.at, rest
		entries = append(entries, e)
	}
	ends, err := z.cover(entries, start)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		if err := z.locate(&entries[i], ends[&entries[i]]); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// findDirectory returns where the directory begins and ends. The end record has to
// be the last thing in the file, but for its comment, and the directory to end right
// before it.
func (z scanner) findDirectory() (start, end int64, err error) {
	tailStart := max(z.size-endRecordSize-longestComment, 0)
	tail, err := z.read(tailStart, endRecordSize+longestComment)
	if err != nil {
		return 0, 0, err
	}
	i := lastEnd(tail)
	if i < 0 {
		return 0, 0, faultf("it does not end as a zip file does")
	}
	record := tail[i:]
	end = tailStart + int64(i)
	length, start := int64(binary.LittleEndian.Uint32(record[12:])), int64(binary.LittleEndian.Uint32(record[16:]))
	if i >= endLocator64Size && bytes.HasPrefix(tail[i-endLocator64Size:], []byte(endLocator64)) {
		end = int64(binary.LittleEndian.Uint64(tail[i-endLocator64Size+8:]))
		record, err := z.read(max(end, 0), endRecord64Size)
		if err != nil {
			return 0, 0, err
		}
		if end < 0 || len(record) < endRecord64Size || !bytes.HasPrefix(record, []byte(endRecord64)) {
			return 0, 0, faultf("it has no end record of 64 bits where it says")
		}
		length, start = int64(binary.LittleEndian.Uint64(record[40:])), int64(binary.LittleEndian.Uint64(record[48:]))
	}
	if start < 0 || length < 0 || start > end || length != end-start {
		return 0, 0, faultf("its directory is not where its end record says")
	}
	return start, end, nil
}

// lastEnd finds the last end record in the tail of a file that ends, with its
// comment, where the file does; -1: there is none.
func lastEnd(tail []byte) int {
	for i := len(tail) - endRecordSize; i >= 0; i-- {
		if bytes.HasPrefix(tail[i:], []byte(endRecord)) &&
			i+endRecordSize+int(binary.LittleEndian.Uint16(tail[i+20:])) == len(tail) {
			return i
		}
	}
	return -1
}

func parseDirectoryHeader(b []byte) (e Entry, rest []byte, ok bool) {
	if len(b) < directoryHeaderSize || !bytes.HasPrefix(b, []byte(directoryHeader)) {
		return e, nil, false
	}
	name, extra := int(binary.LittleEndian.Uint16(b[28:])), int(binary.LittleEndian.Uint16(b[30:]))
	whole := directoryHeaderSize + name + extra + int(binary.LittleEndian.Uint16(b[32:]))
	if len(b) < whole {
		return e, nil, false
	}
	offset := uint64(binary.LittleEndian.Uint32(b[42:]))
	e.setFields(b[8:], b[16:])
	e.Name = string(b[directoryHeaderSize : directoryHeaderSize+name])
	e.widen(b[directoryHeaderSize+name:directoryHeaderSize+name+extra], &offset)
	e.header = int64(min(offset, 1<<61)) // so that the end of an entry of 2^62 bytes is a number, too
	return e, b[whole:], true
}

// setFields reads the common part of an entry's two headers: its flags and method, its
// checksum and sizes.
func (e *Entry) setFields(flags, sums []byte) {
	e.Flags, e.Method = binary.LittleEndian.Uint16(flags), binary.LittleEndian.Uint16(flags[2:])
	e.CRC32 = binary.LittleEndian.Uint32(sums)
	e.CompressedSize64 = uint64(binary.LittleEndian.Uint32(sums[4:]))
	e.UncompressedSize64 = uint64(binary.LittleEndian.Uint32(sums[8:]))
}

// widen takes from an extra field the numbers that need 64 bits (§4.5.3).
func (e *Entry) widen(extra []byte, offset *uint64) {
	for len(extra) >= 4 {
		id, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		field := extra[4:min(4+n, len(extra))]
		extra = extra[4+len(field):]
		if id != extra64 {
			continue
		}
		for _, v := range [...]*uint64{&e.UncompressedSize64, &e.CompressedSize64, offset} {
			if v != nil && *v == elsewhere64 && len(field) >= 8 {
				*v, field = binary.LittleEndian.Uint64(field), field[8:]
			}
		}
	}
}

// cover makes sure that the entries of a directory at end are all that the file holds:
// they lie one after the other, and no other entry begins between them. It returns
// where each ends at the latest.
func (z scanner) cover(entries []Entry, end int64) (ends map[*Entry]int64, err error) {
	order := make([]*Entry, len(entries))
	for i := range entries {
		order[i] = &entries[i]
	}
	slices.SortStableFunc(order, func(a, b *Entry) int { return cmp.Compare(a.header, b.header) })
	var gaps input.Window
	free := func(from, to int64) error {
		if from > to {
			return faultf("its directory lists entries that lie in one another")
		}
		if to-from < localHeaderSize {
			return nil
		}
		found, err := gaps.Find(z.at, from, to, func(b []byte) int {
			return bytes.Index(b[:min(int64(len(b)), to-from+localHeaderSize)], []byte(localHeader))
		})
		if err == nil && found >= 0 && found < to {
			err = faultf("its directory leaves out the entry at %d", found)
		}
		return err
	}
	pos, ends := int64(0), make(map[*Entry]int64)
	for i, e := range order {
		if err := free(pos, e.header); err != nil {
			return nil, err
		}
		pos = e.header + localHeaderSize + int64(len(e.Name)) + e.packed()
		ends[e] = end
		if i+1 < len(order) {
			ends[e] = order[i+1].header
		}
	}
	return ends, free(pos, end)
}

// locate finds the bytes of an entry after its local header, before end. Both headers describe
// them, so one header may be damaged.
func (z scanner) locate(e *Entry, end int64) error {
	b, err := z.read(e.header, localHeaderSize+len(e.Name))
	if err != nil {
		return err
	}
	if len(b) < localHeaderSize {
		e.Problem = "no header where the directory says"
		return nil
	}
	begins, named := bytes.HasPrefix(b, []byte(localHeader)), string(b[localHeaderSize:]) == e.Name
	behind := e.header + int64(len(b)) // the extra field, then the entry's bytes
	e.offset = e.header + localHeaderSize + int64(binary.LittleEndian.Uint16(b[26:])) +
		int64(binary.LittleEndian.Uint16(b[28:]))
	var own Entry
	own.setFields(b[6:], b[14:])
	switch {
	case !begins && !named:
		e.Problem = "no header where the directory says"
	case !named:
		return faultf("its directory names the entry at %d otherwise than that does itself", e.header)
	case !begins, e.offset < behind, e.offset+e.packed() > end:
		e.locateFrom(end, behind)
	case e.unreadable() != "" && own.unreadable() == "":
		return faultf("its directory says of the entry at %d that %s, and the entry itself does not", e.header,
			e.unreadable())
	case own.Method == zip.Store && e.Method == zip.Deflate && e.CompressedSize64 == e.UncompressedSize64:
		return faultf("its directory says of the entry at %d that it is compressed, and the entry itself does not",
			e.header)
	}
	return nil
}

// locateFrom finds the bytes of an entry whose own header is damaged from their end, if nothing
// follows them there.
func (e *Entry) locateFrom(end, behind int64) {
	e.offset = end - e.packed()
	switch extra := e.offset - behind; {
	case extra < 0:
		e.Problem = "it does not end before the directory"
	case e.Flags&flagDescribed != 0, extra > math.MaxUint16:
		e.Problem = "no header where the directory says"
	default:
		e.Damage = "its own header is damaged"
	}
}
