package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const page = "<!DOCTYPE html>\n<body>\n<p>5 violations</p>\n</body>\n</html>\n"

// wrapped is the page with a bundle in it.
func wrapped(t *testing.T, bundle []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := WriteReport(&out, []byte(page), bytes.NewReader(bundle)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// unwrapped is the bundle in a file.
func unwrapped(t *testing.T, content []byte) ([]byte, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	bundle, inReport, changed, err := unwrap(file, dir)
	if err != nil {
		return nil, err
	}
	defer bundle.Close()
	got, err := io.ReadAll(bundle)
	if err != nil || !inReport {
		t.Fatal(inReport, err)
	}
	return got, changed
}

// TestReportCarries: a bundle of any length comes out of a report as it went in, and the report reads as before.
func TestReportCarries(t *testing.T) {
	random := rand.NewChaCha8([32]byte{})
	for _, size := range []int{0, 1, 56, 57, 58, 114, 1000, 200_000} {
		bundle := make([]byte, size)
		random.Read(bundle)
		file := wrapped(t, bundle)
		if got, err := unwrapped(t, file); err != nil || !bytes.Equal(got, bundle) {
			t.Errorf("%d bytes: %d came out, %v", size, len(got), err)
		}
		before, rest, _ := strings.Cut(string(file), envelopeBegin)
		if _, after, _ := strings.Cut(rest, envelopeEnd); before+after != page {
			t.Errorf("around %d bytes: %q", size, before+after)
		}
	}
}

// TestReportChanged: a report of which any byte was changed, left out or added is refused.
func TestReportChanged(t *testing.T) {
	bundle := []byte(strings.Repeat("the records of a bundle, as they stand in archives\n", 5))
	file := wrapped(t, bundle)
	try := func(what string, changed []byte) {
		t.Helper()
		var refused *RefusedError
		if _, err := unwrapped(t, changed); !errors.As(err, &refused) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := len(htmlBegin); i < len(file); i++ { // what does not begin so is read as a bundle
		for _, bit := range []byte{1, 0x20, 0x80} {
			changed := bytes.Clone(file)
			changed[i] ^= bit
			try(fmt.Sprintf("byte %d", i), changed)
		}
		try(fmt.Sprintf("without byte %d", i), append(bytes.Clone(file[:i]), file[i+1:]...))
		try(fmt.Sprintf("cut at %d", i), file[:i])
		for _, more := range []string{"\n", "\r", " ", "=", "A"} {
			try(fmt.Sprintf("%q at %d", more, i), []byte(string(file[:i])+more+string(file[i:])))
		}
	}
	try("appended", append(bytes.Clone(file), "<p>6"...))
	before, rest, _ := strings.Cut(string(file), envelopeBegin)
	block, after, _ := strings.Cut(rest, envelopeEnd)
	begin, more, _ := strings.Cut(before, "<p>")
	try("moved", []byte(begin+envelopeBegin+block+envelopeEnd+"<p>"+more+after))
	try("twice", append(bytes.Clone(file), file...))
}
