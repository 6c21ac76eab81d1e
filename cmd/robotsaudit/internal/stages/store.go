package stages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/object"
)

// A Store holds files by names with slashes. Errors of what is not there are fs.ErrNotExist.
type Store interface {
	String() string // as the user calls it

	// Read returns a small file, Open any.
	Read(ctx context.Context, name string) ([]byte, error)
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Create makes a small file, unless one of its name is there, and reports whether it did.
	Create(ctx context.Context, name string, content []byte) (bool, error)
	// List returns the sizes of the files below a prefix that ends with a slash, by their names
	// after it.
	List(ctx context.Context, prefix string) (map[string]int64, error)
	// Remove removes files. Those that are not there are no error.
	Remove(ctx context.Context, names ...string) error
	// RemoveAll removes the files below a prefix that ends with a slash.
	RemoveAll(ctx context.Context, prefix string) error
	// RemoveAttempts removes the files of all attempts at a task but the committed one.
	RemoveAttempts(ctx context.Context, task, counts string) error

	// Begin returns an empty local folder for the files of an attempt, whose names in the store
	// will begin with a prefix that ends with a slash. end is to be called after the attempt.
	Begin(prefix string) (dir string, end func(), err error)
	// Upload stores the files that are in the folder of Begin for good, and returns their sizes.
	Upload(ctx context.Context, prefix, dir string) (map[string]int64, error)
	// Fetch returns a local folder with those files below a prefix of whose names want is true.
	// It may make the folder at tmp. The folder may hold other files, too. Facts and tables in it
	// are to be opened with object.OpenCopy.
	Fetch(ctx context.Context, prefix, tmp string, want func(name string) bool) (dir string, err error)
	// Copy gives a file a second name, in place of the file that has it.
	Copy(ctx context.Context, from, to string) error
	// Put stores a local file by a name, in place of the file that has it.
	Put(ctx context.Context, path, to string) error
}

// createJSON makes a small file of JSON, unless one of its name is there, and reports whether it did.
func createJSON(ctx context.Context, s Store, name string, v any) (bool, error) {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return false, err
	}
	return s.Create(ctx, name, append(b, '\n'))
}

// OpenStore returns the store of a URI.
func OpenStore(uri string) (Store, error) {
	switch {
	case strings.HasPrefix(strings.ToLower(uri), "s3://"):
		clean, err := object.Clean(uri)
		return bucket(strings.TrimSuffix(clean, "/") + "/"), err
	case strings.Contains(uri, "://"):
		return nil, fmt.Errorf("%s: nothing can be written there; name a folder that all machines share, or "+
			"s3://BUCKET/PREFIX", uri)
	}
	return folder(uri), nil
}

// folder is a Store in a file system that all machines share. It needs hard links.
type folder string

func (f folder) String() string { return string(f) }

func (f folder) path(name string) string { return filepath.Join(string(f), filepath.FromSlash(name)) }

func (f folder) Read(_ context.Context, name string) ([]byte, error) {
	return os.ReadFile(f.path(name))
}

func (f folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	return os.Open(f.path(name))
}

// A file that is not whole yet has its later name, followed by this. Processes of many
// machines may write one file at the same time, without locks: who has written it removes what others have
// begun, or left. Who finds its own gone begins again, or finds that another was first.
const temporaryInfix = ".tmp-"

// removeBegun removes what was begun of a file that is there.
func removeBegun(path string) error {
	_, err := durable.RemoveIf(filepath.Dir(path),
		func(name string) bool { return strings.HasPrefix(name, filepath.Base(path)+temporaryInfix) })
	return err
}

func (f folder) Create(_ context.Context, name string, content []byte) (bool, error) {
	path := f.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return false, err
	}
	tmp := path + temporaryInfix + newAttempt()
	defer os.Remove(tmp)
	if err := durable.WriteFile(tmp, content); err != nil {
		return false, err
	}
	err := os.Link(tmp, path)
	if err != nil && exists(path) { // another was first, and may have removed what was begun here
		return false, removeBegun(path)
	}
	if err != nil {
		return false, fmt.Errorf("%w; the folder must be in a file system with hard links", err)
	}
	return true, errors.Join(durable.SyncFolder(filepath.Dir(path)), removeBegun(path))
}

func (f folder) List(_ context.Context, prefix string) (map[string]int64, error) {
	found := make(map[string]int64)
	dir := f.path(prefix)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				path, err = filepath.Rel(dir, path)
				found[filepath.ToSlash(path)] = info.Size()
			}
		}
		if isMissing(err) { // another process removes what does not count
			err = nil
		}
		return err
	})
	return found, err
}

func (f folder) Remove(_ context.Context, names ...string) error {
	for _, name := range names {
		if err := os.Remove(f.path(name)); err != nil && !isMissing(err) {
			return err
		}
	}
	return nil
}

func (f folder) RemoveAll(_ context.Context, prefix string) error {
	return os.RemoveAll(f.path(prefix))
}

func (f folder) RemoveAttempts(_ context.Context, task, counts string) error {
	_, err := durable.RemoveIf(filepath.Dir(f.path(task)), func(name string) bool {
		attempt, is := strings.CutPrefix(name, path.Base(task)+"-")
		return is && attempt != counts
	})
	return errors.Join(err, removeBegun(f.path(commitFile(task))))
}

func (f folder) Begin(prefix string) (string, func(), error) {
	dir := f.path(prefix)
	return dir, func() {}, os.MkdirAll(dir, 0o777)
}

func (f folder) Upload(ctx context.Context, prefix, dir string) (map[string]int64, error) {
	files, err := f.List(ctx, prefix)
	if err != nil {
		return nil, err
	}
	for name := range files {
		if err := durable.SyncFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return nil, err
		}
	}
	return files, errors.Join(durable.SyncFolder(dir), durable.SyncFolder(filepath.Dir(dir)))
}

func (f folder) Fetch(_ context.Context, prefix, _ string, _ func(string) bool) (string, error) {
	return f.path(prefix), nil
}

func (f folder) Copy(_ context.Context, from, to string) error {
	return f.replace(to, func(tmp string) error { return os.Link(f.path(from), tmp) })
}

func (f folder) Put(_ context.Context, path, to string) error {
	err := f.replace(to, func(tmp string) error {
		from, err := os.Open(path)
		if err != nil {
			return err
		}
		defer from.Close()
		return durable.Create(tmp, func(w io.Writer) error {
			_, err := io.Copy(w, from)
			return err
		})
	})
	if err != nil {
		return err
	}
	return removeBegun(f.path(to))
}

// replace puts the file that make makes in the place of another, in one step.
func (f folder) replace(to string, make func(tmp string) error) error {
	path := f.path(to)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	for {
		tmp := path + temporaryInfix + newAttempt()
		defer os.Remove(tmp)
		if err := make(tmp); err != nil {
			return err
		}
		switch err := os.Rename(tmp, path); {
		case err == nil:
			return durable.SyncFolder(filepath.Dir(path))
		case !isMissing(err):
			return err
		}
	}
}
