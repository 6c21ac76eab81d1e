//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestInterrupt sends Ctrl-C to an audit that waits for the rest of its standard
// input: it finishes what is in hand, counts nothing, and says how to go on.
func TestInterrupt(t *testing.T) {
	archive, err := os.ReadFile("../../testdata/warc/crawl-b-2.warc")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(program)
	cmd.Args = []string{"robotsaudit", "audit", "-", "-o", out} // TestMain goes by the name
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if _, err := stdin.Write(archive[:len(archive)/2]); err != nil {
		t.Fatal(err)
	}
	awaitTask(t, out)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // the pipe's end must not overtake the signal
	if _, err := stdin.Write(archive[len(archive)/2:]); err != nil {
		t.Fatal(err)
	}
	stdin.Close()
	var status *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &status) || status.ExitCode() != exitInterrupted {
		t.Fatalf("ended with %v, want exit code %d; standard error:\n%s", err, exitInterrupted, &stderr)
	}
	if got := stderr.String(); !strings.Contains(got, "interrupted; run the same command again, with the same standard input") || strings.Count(got, "\n") != 1 {
		t.Errorf("standard error: %q", got)
	}
	if stdout.Len() > 0 {
		t.Errorf("standard output: %q", &stdout)
	}
	for _, name := range []string{"audit.json", "fetches.parquet", ".robotsaudit/plan.json"} {
		if _, err := os.Stat(filepath.Join(out, name)); err == nil {
			t.Errorf("%s counts", name)
		}
	}
}

// awaitTask waits until a task is being written below an output folder.
func awaitTask(t *testing.T, out string) {
	for range 500 {
		if found, _ := filepath.Glob(filepath.Join(out, ".robotsaudit", "facts-*", "tmp-*")); len(found) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no task was begun")
}
