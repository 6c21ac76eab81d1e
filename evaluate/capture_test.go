package evaluate

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/robots"
)

const (
	closed = "User-agent: *\nDisallow: /\n"
	open   = "User-agent: *\nAllow: /\n"
	home   = "http://a.example"
)

func robotsTxt(at, body string) rec { return rec{url: home + "/robots.txt", at: at, body: body} }

func page(want string) rec { return rec{url: home + "/p", want: want} }

const (
	certain = "disallowed fresh rule certain"
	allowed = "allowed fresh rule"
)

// TestStatus is the table of answers of one robots capture, by its status.
func TestStatus(t *testing.T) {
	t.Parallel()
	unavailable, unreachable, undefined := "allowed fresh unavailable", "disallowed fresh unreachable certain",
		"unknown fresh undefined_status"
	noGroup := "allowed fresh no_matching_group"
	var list []scenario
	for _, c := range []struct{ status, body, want string }{
		{"200 OK", closed, certain},
		{"201 Created", closed, certain},
		{"202 Accepted", closed, certain},
		{"203 x", closed, certain},
		{"204 No Content", "", noGroup},
		{"204 No Content", closed, noGroup},
		{"205 Reset Content", closed, noGroup},
		{"200 OK", "", noGroup},
		{"200 OK", "<!DOCTYPE html><html><body>Not here</body></html>", noGroup + " +html"},
		{"299 x", closed, certain},
		{"100 Continue", closed, undefined},
		{"199 x", closed, undefined},
		{"300 Multiple Choices", closed, undefined},
		{"302 Found", closed, undefined},
		{"304 Not Modified", "", "unknown fresh unresolved_revisit"},
		{"400 x", closed, unavailable},
		{"401 x", closed, unavailable},
		{"403 x", closed, unavailable},
		{"404 x", closed, unavailable},
		{"410 x", closed, unavailable},
		{"429 x", closed, unavailable},
		{"499 x", closed, unavailable},
		{"500 x", open, unreachable},
		{"503 x", open, unreachable},
		{"550 x", open, unreachable},
		{"599 x", open, unreachable},
		{"600 x", closed, undefined},
		{"999 x", closed, undefined},
		{"000 x", closed, undefined},
		{"0 x", closed, undefined},
		{"abc", closed, undefined},
		{"", closed, certain},
	} {
		r := robotsTxt("-1h", c.body)
		r.status = c.status
		list = append(list, scenario{c.status, archive{r, page(c.want)}})
	}
	checkScenarios(t, DecideOptions{}, list)
}

func TestStatusByProfile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		profile      robots.Profile
		status, want string
	}{
		{robots.REP08, "999 x", "disallowed fresh unreachable certain"},
		{robots.REP08, "302 Found", "disallowed fresh unreachable certain"},
		{robots.REP08, "429 x", "allowed fresh unavailable"},
		{robots.Google, "429 x", "disallowed fresh unreachable certain"},
		{robots.Google, "404 x", "allowed fresh unavailable"},
		{robots.Google, "999 x", "unknown fresh undefined_status"},
	} {
		r := robotsTxt("-1h", "")
		r.status = c.status
		check(t, DecideOptions{Profile: c.profile}, archive{r, page(c.want)})
	}
}

func TestBodyWithoutStatus(t *testing.T) {
	t.Parallel()
	r := rec{url: home + "/robots.txt", at: "-1h", status: "-", body: closed}
	check(t, DecideOptions{}, archive{r, page(certain)}) // HTTP/0.9
	r.body = ""
	check(t, DecideOptions{}, archive{r, page("unknown fresh undefined_status")})
	ftp := rec{
		url: "ftp://a.example/robots.txt", at: "-1h", typ: "resource", status: "-", ua: "-", body: closed,
		state: "rules rules=1",
	}
	file := rec{url: "ftp://a.example/p", typ: "resource", status: "-", ua: "-", want: "disallowed fresh rule possible"}
	check(t, DecideOptions{}, archive{ftp, file, page("unknown none no_capture")})
	ftp.typ, ftp.status, ftp.state = "response", "550 No such file", "unavailable unavailable"
	file.want = "allowed fresh unavailable"
	check(t, DecideOptions{}, archive{ftp, file})
}

