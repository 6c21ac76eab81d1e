package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/parquetwriter/parquettest"
	"github.com/robotsaudit/robotsaudit/internal/reading"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
)

// TestIndexAgreesWithArchives: an index and the records of robots.txt give the verdicts that the
// archives give, except as in the table of lost evidence in docs/FORMATS.md; an index next to
// its archives changes nothing.
func TestIndexAgreesWithArchives(t *testing.T) {
	var same, other int
	for _, archives := range archiveGroups(t) {
		var opt evaluate.DecideOptions
		if len(archives) > 1 {
			opt.Crawler = "Wget" // an index does not show which of several crawlers it was
		}
		out := audittest.Audit(t, opt, archives...)
		whole := fetchesOf(t, out)
		if len(whole) == 0 {
			continue
		}
		dir := t.TempDir()
		parts := indexAndSubset(t, dir, archives, redirectTargets(t, out))
		indexed := fetchesOf(t, audittest.Audit(t, opt, parts...))
		n, m := compareIndexed(t, whole, indexed)
		same, other = same+n, other+m

		beside := fetchesOf(t, audittest.Audit(t, opt, append(slices.Clone(archives), parts[0])...))
		if got, want := len(beside), len(whole); got != want {
			t.Errorf("%s: %d fetches with its index beside it, %d without", archives[0], got, want)
		}
		for key, f := range beside {
			if f.RecordType == "indexed" || f.Verdict != whole[key].Verdict || f.Certainty != whole[key].Certainty {
				t.Errorf("%s: %s %s %s %s with its index beside it, %s %s without", key, f.RecordType,
					f.ContentMIMEType, f.Verdict, f.Certainty, whole[key].Verdict, whole[key].Certainty)
			}
		}
	}
	t.Logf("%d fetches alike, %d with lost evidence", same, other)
	if same < 150 || other > same {
		t.Errorf("%d fetches alike, %d with lost evidence", same, other)
	}
}

// archiveGroups are archives to be audited together: all of testdata, and each of ../shared/warc/real.
func archiveGroups(t *testing.T) [][]string {
	t.Helper()
	groups := [][]string{archivesIn(t, "../../testdata/warc")}
	shared := archivesIn(t, "../../../shared/warc/real")
	if len(shared) == 0 {
		t.Log("../shared/warc/real is not there: its archives are skipped")
	}
	for _, path := range shared {
		groups = append(groups, []string{path})
	}
	return groups
}

