//go:build unix

package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
)

// TestInterrupt sends Ctrl-C to audits in the middle of something long: they confirm it
// at once, stop, count nothing, and explain how to go on.
func TestInterrupt(t *testing.T) {
	archive := readFile(t, "../../testdata/warc/crawl-b-2.warc")
	bomb, content := filepath.Join(t.TempDir(), "bomb.warc.bz2"), bzip2Bomb(t)
	writeFile(t, bomb, content)
	t.Run("bomb", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "out")
		interruption := interrupting{work: out, advice: "run the same command again, it goes on where it stopped"}
		interruption.test(t, "audit", bomb, "-o", out)
		// It stopped by itself: what was half done is gone.
		if left, _ := filepath.Glob(filepath.Join(out, ".robotsaudit", "facts-*", "*")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
	t.Run("waiting for a pipe", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "out")
		interruption := interrupting{
			work: out, input: archive[:len(archive)/2],
			advice: "run the same command again, with the same standard input",
		}
		interruption.test(t, "audit", "-", "-o", out)
		for _, name := range []string{"audit.json", "fetches.parquet", ".robotsaudit/plan.json"} {
			if _, err := os.Stat(filepath.Join(out, name)); err == nil {
				t.Errorf("%s counts", name)
			}
		}
	})
}

// interrupting is the input of a command until it is interrupted.
type interrupting struct {
	work   string // folder below which it writes once it has begun
	input  []byte // on standard input, a pipe
	whole  bool   // the pipe ends after it
	advice string // that it gives
}

// test interrupts a command once it has begun.
func (i interrupting) test(t *testing.T, args ...string) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	cmd := exec.Command(program)
	cmd.Args = append([]string{"robotsaudit"}, args...) // TestMain goes by the name
	cmd.Stdout = &stdout
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if _, err := stdin.Write(i.input); err != nil && !errors.Is(err, syscall.EPIPE) {
		t.Fatal(err)
	}
	if i.whole {
		stdin.Close()
	}
	awaitWork(t, i.work)
	time.Sleep(300 * time.Millisecond) // to be in the middle of it
	signal := syscall.SIGTERM
	if i.whole {
		signal = syscall.SIGINT
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	told, err := io.ReadAll(stderr) // to the end of the process
	if err != nil {
		t.Fatal(err)
	}
	var status *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &status) || status.ExitCode() != int(usage.ExitInterrupted) {
		t.Errorf("ended with %v, want exit code %d", err, usage.ExitInterrupted)
	}
	if want := "robotsaudit: stopping; once more ends at once\nrobotsaudit: interrupted; " + i.advice +
		"\n"; string(told) != want {
		t.Errorf("standard error: %q, want %q", told, want)
	}
	if stdout.Len() > 0 {
		t.Errorf("standard output: %q", &stdout)
	}
}

// bzip2Bomb is an archive of some 100 kB whose one record takes minutes to decompress.
// bzip2 streams that follow each other are one; the second here is 45,899,235 zeros.
func bzip2Bomb(t *testing.T) []byte {
	decode := func(s string) []byte {
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return append(decode("QlpoOTFBWSZTWYUCadAAAFHfgESSQAP+/yxs1pAu595gMAC5IaQJqfpIeUNAGjQA9IB6nqDAaA0AAGmg0A0AaBqZIn"+
		"tQ01GQMm0QGjQaANIgIQoG+6RDtpSB2hSyGkmrzZZV1XfDBEUYd3kh4TeIwKCUqkgp9T3yEQxGOTAkYsrsEKmNibPA"+
		"jJUnv3naXqg21LdRdtIRIWCl6VJii5l6ELV2LioAyEJnRV49a8UlfRLlmLH7UGiXBOo2QY6a6RObUuekICBgg0RCjH"+
		"4uzHhsWEq3TBHAwUBic2jiFswvTUGfxdyRThQkIUCadAA="),
		bytes.Repeat(decode("QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXF3JFOFCQDgni3w=="), 2000)...)
}

// awaitWork waits until something is being written below a folder: a task, or what
// --check needs.
func awaitWork(t *testing.T, dir string) {
	for range 3000 {
		for _, pattern := range []string{".robotsaudit/facts-*/tmp-*", ".robotsaudit.tmp-*/files/*"} {
			if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) > 0 {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no work was begun")
}
