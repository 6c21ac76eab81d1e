package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/parquetwriter/parquettest"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// TestVerifiedAgreesWithArchives: an index, the records of robots.txt and --verify give the violations
// that the archives give, in every column but the lost ones in docs/FORMATS.md: once with what
// the archives hold of robots.txt, and once where it forbids everything, a minute before each fetch.
func TestVerifiedAgreesWithArchives(t *testing.T) {
	var own, all agreement
	for _, archives := range archiveGroups(t) {
		dir := t.TempDir()
		whole := auditWith(t, filepath.Join(dir, "whole"), archives...)
		fetches := fetchesOf(t, whole)
		if len(fetches) == 0 {
			continue
		}
		parts := indexAndSubset(t, dir, archives, redirectTargets(t, whole))
		verify := []string{"--verify", "--base", filepath.Dir(archives[0])}
		own.compare(t, whole, auditWith(t, filepath.Join(dir, "verified"), slices.Concat(parts, verify)...))

		forbidden := []string{forbidAll(t, dir, fetches), "--crawler", "Testbot"}
		whole = auditWith(t, filepath.Join(dir, "forbidden"), slices.Concat(archives, forbidden)...)
		all.compare(t, whole, auditWith(t, filepath.Join(dir, "forbiddenverified"),
			slices.Concat(parts, forbidden, verify)...))
	}
	t.Logf("by their own robots.txt %+v; where all is forbidden %+v", own, all)
	if own.same < 10 || own.same+own.near < 40 || own.other > 2 ||
		all.same < 30 || all.same+all.near < 60 || all.other > 20 {
		t.Errorf("by their own robots.txt %+v; where all is forbidden %+v", own, all)
	}
}

func auditWith(t *testing.T, out string, args ...string) string {
	t.Helper()
	var errs bytes.Buffer
	if code := run(t.Context(), append([]string{"audit", "--quiet", "-o", out}, args...), strings.NewReader(""),
		io.Discard, &errs); code != 0 && code != 3 {
		t.Fatalf("%q: exit code %d\n%s", args, code, &errs)
	}
	return out
}

// forbidAll writes an archive with captures of robots.txt that forbid fetches.
func forbidAll(t *testing.T, dir string, fetches map[string]report.FetchRow) string {
	t.Helper()
	captures := make(map[string]bool)
	for _, f := range fetches {
		if f.FetchTime != nil && strings.HasPrefix(f.Origin, "http") {
			date := time.UnixMicro(*f.FetchTime).UTC().Add(-time.Minute).Format("20060102150405")
			captures[warctest.ARCRecord(f.Origin+"/robots.txt", date,
				"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n")] = true
		}
	}
	text := warctest.ARCInfo("") + strings.Join(slices.Sorted(maps.Keys(captures)), "")
	path := filepath.Join(dir, "forbidden.arc")
	writeFile(t, path, []byte(text))
	return path
}

// agreement counts violations: those that are alike, those that differ in what the order of the records shows, and
// those that differ by other evidence that is lost.
type agreement struct{ same, near, other int }

// compare compares the violations of archives with the violations of an index whose records were verified.
func (a *agreement) compare(t *testing.T, whole, verified string) {
	t.Helper()
	fetches, want, got := fetchesOf(t, verified), violationsOf(t, whole), violationsOf(t, verified)
	for key, row := range want {
		found, ok := got[key]
		f := fetches[key]
		differences := differencesOf(found, row)
		switch {
		case ok && len(differences) == 0:
			a.same++
			continue
		case !ok && f.Agent != row["Agent"] && f.Trust == "indexed": // nothing made it suspected
		case ok && slices.Contains(f.Notes, "same_moment"): // the order of the records is lost
		case ok && slices.Contains(f.Notes, "order_doubt") && !slices.ContainsFunc(differences, func(d string) bool {
			return !strings.HasPrefix(d, "Certainty is probable") && !strings.HasPrefix(d, "Notes is ") && !strings.HasPrefix(d, "Ground")
		}):
			a.near++
			continue
		case row["Trust"] == "resynced": // what is damaged is not verified
		case row["RecordType"] == "arc" && len(differences) == 1 && strings.HasPrefix(differences[0], "Claim "):
			// that of the version block
		case len(differences) == 1 && strings.HasPrefix(differences[0], "OwnReading is , "): // the software is lost
		default:
			t.Errorf("%s: %s, trust %s:\n\t%s", key, f.Verdict, f.Trust, strings.Join(differences, "\n\t"))
		}
		a.other++
	}
	for key, row := range got {
		if want[key] == nil && !strings.Contains(fmt.Sprint(row["Notes"]), "same_moment") {
			t.Errorf("%s: a violation by the index alone: %v", key, row)
		}
	}
}

