package object

import (
	"errors"
	"io/fs"
)

// Cause is what an error of a file says behind the path, for messages that name the file themselves.
func Cause(err error) error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