func TestPartial(t *testing.T) {
	t.Parallel()
	var list []scenario
	for _, c := range []struct {
		name, status, body string
		head, warc         []string
		want               string
	}{
		{"206", "206 Partial Content", closed, nil, nil, "disallowed fresh rule probable +partial"},
		{"206 allows", "206 Partial Content", open, nil, nil, "unknown fresh truncated +partial"},
		{"206 empty", "206 Partial Content", "", nil, nil, "unknown fresh truncated +partial"},
		{"206 whole", "206 Partial Content", closed, []string{"Content-Range: bytes 0-25/26"}, nil, certain},
		{
			"206 from the middle", "206 Partial Content", closed,
			[]string{"Content-Range: bytes 1-25/26"},
			nil,
			"disallowed fresh rule probable +partial",
		},
		{
			"206 of unknown size", "206 Partial Content", closed,
			[]string{"Content-Range: bytes 0-25/*"},
			nil,
			"disallowed fresh rule probable +partial",
		},
		{
			"truncated", "200 OK", closed, nil,
			[]string{"WARC-Truncated: length"},
			"disallowed fresh rule probable +partial",
		},
		{
			"truncated, allows", "200 OK", open, nil,
			[]string{"WARC-Truncated: time"},
			"unknown fresh truncated +partial",
		},
		{
			"truncated in the rule", "200 OK", "User-agent: *\nDisallow: /", nil,
			[]string{"WARC-Truncated: length"},
			"disallowed fresh rule contested +partial",
		},
		{"truncated 404", "404 x", closed, nil, []string{"WARC-Truncated: length"}, "allowed fresh unavailable"},
		{"truncated 204", "204 x", "", nil, []string{"WARC-Truncated: length"}, "allowed fresh no_matching_group"},
	} {
		r := rec{url: home + "/robots.txt", at: "-1h", status: c.status, head: c.head, warc: c.warc, body: c.body}
		list = append(list, scenario{c.name, archive{r, page(c.want)}})
	}
	checkScenarios(t, DecideOptions{}, list)
}

func TestBody(t *testing.T) {
	t.Parallel()
	long := "User-agent: *\n" + strings.Repeat("# filling\n", 51300)
	var list []scenario
	for _, c := range []struct{ name, body, state, want string }{
		{"empty", "", "rules rules=0 empty", "allowed fresh no_matching_group"},
		{"HTML", "<html><body>hello</body></html>", "rules rules=0 html", "allowed fresh no_matching_group +html"},
		{
			"HTML around rules", "<html><pre>\n" + closed + "</pre></html>\n", "",
			"disallowed fresh rule contested +html",
		},
		{"HTML around allow", "<html><pre>\n" + open + "</pre></html>\n", "", "allowed fresh rule +html"},
		{
			"allow beyond the limit", long[:14] + "Disallow: /\n" + long[14:] + "Allow: /p\n", "rules rules=1 cut",
			"disallowed fresh rule contested +parse_limit",
		},
		{"disallow beyond the limit", long + "Disallow: /p\n", "", "allowed fresh no_matching_rule"},
		{"nothing of note beyond the limit", "User-agent: *\nDisallow: /\n" + long[14:] + "Allow: /q\n", "", certain},
		{
			"among other words", "User-agent: TestBot foo\nAllow: /\n\nUser-agent: *\nDisallow: /\n", "",
			"disallowed fresh rule contested +agent_name",
		},
		{"substring mode", "User-agent: test\nAllow: /\n\nUser-agent: *\nDisallow: /\n", "", certain + " +other_mode"},
		{"modes agree", "User-agent: TestBot\nDisallow: /\n", "", certain},
	} {
		r := robotsTxt("-1h", c.body)
		r.state = c.state
		list = append(list, scenario{c.name, archive{r, page(c.want)}})
	}
	checkScenarios(t, DecideOptions{}, list)
}

// TestBodyCut: a body longer than what is kept.
func TestBodyCut(t *testing.T) {
	t.Parallel()
	r := robotsTxt("-1h", closed+strings.Repeat("# filling\n", 850_000)+"Allow: /p")
	check(t, DecideOptions{Profile: robots.REP08}, archive{r, page("disallowed fresh rule probable +body_cut")})
	r.body = open + r.body
	check(t, DecideOptions{Profile: robots.REP08}, archive{r, page("allowed fresh rule +body_cut")})
}

func TestReservedEncoding(t *testing.T) {
	r := robotsTxt("-1h", "User-agent: *\nDisallow: /\nAllow: /p?u=a%3Ab\n")
	p := page("disallowed fresh rule contested +reserved_encoding")
	p.url += "?u=a:b"
	check(t, DecideOptions{}, archive{r, p})
	r.body = "User-agent: *\nDisallow: /p?u=a%3Ab\n"
	p.want = "allowed fresh no_matching_rule"
	check(t, DecideOptions{}, archive{r, p})
}

// Redirects of http://a.example/robots.txt to other places.
func redirect(from, at, to string) rec {
	return rec{url: from, at: at, status: "302 Found", head: []string{"Location: " + to}}
}

const itself = "allowed none robots_txt_itself"

