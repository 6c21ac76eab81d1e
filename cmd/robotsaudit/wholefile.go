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

// writeWhole writes a file, of which there is nothing until it is whole; - is standard output.
func writeWhole(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	if path == "-" {
		out := bufio.NewWriter(cmd.OutOrStdout())
		return errors.Join(write(out), out.Flush())
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder, not a file", path)
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
