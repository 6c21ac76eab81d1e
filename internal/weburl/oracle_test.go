package weburl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The tests in this file run other programs. They run where ROBOTSAUDIT_PYTHON names a
// Python that can import the package in question: scripts/check/urls.py has one.

// pythonWith names a Python that can import the module, or skips the test.
func pythonWith(t *testing.T, module string) string {
	t.Helper()
	python := os.Getenv("ROBOTSAUDIT_PYTHON")
	if python == "" {
		t.Skip("ROBOTSAUDIT_PYTHON is not set: no Python to compare with")
	}
	if exec.Command(python, "-W", "ignore", "-c", "import "+module).Run() != nil {
		t.Skipf("ROBOTSAUDIT_PYTHON cannot import %s", module)
	}
	return python
}

// oracle gives each input to a Python expression over the bytes "url" and
// returns its answers, bytes each, or "!" and the exception's name.
func oracle(t *testing.T, python, setup, expression string, inputs []string) []string {
	t.Helper()
	script := fmt.Sprintf(`
import sys
%s
for line in sys.stdin:
    url = bytes.fromhex(line)
    try:
        answer = %s
    except Exception as e:
        answer = b"!" + type(e).__name__.encode()
    print(answer.hex())
`, setup, expression)
	var in bytes.Buffer
	for _, s := range inputs {
		fmt.Fprintln(&in, hex.EncodeToString([]byte(s)))
	}
	cmd := exec.Command(python, "-W", "ignore", "-c", script)
	cmd.Stdin = &in
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(inputs) {
		t.Fatalf("%d answers to %d questions", len(lines), len(inputs))
	}
	for i, line := range lines {
		answer, err := hex.DecodeString(line)
		if err != nil {
			t.Fatal(err)
		}
		lines[i] = string(answer)
	}
	return lines
}

// TestAgainstSURT leaves out the differences in SURTKey's comment.
func TestAgainstSURT(t *testing.T) {
	python := pythonWith(t, "surt")
	inputs := madeURLs(20000)
	for _, test := range surtTests {
		inputs = append(inputs, test.raw)
	}
	for _, test := range parseTests {
		inputs = append(inputs, test.raw)
	}
	inputs = append(inputs, archivedURLs(t)...)
	compared := 0
	for i, want := range oracle(t, python, "import surt", "sys.modules['surt.surt']._surt_bytes(url, None)", inputs) {
		u, problem := Parse(inputs[i])
		if isSURTDifference(inputs[i], u, problem) {
			continue
		}
		compared++
		if got := u.SURTKey(); got != want {
			t.Errorf("SURT key of %q\n  is %q\nsurt %q", inputs[i], got, want)
		}
	}
	t.Logf("%d of %d URLs compared", compared, len(inputs))
}

func isSURTDifference(raw string, u URL, problem Problem) bool {
	return problem == BadPort ||
		problem == HostNotConverted ||
		strings.HasPrefix(strings.TrimSpace(raw), "<") || // brackets are the archive's, not surt's
		strings.HasPrefix(u.Host, "[") ||
		strings.Contains(u.Host, "xn--") && !strings.Contains(raw, "bücher") ||
		strings.Contains(raw, " #") ||
		problem == NoAuthority && strings.ContainsAny(raw, ":@") && strings.Contains(raw, "//") ||
		problem == NoScheme && strings.Contains(raw, "://")
}

// TestAgainstURLStandard compares host and port with ada, the URL Standard's
// parser in Node.js, on http URLs that it accepts and whose authority it reads
// by the same rules: no backslashes (slashes there), no TAB, CR or LF (dropped
// there), not slashes alone (skipped there).
func TestAgainstURLStandard(t *testing.T) {
	python := pythonWith(t, "ada_url")
	var inputs []string
	for _, raw := range append(madeURLs(20000), archivedURLs(t)...) {
		if _, problem := Parse(raw); problem != NoAuthority && problem != NoScheme &&
			!strings.ContainsAny(raw, "\\\t\r\n<") {
			inputs = append(inputs, raw)
		}
	}
	for _, test := range parseTests {
		if test.problem == NoProblem && !strings.HasPrefix(strings.TrimSpace(test.raw), "<") {
			inputs = append(inputs, test.raw)
		}
	}
	compared := 0
	for i, want := range oracle(t, python, "import ada_url",
		"ada_url.URL(url.decode('utf-8', 'replace')).origin.encode()", inputs) {
		u, problem := Parse(inputs[i])
		rejected := strings.HasPrefix(want, "!")
		if !IsFetchScheme(u.Scheme) || isStandardDifference(u) {
			continue
		}
		compared++
		switch {
		case rejected && (problem == NoProblem || problem == SpaceOrControl):
			t.Errorf("%q is %q, which the URL Standard rejects", inputs[i], u.Origin())
		case !rejected && u.Origin() != want:
			t.Errorf("%q has origin %q (%v), in the URL Standard %q", inputs[i], u.Origin(), problem, want)
		}
	}
	t.Logf("%d of %d URLs compared", compared, len(inputs))
}