// archivesIn lists the archives of a folder whose records have places in a file.
func archivesIn(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		for _, end := range []string{".warc", ".warc.gz", ".arc", ".arc.gz"} {
			if err == nil && strings.HasSuffix(path, end) {
				paths = append(paths, path)
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// fetchesOf reads the fetches of an audit, by place and URL.
func fetchesOf(t *testing.T, dir string) map[string]report.FetchRow {
	t.Helper()
	rows := make(map[string]report.FetchRow)
	for _, f := range parquettest.Read[report.FetchRow](t, dir, "fetches") {
		rows[fmt.Sprintf("%s:%d %s", filepath.Base(f.WARCFilename), f.WARCRecordOffset,
			plainURL(f.URL))] = f
	}
	return rows
}

// plainURL keeps of a URL what its spellings in indexes have in common.
func plainURL(text string) string {
	if raw, err := url.PathUnescape(text); err == nil {
		text = raw
	}
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, text)
}

// indexAndSubset writes an index of archives, and of each of them the records of robots.txt and of
// what it redirects to.
func indexAndSubset(t *testing.T, dir string, archives []string, targets map[string]bool) (paths []string) {
	t.Helper()
	var lines []byte
	paths = append(paths, filepath.Join(dir, "index.cdxj"))
	inputs, failures := ingest.Expand(t.Context(), archives, ingest.ExpandOptions{})
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	for i, in := range inputs {
		file, err := os.Open(in.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var subset []byte
		copied := int64(-1)
		err = eachRecord(file, func(r *warc.Record, head *httpmsg.Head, length int64) error {
			lines = appendCDXJ(lines, r, head, length, filepath.Base(in.Path))
			isInfo := r.Type == "warcinfo" || r.Type == "arcinfo"
			if r.Streamed || !isInfo && !strings.HasSuffix(r.Target, "/robots.txt") && !targets[r.Target] ||
				r.Offset == copied {
				return nil
			}
			copied = r.Offset // records of one member have one place
			b := make([]byte, length)
			if _, err := file.ReadAt(b, r.Offset); err != nil {
				return err
			}
			subset = append(subset, b...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(subset) > 0 {
			path := filepath.Join(dir, fmt.Sprint(i), filepath.Base(in.Path))
			paths = append(paths, writeFile(t, path, subset))
		}
	}
	writeFile(t, paths[0], lines)
	return paths
}

// eachRecord calls f for each whole record of an archive, with the HTTP head of a response, or nil.
func eachRecord(file io.ReaderAt, f func(r *warc.Record, head *httpmsg.Head, length int64) error) error {
	from := input.At(file, 0)
	form := reading.SniffArchive(from)
	reader, err := form.Records(from, file)
	if err != nil {
		return err
	}
	if ahead, ok := reader.(warc.AheadReader); ok {
		defer ahead.Close()
	}
	for {
		r, err := reader.Next()
		var head *httpmsg.Head
		var length int64
		if err == nil && (r.Type == "response" || r.Type == "revisit" || r.Type == warc.TypeARC) {
			var b []byte
			if b, _, _, err = httpmsg.ReadHead(r.Block, nil, reading.MaxHTTPHead); err == nil && httpmsg.IsResponse(b) {
				parsed := httpmsg.ParseResponse(b, nil, nil)
				head = &parsed
			}
		}
		if err == nil {
			length, err = reader.Finish()
		}
		var damage *warc.Damage
		switch {
		case err == nil:
			err = f(r, head, length)
		case err == io.EOF, errors.As(err, &damage) && !damage.More:
			return nil
		case damage != nil:
			continue
		}
		if err != nil {
			return err
		}
	}
}

// indexOf is the index of an archive.
func indexOf(t *testing.T, path string) (lines []byte) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	err = eachRecord(file, func(r *warc.Record, head *httpmsg.Head, length int64) error {
		lines = appendCDXJ(lines, r, head, length, filepath.Base(path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// appendCDXJ appends the line of a record that an index has, as cdxj-indexer writes it.
func appendCDXJ(lines []byte, r *warc.Record, head *httpmsg.Head, length int64, name string) []byte {
	t, _, known := reading.RecordTime(r)
	switch r.Type {
	case "response", "revisit", "resource", warc.TypeARC:
	default:
		return lines
	}
	if r.Target == "" || !known {
		return lines
	}
	u, _ := weburl.Parse(r.Target)
	line := warctest.CDXJLine{
		Key: u.SURTKey(), Time: t.UTC(), URL: r.Target, Digest: r.PayloadDigest,
		Length: length, Offset: r.Offset, Filename: name,
	}
	switch {
	case r.Type == "revisit":
		line.MediaType = new("warc/revisit")
	case head != nil && head.ContentType != "":
		kind, _, _ := strings.Cut(head.ContentType, ";")
		line.MediaType = new(strings.TrimSpace(kind))
	}
	if head != nil && head.Status >= 0 {
		line.Status = fmt.Sprint(head.Status)
	}
	return line.Append(lines)
}

// redirectTargets are the URLs that robots.txt redirects to.
func redirectTargets(t *testing.T, dir string) map[string]bool {
	t.Helper()
	targets := make(map[string]bool)
	for _, row := range parquettest.Read[report.RobotsRow](t, dir, "robots") {
		for _, url := range row.HopURLs {
			targets[url] = true
		}
	}
	return targets
}

// compareIndexed compares fetches of archives with fetches of an index and a subset. It counts the
// equal ones, and the ones that differ by lost evidence.
func compareIndexed(t *testing.T, whole, indexed map[string]report.FetchRow) (same, other int) {
	t.Helper()
	for key, want := range whole {
		got, ok := indexed[key]
		switch {
		case want.Reason == "robots_txt_itself", want.FetchTime == nil: // the subset has a copy of it; or no line
			continue
		case !ok:
			t.Errorf("%s: no row", key)
			continue
		case got.RecordType != "indexed" || got.Trust != "indexed" || got.FetchMethod != "" ||
			want.WARCRecordLength-got.WARCRecordLength > 4 ||
			*got.FetchTime/1e6 != *want.FetchTime/1e6 || want.FetchStatus != nil &&
			(got.FetchStatus == nil || *got.FetchStatus != *want.FetchStatus):
			t.Errorf("%s: %s %q, %d bytes, the record gives %d", key, got.RecordType, got.FetchMethod,
				got.WARCRecordLength, want.WARCRecordLength)
		}
		if got.Certainty == "certain" || got.Trust != "indexed" || got.TagsFrom != "unknown" {
			t.Errorf("%s: %s by an index, tags %q", key, got.Certainty, got.TagsFrom)
		}
		notes, agent := got.Notes, want.Agent == got.Agent
		isNear := slices.Contains(notes, "order_doubt") && got.Reason == "changed_between"
		lost := slices.Contains(notes, "same_moment") || isNear || !agent || got.Agent == "" && want.Agent != "" ||
			want.Trust == "resynced" || want.Notes != nil && want.FetchMethod != "GET"
		if lost {
			other++
			continue
		}
		same++
		certainty := want.Certainty
		if certainty == "certain" {
			certainty = "probable"
		}
		if got.Verdict != want.Verdict || got.Evidence != want.Evidence || got.Reason != want.Reason ||
			got.Certainty != certainty || got.RuleLine != want.RuleLine {
			t.Errorf("%s %s (%s): %s %s %s %s %s, the record gives %s %s %s %s %s", key,
				time.UnixMicro(*want.FetchTime).UTC().Format(time.RFC3339), want.Agent, got.Verdict, got.Evidence,
				got.Reason, got.Certainty, got.Notes, want.Verdict, want.Evidence, want.Reason, want.Certainty,
				want.Notes)
		}
	}
	return same, other
}
