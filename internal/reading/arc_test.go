package reading

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

const arcAgent = `<arcmetadata xmlns:arc="http://archive.org/arc/1.0/"><arc:software>crawler</arc:software>
<arc:http-header-user-agent>bot/1 &amp; more</arc:http-header-user-agent><arc:robots>classic</arc:robots></arcmetadata>`

func TestARCDate(t *testing.T) {
	for in, want := range map[string]string{
		"20240501123456":               "2024-05-01T12:34:56Z 6 exact",
		"202405011234":                 "2024-05-01T12:34:00Z 5 exact",
		"2024050112":                   "2024-05-01T12:00:00Z 4 exact",
		"20240501":                     "2024-05-01T00:00:00Z 3 exact",
		"2000082305410049":             "2000-08-23T05:41:00Z 6",
		"200009180023002953":           "2000-09-18T00:00:00Z 3",
		"2024050112345620240501123456": "2024-05-01T00:00:00Z 3",
		"201512000000000":              "", // the day 0
		"20241301000000":               "",
		"20240501123456jpg":            "",
		"a0d1fdddf3165d04":             "",
		"":                             "",
		"2024-05-01T12:34:56Z":         "",
	} {
		got := ""
		if at, exact, ok := facts.ParseARCDate(in); ok {
			got = fmt.Sprintf("%s %d", at.UTC().Format("2006-01-02T15:04:05Z"), at.Precision)
			if exact {
				got += " exact"
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// An ARC has the same content in every container.
func TestARC(t *testing.T) {
	records := []string{
		warctest.ARCInfo(arcAgent),
		warctest.ARCRecord("http://h/robots.txt", "20240501120000", "HTTP/1.1 200 OK\r\n\r\n"+robotsBody),
		warctest.ARCRecord("dns:h", "20240501120000", "20240501120000\nh. 1 IN A 192.0.2.1\n"),
		warctest.ARCRecord("http://h/", "20240501120001", ok200),
		warctest.ARCRecord("http://h/old", "20240501120002", "<html>of HTTP/0.9</html>\n"),
	}
	var inMembers, inFrames bytes.Buffer
	for _, r := range records {
		inMembers.Write(warctest.Gzip(r))
		inFrames.Write(warctest.ZstdFrame(t, r))
	}
	plain := []byte(strings.Join(records, ""))
	for name, archive := range map[string][]byte{
		"arc": plain, "arc.gz": inMembers.Bytes(), "arc.zst": inFrames.Bytes(),
		"arc in one gzip stream": warctest.Gzip(string(plain)),
		"arc in one zstd frame":  warctest.ZstdFrame(t, string(plain)),
	} {
		for form, got := range map[string]*collected{"file": read(t, archive), "pipe": readPipe(t, archive)} {
			t.Run(name+", "+form, func(t *testing.T) {
				if form == "file" && got.result.Container != name {
					t.Errorf("container %s", got.result.Container)
				}
				equal(t, "issues", got.kinds(), nil)
				equal(t, "records", got.result.Records, map[string]int64{"arcinfo": 1, "arc": 4})
				equal(t, "urls", got.urls(), []string{"http://h/robots.txt", "http://h/", "http://h/old"})
				equal(t, "bodies", got.bodies, []string{robotsBody})
				for _, f := range got.fetches {
					if f.Type != facts.TypeARC || f.RecordID != "" || f.UserAgent != "bot/1 & more" ||
						f.UserAgentSource != facts.SourceWarcinfo ||
						f.Claim != "classic" || f.Precision != facts.PrecisionSecond {
						t.Errorf("%+v", f)
					}
				}
				if got.fetches[1].Status != 200 || got.fetches[2].Status != -1 {
					t.Errorf("statuses %d and %d", got.fetches[1].Status, got.fetches[2].Status)
				}
			})
		}
	}
}

// In a plain ARC nothing but the next header proves a length.
func TestARCLengths(t *testing.T) {
	a, b := warctest.ARCRecord("http://h/1", "20240501120000", ok200), warctest.ARCRecord("http://h/2",
		"20240501120000", ok200)
	wrong := strings.Replace(a, fmt.Sprint(len(ok200)), fmt.Sprint(len(ok200)-3), 1)
	for name, c := range map[string]struct {
		archive []byte
		urls    []string
		issue   string
	}{
		"right": {[]byte(warctest.ARCInfo("") + a + b), []string{"http://h/1", "http://h/2"}, ""},
		"no line end between": {
			[]byte(warctest.ARCInfo("") + strings.TrimSuffix(a, "\n") + b),
			[]string{"http://h/1", "http://h/2"},
			"",
		},
		"negative, plain": {
			[]byte(warctest.ARCInfo("") + strings.Replace(a, fmt.Sprint(len(ok200)), "-1", 1) + b),
			[]string{"http://h/2"},
			"bad_content_length",
		},
		"cut in a header":   {[]byte(warctest.ARCInfo("") + a + b[:12]), []string{"http://h/1"}, "truncated_record"},
		"cut in a scheme":   {[]byte(warctest.ARCInfo("") + a + b[:3]), []string{"http://h/1"}, "truncated_record"},
		"without a version": {[]byte(a + b), []string{"http://h/1", "http://h/2"}, ""},
		"two too long, plain": {
			[]byte(warctest.ARCInfo("") +
				strings.Replace(a, fmt.Sprint(len(ok200)), fmt.Sprint(len(ok200)+2), 1) + b),
			[]string{"http://h/2"},
			"bad_record_end",
		},
		"wrong, plain": {[]byte(warctest.ARCInfo("") + wrong + b), []string{"http://h/2"}, "bad_record_end"},
		"negative, members": {
			bytes.Join([][]byte{
				warctest.Gzip(warctest.ARCInfo("")),
				warctest.Gzip("http://h/0 192.0.2.1 20240501120000 x/y -204\n"), warctest.Gzip(b),
			}, nil),
			[]string{"http://h/2"},
			"bad_content_length",
		},
		"too long, members": {
			bytes.Join([][]byte{
				warctest.Gzip(warctest.ARCInfo("")),
				warctest.Gzip(strings.Replace(a, fmt.Sprint(len(ok200)), "999", 1)), warctest.Gzip(b),
			}, nil),
			[]string{"http://h/1", "http://h/2"},
			"truncated_record",
		},
		"no header, members": {bytes.Join([][]byte{
			warctest.Gzip(warctest.ARCInfo("")), warctest.Gzip("prose\n\n"),
			warctest.Gzip(b),
		}, nil), []string{"http://h/2"}, "bad_record_header"},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, c.archive)
			equal(t, "urls", got.urls(), c.urls)
			if kinds := got.kinds(); c.issue == "" && len(kinds) > 0 || c.issue != "" &&
				(len(kinds) == 0 || kinds[0] != c.issue) {
				t.Errorf("issues %v, want %s", kinds, c.issue)
			}
		})
	}
}

// An answer that an archiving proxy made up is no robots.txt that allows all.
func TestProxyAnswer(t *testing.T) {
	for block, want := range map[string]int16{
		"HTTP 502 Bad Gateway\n\n\n":   502,
		"HTTP is no status line\n\n\n": -1,
		"HTTP 7 ways to say hello\n":   -1,
	} {
		got := read(t, []byte(warctest.ARCInfo("")+warctest.ARCRecord("http://h/robots.txt", "20240501120000", block)))
		if len(got.fetches) != 1 || got.fetches[0].Status != want ||
			(got.fetches[0].Flags&facts.FlagHTTPHead != 0) != (want > 0) {
			t.Errorf("%q: %+v", block, got.fetches)
		}
	}
}

// What the ARCs that others collected for their oddities hold.
func TestHardARCs(t *testing.T) {
	sharedArchives(t)
	for name, want := range map[string]string{
		"10_digit_date":           "https://www.facebook.com/Vanishing-Ireland-110498185666457/ 2016-02-09T00:00:00Z/4 200",
		"14_digit_plus_text_date": "https://scontent-cdg2-1.xx.fbcdn.net/300261_10150266886136400_4821326_n. ? 200",
		"16_digit_date":           "http://www.afp.com:80/home/img/es.gif 2000-08-23T05:41:00Z/6 200",
		"18_digit_date":           "http://mars.spaceports.com:80/~jddp/images/links_off.gif 2000-09-18T00:00:00Z/3 200",
		"alexa_charset_in_header": "http://free.allocine.fr:80/tv/cineaction.asp 2000-08-24T01:51:05Z/6 200",
		"alexa_short_header":      "http://www.killerjo.net:80/robots.txt 2011-08-04T18:11:42Z/6 -1",
		"bad_unicode_host":        "http://www.t%EF%BF%BD%04.82.net/ 2008-05-09T13:09:38Z/6 200",
		"bad_url_with_colon_2": "http://mhtml:d.hatena.ne.jp/images/top/greenpower_logo.gif " +
			"2007-11-21T16:48:20Z/6 200",
		"carriage_return_in_url":              "http://cheapchicks.org/cgi-\rbin/count/slcnt.cgi?c=3 2007-02-16T13:41:17Z/6 200",
		"empty_payload_header_ending_with_lf": "http://210.179.120.1/test 2003-08-01T00:45:48Z/6 200",
		"empty_record":                        "http://service.bfast.com/bfast/serve?bfmid=1821322&siteid=18015626&bfpage=page_d_accueil 2012-03-12T16:36:04Z/6 410",
		"hex_instead_of_date":                 "http://www.cbt.ki.se:80/wwwCNT/Staff/bergman.jan/ ? 200",
		"meta_tag_I":                          "http://co.butler.pa.us/robots.txt 2012-03-12T16:21:56Z/6 403",
		"non_ascii_url":                       "http://arevebebe.free.fr/php3/selcateg.php3",
		"transposed_header":                   "http://play.mp3.com/cgi-bin/play/play.cgi/",
	} {
		got := readFile(t, filepath.Join("..", "..", "..", "shared", "warc", "hard", "cdx-writer", name+".arc.gz"))
		if len(got.fetches) != 1 {
			t.Errorf("%s: %d fetches", name, len(got.fetches))
			continue
		}
		f := got.fetches[0]
		at := "?"
		if f.Precision != facts.PrecisionNone {
			at = fmt.Sprintf("%s/%d", f.Time().UTC().Format("2006-01-02T15:04:05Z"), f.Precision)
		}
		if text := fmt.Sprintf("%s %s %d", f.URL, at, f.Status); !strings.HasPrefix(text, want) {
			t.Errorf("%s: %s, want %s", name, text, want)
		}
	}
}

// TestOldARCs: version blocks that no crawler of today writes, records about the
// crawl, and lines that end in CR CR LF.
func TestOldARCs(t *testing.T) {
	const version = "1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n"
	begin := func(line, block string) string { return fmt.Sprintf("%s %d\n%s", line, len(block), block) }
	about := warctest.ARCRecord("metadata://crawl.example/order.xml", "20240501120000", "<xml/>")
	dns := warctest.ARCRecord("dns:h", "20240501120000", "20240501120000\nh. 1 IN A 192.0.2.1\n")
	page := warctest.ARCRecord("http://h/1", "20240501120000", "HTTP/1.1 200 OK\r\n\r\npage") +
		warctest.ARCRecord("http://h/2", "20240501120000", ok200)
	for name, archive := range map[string]string{
		"of the specification": begin("filedesc://IA-001102.arc 0 19960923142103 text/plain", version) + "\n" + page,
		"of dashes":            begin("filedesc:// - - -", version) + "\n" + page,
		"unknown text": begin("filedesc://a.arc 0.0.0.0 20240501120000 text/plain",
			"written by hand\n<!-- ") + "\n" + page,
		"no separator, metadata": begin("filedesc://a.arc 0.0.0.0 20240501120000 text/plain", version) + about + dns +
			page,
		"no separator, dns": begin("filedesc://a.arc 0.0.0.0 20240501120000 text/plain", version) + dns + about +
			page,
		"CR CR LF": strings.ReplaceAll(begin("filedesc://a.arc 0.0.0.0 20240501120000 text/plain",
			"1 0 x\n")+"\n"+page, "\nHTTP", "\r\r\nHTTP"),
		"CR CR LF, version block": strings.Replace(begin("filedesc://a.arc 0.0.0.0 20240501120000 text/plain",
			"1 0 x\n")+"\n"+page, "\n", "\r\r\n", 1),
	} {
		for form, got := range map[string]*collected{
			"file": read(t, []byte(archive)),
			"gzip": read(t, warctest.Gzip(archive)), "pipe": readPipe(t, []byte(archive)),
		} {
			equal(t, name+", "+form, got.urls(), []string{"http://h/1", "http://h/2"})
			equal(t, name+", "+form+": issues", got.kinds(), nil)
		}
	}
}
