//go:build !wasip1

package object_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/object"
)

// TestCopyLater reads a copy of an object at random, from several goroutines, of a store that fails
// now and then: it has the bytes of the object, and none of it is requested twice.
func TestCopyLater(t *testing.T) {
	f := faulty{asked: make(map[string]int)}
	held := store(t, f.before)
	object.Small()
	const block = 4 << 10
	content := make([]byte, 100*block+100)
	random := rand.NewChaCha8([32]byte{})
	random.Read(content)
	held.Put(t, "a", content)
	info, err := object.Stat(t.Context(), "s3://bucket/a")
	if err != nil {
		t.Fatal(err)
	}
	open := func() object.LocalFile {
		file := filepath.Join(t.TempDir(), "a")
		if err := object.CopyLater(t.Context(), "s3://bucket/a", info, file); err != nil {
			t.Fatal(err)
		}
		c, err := object.OpenCopy(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if info, err := c.Stat(); err != nil || info.Size() != int64(len(content)) {
			t.Fatal(info, err)
		}
		return c
	}
	read := func(c object.LocalFile, from, size int) {
		b := make([]byte, size)
		n, err := c.ReadAt(b, int64(from))
		if want := content[min(from, len(content)):min(from+size, len(content))]; !bytes.Equal(b[:n], want) ||
			(err == nil) != (n == size) {
			t.Errorf("%d bytes at %d: %d, %v", size, from, n, err)
		}
	}
	bytesRead := func() int { _, n := object.Traffic(); return int(n) }

	c := open()
	before := bytesRead()
	read(c, len(content)-10, 20)
	read(c, 50*block-1, 2)
	if got := bytesRead() - before; got > 4*block {
		t.Errorf("%d bytes for three blocks", got)
	}
	var done sync.WaitGroup
	for range 4 {
		r := rand.New(rand.NewPCG(random.Uint64(), 0))
		done.Go(func() {
			for range 100 {
				read(c, r.IntN(len(content)), r.IntN(5*block))
			}
		})
	}
	done.Wait()
	for from := 0; from < len(content)+block; from += block / 2 {
		read(c, from, block/2)
	}
	if got := bytesRead() - before; got != len(content) {
		t.Errorf("%d bytes, of %d", got, len(content))
	}

	c = open()
	requests, _ := object.Traffic()
	for from := 0; from < len(content); from += 100 {
		read(c, from, 100)
	}
	if now, _ := object.Traffic(); now-requests > 2*25 { // every other one fails
		t.Errorf("%d requests for 101 blocks in a row", now-requests)
	}

	c = open()
	held.Put(t, "a", content[1:])
	if _, err := c.ReadAt(make([]byte, 10), 0); err == nil || !strings.Contains(err.Error(), "s3://bucket/a: ") {
		t.Errorf("of an object that changed: %v", err)
	}
}
