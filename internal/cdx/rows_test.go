package cdx

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// read reads all of an index.
func read(t *testing.T, f Format, content []byte, opt FormatOptions) (rows []Row, faults []Fault) {
	t.Helper()
	r, err := Open(f, bytes.NewReader(content), int64(len(content)), opt)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return readAll(t, r)
}

func readAll(t *testing.T, r Reader) (rows []Row, faults []Fault) {
	t.Helper()
	for {
		var row Row
		err := r.Next(&row)
		fault := (*Fault)(nil)
		switch {
		case errors.As(err, &fault):
			faults = append(faults, *fault)
		case err == io.EOF:
			return rows, faults
		case err != nil:
			t.Fatal(err)
		default:
			rows = append(rows, row)
		}
	}
}

// gz compresses each part as a gzip member.
func gz(parts ...string) []byte {
	var b bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&b)
		io.WriteString(w, part)
		w.Close()
	}
	return b.Bytes()
}

// row makes a row whose other fields are empty.
func row(set func(*Row)) Row {
	r := noRow
	set(&r)
	return r
}

// TestSamples reads lines that the makers of formats publish, and checks their formats.
func TestSamples(t *testing.T) {
	example := func(r *Row) {
		r.URL, r.Time, r.MIME, r.Status = "http://example.com/", "20170730223850", "text/html", 200
		r.Digest, r.Length, r.Offset, r.Filename = "G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK", 1219, 771,
			"example-20170730223917.warc.gz"
	}
	outback := func(r *Row) {
		r.URL, r.Time, r.MIME, r.Status = "http://example.org/", "20030402160014", "text/html", 200
		r.Digest, r.Length, r.Offset, r.Filename = "MOH7IEN2JAEJOHYXIEPEEGHOHG5VI===", 2248, 396, "mycrawl.warc.gz"
	}
	wayback := func(r *Row) {
		r.URL, r.Time, r.MIME, r.Status = "http://www.archive.org:80/", "19970126045828", "text/html", 200
		r.Digest, r.Length = "Q4YULN754FHV2U6Q5JUT6Q2P57WEWNNY", 1415
	}
	for _, c := range []struct {
		name    string
		format  Format
		content string
		want    []Row
	}{
		{
			// iipc.github.io cdx-2015; pywb's example.cdx
			"CDX with 9 and 11 fields, and a revisit", CDX, " CDX N b a m s k r V g\n" +
				"au,gov,financeminister)/ 20150914222034 http://www.financeminister.gov.au/ text/html 200 " +
				"ZMSA5TNJUKKRYAIM5PRUJLL24DV7QYOO - 117273 WEB-1.warc.gz\n" +
				" CDX N b a m s k r M S V g\n" +
				"com,example)/?example=1 20140103030341 http://example.com?example=1 warc/revisit - " +
				"B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - - 553 1864 example.warc.gz\n",
			[]Row{
				row(func(r *Row) {
					r.Line, r.At = 2, 23
					r.URL, r.Time, r.MIME, r.Status = "http://www.financeminister.gov.au/", "20150914222034",
						"text/html", 200
					r.Digest, r.Offset, r.Filename = "ZMSA5TNJUKKRYAIM5PRUJLL24DV7QYOO", 117273, "WEB-1.warc.gz"
				}),
				row(func(r *Row) {
					r.Line, r.At = 4, 195
					r.URL, r.Time, r.MIME = "http://example.com?example=1", "20140103030341", "warc/revisit"
					r.Digest, r.Length, r.Offset, r.Filename = "B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", 553, 1864,
						"example.warc.gz"
				}),
			},
		},
		{
			"the legend's CDX of 16 fields", CDX, " CDX A b e a m s c k r V v D d g M n\n" + // archive.org's legend
				"0-0-0checkmate.com/Hot/index.html 20010424212403 209.52.183.152 " +
				"0-0-0checkmate.com:80/Hot/index.html text/html 302 52242643710547ff4ce2605ed03ed9e2 " +
				"b06d037c06e7ffd7afc6db270aca7645 http://h/ 21576619 62305547 1855363 6627262 " +
				"DE_crawl6.20010424212307 A 6317\n",
			[]Row{row(func(r *Row) {
				r.Line, r.At = 2, 37
				r.URL, r.Time, r.MIME, r.Status = "0-0-0checkmate.com:80/Hot/index.html", "20010424212403",
					"text/html", 302
				r.Digest, r.Redirect, r.Offset, r.Filename = "b06d037c06e7ffd7afc6db270aca7645", "http://h/",
					21576619, "DE_crawl6.20010424212307"
			})},
		},
		{
			"wget, and tabs", CDX, "\tCDX\ta\tb\ta\tm\ts\tk\tr\tM\tV\tg\tu\r\n" +
				"http://h/a b\t20240501120000\thttp://h/a b\ttext/html\t200\tABC\t-\t-\t7\ta.warc.gz\t<urn:uuid:1>\r\n",
			[]Row{row(func(r *Row) {
				r.Line, r.At = 2, 28
				r.URL, r.Time, r.MIME, r.Status = "http://h/a b", "20240501120000", "text/html", 200
				r.Digest, r.Offset, r.Filename, r.RecordID = "ABC", 7, "a.warc.gz", "urn:uuid:1"
			})},
		},
		{
			"OutbackCDX", CDX, "org,example)/ 20030402160014 http://example.org/ text/html 200 " +
				"MOH7IEN2JAEJOHYXIEPEEGHOHG5VI=== - - 2248 396 mycrawl.warc.gz\n",
			[]Row{row(func(r *Row) { outback(r); r.Line, r.At = 1, 0 })},
		},
		{
			"OutbackCDX, 14 fields", CDX,
			"org,example)/ 20030402160014 http://example.org/ text/html 0 MOH7IEN2JAEJOHYXIEPEEGHOHG5VI=== - AF " +
				"2248 396 mycrawl.warc.gz 100 200 original.warc.gz",
			[]Row{row(func(r *Row) { outback(r); r.Line, r.At, r.Status = 1, 0, -1 })},
		},
		{
			"OutbackCDX, 10 fields", CDX,
			"org,example)/ 20030402160014 http://example.org/ text/html 200 MOH7IEN2JAEJOHYXIEPEEGHOHG5VI=== - A " +
				"396 mycrawl.warc.gz\n",
			[]Row{row(func(r *Row) { outback(r); r.Line, r.At, r.Length = 1, 0, -1 })},
		},
		{
			"OutbackCDX, arrays", CDXServer, `[
			  [
			    "org,example)/",
			    20030402160014,
			    "http://example.org/",
			    "text/html",
			    200,
			    "MOH7IEN2JAEJOHYXIEPEEGHOHG5VI===",
			    2248,
			    396,
			    "mycrawl.warc.gz"
			  ]
			]`,
			[]Row{row(func(r *Row) { outback(r); r.Line, r.At = 1, 7 })},
		},
		{
			"OutbackCDX, objects", CDXServer,
			`[{"urlkey":"org,example)/","timestamp":20030402160014,"url":"http://example.org/","mime":"text/html","status":200,"digest":"MOH7IEN2JAEJOHYXIEPEEGHOHG5VI===","length":2248,"offset":396,"filename":"mycrawl.warc.gz"}]`,
			[]Row{row(func(r *Row) { outback(r); r.Line, r.At = 1, 1 })},
		},
		{
			"Wayback's CDX server", CDX,
			"org,archive)/ 19970126045828 http://www.archive.org:80/ text/html 200 Q4YULN754FHV2U6Q5JUT6Q2P57WEWNNY " +
				"1415\n\norg%2Carchive%29%2F+19980109140106%21\n",
			[]Row{row(func(r *Row) { wayback(r); r.Line, r.At = 1, 0 })},
		},
		{
			"Wayback's CDX server, JSON", CDXServer,
			`[["urlkey","timestamp","original","mimetype","statuscode","digest","length"],` + "\n" +
				` ["org,archive)/", "19970126045828", "http://www.archive.org:80/", "text/html", "200", "Q4YULN754FHV2U6Q5JUT6Q2P57WEWNNY", "1415"],` + "\n" +
				` [],` + "\n" + ` ["org%2Carchive%29%2F+19980109140106%21"]]`,
			[]Row{row(func(r *Row) { wayback(r); r.Line, r.At = 2, 79 })},
		},
		{
			"pywb's CDXJ", CDXJ, `com,example)/ 20170730223850 {"url": "http://example.com/", "mime": "text/html", "status": "200", "digest": "G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK", "length": "1219", "offset": "771", "filename": "example-20170730223917.warc.gz"}` + "\n",
			[]Row{row(func(r *Row) { example(r); r.Line, r.At = 1, 0 })},
		},
		{
			"CDXJ of a WACZ", CDXJ, `com,example)/ 20170730223850123 {"url":"http://example.com/","mime":"text/html","status":200,"method":"POST","requestBody":"a=[{\"b\":1}]","digest":"sha256:ab","recordDigest":"sha256:cd","length":1219,"offset":771,"x":[1,{"y":"]"}],"filename":"a.warc.gz"}` + "\n",
			[]Row{row(func(r *Row) {
				example(r)
				r.Line, r.At, r.Time, r.Method, r.Digest, r.Filename = 1, 0, "20170730223850123", "POST", "sha256:ab",
					"a.warc.gz"
			})},
		},
		{
			"Common Crawl's CDXJ", CDXJ,
			`ar,com,futbolinterior)/component/mailto 20250516140105 {"url": "http://futbolinterior.com.ar/component/mailto/?tmpl=component", "mime": "text/html", "mime-detected": "text/x", "languages": "spa,eng", "status": "301", "digest": "OQ3OBNFR7DBCFQ4ANGEQW5P2FOXZZJRA", "length": "1103", "offset": "391196", "filename": "crawl-data/CC-MAIN-2025-21/segments/1746990412530.66/crawldiagnostics/CC-MAIN-20250516130253-20250516160253-00626.warc.gz", "redirect": "https://futbolinterior.com.ar/component/mailto/"}` + "\n",
			[]Row{row(func(r *Row) {
				r.Line, r.At = 1, 0
				r.URL, r.Time, r.MIME, r.Status = "http://futbolinterior.com.ar/component/mailto/?tmpl=component",
					"20250516140105", "text/html", 301
				r.Detected, r.Language = "text/x", "spa,eng"
				r.Digest, r.Length, r.Offset = "OQ3OBNFR7DBCFQ4ANGEQW5P2FOXZZJRA", 1103, 391196
				r.Filename = "crawl-data/CC-MAIN-2025-21/segments/1746990412530.66/crawldiagnostics/CC-MAIN-20250516130253-20250516160253-00626.warc.gz"
				r.Redirect, r.Subset = "https://futbolinterior.com.ar/component/mailto/", "crawldiagnostics"
			})},
		},
		{
			"pywb's CDX server", CDXServer,
			`{"urlkey": "com,example)/", "timestamp": "20170730223850", "url": "http://example.com/", "mime": "text/html", "status": "200", "digest": "G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK", "length": "1219", "offset": "771", "filename": "example-20170730223917.warc.gz"}` + "\n",
			[]Row{row(func(r *Row) { example(r); r.Line, r.At = 1, 0 })},
		},
		{
			"a list in CSV", URLList,
			"\xef\xbb\xbfid;URL;Date;User_Agent;n\r\n1;\"http://h/;\"\"x\"\"\";2024-05-01T12:00:00Z;\"bot\n1\";2\n;http://h/2;20240501120000;-;\n",
			[]Row{
				row(func(r *Row) {
					r.Line, r.At, r.URL, r.Time, r.Agent = 2, 29, `http://h/;"x"`, "2024-05-01T12:00:00Z", "bot\n1"
					r.ListID = "1"
				}),
				row(func(r *Row) { r.Line, r.At, r.URL, r.Time = 4, 80, "http://h/2", "20240501120000" }),
			},
		},
		{
			"a list in JSON lines", URLList,
			`{"target_uri": "http://h/\u00e9\/", "text": "…", "warc_date": "2024-05-01T12:00:00Z", "record_id": "<urn:uuid:1>"}` + "\n\n" + `{"warc_date": 20240501120000, "target_uri": "http://h/", "agent": null}`,
			[]Row{
				row(func(r *Row) {
					r.Line, r.At, r.URL, r.Time, r.RecordID = 1, 0, "http://h/é/", "2024-05-01T12:00:00Z",
						"urn:uuid:1"
				}),
				row(func(r *Row) { r.Line, r.At, r.URL, r.Time = 3, 118, "http://h/", "20240501120000" }),
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, form := range []string{"plain", "gzip"} {
				content := []byte(c.content)
				if form == "gzip" {
					// as some writers pad
					content = append(gz("", c.content[:len(c.content)/2], c.content[len(c.content)/2:]),
						make([]byte, 512)...)
					for i := range c.want {
						c.want[i].At = -1
					}
				}
				if f := Sniff(content, ""); f != c.format {
					t.Errorf("%s: Sniff says %q, not %q", form, f, c.format)
				}
				rows, faults := read(t, c.format, content, FormatOptions{})
				if diff := cmp.Diff(c.want, rows); diff != "" {
					t.Errorf("%s: %s", form, diff)
				}
				if len(faults) > 0 {
					t.Errorf("%s: faults %v", form, faults)
				}
			}
		})
	}
}

