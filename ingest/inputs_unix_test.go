//go:build unix

package ingest

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe that nobody writes to must not stop the search for archives.
func TestExpandPipe(t *testing.T) {
	tree(t, map[string]string{"crawl/a.warc": "x"})
	for _, name := range []string{"crawl/pipe", "crawl/pipe.warc"} {
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Skip("skipped: no named pipes here")
		}
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		inputs, failures := Expand(t.Context(), []string{"crawl"}, ExpandOptions{})
		if len(inputs) != 1 || len(failures) != 1 || !strings.Contains(failures[0].Error(), "regular") {
			t.Errorf("%v, %v", inputs, failures)
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("Expand waits for a pipe")
	}
}
