package stages_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/stages"
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/longtest"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// everything is what results depend on most.
func everything() evaluate.DecideOptions {
	return evaluate.DecideOptions{
		Agents: []string{"GPTBot", "CCBot"}, Uses: []tag.Use{tag.UseArchive, tag.UseTrain},
		Policies:   evaluate.PoliciesNamed,
		CrawlerMap: evaluate.CrawlerMap{{Pattern: "*bot*", Token: "Bot"}, {Pattern: "no such agent", Token: "None"}},
	}
}

// corpora are folders of archives: the archives of the repository and one of them that is cut, an index,
// and, if it is there, ../shared.
func corpora(t *testing.T) (list []string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../../../testdata/warc")); err != nil {
		t.Fatal(err)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	b, err := os.ReadFile(archives[0])
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "cut.warc.gz"), b[:len(b)/2])
	list = append(list, dir, indexed(t))
	if shared := "../../../../../shared/warc/real"; exists(shared) {
		list = append(list, shared)
	} else {
		t.Logf("skipped: %s is not here", shared)
	}
	return list
}

// indexed is a folder of an index, which three shards read together with the captures of robots.txt.
// What another shard holds decides, too: a page of another crawler, and the robots.txt of another host,
// to which one of these redirects.
func indexed(t *testing.T) string {
	t.Helper()
	const rules = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n"
	dir := t.TempDir()
	archive := func(name, agent string, records ...warctest.Record) {
		write(t, filepath.Join(dir, name),
			warctest.Plain(slices.Insert(records, 0,
				warctest.Warcinfo("urn:"+name, "http-header-user-agent: "+agent+"\r\n"))...))
	}
	archive("robots.warc", "bot/1", warctest.Response("urn:1", "http://a/robots.txt", rules),
		warctest.Response("urn:2", "http://b/robots.txt", "HTTP/1.1 301 x\r\nLocation: http://c/robots.txt\r\n\r\n"))
	archive("pages.warc", "bot/2",
		warctest.Response("urn:3", "http://a/x", "HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat("page ", 1000)))
	archive("more.warc", "bot/1",
		warctest.Response("urn:4", "http://c/robots.txt", rules+strings.Repeat("# more\n", 2000)))
	var rows []byte
	for _, r := range [][2]string{
		{"http://a/x", "12:00:00"},
		{"http://a/y", "12:10:00"},
		{"http://a/robots.txt", "12:20:00"},
		{"http://a/z", "12:30:00"},
		{"http://b/x", "12:10:00"},
		{"http://c/x", "12:10:00"},
		{"http://c/robots.txt", "12:00:00"},
	} {
		at := must(time.Parse(time.DateTime, "2024-05-01 "+r[1]))(t)
		row := warctest.CDXJLine{
			Key: "a)/", Time: at, URL: r[0], Status: "200", Offset: int64(len(rows)), Length: 9,
			Filename: "whole.warc",
		}
		rows = row.Append(rows)
	}
	write(t, filepath.Join(dir, "index.cdxj"), rows)
	return dir
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func write(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// staged is an audit in stages.
type staged struct {
	t          testing.TB
	facts, out stages.Store
	plan       *stages.Plan
	folder     string // of out
}

// planned plans an audit, and fails if it cannot be.
func planned(t testing.TB, facts string, shards int, opt evaluate.DecideOptions, args ...string) *staged {
	t.Helper()
	inputs, failures := ingest.Expand(t.Context(), args, ingest.ExpandOptions{})
	s := &staged{
		t: t, facts: must(stages.OpenStore(facts))(t),
		plan: must(stages.New(inputs, failures, shards, ingest.ReadOptions{}, opt, nil))(t),
	}
	if err := s.plan.Save(t.Context(), s.facts); err != nil {
		t.Fatal(err)
	}
	s.into(filepath.Join(t.TempDir(), "out"))
	return s
}

func (s *staged) into(folder string) {
	s.folder = folder
	s.out = must(stages.OpenStore(folder))(s.t)
}

func (s *staged) read(shard int) error {
	_, err := stages.Read(s.t.Context(), s.facts, s.plan, shard, ingest.ReadOptions{Workers: 1})
	return err
}

func (s *staged) resolve() error {
	_, err := stages.Resolve(s.t.Context(), s.facts, s.plan, 2)
	return err
}

func (s *staged) decide(n, of int) error {
	_, err := stages.Decide(s.t.Context(), s.facts, s.out, s.plan, n, of, nil)
	return err
}

func (s *staged) finish() error {
	_, err := stages.Finish(s.t.Context(), s.facts, s.out, s.plan)
	return err
}

// ok fails the test unless all calls of a task succeed, which times are made at the same time.
func (s *staged) ok(times int, task func() error) {
	s.t.Helper()
	errs := make([]error, times)
	var done sync.WaitGroup
	for i := range times {
		done.Go(func() { errs[i] = task() })
	}
	done.Wait()
	for _, err := range errs {
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// facts does all stages up to resolving.
func (s *staged) ingested(times int) {
	s.t.Helper()
	for i := range s.plan.Shards {
		s.ok(times, func() error { return s.read(i) })
	}
	s.ok(times, s.resolve)
}

func (s *staged) decided(times, ranges int) {
	s.t.Helper()
	for n := range ranges {
		s.ok(times, func() error { return s.decide(n, ranges) })
	}
	s.ok(times, s.finish)
}

// TestSameAsOne: whatever shards and ranges there are, and if tasks run twice at once, the tables
// have the rows of an audit in one process, in their order, and audit.json is the same.
func TestSameAsOne(t *testing.T) {
	t.Parallel()
	divided := map[int][]int{1: {1, 7}, 3: {7}, 50: {1, 128}} // ranges, by the shards
	if !longtest.Run() {
		divided = map[int][]int{3: {7}}
	}
	for _, dir := range corpora(t) {
		one := audittest.Audit(t, everything(), dir)
		want := tables(t, one)
		for n, ranges := range divided {
			s := planned(t, filepath.Join(t.TempDir(), "facts"), n, everything(), dir)
			s.ingested(2)
			for _, m := range ranges {
				s.into(filepath.Join(t.TempDir(), "out"))
				s.decided(1+m%2, m)
				compare(t, fmt.Sprintf("%s, %d shards, %d ranges", dir, n, m), one, s.folder, want)
			}
			for _, left := range must(filepath.Glob(filepath.Join(s.facts.String(), "*", "*")))(t) {
				if base := filepath.Base(left); strings.Contains(base, "tmp") {
					t.Errorf("%s is left", left)
				}
			}
		}
	}
}

func compare(t *testing.T, what, one, staged string, want map[string][]string) {
	t.Helper()
	got := tables(t, staged)
	for name, rows := range want {
		if !slices.Equal(got[name], rows) {
			t.Errorf("%s: table %s has %d rows, want %d, or others", what, name, len(got[name]), len(rows))
		}
	}
	if len(want["fetches"]) == 0 || len(got) != len(want) {
		t.Errorf("%s: %d tables, want %d", what, len(got), len(want))
	}
	if a, b := must(os.ReadFile(filepath.Join(staged, report.AuditFile)))(t),
		must(os.ReadFile(filepath.Join(one, report.AuditFile)))(t); !bytes.Equal(a, b) {
		t.Errorf("%s: audit.json is\n%s\nwant\n%s", what, a, b)
	}
}

// tables are the rows of all tables of an output, by name, as text. Rows of robots_agents with
// robots_id 0 may stand anywhere: they come last.
func tables(t testing.TB, dir string) map[string][]string {
	t.Helper()
	r := must(results.Open(dir))(t)
	all := make(map[string][]string)
	for name := range r.Audit().Tables {
		all[name] = []string{}
		var last []string
		for _, path := range must(r.Files(name))(t) {
			for _, row := range rowsOf(t, path) {
				if name == report.RobotsAgentsTable.Name && strings.HasPrefix(row, "0 ") {
					last = append(last, row)
					continue
				}
				all[name] = append(all[name], row)
			}
		}
		all[name] = append(all[name], last...)
	}
	return all
}

func rowsOf(t testing.TB, path string) (list []string) {
	t.Helper()
	b := must(os.ReadFile(path))(t)
	file := must(parquet.OpenFile(bytes.NewReader(b), int64(len(b))))(t)
	for _, group := range file.RowGroups() {
		rows := group.Rows()
		buffer := make([]parquet.Row, 64)
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				var line strings.Builder
				for _, v := range row {
					fmt.Fprintf(&line, "%v %d %d|", v, v.DefinitionLevel(), v.RepetitionLevel())
				}
				list = append(list, line.String())
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		rows.Close()
	}
	return list
}

// TestRefused: what cannot be right is refused, with words on what to do.
func TestRefused(t *testing.T) {
	t.Parallel()
	archives := t.TempDir()
	if err := os.CopyFS(archives, os.DirFS("../../../../testdata/warc")); err != nil {
		t.Fatal(err)
	}
	one := must(filepath.Glob(filepath.Join(archives, "*.warc*")))(t)[0]
	edit := func(path string, change func(map[string]any)) {
		var v map[string]any
		if err := json.Unmarshal(must(os.ReadFile(path))(t), &v); err != nil {
			t.Fatal(err)
		}
		change(v)
		write(t, path, must(json.Marshal(v))(t))
	}
	copyFile := func(from, to string) { write(t, to, must(os.ReadFile(from))(t)) }
	for name, test := range map[string]struct {
		upTo string // the stages that are done before: read, resolve, decide
		harm func(s *staged, facts string)
		task func(s *staged) error
		want string
	}{
		"no plan": {
			"", func(_ *staged, facts string) { os.Remove(filepath.Join(facts, "plan.json")) },
			func(s *staged) error { _, err := stages.Load(t.Context(), s.facts); return err },
			"make one with: robotsaudit plan",
		},
		"plan cut": {"", func(_ *staged, facts string) {
			path := filepath.Join(facts, "plan.json")
			b, _ := os.ReadFile(path)
			write(t, path, b[:len(b)/2])
		}, func(s *staged) error { _, err := stages.Load(t.Context(), s.facts); return err }, "make the plan again"},
		"plan changed": {"", func(_ *staged, facts string) {
			edit(filepath.Join(facts, "plan.json"), func(v map[string]any) { v["shards"] = 4 })
		}, func(s *staged) error { _, err := stages.Load(t.Context(), s.facts); return err }, "plan.json in"},
		"other version": {
			"", func(s *staged, facts string) {
				os.Remove(filepath.Join(facts, "plan.json"))
				s.plan.Version = "v0.0.1"
				s.plan.ID = s.plan.Digest()
				s.plan.Save(t.Context(), s.facts)
			}, func(s *staged) error { _, err := stages.Load(t.Context(), s.facts); return err },
			"run all stages with one program",
		},
		"another plan": {"", func(*staged, string) {}, func(s *staged) error {
			inputs, _ := ingest.Expand(t.Context(), []string{archives}, ingest.ExpandOptions{})
			p := must(stages.New(inputs, nil, 4, ingest.ReadOptions{}, evaluate.DecideOptions{}, nil))(t)
			return p.Save(t.Context(), s.facts)
		}, "holds another plan"},
		"no such shard": {"", func(*staged, string) {}, func(s *staged) error { return s.read(3) }, "from 0 to 2"},
		"input changed": {
			"", func(s *staged, _ string) {
				b, _ := os.ReadFile(one)
				write(t, one, append(b, "\r\n"...))
				s.t.Cleanup(func() { write(t, one, b) })
			}, func(s *staged) error { return errorOf(s.read(0), s.read(1), s.read(2)) },
			"has changed since it was planned; plan again",
		},
		"input gone": {"", func(s *staged, _ string) {
			os.Rename(one, one+".away")
			s.t.Cleanup(func() { os.Rename(one+".away", one) })
		}, func(s *staged) error { return errorOf(s.read(0), s.read(1), s.read(2)) }, "put it back"},
		"shard lost": {
			"read", func(_ *staged, facts string) { os.Remove(filepath.Join(facts, "shards", "00001.json")) },
			(*staged).resolve, "of 3 shards, these are not read: 1; run for each: robotsaudit ingest --shard I/3",
		},
		"shard doubled": {"read", func(_ *staged, facts string) {
			copyFile(filepath.Join(facts, "shards", "00000.json"), filepath.Join(facts, "shards", "00001.json"))
		}, (*staged).resolve, "is a copy of shards/00000.json; remove"},
		"shard's files doubled": {"read", func(_ *staged, facts string) {
			edit(filepath.Join(facts, "shards", "00001.json"), func(v map[string]any) {
				var other map[string]any
				json.Unmarshal(must(os.ReadFile(filepath.Join(facts, "shards", "00000.json")))(t), &other)
				os.Rename(filepath.Join(facts, "shards", "00000-"+other["attempt"].(string)),
					filepath.Join(facts, "shards", "00001-"+other["attempt"].(string)))
				os.CopyFS(filepath.Join(facts, "shards", "00000-"+other["attempt"].(string)),
					os.DirFS(filepath.Join(facts, "shards", "00001-"+other["attempt"].(string))))
				v["attempt"], v["files"] = other["attempt"], other["files"]
			})
		}, (*staged).resolve, "is not what the plan gives it; remove"},
		"shard of another plan": {"read", func(_ *staged, facts string) {
			edit(filepath.Join(facts, "shards", "00002.json"),
				func(v map[string]any) { v["plan"] = "0123456789abcdef" })
		}, (*staged).resolve, "is of another plan (0123456789abcdef"},
		"shard half written": {"read", func(_ *staged, facts string) {
			path := must(filepath.Glob(filepath.Join(facts, "shards", "00000-*", "fetches-00000.run")))(t)[0]
			b, _ := os.ReadFile(path)
			write(t, path, b[:len(b)/2])
		}, (*staged).resolve, "robotsaudit ingest --shard 0/3"},
		"commit cut": {
			"read", func(_ *staged, facts string) {
				write(t, filepath.Join(facts, "shards", "00000.json"),
					[]byte("{"))
			},
			(*staged).resolve, "is damaged; remove",
		},
		"not resolved": {
			"read", func(*staged, string) {}, func(s *staged) error { return s.decide(0, 2) },
			"run: robotsaudit resolve",
		},
		"resolved file lost": {"resolve", func(_ *staged, facts string) {
			os.Remove(must(filepath.Glob(filepath.Join(facts, "resolved-*", "states-00000.run")))(t)[0])
		}, func(s *staged) error { return s.decide(0, 2) }, "states-00000.run is missing; remove"},
		"shard read again": {"resolve", func(s *staged, facts string) {
			os.Remove(filepath.Join(facts, "shards", "00000.json"))
			s.ok(1, func() error { return s.read(0) })
		}, func(s *staged) error { return s.decide(0, 2) }, "a shard was read again"},
		"no such range": {
			"resolve", func(*staged, string) {}, func(s *staged) error { return s.decide(2, 2) },
			"there is no range 2 of 2",
		},
		"other ranges": {
			"decide", func(*staged, string) {}, func(s *staged) error { return s.decide(0, 3) },
			"is decided in 2 ranges, and this is one of 3",
		},
		"nothing to sum": {"resolve", func(*staged, string) {}, (*staged).finish, "holds no ranges of the plan"},
		"range lost": {"decide", func(s *staged, _ string) {
			os.Remove(must(filepath.Glob(filepath.Join(s.folder, ".robotsaudit", "parts-*", "00001.json")))(t)[0])
		}, (*staged).finish, "of 2 ranges, these are not decided: 1; run for each: robotsaudit decide --buckets J/2"},
		"range half written": {"decide", func(s *staged, _ string) {
			os.Remove(must(filepath.Glob(filepath.Join(s.folder, ".robotsaudit", "parts-*", "00001-*",
				"fetches.parquet")))(t)[0])
		}, (*staged).finish, "fetches.parquet is missing; remove"},
	} {
		t.Run(name, func(t *testing.T) {
			facts := filepath.Join(t.TempDir(), "facts")
			s := planned(t, facts, 3, evaluate.DecideOptions{}, archives)
			done := []string{"", "read", "resolve", "decide"}
			for i := range slices.Index(done, test.upTo) {
				switch i {
				case 0:
					for shard := range 3 {
						s.ok(1, func() error { return s.read(shard) })
					}
				case 1:
					s.ok(1, s.resolve)
				case 2:
					s.ok(1, func() error { return errorOf(s.decide(0, 2), s.decide(1, 2)) })
				}
			}
			test.harm(s, facts)
			if err := test.task(s); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want an error with %q", err, test.want)
			}
			if exists(filepath.Join(s.folder, report.AuditFile)) {
				t.Error("there is an audit.json")
			}
		})
	}
}

func errorOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestAgain: a stage that is done is not done again, and finishing again changes nothing. An output
// of an audit in one process, and one of another plan, give way.
func TestAgain(t *testing.T) {
	t.Parallel()
	archives := "../../../../testdata/warc"
	one := audittest.Audit(t, everything(), archives)
	want := tables(t, one)
	s := planned(t, filepath.Join(t.TempDir(), "facts"), 2, everything(), archives)
	s.into(audittest.Audit(t, evaluate.DecideOptions{}, archives))
	s.ingested(1)
	s.decided(1, 5)
	compare(t, "in place of an audit", one, s.folder, want)
	before := commits(t, s.facts.String())
	s.ingested(2)
	s.decided(2, 5)
	compare(t, "again", one, s.folder, want)
	if after := commits(t, s.facts.String()); !slices.Equal(before, after) {
		t.Errorf("%q, then %q", before, after)
	}
	other := planned(t, filepath.Join(t.TempDir(), "facts"), 1, evaluate.DecideOptions{}, archives)
	other.into(s.folder)
	other.ingested(1)
	other.decided(1, 2)
	plain := audittest.Audit(t, evaluate.DecideOptions{}, archives)
	compare(t, "in place of another plan", plain, s.folder, tables(t, plain))
	if left := must(filepath.Glob(filepath.Join(s.folder, ".robotsaudit", "parts-*")))(t); len(left) != 1 {
		t.Error(left)
	}
}

// TestLeft: what killed tasks have left goes when the same task runs again, although it is done.
func TestLeft(t *testing.T) {
	t.Parallel()
	s := planned(t, filepath.Join(t.TempDir(), "facts"), 1, evaluate.DecideOptions{}, "../../../../testdata/warc")
	s.ingested(1)
	s.decided(1, 1)
	const dead = "-0123456789abcdef"
	parts := ".robotsaudit/parts-" + s.plan.ID
	for _, c := range []struct {
		store stages.Store
		names []string
		again func() error
	}{
		{s.facts, []string{"plan.json.tmp" + dead}, func() error { return s.plan.Save(t.Context(), s.facts) }},
		{
			s.facts,
			[]string{"shards/00000" + dead + "/bodies.pack", "shards/00000.json.tmp" + dead},
			func() error { return s.read(0) },
		},
		{s.facts, []string{"resolved" + dead + "/bodies.pack", "resolved.json.tmp" + dead}, s.resolve},
		{s.out, []string{
			parts + "/00000" + dead + "/fetches.parquet", parts + "/00000.json.tmp" + dead,
			parts + "/ranges.json.tmp" + dead,
		}, func() error { return s.decide(0, 1) }},
		{s.out, []string{
			"audit.json.tmp" + dead, "fetches/part-00000.parquet.tmp" + dead,
			".robotsaudit/plan.json.tmp" + dead, parts + "/finished.json.tmp" + dead,
		}, s.finish},
	} {
		before := must(c.store.List(t.Context(), ""))(t)
		for _, name := range c.names {
			if made, err := c.store.Create(t.Context(), name, []byte("half")); err != nil || !made {
				t.Fatal(name, made, err)
			}
		}
		s.ok(1, c.again)
		if after := must(c.store.List(t.Context(), ""))(t); !maps.Equal(before, after) {
			t.Errorf("before %s: %v, after: %v", c.names, before, after)
		}
	}
}

// commits are the names and contents of commits.
func commits(t *testing.T, dir string) (list []string) {
	t.Helper()
	for _, path := range must(filepath.Glob(filepath.Join(dir, "shards", "*.json")))(t) {
		list = append(list, path+string(must(os.ReadFile(path))(t)))
	}
	return list
}

// TestStopped: what a stopped task has begun counts for nothing, and the next attempt does it all.
func TestStopped(t *testing.T) {
	t.Parallel()
	s := planned(t, filepath.Join(t.TempDir(), "facts"), 1, evaluate.DecideOptions{}, "../../../../testdata/warc")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := stages.Read(ctx, s.facts, s.plan, 0,
		ingest.ReadOptions{Workers: 1, Read: func(*ingest.InputResult) { cancel() }})
	if err != context.Canceled {
		t.Fatal(err)
	}
	if left := must(filepath.Glob(filepath.Join(s.facts.String(), "shards", "*")))(t); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	s.ok(1, func() error { return s.read(0) })
}

// overtaken is a Store in which something happens before the first file gets another name.
type overtaken struct {
	stages.Store
	once sync.Once
	by   func()
}

func (o *overtaken) Copy(ctx context.Context, from, to string) error {
	o.once.Do(o.by)
	return o.Store.Copy(ctx, from, to)
}

// TestOvertaken: another process finishes, and removes what it no longer needs, in the middle of finishing.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	archives := "../../../../testdata/warc"
	one := audittest.Audit(t, everything(), archives)
	s := planned(t, filepath.Join(t.TempDir(), "facts"), 1, everything(), archives)
	s.ingested(1)
	for n := range 2 {
		s.ok(1, func() error { return s.decide(n, 2) })
	}
	_, err := stages.Finish(t.Context(), s.facts, &overtaken{Store: s.out, by: func() { s.ok(1, s.finish) }}, s.plan)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "overtaken", one, s.folder, tables(t, one))
}
