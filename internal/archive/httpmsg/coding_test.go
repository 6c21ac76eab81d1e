package httpmsg

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

const robotsTxt = "User-agent: *\nDisallow: /private/\n"

func TestDechunk(t *testing.T) {
	for name, c := range map[string]struct {
		in       string
		mayBeCut bool
		plain    string
		cut, ok  bool
	}{
		"whole": {
			"5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\nTrailer: x\r\n\r\n", false, "hello world",
			false, true,
		},
		"lf only":              {"5\nhello\n0\n\n", false, "hello", false, true},
		"upper case, padded":   {"00A \r\n0123456789\r\n0\r\n\r\n", false, "0123456789", false, true},
		"empty":                {"0\r\n\r\n", false, "", false, true},
		"dechunked already":    {robotsTxt, false, "", false, false},
		"dechunked, cut":       {robotsTxt, true, "", false, false},
		"first line hex":       {"add\nUser-agent: *\n", false, "User-agent: *\n", true, false},
		"first line hex, cut":  {"add\nUser-agent: *\n", true, "User-agent: *\n", true, true},
		"no last chunk":        {"5\r\nhello\r\n", false, "hello", true, true},
		"cut in second chunk":  {"5\r\nhello\r\n9\r\n wor", false, "hello wor", true, true},
		"cut in size line":     {"5\r\nhello\r\n1", false, "hello", true, true},
		"cut in first chunk":   {"5\r\nhel", false, "hel", true, true},
		"cut after its size":   {"5\r\n", false, "", true, true},
		"cut after its bytes":  {"5\r\nhello", false, "hello", true, true},
		"known to be cut":      {"5\r\nhel", true, "hel", true, true},
		"only a size, cut":     {"5", true, "", true, false},
		"wrong size":           {"3\r\nhello\r\n0\r\n\r\n", false, "", false, false},
		"huge size":            {"7fffffffffffffff\r\nx", true, "", false, false},
		"negative size":        {"-1\r\nx", false, "", false, false},
		"rubbish behind chunk": {"5\r\nhello\r\nnothex\r\n", false, "hello", true, true},
		"wrong second size":    {"5\r\nhello\r\n3\r\n world\r\n0\r\n\r\n", false, "hello wo", true, true},
		"endless size line":    {strings.Repeat("0", 9000) + "5\r\nhello\r\n0\r\n\r\n", true, "", false, false},
	} {
		plain, cut, ok := undo(chunked, []byte(c.in), c.mayBeCut)
		if ok != c.ok || ok && (string(plain) != c.plain || cut != c.cut) {
			t.Errorf("%s: %q, cut %v, ok %v", name, plain, cut, ok)
		}
	}
}

