//go:build unix

package ingest

import (
	"fmt"
	"os"
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
	read, write, err := os.Pipe() // as a shell makes for <(command)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	named := fmt.Sprintf("/dev/fd/%d", read.Fd())
	done := make(chan bool)
	go func() {
		defer close(done)
		inputs, failures := Expand(t.Context(), []string{"crawl", named}, ExpandOptions{})
		if len(inputs) != 1 || len(failures) != 2 || !strings.Contains(failures[0].Error(), "regular") ||
			!strings.Contains(failures[1].Error(), "regular") {
			t.Errorf("%v, %v", inputs, failures)
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("Expand waits for a pipe")
	}
}
