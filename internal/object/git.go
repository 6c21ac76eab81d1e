package object

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// gitFile is a file that a commit brought, as a line of JSON. Package index reads it.
type gitFile struct {
	File string  `json:"git_file"` // COMMIT:PATH, as 'git show' takes it
	Time string  `json:"time"`     // of the committer; "" where that is no date
	Body *[]byte `json:"body_b64,omitempty"`
	// Status is 200 where the file is too large to be read. Without it and a body, the commit removed the file, or its
	// path names no host.
	Status int `json:"status,omitempty"`
}

// maxGitFile is the largest file that is read of a repository: git holds what it makes of differences in memory.
const maxGitFile = 8 << 20

// gitCommand calls git on the repository in a folder: in it alone, with no configuration but the repository's own, and
// nothing in that runs a program. What is missing in a partial clone is not fetched.
func gitCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{
		"-C", dir, "--no-pager", "--no-replace-objects", "-c", "safe.directory=*", "-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=" + os.DevNull, "-c", "core.bigFileThreshold=" + strconv.Itoa(maxGitFile),
		"-c", "log.showSignature=false", "-c", "core.commitGraph=false",
	}, args...)...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_GRAFT_FILE="+os.DevNull)
	cmd.Stderr = new(bytes.Buffer)
	return cmd
}

// gitError is why a call of git failed: its own last line.
func gitError(cmd *exec.Cmd, err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("is a git repository, and the program git is not there; install it")
	}
	said := strings.TrimSpace(cmd.Stderr.(*bytes.Buffer).String())
	said = said[strings.LastIndexByte(said, '\n')+1:]
	return fmt.Errorf("git cannot read the repository (%s)", cmp.Or(said, err.Error()))
}

// statGit describes the history of a git repository: its version is the commit that is checked out.
func statGit(ctx context.Context, dir string) (Info, error) {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	if !has(".git") && !(has("HEAD") && has("objects") && has("refs")) {
		return Info{}, ErrNoFile
	}
	cmd := gitCommand(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}")
	out, err := cmd.Output()
	if err != nil && cmd.Stderr.(*bytes.Buffer).Len() == 0 && cmd.ProcessState != nil {
		return Info{}, errors.New("is a git repository without a commit")
	}
	if err != nil {
		return Info{}, gitError(cmd, err)
	}
	return Info{Version: strings.TrimSpace(string(out))}, nil
}

// gitHistory is the history of a git repository up to a commit, as lines of JSON: the files that each commit brought or
// removed, in the order of 'git log'.
type gitHistory struct {
	*io.PipeReader
	stop context.CancelFunc
}

func openGit(ctx context.Context, dir, commit string) Object {
	ctx, stop := context.WithCancel(ctx)
	r, w := io.Pipe()
	go func() { w.CloseWithError(writeGit(ctx, w, dir, commit)) }()
	return gitHistory{r, stop}
}

func (gitHistory) ReadAt([]byte, int64) (int, error) { return 0, errors.ErrUnsupported }
func (gitHistory) Random() bool                      { return false }

func (h gitHistory) Close() error {
	h.stop()
	return h.PipeReader.Close()
}

func writeGit(parent context.Context, w io.Writer, dir, commit string) error {
	ctx, stop := context.WithCancel(parent)
	defer stop()
	log := gitCommand(ctx, dir, "log", "-z", "--raw", "--root", "--no-abbrev", "--no-renames", "--no-ext-diff",
		"--no-textconv", "--no-mailmap", "--no-notes", "--no-color", "--diff-merges=off", "--format=%H %ct", commit, "--")
	entries, err := log.StdoutPipe()
	if err != nil {
		return err
	}
	blobs, err := openGitBlobs(ctx, dir)
	if err != nil {
		return err
	}
	defer blobs.close(stop)
	if err := log.Start(); err != nil {
		return gitError(log, err)
	}
	if err := writeGitFiles(w, entries, blobs); err != nil {
		stop()
		log.Wait()
		return cmp.Or(parent.Err(), err)
	}
	if err := log.Wait(); err != nil {
		return cmp.Or(parent.Err(), gitError(log, err))
	}
	return nil
}