func TestDecodePayload(t *testing.T) {
	chunked := warctest.Chunked
	gz := warctest.Encode(t, "gzip", robotsTxt)
	for name, c := range map[string]struct {
		te, ce   []string
		raw      string
		mayBeCut bool
		body     string
		met      Faults
	}{
		"plain":               {raw: robotsTxt, body: robotsTxt},
		"chunked":             {te: []string{"chunked"}, raw: chunked(robotsTxt), body: robotsTxt},
		"chunked, twice said": {te: []string{"chunked", "chunked"}, raw: chunked(robotsTxt), body: robotsTxt},
		"falsely chunked":     {te: []string{"chunked"}, raw: robotsTxt, body: robotsTxt, met: FaultFalseChunked},
		"chunked, empty":      {te: []string{"chunked"}},
		"chunked, of content": {
			ce:  new(Head).addCodings(nil, []byte("transfer chunked, Chunked")),
			raw: chunked(robotsTxt), body: chunked(robotsTxt), met: FaultFalseEncoding,
		},
		"chunked, one begun":  {te: []string{"chunked"}, raw: "1a\r\nUser-agent: *\n", body: "User-agent: *\n", met: FaultCut},
		"chunked, size alone": {te: []string{"chunked"}, raw: "1a\r\n", met: FaultCut},
		"chunked, no end": {
			te: []string{"chunked"}, raw: chunked(robotsTxt)[:len(robotsTxt)+6], body: robotsTxt,
			met: FaultCut,
		},

		"gzip as transfer coding": {te: []string{"gzip", "chunked"}, raw: warctest.Chunked(gz), body: robotsTxt},
		"both kinds of coding": {
			te: []string{"gzip", "chunked"}, ce: []string{"br"},
			raw: warctest.Chunked(warctest.Encode(t, "gzip", warctest.Encode(t, "br", robotsTxt))), body: robotsTxt,
		},

		"gzip":          {ce: []string{"gzip"}, raw: gz, body: robotsTxt},
		"x-gzip":        {ce: []string{"x-gzip"}, raw: gz, body: robotsTxt},
		"zlib":          {ce: []string{"deflate"}, raw: warctest.Encode(t, "zlib", robotsTxt), body: robotsTxt},
		"bare deflate":  {ce: []string{"deflate"}, raw: warctest.Encode(t, "flate", robotsTxt), body: robotsTxt},
		"br":            {ce: []string{"br"}, raw: warctest.Encode(t, "br", robotsTxt), body: robotsTxt},
		"zstd":          {ce: []string{"zstd"}, raw: warctest.Encode(t, "zstd", robotsTxt), body: robotsTxt},
		"chain":         {ce: []string{"gzip", "br"}, raw: warctest.Encode(t, "br", gz), body: robotsTxt},
		"unknown":       {ce: []string{"rot13"}, raw: robotsTxt, body: robotsTxt, met: FaultFalseEncoding},
		"false gzip":    {ce: []string{"gzip"}, raw: robotsTxt, body: robotsTxt, met: FaultFalseEncoding},
		"false deflate": {ce: []string{"deflate"}, raw: robotsTxt, body: robotsTxt, met: FaultFalseEncoding},
		"false deflate, s": {
			ce: []string{"deflate"}, raw: "sitemap: /x\n\x00\x00\x00\n" + robotsTxt,
			body: "sitemap: /x\n\x00\x00\x00\n" + robotsTxt, met: FaultFalseEncoding,
		},
		"false br":          {ce: []string{"br"}, raw: robotsTxt, body: robotsTxt, met: FaultFalseEncoding},
		"false zstd":        {ce: []string{"zstd"}, raw: robotsTxt, body: robotsTxt, met: FaultFalseEncoding},
		"half a chain":      {ce: []string{"rot13", "gzip"}, raw: gz, body: robotsTxt, met: FaultFalseEncoding},
		"nothing encoded":   {ce: []string{"gzip"}},
		"two members":       {ce: []string{"gzip"}, raw: gz + gz, body: robotsTxt + robotsTxt},
		"garbage behind":    {ce: []string{"gzip"}, raw: gz + "\n<!-- served by a proxy -->\n", body: robotsTxt},
		"a line end behind": {ce: []string{"gzip"}, raw: gz + "\r\n", body: robotsTxt},
		"empty members": {
			ce: []string{"br", "gzip"},
			raw: strings.Repeat(warctest.Encode(t, "gzip", ""), 200) +
				warctest.Encode(t, "gzip", warctest.Encode(t, "br", robotsTxt)), body: robotsTxt,
		},
		"half a member behind": {ce: []string{"gzip"}, raw: gz + gz[:7], body: robotsTxt, met: FaultCut},
		"no member behind":     {ce: []string{"gzip"}, raw: gz + "\x1f\x8b and other bytes", body: robotsTxt},
		"gzip, last bytes lost": {
			ce: []string{"gzip"}, raw: gz[:len(gz)-6], body: robotsTxt, met: FaultCut,
		},
		"gzip, checksum wrong": {
			ce: []string{"gzip"}, raw: gz[:len(gz)-8] + "xxxx" + gz[len(gz)-4:], body: robotsTxt, met: FaultCut,
		},
		"undeclared gzip": {raw: gz, body: gz, met: FaultUndeclaredGzip},
		"too many": {
			ce: strings.Split(strings.Repeat("gzip,", maxCodings)+"gzip", ","), raw: gz, body: gz,
			met: FaultFalseEncoding,
		},
	} {
		body, met := Decode([]byte(c.raw), &Head{transferEncoding: c.te, contentEncoding: c.ce}, c.mayBeCut)
		if string(body) != c.body || met != c.met {
			t.Errorf("%s: %q, met %b, want %q, %b", name, body, met, c.body, c.met)
		}
	}
}

