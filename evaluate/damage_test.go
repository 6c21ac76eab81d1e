package evaluate

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestResyncedIsNeverCertain: what is found after damage is evidence, but for no
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
		"whole": {[][]byte{inMembers(other, rules, fetched)}, certain},
		"robots.txt behind damage": {
			[][]byte{damaged(inMembers(other), inMembers(rules)), inMembers(fetched)},
			probable,
		},
		"the fetch behind damage": {
			[][]byte{inMembers(rules), damaged(inMembers(other), inMembers(fetched))},
			probable,
		},
		"both behind damage":         {[][]byte{damaged(inMembers(other), inMembers(rules, fetched))}, probable},
		"damage behind both of them": {[][]byte{inMembers(rules, fetched), damaged(inMembers(other), nil)}, certain},
	} {
		t.Run(name, func(t *testing.T) {
			s := evaluateArchives(t, c.archives)
			if got := s.results[fetched.recordID()]; got != c.want {
				t.Errorf("got %q, want %q; issues %q", got, c.want, s.issues)
			}
		})
	}
}

// evaluateArchives ingests archives, in their order, and evaluates them.
func evaluateArchives(t *testing.T, archives [][]byte) *recorder {
	in, out := t.TempDir(), t.TempDir()
	var paths []string
	for i, archive := range archives {
		path := filepath.Join(in, fmt.Sprintf("%02d.warc", i))
		if err := os.WriteFile(path, archive, 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	ingestFiles(t, out, paths)
	s, _ := evaluateFacts(t, openFacts(t, out), DecideOptions{})
	return s
}

// TestForgeableIsNoViolation: after a page whose length is wrong, in a plain archive, what
// is read may be what the page holds. It is a violation neither as the robots.txt, nor as
// the fetch, nor as a second copy that makes either surer.
func TestForgeableIsNoViolation(t *testing.T) {
	t.Parallel()
	rules, fetched := robotsTxt("-1h", closed), page("")
	old, same, next := robotsTxt("-20d", closed), robotsTxt("-1h", closed), robotsTxt("+2d", closed)
	same.ua, old.ua = "OtherBot/1.0", "OtherBot/1.0"
	const possible = "disallowed fresh rule possible +resynced +forgeable"
	for name, c := range map[string]struct {
		archives [][]byte
		want     string
	}{
		"none is forged":          {[][]byte{archive{rules, fetched}.bytes()}, certain},
		"the robots.txt":          {[][]byte{pageOf(rules), archive{fetched}.bytes()}, possible},
		"the fetch":               {[][]byte{archive{rules}.bytes(), pageOf(fetched)}, possible},
		"both":                    {[][]byte{pageOf(rules, fetched)}, possible},
		"another one behind both": {[][]byte{archive{rules, fetched}.bytes(), pageOf(next)}, certain},
		"an old one": {
			[][]byte{archive{old, fetched}.bytes()},
			"disallowed stale rule possible +other_crawler",
		},
		"an old one, the next too": {
			[][]byte{archive{old, fetched, next}.bytes()},
			"disallowed stale rule probable +other_crawler +bracketed",
		},
		"an old one, a forged next one": {
			[][]byte{archive{old, fetched}.bytes(), pageOf(next)},
			"disallowed stale rule possible +other_crawler",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := evaluateArchives(t, c.archives)
			if got := s.results[fetched.recordID()]; got != c.want {
				t.Errorf("got %q, want %q; issues %q", got, c.want, s.issues)
			}
		})
	}
}

// pageOf is a plain archive of one page, whose length is wrong, and that holds records.
func pageOf(records ...rec) []byte {
	held := bytes.TrimRight(archive(records).bytes(), "\r\n")
	page := archive{{url: "http://attacker.example/", at: "-2h", ua: "-", body: "\n" + string(held)}}
	return bytes.Replace(page.bytes(), []byte("Content-Length: "), []byte("Content-Length: 9"), 1)
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
