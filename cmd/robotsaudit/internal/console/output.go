// Package console is what commands write: lines of a log, progress, text and JSON, and files that are whole. The flags
// of AddFlags say how much of it.
package console

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
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