func TestDecodePayloadCutIn(t *testing.T) {
	var b strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&b, "Disallow: /%x/\n", i*i*2654435761)
	}
	long := b.String()
	for _, coding := range []string{"gzip", "zlib", "flate", "br", "zstd"} {
		declared := map[string]string{"zlib": "deflate", "flate": "deflate"}[coding]
		if declared == "" {
			declared = coding
		}
		whole := warctest.Encode(t, coding, long)
		body, met := Decode([]byte(whole[:len(whole)-3]), &Head{contentEncoding: []string{declared}}, true)
		if !strings.HasPrefix(long, string(body)) || met != FaultCut || len(body) == 0 {
			t.Errorf("%s: %d bytes, met %b", coding, len(body), met)
		}
	}
}

func TestDecodePayloadBombs(t *testing.T) {
	zeros := strings.Repeat("\x00", 32<<20)
	bombs := map[string]string{}
	for _, coding := range []string{"gzip", "br", "zstd"} {
		bombs[coding] = warctest.Encode(t, coding, zeros)
	}
	zeros = ""
	for coding, bomb := range bombs {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		body, met := Decode([]byte(bomb), &Head{contentEncoding: []string{coding}}, false)
		runtime.ReadMemStats(&after)
		if len(body) != MaxBody || met != FaultCut {
			t.Errorf("%s: %d bytes, met %b", coding, len(body), met)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%s: allocated %d MiB", coding, used>>20)
		}
	}
}

// A body that has not all bytes of its Content-Length is a part, also where the crawler has
// written another one in its place.
func TestMissing(t *testing.T) {
	const body = 48
	for fields, want := range map[string]int64{
		"":                              0,
		"Content-Length: 548":           500,
		"Content-Length: 48":            0,
		"Content-Length: 548, 548":      500,
		"Content-Length: 40":            0,
		"Content-Length: -548":          0,
		"X-Crawler-Content-Length: 548": 500,
		"X-Crawler-Content-Length: 548|Content-Length: 48":                                     500,
		"X-Crawler-Content-Length: 48|Content-Length: 48":                                      0,
		"X-Crawler-Content-Length: 548|X-Crawler-Content-Encoding: gzip":                       0,
		"X-Crawler-Content-Length: 548|X-Crawler-Transfer-Encoding: chunked":                   0,
		"Content-Length: 548|X-Crawler-Transfer-Encoding: chunked":                             500,
		"Content-Length: 548|Content-Encoding: gzip":                                           0,
		"Content-Length: 548|Transfer-Encoding: chunked":                                       0,
		"X-Orig-Content-Encoding: gzip|Content-Length: 548":                                    0,
		"empty|Content-Length: 548":                                                            548,
		"empty|Content-Length: 548|Content-Encoding: br":                                       548,
		"empty|X-Crawler-Content-Length: 548|X-Crawler-Content-Encoding: br":                   548,
		"empty|X-Crawler-Content-Length: 20|X-Crawler-Content-Encoding: gzip":                  0,
		"empty|X-Crawler-Content-Length: 548|X-Crawler-Transfer-Encoding: chunked":             0,
		"empty|Content-Length: 548|Transfer-Encoding: chunked":                                 0,
		"empty|X-Crawler-Content-Length: 548|X-Crawler-Content-Encoding: br|Content-Length: 0": 548,
	} {
		lines, n := strings.CutPrefix(fields, "empty|")
		length := body
		if n {
			length = 0
		}
		h := ParseResponse([]byte("HTTP/1.1 200 OK\r\n"+strings.ReplaceAll(lines, "|", "\r\n")+"\r\n\r\n"), tag.Keep, nil)
		if got := h.Missing(length); got != want {
			t.Errorf("%s: %d, want %d", fields, got, want)
		}
	}
}
