package export_test

import (
	"bytes"
	stdcmp "cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/export"
	"github.com/robotsaudit/robotsaudit/report/figures"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// asked has fetches decided in several ranges, whose tables are joined.
var asked = evaluate.DecideOptions{
	RangeRows: 40, Agents: []string{"CCBot", "GPTBot", "Wget"},
	Uses: []tag.Use{tag.UseArchive, tag.UseTrain},
}

// tables are the tables that lists are made from, joined as SQL would.
type tables struct {
	fetches  []report.FetchRow
	verdicts map[fetchToken]string
	bound    map[fetchPurpose]bool
}

type (
	fetchKey struct {
		url, file, id string
		offset        int64
	}
	fetchToken struct {
		fetchKey
		token string
	}
	fetchPurpose struct {
		fetchKey
		purpose string
	}
)

func open(t *testing.T) *results.Results {
	t.Helper()
	r, err := results.Open(audittest.Audit(t, asked, "../../testdata/warc"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func readAll[R any](t *testing.T, r *results.Results, table report.TableOf[R]) (rows []R) {
	t.Helper()
	for row, err := range results.Rows(t.Context(), r, table) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, *row)
	}
	return rows
}

func readTables(t *testing.T, r *results.Results) *tables {
	j := &tables{
		fetches: readAll(t, r, report.FetchesTable), verdicts: map[fetchToken]string{},
		bound: map[fetchPurpose]bool{},
	}
	type group struct {
		id    int64
		group int32
	}
	tokens := map[group][]string{}
	for _, a := range readAll(t, r, report.RobotsAgentsTable) {
		tokens[group{a.RobotsID, a.Group}] = append(tokens[group{a.RobotsID, a.Group}], a.Agent)
	}
	for _, v := range readAll(t, r, report.GroupVerdictsTable) {
		for _, token := range tokens[group{v.RobotsID, v.Group}] {
			j.verdicts[fetchToken{fetchKey{v.URL, v.WARCFilename, "", v.WARCRecordOffset}, token}] = v.Verdict
		}
	}
	for _, x := range readAll(t, r, report.RestrictionsTable) {
		j.bound[fetchPurpose{fetchKey{x.URL, x.WARCFilename, x.WARCRecordID, x.WARCRecordOffset}, x.Purpose}] = true
	}
	return j
}

// decide is the fate of a fetch and its reason, as the help of the command has it.
func (j *tables) decide(t *testing.T, f *report.FetchRow, o export.Options) (fate, reason string) {
	at := fetchKey{f.URL, f.WARCFilename, f.WARCRecordID, f.WARCRecordOffset}
	verdicts := []string{f.Verdict}
	if len(o.Agents) > 0 {
		verdicts = nil
	}
	for _, token := range o.Agents {
		v := j.verdicts[fetchToken{fetchKey{f.URL, f.WARCFilename, "", f.WARCRecordOffset}, token}]
		if v == "" {
			t.Fatalf("no verdict for %s on %s", token, f.URL)
		}
		verdicts = append(verdicts, v)
	}
	hints := strings.Split(f.Hints, ",")
	isHinted := slices.ContainsFunc(o.Purposes, func(p string) bool { return slices.Contains(hints, p) })
	isPage := f.FetchStatus != nil && *f.FetchStatus/100 == 2 || f.FetchStatus == nil && f.RecordType == "resource"
	switch {
	case slices.Contains(verdicts, "disallowed"):
		return "drop", "disallowed"
	case slices.ContainsFunc(o.Purposes, func(p string) bool { return j.bound[fetchPurpose{at, p}] }):
		return "drop", "restricted"
	}
	holds := map[string]bool{
		"not_a_page":     !isPage,
		"robots_unknown": slices.Contains(verdicts, "unknown"),
		"tags_unknown":   len(o.Purposes) > 0 && f.TagsFrom == "unknown",
		"hint":           isHinted,
	}
	for _, fate := range []words.Fate{words.Drop, words.Leave, words.Keep} {
		for _, reason := range []string{"not_a_page", "robots_unknown", "tags_unknown", "hint"} {
			if holds[reason] && stdcmp.Or(o.Decide[words.CauseOf(reason)], words.Leave) == fate {
				return fate.String(), reason
			}
		}
	}
	return "keep", "allowed"
}

// rowsOf writes a list as JSON lines and reads it back.
func rowsOf(t *testing.T, r *results.Results, o export.Options) (rows []map[string]any) {
	t.Helper()
	var out bytes.Buffer
	summary, err := export.Write(t.Context(), &out, r, o, export.JSONL)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rows = append(rows, row)
	}
	if int64(len(rows)) != summary.Count(o.List) {
		t.Fatalf("%d rows, the summary says %d", len(rows), summary.Count(o.List))
	}
	return rows
}

// lists are the three lists.
var lists = []words.Fate{words.Keep, words.Leave, words.Drop}

// choices parses decisions.
func choices(t *testing.T, decisions ...string) export.Choices {
	t.Helper()
	c, err := export.ParseChoices(decisions)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLists compares lists with joins of the tables: each fetch is in the right one, for the right reason.
func TestLists(t *testing.T) {
	r := open(t)
	j := readTables(t, r)
	seen := map[string]int{}
	for _, agents := range [][]string{nil, {"GPTBot"}, {"Wget", "CCBot", "GPTBot"}} {
		for _, purposes := range [][]string{nil, {"train"}, {"archive", "train"}} {
			for _, decided := range [][]string{nil, {"robots_unknown=drop", "tags_unknown=drop", "hint=drop"}, {"all=keep"}, {"not_a_page=keep", "robots_unknown=drop"}} {
				o := export.Options{
					By: export.ByRecord, Agents: agents, Purposes: purposes, Decide: choices(t, decided...),
				}
				want := map[string]map[string]string{"keep": {}, "undecided": {}, "drop": {}}
				for i := range j.fetches {
					f := &j.fetches[i]
					if f.Reason == "robots_txt_itself" {
						continue
					}
					fate, reason := j.decide(t, f, o)
					want[fate][fmt.Sprintf("%s %s:%d", f.URL, f.WARCFilename, f.WARCRecordOffset)] = reason
					seen[fate+" "+reason]++
				}
				for _, o.List = range lists {
					got := map[string]string{}
					for _, row := range rowsOf(t, r, o) {
						got[fmt.Sprintf("%v %v:%v", row["url"], row["warc_filename"],
							row["warc_record_offset"])] = row["reason"].(string)
					}
					if diff := cmp.Diff(want[o.List.String()], got); diff != "" {
						t.Errorf("agents %v, purposes %v, decided %v, list %v (-want +got):\n%s", agents, purposes, decided,
							o.List, diff)
					}
				}
			}
		}
	}
	for _, kind := range []string{
		"drop disallowed", "drop restricted", "drop robots_unknown", "undecided robots_unknown", "undecided not_a_page",
		"keep allowed", "keep robots_unknown", "keep not_a_page",
	} {
		if seen[kind] == 0 {
			t.Errorf("no fetch is of %s: %v", kind, seen)
		}
	}
}

// TestGroups compares lists by something else with the list by records: each group is as bad as the
// worst of its fetches, and its counts add up.
func TestGroups(t *testing.T) {
	r := open(t)
	keys := map[export.By]string{
		export.ByURL: "url", export.ByHost: "surt_host_name", export.ByOrigin: "origin",
		export.ByDomain: "domain",
	}
	for _, o := range []export.Options{
		{},
		{Decide: choices(t, "robots_unknown=keep", "tags_unknown=keep", "hint=keep")},
		{Decide: choices(t, "all=drop")},
		{Purposes: []string{"train"}, Agents: []string{"CCBot", "GPTBot"}},
	} {
		for by, key := range keys {
			count := func(o export.Options) (groups map[string]int) {
				groups = map[string]int{}
				o.By = export.ByRecord
				for _, row := range rowsOf(t, r, o) {
					groups[groupOf(by, key, row)]++
				}
				return groups
			}
			leaveOptions, keepOptions := o, o
			leaveOptions.By = export.ByRecord
			o.List, leaveOptions.List, keepOptions.List = words.Drop, words.Leave, words.Keep
			dropped, kept := count(o), count(keepOptions)
			undecided := map[string]bool{}
			for _, row := range rowsOf(t, r, leaveOptions) {
				if row["reason"] != "not_a_page" {
					undecided[groupOf(by, key, row)] = true
				}
			}
			wantKept := maps.Clone(kept)
			maps.DeleteFunc(wantKept, func(group string, _ int) bool { return dropped[group] > 0 || undecided[group] })
			for _, o := range []export.Options{o, keepOptions} {
				o.By = by
				want, n := dropped, "dropped"
				if o.List == words.Keep {
					want, n = wantKept, "kept"
				}
				got, last := map[string]int{}, ""
				for _, row := range rowsOf(t, r, o) {
					group := row[key].(string)
					if group < last {
						t.Errorf("by %s: %q stands after %q", by, group, last)
					}
					last = group
					got[group] = int(row[n].(float64))
					if d := int(row["dropped"].(float64)); d != dropped[group] ||
						int(row["kept"].(float64)) != kept[group] {
						t.Errorf("by %s: %v, want %d dropped and %d kept", by, row, dropped[group], kept[group])
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("by %s, list %v (-want +got):\n%s", by, o.List, diff)
				}
			}
		}
	}
}

// groupOf is the key of the group that a row by records is of.
func groupOf(by export.By, key string, row map[string]any) string {
	group := row[key]
	if by == export.ByDomain {
		if group = row["url_host_registered_domain"]; group == nil {
			group = row["url_host_name"]
		}
	}
	return group.(string)
}

// TestFormats reads each format back.
func TestFormats(t *testing.T) {
	r := open(t)
	o := export.Options{List: words.Drop, By: export.ByRecord, Purposes: []string{"train"}}
	write := func(format export.Format) []byte {
		var out bytes.Buffer
		if _, err := export.Write(t.Context(), &out, r, o, format); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	rows, err := parquet.Read[export.RecordRow](bytes.NewReader(write(export.Parquet)),
		int64(len(write(export.Parquet))))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(write(export.CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	objects := rowsOf(t, r, o)
	ids := slices.Collect(strings.Lines(string(write(export.Text))))
	if len(rows) == 0 || len(lines) != len(rows)+1 || len(objects) != len(rows) || len(ids) != len(rows) {
		t.Fatalf("%d rows as Parquet, %d as CSV, %d as JSON, %d as text", len(rows), len(lines)-1, len(objects),
			len(ids))
	}
	for i, row := range rows {
		cells := map[string]string{}
		for name, value := range objects[i] {
			switch v := value.(type) {
			case string:
				cells[name] = v
			case float64:
				cells[name] = fmt.Sprint(int64(v))
			}
		}
		for j, name := range lines[0] {
			if got := lines[i+1][j]; got != cells[name] {
				t.Errorf("row %d: %s is %q as CSV and %q as JSON", i, name, got, cells[name])
			}
		}
		want := map[string]string{
			"url": row.URL, "reason": row.Grounds.Reason,
			"fetch_time": time.UnixMicro(*row.FetchTime).UTC().Format(time.RFC3339Nano),
			"id":         strings.TrimSuffix(ids[i], "\n"), "warc_record_id": strings.Trim(row.ID, "<>"),
			"warc_record_uuid":     strings.TrimPrefix(row.WARCRecordID, "urn:uuid:"),
			"content_digest_value": strings.TrimPrefix(row.ContentDigest, "sha1:"),
			"surt_host_name":       strings.TrimSuffix(row.SURTKey[:strings.Index(row.SURTKey, ")")], ":8080"),
			"statement":            row.Statement,
		}
		if (row.RobotsID == 0) != (cells["robots_id"] == "") || (row.RuleLine == 0) != (cells["rule_line"] == "") {
			t.Errorf("row %d: null is no zero: %v", i, cells)
		}
		for name, value := range want {
			if cells[name] != value {
				t.Errorf("row %d: %s is %q, want %q", i, name, cells[name], value)
			}
		}
	}
}

// TestReadable: as CSV, no list has more than twelve columns, and each of a cause says which sites its fetches are of.
func TestReadable(t *testing.T) {
	r := open(t)
	columns := func(list string, by export.By, table []byte) [][]string {
		lines, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(lines[0]) > 12 {
			t.Errorf("%s by %s: %d columns: %v", list, by, len(lines[0]), lines[0])
		}
		return lines
	}
	for _, by := range export.Kinds {
		var out bytes.Buffer
		if _, err := export.Write(t.Context(), &out, r, export.Options{By: by}, export.CSV); err != nil {
			t.Fatal(err)
		}
		columns("all", by, out.Bytes())
	}
	for _, cause := range figures.Causes() {
		var fetches []int // by kind of row
		for _, by := range export.Kinds {
			if cause == figures.CauseUnread && by != export.ByRecord {
				continue
			}
			var out bytes.Buffer
			n, err := export.WriteCause(t.Context(), &out, r, cause, by, export.CSV)
			lines := columns(cause, by, out.Bytes())
			if err != nil || int(n) != len(lines)-1 {
				t.Errorf("%s by %s: %d rows, %d lines: %v", cause, by, n, len(lines)-1, err)
			}
			sum, places := 0, map[string]bool{} // a fetch has a restriction for each purpose
			for _, cells := range lines[1:] {
				if by == export.ByRecord {
					at := slices.Index(lines[0], "warc_filename")
					places[strings.Join(cells[at:at+2], ":")] = true
					sum = len(places)
				} else if count, err := strconv.Atoi(cells[1]); err == nil {
					sum += count
				}
			}
			fetches = append(fetches, sum)
		}
		if len(slices.Compact(fetches)) != 1 {
			t.Errorf("%s: fetches by kind of row: %v", cause, fetches)
		}
	}
}

// TestMissing asks for what the audit was not made with.
func TestMissing(t *testing.T) {
	r := open(t)
	o := export.Options{
		By: export.ByURL, Agents: []string{"ccbot", "Foo"}, Purposes: []string{"index", "train"},
		AsOf: evaluate.AsOfDay(time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)),
	}
	var out bytes.Buffer
	_, err := export.Write(t.Context(), &out, r, o, export.CSV)
	var missing *export.MissingError
	if !errors.As(err, &missing) || out.Len() > 0 {
		t.Fatalf("%v, and %d bytes", err, out.Len())
	}
	if diff := cmp.Diff([]string{"--agents Foo", "--purpose index", "--as-of 2025-03-01"}, missing.What); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
}

// TestDisagreement reads tables that are not in the order of fetches: no list comes of them.
func TestDisagreement(t *testing.T) {
	o := export.Options{List: words.Drop, By: export.ByRecord, Agents: []string{"GPTBot"}, Purposes: []string{"train"}}
	for name, disorder := range map[string]func(*testing.T, *results.Results){
		"violations":     reversed(report.ViolationsTable),
		"group_verdicts": reversed(report.GroupVerdictsTable),
		"robots_agents":  reversed(report.RobotsAgentsTable),
		"restrictions":   reversed(report.RestrictionsTable),
	} {
		r := open(t)
		disorder(t, r)
		if name == "violations" {
			o.Agents = nil
		} else {
			o.Agents = []string{"GPTBot"}
		}
		_, err := export.Write(t.Context(), io.Discard, r, o, export.CSV)
		if err == nil || !strings.Contains(err.Error(),
			"the tables fetches and "+name+" of the audit do not agree on the record at crawl-") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// reversed returns what turns the rows of a table round.
func reversed[R any](table report.TableOf[R]) func(*testing.T, *results.Results) {
	return func(t *testing.T, r *results.Results) {
		rows := readAll(t, r, table)
		slices.Reverse(rows)
		var out bytes.Buffer
		w := report.NewRowWriter[R](&out, t.TempDir(), table.Name)
		for _, row := range rows {
			if err := w.Write(&row); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.Dir(), table.File()), out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
