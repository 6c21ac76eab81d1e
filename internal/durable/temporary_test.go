package durable

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestMain is a process that makes a temporary folder and waits, if it is started so.
func TestMain(m *testing.M) {
	if parent := os.Getenv("TEMPORARY_IN"); parent != "" {
		dir, remove, err := Temporary(parent)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "file"), []byte("living"), 0o600)
		}
		fmt.Println(dir, err)
		io.Copy(io.Discard, os.Stdin)
		remove()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// holder is a process that holds a temporary folder.
type holder struct {
	cmd *exec.Cmd
	in  io.Closer
	dir string
}

func hold(t *testing.T, parent string) *holder {
	t.Helper()
	h := &holder{cmd: exec.Command(os.Args[0])}
	h.cmd.Env = append(os.Environ(), "TEMPORARY_IN="+parent)
	var err error
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasSuffix(line, " <nil>\n") {
		t.Fatal(line, err)
	}
	h.dir = strings.TrimSuffix(line, " <nil>\n")
	return h
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// TestDead: the folder of a killed process goes, and the folder of a living one stays.
func TestDead(t *testing.T) {
	parent := t.TempDir()
	dead, living := hold(t, parent), hold(t, parent)
	if err := dead.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	dead.cmd.Wait()
	others := filepath.Join(parent, temporaryPrefix+"00000000-00000000-1")
	files := filepath.Join(parent, temporaryPrefix+machine()+"-2") // a file, which nobody makes so
	if err := errors.Join(os.Mkdir(others, 0o700), os.WriteFile(files, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	dir, remove, err := Temporary(parent)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what the dead one left: %v", err)
	}
	for _, path := range []string{filepath.Join(living.dir, "file"), others, files, dir} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(remove(), living.in.Close(), living.cmd.Wait(), os.Remove(others),
		os.Remove(files)); err != nil {
		t.Error(err)
	}
	if left := names(t, parent); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestCrowd: of many that make, sweep and remove folders at once, each has its own to the end.
func TestCrowd(t *testing.T) {
	parent := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				dir, remove, err := Temporary(parent)
				if err != nil {
					t.Error(err)
					return
				}
				path := filepath.Join(dir, "file")
				err = os.WriteFile(path, []byte(dir), 0o600)
				b, readErr := os.ReadFile(path)
				if err := errors.Join(err, readErr, remove()); err != nil || string(b) != dir {
					t.Errorf("%v, %q in %s", err, b, dir)
				}
			}
		})
	}
	all.Wait()
	sweep(parent)
	if left := names(t, parent); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestReplace: a file is replaced as a whole, or stays.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	write := func(text string, failure error) error {
		return WriteWhole(path, func(w io.Writer) error {
			_,
				err := io.WriteString(w, text)
			return errors.Join(err, failure)
		})
	}
	broken := errors.New("broken")
	if err := write("half", broken); !errors.Is(err, broken) || len(names(t, dir)) > 0 {
		t.Errorf("%v, %v", err, names(t, dir))
	}
	for _, text := range []string{"first", "second"} {
		err := write(text, nil)
		if b, readErr := os.ReadFile(path); errors.Join(err, readErr) != nil || string(b) != text {
			t.Errorf("%v, %v, %q", err, readErr, b)
		}
	}
	if err := write("half", broken); !errors.Is(err, broken) {
		t.Error(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "second" || len(names(t, dir)) != 1 {
		t.Errorf("%q, %v, %v", b, err, names(t, dir))
	}
	if err := WriteWhole(filepath.Join(dir, "no", "file"), nil); err == nil ||
		!strings.Contains(err.Error(), "file cannot be written (") {
		t.Error(err)
	}
}

// TestNoSystemFolder: where the system's folder for temporary files is missing, the error says what to set.
func TestNoSystemFolder(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	t.Setenv("TMPDIR", missing)
	t.Setenv("TMP", missing) // of Windows
	_, _, err := Temporary("")
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), missing+": ") ||
		!strings.HasSuffix(err.Error(), "name another folder with TMPDIR (on Windows TMP)") {
		t.Error(err)
	}
}

// TestFlush: what lies in the system's folder for temporary files is not synced, as a missing file shows.
func TestFlush(t *testing.T) {
	missing := filepath.Join("folder", "missing")
	for _, c := range []struct {
		system string
		path   string
		synced bool
	}{
		{"/tmp", "/tmp/" + missing, false},
		{"/tmp/", "/tmp/" + missing, false},
		{"/tmp", "/tmp/../" + missing, true},
		{"/tmp", "/tmp2/" + missing, true},
		{"/nowhere", missing, true}, // the tests themselves may lie in /tmp
	} {
		t.Setenv("TMPDIR", c.system)
		t.Setenv("TMP", c.system) // of Windows
		if err := SyncFile(c.path); errors.Is(err, os.ErrNotExist) != c.synced {
			t.Errorf("%s in %s: %v", c.path, c.system, err)
		}
	}
}

// TestCreateRemoved: another process may remove a file while it is written, as `finish` does.
func TestCreateRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows removes no open file")
	}
	path := filepath.Join(t.TempDir(), "file")
	t.Setenv("TMPDIR", "/nowhere") // what lies there is not synced
	err := Create(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "text")
		return errors.Join(err, os.Remove(path))
	})
	if err != nil {
		t.Error(err)
	}
}