// violationsOf reads the violations of an audit, by their records.
func violationsOf(t *testing.T, dir string) map[string]map[string]any {
	t.Helper()
	rows := make(map[string]map[string]any)
	for _, row := range parquettest.Read[report.ViolationRow](t, dir, "violations") {
		b, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		columns := make(map[string]any)
		if err := json.Unmarshal(b, &columns); err != nil {
			t.Fatal(err)
		}
		rows[fmt.Sprintf("%s:%d %s", filepath.Base(row.WARCFilename), row.WARCRecordOffset,
			plainURL(row.URL))] = columns
	}
	return rows
}

// differencesOf lists the columns in which two violations differ.
func differencesOf(got, want map[string]any) (differences []string) {
	for name, value := range want {
		switch name {
		case "FetchMethod":
			if got[name] == "" { // without a request
				continue
			}
		case "Trust":
			value = "verified"
		case "RobotsOffset", "RobotsBodyOffset", "ContestedOffset", "ContestedBodyOffset": // the subset has its own
			continue
		}
		if g := fmt.Sprint(got[name]); g != fmt.Sprint(value) {
			differences = append(differences, fmt.Sprintf("%s is %s, the archive gives %v", name, g, value))
		}
	}
	slices.Sort(differences)
	return differences
}

// TestVerifyHostileIndex: an index that lies is found out, row by row, and accuses nobody by it.
func TestVerifyHostileIndex(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string { return writeFile(t, filepath.Join(dir, name), content) }
	robots := write("robots.warc.gz", robotsOfPages("T11:00:00Z"))
	archive, places := archiveOfPages()
	write("base/pages.warc.gz", archive)
	write("secret.warc.gz", archive)
	write("base/garbage.warc.gz", []byte("no archive"))
	write("base/cut.warc.gz", archive[:places[19][0]+20])

	type row struct {
		url, time, status, digest, filename string
		offset, length                      int64
	}
	for _, c := range []struct {
		name string
		lie  func(*row)
		want string // in the detail of the issue; "": it is verified all the same
	}{
		{"the truth", func(*row) {}, ""},
		{"another URL", func(r *row) { r.url += "x" }, "the record there is of "},
		{
			"another date", func(r *row) { r.time = "20240501120001" },
			"the record there is of 2024-05-01T12:00:00Z, not of 2024-05-01T12:00:01Z",
		},
		{"another status", func(r *row) { r.status = "404" }, "has the status 200, not 404"},
		{"another digest", func(r *row) { r.digest = strings.Repeat("A", 32) }, "its payload does not match that"},
		{"another record", func(r *row) { r.offset, r.length = places[1][0], places[1][1] }, "the record there is of "},
		{
			"a request", func(r *row) { r.offset = places[1][0] + places[1][1] },
			"the record there is no fetch: its type is \"request\"",
		},
		{"the middle of a member", func(r *row) { r.offset += 7 }, "no record begins there"},
		{"behind the end", func(r *row) { r.offset = 1 << 40 }, "no record begins there"},
		{"the last byte", func(r *row) { r.offset = int64(len(archive)) - 1 }, "no record begins there"},
		{"no status", func(r *row) { r.status = "-" }, ""},
		{
			"no status, of a request", func(r *row) { r.offset, r.status = places[1][0]+places[1][1], "-" },
			"the record there is no fetch: its type is \"request\"",
		},
		{"no length", func(r *row) { r.length = 0 }, ""},
		{"a terabyte", func(r *row) { r.length = 1 << 40 }, ""},
		{"no archive", func(r *row) { r.filename = "missing.warc.gz" }, "missing.warc.gz: " + syscall.ENOENT.Error()},
		{"out of the base", func(r *row) { r.filename = "../secret.warc.gz" }, "leads out of the place"},
		{"a path", func(r *row) { r.filename = filepath.Join(dir, "secret.warc.gz") }, "leads out of the place"},
		{"a URL", func(r *row) { r.filename = "http://127.0.0.1:1/pages.warc.gz" }, "leads out of the place"},
		{"garbage", func(r *row) { r.filename = "garbage.warc.gz" }, "row 1, of garbage.warc.gz: "},
		{"a folder", func(r *row) { r.filename = "." }, "row 1, of .: "},
	} {
		r := row{"http://h/p5", "20240501120000", "200", "", "pages.warc.gz", places[5][0], places[5][1]}
		c.lie(&r)
		index := write("index.cdxj",
			fmt.Appendf(nil, `h)/ %s {"url": %q, "mime": "text/html", "status": %q, "digest": %q, "length": "%d", "offset": "%d", "filename": %q}`+"\n",
				r.time, r.url, r.status, r.digest, r.length, r.offset, r.filename))
		out := filepath.Join(dir, "out")
		auditWith(t, out, index, robots, "--verify", "--base", filepath.Join(dir, "base"))
		o, details := openWithIssues(t, out)
		v := o.Audit().Totals.Verification
		violations := violationsOf(t, out)
		if refuted := v.Refuted == 1; refuted && (len(violations) > 0 || o.Audit().Totals.Possible != 1) || !refuted &&
			len(violations) != 1 {
			t.Fatalf("%s: %d violations, %d possible ones", c.name, len(violations), o.Audit().Totals.Possible)
		}
		for row, err := range results.Rows(t.Context(), o, report.UnprovenTable) {
			if err != nil || !slices.Contains(row.Notes, "no_record") {
				t.Errorf("%s: %v, notes %q", c.name, err, row.Notes)
			}
		}
		if v.Refuted == 1 && (len(details) != 1 || !strings.HasPrefix(details[0], "not_verified: ") ||
			!strings.Contains(details[0], cmp.Or(c.want, "nothing"))) {
			t.Errorf("%s: %q", c.name, details)
		}
		for _, found := range violations {
			if c.want == "" {
				if len(details) > 0 || found["Trust"] != "verified" || found["Certainty"] != "probable" ||
					found["Agent"] != "TrueBot" || v.Verified != 1 {
					t.Errorf("%s: %v %+v\n%v", c.name, details, v, found)
				}
			} else if len(details) != 1 || !strings.HasPrefix(details[0], "not_verified: ") ||
				!strings.Contains(details[0], c.want) || found["Trust"] != "indexed" ||
				found["Certainty"] != "probable" || found["Agent"] != "RobotsBot" || v.Refuted+v.Unread != 1 ||
				o.Audit().Totals.InputsNotWhollyRead != 1 {
				t.Errorf("%s: %q %+v\n%v", c.name, details, v, found)
			}
		}
	}
}

