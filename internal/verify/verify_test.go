package verify

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// A row is looked for if it states the place of its record, and its second, which identifies the record.
// It is looked for once.
func TestCan(t *testing.T) {
	row := facts.Fetch{Type: facts.TypeIndexed, Archive: "a.warc.gz", Precision: facts.PrecisionSecond}
	if !Can(&row) {
		t.Error("a row with all that is needed is not looked for")
	}
	for name, change := range map[string]func(*facts.Fetch){
		"a record":               func(f *facts.Fetch) { f.Type = facts.TypeResponse },
		"no archive":             func(f *facts.Fetch) { f.Archive = "" },
		"no offset":              func(f *facts.Fetch) { f.Offset = -1 },
		"a date without a time":  func(f *facts.Fetch) { f.Precision = facts.PrecisionDay },
		"one that was not there": func(f *facts.Fetch) { f.Flags = facts.FlagRefuted },
	} {
		other := row
		if change(&other); Can(&other) {
			t.Errorf("%s is looked for", name)
		}
	}
}

// The inputs that a row may mean are archives whose path or name ends in its name, by whole parts.
func TestInputPaths(t *testing.T) {
	var inputs []facts.InputResult
	for _, in := range []facts.Input{
		{Path: "/data/crawl/a.warc.gz"},
		{Path: "/data/other/a.warc.gz"},
		{Path: "/data/crawl/aa.warc.gz"},
		{Path: "/x/1", Name: "a.warc.gz"},
		{Path: "a.warc.gz"},
		{Path: facts.Stdin, Name: "a.warc.gz"},
		{Path: "/index/crawl/a.warc.gz"}, // an index
	} {
		inputs = append(inputs, facts.InputResult{Input: in})
	}
	v := Verification{set: facts.SetOf(inputs...), number: map[int32]int32{6: 0}}
	for name, want := range map[string][]string{
		"a.warc.gz":       {"/data/crawl/a.warc.gz", "/data/other/a.warc.gz", "/x/1", "a.warc.gz"},
		"crawl/a.warc.gz": {"/data/crawl/a.warc.gz"},
		"1/a.warc.gz":     nil,
	} {
		equal(t, name, v.inputPaths(name), want)
	}
}

// An index may name an entry that its WACZ does not hold.
func TestMissingEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crawl.wacz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	if _, err := z.Create("archive/data.warc.gz"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	for entry, want := range map[string]string{
		"archive/none.warc.gz": `it has no entry "archive/none.warc.gz"`,
		"archive/data.warc.gz": "the file is empty; leave it out, or fetch it again",
	} {
		if _, err := new(Verification).openAt(t.Context(), path+"/"+entry); err == nil || err.Error() != want {
			t.Errorf("%s: error %v", entry, err)
		}
	}
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Without its request, what the row reports of it stays.
func TestVerifiedWithoutRequest(t *testing.T) {
	row := facts.Fetch{Type: facts.TypeIndexed, Method: "POST", UserAgent: "bot/1", UserAgentSource: facts.SourceList}
	for requested, want := range map[bool]facts.Flags{true: 0, false: facts.FlagRequestUnread} {
		f := finding{record: facts.Fetch{Method: "GET"}}
		if f.complete(&row, requested); f.record.Flags != want || (f.record.UserAgent == "bot/1") == requested ||
			(f.record.Method == "GET") != requested {
			t.Errorf("request read: %t; flags %b, method %q, User-Agent %q", requested, f.record.Flags,
				f.record.Method, f.record.UserAgent)
		}
	}
}
