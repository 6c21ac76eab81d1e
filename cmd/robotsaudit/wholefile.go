package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/internal/object"
)

// writeWhole writes a file, of which there is nothing until it is whole; - is standard output. What
// is no file, such as a pipe or /dev/null, is written to as it is: a file must not take its place.
func writeWhole(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	if path == "-" {
		out := bufio.NewWriter(cmd.OutOrStdout())
		return errors.Join(write(out), out.Flush())
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder, not a file", path)
	case err == nil && !info.Mode().IsRegular():
		return writeTo(path, write)
	}
	if target, err := filepath.EvalSymlinks(path); err == nil { // the link stays
		path = target
	}
	temporary := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d.tmp", filepath.Base(path), os.Getpid()))
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("%s cannot be written (%w); give another place", path, object.Cause(err))
	}
	defer os.Remove(temporary) // which is gone where all went well
	out := bufio.NewWriter(f)
	err = write(out)
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// writeTo writes to what is there, and leaves it there.
func writeTo(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("%s cannot be written (%w); give another place", path, object.Cause(err))
	}
	out := bufio.NewWriter(f)
	return errors.Join(write(out), out.Flush(), f.Close())
}
