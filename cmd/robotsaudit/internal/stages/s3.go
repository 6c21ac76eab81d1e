package stages

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/object"
)

// bucket is a Store of the objects below a prefix of an object store, which must know conditional
// writes (If-None-Match). What is read of it is copied to a local disk.
type bucket string // s3://…/

func (b bucket) String() string { return strings.TrimSuffix(string(b), "/") }

func (b bucket) Read(ctx context.Context, name string) ([]byte, error) {
	o, err := b.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return io.ReadAll(o)
}

func (b bucket) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	info, err := object.Stat(ctx, string(b)+name)
	if err != nil {
		return nil, err
	}
	return object.Open(ctx, string(b)+name, info)
}

func (b bucket) Create(ctx context.Context, name string, content []byte) (bool, error) {
	return object.Create(ctx, string(b)+name, content)
}

func (b bucket) List(ctx context.Context, prefix string) (map[string]int64, error) {
	found := make(map[string]int64)
	for e, err := range object.List(ctx, string(b)+prefix) {
		if err != nil {
			return nil, err
		}
		found[e.Name] = e.Size
	}
	return found, nil
}

func (b bucket) Remove(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := object.Remove(ctx, string(b)+name); err != nil {
			return err
		}
	}
	return nil
}

func (b bucket) RemoveAll(ctx context.Context, prefix string) error {
	return b.removeBut(ctx, prefix, "")
}

func (b bucket) RemoveAttempts(ctx context.Context, task, counts string) error {
	return b.removeBut(ctx, task+"-", counts+"/")
}

// removeBut removes the objects below a prefix, but those whose names go on with kept; "": none.
func (b bucket) removeBut(ctx context.Context, prefix, kept string) error {
	names, err := b.List(ctx, prefix)
	if err != nil {
		return err
	}
	for name := range names {
		if kept != "" && strings.HasPrefix(name, kept) {
			continue
		}
		if err := b.Remove(ctx, prefix+name); err != nil {
			return err
		}
	}
	return nil
}

func (b bucket) Begin(string) (string, func(), error) { return workspace() }

func (b bucket) Upload(ctx context.Context, prefix, dir string) (map[string]int64, error) {
	files, err := folder(dir).List(ctx, "")
	if err != nil {
		return nil, err
	}
	for name := range files {
		if err := b.Put(ctx, filepath.Join(dir, filepath.FromSlash(name)), prefix+name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func (b bucket) Fetch(ctx context.Context, prefix, tmp string, want func(name string) bool) (string, error) {
	for e, err := range object.List(ctx, string(b)+prefix) {
		if err != nil {
			return "", err
		}
		file := filepath.Join(tmp, filepath.FromSlash(e.Name))
		if !want(e.Name) || exists(file) {
			continue
		}
		if !filepath.IsLocal(e.Name) {
			return "", errors.New(e.Path + " is not a name that robotsaudit gives")
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return "", err
		}
		copied := object.Download
		switch path.Ext(e.Name) {
		case ".run", ".pack", ".parquet": // facts and tables are copied block by block, once they are read
			copied = object.CopyLater
		}
		if err := copied(ctx, e.Path, e.Info, file); err != nil {
			return "", err
		}
	}
	return tmp, os.MkdirAll(tmp, 0o777)
}

func (b bucket) Copy(ctx context.Context, from, to string) error {
	return object.Copy(ctx, string(b)+from, string(b)+to)
}

func (b bucket) Put(ctx context.Context, file, to string) error {
	return object.Put(ctx, file, string(b)+to)
}