// writeGitFiles writes the files that the output of 'git log' names.
func writeGitFiles(w io.Writer, log io.Reader, blobs *gitBlobs) error {
	words, out := bufio.NewReader(log), json.NewEncoder(w)
	commit, at := "", ""
	for {
		word, err := words.ReadString(0)
		if word = strings.Trim(word, "\n\x00"); err == io.EOF && word == "" {
			return nil
		} else if err != nil && err != io.EOF {
			return err
		}
		if !strings.HasPrefix(word, ":") { // a commit
			var seconds string
			commit, seconds, _ = strings.Cut(word, " ")
			at = ""
			if s, err := strconv.ParseInt(seconds, 10, 64); err == nil && s >= 0 && s < 253402300800 { // the year 10000
				at = time.Unix(s, 0).UTC().Format(time.RFC3339)
			}
			continue
		}
		change := strings.Fields(word) // modes and blobs, before and after; what was done
		path, err := words.ReadString(0)
		if err != nil || len(change) != 5 {
			return errors.New("the output of 'git log' is not in the form that was asked for")
		}
		path = strings.TrimSuffix(path, "\x00")
		f := gitFile{File: commit + ":" + path, Time: at}
		_, host := HostOfPath(path)
		if host != "" && strings.HasPrefix(change[1], "100") { // a file, as opposed to a link or to none
			body, err := blobs.read(change[3])
			if err != nil {
				return err
			}
			if f.Body = body; body == nil {
				f.Status = 200
			}
		}
		if err := out.Encode(&f); err != nil {
			return err
		}
	}
}

// HostOfPath is the host, perhaps with a port, whose robots.txt a file in a repository is, by its path, and the scheme
// where a folder around it is called so; "": the path names no host. docs/FORMATS.md has the rule.
func HostOfPath(path string) (scheme, host string) {
	parts := strings.Split(path, "/")
	last := len(parts) - 1
	name, isText := strings.CutSuffix(parts[last], ".txt")
	switch {
	case parts[last] == "robots.txt" && last > 0:
		parts = parts[:last]
		last--
		host = parts[last]
	case isText, slices.Contains(parts[:last], "robots"):
		host = name
	}
	if name, _, _ := strings.Cut(host, ":"); !strings.Contains(strings.Trim(name, "."), ".") ||
		strings.ContainsAny(host, "@?#%\\ ") {
		return "", ""
	}
	if last > 0 && (parts[last-1] == "https" || parts[last-1] == "http") {
		scheme = parts[last-1]
	}
	return scheme, host
}

// gitBlobs are the contents of a repository.
type gitBlobs struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func openGitBlobs(ctx context.Context, dir string) (*gitBlobs, error) {
	cmd := gitCommand(ctx, dir, "cat-file", "--batch-command")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, gitError(cmd, err)
	}
	return &gitBlobs{cmd, in, bufio.NewReader(out)}, nil
}

func (b *gitBlobs) close(stop context.CancelFunc) {
	stop()
	b.cmd.Wait()
}

// read returns what a blob holds; nil: it is too large.
func (b *gitBlobs) read(name string) (*[]byte, error) {
	size, err := b.ask("info", name)
	if err != nil || size > maxGitFile {
		return nil, err
	}
	if size, err = b.ask("contents", name); err != nil {
		return nil, err
	}
	body := make([]byte, size+1) // with the line end after it
	if _, err := io.ReadFull(b.out, body); err != nil {
		return nil, gitError(b.cmd, err)
	}
	body = body[:size]
	return &body, nil
}

// ask asks for a blob, and returns its size.
func (b *gitBlobs) ask(what, name string) (size int64, err error) {
	if _, err := fmt.Fprintln(b.in, what, name); err != nil {
		return 0, gitError(b.cmd, err)
	}
	line, err := b.out.ReadString('\n')
	if err != nil {
		return 0, gitError(b.cmd, err)
	}
	words := strings.Fields(line)
	if len(words) == 3 && words[1] == "blob" {
		size, err = strconv.ParseInt(words[2], 10, 64)
		if err == nil {
			return size, nil
		}
	}
	return 0, fmt.Errorf("git cannot read the repository (%s); a partial clone lacks files: clone all of it",
		strings.TrimSpace(line))
}
