package ingest

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// tree makes a folder of files and changes into it. Names that end in / are
// folders, content "-> x" a symbolic link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		folder := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			folder = path
		}
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		var err error
		if to, ok := strings.CutPrefix(content, "-> "); ok {
			if runtime.GOOS == "windows" {
				t.Skip("on Windows, few may make symbolic links")
			}
			err = os.Symlink(to, path)
		} else if folder != path {
			err = os.WriteFile(path, []byte(content), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return filepath.ToSlash(dir)
}

func TestExpand(t *testing.T) {
	const warc = "WARC/1.0\r\n"
	files := map[string]string{
		"a.warc.gz":                          "x", // by name
		"b.WARC":                             "x",
		"crawl/c.warc.gz.bz2":                warc, // by content
		"crawl/deep/d.arc":                   "x",
		"crawl/deep/notes.txt":               "nothing",
		"crawl/deep/empty":                   "",
		"crawl/deep/unnamed":                 warc,
		"crawl/out/fetches.warc":             "x", // next to the facts of an audit
		"crawl/out/.robotsaudit/bodies.warc": "x",
		"other/deep/d.arc":                   "x",
		"empty/":                             "",
		"nothing/n.txt":                      "n",
		"list":                               "# archives\n\na.warc.gz\r\n  crawl/deep\nmissing.warc\n",
		"emptylist":                          "# none\n",
		"markedlist":                         "\ufeffa.warc.gz\r\ncrawl/deep/d.arc\r\n",
		"widelist":                           wide("a.warc.gz\r\ncrawl/deep/d.arc\r\n"),
		"cc.paths.gz":                        string(warctest.Gzip("b.WARC\ncrawl/c.warc.gz.bz2\n")),
		"bad.paths.gz":                       "no gzip",
		"[x].warc":                           warc,
		"zipnum/cdx-00000.gz":                "x",
		"zipnum/cluster.idx":                 summary("cdx-00000.gz", "cdx-00001.gz"),
	}
	for name, c := range map[string]expansion{
		"files": {
			[]string{"a.warc.gz", "crawl/deep/d.arc"},
			map[string]string{"a.warc.gz": "a.warc.gz", "crawl/deep/d.arc": "d.arc"},
			nil,
		},
		// the reader reports it
		"no archive": {[]string{"crawl/deep/notes.txt"}, map[string]string{"crawl/deep/notes.txt": "notes.txt"}, nil},
		"twice":      {[]string{"a.warc.gz", "./a.warc.gz"}, map[string]string{"a.warc.gz": "a.warc.gz"}, nil},
		"folder": {[]string{"crawl"}, map[string]string{
			"crawl/c.warc.gz.bz2": "c.warc.gz.bz2", "crawl/deep/d.arc": "deep/d.arc",
			"crawl/deep/unnamed": "deep/unnamed", "crawl/out/fetches.warc": "out/fetches.warc",
		}, nil},
		"same names": {
			[]string{"crawl/deep/d.arc", "other"},
			map[string]string{"crawl/deep/d.arc": "d.arc", "other/deep/d.arc": "deep/d.arc"},
			nil,
		},
		"colliding names": {
			[]string{"crawl/deep/d.arc", "other/deep/d.arc"},
			map[string]string{"crawl/deep/d.arc": "/crawl/deep/d.arc", "other/deep/d.arc": "/other/deep/d.arc"},
			nil,
		},
		"glob": {
			[]string{"*.warc*"},
			map[string]string{"a.warc.gz": "a.warc.gz", "[x].warc": "[x].warc"},
			nil,
		},
		"glob of nothing": {[]string{"*.zip"}, nil, []string{"*.zip: matches no file"}},
		"no glob":         {[]string{"["}, nil, []string{"[: is no pattern"}},
		"named like one":  {[]string{"[x].warc"}, map[string]string{"[x].warc": "[x].warc"}, nil},
		"list": {
			[]string{"@list"},
			map[string]string{"a.warc.gz": "a.warc.gz", "crawl/deep/d.arc": "d.arc", "crawl/deep/unnamed": "unnamed"},
			[]string{"missing.warc: cannot be read (" + syscall.ENOENT.Error() + "), though line 5 of list names it"},
		},
		"marked list": {
			[]string{"@markedlist"},
			map[string]string{"a.warc.gz": "a.warc.gz", "crawl/deep/d.arc": "crawl/deep/d.arc"},
			nil,
		},
		"wide list": {
			[]string{"@widelist"},
			map[string]string{"a.warc.gz": "a.warc.gz", "crawl/deep/d.arc": "crawl/deep/d.arc"},
			nil,
		},
		"paths": {
			[]string{"cc.paths.gz"},
			map[string]string{"b.WARC": "b.WARC", "crawl/c.warc.gz.bz2": "crawl/c.warc.gz.bz2"},
			nil,
		},
		"bad paths":    {[]string{"bad.paths.gz"}, nil, []string{"bad.paths.gz: the list cannot be read"}},
		"missing list": {[]string{"@nolist"}, nil, []string{"nolist: the list cannot be read"}},
		"empty list":   {[]string{"@emptylist"}, nil, []string{"emptylist: the list names no archive"}},
		"missing, present": {
			[]string{"no.warc", "a.warc.gz"},
			map[string]string{"a.warc.gz": "a.warc.gz"},
			[]string{"no.warc: no such file or folder"},
		},
		"empty folder": {[]string{"empty"}, nil, []string{"empty: the folder holds no archives"}},
		"no archives":  {[]string{"nothing"}, nil, []string{"nothing: the folder holds no archives"}},
		"cluster":      {[]string{"zipnum"}, map[string]string{"zipnum/cdx-00000.gz": "cdx-00000.gz"}, nil},
		// the reader refuses it
		"summary":        {[]string{"zipnum/cluster.idx"}, map[string]string{"zipnum/cluster.idx": "cluster.idx"}, nil},
		"standard input": {[]string{"-", "-"}, map[string]string{"-": "-"}, nil},
	} {
		t.Run(name, func(t *testing.T) { c.check(t, files) })
	}
}

// Links to files and links that lead nowhere, one of them with the name of a glob.
func TestExpandLinks(t *testing.T) {
	files := map[string]string{
		"a.warc": "x", "link.warc": "-> a.warc", "dangling.warc": "-> nowhere",
		"odd/x*y.warc": "-> nowhere",
	}
	for name, c := range map[string]expansion{
		"twice": {[]string{"a.warc", "link.warc"}, map[string]string{"a.warc": "a.warc"}, nil},
		"glob":  {[]string{"*.warc"}, map[string]string{"a.warc": "a.warc"}, []string{"dangling.warc: no such file"}},
		"odd":   {[]string{"odd/*"}, nil, []string{"odd/x*y.warc: no such file"}},
	} {
		t.Run(name, func(t *testing.T) { c.check(t, files) })
	}
}

// expansion is what arguments expand to.
type expansion struct {
	args     []string
	inputs   map[string]string // path → name
	failures []string
}

func (c expansion) check(t *testing.T, files map[string]string) {
	dir := tree(t, files)
	inputs, failures := Expand(t.Context(), c.args, ExpandOptions{})
	got := map[string]string{}
	for i, in := range inputs {
		got[strings.TrimPrefix(in.Path, dir+"/")] = strings.TrimPrefix(in.Name, dir)
		if i > 0 && inputs[i-1].Path >= in.Path {
			t.Errorf("%s is not before %s", inputs[i-1].Path, in.Path)
		}
		if info, err := os.Stat(in.Path); in.Path != facts.Stdin &&
			(err != nil || in.Size != info.Size() || in.MTime != info.ModTime().UnixNano()) {
			t.Errorf("%+v is not the file", in)
		}
	}
	if c.inputs == nil {
		c.inputs = map[string]string{}
	}
	equal(t, "inputs", got, c.inputs)
	for i, f := range failures {
		if i >= len(c.failures) || !strings.HasPrefix(f.Error(), c.failures[i]) {
			t.Errorf("failure %q", f.Error())
		}
	}
	if len(failures) < len(c.failures) {
		t.Errorf("%d failures, want %q", len(failures), c.failures)
	}
}

// wide is a text in UTF-16, as PowerShell writes it.
func wide(text string) string {
	b := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return string(b)
}

// summary is the .idx of a ZipNum cluster, of a member in each part.
func summary(parts ...string) string {
	var b strings.Builder
	for i, part := range parts {
		fmt.Fprintf(&b, "com,example)/%d 20240220211055\t%s\t0\t188224\t%d\n", i, part, i+1)
	}
	return b.String()
}

// An audit written into the folder of its archives must not hide them.
func TestExpandFolderWithFacts(t *testing.T) {
	tree(t, map[string]string{"crawl/a.warc": "x", "crawl/.robotsaudit/lock": ""})
	inputs, failures := Expand(t.Context(), []string{"crawl"}, ExpandOptions{})
	if len(inputs) != 1 || len(failures) != 0 {
		t.Errorf("%v, %v", inputs, failures)
	}
}

// Links to folders are followed, each real folder is entered once, and a link that
// leads nowhere is reported.
func TestExpandLinkedFolders(t *testing.T) {
	files := map[string]string{
		"tree/a.warc":               "x",
		"tree/later/b.warc":         "x",
		"tree/earlier":              "-> later", // the folder's own name counts, though the link comes first
		"tree/out":                  "-> ../elsewhere",
		"tree/up":                   "-> ..", // a loop
		"tree/later/self":           "-> .",
		"tree/round":                "-> round",
		"tree/gone":                 "-> nowhere",
		"tree/facts":                "-> ../facts/.robotsaudit",
		"elsewhere/c.warc":          "x",
		"elsewhere/deep/d.warc":     "x",
		"elsewhere/back":            "-> ../tree/later",
		"link":                      "-> tree/later",
		"links/one":                 "-> ../elsewhere/deep",
		"links/two":                 "-> ../elsewhere/deep",
		"facts/.robotsaudit/e.warc": "x",
		"dangling":                  "-> nowhere",
		"loop/again":                "-> ../loop",
	}
	for name, c := range map[string]struct {
		args     []string
		inputs   map[string]string // path → name
		failures []string
	}{
		"linked argument": {[]string{"link"}, map[string]string{"tree/later/b.warc": "b.warc"}, nil},
		"twice": {
			[]string{"link", "link/", "tree/later"},
			map[string]string{"tree/later/b.warc": "b.warc"},
			nil,
		},
		"only links": {[]string{"links"}, map[string]string{"elsewhere/deep/d.warc": "one/d.warc"}, nil},
		"all": {
			[]string{"tree"},
			map[string]string{
				"tree/a.warc": "a.warc", "tree/later/b.warc": "later/b.warc", "elsewhere/c.warc": "out/c.warc",
				"elsewhere/deep/d.warc": "out/deep/d.warc",
			},
			[]string{
				"tree/gone: is a link that leads nowhere", "tree/round: is a link that leads nowhere",
				"tree/up/dangling: is a link that",
			},
		},
		"dangling argument": {[]string{"dangling"}, map[string]string{}, []string{"dangling: no such file or folder"}},
		"loop alone":        {[]string{"loop"}, map[string]string{}, []string{"loop: the folder holds no archives"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, files)
			inputs, failures := Expand(t.Context(), c.args, ExpandOptions{})
			got := map[string]string{}
			for _, in := range inputs {
				got[strings.TrimPrefix(in.Path, dir+"/")] = in.Name
			}
			equal(t, "inputs", got, c.inputs)
			var told []string
			for _, f := range failures {
				told = append(told, f.Error())
			}
			for i := range max(len(told), len(c.failures)) {
				if i >= len(told) || i >= len(c.failures) || !strings.HasPrefix(told[i], c.failures[i]) {
					t.Fatalf("failures %q, want %q", told, c.failures)
				}
			}
		})
	}
}

// TestExpandManyFailures: of a list of which no line names anything, the first lines are named and the others counted.
func TestExpandManyFailures(t *testing.T) {
	list := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(list, []byte(strings.Repeat("none.warc\n", maxFailures+7)), 0o666); err != nil {
		t.Fatal(err)
	}
	inputs, failures := Expand(t.Context(), []string{"@" + list}, ExpandOptions{})
	if last := len(failures) - 1; len(inputs) != 0 || last != maxFailures || failures[last].Arg != "7 more inputs" {
		t.Errorf("%d inputs, %d failures, the last %v", len(inputs), len(failures), failures[last])
	}
}

// A file in a folder that is named like an archive is an input, also where its compression is not read: it is refused
// aloud.
func TestNamedArchive(t *testing.T) {
	for name, want := range map[string]bool{
		"a.warc": true, "a.warc.gz": true, "a.WARC.zst": true, "a.arc.bz2": true, "a.warc.lz4": true, "a.wacz": true,
		"a.warc.txt": false, "a.gz": false, "warc": false,
	} {
		if got := isNamedArchive(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