// TestSniffStrict: other content is not taken for an index.
func TestSniffStrict(t *testing.T) {
	for name, content := range map[string]string{
		"nothing": "",
		"text":    "The quick brown fox\njumps over the lazy dog\n",
		"WARC":    "WARC/1.0\r\nWARC-Type: response\r\n\r\n",
		"ARC": "filedesc://a.arc 0.0.0.0 20240501120000 text/plain 77\n1 0 x\nURL IP-address " +
			"Archive-date Content-type Archive-length\n\nhttp://h/ 1.2.3.4 20240501120000 text/html 3\n",
		"ARC 2": "http://h/ 1.2.3.4 19970417175710 text/html 200 fac069150613fe55599cc7fa88aa089d - " +
			"209 IA-001102.arc 202\n",
		"crawl.log": "2024-05-01T12:00:00.123Z   200   1234 http://h/ - - text/html #001 " +
			"20240501120000123+45 sha1:X http://h/ -\n",
		"pages.jsonl": `{"format": "json-pages-1.0", "id": "pages", "title": "All"}` + "\n" +
			`{"url": "http://h/", "ts": "2024-05-01T12:00:00Z"}` + "\n",
		"other JSON":          `[1, 2, {"url": "http://h/"}]`,
		"an empty array":      `[]`,
		"a CDX of chemistry":  "VjCD0100\x04\x03\x02\x01\x00\x00",
		"CDX without a URL":   " CDX N b m s k r V g\n",
		"CDX of wrong values": "h)/ 20240501120000 http://h/ text/html OK ABC - 1 a.warc.gz\n",
		"a log":               "h 20240501120000 x y z\n",
		"CSV of other things": "name,time\na,b\n",
		"two times":           "url,time,date\na,b,c\n",
		"UTF-16":              "\xff\xfeu\x00r\x00l\x00",
	} {
		for form, b := range map[string][]byte{"plain": []byte(content), "gzip": gz(content)} {
			if f := Sniff(b, ""); f != None {
				t.Errorf("%s, %s: %q", name, form, f)
			}
		}
	}
	for name, content := range map[string]string{
		// pywb's zipnum-sample.idx
		"summary": "com,example)/ 20140127171200\tzipnum\t0\t276\t1\norg,iana)/ 20140127171238\tzipnum\t276\t328\t2\n",
		"in WACZ": `!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}` + "\n" +
			`com,example)/ 20201007212236 {"offset": 0, "length": 194}` + "\n",
		"and bare": `com,example)/ 20201007212236 {"offset": 0, "length": 194, "filename": "index.cdx.gz"}` + "\n",
	} {
		if f := Sniff([]byte(content), ""); f != ZipNum {
			t.Errorf("ZipNum, %s: %q", name, f)
		}
	}
	if _, err := Open(ZipNum, strings.NewReader(""), 0, FormatOptions{}); err == nil ||
		!strings.Contains(err.Error(), "cdx-*.gz") {
		t.Errorf("ZipNum: %v", err)
	}
}

