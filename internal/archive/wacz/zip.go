// Package wacz reads the entries of a WACZ, which is a zip file, with distrust: it believes
// a directory only if it covers the whole file, and reads on after damage. It knows the
// layout of a WACZ (https://specs.webrecorder.net/wacz/1.1.1/), and nothing of the contents
// of entries.
//
// A stored entry is read in place. A deflated one is inflated as it is read, and again from its
// start if it must be read at random. A WACZ of several, as Browsertrix makes it for download,
// holds them as stored entries. Each is read like a file, with its own pages, indexes and
// datapackage.json. The names of its entries begin with its own: crawl-1.wacz/archive/rec.warc.gz.
// Otherwise, a page that is itself a zip file could stand in for the archive: so the directory has
// to cover the file from its first byte to its last. docs/FORMATS.md states what counts after
// damage.
//
// archive/zip is no base for this, even of sound files: it does not show where local headers are, by
// which the directory is compared with the file, and gives up an entry whose own is damaged. With each
// byte in turn of a file of four entries flipped, it reads 3,468 of 4,460 entries; this package reads
// 4,457, damaged ones in part. Of the same file, cut at each byte, archive/zip takes a page in it that is
// a zip file for the whole in 262 of 1,115 cases. A directory of 1,000 entries takes 5 ms here, 2 ms there.
package wacz

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
)

// The structures of a zip file (APPNOTE.TXT 6.3.10 §4.3): the bytes that begin
// them, and the length of their fixed parts.
const (
	localHeader     = "PK\x03\x04" // before each entry
	dataDescriptor  = "PK\x07\x08" // after an entry whose sizes its writer did not know before
	directoryHeader = "PK\x01\x02" // one header for each entry
	endRecord64     = "PK\x06\x06"
	endLocator64    = "PK\x06\x07"
	endRecord       = "PK\x05\x06"

	localHeaderSize     = 30
	directoryHeaderSize = 46
	endRecord64Size     = 56
	endLocator64Size    = 20
	endRecordSize       = 22
	longestComment      = math.MaxUint16

	dataDescriptorSize = 24 // at most
)

const (
	flagEncrypted = 1 << 0 // flag: its meaning
	flagDescribed = 1 << 3 // flag: a descriptor follows the entry
	extra64       = 1      // extra field with sizes that need 64 bits
	elsewhere64   = math.MaxUint32
)

// Entry is an entry of a zip file that can be read at random.
type Entry struct {
	zip.FileHeader
	Problem string // why it is not to be read; "": nothing speaks against it
	Damage  string // the defect of its header, though it can be read; "": nothing

	within  string // the beginning of its name: the name of the entry that holds its WACZ, and a slash
	file    io.ReaderAt
	header  int64 // where its local header begins in the file
	offset  int64 // of its bytes in the file
	endless bool  // where it ends is not known: it was read to the end of the file
}

// Listing is the content of a zip file.
type Listing struct {
	Entries []Entry // in the order of its directory, without folders
	Fault   string  // why its directory was not used; "" where it was
	End     int64   // where the entries end that were found without the directory
}

// Open lists the entries of a zip file.
//
// The directory at its end is believed only if it covers the file from its first byte
// to its last. Readers take any end record near the end of the file, with whatever
// stands before it as a prefix: of a file that was cut after a page that is itself a
// zip file they would read that page alone. Without a directory the entries are read
// one after the other from the first byte on. Bytes inside one of them are its content
// and never an entry.
func Open(at io.ReaderAt, size int64) (Listing, error) {
	z := scanner{at: at, size: size}
	var list Listing
	entries, err := z.directory()
	var fault *directoryFault
	switch {
	case err == nil:
		list.Entries = entries
	case errors.As(err, &fault):
		list.Fault = fault.reason
		if list.Entries, list.End, err = z.walk(); err != nil {
			return list, err
		}
	default:
		return list, err
	}
	list.Entries = slices.DeleteFunc(list.Entries, func(e Entry) bool { return strings.HasSuffix(e.Name, "/") })
	for i := range list.Entries {
		list.Entries[i].judge()
	}
	markTwins(list.Entries)
	return list, nil
}

func (e *Entry) judge() {
	if e.Problem == "" {
		e.Problem = e.unreadable()
	}
	if e.Problem == "" && len(e.Name) > maxEntryName {
		e.Problem = fmt.Sprintf("its name has %d bytes, more than %d", len(e.Name), maxEntryName)
	}
}

// unreadable is the reason in the header why nobody can read an entry; "" where it can be
// read.
func (e *Entry) unreadable() string {
	switch {
	case e.Flags&flagEncrypted != 0:
		return "it is encrypted"
	case e.Method != zip.Store && e.Method != zip.Deflate:
		return fmt.Sprintf("it is compressed by method %d", e.Method)
	case e.Method == zip.Store && e.CompressedSize64 != e.UncompressedSize64:
		return "it is stored, and its sizes differ"
	}
	return ""
}

// markTwins finds entries of the same name: readers take any of them.
func markTwins(entries []Entry) {
	seen := make(map[string]bool)
	for i := range entries {
		e := &entries[i]
		if seen[e.Name] && e.Problem == "" {
			e.Problem = "another entry before it has the same name"
		}
		seen[e.Name] = true
	}
}

// packed is the length of the entry's bytes in the file.
func (e *Entry) packed() int64 { return int64(min(e.CompressedSize64, 1<<62)) }

// Size is the length of the entry's content.
func (e *Entry) Size() int64 { return int64(min(e.UncompressedSize64, 1<<62)) }

// CutName is the name, cut to maxEntryName bytes.
func (e *Entry) CutName() string { return e.Name[:min(len(e.Name), maxEntryName)] }

func (e *Entry) stored() *io.SectionReader {
	return io.NewSectionReader(e.file, e.offset, e.packed())
}

// At reads the entry at random.
func (e *Entry) At() io.ReaderAt {
	if e.Method == zip.Store {
		return e.stored()
	}
	return &inflatedAt{open: e.Open}
}

type scanner struct {
	at   io.ReaderAt
	size int64
}

type directoryFault struct{ reason string }

func (f *directoryFault) Error() string { return f.reason }

func faultf(format string, args ...any) error { return &directoryFault{fmt.Sprintf(format, args...)} }

// read reads n bytes, fewer at the end of the file. Errors come from reading the file.
func (z scanner) read(offset int64, n int) ([]byte, error) {
	b := make([]byte, max(min(int64(n), z.size-offset), 0))
	n, err := z.at.ReadAt(b, offset)
	if err == nil || err == io.EOF {
		return b[:n], nil
	}
	if !input.IsReadError(err) {
		err = &input.ReadError{Err: err}
	}
	return nil, err
}
