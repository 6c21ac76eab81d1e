package ingest

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"slices"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
)

// findCopies maps inputs to an earlier input with the same bytes, by path. A
// WARC-Record-ID identifies a record. An ARC has none, and two records alike may be
// two fetches, unless all of both files is alike. So only inputs that hold fetches
// without an id are compared, and only those alike in all that reading them showed.
// Inputs that known maps to the same input need not be compared.
func findCopies(ctx context.Context, results []facts.InputResult, known map[string]string) map[string]string {
	type likeness struct {
		size        int64
		container   string
		fingerprint string
	}
	results = slices.Clone(results)
	slices.SortFunc(results, func(a, b facts.InputResult) int { return cmp.Compare(a.Path, b.Path) })
	alike := make(map[likeness][]facts.InputResult)
	copies := make(map[string]string)
	for _, r := range results {
		if r.Unnamed == 0 || r.Path == facts.Stdin {
			continue
		}
		key := likeness{r.Size, r.Container, r.Fingerprint}
		originals := alike[key]
		i := slices.IndexFunc(originals, func(in facts.InputResult) bool {
			return cmp.Or(known[in.Path], in.Path) == cmp.Or(known[r.Path], r.Path) || sameInput(ctx, in, r)
		})
		switch {
		case i >= 0:
			copies[r.Path] = originals[i].Path
		case len(originals) < maxAlike:
			alike[key] = append(originals, r)
		}
	}
	return copies
}

// sameInput compares two inputs by their digests where these are known.
func sameInput(ctx context.Context, a, b facts.InputResult) bool {
	if a.SHA256 != "" && b.SHA256 != "" {
		return a.SHA256 == b.SHA256
	}
	return sameBytes(ctx, a.Input, b.Input)
}

// sameBytes compares two inputs. Of one that cannot be read any more nothing is known. Where a
// server has one of them, they are read one after the other: it may bear no two requests.
func sameBytes(ctx context.Context, a, b facts.Input) bool {
	if object.IsRemote(a.Path) || object.IsRemote(b.Path) {
		ours, err := digestInput(ctx, a)
		if err != nil {
			return false
		}
		theirs, err := digestInput(ctx, b)
		return err == nil && ours == theirs
	}
	f, err := os.Open(a.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	g, err := os.Open(b.Path)
	if err != nil {
		return false
	}
	defer g.Close()
	ours, theirs := make([]byte, readBuffer), make([]byte, readBuffer)
	for {
		n, err := io.ReadFull(f, ours)
		m, otherErr := io.ReadFull(g, theirs)
		if !bytes.Equal(ours[:n], theirs[:m]) || err != otherErr {
			return false
		}
		if err != nil {
			return err == io.EOF || err == io.ErrUnexpectedEOF
		}
	}
}
