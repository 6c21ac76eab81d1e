package console

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/object"
)

// WriteWhole writes a file that does not exist until it is whole; - is standard output. What
// is no file, such as a pipe or /dev/null, is written to as it is: a file must not take its place.
func WriteWhole(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	if path == "-" {
		out := bufio.NewWriter(cmd.OutOrStdout())
		return cmp.Or(write(out), out.Flush())
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder, not a file", path)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("%s cannot be written (%w); give another place", path, object.Cause(err))
		}
		out := bufio.NewWriter(f)
		return cmp.Or(write(out), out.Flush(), f.Close())
	}
	return durable.WriteWhole(path, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		return cmp.Or(write(out), out.Flush())
	})
}

// PrintAs prints on standard output: v as JSON, if that is the format, else what text writes.
func PrintAs(cmd *cobra.Command, format string, v any, text func(io.Writer) error) error {
	return WriteWhole(cmd, "-", func(w io.Writer) error {
		if format == "json" {
			return Encoder(w, "  ").Encode(v)
		}
		return text(w)
	})
}