// TestVerifyInsideAPage: an index names a record that a page holds, of a fetch that nobody made. The page
// does not know the archive's warcinfo, so the record proves no more than the index does.
func TestVerifyInsideAPage(t *testing.T) {
	const info, url = "urn:uuid:00000000-0000-4000-8000-000000000000", "http://h/private"
	embedded := warctest.Plain(
		warctest.Request("urn:uuid:00000000-0000-4000-8000-000000000001", url, "RobotsBot/1.0",
			"WARC-Concurrent-To: <urn:uuid:00000000-0000-4000-8000-000000000002>"),
		warctest.Response("urn:uuid:00000000-0000-4000-8000-000000000002", url, "HTTP/1.1 200 OK\r\n\r\npage"))
	const download = "HTTP/1.1 200 OK\r\nContent-Type: application/warc\r\n\r\n"
	stored := func(b []byte) string { // a member in which b stands as it is
		var member bytes.Buffer
		w, err := gzip.NewWriterLevel(&member, gzip.NoCompression)
		if err == nil {
			_, err = w.Write(b)
		}
		if err = cmp.Or(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return member.String()
	}
	page := func(body string, fields ...string) warctest.Record {
		return warctest.Response("urn:uuid:00000000-0000-4000-8000-000000000003", "http://h/page", download+body,
			fields...)
	}
	named := "WARC-Warcinfo-ID: <" + info + ">"
	own := warctest.Plain(
		warctest.Request("urn:uuid:00000000-0000-4000-8000-000000000004", url, "RobotsBot/1.0",
			"WARC-Concurrent-To: <urn:uuid:00000000-0000-4000-8000-000000000005>"),
		warctest.Response("urn:uuid:00000000-0000-4000-8000-000000000005", url, "HTTP/1.1 200 OK\r\n\r\npage", named))
	begin := warctest.Warcinfo(info, "robots: classic\r\n")
	for _, c := range []struct {
		name      string
		archive   []byte
		magic     string // before the record, that begins there
		certainty string
	}{
		{
			"a record of the archive", append(warctest.Plain(begin), own...), "WARC/1.0\r\nWARC-Type: response",
			"certain",
		},
		{
			"in a page", warctest.Plain(begin, page(string(embedded), named)), "WARC/1.0\r\nWARC-Type: response",
			"probable",
		},
		{
			"in a page of a compressed archive",
			append(warctest.GzipMembers(begin),
				stored(warctest.Plain(page(string(warctest.Gzip(string(embedded))), named)))...), "\x1f\x8b",
			"probable",
		},
	} {
		dir := t.TempDir()
		write := func(name string, content []byte) string { return writeFile(t, filepath.Join(dir, name), content) }
		write("pages.warc.gz", c.archive)
		index := write("index.cdxj",
			fmt.Appendf(nil, `h)/ 20240501120000 {"url": %q, "status": "200", "offset": "%d", "filename": "pages.warc.gz"}`+"\n",
				url, bytes.LastIndex(c.archive, []byte(c.magic))))
		out := auditWith(t, filepath.Join(dir, "out"), index, write("robots.warc.gz", robotsOfPages("T11:00:00Z")),
			"--verify")
		for key, found := range violationsOf(t, out) {
			if found["Trust"] != "verified" || found["Certainty"] != c.certainty ||
				strings.Contains(fmt.Sprint(found["Notes"]), "indexed") != (c.certainty == "probable") {
				t.Errorf("%s: %s: trust %v, %v, notes %v", c.name, key, found["Trust"], found["Certainty"],
					found["Notes"])
			}
		}
		if n := len(violationsOf(t, out)); n != 1 {
			t.Errorf("%s: %d violations", c.name, n)
		}
	}
}

// TestVerifyTheSecondOfRobots: a fetch in the second in which robots.txt was got may have come before
// it, so it is no violation. Its record is read, whose date may be finer; the order of its archive is not.
func TestVerifyTheSecondOfRobots(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string { return writeFile(t, filepath.Join(dir, name), content) }
	archive, places := archiveOfPages()
	write("base/pages.warc.gz", archive)
	robots := write("robots.warc.gz", robotsOfPages("T12:00:00Z"))
	index := write("index.cdxj",
		fmt.Appendf(nil, `h)/ 20240501120000 {"url": "http://h/p0", "status": "200", "length": "%d", "offset": "%d", "filename": "pages.warc.gz"}`+"\n",
			places[0][1], places[0][0]))
	if found := violationsOf(t, auditWith(t, filepath.Join(dir, "index"), index, robots)); len(found) > 0 {
		t.Errorf("violations by an index: %v", found)
	}
	out := auditWith(t, filepath.Join(dir, "verified"), index, robots, "--verify", "--base", filepath.Join(dir, "base"))
	o, _ := openWithIssues(t, out)
	if totals := o.Audit().Totals; totals.Verification.Verified != 1 || totals.Violations != 0 || totals.Possible != 1 {
		t.Errorf("verified %d, violations %d, possible %d: its archive may show that it came before robots.txt",
			totals.Verification.Verified, totals.Violations, totals.Possible)
	}
}

// TestVerifyRequestWithoutUserAgent: a request that names no crawler is not that of the crawler which
// captured robots.txt.
func TestVerifyRequestWithoutUserAgent(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string { return writeFile(t, filepath.Join(dir, name), content) }
	robots := write("robots.warc.gz", robotsOfPages("T11:00:00Z"))
	for agent, want := range map[string]int{"": 0, "User-Agent: RobotsBot/1.0\r\n": 1} {
		request := warctest.Request("urn:q", "http://h/p", "", "WARC-Concurrent-To: <urn:p>")
		request.Block = "GET /p HTTP/1.1\r\nHost: h\r\n" + agent + "\r\n"
		before := warctest.GzipMembers(request)
		archive := append(before,
			warctest.GzipMembers(warctest.Response("urn:p", "http://h/p", "HTTP/1.1 200 OK\r\n\r\npage"))...)
		write("base/pages.warc.gz", archive)
		index := write("index.cdxj",
			fmt.Appendf(nil, `h)/ 20240501120000 {"url": "http://h/p", "status": "200", "length": "%d", "offset": "%d", "filename": "pages.warc.gz"}`+"\n",
				len(archive)-len(before), len(before)))
		out := filepath.Join(dir, fmt.Sprint("out", want))
		if found := violationsOf(t, auditWith(t, out, index, robots)); len(found) != 1 {
			t.Errorf("%q: %d violations by the index", agent, len(found))
		}
		found := violationsOf(t, auditWith(t, out, index, robots, "--verify", "--base", filepath.Join(dir, "base")))
		o, _ := openWithIssues(t, out)
		if totals := o.Audit().Totals; totals.Verification.Verified != 1 || totals.Possible != int64(1-want) ||
			len(found) != want {
			t.Errorf("%q: %d verified, %d violations, %d possible ones", agent, totals.Verification.Verified,
				len(found), totals.Possible)
		}
	}
}

// TestVerifyBesideAnotherCrawler: only the captures of robots.txt identify the crawler of a record without
// its request, and no longer once another crawler shows, whatever was verified before.
func TestVerifyBesideAnotherCrawler(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string { return writeFile(t, filepath.Join(dir, name), content) }
	robots := write("robots.warc.gz", robotsOfPages("T11:00:00Z"))
	other := write("other.warc.gz",
		warctest.GzipMembers(warctest.Request("urn:q", "http://h/other", "OtherBot/1.0"),
			warctest.Response("urn:o", "http://h/other", "HTTP/1.1 404 x\r\n\r\n")))
	archive := warctest.GzipMembers(warctest.Response("urn:p", "http://h/p", "HTTP/1.1 200 OK\r\n\r\npage"))
	write("base/pages.warc.gz", archive)
	index := write("index.cdxj",
		fmt.Appendf(nil, `h)/ 20240501120000 {"url": "http://h/p", "status": "200", "length": "%d", "offset": "0", "filename": "pages.warc.gz"}`+"\n", len(archive)))
	out := filepath.Join(dir, "out")
	if found := violationsOf(t,
		auditWith(t, out, index, robots, "--verify", "--base", filepath.Join(dir, "base"))); len(found) != 1 {
		t.Fatalf("%d violations by the captures of robots.txt", len(found))
	}
	for key, f := range fetchesOf(t, auditWith(t, out, index, robots, other)) {
		if strings.HasSuffix(key, "/p") && (f.Trust != "verified" || f.Agent != "" || f.Certainty != "possible") {
			t.Errorf("beside another crawler: %s, agent %q, %s", f.Trust, f.Agent, f.Certainty)
		}
	}
}

// TestVerifyWithoutRequest: a record without its request next to it could be another crawler's, unless an
// option names the crawler of all.
func TestVerifyWithoutRequest(t *testing.T) {
	const info = "urn:uuid:00000000-0000-4000-8000-000000000000"
	dir := t.TempDir()
	write := func(name string, content []byte) string { return writeFile(t, filepath.Join(dir, name), content) }
	begin := warctest.GzipMembers(warctest.Warcinfo(info, "robots: classic\r\n"))
	write("pages.warc.gz", append(begin,
		warctest.GzipMembers(warctest.Response("urn:p", "http://h/p", "HTTP/1.1 200 OK\r\n\r\npage",
			"WARC-Warcinfo-ID: <"+info+">"))...))
	index := write("index.cdxj",
		fmt.Appendf(nil, `h)/ 20240501120000 {"url": "http://h/p", "status": "200", "offset": "%d", "filename": "pages.warc.gz"}`+"\n", len(begin)))
	robots := write("robots.warc.gz", robotsOfPages("T11:00:00Z"))
	for option, want := range map[string]string{
		"--quiet":             "verified probable [indexed]",
		"--crawler=RobotsBot": "verified certain <nil>",
	} {
		found := violationsOf(t, auditWith(t, filepath.Join(dir, option), index, robots, "--verify", option))
		for _, row := range found {
			if got := fmt.Sprintf("%v %v %v", row["Trust"], row["Certainty"], row["Notes"]); got != want {
				t.Errorf("%s: %q, want %q", option, got, want)
			}
		}
		if len(found) != 1 {
			t.Errorf("%s: %d violations", option, len(found))
		}
	}
}

// TestVerifyAnotherArchive: an archive that bears no more than the last part of the name that a row gives
// may be another crawl's. What is there verifies a row, and what is not there refutes none.
func TestVerifyAnotherArchive(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string { return writeFile(t, filepath.Join(dir, name), content) }
	robots := write("robots.warc.gz", robotsOfPages("T11:00:00Z"))
	archive, places := archiveOfPages()
	write("index/pages.warc.gz", archive)
	index := write("index/index.cdxj",
		fmt.Appendf(nil, `h)/ 20240501120000 {"url": "http://h/p5", "length": "%d", "offset": "%d", "filename": "crawl-1/pages.warc.gz"}
h)/ 20240501120000 {"url": "http://h/q", "length": "%d", "offset": "%d", "filename": "crawl-1/pages.warc.gz"}
`, places[5][1], places[5][0], places[6][1], places[6][0]))
	auditAt := func(args ...string) (evaluate.Verification, []string) {
		t.Helper()
		r, details := openWithIssues(t, auditWith(t, filepath.Join(t.TempDir(), "out"), append(args, index, robots)...))
		return r.Audit().Totals.Verification, details
	}
	v, details := auditAt("--verify")
	if v.Verified != 1 || v.Refuted != 0 || v.Unread != 1 || len(details) != 1 ||
		!strings.HasPrefix(details[0], "not_verified: row 2, of crawl-1/pages.warc.gz: ") ||
		!strings.Contains(details[0], "say with --base") {
		t.Errorf("beside the index: %+v %q", v, details)
	}
	if v, details = auditAt("--verify", "--base", filepath.Join(dir, "index")); v.Verified != 1 || v.Refuted != 1 {
		t.Errorf("below the base: %+v %q", v, details)
	}
	write("index/crawl-1/pages.warc.gz", archive)
	if v, details = auditAt("--verify"); v.Verified != 1 || v.Refuted != 1 {
		t.Errorf("by its whole name: %+v %q", v, details)
	}
}

// openWithIssues opens the results of an audit, and gives the kinds and details of its issues.
func openWithIssues(t *testing.T, out string) (r *results.Results, details []string) {
	t.Helper()
	r, err := results.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range parquettest.Read[report.IssueRow](t, out, "issues") {
		details = append(details, row.Kind+": "+row.Detail)
	}
	return r, details
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func writeFile(t *testing.T, path string, content []byte) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, content, 0o666)); err != nil {
		t.Fatal(err)
	}
	return path
}

