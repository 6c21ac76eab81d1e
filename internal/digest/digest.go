// Package digest reads and compares the labelled digests of WARC (WARC 1.1 §5.8), in all
// the spellings that archives have.
package digest

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"strings"
)

// algorithm is a digest function that archives are written with.
type algorithm struct {
	label string // as most writers spell it
	new   func() hash.Hash
	size  int    // bytes of a sum
	empty string // the sum of no bytes
}

// algorithms are known without the hyphen that some writers put in: sha-256.
var algorithms = map[string]*algorithm{
	"md5":    {"md5", md5.New, md5.Size, string(md5.New().Sum(nil))},
	"sha1":   {"sha1", sha1.New, sha1.Size, string(sha1.New().Sum(nil))},
	"sha256": {"sha256", sha256.New, sha256.Size, string(sha256.New().Sum(nil))},
	"sha512": {"sha512", sha512.New, sha512.Size, string(sha512.New().Sum(nil))},
}

// Digest is a labelled digest (WARC 1.1 §5.8). The zero value is that there is
// none.
type Digest struct {
	algorithm *algorithm
	sum       string // raw bytes
}

var (
	errAlgorithm = errors.New("its algorithm is not known")
	errValue     = errors.New("its value is no digest of its algorithm")
)

// Parse reads the value of WARC-Block-Digest or WARC-Payload-Digest. The
// format leaves the encoding open; the length of the value tells it, with or
// without padding, in any case: base32 (most writers, for SHA-1), hexadecimal
// (most, for the others), base64. An absent digest is the zero value.
func Parse(field string) (Digest, error) {
	label, value, labelled := strings.Cut(field, ":")
	if field == "" {
		return Digest{}, nil
	}
	a := algorithms[strings.ReplaceAll(strings.ToLower(strings.TrimSpace(label)), "-", "")]
	if a == nil || !labelled {
		return Digest{}, errAlgorithm
	}
	sum, err := decodeSum(strings.TrimRight(strings.TrimSpace(value), "="), a.size)
	if err != nil {
		return Digest{}, errValue
	}
	return Digest{a, string(sum)}, nil
}

func decodeSum(value string, size int) ([]byte, error) {
	switch len(value) {
	case hex.EncodedLen(size):
		return hex.DecodeString(value)
	case base32Sums.EncodedLen(size):
		return base32Sums.DecodeString(strings.ToUpper(value))
	case base64.RawStdEncoding.EncodedLen(size):
		return base64.RawStdEncoding.DecodeString(base64url.Replace(value))
	}
	return nil, errValue
}

// base64url turns the alphabet for URLs (RFC 4648 §5) into the usual one.
var base64url = strings.NewReplacer("-", "+", "_", "/")

var base32Sums = base32.StdEncoding.WithPadding(base32.NoPadding)

// Key is a payload digest as most writers spell it, so that the same bytes by the same
// algorithm are one key, however they are written; "" for no digest, and for that of
// no bytes, which every empty payload shares, so that it names none.
func Key(field string) string {
	if isUsualSHA1(field) && field != emptySHA1 {
		return field
	}
	d, err := Parse(field)
	switch {
	case err != nil && isUnlabelledNothing(field):
		return ""
	case err != nil: // of another algorithm, perhaps: compared as written
		return strings.ToLower(field)
	case !d.Known() || d.IsEmpty():
		return ""
	}
	return d.spelt([]byte(d.sum))
}

var emptySHA1 = Digest{algorithm: algorithms["sha1"]}.Text(sha1.New())

// isUsualSHA1 reports whether a digest is its own key. Most are, and captures are compared by the million.
func isUsualSHA1(field string) bool {
	sum, ok := strings.CutPrefix(field, "sha1:")
	return ok && len(sum) == base32Sums.EncodedLen(sha1.Size) && strings.Trim(sum, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// isUnlabelledNothing reports whether a digest without its algorithm's name is that
// of no bytes by any of them.
func isUnlabelledNothing(value string) bool {
	for label := range algorithms {
		if d, err := Parse(label + ":" + value); err == nil && d.IsEmpty() {
			return true
		}
	}
	return false
}

// Known reports whether there is a digest to compare with.
func (d Digest) Known() bool { return d.algorithm != nil }

// Contradicts reports whether two digests, of one algorithm, cannot be those of the same bytes.
func (d Digest) Contradicts(o Digest) bool {
	return d.Known() && d.algorithm == o.algorithm && d.sum != o.sum
}

// NewHash returns a hash of the digest's algorithm.
func (d Digest) NewHash() hash.Hash { return d.algorithm.new() }

// Matches reports whether h has hashed what the digest was made of.
func (d Digest) Matches(h hash.Hash) bool { return string(h.Sum(nil)) == d.sum }

// IsEmpty reports whether the digest is that of no bytes. GNU Wget gives it to
// the blocks of its revisit records, whatever they hold.
func (d Digest) IsEmpty() bool { return d.Known() && d.sum == d.algorithm.empty }

// Text writes the sum of h in the digest's own algorithm as most writers would.
func (d Digest) Text(h hash.Hash) string { return d.spelt(h.Sum(nil)) }

func (d Digest) spelt(sum []byte) string {
	if d.algorithm.size == sha1.Size {
		return d.algorithm.label + ":" + base32Sums.EncodeToString(sum)
	}
	return d.algorithm.label + ":" + hex.EncodeToString(sum)
}

// OfIndex is a digest as indexes write it, who leave out the name of its algorithm; the zero value where it is none
// that can be computed.
func OfIndex(written string) Digest {
	d, _ := Parse(Labelled(written))
	return d
}

// Labelled is a digest with the name of its algorithm, which indexes leave out.
func Labelled(written string) string {
	if !strings.Contains(written, ":") {
		switch len(written) {
		case 32, 40:
			return "sha1:" + written
		case 52, 64:
			return "sha256:" + written
		}
	}
	return written
}

// Same reports whether two digests, as written, are the same.
func Same(a, b string) bool {
	x, y := OfIndex(a), OfIndex(b)
	if x.Known() && y.Known() {
		return x == y
	}
	return strings.EqualFold(a, b)
}
