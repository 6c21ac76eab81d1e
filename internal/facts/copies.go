package facts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
)

// MaxAlike is with how many inputs of one size and fingerprint another is compared.
const MaxAlike = 16

// FindCopies maps inputs to an earlier input with the same bytes, by path. A
// WARC-Record-ID identifies a record. An ARC has none, and two records alike may be
// two fetches, unless all of both files is alike. So only inputs that hold fetches
// without an id are compared, and only those alike in all that reading them showed.
// Inputs that known maps to the same input need not be compared.
func FindCopies(ctx context.Context, results []InputResult, known map[string]string) map[string]string {
	type likeness struct {
		size        int64
		container   string
		fingerprint string
	}
	results = slices.Clone(results)
	slices.SortFunc(results, func(a, b InputResult) int { return cmp.Compare(a.Path, b.Path) })
	alike := make(map[likeness][]InputResult)
	copies := make(map[string]string)
	for _, r := range results {
		if r.Unnamed == 0 || r.Path == Stdin {
			continue
		}
		key := likeness{r.Size, r.Container, r.Fingerprint}
		originals := alike[key]
		i := slices.IndexFunc(originals, func(in InputResult) bool {
			return cmp.Or(known[in.Path], in.Path) == cmp.Or(known[r.Path], r.Path) || sameInput(ctx, in, r)
		})
		switch {
		case i >= 0:
			copies[r.Path] = originals[i].Path
		case len(originals) < MaxAlike:
			alike[key] = append(originals, r)
		}
	}
	return copies
}

// sameInput compares two inputs by their digests. Of one that cannot be read any more, nothing is known.
func sameInput(ctx context.Context, a, b InputResult) bool {
	for _, in := range [...]*InputResult{&a, &b} {
		if in.SHA256 != "" {
			continue
		}
		var err error
		if in.SHA256, err = in.Digest(ctx); err != nil {
			return false
		}
	}
	return a.SHA256 == b.SHA256
}

// Digest is the SHA-256 of an input, which is still the one that was read.
func (in Input) Digest(ctx context.Context) (string, error) {
	f, err := in.Open(ctx)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if _, err := io.CopyN(sum, f, 16<<20); err == io.EOF {
			break
		} else if err != nil {
			return "", err
		}
	}
	f.Close() // a server may bear no other request at the same time
	if err := in.Unchanged(ctx); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