// isStandardDifference: IPv4 addresses stay as written here and are read as
// numbers there; zones of IPv6 addresses are rejected there.
func isStandardDifference(u URL) bool {
	labels := strings.Split(strings.TrimSuffix(u.Host, "."), ".")
	last := labels[len(labels)-1]
	return last != "" && (strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x")) ||
		strings.HasPrefix(u.Host, "[fe80") || strings.HasPrefix(u.Host, "[::ffff") ||
		u.Port == 0 && strings.HasSuffix(u.Host, ":0") // port 0 is a port there
}

// TestRegisteredDomainAgainstTLDExtract compares names under rules that have
// been in the list for many years, as the lists differ in age.
func TestRegisteredDomainAgainstTLDExtract(t *testing.T) {
	python := pythonWith(t, "tldextract")
	suffixes := []string{
		"com", "co.uk", "org.uk", "de", "jp", "co.jp", "kobe.jp", "city.kobe.jp", "ck", "www.ck", "er", "com.br",
		"blogspot.com", "github.io", "s3.amazonaws.com", "appspot.com", "dyndns.org", "k12.ma.us", "xn--p1ai",
		"parliament.nz", "gov.uk", "invalid", "sch.uk", "compute.amazonaws.com", "s3.dualstack.us-east-1.amazonaws.com",
	}
	var inputs []string
	for _, suffix := range suffixes {
		for _, prefix := range []string{"", "a.", "a.b.", "www.a.b."} {
			inputs = append(inputs, prefix+suffix)
		}
	}
	const setup = "import tldextract; extract = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=False)"
	const expression = "(lambda r: (r.domain + '.' + r.suffix if r.domain and r.suffix else '').encode())(extract(url.decode()))"
	for i, want := range oracle(t, python, setup, expression, inputs) {
		if got := (URL{Host: inputs[i]}).RegisteredDomain(); got != want {
			t.Errorf("registered domain of %q is %q, tldextract says %q", inputs[i], got, want)
		}
	}
}

// madeURLs puts URLs together from pieces that the parsers treat specially.
func madeURLs(n int) []string {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(pieces []string) string { return pieces[r.IntN(len(pieces))] }
	some := func(pieces []string, atMost int) string {
		var b strings.Builder
		for range r.IntN(atMost + 1) {
			b.WriteString(pick(pieces))
		}
		return b.String()
	}
	schemes := []string{"http://", "https://", "HTTP://", "ftp://", "http://u:p@", "https://u@"}
	hosts := []string{
		"example.com", "www.example.com", "WWW3.Example.CO.uk", "a.b.c.example", "10.0.0.1", "localhost",
		"bücher.example", "a_b.example.org.", "%65xample.com", "www.www.com", "16909060", "1.2.515",
	}
	ports := []string{"", "", "", ":80", ":443", ":8080", ":", ":21", ":0443"}
	paths := []string{
		"/", "/a", "/B.html", "/..", "/.", "//", "/%7e", "/%2e%2e", "/%25", "%", "%2", "/é", "\xff", " ",
		"+", ";x=1", "/a.aspx", "/(" + session24 + ")/", "/(s(" + session24 +
			"))/", "@", ":", "~!$&'()*,=[]^`{|}\"<>", "%3f", "%23", "%00",
	}
	queries := []string{
		"a=1", "&", "b", "A=2", "=", "&sid=" + session32, "&jsessionid=" + session32, "%26", "%20",
		"+", "?", "/../", "é", "&cfid=1&cftoken=2", "&a=", "#f", "%", "&PHPSESSID=" + session32, " ",
	}
	urls := make([]string, n)
	for i := range urls {
		raw := pick(schemes) + pick(hosts) + pick(ports)
		if path := some(paths, 6); strings.HasPrefix(path, "/") {
			raw += path
		}
		if r.IntN(2) == 0 {
			raw += "?" + some(queries, 6)
		}
		urls[i] = raw
	}
	return urls
}

// archivedURLs reads the target URIs of archives, and the links in them: of the repository, and of
// ../shared/warc where that is at hand.
func archivedURLs(t *testing.T) []string {
	var files []string
	for _, folder := range []string{"../../testdata/warc", "../../../shared/warc/real", "../../../shared/warc/hard/*"} {
		found, err := filepath.Glob(folder + "/*.warc.gz")
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			t.Logf("no archives in %s", folder)
		}
		files = append(files, found...)
	}
	seen := map[string]bool{}
	var urls []string
	for _, file := range files {
		for _, raw := range targetURIs(t, file) {
			if !seen[raw] {
				seen[raw] = true
				urls = append(urls, raw)
			}
		}
	}
	return urls
}

func targetURIs(t *testing.T, file string) (urls []string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Logf("%s: %v", file, err)
		return nil
	}
	r := bufio.NewReader(z)
	for {
		line, err := r.ReadString('\n')
		for _, attribute := range []string{` href="`, ` src="`} {
			if _, after, ok := strings.Cut(line, attribute); ok {
				if raw, _, ok := strings.Cut(after, `"`); ok && strings.Contains(raw, "://") {
					urls = append(urls, raw)
				}
			}
		}
		if raw, ok := strings.CutPrefix(line, "WARC-Target-URI: "); ok {
			urls = append(urls, strings.TrimRight(raw, "\r\n"))
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return urls
		}
		if err != nil {
			t.Logf("%s: %v", file, err)
			return urls
		}
	}
}
