// Package usage is the command line: what commands have in common of arguments and flags, mistakes in them with
// advice, and the exit codes.
//
// The root command gets it by SetUp; Check comes before each command.
package usage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/internal/agents"
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

// Suggest is what follows an unknown word: the name that was meant, or else what else helps.
func Suggest(word, before string, names []string, otherwise string) string {
	if name, ok := meant(word, names); ok {
		return fmt.Sprintf("did you mean %s%s?", before, name)
	}
	return otherwise
}

// meant returns the name that a word is nearly, or else the only one that it begins.
func meant(word string, names []string) (name string, ok bool) {
	if name, ok = agents.Nearest(word, names); ok || len(word) < 2 {
		return name, ok
	}
	for _, n := range names {
		if strings.HasPrefix(n, strings.ToLower(word)) {
			if ok {
				return "", false
			}
			name, ok = n, true
		}
	}
	return name, ok
}

func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return Errorf("unknown command %q; %s", name, Suggest(name, "", names, "'robotsaudit --help' lists them"))
}

// flagError explains what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	otherwise := fmt.Sprintf("'%s --help' lists the options", cmd.CommandPath())
	text, _, _ := strings.Cut(err.Error(), ": strconv.") // how numbers are parsed
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return Errorf("%s; %s", text, otherwise)
	}
	// -agent=X, too
	name, _, _ := strings.Cut(cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()), "=")
	if others := commandsWith(cmd.Root(), name); others != nil {
		otherwise = fmt.Sprintf("%s has none; it is of %s", cmd.CommandPath(), strings.Join(others, ", "))
	}
	return Errorf("%s; %s", text, Suggest(name, "--", flagNames(cmd), otherwise))
}

// commandsWith lists the commands that have a flag.
func commandsWith(root *cobra.Command, flag string) (names []string) {
	for _, c := range root.Commands() {
		if f := c.Flags().Lookup(flag); f != nil && !f.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

// flagNames lists the flags of a command that its help lists.
func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}
