package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"robotsaudit": main})
}

// TestScript runs the commands as a user does. The scripts find the repository's
// archives in $WARC and build others with the commands below.
func TestScript(t *testing.T) {
	warc, err := filepath.Abs("../../testdata/warc")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("WARC", warc)
			env.Setenv("NOFILE", syscall.ENOENT.Error()) // in the words of the system
			env.Setenv("NOFOLDER", syscall.ENOTDIR.Error())
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "tmpfs":
				return canMount(t), nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"warc":   makeWARC,
			"gz":     gzipFile,
			"cdxj":   makeCDXJ,
			"lock":   lock,
			"unlock": unlock,
			"rows":   rows,
			"table":  table,
			"plain":  plain,
			"small":  small,
		},
	})
}

// cdxj ARCHIVE FILE: writes the index of an archive.
func makeCDXJ(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cdxj ARCHIVE FILE")
	}
	file, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer file.Close()
	var lines []byte
	ts.Check(eachRecord(file, func(r *warc.Record, head *httpmsg.Head, length int64) error {
		lines = appendCDXJ(lines, r, head, length, filepath.Base(args[0]))
		return nil
	}))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), lines, 0o666))
}

// exits CODE COMMAND…: the command ends with this exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var status *exec.ExitError
		if !errors.As(err, &status) {
			ts.Fatalf("%v", err)
		}
		got = status.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// warc TEXT ARCHIVE: makes an archive, of gzip members if its name ends so. A
// record of TEXT begins with a line "= TYPE DATE URL FIELD:VALUE…", where the URL of a
// warcinfo is omitted, and goes on with its block; its line ends become CRLF up to the
// first empty line.
func makeWARC(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: warc TEXT ARCHIVE")
	}
	var out bytes.Buffer
	for i, text := range strings.Split("\n"+ts.ReadFile(args[0]), "\n= ")[1:] {
		head, block, _ := strings.Cut(text, "\n")
		record := warcRecord(ts, i, strings.Fields(head), block)
		if !strings.HasSuffix(args[1], ".gz") {
			out.WriteString(record)
			continue
		}
		member := gzip.NewWriter(&out)
		member.Write([]byte(record))
		ts.Check(member.Close())
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out.Bytes(), 0o666))
}

func warcRecord(ts *testscript.TestScript, number int, head []string, block string) string {
	contentType := map[string]string{
		"warcinfo":   "application/warc-fields",
		"request":    "application/http; msgtype=request",
		"response":   "application/http; msgtype=response",
		"revisit":    "application/http; msgtype=response",
		"conversion": "text/plain",
	}
	if len(head) < 2 || contentType[head[0]] == "" {
		ts.Fatalf("record %d: no type or date: %q", number, head)
	}
	fields := []string{
		"WARC/1.0",
		"WARC-Type: " + head[0],
		"WARC-Date: " + head[1],
		fmt.Sprintf("WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>", number),
		"Content-Type: " + contentType[head[0]],
	}
	if len(head) > 2 {
		fields = append(fields, "WARC-Target-URI: "+head[2])
		fields = append(fields, head[3:]...)
	}
	if head[0] != "warcinfo" {
		start, body, _ := strings.Cut(block, "\n\n")
		block = strings.ReplaceAll(start, "\n", "\r\n") + "\r\n\r\n" + body
	}
	fields = append(fields, fmt.Sprintf("Content-Length: %d", len(block)))
	return strings.Join(fields, "\r\n") + "\r\n\r\n" + block + "\r\n\r\n"
}

// gz FILE: makes FILE.gz.
func gzipFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gz FILE")
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write([]byte(ts.ReadFile(args[0])))
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".gz"), out.Bytes(), 0o666))
}

// lock DIR: holds an output folder until it is unlocked or the script ends.
func lock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lock DIR")
	}
	release, err := ingest.Lock(ts.MkAbs(args[0]))
	ts.Check(err)
	locks.Store(ts.MkAbs(args[0]), release)
	ts.Defer(func() { _ = release() })
}

// unlock DIR: gives up an output folder that lock holds.
func unlock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unlock DIR")
	}
	release, held := locks.LoadAndDelete(ts.MkAbs(args[0]))
	if !held {
		ts.Fatalf("%s is not locked", args[0])
	}
	ts.Check(release.(func() error)())
}

var locks sync.Map // folders that lock holds → what gives them up

// table TABLE TEXT COLUMN…: writes these columns of a Parquet file as lines of text,
// null as "-", and the values of a list with commas.
func table(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: table TABLE TEXT COLUMN…")
	}
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	file, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	ts.Check(err)
	var columns []int
	for _, name := range args[2:] {
		leaf, ok := file.Schema().Lookup(name)
		if !ok {
			leaf, ok = file.Schema().Lookup(name, "list", "element")
		}
		if !ok {
			leaf, ok = file.Schema().Lookup(name, "list", "element", "word")
		}
		if !ok {
			ts.Fatalf("no column %s", name)
		}
		columns = append(columns, leaf.ColumnIndex)
	}
	rows := parquet.NewReader(file)
	defer rows.Close()
	var text strings.Builder
	row := make([]parquet.Row, 1)
	for range file.NumRows() {
		if n, err := rows.ReadRows(row); n != 1 {
			ts.Fatalf("%v", err)
		}
		for i, column := range columns {
			cells, isNull := []string(nil), true
			for _, value := range row[0] {
				if value.Column() == column && !value.IsNull() {
					cells, isNull = append(cells, value.String()), false
				}
			}
			cell := strings.Join(cells, ",")
			if isNull {
				cell = "-"
			}
			text.WriteString(strings.Repeat(" | ", min(i, 1)) + cell)
		}
		text.WriteByte('\n')
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text.String()), 0o666))
}

// rows N FILE: a table has this many rows.
func rows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: rows N FILE")
	}
	f, err := os.Open(ts.MkAbs(args[1]))
	ts.Check(err)
	defer f.Close()
	info, err := f.Stat()
	ts.Check(err)
	table, err := parquet.OpenFile(f, info.Size())
	ts.Check(err)
	if got := strconv.FormatInt(table.NumRows(), 10); got != args[0] {
		ts.Fatalf("%s has %s rows, want %s", args[1], got, args[0])
	}
}

// plain FILE: the text holds no control characters but line ends.
func plain(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: plain FILE")
	}
	for i, r := range ts.ReadFile(args[0]) {
		if r != '\n' && (r < ' ' || r == 0x7f) {
			ts.Fatalf("%s holds %q at %d", args[0], r, i)
		}
	}
}

// small DIR: mounts a file system of one MiB, until the script ends.
func small(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: small DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(mount(dir))
	ts.Defer(func() { _ = unmount(dir) })
}

func canMount(t *testing.T) bool {
	dir := t.TempDir()
	if err := mount(dir); err != nil {
		return false
	}
	return unmount(dir) == nil
}

func mount(dir string) error {
	return exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir).Run()
}

func unmount(dir string) error { return exec.Command("umount", dir).Run() }
