// Package usage is the command line: what commands have in common of arguments and flags, the values of flags that
// settings give, mistakes in all of these with advice on them, and the exit codes.
//
// The root command gets it by SetUp; Check comes before each command.
package usage

import (
	"context"
	"errors"
	"fmt"
)

// ExitCode is how a command ends. As an error it ends one that did its work with another code than 0.
type ExitCode int

// Exit codes, as README.md documents them.
const (
	ExitDone        ExitCode = 0
	ExitFailed      ExitCode = 1
	ExitUsage       ExitCode = 2
	ExitUnread      ExitCode = 3
	ExitViolations  ExitCode = 10
	ExitInterrupted ExitCode = 130
)

// How the help of commands explains exit codes.
const (
	exitHead = `Exit codes: 0 done; 1 failed; 2 mistake in the command line; 3 done, but some input could
not be read completely; `
	ExitHelp       = exitHead + `130 interrupted.`
	FailOnExitHelp = exitHead + `10 violations found, with --fail-on; 130 interrupted.` // of commands that have it
)

func (e ExitCode) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// mistake is a mistake in the command line.
type mistake struct{ message string }

func (e *mistake) Error() string { return e.message }

// Errorf is the error of a mistake.
func Errorf(format string, a ...any) error {
	return &mistake{fmt.Sprintf(format, a...)}
}

// CodeOf is the exit code of an error.
func CodeOf(err error) ExitCode {
	var status ExitCode
	var wrong *mistake
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &status):
		return status
	case errors.As(err, &wrong):
		return ExitUsage
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	}
	return ExitFailed
}
