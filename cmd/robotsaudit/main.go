// Robotsaudit tells, from web archives alone, what crawlers were allowed to fetch.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes, as README.md documents them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitUnread      = 3
	exitViolations  = 10
	exitInterrupted = 130
)

func main() {
	// The first interrupt finishes what is in hand; the second one ends at once,
	// because the handler is gone by then.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var status exitStatus
	if err != nil && !errors.As(err, &status) {
		fmt.Fprintf(stderr, "robotsaudit: %v\n", explain(err))
	}
	return exitCode(err)
}

// usageError is a mistake in the command line.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usageErrorf(format string, a ...any) error {
	return &usageError{fmt.Sprintf(format, a...)}
}

// exitStatus ends a command that did its work with another code than 0.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func exitCode(err error) int {
	var status exitStatus
	var usage *usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailed
}

// explain says what to do about errors whose text does not.
func explain(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return fmt.Errorf("the disk of the output folder is full (%w); make room and run the same command again, it goes on where it stopped", err)
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted; run the same command again, it goes on where it stopped")
	}
	return err
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "robotsaudit",
		Short: "Tell from web archives what crawlers were allowed to fetch",
		Long: `robotsaudit reads web archives (WARC), reconstructs every origin's robots.txt as it
stood at the time of the crawl, and tells for every captured fetch whether it was
permitted, with the proof. It needs no network.`,
		Example: `  robotsaudit audit crawl.warc.gz -o out          one archive; tables and audit.json in out
  robotsaudit audit archives/ -o out              all archives in a folder
  robotsaudit audit @list.txt -o out --agent GPTBot --agent CCBot
                                                  and what these crawlers would have been allowed
  robotsaudit match robots.txt GPTBot /private/   one question to one robots.txt`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usageErrorf("no command given; 'robotsaudit --help' lists them")
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageErrorf("%v; '%s --help' lists the options", err, cmd.CommandPath())
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().String("log-format", "text", "format of log lines on standard error: text or json")
	root.AddCommand(newAuditCommand(), newIngestCommand(), newEvaluateCommand(), newMatchCommand(), newVersionCommand())
	for _, c := range root.Commands() {
		c.Args = usageArgs(c.Args)
	}
	root.Args = usageArgs(root.Args)
	return root
}

// usageArgs makes a wrong number of arguments a usage error.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	if check == nil {
		return nil
	}
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageErrorf("%v; '%s --help' shows how to call it", err, cmd.CommandPath())
		}
		return nil
	}
}

// newLogger returns the logger that --log-format asks for.
func newLogger(cmd *cobra.Command) (*slog.Logger, error) {
	format, err := cmd.Flags().GetString("log-format")
	if err != nil {
		return nil, err
	}
	switch format {
	case "text":
		return slog.New(&plainHandler{w: cmd.ErrOrStderr()}), nil
	case "json":
		return slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil)), nil
	}
	return nil, usageErrorf("--log-format %q: use text or json", format)
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: `  robotsaudit version`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "robotsaudit %s (%s)\n", version(), runtime.Version())
			return err
		},
	}
}
