package reading

import (
	"cmp"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// A failure of the disk is the input's failure, at whatever place it comes, and
// never taken for the end of the archive.
func TestReadErrors(t *testing.T) {
	broken := errors.New("input/output error")
	archives := map[string][]byte{
		"members": warctest.GzipMembers(warctest.Response("urn:1", "http://h/robots.txt", ok200),
			warctest.Response("urn:2", "http://h/2", ok200)),
		"plain": warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt", ok200),
			warctest.Response("urn:2", "http://h/2", ok200)),
		"stream": warctest.Gzip(string(warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt", ok200),
			warctest.Response("urn:2", "http://h/2", ok200)))),
	}
	for name, archive := range archives {
		for n := 0; n <= len(archive); n++ {
			for _, path := range []string{"/archive", facts.Stdin} {
				src := io.MultiReader(strings.NewReader(string(archive[:n])), &once{broken})
				_, err := readSource(t.Context(), facts.Input{Path: path, Size: int64(len(archive))}, struct {
					io.Reader
					io.ReaderAt
				}{src, strings.NewReader(string(archive))}, 0, new(collected), Options{})
				if !input.IsReadError(err) || !errors.Is(err, broken) {
					t.Fatalf("%s %s, failing after %d bytes: %v", name, path, n, err)
				}
			}
		}
	}
}

// once is a reader that fails once, and then claims to be at its end.
type once struct{ err error }

func (o *once) Read([]byte) (n int, err error) {
	err = cmp.Or(o.err, io.EOF)
	o.err = nil
	return 0, err
}
