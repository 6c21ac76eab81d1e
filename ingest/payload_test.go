package ingest

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/warctest"
)

const robotsBody = "User-agent: *\nDisallow: /private/\n"

// encode applies a content coding.
func encode(t testing.TB, coding, s string) string {
	t.Helper()
	var b bytes.Buffer
	write := func(w interface {
		Write([]byte) (int, error)
		Close() error
	}) string {
		if _, err := w.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	switch coding {
	case "gzip":
		return string(warctest.Gzip(s))
	case "zlib":
		return write(zlib.NewWriter(&b))
	case "flate":
		w, _ := flate.NewWriter(&b, 9)
		return write(w)
	case "br":
		return write(brotli.NewWriter(&b))
	case "zstd":
		w, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		return write(w)
	}
	t.Fatalf("no coding %q", coding)
	return ""
}

func TestDechunk(t *testing.T) {
	for name, c := range map[string]struct {
		in       string
		mayBeCut bool
		plain    string
		cut, ok  bool
	}{
		"whole":                {"5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\nTrailer: x\r\n\r\n", false, "hello world", false, true},
		"lf only":              {"5\nhello\n0\n\n", false, "hello", false, true},
		"upper case, padded":   {"00A \r\n0123456789\r\n0\r\n\r\n", false, "0123456789", false, true},
		"empty":                {"0\r\n\r\n", false, "", false, true},
		"dechunked already":    {robotsBody, false, "", false, false},
		"dechunked, cut":       {robotsBody, true, "", false, false},
		"first line hex":       {"add\nUser-agent: *\n", false, "User-agent: *\n", true, false},
		"first line hex, cut":  {"add\nUser-agent: *\n", true, "User-agent: *\n", true, true},
		"no last chunk":        {"5\r\nhello\r\n", false, "hello", true, true},
		"cut in second chunk":  {"5\r\nhello\r\n9\r\n wor", false, "hello wor", true, true},
		"cut in size line":     {"5\r\nhello\r\n1", false, "hello", true, true},
		"cut in first chunk":   {"5\r\nhel", false, "hel", true, false},
		"known to be cut":      {"5\r\nhel", true, "hel", true, true},
		"only a size, cut":     {"5", true, "", true, false},
		"wrong size":           {"3\r\nhello\r\n0\r\n\r\n", false, "", false, false},
		"huge size":            {"7fffffffffffffff\r\nx", true, "", false, false},
		"negative size":        {"-1\r\nx", false, "", false, false},
		"rubbish behind chunk": {"5\r\nhello\r\nnothex\r\n", false, "hello", true, true},
		"wrong second size":    {"5\r\nhello\r\n3\r\n world\r\n0\r\n\r\n", false, "hello wo", true, true},
		"endless size line":    {strings.Repeat("0", 9000) + "5\r\nhello\r\n0\r\n\r\n", true, "", false, false},
	} {
		plain, cut, ok := dechunk([]byte(c.in), c.mayBeCut)
		if ok != c.ok || ok && (string(plain) != c.plain || cut != c.cut) {
			t.Errorf("%s: %q, cut %v, ok %v", name, plain, cut, ok)
		}
	}
}

// chunkedBody makes one chunk of s.
func chunkedBody(s string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(s), s) }

