package reading

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/wacz"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// crawlWACZ is the WACZ of a crawl of a host, with a list of its pages.
func crawlWACZ(t testing.TB, host string) []byte {
	records := []warctest.Record{
		warctest.Warcinfo("urn:i", "software: Browsertrix-Crawler 1.5\r\n"),
		warctest.Response("urn:r-"+host, "https://"+host+"/robots.txt",
			"HTTP/1.1 302 Found\r\nLocation: /r.txt\r\n\r\n"),
		warctest.Response("urn:t-"+host, "https://"+host+"/r.txt", "HTTP/1.1 200 OK\r\n\r\n"+robotsBody),
		warctest.Response("urn:p-"+host, "https://"+host+"/", ok200),
		warctest.Response("urn:e-"+host, "https://"+host+"/style.css", ok200),
	}
	return warctest.Zip(t,
		warctest.StoredEntry("archive/rec-0.warc.gz", warctest.GzipMembers(records...)),
		warctest.StoredEntry("indexes/index.cdx", []byte("com,example)/ 20240501120000 {}\n")),
		warctest.DeflatedEntry("pages/pages.jsonl",
			[]byte("{\"format\": \"json-pages-1.0\"}\n{\"url\": \"https://"+host+"/\", \"seed\": true}\n")),
		warctest.StoredEntry("datapackage.json", []byte(`{"profile": "data-package"}`)),
	)
}

// multiWACZ is a WACZ of several, as Browsertrix writes it.
func multiWACZ(t testing.TB, form warctest.ZipForm, more ...warctest.ZipEntry) []byte {
	entries := []warctest.ZipEntry{
		warctest.StoredEntry("crawl-a.wacz", crawlWACZ(t, "a.example")),
		warctest.StoredEntry("crawl-b.wacz", crawlWACZ(t, "b.example")),
		warctest.StoredEntry("datapackage.json", []byte(`{"profile": "multi-wacz-package", "resources": []}`)),
	}
	return form.File(t, append(entries, more...)...)
}

// A WACZ of several is read as these are, each by itself.
func TestMultiWACZ(t *testing.T) {
	for name, form := range map[string]warctest.ZipForm{
		"sizes before": {}, "sizes behind": {Described: true},
		"64 bits": {Wide: true}, "64 bits, sizes behind": {Described: true, Wide: true},
	} {
		archive := multiWACZ(t, form)
		for how, got := range map[string]*collected{"file": read(t, archive), "pipe": readPipe(t, archive)} {
			equal(t, name+", "+how+": issues", got.kinds(), nil)
			var i int
			for _, host := range []string{"a.example", "b.example"} {
				alone := read(t, crawlWACZ(t, host))
				for _, want := range alone.fetches {
					want.Entry = "crawl-" + host[:1] + ".wacz/" + want.Entry
					if i >= len(got.fetches) || fmt.Sprintf("%+v", got.fetches[i]) != fmt.Sprintf("%+v", want) {
						t.Fatalf("%s, %s: fetch %d is not %+v", name, how, i, want)
					}
					if page := strings.HasSuffix(want.URL, ".example/"); want.Flags&facts.FlagPagesListed == 0 ||
						want.Flags&facts.FlagPage != 0 != page {
						t.Errorf("%s: flags %b", want.URL, want.Flags)
					}
					i++
				}
			}
			equal(t, name+", "+how+": fetches", len(got.fetches), i)
		}
	}
}

// Entries that are not there are not found.
func TestMultiWACZFind(t *testing.T) {
	archive := multiWACZ(t, warctest.ZipForm{})
	for _, name := range []string{
		"crawl-a.wacz/archive/none.warc.gz", "crawl-c.wacz/archive/rec-0.warc.gz",
		"datapackage.json/x", "crawl-a.wacz/",
	} {
		if e, err := wacz.Find(bytes.NewReader(archive), int64(len(archive)), name); e != nil || err != nil {
			t.Errorf("%s: %v, %v", name, e, err)
		}
	}
}

