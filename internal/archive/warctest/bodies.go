package warctest

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// Encode applies a content coding.
func Encode(t testing.TB, coding, s string) string {
	t.Helper()
	var b bytes.Buffer
	write := func(w interface {
		Write([]byte) (int, error)
		Close() error
	},
	) string {
		if _, err := w.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	switch coding {
	case "gzip":
		return string(Gzip(s))
	case "zlib":
		return write(zlib.NewWriter(&b))
	case "flate":
		w, _ := flate.NewWriter(&b, 9)
		return write(w)
	case "br":
		return write(brotli.NewWriter(&b))
	case "zstd":
		w, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		return write(w)
	}
	t.Fatalf("no coding %q", coding)
	return ""
}

// Chunked makes one chunk of s.
func Chunked(s string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(s), s) }

// UTF16LE writes ASCII as UTF-16 without a byte order mark.
func UTF16LE(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.Write([]byte{s[i], 0})
	}
	return b.String()
}
