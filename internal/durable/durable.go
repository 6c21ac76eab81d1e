// Package durable writes what must be on the disk before anything else counts.
package durable

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/alitto/pond/v2"
)

// Same reports whether two paths name one file or folder.
func Same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// WriteJSON writes a small file and syncs it.
func WriteJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return WriteFile(path, append(b, '\n'))
}

// ReplaceJSON replaces a small file, as Replace does.
func ReplaceJSON(path string, v any) error {
	return Replace(path, func(tmp string) error { return WriteJSON(tmp, v) })
}

// WriteFile writes a small file and syncs it.
func WriteFile(path string, b []byte) error {
	return Create(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// Create makes a file of what write writes, and syncs it. It is no error if another process removes the
// file meanwhile.
func Create(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil && !isTemporary(path) {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// RemoveIf removes what a folder has of names for which is is true, and reports whether there was anything.
func RemoveIf(dir string, is func(name string) bool) (found bool, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if is(e.Name()) {
			found = true
			err = cmp.Or(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return found, err
}

// IsFull reports whether a disk had no room.
func IsFull(err error) bool {
	const diskFull = syscall.Errno(112) // ERROR_DISK_FULL of Windows, where ENOSPC is no error of the system
	if runtime.GOOS == "windows" && errors.Is(err, diskFull) {
		return true
	}
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// syncs is how many files wait for the disk at a time, which writes together what waits for it.
const syncs = 32

// SyncFiles syncs all files in a folder, but for those in folders of it.
func SyncFiles(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	pool := pond.NewPool(syncs)
	defer pool.StopAndWait()
	group := pool.NewGroup()
	for _, e := range entries {
		if e.Type().IsRegular() {
			group.SubmitErr(func() error { return SyncFile(filepath.Join(dir, e.Name())) })
		}
	}
	return group.Wait()
}

// SyncFile syncs what was written to a file.
func SyncFile(path string) error { return flush(path, os.O_RDWR) }

// SyncFolder makes the names of the files in a folder durable. Windows refuses to sync a folder: its
// file system keeps a journal of names.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return flush(dir, os.O_RDONLY)
}

// flush waits until a file or folder is on the disk.
func flush(path string, flag int) error {
	if isTemporary(path) {
		return nil
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// isTemporary reports whether a path leads into the system's folder for temporary files. What lies there
// need not outlive the machine, so nothing waits for the disk.
func isTemporary(path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	inside, err := filepath.Rel(os.TempDir(), path)
	return err == nil && filepath.IsLocal(inside)
}
