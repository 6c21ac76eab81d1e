package httpmsg

import (
	"bytes"
	"unicode/utf8"
)

// binaryMagic holds the first bytes of formats that a body may have without a header
// that states them. None of them begins a text.
var binaryMagic = [...]string{
	"\x1f\x8b",       // gzip
	"\x1f\x9d",       // compress
	"x\x9c", "x\xda", // zlib
	"\x28\xb5\x2f\xfd",            // zstd
	"\x5e\x2a\x4d\x18", "\xffDCB", // zstd and Brotli with a dictionary (RFC 9842)
	"BZh91AY&SY",               // bzip2
	"\xfd7zXZ\x00",             // xz
	"\x04\x22\x4d\x18",         // lz4
	"7z\xbc\xaf\x27\x1c",       // 7-Zip
	"PK\x03\x04", "PK\x05\x06", // zip
	"Rar!\x1a\x07",      // RAR
	"%PDF-",             // PDF
	"\x89PNG\r\n\x1a\n", // PNG
	"GIF87a", "GIF89a",  // GIF
	"\xff\xd8\xff",                         // JPEG
	"\x00\x00\x01\x00",                     // ICO
	"\x7fELF",                              // ELF
	"OggS\x00",                             // Ogg
	"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",     // OLE2
	"\xff\xfe\x00\x00", "\x00\x00\xfe\xff", // UTF-32, which nobody need read (RFC 9309 §2.2)
}

// IsBinary reports whether a body is in no form that a parser of text can read: compressed,
// an image, UTF-16 without a byte order mark. Texts of any other encoding are none, nor
// those with a few stray NULs: half of UTF-16 is control characters, and of compressed data
// a ninth, together with two of five bytes or more that are no UTF-8.
func IsBinary(body []byte) bool {
	switch {
	case hasBinaryMagic(body):
		return true
	case len(body) == 0, isUTF16(body):
		return false
	}
	n, controls, invalid := countBytes(body)
	return n == 0 || 5*controls >= n || 100*controls >= n && 4*invalid >= n
}

// IsUndecodable reports whether a body, and what Decode met in it, is in no form that a parser of text can read.
func IsUndecodable(body []byte, met Faults) bool {
	return IsBinary(body) || met&FaultFalseEncoding != 0 && !isReadable(body)
}

// isReadable reports whether a body with a declared coding that was not undone reads as
// text all the same: a quarter of its bytes at most are no UTF-8.
func isReadable(body []byte) bool {
	n, _, invalid := countBytes(body)
	return 4*invalid <= n || isUTF16(body)
}

func hasBinaryMagic(body []byte) bool {
	for _, magic := range binaryMagic {
		if len(body) >= len(magic) && string(body[:len(magic)]) == magic {
			return true
		}
	}
	return false
}

// isUTF16 reports whether a body has the byte order mark of UTF-16.
func isUTF16(body []byte) bool {
	return bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff"))
}

// countBytes counts the bytes of a body without the NULs that pad its end, the control
// characters among them that no text has, and the bytes that are no UTF-8.
func countBytes(body []byte) (n, controls, invalid int) {
	body = bytes.TrimRight(body, "\x00")
	for i := 0; i < len(body); {
		c := body[i]
		if c < utf8.RuneSelf {
			if isControl(c) {
				controls++
			}
			i++
			continue
		}
		_, size := utf8.DecodeRune(body[i:])
		if size == 1 {
			invalid++
		}
		i += size
	}
	return len(body), controls, invalid
}

// isControl reports whether an ASCII character is a control that no text has: texts have
// the white spaces, the escape of ISO 2022 and the end-of-file mark of DOS.
func isControl(c byte) bool {
	return c < ' ' && (c < '\t' || c > '\r') && c != 0x1a && c != 0x1b || c == 0x7f
}