// TestSniffFaulty: a faulty row is one fault wherever it stands, and the name of a file decides what
// its rows leave open.
func TestSniffFaulty(t *testing.T) {
	const (
		cdx    = "com,a)/y 20240501120100 http://a.example/y text/html 200 AAAA - - 10 5 t.warc.gz\n"
		broken = "com,a)/x 20240501120100 http://a.example/x y text/html 200 AAAA - - 10 0 t.warc.gz\n"
		cdxj   = `com,a)/y 20240501120100 {"url": "http://a.example/y", "offset": "5", "filename": "t.warc.gz"}` +
			"\n"
		cut       = `com,a)/y 20240501120100 {"url": "http://a.exa` + "\n"
		info      = `- 20240501120000 {"mime": "application/warc-fields", "length": "516", "offset": "0", "filename": "t.warc.gz"}` + "\n"
		part      = "com,a)/ 20240501120100\tcdx-00000.gz\t0\t276\t1\n"
		chemistry = "VjCD0100\x04\x03\x02\x01\x00\x00"
	)
	for _, c := range []struct {
		name    string
		content string
		want    Format
	}{
		{"", broken + cdx + cdx, CDX},
		{"", cdx + cdx + broken, CDX},
		{"", broken + cdx, None},
		{"a.cdx", broken + cdx, CDX},
		{"A.CDX.gz", broken, CDX},
		{"a.txt", broken, None},
		{"a.cdx", "k 20240501120000\x00 x\n" + cdx + cdx, CDX},
		{"a.cdx", "no row at all\n", None},
		{"a.cdx", chemistry, None},
		{"a.cdx", "", None},
		{"a.cdx", " CDX N b\n", CDX}, // Open names what the header lacks
		{"", cut + cdxj + cdxj, CDXJ},
		{"a.cdxj", cut + cdxj, CDXJ},
		{"a.cdxj.gz", cut, CDXJ},
		{"a.cdxj", "k 20240501120000 ", None},
		{"a.cdx", cdxj, CDXJ},
		{"a.cdxj", "!OpenWayback-CDXJ 1.0\n", CDXJ},
		{"", info + cdxj, CDXJ},
		{"", info, CDXJ},
		{"", "no row\n" + part + part, ZipNum},
		{"cluster.idx", "no\trow\n", ZipNum},
		{"cluster.loc", "a\t/x\nb\n" + "c\td\n", ZipNum},
		{"cluster.txt", "a\t/x\n", None},
	} {
		for form, b := range map[string][]byte{"plain": []byte(c.content), "gzip": gz(c.content)} {
			if f := Sniff(b, c.name); f != c.want {
				t.Errorf("%q named %q, %s: %q, not %q", c.content, c.name, form, f, c.want)
			}
		}
	}
}

