package ingest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// TestClusterNames: the files of a ZipNum cluster lie next to its .idx, or where its .loc gives, below
// that; a folder is none of them.
func TestClusterNames(t *testing.T) {
	files := map[string]string{
		"named/cdx-0.gz":       "x",
		"named/below/cdx-1.gz": "x",
		"named/folder/x.warc":  "x",
		"secret/a.warc.gz":     "x",
		"named/up.idx":         summary("cdx-0.gz", "../secret", "..", ".", "/", "folder", "../secret/a.warc.gz"),
		"named/alias.idx":      summary("one", "two", "three", "four", "gone"),
		"named/alias.loc": "one\tcdx-0.gz\n" + "two\t./below/cdx-1.gz\tcdx-0.gz\n" +
			"three\tgone.gz\t/moved/cluster/cdx-0.gz\n" +
			"four\t../secret/a.warc.gz\n" + "gone\n",
		"named/other.loc":   "a\t../secret/a.warc.gz\ts3://secret/a.warc.gz\nb\ts3://moved/cdx-0.gz\nc\tfolder\n",
		"wacz/index.idx":    "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}\ncom,example)/ 20201007212236 {\"offset\": 0, \"length\": 194}\n",
		"wacz/index.cdx.gz": "x",
	}
	for name, c := range map[string]expansion{
		"up": {[]string{"named/up.idx"}, map[string]string{"named/cdx-0.gz": "cdx-0.gz"}, []string{
			`named/up.idx: line 2 names "../secret" as a file of the cluster, and that is no plain file name`,
			`named/up.idx: line 3 names ".."`, `named/up.idx: line 4 names "."`, `named/up.idx: line 5 names "/"`,
			"named/folder: cannot be read (is no regular file), though line 6 of named/up.idx names it",
			`named/up.idx: line 7 names "../secret/a.warc.gz"`,
		}},
		"aliases": {
			[]string{"named/alias.idx"},
			map[string]string{"named/cdx-0.gz": "cdx-0.gz", "named/below/cdx-1.gz": "below/cdx-1.gz"},
			[]string{
				"named/a.warc.gz: is not there, though line 4 of named/alias.idx",
				"named/gone: is not there, though line 5 of named/alias.idx",
			},
		},
		"places": {[]string{"named/other.loc"}, map[string]string{"named/cdx-0.gz": "cdx-0.gz"}, []string{
			"named/a.warc.gz: is not there, though line 1 of named/other.loc", "named/folder: cannot be read",
		}},
		"folder":          {[]string{"wacz"}, map[string]string{"wacz/index.cdx.gz": "index.cdx.gz"}, nil},
		"compressed CDXJ": {[]string{"wacz/index.idx"}, map[string]string{"wacz/index.cdx.gz": "index.cdx.gz"}, nil},
	} {
		t.Run(name, func(t *testing.T) { c.check(t, files) })
	}
}

// TestNamedIndexesInFolders: a file that is named like an index is never left out of a folder in silence.
func TestNamedIndexesInFolders(t *testing.T) {
	expansion{[]string{"all"}, map[string]string{
		"all/bad.cdx": "bad.cdx", "all/bad.CDXJ.gz": "bad.CDXJ.gz", "all/deep/a.parquet": "deep/a.parquet",
		"all/no.idx": "no.idx", "all/deep/cdx-0.gz": "deep/cdx-0.gz",
		"all/x.idx.gz": "x.idx.gz",
	}, []string{"all/deep/cdx-1.gz: is not there, though line 2 of all/deep/cluster.idx"}}.check(t, map[string]string{
		"all/bad.cdx": "x", "all/bad.CDXJ.gz": "x", "all/deep/a.parquet": "x", "all/no.idx": "x", "all/x.idx.gz": "x",
		"all/notes.txt": "x", "all/cdx.txt": "x",
		"all/deep/cluster.idx": summary("cdx-0.gz", "cdx-1.gz"), "all/deep/cdx-0.gz": "x",
		"all/out/.robotsaudit/lock": "", "all/out/fetches.parquet": "x", // tables of an audit
	})
}

// TestListsOnServers: a list on a server names files of its own host, or below the base, unless the user
// trusts it.
func TestListsOnServers(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was asked of another server", r.URL)
	}))
	defer other.Close()
	secret := path.Join(tree(t, map[string]string{"secret.warc": "x", "base/a.warc": "x", "base/folder/b.warc": "x"}),
		"secret.warc")
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		switch r.URL.Path {
		case "/lists/list":
			fmt.Fprintf(w, "# a list\na.warc\n%s/b.warc\n../secret.warc\n%s\n%s/c.warc\ns3://bucket/d.warc\nfile://%s\nfolder\n", server.URL, secret, other.URL, secret)
		case "/a.warc", "/b.warc", "/crawl/a.warc":
			fmt.Fprint(w, "WARC/1.0\r\n")
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	list := "@" + server.URL + "/lists/list"
	refused := []string{
		"../secret.warc: leads out of the place that names are meant from, and line 4 of " + list[1:],
		secret + ": leads out", other.URL + "/c.warc: leads out", "s3://bucket/d.warc: leads out",
		"file://" + secret + ": leads out",
	}
	for name, c := range map[string]struct {
		opt      ExpandOptions
		inputs   []string
		failures []string
	}{
		"its own host": {
			ExpandOptions{},
			[]string{server.URL + "/a.warc", server.URL + "/b.warc"},
			append(slices.Clone(refused), server.URL+"/folder: there is no such object"),
		},
		"a base on the server": {
			ExpandOptions{Base: server.URL + "/crawl"},
			[]string{server.URL + "/b.warc", server.URL + "/crawl/a.warc"},
			append(slices.Clone(refused), server.URL+"/crawl/folder: there is no such object"),
		},
		"a folder as the base": {
			ExpandOptions{Base: "base"},
			[]string{path.Join(path.Dir(secret), "base/a.warc"), server.URL + "/b.warc"},
			append(slices.Clone(refused), "folder: is a folder, and line 9 of"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			inputs, failures := Expand(t.Context(), []string{list}, c.opt)
			var got []string
			for _, in := range inputs {
				got = append(got, in.Path)
				if in.Confined != strings.HasPrefix(in.Path, "http") {
					t.Errorf("%+v", in)
				}
			}
			equal(t, "inputs", got, c.inputs)
			for _, want := range c.failures {
				if !slices.ContainsFunc(failures,
					func(f *InputError) bool { return strings.HasPrefix(f.Error(), want) }) {
					t.Errorf("no failure %q", want)
				}
			}
			if len(failures) != len(c.failures) {
				t.Errorf("failures %q", failures)
			}
		})
	}
	t.Run("trusted", func(t *testing.T) {
		x := expander{trustLists: true}
		if s := x.scopeOf(list[1:]); s != nil {
			t.Errorf("%+v", s)
		}
		inputs, _ := Expand(t.Context(), []string{"@" + server.URL + "/trusted"}, ExpandOptions{TrustLists: true})
		if slices.ContainsFunc(inputs, func(in facts.Input) bool { return in.Confined }) {
			t.Errorf("%+v", inputs)
		}
	})
}