func TestDecodePayload(t *testing.T) {
	chunked := chunkedBody
	gz := encode(t, "gzip", robotsBody)
	for name, c := range map[string]struct {
		te, ce   []string
		raw      string
		mayBeCut bool
		body     string
		flags    facts.Flags
	}{
		"plain":               {raw: robotsBody, body: robotsBody},
		"chunked":             {te: []string{"chunked"}, raw: chunked(robotsBody), body: robotsBody},
		"chunked, twice said": {te: []string{"chunked", "chunked"}, raw: chunked(robotsBody), body: robotsBody},
		"falsely chunked":     {te: []string{"chunked"}, raw: robotsBody, body: robotsBody, flags: facts.FlagFalseChunked},
		"chunked, empty":      {te: []string{"chunked"}},
		"chunked, no end":     {te: []string{"chunked"}, raw: chunked(robotsBody)[:len(robotsBody)+6], body: robotsBody, flags: facts.FlagBodyCut},

		"gzip as transfer coding": {te: []string{"gzip", "chunked"}, raw: chunkedBody(gz), body: robotsBody},
		"both kinds of coding":    {te: []string{"gzip", "chunked"}, ce: []string{"br"}, raw: chunkedBody(encode(t, "gzip", encode(t, "br", robotsBody))), body: robotsBody},

		"gzip":                 {ce: []string{"gzip"}, raw: gz, body: robotsBody},
		"x-gzip":               {ce: []string{"x-gzip"}, raw: gz, body: robotsBody},
		"zlib":                 {ce: []string{"deflate"}, raw: encode(t, "zlib", robotsBody), body: robotsBody},
		"bare deflate":         {ce: []string{"deflate"}, raw: encode(t, "flate", robotsBody), body: robotsBody},
		"br":                   {ce: []string{"br"}, raw: encode(t, "br", robotsBody), body: robotsBody},
		"zstd":                 {ce: []string{"zstd"}, raw: encode(t, "zstd", robotsBody), body: robotsBody},
		"chain":                {ce: []string{"gzip", "br"}, raw: encode(t, "br", gz), body: robotsBody},
		"unknown":              {ce: []string{"rot13"}, raw: robotsBody, body: robotsBody, flags: facts.FlagFalseEncoding},
		"false gzip":           {ce: []string{"gzip"}, raw: robotsBody, body: robotsBody, flags: facts.FlagFalseEncoding},
		"false deflate":        {ce: []string{"deflate"}, raw: robotsBody, body: robotsBody, flags: facts.FlagFalseEncoding},
		"false deflate, s":     {ce: []string{"deflate"}, raw: "sitemap: /x\n\x00\x00\x00\n" + robotsBody, body: "sitemap: /x\n\x00\x00\x00\n" + robotsBody, flags: facts.FlagFalseEncoding},
		"false br":             {ce: []string{"br"}, raw: robotsBody, body: robotsBody, flags: facts.FlagFalseEncoding},
		"false zstd":           {ce: []string{"zstd"}, raw: robotsBody, body: robotsBody, flags: facts.FlagFalseEncoding},
		"half a chain":         {ce: []string{"rot13", "gzip"}, raw: gz, body: robotsBody, flags: facts.FlagFalseEncoding},
		"nothing encoded":      {ce: []string{"gzip"}},
		"two members":          {ce: []string{"gzip"}, raw: gz + gz, body: robotsBody + robotsBody},
		"garbage behind":       {ce: []string{"gzip"}, raw: gz + "\n<!-- served by a proxy -->\n", body: robotsBody},
		"a line end behind":    {ce: []string{"gzip"}, raw: gz + "\r\n", body: robotsBody},
		"empty members":        {ce: []string{"br", "gzip"}, raw: strings.Repeat(encode(t, "gzip", ""), 200) + encode(t, "gzip", encode(t, "br", robotsBody)), body: robotsBody},
		"half a member behind": {ce: []string{"gzip"}, raw: gz + gz[:7], body: robotsBody, flags: facts.FlagBodyCut},
		"no member behind":     {ce: []string{"gzip"}, raw: gz + "\x1f\x8b and other bytes", body: robotsBody},
		"gzip, last bytes lost": {
			ce: []string{"gzip"}, raw: gz[:len(gz)-6], body: robotsBody, flags: facts.FlagBodyCut},
		"gzip, checksum wrong": {
			ce: []string{"gzip"}, raw: gz[:len(gz)-8] + "xxxx" + gz[len(gz)-4:], body: robotsBody, flags: facts.FlagBodyCut},
		"undeclared gzip": {raw: gz, body: gz, flags: facts.FlagUndeclaredGzip},
		"too many":        {ce: strings.Split(strings.Repeat("gzip,", maxCodings)+"gzip", ","), raw: gz, body: gz, flags: facts.FlagFalseEncoding},
	} {
		body, flags := decodePayload([]byte(c.raw), &httpHead{transferEncoding: c.te, contentEncoding: c.ce}, c.mayBeCut)
		if string(body) != c.body || flags != c.flags {
			t.Errorf("%s: %q, flags %b, want %q, %b", name, body, flags, c.body, c.flags)
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
		whole := encode(t, coding, long)
		body, flags := decodePayload([]byte(whole[:len(whole)-3]), &httpHead{contentEncoding: []string{declared}}, true)
		if !strings.HasPrefix(long, string(body)) || flags != facts.FlagBodyCut || len(body) == 0 {
			t.Errorf("%s: %d bytes, flags %b", coding, len(body), flags)
		}
	}
}

func TestDecodePayloadBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one archive each")
	}
	zeros := strings.Repeat("\x00", 32<<20)
	bombs := map[string]string{}
	for _, coding := range []string{"gzip", "br", "zstd"} {
		bombs[coding] = encode(t, coding, zeros)
	}
	zeros = ""
	for coding, bomb := range bombs {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		body, flags := decodePayload([]byte(bomb), &httpHead{contentEncoding: []string{coding}}, false)
		runtime.ReadMemStats(&after)
		if len(body) != maxPolicyBody || flags != facts.FlagBodyCut {
			t.Errorf("%s: %d bytes, flags %b", coding, len(body), flags)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%s: allocated %d MiB", coding, used>>20)
		}
	}
}

