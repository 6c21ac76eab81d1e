package ingest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestNamedIndexesInFolders: a file that is named like an index is never left out of a folder in silence. The
// summary of a ZipNum cluster is none.
func TestNamedIndexesInFolders(t *testing.T) {
	expansion{[]string{"all"}, map[string]string{
		"all/bad.cdx": "bad.cdx", "all/bad.CDXJ.gz": "bad.CDXJ.gz", "all/deep/a.parquet": "deep/a.parquet",
		"all/deep/cdx-0.gz": "deep/cdx-0.gz",
	}, nil}.check(t, map[string]string{
		"all/bad.cdx": "x", "all/bad.CDXJ.gz": "x", "all/deep/a.parquet": "x",
		"all/notes.txt": "x", "all/cdx.txt": "x",
		"all/deep/cluster.idx": summary("cdx-0.gz", "cdx-1.gz"), "all/deep/cdx-0.gz": "x",
		"all/out/.robotsaudit/lock": "", "all/out/fetches.parquet": "x", // tables of an audit
	})
}

// TestListsOnServers: a list on a server names files of its own host, or below the base.
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
}
