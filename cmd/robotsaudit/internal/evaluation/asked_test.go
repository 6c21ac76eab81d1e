package evaluation

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReadLines: a list may be as editors of Windows write it, with a byte order mark or in UTF-16.
func TestReadLines(t *testing.T) {
	for name, text := range map[string]string{
		"plain":   "Bot/é\n b",
		"marked":  "\ufeffBot/é\r\nb\r\n",
		"UTF-16":  "\xff\xfeB\x00o\x00t\x00/\x00\xe9\x00\r\x00\n\x00b\x00",
		"another": "\xfe\xff\x00B\x00o\x00t\x00/\x00\xe9\x00\n\x00b",
	} {
		if got := linesOf(t, text); len(got) != 2 || got[1] != "Bot/é" || got[2] != "b" {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := linesOf(t, "a\xff\n"); len(got) != 1 || got[1] != "a\xff" {
		t.Errorf("no UTF-8: %v", got)
	}
}

// linesOf are the lines of a file, by their numbers.
func linesOf(t *testing.T, text string) map[int]string {
	path := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	lines := make(map[int]string)
	err := readLines("file", path, func(line string) string { lines[len(lines)+1] = line; return "" })
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