func TestRedirect(t *testing.T) {
	t.Parallel()
	there := func(at, body string) rec { return rec{url: "https://b.example/robots.txt", at: at, body: body} }
	first := redirect(home+"/robots.txt", "-1h", "https://b.example/robots.txt")
	with := func(r rec, state string) rec { r.state = state; return r }
	by := func(r rec, ua string) rec { r.ua = ua; return r }
	unresolved := page("unknown fresh unresolved_redirect")
	checkScenarios(t, DecideOptions{}, []scenario{
		{"after", archive{with(first, "rules hops=1 final=200 rules=1"), there("-59m", closed), page(certain)}},
		{"the same second", archive{
			first, there("-1h", closed), there("-30m", open),
			page("disallowed fresh rule contested +permitted_copy +other_target"),
		}},
		{"an hour after", archive{
			first, there("+0h", closed),
			func() rec { r := page(certain); r.at = "+3s"; return r }(),
		}},
		{"more than an hour after", archive{first, there("+1s", closed), unresolved}},
		{"the nearest after", archive{
			first, there("-50m", closed), there("-40m", open),
			page("disallowed fresh rule contested +permitted_copy"),
		}},
		{"after rather than before", archive{first, there("-2h", open), there("-30m", closed), page(certain)}},
		{"before", archive{there("-3h", open), there("-2h", closed), first, page(certain)}},
		{"a day before", archive{there("-25h", closed), first, page("disallowed stale rule probable")}},
		{"23 h before", archive{there("-24h", closed), first, page(certain)}},
		{"more than a day before", archive{there("-25h1s", closed), first, unresolved}},
		{"not captured", archive{with(first, "unresolved unresolved_redirect hops=1 final=302"), unresolved}},
		{
			"another scheme never substitutes",
			archive{first, rec{url: "http://b.example/robots.txt", at: "-1h", body: closed}, unresolved},
		},
		{
			"to another scheme of the same host",
			archive{redirect(home+"/robots.txt", "-1h", "https://a.example/robots.txt"), unresolved},
		},
		{"HEAD is no capture", archive{
			first,
			rec{url: "https://b.example/robots.txt", at: "-1h", method: "HEAD"},
			unresolved,
		}},
		{"to gopher", archive{
			redirect(home+"/robots.txt", "-1h", "gopher://b.example/robots.txt"),
			rec{url: "gopher://b.example/robots.txt", at: "-1h", want: "unknown none unsupported_scheme"},
			unresolved,
		}},
		{"to nowhere", archive{redirect(home+"/robots.txt", "-1h", "http:///"), unresolved}},
		{"to a 404", archive{
			first,
			rec{url: "https://b.example/robots.txt", at: "-1h", status: "404 x"},
			page("allowed fresh unavailable"),
		}},
		{"to a 503", archive{
			first,
			rec{url: "https://b.example/robots.txt", at: "-1h", status: "503 x"},
			page("disallowed fresh unreachable certain"),
		}},
		{"to a 999", archive{
			first,
			rec{url: "https://b.example/robots.txt", at: "-1h", status: "999 x"},
			page("unknown fresh undefined_status"),
		}},
		{"relative", archive{
			redirect(home+"/robots.txt", "-1h", "/x/../r.txt"),
			rec{url: home + "/r.txt", at: "-1h", body: closed, want: itself},
			page(certain),
		}},
		{"serves the first origin only", archive{
			redirect(home+"/robots.txt", "-1h", "http://b.example/rules"),
			rec{url: "http://b.example/rules", at: "-1h", body: closed, want: itself},
			rec{url: "http://b.example/p", want: "unknown none no_capture"},
			page(certain),
		}},
		{"that record, not that URL", archive{
			robotsTxt("-2h", closed), redirect(home+"/robots.txt", "-100m", "/r.txt"),
			rec{url: home + "/r.txt", at: "-100m", body: closed, want: itself},
			rec{url: home + "/r.txt", at: "-30m", body: closed, want: certain},
		}},
		{"loop", archive{
			with(redirect(home+"/robots.txt", "-1h", "/b"), "unavailable too_many_redirects hops=2 final=302"),
			redirect(home+"/b", "-1h", "/robots.txt"), page("allowed fresh too_many_redirects"),
		}},
		{"to itself", archive{
			redirect(home+"/robots.txt", "-1h", "/robots.txt"),
			page("allowed fresh too_many_redirects"),
		}},
		{"to itself, then the file", archive{
			with(redirect(home+"/robots.txt", "-1h", "/robots.txt"), "rules hops=1 final=200 rules=1"),
			robotsTxt("-59m59s", closed), page(certain),
		}},
		{"to itself, then the file in the same second", archive{
			with(redirect(home+"/robots.txt", "-1h", "/robots.txt"), "rules hops=1 final=200 rules=1"),
			robotsTxt("-1h", closed), page(certain),
		}},
		{"a loop whose dates are out of order", archive{
			with(redirect(home+"/robots.txt", "-1h", "/b"), "unavailable too_many_redirects hops=2 final=302"),
			redirect(home+"/b", "-60m1s", "/robots.txt"), page("allowed fresh too_many_redirects"),
		}},
		{
			"its content was got after the fetch",
			archive{
				redirect(home+"/robots.txt", "-3s", "/r"), page("disallowed later rule possible"),
				rec{url: home + "/r", at: "+1s", body: closed},
			},
		},
		{
			"it came to a 503 after the fetch",
			archive{
				redirect(home+"/robots.txt", "-3s", "/r"), page("unknown later unresolved_redirect"),
				rec{url: home + "/r", at: "+1s", status: "503 x"},
			},
		},
		{
			"another crawler's target",
			archive{
				first, by(there("-59m", closed), "Other/1"),
				page("disallowed fresh rule probable +other_crawler"),
			},
		},
		{
			"own target before another's nearer",
			archive{
				there("-3h", closed), first, by(there("-59m", open), "Other/1"),
				page("disallowed fresh rule contested +permitted_copy"),
			},
		},
		{"another crawler's target is an ordinary fetch", archive{
			robotsTxt("-2h", closed), redirect(home+"/robots.txt", "-1h", "/r"),
			rec{
				url: home + "/r", at: "-59m", body: closed, ua: "Other/1",
				want: "disallowed later rule possible +other_crawler",
			},
		}},
		{"more than an hour after the hop it is an ordinary fetch", archive{
			robotsTxt("-3h", closed), redirect(home+"/robots.txt", "-2h", "/r"),
			rec{url: home + "/r", at: "-1h", body: closed, want: itself},
			rec{url: home + "/r", at: "-59m57s", body: closed, want: certain},
		}},
		{"before the hop it is an ordinary fetch", archive{
			robotsTxt("-3h", closed),
			rec{url: home + "/r", at: "-2h", body: closed, want: certain},
			redirect(home+"/robots.txt", "-1h", "/r"), page(certain),
		}},
		{"300 with Location", archive{
			rec{url: home + "/robots.txt", at: "-1h", status: "300 x", head: []string{"Location: /r.txt"}},
			rec{url: home + "/r.txt", at: "-1h", body: closed},
			page(certain),
		}},
	})
}

