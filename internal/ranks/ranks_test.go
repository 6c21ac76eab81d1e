package ranks

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "top.csv")
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	z.Close()
	return b.String()
}

// Bounds are inclusive; a host has the stratum of its pay-level domain, by all of the public
// suffix list.
func TestStrata(t *testing.T) {
	const list = "\ufeff1,Example.com\r\n1000,last1k.example\n1001,first10k.example\n10000,last10k.example\n10001,first50k.example\n50000,last50k.example\n50001,first100k.example\n" +
		"100000,last100k.example\n100001,first1m.example\n1000000,last1m.example\n1000001,first2m.example\n2000000,last2m.example\n" +
		"2000001,below.example\n200,github.io\n7000,mine.github.io\n3,example.co.uk\n4,xn--bcher-kva.example\n5,BÜCHER2.example\n" +
		"900000,deep.host.example\n1500,example.com\n\n6,1.2.3.4x.example\n"
	for name, content := range map[string]string{"plain": list, "gzip": zipped(list)} {
		l, err := Read(write(t, content))
		if err != nil {
			t.Fatal(name, err)
		}
		if l.Domains != 21 || l.Name != "top.csv" || len(l.SHA256) != 64 {
			t.Errorf("%s: %d domains, %s %s", name, l.Domains, l.Name, l.SHA256)
		}
		for host, want := range map[string]string{
			"example.com": "1k", "www.example.com": "1k", "www.example.com.": "1k", "last1k.example": "1k",
			"first10k.example": "10k",
			"last10k.example":  "10k", "first50k.example": "50k", "last50k.example": "50k",
			"first100k.example": "100k", "last100k.example": "100k", "first1m.example": "1M", "last1m.example": "1M",
			"first2m.example": "2M", "last2m.example": "2M", "below.example": beyond, "missing.example": beyond,
			// blogs are no github.io
			"github.io": "1k", "mine.github.io": "10k", "www.mine.github.io": "10k", "other.github.io": beyond,
			"www.example.co.uk": "1k", "co.uk": beyond, "bücher.example": "1k", "bücher2.example": "1k",
			"deep.host.example": "1M", "other.host.example": beyond, "192.0.2.1": beyond, "[::1]": beyond, "": "",
		} {
			u, _ := weburl.Parse("http://" + host + "/")
			if got := l.Stratum(u); got != want {
				t.Errorf("%s: %s is %q, want %q", name, host, got, want)
			}
		}
	}
}

// What is no ranking is refused, with the line and what is expected.
func TestNoRanking(t *testing.T) {
	for content, want := range map[string]string{
		"rank,domain\n1,example.com\n":     "line 1: ",
		"1,example.com\nexample.org,2\n":   "line 2: ",
		"1,example.com\n\n2 example.org\n": "line 3: ",
		"1,example.com,12\n":               "line 1: ",
		"1,2\n":                            "line 1: ",
		"0,example.com\n":                  "line 1: ",
		"1,https://example.com/\n":         "line 1: ",
		"":                                 "no domain",
		"\n\n":                             "no domain",
		"PK\x03\x04…":                      "zip",
		"1,example.com\n" + strings.Repeat("x", 2*maxLine): "line 2 is longer",
		"\x1f\x8b\x08broken":           "gzip",
		zipped("1,example.com\n")[:20]: "after line",
	} {
		_, err := Read(write(t, content))
		if err == nil || !strings.Contains(err.Error(), want) || strings.HasPrefix(want, "line") &&
			!strings.Contains(err.Error(), "1,example.com") {
			t.Errorf("%.40q: %v, want %s", content, err, want)
		}
	}
}

// A million domains take eight bytes each.
func TestSmall(t *testing.T) {
	var b strings.Builder
	const domains = 50_000
	for i := range domains {
		fmt.Fprintf(&b, "%d,domain%d.example\n", i+1, i)
	}
	l, err := Read(write(t, b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if n := cap(l.entries); n > domains {
		t.Errorf("room for %d entries of %d", n, domains)
	}
}
