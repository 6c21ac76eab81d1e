package records

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

func inputAt(t *testing.T, path string) facts.Input {
	t.Helper()
	in, err := facts.FindInput(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Entries are opened at random: stored and deflated ones, also in a WACZ in a WACZ.
func TestOpenEntry(t *testing.T) {
	members := warctest.GzipMembers(warctest.Crawl("User-agent: *\nDisallow: /private/\n")...)
	inner := warctest.Zip(t, warctest.StoredEntry("archive/a.warc.gz", members),
		warctest.DeflatedEntry("archive/b.warc.gz", members))
	path := filepath.Join(t.TempDir(), "multi.wacz")
	if err := os.WriteFile(path, warctest.Zip(t, warctest.StoredEntry("crawl.wacz", inner),
		warctest.DeflatedEntry("archive/c.warc.gz", members)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{
		"crawl.wacz/archive/a.warc.gz", "crawl.wacz/archive/b.warc.gz", "archive/c.warc.gz",
	} {
		a, err := Open(t.Context(), inputAt(t, path), entry, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(members)/2)
		if _, err := a.ReadAt(got, int64(len(members)-len(got))); err != nil ||
			string(got) != string(members[len(members)-len(got):]) {
			t.Errorf("%s: other bytes (%v)", entry, err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := Open(t.Context(), inputAt(t, path), "archive/none.warc.gz", t.TempDir()); err == nil {
		t.Error("an entry that is not there was opened")
	}
}
