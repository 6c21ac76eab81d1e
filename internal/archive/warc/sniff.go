package warc

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"io"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Sniff recognises the form of an input by its first bytes. It reads no more of src than
// a dictionary, without which no record can be read. If foreign, which may be nil,
// recognises the first decompressed bytes, the input is no archive.
func Sniff(src *input.Source, foreign func(begin []byte) bool) Form {
	s := sniffer{foreign}
	b, _ := src.Peek(sniffBytes)
	switch {
	case len(b) == 0:
		return Form{
			Container: containerEmpty, Kind: words.IssueEmptyFile,
			Refusal: "the file is empty; leave it out, or fetch it again",
		}
	case bytes.HasPrefix(b, magicGzip):
		return s.gzip(b)
	case bytes.HasPrefix(b, magicBzip2):
		start, _ := bufio.NewReaderSize(bzip2.NewReader(bytes.NewReader(b)), beginBytes).Peek(beginBytes)
		if len(start) == 0 { // damage that the reader will name
			return Form{Container: containerBzip2, framing: warcFraming{}}
		}
		return s.plain(start, containerBzip2)
	case bytes.HasPrefix(b, magicZstd), isSkippable(b):
		return s.zstd(src)
	case bytes.HasPrefix(b, magicZip), bytes.HasPrefix(b, magicEmptyZip), nearlyZip(b):
		return Form{Container: ContainerZip}
	}
	if a := s.plain(b, ContainerPlain); a.Readable() {
		return a
	}
	if a := s.damaged(b, gzipCodec{}); a.Readable() {
		return a
	}
	return s.damagedFrames(b)
}

// nearlyZip reports whether b begins as a zip file but for one byte. Its directory may be whole.
func nearlyZip(b []byte) bool {
	if len(b) < len(magicZip) {
		return false
	}
	wrong := 0
	for i, c := range magicZip {
		if b[i] != c {
			wrong++
		}
	}
	return wrong == 1
}

// sniffer recognises forms.
type sniffer struct {
	foreign func(begin []byte) bool // what is not ours; may be nil
}

// plain looks at the first bytes of uncompressed content.
func (s sniffer) plain(b []byte, c Container) Form {
	b = bytes.TrimLeft(b, "\r\n")
	if s.foreign != nil && s.foreign(b) {
		return Form{Container: ContainerForeign}
	}
	for _, f := range [...]framing{warcFraming{}, arcFraming{}} {
		if f.begins(b) {
			return Form{Container: c, framing: f}
		}
	}
	return notAnArchive
}

// gzip distinguishes an archive whose first gzip member holds one record, or none, from
// one that may be a single stream around all of them.
func (s sniffer) gzip(b []byte) Form {
	from := input.At(bytes.NewReader(b), 0)
	defer from.Release()
	in := gzipCodec{}.members(from)
	defer release(in)
	if in.next() != nil {
		return s.damaged(b, gzipCodec{})
	}
	br := input.NewBuffered(io.LimitReader(in, sniffMember))
	defer br.Release()
	start, _ := br.Reader.Peek(4 << 10)
	a := Form{Container: ContainerMembers, framing: warcFraming{}, codec: gzipCodec{}}
	if len(start) == 0 { // an empty member, or damage that the reader will name
		a.framing = s.framing(b, a.codec)
		return a
	}
	found := s.plain(start, ContainerMembers)
	if !found.Readable() {
		if _, err := io.Copy(io.Discard, in); err != nil { // it may be damaged
			return s.damaged(b, gzipCodec{})
		}
		return found
	}
	if found.framing == nil { // a log
		return found
	}
	a.framing = found.framing
	if holdsSeveral(br, a.framing) {
		a.Container = ContainerGzip
	}
	return a
}

// damaged looks for the container of a file whose first bytes are none, or
// damaged: a member of a codec follows that begins as a record does.
func (s sniffer) damaged(b []byte, c codec) Form {
	for at, tries := 1, 0; at < len(b) && tries < 16; tries++ {
		n := c.find(b[at:])
		if n < 0 {
			break
		}
		at += n + 1
		in := c.members(input.At(bytes.NewReader(b[at-1:]), 0))
		if in.next() != nil {
			continue
		}
		// Of a few bytes that look like a member's head, nothing comes, or anything.
		start, _ := bufio.NewReaderSize(in, beginBytes).Peek(beginBytes)
		if found := s.plain(start, ContainerMembers); found.Readable() && found.framing != nil {
			found.codec = c
			return found
		}
	}
	return notAnArchive
}

// framing recognises the framing of an archive whose first member is empty, or damaged
// from its first bytes on.
func (s sniffer) framing(b []byte, c codec) framing {
	if found := s.damaged(b, c); found.framing != nil {
		return found.framing
	}
	return warcFraming{}
}

var notAnArchive = Form{
	Container: containerNotAnArchive, Kind: words.IssueNotAnArchive,
	Refusal: "it is no archive: it begins neither with a WARC or ARC record nor as a compressed archive; leave it out",
}

// holdsSeveral reports whether another record follows the first one in a member.
func holdsSeveral(in input.Content, f framing) bool {
	header, err := readHeader(f, in)
	if err != nil {
		return false
	}
	h := f.parse(header, nil)
	if h.ContentLength < 0 {
		return false
	}
	if _, err := in.Discard(h.ContentLength); err != nil {
		return false
	}
	skipEnd(in)
	return f.begins(beginning(in))
}
