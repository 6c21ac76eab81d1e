package export

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/robotsaudit/robotsaudit/internal/facts/run"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// attribute begins the attributes of dolma, EXPERIMENT__TAGGER__TYPE, each with a span that is all of the
// document: one for the reason, and before it one for what is to be dropped or is undecided.
const attribute = "robotsaudit__export__"

// Attributes counts what was written of documents.
type Attributes struct {
	Documents int64
	Dropped   int64
	Undecided int64
	NotFound  int64
}

// DocumentError states what is wrong with a file of documents.
type DocumentError struct {
	Line   int64
	Reason error
}

func (e *DocumentError) Error() string { return fmt.Sprintf("document %d: %v", e.Line, e.Reason) }

// WriteAttributes writes a gzip file of dolma attributes for a file of dolma documents: a line for
// each document, in their order, as dolma's mixer asks for. A document is found by its id, which is
// a WARC-Record-ID, a payload digest, or a URL, in whichever spelling; of several fetches the one to
// be dropped counts. One that is not found is unknown.
func WriteAttributes(ctx context.Context, w io.Writer, r *results.Results, o Options,
	documents io.Reader,
) (a Attributes, err error) {
	err = makeList(r, o, func(l *list) error {
		wanted, found := run.NewSorter(l.dir, documentsByKey), run.NewSorter(l.dir, documentsByLine)
		if err := readDocuments(documents, wanted.Add); err != nil {
			return err
		}
		if err := l.find(ctx, wanted.Sorted(ctx), found.Add); err != nil {
			return err
		}
		out := gzip.NewWriter(w)
		for d, err := range found.Sorted(ctx) {
			if err != nil {
				return err
			}
			a.Documents++
			switch d.Fate {
			case words.Drop:
				a.Dropped++
			case words.Leave:
				a.Undecided++
			}
			if d.Cause == words.NotFound {
				a.NotFound++
			}
			if _, err := out.Write(d.line()); err != nil {
				return err
			}
		}
		return out.Close()
	})
	return a, err
}

// dolmaDocument is a document, and the decision on it.
type dolmaDocument struct {
	Key    string
	Line   int64
	ID     string // as JSON
	Source string // as JSON; "" where there is none
	Length int64  // characters
	Fate   words.Fate
	Cause  words.Cause
}

var (
	documentsByKey  = specOf("wanted", func(a, b *dolmaDocument) int { return cmp.Compare(a.Key, b.Key) })
	documentsByLine = specOf("found", func(a, b *dolmaDocument) int { return cmp.Compare(a.Line, b.Line) })
	fatesByKey      = specOf("fates", func(a, b *fate) int { return cmp.Compare(a.Key, b.Key) })
)

// line is the line of the attributes of a document.
func (d *dolmaDocument) line() []byte {
	var b bytes.Buffer
	if d.Source != "" {
		fmt.Fprintf(&b, `{"source":%s,"id":%s,"attributes":{`, d.Source, d.ID)
	} else {
		fmt.Fprintf(&b, `{"id":%s,"attributes":{`, d.ID)
	}
	if d.Fate != words.Keep {
		fmt.Fprintf(&b, `"%s":[[0,%d,1.0]],`, attribute+d.Fate.String(), d.Length)
	}
	fmt.Fprintf(&b, `"%s":[[0,%d,1.0]]}}`+"\n", attribute+d.Cause.String(), d.Length)
	return b.Bytes()
}

// readDocuments reads documents, each a JSON object: plain, or in gzip or zstd.
func readDocuments(r io.Reader, add func(dolmaDocument) error) error {
	plain, err := decompressed(bufio.NewReaderSize(r, 64<<10))
	if err != nil {
		return err
	}
	lines := json.NewDecoder(plain)
	for line := int64(1); ; line++ {
		var d struct {
			ID     json.RawMessage `json:"id"`
			Source json.RawMessage `json:"source"`
			Text   string          `json:"text"`
		}
		if err := lines.Decode(&d); err == io.EOF {
			return nil
		} else if err != nil {
			return &DocumentError{line, err}
		}
		var id string
		if json.Unmarshal(d.ID, &id) != nil || id == "" {
			return &DocumentError{line, errors.New("it has no id that is a text")}
		}
		if !bytes.HasPrefix(d.Source, []byte(`"`)) {
			d.Source = nil
		}
		row := dolmaDocument{
			Key: documentKey(id), Line: line, ID: string(d.ID), Source: string(d.Source),
			Length: int64(utf8.RuneCountInString(d.Text)),
		}
		if err := add(row); err != nil {
			return err
		}
	}
}

func decompressed(r *bufio.Reader) (io.Reader, error) {
	start, _ := r.Peek(4)
	switch {
	case bytes.HasPrefix(start, []byte{0x1f, 0x8b}):
		return gzip.NewReader(r)
	case bytes.Equal(start, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return r, nil
}

// documentKey is the id of a document as keys of fetches are spelt: without brackets and labels,
// and in lower case but for URLs.
func documentKey(id string) string {
	id = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(id), "<"), ">")
	if strings.Contains(id, "://") {
		return id
	}
	return strings.ToLower(id[strings.LastIndexByte(id, ':')+1:])
}

// fate is the decision on the fetches of a key.
type fate struct {
	Key   string
	Rank  int
	Fate  words.Fate
	Cause words.Cause
}

// find passes on each document with the decision on it.
func (l *list) find(
	ctx context.Context, documents iter.Seq2[*dolmaDocument, error], add func(dolmaDocument) error,
) error {
	fates := run.NewSorter(l.dir, fatesByKey)
	for e, err := range l.decided(ctx) {
		if err != nil {
			return err
		}
		keys := []string{e.RecordID, e.Digest, e.URL}
		if strings.Contains(e.ListID, "urn:uuid:") { // as in FineWeb
			keys = append(keys, e.ListID)
		}
		for _, key := range keys {
			if key == "" {
				continue
			}
			if err := fates.Add(fate{documentKey(key), e.rank(), e.Fate, e.Cause}); err != nil {
				return err
			}
		}
	}
	next, stop := iter.Pull2(fates.Sorted(ctx))
	defer stop()
	ahead, err, _ := next()
	var last fate // the worst of its key
	for d, documentErr := range documents {
		if err := cmp.Or(documentErr, err); err != nil {
			return err
		}
		for ahead != nil && ahead.Key <= d.Key {
			if ahead.Key != last.Key || ahead.Rank < last.Rank {
				last = *ahead
			}
			if ahead, err, _ = next(); err != nil {
				return err
			}
		}
		d.Fate, d.Cause = l.options.Decide.fate(words.NotFound), words.NotFound
		if last.Key == d.Key {
			d.Fate, d.Cause = last.Fate, last.Cause
		}
		if err := add(*d); err != nil {
			return err
		}
	}
	return err
}
