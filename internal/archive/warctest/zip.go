package warctest

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"testing"
)

// The bytes that begin the structures of a zip file.
const (
	localHeader     = "PK\x03\x04"
	dataDescriptor  = "PK\x07\x08"
	directoryHeader = "PK\x01\x02"
	endRecord64     = "PK\x06\x06"
	endLocator64    = "PK\x06\x07"
	endRecord       = "PK\x05\x06"
)

// ZipEntry is an entry of a zip file.
type ZipEntry struct {
	Name    string
	Content []byte
	Deflate bool
}

// Zip writes entries as archive/zip does.
func Zip(t testing.TB, entries ...ZipEntry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.Name, Method: zip.Store}
		if e.Deflate {
			h.Method = zip.Deflate
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(e.Content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// StoredEntry is an entry whose content stands in the file as it is.
func StoredEntry(name string, content []byte) ZipEntry { return ZipEntry{Name: name, Content: content} }

// DeflatedEntry is an entry whose content is compressed.
func DeflatedEntry(name string, content []byte) ZipEntry {
	return ZipEntry{Name: name, Content: content, Deflate: true}
}

// ZipForm is a way of writing zip files that archive/zip does not have.
type ZipForm struct {
	Described bool // the sizes stand only after an entry
	Unsigned  bool // without a signature
	Wide      bool // sizes and offsets have 64 bits
	Comment   string
}

// File writes entries in this form.
func (f ZipForm) File(t testing.TB, entries ...ZipEntry) []byte {
	t.Helper()
	le := binary.LittleEndian
	size := func(b []byte, n int) []byte {
		if f.Wide {
			return le.AppendUint64(b, uint64(n))
		}
		return le.AppendUint32(b, uint32(n))
	}
	var file, directory []byte
	for _, e := range entries {
		packed, method, flags := e.Content, zip.Store, uint16(0)
		if e.Deflate {
			var b bytes.Buffer
			w, _ := flate.NewWriter(&b, flate.BestCompression)
			w.Write(e.Content)
			w.Close()
			packed, method = b.Bytes(), zip.Deflate
		}
		if f.Described {
			flags = 1 << 3
		}
		crc, header := crc32.ChecksumIEEE(e.Content), len(file)
		common := func(b []byte, known bool) []byte {
			b = le.AppendUint16(le.AppendUint16(append(b, 45, 0), flags), method)
			b = append(b, 0, 0, 0, 0) // the time
			switch {
			case !known:
				b = append(b, make([]byte, 12)...)
			case f.Wide:
				b = append(le.AppendUint32(b, crc), bytes.Repeat([]byte{0xff}, 8)...)
			default:
				b = le.AppendUint32(le.AppendUint32(le.AppendUint32(b, crc), uint32(len(packed))),
					uint32(len(e.Content)))
			}
			return le.AppendUint16(b, uint16(len(e.Name)))
		}
		var localExtra, directoryExtra []byte
		if f.Wide {
			sizes := le.AppendUint64(le.AppendUint64(nil, uint64(len(e.Content))), uint64(len(packed)))
			directoryExtra = slices.Concat([]byte{1, 0, 24, 0}, le.AppendUint64(slices.Clone(sizes), uint64(header)))
			if !f.Described {
				localExtra = slices.Concat([]byte{1, 0, 16, 0}, sizes)
			}
		}
		file = le.AppendUint16(common(append(file, localHeader...), !f.Described), uint16(len(localExtra)))
		file = slices.Concat(file, []byte(e.Name), localExtra, packed)
		if f.Described {
			if !f.Unsigned {
				file = append(file, dataDescriptor...)
			}
			file = size(size(le.AppendUint32(file, crc), len(packed)), len(e.Content))
		}
		directory = le.AppendUint16(common(append(directory, directoryHeader+"\x2d\x00"...), true),
			uint16(len(directoryExtra)))
		directory = append(directory, make([]byte, 10)...)
		if f.Wide {
			directory = le.AppendUint32(directory, math.MaxUint32)
		} else {
			directory = le.AppendUint32(directory, uint32(header))
		}
		directory = slices.Concat(directory, []byte(e.Name), directoryExtra)
	}
	start := len(file)
	file = append(file, directory...)
	count := uint16(len(entries))
	if f.Wide {
		at := len(file)
		file = append(le.AppendUint64(append(file, endRecord64...), 56-12), 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		file = le.AppendUint64(le.AppendUint64(file, uint64(count)), uint64(count))
		file = le.AppendUint64(le.AppendUint64(file, uint64(len(directory))), uint64(start))
		file = append(le.AppendUint64(append(file, endLocator64+"\x00\x00\x00\x00"...), uint64(at)), 1, 0, 0, 0)
	}
	file = le.AppendUint16(le.AppendUint16(append(file, endRecord+"\x00\x00\x00\x00"...), count), count)
	if f.Wide {
		file = append(file, bytes.Repeat([]byte{0xff}, 8)...)
	} else {
		file = le.AppendUint32(le.AppendUint32(file, uint32(len(directory))), uint32(start))
	}
	return append(le.AppendUint16(file, uint16(len(f.Comment))), f.Comment...)
}