// TestHopsOfOneMoment: within one moment the order of the archive shows to which record a
// redirect led.
func TestHopsOfOneMoment(t *testing.T) {
	t.Parallel()
	hop := func(id string) rec { r := redirect(home+"/robots.txt", "-1h", "/r"); r.id = id; return r }
	there := func(id, want string) rec { return rec{url: home + "/r", at: "-1h", body: closed, id: id, want: want} }
	check(t, DecideOptions{}, archive{robotsTxt("-2h", closed), hop("4"), there("3", itself), hop("2"), there("1", itself)})
	check(t, DecideOptions{}, archive{
		robotsTxt("-2h", closed), hop("1"), there("4", itself),
		there("3", "disallowed fresh rule possible +same_moment +redirect_target"),
	})
	nameless := hop("1")
	nameless.ua = "-"
	check(t, DecideOptions{}, archive{robotsTxt("-2h", closed), nameless, there("2", itself)})
	check(t, DecideOptions{}, archive{nameless}, archive{robotsTxt("-2h", closed), there("2", certain)})
}

// chain is n redirects over as many hosts; the last has the body.
func chain(n int, body string) archive {
	var a archive
	for i := range n {
		from := home + "/robots.txt"
		if i > 0 {
			from = fmt.Sprintf("http://h%d.example/r%d", i, i)
		}
		a = append(a, redirect(from, "-1h", fmt.Sprintf("http://h%d.example/r%d", i+1, i+1)))
	}
	return append(a, rec{url: fmt.Sprintf("http://h%d.example/r%d", n, n), at: "-1h", body: body, want: itself})
}

// TestHops: at most five hops are followed. Beyond, the file is unavailable, and
// what stands at the end is recorded.
func TestHops(t *testing.T) {
	t.Parallel()
	var list []scenario
	for _, c := range []struct {
		hops        int
		state, want string
	}{
		{1, "rules hops=1 final=200 rules=1", certain},
		{5, "rules hops=5 final=200 rules=1", certain},
		{6, "unavailable too_many_redirects hops=6 final=200 rules=1", "allowed fresh too_many_redirects"},
		{19, "unavailable too_many_redirects hops=19 final=200 rules=1", "allowed fresh too_many_redirects"},
		{40, "unavailable too_many_redirects hops=21 final=302", "allowed fresh too_many_redirects"},
	} {
		a := chain(c.hops, closed)
		a[0].state = c.state
		if c.hops == 40 {
			a[40].want = "unknown none no_capture" // nobody went there
		}
		list = append(list, scenario{fmt.Sprint(c.hops), append(a, page(c.want))})
	}
	checkScenarios(t, DecideOptions{}, list) // reversed: no target is known to be one when it is read
}

// TestTargetReadAgain: the body of a redirect's target that ingest could not know
// to be one.
func TestTargetReadAgain(t *testing.T) {
	t.Parallel()
	target := rec{url: home + "/other", at: "-1h", body: closed, want: itself}
	hop := redirect(home+"/robots.txt", "-1h", "/other")
	before := target // the fetch came before the redirect: it is judged like any other
	before.want = "disallowed later rule possible +redirect_target"
	check(t, DecideOptions{}, archive{before, hop, page(certain)})
	check(t, DecideOptions{}, archive{target}, archive{hop, page(certain)})
	check(t, DecideOptions{}, archive{hop, page(certain)}, archive{target})
	// A copy read before the redirect, another after it: one record.
	_, totals := check(t, DecideOptions{}, archive{target}, archive{hop, target, page(certain)})
	if totals.Duplicates != 1 {
		t.Errorf("%d duplicates, want 1", totals.Duplicates)
	}
	early := target
	early.at, early.want = "-3h", "disallowed later rule possible"
	check(t, DecideOptions{}, archive{early}, archive{early}, archive{hop, page(certain)})
}

