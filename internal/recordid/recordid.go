// Package recordid packs WARC-Record-IDs: nearly all are UUIDs, which fit in 17 bytes in
// place of 45.
package recordid

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// An ID is a WARC-Record-ID, packed; "" is none. Its bytes are 16 raw ones after uuidTag, or the text
// as it stands. String gives the text.
type ID string

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

// Parse packs an id without its angle brackets.
func Parse(text string) ID {
	var buf [PackedSize]byte
	if packed, ok := AppendUUID(buf[:0], []byte(text)); ok {
		return ID(packed)
	}
	return ID(text)
}

// OfBytes packs the 16 bytes of a UUID.
func OfBytes(uuid string) ID { return ID(uuidTag + uuid) }

// Is reports whether two ids are of one record.
func (id ID) Is(other ID) bool { return id.Key() == other.Key() }

// Key is the form in which ids are compared. UUIDs are the same in any case (RFC 9562 §4): Wget
// writes them in upper case, and other programs refer to them in lower case.
func (id ID) Key() ID {
	if len(id) != len(uuidPrefix)+36 {
		return id
	}
	if key := Parse(ascii.Lower(string(id))); len(key) == PackedSize {
		return key
	}
	return id
}

// String returns the id as the record gives it, without angle brackets.
func (id ID) String() string {
	raw, ok := strings.CutPrefix(string(id), uuidTag)
	if !ok || len(raw) != 16 {
		return string(id)
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

// MarshalText returns String: JSON has the id as the record gives it.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reverses MarshalText.
func (id *ID) UnmarshalText(text []byte) error {
	*id = Parse(string(text))
	return nil
}
