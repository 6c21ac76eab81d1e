package durable

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

// A temporary folder is locked by the process that made it, by a file in it, until the process ends
// in whatever way. So another process knows that nobody needs it any more, and removes it. Locks
// may work within one machine only, and folders of other machines would look dead: the name
// therefore states the machine. Without locks, nobody removes the folders of others.

const (
	temporaryPrefix = ".robotsaudit.tmp-" // the boot, the host, and a random text follow
	lockName        = "lock"
	filesName       = "files" // the folder for them
)

// HasLocks reports whether the system can lock files. A program of WebAssembly has its files to itself.
const HasLocks = runtime.GOOS != "wasip1"

// Temporary makes an empty folder for temporary files in another one; "" is the system's. It first
// removes the folders there of dead processes. What remove does not remove, the next call does.
func Temporary(parent string) (dir string, remove func() error, err error) {
	system := parent == ""
	if system {
		parent = os.TempDir()
	}
	sweep(parent)
	for {
		held, err := os.MkdirTemp(parent, temporaryPrefix+machine()+"-*")
		if err != nil && system {
			err = fmt.Errorf("%w; name another folder with TMPDIR (on Windows TMP)", err)
		}
		if err != nil {
			return "", nil, err
		}
		lock := flock.New(filepath.Join(held, lockName))
		locked, lockErr := lock.TryLock()
		if _, err := os.Stat(lock.Path()); locked && err != nil || lockErr == nil && !locked ||
			errors.Is(lockErr, fs.ErrNotExist) {
			lock.Close() // another process took it for a dead one's between two steps
			continue
		}
		remove := func() error { return removeTemporary(held, lock) }
		dir := filepath.Join(held, filesName)
		if err := os.Mkdir(dir, 0o777); err != nil {
			return "", nil, errors.Join(err, remove())
		}
		return dir, remove, nil
	}
}

// File makes a temporary file in a folder of its own, as Temporary does, and remove closes it.
func File(parent string) (f *os.File, remove func() error, err error) {
	dir, removeFolder, err := Temporary(parent)
	if err != nil {
		return nil, nil, err
	}
	if f, err = os.Create(filepath.Join(dir, "file")); err != nil {
		return nil, nil, errors.Join(err, removeFolder())
	}
	return f, func() error { return errors.Join(f.Close(), removeFolder()) }, nil
}

// removeTemporary removes a folder whose lock this process holds. The lock goes last, so that nobody takes
// the folder meanwhile. Once it is gone, another process may take the folder for a dead one's, and remove the
// rest. Windows removes no open file.
func removeTemporary(dir string, lock *flock.Flock) error {
	entries, err := os.ReadDir(dir)
	errs := []error{err}
	for _, e := range entries {
		if e.Name() != lockName {
			errs = append(errs, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	gone := func() error { return errors.Join(os.Remove(filepath.Join(dir, lockName)), os.Remove(dir)) }
	isGone := gone() == nil
	if HasLocks {
		errs = append(errs, lock.Close())
	}
	if !isGone {
		gone()
	}
	return errors.Join(errs...)
}

// sweep removes the temporary folders in another one that dead processes left. What it cannot do it leaves
// to others.
func sweep(parent string) {
	f, err := os.Open(parent)
	if err != nil {
		return
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(1024)
		for _, e := range entries {
			if dir := filepath.Join(parent, e.Name()); e.IsDir() && isOfMachine(e.Name()) && isOwn(e) {
				lock := flock.New(filepath.Join(dir, lockName))
				if dead, err := lock.TryLock(); dead && err == nil {
					// It may be new, and not locked yet: its maker finds no folder of its name then, and makes another.
					if away := dir + "x"; os.Rename(dir, away) == nil {
						dir = away
					}
					removeTemporary(dir, lock)
				} else {
					lock.Close()
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// machine names this machine since it was started, and its host: the containers of a machine share the
// first, and a machine that is started again has the second.
var machine = sync.OnceValue(func() string {
	boot, host := "0", "0"
	if id, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil { // of Linux
		boot = fmt.Sprintf("%.4x", sha256.Sum256(id))
	}
	if name, err := os.Hostname(); err == nil {
		host = fmt.Sprintf("%.4x", sha256.Sum256([]byte(name)))
	}
	return boot + "-" + host
})

// isOfMachine reports whether a name belongs to a temporary folder of this machine.
func isOfMachine(name string) bool {
	parts, is := strings.CutPrefix(name, temporaryPrefix)
	theirs, own := strings.Split(parts, "-"), strings.Split(machine(), "-")
	return is && len(theirs) == len(own)+1 &&
		(theirs[0] == own[0] && own[0] != "0" || theirs[1] == own[1] && own[1] != "0")
}

// Replace puts the file that make makes in the place of another, or where there is none: there is the one
// or the other, whatever happens. make is given a path in the same file system. A link stays, and what it
// leads to is replaced.
func Replace(path string, make func(tmp string) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir, remove, err := Temporary(filepath.Dir(path))
	if err != nil {
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) { // of a name that nobody knows
			err = failed.Err
		}
		return fmt.Errorf("%s cannot be written (%w); give another place", path, err)
	}
	tmp := filepath.Join(dir, filepath.Base(path))
	if err = make(tmp); err == nil {
		err = SyncFile(tmp)
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err == nil {
		err = SyncFolder(filepath.Dir(path))
	}
	return errors.Join(err, remove())
}

// WriteWhole writes a file as Replace does.
func WriteWhole(path string, write func(io.Writer) error) error {
	return Replace(path, func(tmp string) error { return Create(tmp, write) })
}
