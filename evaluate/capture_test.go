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
	with := func(r rec, state string) rec { r.state = state; return r }
	checkScenarios(t, DecideOptions{}, []scenario{
		{"that record, not that URL", archive{
			robotsTxt("-2h", closed), redirect(home+"/robots.txt", "-100m", "/r.txt"),
			rec{url: home + "/r.txt", at: "-100m", body: closed, want: itself},
			rec{url: home + "/r.txt", at: "-30m", body: closed, want: certain},
		}},
		{"loop", archive{
			with(redirect(home+"/robots.txt", "-1h", "/b"), "unavailable too_many_redirects hops=2 final=302"),
			redirect(home+"/b", "-1h", "/robots.txt"), page("allowed fresh too_many_redirects"),
		}},
		{"a loop whose dates are out of order", archive{
			with(redirect(home+"/robots.txt", "-1h", "/b"), "unavailable too_many_redirects hops=2 final=302"),
			redirect(home+"/b", "-60m1s", "/robots.txt"), page("allowed fresh too_many_redirects"),
		}},
		{"another crawler's target is an ordinary fetch", archive{
			robotsTxt("-2h", closed), redirect(home+"/robots.txt", "-1h", "/r"),
			rec{
				url: home + "/r", at: "-59m", body: closed, ua: "Other/1",
				want: "disallowed later rule possible +other_crawler",
			},
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
	emptyDigest = "WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
)

// digest is that of closed.
var closedDigest = payloadDigest(closed)

func payloadDigest(body string) string {
	sum := sha1.Sum([]byte(body))
	return "WARC-Payload-Digest: sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

func TestRevisit(t *testing.T) {
	t.Parallel()
	digested := func(r rec, d string) rec { r.warc = append(r.warc, d); return r }
	original := digested(robotsTxt("-40d", closed), closedDigest)
	again := rec{url: home + "/robots.txt", at: "-1h"}
	referring := func(r rec) string { return "WARC-Refers-To-Date: " + r.date() }
	status := func(r rec, s string, head ...string) rec { r.status, r.head = s, head; return r }
	unresolvedAfter := func(prior string) rec { return page("unknown fresh unresolved_revisit prior=" + prior) }
	called := func(r rec, id string) rec { r.id = id; return r }
	late := original
	late.at = "+2d"
	checkScenarios(t, DecideOptions{}, []scenario{
		{
			"the original comes later",
			archive{revisit(again, identical, closedDigest), page("disallowed fresh rule certain"), late},
		},
		{"by an id used twice", archive{
			called(robotsTxt("-40d", closed), "twice"), called(robotsTxt("-39d", open), "twice"),
			revisit(again, identical, "WARC-Refers-To: <urn:test:twice>"), unresolvedAfter("allowed"),
		}},
		{"by an id of another status", archive{
			called(status(robotsTxt("-40d", closed), "203 x"), "status"),
			revisit(again, identical, "WARC-Refers-To: <urn:test:status>"), unresolvedAfter("disallowed"),
		}},
		{"its own 204", archive{
			status(revisit(again, identical, closedDigest), "204 x"),
			page("allowed fresh no_matching_group"),
		}},
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
		{"304 without a head", archive{
			robotsTxt("-2d", closed), status(revisit(again, notModified), "-"),
			page(certain),
		}},
		{"304 of a 304", archive{
			robotsTxt("-2d", closed), status(rec{url: again.url, at: "-2h"}, "304 x"),
			status(revisit(again, notModified, "WARC-Refers-To-Date: "+rec{at: "-2h"}.date()), "304 x"), page(certain),
		}},
		{
			"304 passes over a 404",
			archive{
				robotsTxt("-3d", closed), status(rec{url: again.url, at: "-2d"}, "404 x"), status(again, "304 x"),
				page(certain),
			},
		},
	})
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
