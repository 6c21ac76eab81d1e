package facts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"io"
	"slices"
)

// MaxAlike is with how many inputs of one size and fingerprint another is compared.
const MaxAlike = 16

// alikeness is what inputs with the same bytes have in common.
type alikeness struct {
	size        int64
	container   string
	fingerprint string
}

func alikenessOf(r *InputResult) alikeness { return alikeness{r.Size, r.Container, r.Fingerprint} }

// mayBeCopied reports whether an input holds fetches without an ID, which a copy of it holds, too.
func (r *InputResult) mayBeCopied() bool { return r.Unnamed > 0 && r.Path != Stdin }

// met are hashes of what several inputs have in common.
func met(ctx context.Context, dir string, seed maphash.Seed) (map[uint64]bool, error) {
	var all []uint64
	for r, err := range results(inputsOf(ctx, dir)) {
		if err != nil {
			return nil, err
		}
		if r.mayBeCopied() {
			all = append(all, maphash.Comparable(seed, alikenessOf(&r.InputResult)))
		}
	}
	slices.Sort(all)
	several := make(map[uint64]bool)
	for i := range all {
		if i > 0 && all[i] == all[i-1] {
			several[all[i]] = true
		}
	}
	return several, nil
}

// FindCopies maps inputs to an earlier input with the same bytes, by path. A
// WARC-Record-ID identifies a record. An ARC has none, and two records alike may be
// two fetches, unless all of both files is alike. So only inputs that hold fetches
// without an id are compared, and only those alike in all that reading them showed.
// Inputs that known maps to the same input need not be compared. The file of inputs is in dir.
func FindCopies(ctx context.Context, dir string, known map[string]string) (map[string]string, error) {
	seed := maphash.MakeSeed()
	copies := make(map[string]string)
	several, err := met(ctx, dir, seed)
	if err != nil || len(several) == 0 { // as of WARC files
		return copies, err
	}
	alike := make(map[alikeness][]InputResult)
	for r, err := range results(inputsOf(ctx, dir)) {
		if err != nil {
			return nil, err
		}
		key := alikenessOf(&r.InputResult)
		if !r.mayBeCopied() || !several[maphash.Comparable(seed, key)] {
			continue
		}
		originals := alike[key]
		i := slices.IndexFunc(originals, func(in InputResult) bool {
			return cmp.Or(known[in.Path], in.Path) == cmp.Or(known[r.Path], r.Path) || sameInput(ctx, in, r.InputResult)
		})
		switch {
		case i >= 0:
			copies[r.Path] = originals[i].Path
		case len(originals) < MaxAlike:
			alike[key] = append(originals, InputResult{Input: r.Input, SHA256: r.SHA256})
		}
	}
	return copies, nil
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
