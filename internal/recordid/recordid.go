// Package recordid packs WARC-Record-IDs: nearly all are UUIDs, of which 17 bytes say as
// much as 45.
package recordid

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// A packed record id is 16 raw bytes behind this tag, or the text as it stands.
const uuidTag = "\x00"

const uuidPrefix = "urn:uuid:"

// MaxSize is how many bytes of a WARC-Record-ID are kept.
const MaxSize = 1 << 10

// PackedSize is how many bytes a packed UUID has.
const PackedSize = len(uuidTag) + 16

// AppendUUID packs an id without its angle brackets that is a UUID in its canonical
// lower-case form, in 17 bytes. Any other stays text.
func AppendUUID(dst, id []byte) ([]byte, bool) {
	if len(id) != len(uuidPrefix)+36 || string(id[:len(uuidPrefix)]) != uuidPrefix {
		return dst, false
	}
	text := id[len(uuidPrefix):]
	if text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return dst, false
	}
	dst = append(dst, uuidTag...)
	all := byte(0)
	for _, i := range [16]uint8{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34} {
		high, low := hexDigits[text[i]], hexDigits[text[i+1]]
		all |= high | low
		dst = append(dst, high<<4|low)
	}
	return dst, all < 16
}

// hexDigits has the value of each lower-case hexadecimal digit, and more than 15 for
// other bytes.
var hexDigits = func() (values [256]byte) {
	for c := range values {
		values[c] = 0xff
	}
	for i, c := range []byte("0123456789abcdef") {
		values[c] = byte(i)
	}
	return values
}()

// IsSame reports whether two packed ids are the same.
func IsSame(a, b string) bool { return Key(a) == Key(b) }

// Key is what a packed id is compared by. UUIDs are the same in any case (RFC 9562 §4): Wget writes them
// in upper case, and other programs refer to them in lower case.
func Key(packed string) string {
	if len(packed) != len(uuidPrefix)+36 {
		return packed
	}
	var buf [PackedSize]byte
	if uuid, ok := AppendUUID(buf[:0], []byte(ascii.Lower(packed))); ok {
		return string(uuid)
	}
	return packed
}

// Text is the inverse of the packing of Fetch.RecordID: the id as the
// record gives it, without angle brackets.
func Text(packed string) string {
	raw, ok := strings.CutPrefix(packed, uuidTag)
	if !ok || len(raw) != 16 {
		return packed
	}
	text := make([]byte, 0, len(uuidPrefix)+36)
	text = append(text, uuidPrefix...)
	for i := range len(raw) {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			text = append(text, '-')
		}
		const digits = "0123456789abcdef"
		text = append(text, digits[raw[i]>>4], digits[raw[i]&0xf])
	}
	return string(text)
}
