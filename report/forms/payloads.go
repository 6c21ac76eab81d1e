package forms

import (
	"cmp"
	"iter"

	"github.com/robotsaudit/robotsaudit/internal/facts/run"
)

// payload is what a fetch of content brought, by its digest.
type payload struct {
	Name   int32 // index into Figures.names
	Digest string
	Size   int64 // -1: not known
}

// payloadRuns has the payloads of a name with one digest together, the largest first.
var payloadRuns = run.Spec[payload]{
	Name: "payloads",
	Compare: func(a, b *payload) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Digest, b.Digest), cmp.Compare(b.Size, a.Size))
	},
	Bucket: func(*payload) int { return 0 },
}

// eachDistinct calls f with the distinct payloads of sorted ones: a digest of a name is one, as large as the largest.
func eachDistinct(sorted iter.Seq2[*payload, error], f func(name int32, size int64)) error {
	last := payload{Name: -1}
	for p, err := range sorted {
		if err != nil {
			return err
		}
		if p.Name != last.Name || p.Digest != last.Digest {
			f(p.Name, p.Size)
			last = *p
		}
	}
	return nil
}
