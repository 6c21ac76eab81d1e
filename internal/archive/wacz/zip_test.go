package wacz

import (
	"bytes"
	"hash/crc32"
	"io"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
)

// TestInflatedAt: inflatedAt reads at random what the entry holds.
func TestInflatedAt(t *testing.T) {
	content := make([]byte, 3<<20)
	for i := range content {
		content[i] = byte(i * i >> 8)
	}
	archive := warctest.Zip(t, warctest.DeflatedEntry("a", content))
	list, err := Open(bytes.NewReader(archive), int64(len(archive)))
	if err != nil || list.Entries[0].CRC32 != crc32.ChecksumIEEE(content) {
		t.Fatal(err)
	}
	at := list.Entries[0].At()
	for _, place := range [][2]int{
		{0, 10},
		{5, 100_000},
		{2 << 20, 300_000},
		{2<<20 - 1000, 2000},
		{0, 1},
		{3<<20 - 5, 5},
	} {
		p := make([]byte, place[1])
		n, err := at.ReadAt(p, int64(place[0]))
		if err != nil || n != len(p) || !bytes.Equal(p, content[place[0]:place[0]+place[1]]) {
			t.Errorf("at %v: %d bytes, %v", place, n, err)
		}
	}
	if n, err := at.ReadAt(make([]byte, 10), 3<<20-4); n != 4 || err == nil {
		t.Errorf("at the end: %d, %v", n, err)
	}
	for range maxRewinds {
		at.ReadAt(make([]byte, 1), 3<<20-1)
		at.ReadAt(make([]byte, 1), 0)
	}
	if _, err := at.ReadAt(make([]byte, 1), 3<<20-1); err == nil {
		if _, err = at.ReadAt(make([]byte, 1), 0); err == nil {
			t.Error("rewinds without end")
		}
	}
}

// TestDescriptors: looking for descriptors takes one pass, however many things
// look like one, and finds those that lie over the end of a buffer.
func TestDescriptors(t *testing.T) {
	form := warctest.ZipForm{Described: true}
	for _, n := range []int{0, 1, fileBuffer - 20, fileBuffer - 3, fileBuffer - 1, fileBuffer, 8 << 20} {
		content := bytes.Repeat([]byte(dataDescriptor), n/4+1)[:n]
		file := form.File(t, warctest.StoredEntry("a", content), warctest.StoredEntry("b", content))
		z := scanner{at: bytes.NewReader(file), size: int64(len(file))}
		entries, end, err := z.walk()
		if err != nil || len(entries) != 2 || !bytes.HasPrefix(file[end:], []byte(directoryHeader)) {
			t.Errorf("%d bytes: %d entries to %d, %v", n, len(entries), end, err)
			continue
		}
		for _, e := range entries {
			if got, err := io.ReadAll(e.Open()); !bytes.Equal(got, content) || err != nil || e.endless {
				t.Errorf("%d bytes: %d read, %v", n, len(got), err)
			}
		}
	}
}

// farApart has a directory that places one entry 2^62 bytes behind the other, and gives both more bytes than there are.
const farApart = "PK\x03\x04-\x00\b\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x01\x00\x00\x00bJIM\xcbed\v\x00\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x06\x00\x00\x00\x00\x00" +
	"\x00\x00PK\x03\x04-\x00\b\x00\b\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x01\x00\x00\x00astorI,IM\x01\x04\x00\x00\xff\xff(\x0eU\xe8\x0e\x00\x00\x00\x00\x00\x00\x00" +
	"\b\x00\x00\x00\x00\x00\x00\x00PK\x01\x02-\x00-\x00\b\x00\x00\x00\x00\x00\x00\x00\v\xf9CV\xff\xff" +
	"\xff\xff\xff\xff\xff\xff\x01\x00\x1c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff" +
	"a\x01\x00\x18\x00\x06\x00\x00\x00\x00\x00\x00\x00\x06\x00\x00\x00\xf5\xf5\xf5\xf5\x00\x00\x00" +
	"\x00\x00\x00\x00\xf2PK\x01\x02-\x00-\x00\b\x00\b\x00\x00\x00\x00\x00(\x0eU\xe8\xe0\xff\xff\xff" +
	"\xff\xff\xff\xff\x01\x00\x1c\x00\x00\x00\x00\x00\x00\x00\xf9CV\x06\x00\x00\x00\x00b\x01\x00\x18" +
	"\x00\x00\x04\x00\x00\x00\x00\xfc\x00\x0e\x00\x00\x00\x00\x00\x00\x00\x19\x00\x00\x00\x00\x00\x00" +
	"\x00PK\x06\x06,\x00\x00\x00\x00\x00\x00\x00-\x00-\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00" +
	"\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x96\x00\x00\x00\x00\x00\x00\x00z\x00" +
	"\x00\x00\x00\x00\x00\x00PK\x06\a\x00\x00\x00\x00\x10\x01\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00" +
	"PK\x05\x06\x00\x00\x00\x00\x02\x00\x02\x00\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00c"

// FuzzOpen: the entries of any file lie in it, none over another, and each can be read to
// its end, also at random.
func FuzzOpen(f *testing.F) {
	entries := []warctest.ZipEntry{
		warctest.StoredEntry("a", []byte("stored")),
		warctest.DeflatedEntry("b", []byte("deflated")),
	}
	f.Add(warctest.Zip(f, entries...))
	f.Add(warctest.ZipForm{Described: true}.File(f, entries...))
	f.Add(warctest.ZipForm{Described: true, Wide: true, Unsigned: true, Comment: "c"}.File(f, entries...))
	f.Add([]byte(farApart))
	f.Fuzz(func(t *testing.T, file []byte) {
		list, err := Open(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		for i := range list.Entries {
			e := &list.Entries[i]
			if e.Problem != "" {
				continue
			}
			if e.offset < 0 || e.offset > int64(len(file)) || list.Fault == "" &&
				e.packed() > int64(len(file))-e.offset {
				t.Fatalf("%q at %d+%d of %d", e.Name, e.offset, e.packed(), len(file))
			}
			r := e.Open()
			n, err := io.Copy(io.Discard, io.LimitReader(r, 1<<20))
			if err != nil || n < 1<<20 && r.Fault == nil && (n != e.Size()) {
				t.Fatalf("%q: %d of %d bytes, %v, %v", e.Name, n, e.Size(), err, r.Fault)
			}
			e.At().ReadAt(make([]byte, 10), 3)
		}
	})
}