// TestTargetInAStream: the body of a target that lies in a stream is read again from
// the stream's start, if it had not been kept.
func TestTargetInAStream(t *testing.T) {
	t.Parallel()
	target := rec{url: home + "/other", at: "-1h", body: closed, want: itself}
	hop := redirect(home+"/robots.txt", "-1h", "/other")
	before, none := target, rec{url: home + "/other", at: "-1h", status: "404 x", want: "allowed later unavailable"}
	before.want = "disallowed later rule possible +redirect_target"
	for name, records := range map[string]archive{
		"read again":     {before, hop, page(certain)},
		"known in time":  {hop, target, page(certain)},
		"no body needed": {none, hop, page("allowed fresh unavailable")},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "stream.warc.gz")
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write(records.bytes())
			z.Close()
			if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			out := t.TempDir()
			ingestFiles(t, out, []string{path})
			s, _ := evaluateFacts(t, openFacts(t, out), DecideOptions{})
			compare(t, s, records)
			if len(s.issues) > 0 {
				t.Errorf("issues %v", s.issues)
			}
		})
	}
}

// TestTargetNotKept: the body cannot be read again.
func TestTargetNotKept(t *testing.T) {
	t.Parallel()
	target := rec{url: home + "/other", at: "-1h", body: closed, want: "unknown none no_capture"}
	hop := redirect(home+"/robots.txt", "-1h", "/other")
	hop.state = "unresolved unresolved_redirect hops=1 final=200"
	t.Run("a changed file", func(t *testing.T) {
		records := archive{target, hop, page("unknown fresh unresolved_redirect")}
		facts := makeFacts(t, 1, records)
		if err := os.Truncate(facts.Input(0).Path, 100); err != nil {
			t.Fatal(err)
		}
		s, _ := evaluateFacts(t, facts, DecideOptions{})
		compare(t, s, records)
		if !slices.Equal(s.issues, []string{"body_not_kept"}) {
			t.Errorf("issues %v", s.issues)
		}
	})
}

func revisit(r rec, lines ...string) rec {
	r.typ = "revisit"
	r.warc = append(r.warc, lines...)
	return r
}

const (
	identical   = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	notModified = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified"
	digest2     = "WARC-Payload-Digest: sha1:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"
	emptyDigest = "WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
)

// digest is that of closed.
var closedDigest = payloadDigest(closed)

