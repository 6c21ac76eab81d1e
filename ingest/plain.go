package ingest

import (
	"errors"
	"fmt"
	"io"
)

// plainReader reads uncompressed archives: records one after the other, each with
// its own length. A record counts where the next one, or the end of the file,
// stands right behind it.
type plainReader struct {
	chain
	framing
	src   *source
	start int64
	rec   record
	block io.LimitedReader
	ended bool
}

func newPlainReader(f framing, src *source) *plainReader { return &plainReader{framing: f, src: src} }

func (r *plainReader) fingerprint() uint64 { return r.sum }

func (r *plainReader) next() (*record, error) {
	if r.ended {
		return nil, io.EOF
	}
	skipNewlines(r.src.Reader)
	r.start = r.src.position()
	block, err := r.readHeader(r.src.Reader)
	if err != nil {
		return nil, r.stop(err, "in the record header")
	}
	if !r.begins(block) {
		return nil, r.damaged(IssueBadRecordHeader, fmt.Sprintf("the record begins with %.20q", block))
	}
	h := r.parse(block)
	if h.contentLength < 0 {
		return nil, r.damaged(IssueBadContentLength, "Content-Length is missing or no number")
	}
	r.add(block)
	r.block = io.LimitedReader{R: r.src, N: h.contentLength}
	r.rec = record{recordHeader: h, offset: r.start, block: &r.block}
	return &r.rec, nil
}

func (r *plainReader) finish() (int64, error) {
	if _, err := io.Copy(io.Discard, &r.block); err != nil {
		return 0, r.stop(err, "in the record block")
	}
	if r.block.N > 0 {
		return 0, r.damaged(IssueTruncatedRecord, fmt.Sprintf("the file ends %d octets before the record does", r.block.N))
	}
	end := r.src.position()
	ends := skipNewlines(r.src.Reader)
	next, err := r.src.Peek(beginOctets)
	if len(next) == 0 && err == io.EOF {
		return end + ends - r.start, nil
	}
	if err != nil && err != io.EOF {
		return 0, r.stop(err, "behind the record")
	}
	if ends == 0 || !r.begins(next) {
		return 0, r.damaged(IssueBadRecordEnd,
			fmt.Sprintf("after the %d octets that Content-Length says comes %.8q, not the next record", r.rec.contentLength, next))
	}
	return end + ends - r.start, nil
}

// stop ends the reading for an error of the file or the header's form.
func (r *plainReader) stop(err error, where string) error {
	switch {
	case err == io.EOF:
		r.ended = true
		return io.EOF
	case isReadError(err):
		r.ended = true
		return err
	case errors.Is(err, errHeaderTooLong):
		return r.damaged(IssueHeaderTooLong, fmt.Sprintf("the record header is longer than %d octets", maxRecordHeader))
	}
	return r.damaged(IssueTruncatedRecord, "the file ends "+where)
}

// damaged ends the reading: without a true length nothing says where the next
// record begins.
func (r *plainReader) damaged(kind IssueKind, detail string) error {
	r.ended = true
	return &damage{kind: kind, offset: r.start, detail: detail}
}
