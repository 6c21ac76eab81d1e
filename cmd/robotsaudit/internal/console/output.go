// Package console is what commands write: lines of a log, progress, text and JSON, and files that are whole. The flags
// of AddFlags say how much of it.
package console

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/object"
)

// Output is standard output; its errors name it.
type Output struct {
	io.Writer
	Err error // the first
}

func (o *Output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		err = &OutputError{err}
		if o.Err == nil {
			o.Err = err
		}
	}
	return n, err
}

// OutputError is an error of standard output.
type OutputError struct{ err error }

func (e *OutputError) Error() string { return e.err.Error() }
func (e *OutputError) Unwrap() error { return e.err }

// Encoder writes JSON in which only what JSON itself requires is escaped.
func Encoder(w io.Writer, indent string) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	return e
}

// Say prints a line, unless --quiet suppresses it.
func Say(cmd *cobra.Command, format string, a ...any) error {
	if IsQuiet(cmd) {
		return nil
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), format+"\n", a...)
	return err
}

// WriteWhole writes a file that does not exist until it is whole; - is standard output. What
// is no file, such as a pipe or /dev/null, is written to as it is: a file must not take its place.
func WriteWhole(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	buffered := func(w io.Writer) error {
		out := bufio.NewWriter(w)
		return cmp.Or(write(out), out.Flush())
	}
	if path == "-" {
		return buffered(cmd.OutOrStdout())
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
		return cmp.Or(buffered(f), f.Close())
	}
	return durable.WriteWhole(path, buffered)
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
