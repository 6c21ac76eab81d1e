package main

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Sources of other sizes say too little or are no documentation (an index of
// everything, a page that is a redirect).
const (
	leastSource = 16 << 10
	mostSource  = 1 << 20
)

// A text is a page of documentation. Documentation compresses better than the web
// does, so noise comes between its paragraphs.
type text struct {
	html  []byte
	noise float64 // bytes for each byte of html
}

// readTexts reads the HTML files below folder in the order of their paths, and
// finds how much noise each needs to compress at ratio.
func readTexts(folder string, ratio float64) ([]text, error) {
	var texts []text
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || !strings.HasSuffix(path, ".html") {
			return err
		}
		info, err := entry.Info()
		if err != nil || info.Size() < leastSource || info.Size() > mostSource {
			return err
		}
		html, err := os.ReadFile(path)
		texts = append(texts, text{html: html})
		return err
	})
	if err == nil && len(texts) == 0 {
		err = fmt.Errorf("%s has no HTML files of %d to %d bytes", folder, leastSource, mostSource)
	}
	if err != nil || ratio == 0 {
		return texts, err
	}
	var group sync.WaitGroup
	for i := range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for ; i < len(texts); i += runtime.GOMAXPROCS(0) {
				texts[i].noise = noiseFor(texts[i].html, ratio)
			}
		})
	}
	group.Wait()
	return texts, nil
}

// noiseFor solves (deflated + 0.76 noise) / (1 + noise) = 1 / ratio: base64 of
// random bytes deflates to 0.76 of its length.
func noiseFor(html []byte, ratio float64) float64 {
	deflated := float64(len(deflate(html))) / float64(len(html))
	return max(0, (1/ratio-deflated)/(0.76-1/ratio))
}

// deflate returns a complete DEFLATE stream.
func deflate(octets []byte) []byte {
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, flate.DefaultCompression)
	w.Write(octets)
	w.Close()
	return out.Bytes()
}

func octets(texts []text) (n int64) {
	for _, t := range texts {
		n += int64(len(t.html))
	}
	return n
}

// pageBody makes an HTML document of the shape's size (the logarithm is uniform) out of
// the documentation from a random place on.
func (m *maker) pageBody(random *rand.Rand, title, robots string) []byte {
	span := math.Log(float64(m.most) / float64(m.least))
	size := int(float64(m.least) * math.Exp(random.Float64()*span))
	page := make([]byte, 0, size+1024)
	page = fmt.Appendf(page,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>%s</title>\n", title)
	if robots != "" {
		page = fmt.Appendf(page, "<meta name=\"robots\" content=\"%s\">\n", robots)
	}
	page = append(page, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"+
		"<link rel=\"stylesheet\" href=\"/static/site.css\">\n<script src=\"/static/site.js\" "+
		"defer></script>\n</head>\n<body>\n"...)
	next := random.IntN(len(m.texts))
	t := m.texts[next]
	rest := t.html[random.IntN(len(t.html)):]
	for len(page) < size {
		if len(rest) == 0 {
			next = (next + 1) % len(m.texts)
			t = m.texts[next]
			rest = t.html
		}
		// A paragraph or so, to the end of a tag.
		length := min(500+random.IntN(3000), len(rest))
		if end := bytes.IndexByte(rest[length:], '>'); end >= 0 {
			length += end + 1
		} else {
			length = len(rest)
		}
		page = append(page, rest[:length]...)
		rest = rest[length:]
		page = appendNoise(page, random, int(t.noise*float64(length)))
	}
	return append(page[:size], "\n</body>\n</html>\n"...)
}

// appendNoise adds about n bytes, as pages carry them: in attributes of a token's
// length up to that of a small inline image.
func appendNoise(page []byte, random *rand.Rand, n int) []byte {
	if n < 48 {
		return page
	}
	noise := make([]byte, n*3/4)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	page = append(page, `<i data-token="`...)
	page = base64.StdEncoding.AppendEncode(page, noise)
	return append(page, `"></i>`...)
}
