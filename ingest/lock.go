package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
)

// ErrLocked is the error of an output folder that another process holds.
var ErrLocked = errors.New("is in use by another robotsaudit")

// Lock takes the output folder for this process, making it where needed. Release
// gives it back.
func Lock(dir string) (release func() error, err error) {
	private := filepath.Join(dir, facts.PrivateFolder)
	if err := os.MkdirAll(private, 0o777); err != nil {
		return nil, fmt.Errorf("output folder %s cannot be made (%v); give another with -o", dir, object.Cause(err))
	}
	if !durable.HasLocks {
		return func() error { return nil }, nil
	}
	lock := flock.New(filepath.Join(private, facts.LockFile))
	switch held, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("output folder %s cannot be written (%v); check its permissions or give another with -o",
			dir, object.Cause(err))
	case !held:
		return nil, fmt.Errorf("output folder %s %w; wait for it or give another with -o", dir, ErrLocked)
	}
	return lock.Unlock, nil
}

// LockToRead keeps other processes from writing to an output folder that is there. Where
// this process may not write to it, neither may it lock it, and does without.
func LockToRead(dir string) (release func() error, err error) {
	if !durable.HasLocks {
		return func() error { return nil }, nil
	}
	lock := flock.New(filepath.Join(dir, facts.PrivateFolder, facts.LockFile))
	held, err := lock.TryRLock()
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return func() error { return nil }, nil
	case err != nil:
		return nil, err
	case !held:
		return nil, fmt.Errorf("%s %w; wait until that has ended", dir, ErrLocked)
	}
	return lock.Unlock, nil
}