// What is nested in another way is not read, and an issue reports it: all else is.
func TestMultiWACZHostile(t *testing.T) {
	crawl := crawlWACZ(t, "c.example")
	twice := warctest.Zip(t, warctest.StoredEntry("crawl.wacz", crawl),
		warctest.StoredEntry("archive/rec.warc.gz",
			warctest.GzipMembers(warctest.Response("urn:x", "http://x/", ok200))))
	self := crawl
	for range 4 {
		self = warctest.Zip(t, warctest.StoredEntry("crawl-a.wacz", self))
	}
	var empty []warctest.ZipEntry
	for i := range 2000 {
		empty = append(empty, warctest.StoredEntry(fmt.Sprintf("%d.wacz", i), warctest.Zip(t)))
	}
	for name, c := range map[string]struct {
		more   []warctest.ZipEntry
		urls   []string // besides the URLs of the others
		issues []string
	}{
		"deflated": {
			[]warctest.ZipEntry{warctest.DeflatedEntry("c.wacz", crawl)},
			nil,
			[]string{"unsupported_container"},
		},
		"two levels": {
			[]warctest.ZipEntry{warctest.StoredEntry("c.wacz", twice)},
			[]string{"http://x/"},
			[]string{"unsupported_container"},
		},
		"in itself": {
			[]warctest.ZipEntry{warctest.StoredEntry("c.wacz", self)},
			nil,
			[]string{"not_an_archive", "unsupported_container"},
		},
		"without an archive": {[]warctest.ZipEntry{warctest.StoredEntry("c.zip",
			warctest.Zip(t, warctest.StoredEntry("x", []byte("x"))))}, nil, []string{"not_an_archive"}},
		"named as an entry": {
			[]warctest.ZipEntry{
				warctest.StoredEntry("c.wacz", crawl),
				warctest.StoredEntry("c.wacz/archive/rec-0.warc.gz",
					warctest.GzipMembers(warctest.Response("urn:x", "http://x/", ok200))),
			},
			[]string{"http://x/"},
			[]string{"bad_entry"},
		},
		"a name between": {[]warctest.ZipEntry{
			warctest.StoredEntry("c.wacz", crawl),
			warctest.StoredEntry("c.wacz!", nil), warctest.StoredEntry("c.wacz/x", nil),
		}, nil, []string{"bad_entry"}},
		"no zip file": {
			[]warctest.ZipEntry{warctest.StoredEntry("c.wacz", []byte("PK\x03\x04 and nothing"))},
			nil,
			[]string{"bad_entry"},
		},
		"cut": {
			[]warctest.ZipEntry{warctest.StoredEntry("c.wacz", crawl[:len(crawl)-40])},
			read(t, crawl).urls(),
			[]string{"damaged_stream"},
		},
		"cut in its archive": {
			[]warctest.ZipEntry{warctest.StoredEntry("c.wacz", crawl[:200])},
			nil,
			[]string{"bad_entry", "damaged_stream", "truncated_record"},
		},
		"many that are empty": {empty, nil, slices.Repeat([]string{"not_an_archive"}, len(empty))},
		"a long name": {
			[]warctest.ZipEntry{warctest.StoredEntry(strings.Repeat("c", 1010), crawl)},
			nil,
			[]string{"bad_entry", "bad_entry", "bad_entry", "bad_entry", "not_an_archive"},
		},
		"a directory that leaves out an entry": {
			[]warctest.ZipEntry{warctest.StoredEntry("c.wacz", append(bytes.Clone(crawl), crawl...))},
			read(t, crawl).urls(),
			[]string{"damaged_stream"},
		},
	} {
		archive := multiWACZ(t, warctest.ZipForm{}, c.more...)
		got := read(t, archive)
		urls := append(read(t, multiWACZ(t, warctest.ZipForm{})).urls(), c.urls...)
		equal(t, name+": urls", sorted(got.urls()), sorted(urls))
		equal(t, name+": issues", sorted(got.kinds()), sorted(c.issues))
		for _, i := range got.issues {
			if !strings.HasPrefix(i.Entry, c.more[0].Name[:1]) && name != "many that are empty" {
				t.Errorf("%s: an issue of %q: %+v", name, i.Entry, i)
			}
		}
	}
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

// A byte that is altered in a nested WACZ costs what it costs in one that is a file.
func TestMultiWACZDamage(t *testing.T) {
	whole := multiWACZ(t, warctest.ZipForm{})
	all := read(t, whole).urls()
	for at := 0; at < len(whole); at += 37 {
		archive := bytes.Clone(whole)
		archive[at] ^= 0x20
		got := read(t, archive)
		if len(got.kinds()) == 0 && !slices.Equal(got.urls(), all) {
			t.Errorf("byte %d: %d of %d fetches, and no issue", at, len(got.fetches), len(all))
		}
	}
}