// TestIsNoFetch: rows of request, metadata and warcinfo records are no fetches, by their media type. Only
// cdxj-indexer leaves that out of rows of requests.
func TestIsNoFetch(t *testing.T) {
	placed := func(r *Row) { r.URL, r.Digest, r.Offset, r.Filename = "http://h/", "sha1:X", 0, "a.warc.gz" }
	for _, c := range []struct {
		format Format
		row    Row
		want   bool
	}{
		{CDX, row(func(r *Row) { r.MIME = "application/warc-fields" }), true},
		{CCIndex, row(func(r *Row) { r.MIME = "text/anvl" }), true},
		{CDX, row(func(r *Row) { r.MIME = "warc/request" }), true},
		{CDX, row(func(r *Row) { r.MIME = "WARC/metadata" }), true},
		{CDX, row(func(r *Row) { r.MIME = "warc/revisit" }), false},
		{CDX, row(func(r *Row) { r.MIME, r.Status = "warc/request", 200 }), false}, // the server's word
		{CDX, row(func(r *Row) { r.MIME = "application/http; msgtype=request" }), true},
		{CDX, row(func(r *Row) { r.MIME = "application/http;msgtype=response" }), false},
		{CDX, row(func(r *Row) { r.MIME = "text/x-ftp-control-conversation" }), true},
		{CDX, row(func(r *Row) { r.MIME, r.Status = "application/warc-fields", 200 }), false},
		{CDX, row(func(r *Row) { r.MIME = "text/html"; placed(r) }), false},
		{CDXJ, row(placed), true},
		{CDX, row(placed), true},
		{CDX, row(func(r *Row) { placed(r); r.Offset = -1 }), false},
		{CDX, row(func(r *Row) { placed(r); r.Filename = "" }), false},
		{CDXJ, row(func(r *Row) { placed(r); r.Digest = "" }), false}, // of another program
		{CDX, row(func(r *Row) { r.URL, r.Offset, r.Filename = "", 0, "a.warc.gz" }), false},
		{CDXServer, row(placed), false},
		{URLList, row(func(*Row) {}), false},
	} {
		if got := c.row.IsNoFetch(c.format); got != c.want {
			t.Errorf("%v %+v: %t", c.format, c.row, got)
		}
	}
}