// robotsOfPages is an archive of a robots.txt that forbids the pages of archiveOfPages, which were got
// at T12:00:00Z.
func robotsOfPages(at string) (archive []byte) {
	for _, r := range []warctest.Record{
		warctest.Request("urn:uuid:r1", "http://h/robots.txt", "RobotsBot/1.0"),
		warctest.Response("urn:uuid:r2", "http://h/robots.txt", "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /"),
	} {
		archive = append(archive, warctest.Gzip(strings.Replace(r.String(), "T12:00:00Z", at, 1))...)
	}
	return archive
}

// archiveOfPages is an archive of pages /p0, /p1, … and where their responses are: offset and length.
func archiveOfPages() (archive []byte, places [20][2]int64) {
	for n := range places {
		url, id := fmt.Sprintf("http://h/p%d", n), fmt.Sprintf("urn:uuid:00000000-0000-4000-8000-%012d", n)
		archive = append(archive, warctest.GzipMembers(
			warctest.Request(strings.Replace(id, "0000", "1111", 1), url, "TrueBot/1.0",
				"WARC-Concurrent-To: <"+id+">"))...)
		places[n][0] = int64(len(archive))
		archive = append(archive,
			warctest.GzipMembers(warctest.Response(id, url,
				"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\npage"))...)
		places[n][1] = int64(len(archive)) - places[n][0]
	}
	return archive, places
}
