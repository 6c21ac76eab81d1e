package object

import (
	"errors"
	"io/fs"
)

// Cause is the text of a file's error after the path, for messages that name the file themselves.
func Cause(err error) error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