// TestMembersWithoutLineEnd: members of a ZipNum cluster may end without a line end. Members that
// divide lines are joined, as gzip requires.
func TestMembersWithoutLineEnd(t *testing.T) {
	cdx := func(n int) string {
		return fmt.Sprintf("com,a)/%d 20240501120100 http://a.example/%[1]d text/html 200 AAAA - - 10 %[1]d t.warc.gz",
			n)
	}
	cdxj := func(n int) string {
		return fmt.Sprintf(`com,a)/%d 20240501120100 {"url": "http://a.example/%[1]d", "filename": "t.warc.gz"}`, n)
	}
	long := cdx(3) + "\n" + strings.Repeat(cdx(4)+"\n", heldMember/len(cdx(4))+9)
	const header = " CDX N b a m s k r M S V g\n"
	for _, c := range []struct {
		name    string
		format  Format
		members []string
		rows    int
		faults  int
	}{
		{"CDX", CDX, []string{header, cdx(0) + "\n" + cdx(1), cdx(2) + "\n" + cdx(3), cdx(4)}, 5, 0},
		{"CDX, a faulty row", CDX, []string{header, cdx(0) + " x", cdx(2), cdx(3)}, 2, 1},
		{"CDXJ", CDXJ, []string{cdxj(0), cdxj(1), cdxj(2) + "\n", cdxj(3)}, 4, 0},
		{"long members", CDX, []string{header, cdx(0), long, cdx(5)}, strings.Count(long, "\n") + 2, 0},
		{"divided lines", CDX, []string{
			header, cdx(0)[:5], cdx(0)[5:30], cdx(0)[30:] + "\n" + cdx(1)[:40],
			cdx(1)[40:],
		}, 2, 0},
		{"divided in the name", CDX, []string{header, cdx(0)[:len(cdx(0))-3], "rc.gz\n", cdx(1)}, 2, 0},
		{"divided JSON", CDXJ, []string{cdxj(0)[:40], cdxj(0)[40:] + "\n", cdxj(1)}, 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			content := gz(c.members...)
			if f := Sniff(content[:min(len(content), sniffBytes)], ""); f != c.format && c.faults == 0 {
				t.Errorf("Sniff says %q", f)
			}
			for _, in := range []io.Reader{bytes.NewReader(content), notSeekable{bytes.NewReader(content)}} {
				r, err := Open(c.format, in, int64(len(content)), FormatOptions{})
				if err != nil {
					t.Fatal(err)
				}
				rows, faults := 0, 0
				for _, line := range linesOf(t, r) {
					if rows++; line < 0 {
						rows, faults = rows-1, faults+1
					}
				}
				if rows != c.rows || faults != c.faults {
					t.Errorf("%d rows and %d faults, not %d and %d", rows, faults, c.rows, c.faults)
				}
			}
		})
	}
}

