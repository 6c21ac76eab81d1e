package object

import (
	"errors"
	"io/fs"
	"os"
)

// file is an object on the disk.
type file struct{ *os.File }

func (file) Random() bool { return true }

func statFile(path string) (Info, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Info{}, err
	}
	if !info.Mode().IsRegular() {
		return Info{}, errNoFile
	}
	return Info{Size: info.Size(), MTime: info.ModTime().UnixNano()}, nil
}

var (
	// errNoFile is the error of a folder, a pipe and the like.
	errNoFile = errors.New("is no regular file")

	errFileChanged = errors.New("the file changed while it was read; run again once it is complete")
	errChanged     = errors.New("the object changed while it was read; run again once it is complete")
)

// Cause is the text of a file's error after the path, for messages that name the file themselves.
func Cause(err error) error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
