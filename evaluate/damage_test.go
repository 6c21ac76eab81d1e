package evaluate

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestResyncedIsNeverCertain: what is found behind damage is evidence, but for no
// certain violation: neither as the robots.txt nor as the fetch.
func TestResyncedIsNeverCertain(t *testing.T) {
	t.Parallel()
	other := rec{url: "https://other.example/", at: "-3h"}
	rules, fetched := robotsTxt("-1h", closed), page("")
	const probable = "disallowed fresh rule probable +resynced"
	for name, c := range map[string]struct {
		archives [][]byte
		want     string
	}{
		"whole":                      {[][]byte{inMembers(other, rules, fetched)}, certain},
		"robots.txt behind damage":   {[][]byte{damaged(inMembers(other), inMembers(rules)), inMembers(fetched)}, probable},
		"the fetch behind damage":    {[][]byte{inMembers(rules), damaged(inMembers(other), inMembers(fetched))}, probable},
		"both behind damage":         {[][]byte{damaged(inMembers(other), inMembers(rules, fetched))}, probable},
		"damage behind both of them": {[][]byte{inMembers(rules, fetched), damaged(inMembers(other), nil)}, certain},
	} {
		t.Run(name, func(t *testing.T) {
			in, out := t.TempDir(), t.TempDir()
			var paths []string
			for i, archive := range c.archives {
				path := filepath.Join(in, string(rune('a'+i))+".warc.gz")
				if err := os.WriteFile(path, archive, 0o666); err != nil {
					t.Fatal(err)
				}
				paths = append(paths, path)
			}
			ingestFiles(t, out, paths)
			s, _ := evaluateFacts(t, openFacts(t, out), Options{})
			if got := s.results[fetched.recordID()]; got != c.want {
				t.Errorf("got %q, want %q; issues %q", got, c.want, s.issues)
			}
		})
	}
}

// inMembers writes records as gzip members, the request of each with it.
func inMembers(records ...rec) []byte {
	var b bytes.Buffer
	for _, r := range records {
		w := gzip.NewWriter(&b)
		w.Write(archive{r}.bytes())
		w.Close()
	}
	return b.Bytes()
}

// damaged is an archive whose first part has a wrong checksum.
func damaged(first, rest []byte) []byte {
	first = slices.Clone(first)
	first[len(first)-6] ^= 1
	return append(first, rest...)
}