// TestMembersInLinearTime: a line of very many members, all of them possible beginnings of rows, is
// examined once.
func TestMembersInLinearTime(t *testing.T) {
	content := gz(strings.Repeat("x", maxRow))
	content = append(content, bytes.Repeat(gz("k 20240501120100 http://h/ a b c d"), 200_000)...)
	r, err := Open(CDX, bytes.NewReader(content), int64(len(content)), FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	linesOf(t, r)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestFaults: a row that cannot be read is reported, and the others are read.
func TestFaults(t *testing.T) {
	long := strings.Repeat("x", maxRow)
	const good = "20240501120000"
	for _, c := range []struct {
		name    string
		format  Format
		content string
		urls    string
		faults  []string
	}{
		{
			"CDX", CDX, " CDX N b a m s k r V g\nk " + good +
				" http://1/ - - - - 1 f\nk x y\nk day http://h/ - - - - 1 f\nk - http://h/ - - - - 1 f\nk " + good +
				" - - - - - 1 f\nk " + good + " http://h/ - - - - x f\n" + long + " y\nk " + good +
				" http://2/ - - - - - -",
			"http://1/ http://2/",
			[]string{
				"3: it has 3 fields", "4: the date is no number", "5: it has no time", "6: it has no URL",
				"7: the offset is no number", "8: it is longer than",
			},
		},
		{
			"header", CDX, " CDX N b m\nk " + good + " x\n CDX b a\n" + good + " http://1/\n", "http://1/",
			[]string{"1: the header"},
		},
		{
			"CDXJ", CDXJ, "k " + good + ` {"url": "http://1/"}` + "\nk " + good + ` {"url": "http://h/"` + "\nk " +
				good + ` {"url": x}` + "\nk " + good + ` {"url": ["http://h/"]}` + "\nk " + good +
				` {"url": "http://h/"} x` + "\nk " + good + ` {"url": "\udc00"}` + "\nk {}\nk " + good + ` {"a": ` +
				strings.Repeat(`[`, maxRow) + "\nk " + good + ` {"a": ` + strings.Repeat(`[`, maxRow/2) +
				strings.Repeat(`]`, maxRow/4) + "}\nk " + good + ` {"url": "http://2/"}`,
			"http://1/ http://2/",
			[]string{
				"2: its JSON", "3: its JSON", "4: a value", "5: its JSON", "6: its JSON", "7: it is no line",
				"8: it is longer", "9: its JSON",
			},
		},
		{
			"server", CDXServer, `[["timestamp", "url"], ["` + good + `", "http://1/"], ["a"], ["` + long +
				`", "x"], 1, "[", [[]], {"timestamp": 1, "url": "http://h/"}, ["` + good + `", "http://2/"], ["cut`,
			"http://1/ http://2/",
			[]string{"3: it has 1 values", "4: it is longer", "5: a value", "6: its time", "8: the file ends"},
		},
		{
			"CSV", URLList, "url,time\nhttp://1/," + good + "\na\nb,1714564800\n\"b\"x," + good +
				"\n\nhttp://2/,2024-05-01T12:00:00Z\n\"c\nd," + good + "\n",
			"http://1/ http://2/",
			[]string{"3: it has 1 values", "4: its time", "5: it is no CSV", "8: a quote opens"},
		},
		{
			"JSON lines", URLList, `{"url": "http://1/", "time": "` + good + `"}` + "\n" +
				`{"url": "http://h/", "time": 1714564800}` + "\n[]\n" + `{"url": "http://2/", "time": "` + good +
				`"}` + "\n",
			"http://1/ http://2/",
			[]string{"2: its time", "3: it is no JSON"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, faults := read(t, c.format, []byte(c.content), FormatOptions{})
			var urls []string
			for _, r := range rows {
				urls = append(urls, r.URL)
			}
			if got := strings.Join(urls, " "); got != c.urls {
				t.Errorf("rows %q", got)
			}
			for i, f := range faults {
				got := fmt.Sprintf("%d: %s", f.Line, f.Detail)
				if i >= len(c.faults) || !strings.HasPrefix(got, c.faults[i]) {
					t.Errorf("fault %.100q", got)
				}
			}
			if len(faults) < len(c.faults) {
				t.Errorf("missing faults %q", c.faults[len(faults):])
			}
		})
	}
}

// notSeekable hides that a reader can be read twice.
type notSeekable struct{ io.Reader }

// TestDamagedGzip: rows of a damaged member do not count; those before it do, and of a member that
// was cut, those up to the cut.
func TestDamagedGzip(t *testing.T) {
	lines := func(from, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "k 20240501120000 {\"url\": \"http://h/%d\", \"digest\": \"%x\"}\n", from+i,
				(from+i)*(from+i)*7919)
		}
		return b.String()
	}
	const few = 100
	const many = 50_000 // more than is held
	small, large := gz(lines(0, few)), gz(lines(few, many))
	flip := func(b []byte) []byte {
		b = bytes.Clone(b)
		b[len(b)-6] ^= 1 // the checksum
		return b
	}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for _, c := range []struct {
		name       string
		content    []byte
		rows, fall int // without a Seeker
		faults     int
	}{
		{"whole", join(small, large, small), many + 2*few, many + 2*few, 0},
		{"small damaged", join(large, flip(small), small), many, many, 1},
		{"large damaged", join(small, flip(large), small), few, many + few, 1},
		{"rubbish", join(small, []byte("rubbish")), few, few, 1},
	} {
		rows, faults := read(t, CDXJ, c.content, FormatOptions{})
		if len(rows) != c.rows || len(faults) != c.faults {
			t.Errorf("%s: %d rows, faults %v", c.name, len(rows), faults)
		}
		r, err := Open(CDXJ, notSeekable{bytes.NewReader(c.content)}, -1, FormatOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if rows, faults = readAll(t, r); len(rows) != c.fall || len(faults) != c.faults {
			t.Errorf("%s, not seekable: %d rows, faults %v", c.name, len(rows), faults)
		}
	}
	for name, content := range map[string][]byte{"small": small[:len(small)/2], "large": large[:len(large)/2]} {
		rows, faults := read(t, CDXJ, content, FormatOptions{})
		if len(rows) == 0 || len(faults) != 1 || !strings.Contains(faults[0].Detail, "cut short") || !faults[0].Rest {
			t.Errorf("%s, cut: %d rows, faults %v", name, len(rows), faults)
		}
		for i, r := range rows {
			if want := fmt.Sprintf("http://h/%d", i+map[string]int{"large": few}[name]); r.URL != want {
				t.Fatalf("%s, cut: row %d is %s", name, i, r.URL)
			}
		}
	}
}

// TestReadError: an error of reading a file is no fault of its content.
func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	for name, content := range map[string][]byte{
		"plain": []byte("k 20240501120000 {\"url\": \"http://h/\"}\nk"),
		"gzip":  gz("k 20240501120000 {\"url\": \"http://h/\"}\n", "k")[:70],
	} {
		r, err := Open(CDXJ, io.MultiReader(bytes.NewReader(content), failing{broken}), -1, FormatOptions{})
		for range 9 {
			if err == nil || errors.As(err, new(*Fault)) {
				err = r.Next(new(Row))
			}
		}
		if err != broken {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }
