package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
)

// TestCrawlersDocument: docs/crawlers.md states first of every crawler how its entry is known:
// from a try or from its source.
func TestCrawlersDocument(t *testing.T) {
	text := readFile(t, "../../docs/crawlers.md")
	crawlers, _, _ := strings.Cut(string(text), "\n## Where the token comes from") // and what follows of all crawlers
	sections := strings.Split(crawlers, "\n## ")[1:]
	for _, section := range sections {
		name, rest, _ := strings.Cut(section, "\n\n")
		known := false
		for _, word := range []string{"*Tried*", "*From its source*", "*From its documents*"} {
			known = known || strings.HasPrefix(rest, word)
		}
		for _, part := range []string{"**Holds**", "**Options**", "**Name**", "**False readings**"} {
			known = known && strings.Contains(rest, "- "+part)
		}
		if !known || !strings.Contains(string(text), "](#"+strings.ReplaceAll(strings.ToLower(name), " ", "-")+") | ") {
			t.Errorf("%s: no row in the table, or not all parts", name)
		}
	}
	if len(sections) < 8 {
		t.Errorf("%d crawlers", len(sections))
	}
}

// TestNightlyDocument: the script for every night in docs/OPERATIONS.md works as it stands there, and systemd
// takes its unit.
func TestNightlyDocument(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script is for a shell of Unix")
	}
	text := readFile(t, "../../docs/OPERATIONS.md")
	dir := t.TempDir()
	write := func(name, language string, mode os.FileMode) string {
		_, rest, _ := strings.Cut(string(text), "\n```"+language+"\n")
		block, _, _ := strings.Cut(rest, "\n```\n")
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(block, "/srv/crawl", dir)+"\n"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	nightly := write("nightly", "sh", 0o777)
	archives := filepath.Join(dir, "archives")
	if err := os.Mkdir(archives, 0o777); err != nil {
		t.Fatal(err)
	}
	mail := filepath.Join(dir, "bin", "mail")
	writeFile(t, mail, []byte("#!/bin/sh\n{ echo \"$@\"; cat; } >"+filepath.Join(dir, "mailed")))
	if err := os.Chmod(mail, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(mail)+string(os.PathListSeparator)+os.Getenv("PATH"))
	torn := readFile(t, "../../testdata/warc/crawl-a-2.warc.gz")[:1000]
	for night, c := range []struct {
		archive string
		content []byte
		code    usage.ExitCode
		mailed  string
	}{
		{"crawl-a-1.warc.gz", readFile(t, "../../testdata/warc/crawl-a-1.warc.gz"), usage.ExitDone, "^$"},
		{
			"crawl-b-1.warc.gz", readFile(t, "../../testdata/warc/crawl-b-1.warc.gz"), usage.ExitViolations,
			"^-s robotsaudit: exit code 10 operator\n(20[0-9-]{8} [0-9:]{8} robotsaudit: .*\n)+$",
		},
		{
			"torn.warc.gz", torn, usage.ExitUnread, // of the violations of the night before not a word
			"^-s robotsaudit: exit code 3 operator\n20[0-9-]{8} [0-9:]{8} robotsaudit: .*torn.warc.gz.*\n$",
		},
	} {
		writeFile(t, filepath.Join(archives, c.archive), c.content)
		writeFile(t, filepath.Join(dir, "mailed"), nil)
		command := exec.Command(nightly)
		out, err := command.CombinedOutput()
		if command.ProcessState.ExitCode() != int(c.code) || len(out) > 0 {
			t.Errorf("night %d: %v, exit code %d wanted\n%s", night, err, c.code, out)
		}
		if mailed := readFile(t, filepath.Join(dir, "mailed")); !regexp.MustCompile(c.mailed).Match(mailed) {
			t.Errorf("night %d: mailed:\n%s", night, mailed)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "metrics/robotsaudit.prom")); err != nil ||
		!strings.Contains(string(b), "\nrobotsaudit_new_violations ") {
		t.Errorf("%v, metrics:\n%s", err, b)
	}
	out, err := exec.Command("systemd-analyze", "verify", write("robotsaudit.service", "ini", 0o666)).CombinedOutput()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		t.Log("there is no systemd here: the unit is not verified")
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	}
}

// TestDocumentsRun: all commands of README.md and of docs/TUTORIAL.md run as they stand there, one
// after the other, and say nothing that an unwary reader would take for a failure.
func TestDocumentsRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a shell of Unix")
	}
	data, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("robotsaudit")
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range []string{"README.md", "docs/TUTORIAL.md"} {
		t.Run(document, func(t *testing.T) {
			text := readFile(t, "../../"+document)
			dir, ran := t.TempDir(), 0
			if err := errors.Join(os.Symlink(data, filepath.Join(dir, "testdata")),
				os.Symlink(program, filepath.Join(dir, "robotsaudit"))); err != nil {
				t.Fatal(err)
			}
			var lines []byte // what the cdxj-indexer of README.md writes
			for _, path := range archivesIn(t, data+"/warc") {
				lines = append(lines, indexOf(t, path)...)
			}
			writeFile(t, filepath.Join(dir, "crawl.cdxj"), lines)
			for _, block := range strings.Split(string(text), "\n```sh\n")[1:] {
				block, _, _ = strings.Cut(block, "\n```\n")
				for line := range strings.Lines(block) {
					if !strings.Contains(line, "./robotsaudit ") {
						continue // go build, go run and go test
					}
					command := exec.Command("sh", "-c", line)
					command.Dir = dir
					out, err := command.CombinedOutput()
					switch code := usage.ExitCode(command.ProcessState.ExitCode()); {
					case code == usage.ExitViolations && strings.Contains(line, "--fail-on violations"):
					case code != usage.ExitDone:
						t.Errorf("%s%v\n%s", line, err, out)
					}
					ran++
				}
			}
			if ran < 8 {
				t.Errorf("%d commands", ran)
			}
		})
	}
}