func payloadDigest(body string) string {
	sum := sha1.Sum([]byte(body))
	return "WARC-Payload-Digest: sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

// digestInHex is the digest of a body as other writers have it.
func digestInHex(body string) string {
	return fmt.Sprintf("WARC-Payload-Digest: SHA-1:%x", sha1.Sum([]byte(body)))
}

func TestRevisit(t *testing.T) {
	t.Parallel()
	digested := func(r rec, d string) rec { r.warc = append(r.warc, d); return r }
	original := digested(robotsTxt("-40d", closed), closedDigest)
	again := rec{url: home + "/robots.txt", at: "-1h"}
	referring := func(r rec) string { return "WARC-Refers-To-Date: " + r.date() }
	uri := func(url string) string { return "WARC-Refers-To-Target-URI: " + url }
	elsewhere := digested(rec{url: "https://b.example/r", at: "-2d", body: closed}, closedDigest)
	status := func(r rec, s string, head ...string) rec { r.status, r.head = s, head; return r }
	unresolved := page("unknown fresh unresolved_revisit")
	unresolvedAfter := func(prior string) rec { return page("unknown fresh unresolved_revisit prior=" + prior) }
	misnamed := page("unknown fresh unresolved_revisit +digest_mismatch prior=disallowed")
	called := func(r rec, id string) rec { r.id = id; return r }
	late := original
	late.at = "+2d"
	checkScenarios(t, DecideOptions{}, []scenario{
		{"by URI and date", archive{
			original,
			revisit(again, identical, closedDigest, uri(original.url), referring(original)), page(certain),
		}},
		{"by date alone", archive{original, revisit(again, identical, referring(original)), page(certain)}},
		{"by URL and digest", archive{original, revisit(again, identical, closedDigest), page(certain)}},
		{
			"by a digest in lower case",
			archive{original, revisit(again, identical,
				strings.ToLower(closedDigest[:21])+strings.ToLower(closedDigest[21:])), page(certain)},
		},
		{
			"by the same digest in hexadecimal",
			archive{original, revisit(again, identical, digestInHex(closed)), page(certain)},
		},
		{
			"the original comes later",
			archive{revisit(again, identical, closedDigest), page("disallowed fresh rule certain"), late},
		},
		{"of another origin", archive{
			elsewhere,
			revisit(again, identical, closedDigest, uri(elsewhere.url), referring(elsewhere)), page(certain),
		}},
		{"a digest of another URL", archive{elsewhere, revisit(again, identical, closedDigest), unresolved}},
		{
			"a wrong date, then the digest",
			archive{
				original, revisit(again, identical, closedDigest, "WARC-Refers-To-Date: 1999-01-01T00:00:00Z"),
				page(certain),
			},
		},
		{"by id alone", archive{
			robotsTxt("-41d", open), called(robotsTxt("-40d", closed), "by id"),
			robotsTxt("-39d", open), revisit(again, identical, "WARC-Refers-To: <urn:test:by id>"), page(certain),
		}},
		{"by id and URL", archive{
			called(rec{url: "https://b.example/r", at: "-2d", body: closed}, "away"),
			revisit(again, identical, uri("https://b.example/r"), "WARC-Refers-To: <urn:test:away>"), page(certain),
		}},
		{"by an id used twice", archive{
			called(robotsTxt("-40d", closed), "twice"), called(robotsTxt("-39d", open), "twice"),
			revisit(again, identical, "WARC-Refers-To: <urn:test:twice>"), unresolvedAfter("allowed"),
		}},
		{"by an id of another digest", archive{
			called(digested(robotsTxt("-40d", closed), closedDigest), "digest"),
			revisit(again, identical, digest2, "WARC-Refers-To: <urn:test:digest>"), misnamed,
		}},
		{"by an id of another status", archive{
			called(status(robotsTxt("-40d", closed), "203 x"), "status"),
			revisit(again, identical, "WARC-Refers-To: <urn:test:status>"), unresolvedAfter("disallowed"),
		}},
		{
			"by an id that is absent, then the digest",
			archive{
				original, revisit(again, identical, closedDigest, "WARC-Refers-To: <urn:test:none>"),
				page(certain),
			},
		},
		{"by URL and date, of another digest", archive{
			digested(robotsTxt("-40d", open), payloadDigest(open)), digested(robotsTxt("-39d", closed), closedDigest),
			revisit(again, identical, digest2, uri(original.url), referring(robotsTxt("-40d", ""))), misnamed,
		}},
		{
			"by the id of another URL",
			archive{
				called(rec{url: home + "/x", at: "-2d", body: closed}, "x"),
				revisit(again, identical, "WARC-Refers-To: <urn:test:x>"), unresolved,
			},
		},
		{"304 by id", archive{
			called(robotsTxt("-3d", closed), "304"), robotsTxt("-2d", open),
			status(revisit(again, notModified, "WARC-Refers-To: <urn:test:304>"), "304 x"), page(certain),
		}},
		{"original absent", archive{
			revisit(again, identical, closedDigest, uri(original.url), referring(original)),
			unresolved,
		}},
		{"another digest", archive{original, revisit(again, identical, digest2), unresolvedAfter("disallowed")}},
		{
			"the empty payload's digest alone",
			archive{
				digested(robotsTxt("-2d", ""), emptyDigest), revisit(again, identical, emptyDigest),
				unresolvedAfter("allowed"),
			},
		},
		{"the empty payload by date", archive{
			digested(robotsTxt("-2d", ""), emptyDigest),
			revisit(again, identical, emptyDigest, referring(robotsTxt("-2d", ""))),
			page("allowed fresh no_matching_group"),
		}},
		{"its own status", archive{
			original,
			status(revisit(again, identical, closedDigest, referring(original)), "404 x"),
			page("allowed fresh unavailable"),
		}},
		{"its own 503", archive{
			original,
			status(revisit(again, identical, closedDigest, referring(original)), "503 x"),
			page("disallowed fresh unreachable certain"),
		}},
		{"its own Location", archive{
			original, status(revisit(again, identical, closedDigest), "301 x", "Location: /r"),
			rec{url: home + "/r", at: "-1h", body: open},
			page(allowed),
		}},
		{"its own 204", archive{
			status(revisit(again, identical, closedDigest), "204 x"),
			page("allowed fresh no_matching_group"),
		}},
		{
			"the original has another status",
			archive{
				status(original, "203 x"), revisit(again, identical, closedDigest, referring(original)),
				unresolvedAfter("disallowed"),
			},
		},
		{
			"no status of its own",
			archive{
				original, status(revisit(again, identical, closedDigest, referring(original)), "-"),
				page(certain),
			},
		},
		{
			"the status of the original",
			archive{
				status(original, "404 x"), status(revisit(again, identical, closedDigest), "-"),
				page("allowed fresh unavailable"),
			},
		},
		{"the redirect of the original", archive{
			status(original, "301 x", "Location: /r"), status(revisit(again, identical, closedDigest), "-"),
			rec{url: home + "/r", at: "-1h", body: closed},
			page(certain),
		}},
		{
			"a revisit is no original",
			archive{
				revisit(rec{url: again.url, at: "-2h"}, identical, closedDigest),
				revisit(again, identical, closedDigest), unresolved,
			},
		},
		{"of a truncated original", archive{
			digested(revisitable("WARC-Truncated: length"), closedDigest), revisit(again, identical, closedDigest),
			page("disallowed fresh rule probable +partial"),
		}},
		{"304 by date", archive{
			original, robotsTxt("-2d", open), status(revisit(again, notModified, referring(original)), "304 x"),
			page(certain),
		}},
		{
			"304 without Refers-To",
			archive{
				robotsTxt("-3d", open), robotsTxt("-2d", closed), status(revisit(again, notModified), "304 x"),
				page(certain),
			},
		},
		{"304 without a head", archive{
			robotsTxt("-2d", closed), status(revisit(again, notModified), "-"),
			page(certain),
		}},
		{"304 as a response", archive{robotsTxt("-2d", closed), status(again, "304 x"), page(certain)}},
		{"304 of a 304", archive{
			robotsTxt("-2d", closed), status(rec{url: again.url, at: "-2h"}, "304 x"),
			status(revisit(again, notModified, "WARC-Refers-To-Date: "+rec{at: "-2h"}.date()), "304 x"), page(certain),
		}},
		{"304 of a revisit", archive{
			original, revisit(rec{url: again.url, at: "-2h"}, identical, closedDigest),
			status(again, "304 x"), page(certain),
		}},
		{
			"304 of what came later",
			archive{
				robotsTxt("-59m", closed), status(again, "304 x"),
				page("disallowed fresh rule probable +unreadable_copy"),
			},
		},
		{"304 of nothing", archive{status(again, "304 x"), unresolved}},
		{
			"304 passes over a 404",
			archive{
				robotsTxt("-3d", closed), status(rec{url: again.url, at: "-2d"}, "404 x"), status(again, "304 x"),
				page(certain),
			},
		},
		{
			"304 of an unresolved revisit",
			archive{
				robotsTxt("-3d", closed), revisit(rec{url: again.url, at: "-2d"}, identical, closedDigest),
				status(again, "304 x"), unresolvedAfter("disallowed"),
			},
		},
	})
}

// TestValidators: which copy a 304 renews.
func TestValidators(t *testing.T) {
	t.Parallel()
	copied := func(at, body string, head ...string) rec { r := robotsTxt(at, body); r.head = head; return r }
	renewed := func(head []string, asked ...string) rec {
		return rec{url: home + "/robots.txt", at: "-1h", status: "304 x", head: head, asked: asked}
	}
	by := func(r rec, ua string) rec { r.ua = ua; return r }
	const march, april = "Fri, 01 Mar 2024 00:00:00 GMT", "Mon, 01 Apr 2024 00:00:00 GMT"
	unresolved := page("unknown fresh unresolved_revisit prior=disallowed")
	checkScenarios(t, DecideOptions{}, []scenario{
		{
			"the entity tag of the request",
			archive{copied("-3d", closed, `ETag: "a"`), renewed(nil, `If-None-Match: "a"`), page(certain)},
		},
		{
			"compared weakly, in a list",
			archive{copied("-3d", closed, `ETag: W/"a"`), renewed(nil, `If-None-Match: "b", "a"`), page(certain)},
		},
		{"that of the 304", archive{copied("-3d", closed, `ETag: "a"`), renewed([]string{`ETag: "a"`}), page(certain)}},
		{"that no copy has", archive{copied("-3d", closed), renewed([]string{`ETag: "a"`}), unresolved}},
		{
			"an older copy has it",
			archive{
				copied("-4d", open, `ETag: "a"`), copied("-3d", closed), renewed([]string{`ETag: "a"`}),
				page(allowed),
			},
		},
		{
			"the latest copy contradicts it",
			archive{
				copied("-4d", open, `ETag: "a"`), copied("-3d", closed, `ETag: "b"`),
				renewed([]string{`ETag: "a"`}), unresolved,
			},
		},
		{
			"the date of the request",
			archive{
				copied("-3d", closed, "Last-Modified: "+march), renewed(nil, "If-Modified-Since: "+march),
				page(certain),
			},
		},
		{"another date", archive{
			copied("-3d", closed, "Last-Modified: "+march),
			renewed(nil, "If-Modified-Since: "+april), unresolved,
		}},
		{"a tag goes before a date", archive{
			copied("-3d", closed, `ETag: "a"`, "Last-Modified: "+march),
			renewed(nil, `If-None-Match: "a"`, "If-Modified-Since: "+april), page(certain),
		}},
		{"own copies first", archive{
			copied("-3d", closed), by(copied("-2d", open), "Other/1"), renewed(nil),
			page(certain),
		}},
		{
			"another crawler's copy",
			archive{
				by(copied("-2d", closed), "Other/1"), renewed(nil),
				page("disallowed fresh rule probable +other_crawler"),
			},
		},
		{"another crawler's, by its tag", archive{
			copied("-3d", open), by(copied("-2d", closed, `ETag: "a"`), "Other/1"), renewed([]string{`ETag: "a"`}),
			page("disallowed fresh rule probable +other_crawler"),
		}},
	})
}

func revisitable(warc ...string) rec {
	r := robotsTxt("-2d", closed)
	r.warc = warc
	return r
}

// TestHeadIsNoOriginal: what answers HEAD has no body, and is no robots.txt.
func TestHeadIsNoOriginal(t *testing.T) {
	t.Parallel()
	hop := redirect(home+"/robots.txt", "-1h", "/r")
	target := rec{url: home + "/r", at: "-1h", status: "304 x"}
	head := rec{url: home + "/r", at: "-2h", method: "HEAD"}
	file := rec{url: home + "/r", at: "-3h", body: closed}
	check(t, DecideOptions{}, archive{file, head, hop, target, page(certain)})
	check(t, DecideOptions{}, archive{head, hop, target, page("unknown fresh unresolved_revisit")})
	head.warc = []string{closedDigest}
	again := revisit(rec{url: home + "/r", at: "-1h"}, identical, closedDigest, "WARC-Refers-To-Date: "+head.date())
	check(t, DecideOptions{}, archive{head, hop, again, page("unknown fresh unresolved_revisit")})
}

// TestDigestMismatch: what does not match its digest proves no violation,
// wherever it stands on the way.
func TestDigestMismatch(t *testing.T) {
	t.Parallel()
	with := func(r rec, fields ...string) rec { r.warc = append(r.warc, fields...); return r }
	doubtful := page("disallowed fresh rule possible +digest_mismatch")
	hop := redirect(home+"/robots.txt", "-1h", "/r")
	target := rec{url: home + "/r", at: "-1h", body: closed}
	again := rec{url: home + "/robots.txt", at: "-1h"}
	blockOf := func(block string) string {
		return strings.Replace(payloadDigest(block), "Payload", "Block", 1)
	}
	checkScenarios(t, DecideOptions{}, []scenario{
		{"matches", archive{with(robotsTxt("-1h", closed), closedDigest), page(certain)}},
		{"payload", archive{with(robotsTxt("-1h", closed), digest2), doubtful}},
		{"block", archive{with(robotsTxt("-1h", closed), closedDigest, blockOf(closed)), doubtful}},
		{"block matches", archive{
			with(robotsTxt("-1h", closed), blockOf("HTTP/1.1 200 OK\r\n\r\n"+closed)),
			page(certain),
		}},
		{"unknown algorithm", archive{
			with(robotsTxt("-1h", closed), "WARC-Payload-Digest: crc32:00000000"),
			page(certain),
		}},
		{"of the hop", archive{with(hop, blockOf("x")), target, doubtful}},
		{"of the target", archive{hop, with(target, digest2), doubtful}},
		{"of a target far before", archive{with(target, digest2), hop, doubtful}},
		{"of the original", archive{
			with(robotsTxt("-2d", closed), digest2),
			revisit(again, identical, digest2, "WARC-Refers-To-Date: "+robotsTxt("-2d", "").date()), doubtful,
		}},
		{"of an original that nothing but its digest names", archive{
			with(robotsTxt("-2d", closed), digest2), revisit(again, identical, digest2),
			page("unknown fresh unresolved_revisit prior=disallowed"),
		}},
		{"of another copy", archive{
			with(robotsTxt("-2h", closed), digest2), robotsTxt("-1h", closed),
			page("disallowed fresh rule probable +unreadable_copy"),
		}},
		{"of a 503", archive{
			with(rec{url: home + "/robots.txt", at: "-1h", status: "503 x"}, blockOf("x")),
			page("disallowed fresh unreachable possible +digest_mismatch"),
		}},
	})
}

// TestBodyThatBreaksOff: what is missing of a file may forbid more, unless so much
// of it is there that the rest needs no parsing (RFC 9309 §2.5).
func TestBodyThatBreaksOff(t *testing.T) {
	t.Parallel()
	chunks := func(body string) rec {
		return rec{
			url: home + "/robots.txt", at: "-1h", head: []string{"Transfer-Encoding: chunked"},
			body: fmt.Sprintf("%x\r\n%s\r\n", len(body), body),
		}
	}
	checkScenarios(t, DecideOptions{}, []scenario{
		{"forbids", archive{chunks(closed), page("disallowed fresh rule probable +body_cut +partial")}},
		{"allows", archive{
			chunks("user-agent: *\ndisallow: /x\n"),
			page("unknown fresh truncated +body_cut +partial"),
		}},
		{"ends before its Content-Length", archive{
			{
				url: home + "/robots.txt", at: "-1h", head: []string{"Content-Length: 900"},
				body: "user-agent: *\ndisallow: /x\n",
			},
			page("unknown fresh truncated +body_cut +partial"),
		}},
		{"is its Content-Length", archive{
			{
				url: home + "/robots.txt", at: "-1h", head: []string{"Content-Length: 27"},
				body: "user-agent: *\ndisallow: /x\n",
			},
			page("allowed fresh no_matching_rule"),
		}},
		{"long enough", archive{
			chunks("user-agent: *\ndisallow: /x\n" + strings.Repeat("#\n", 256_000)),
			page("allowed fresh no_matching_rule +body_cut"),
		}},
	})
}