// Bodies that nobody can read are told from parts and from texts (semantics §2).
func TestUndecodable(t *testing.T) {
	gz, long := encode(t, "gzip", robotsBody), encode(t, "gzip", strings.Repeat(robotsBody, 10)+"Disallow: /last\n")
	const whole, part, undecodable = facts.FlagHTTPHead | facts.FlagBodyKept, facts.FlagHTTPHead | facts.FlagBodyKept | facts.FlagBodyCut, facts.FlagHTTPHead | facts.FlagBodyKept | facts.FlagUndecodable
	for name, c := range map[string]struct {
		head   string
		stored string
		flags  facts.Flags
		issues []string
	}{
		"text":                            {"", robotsBody, whole, nil},
		"gzip":                            {"Content-Encoding: gzip\r\n", gz, whole, nil},
		"an unknown coding":               {"Content-Encoding: dcz\r\n", "\x5e\x2a\x4d\x18\x20\x00\x00\x00" + encode(t, "zstd", robotsBody), undecodable | facts.FlagFalseEncoding, []string{"false_encoding"}},
		"an unknown coding, of text":      {"Content-Encoding: utf-8\r\n", robotsBody, whole | facts.FlagFalseEncoding, []string{"false_encoding"}},
		"an unknown coding, of no text":   {"Content-Encoding: mystery\r\n", strings.Repeat("\x80\x9f\xc1\xfe", 9), undecodable | facts.FlagFalseEncoding, []string{"false_encoding"}},
		"gzip, of text":                   {"Content-Encoding: gzip\r\n", robotsBody, whole | facts.FlagFalseEncoding, []string{"false_encoding"}},
		"gzip, of nothing":                {"Content-Encoding: gzip\r\n", "", whole, nil},
		"gzip damaged at its first byte":  {"Content-Encoding: gzip\r\n", "\x00" + gz[1:], undecodable | facts.FlagFalseEncoding, []string{"false_encoding"}},
		"gzip damaged in its header":      {"Content-Encoding: gzip\r\n", gz[:2] + "\x07" + gz[3:], undecodable | facts.FlagFalseEncoding, []string{"false_encoding"}},
		"gzip damaged in the midst":       {"Content-Encoding: gzip\r\n", long[:60] + "\xff\xff\xff" + long[63:], part, []string{"body_cut"}},
		"gzip whose checksum is wrong":    {"Content-Encoding: gzip\r\n", gz[:len(gz)-8] + "xxxx" + gz[len(gz)-4:], part, []string{"body_cut"}},
		"gzip cut short":                  {"Content-Encoding: gzip\r\n", gz[:len(gz)-9], part, []string{"body_cut"}},
		"zstd declared as br":             {"Content-Encoding: br\r\n", encode(t, "zstd", robotsBody), undecodable | facts.FlagFalseEncoding, []string{"false_encoding"}},
		"gzip undeclared":                 {"", gz, undecodable | facts.FlagUndeclaredGzip, []string{"undeclared_gzip"}},
		"gzip twice, declared once":       {"Content-Encoding: gzip\r\n", encode(t, "gzip", gz), undecodable, []string{"undeclared_binary"}},
		"zstd undeclared":                 {"", encode(t, "zstd", robotsBody), undecodable, []string{"undeclared_binary"}},
		"UTF-16 without a mark":           {"", utf16le(robotsBody), undecodable, []string{"undeclared_binary"}},
		"UTF-16 with a mark":              {"", "\xff\xfe" + utf16le(robotsBody), whole, nil},
		"an icon":                         {"", "\x00\x00\x01\x00\x03\x00", undecodable, []string{"undeclared_binary"}},
		"br that the crawler says undone": {"X-Crawler-Content-Encoding: br\r\n", encode(t, "br", strings.Repeat("Disallow: /abc/def?x=*&y\n", 9)+gz), undecodable, []string{"undeclared_binary"}},
	} {
		got := read(t, warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt", "HTTP/1.1 200 OK\r\n"+c.head+"\r\n"+c.stored)))
		if got.captures[0].Flags != c.flags {
			t.Errorf("%s: flags %b, want %b", name, got.captures[0].Flags, c.flags)
		}
		equal(t, name, got.kinds(), c.issues)
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
		h := parseResponseHead([]byte("HTTP/1.1 200 OK\r\n"+strings.ReplaceAll(lines, "|", "\r\n")+"\r\n\r\n"), nil, nil)
		if got := h.missing(length); got != want {
			t.Errorf("%s: %d, want %d", fields, got, want)
		}
	}
	got := read(t, warctest.Plain(warctest.Response("urn:1", "http://h/robots.txt", "HTTP/1.1 200 OK\r\nX-Crawler-Content-Length: 548\r\nContent-Length: 34\r\n\r\n"+robotsBody)))
	equal(t, "issues", got.kinds(), []string{"body_cut"})
	if got.captures[0].Flags&facts.FlagBodyCut == 0 {
		t.Error("a part is taken for the whole file")
	}
}
