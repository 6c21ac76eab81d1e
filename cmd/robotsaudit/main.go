// Robotsaudit shows, from web archives alone, what crawlers were allowed to fetch.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
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

const (
	exitHead = `Exit codes: 0 done; 1 failed; 2 mistake in the command line; 3 done, but some input could
not be read completely; `
	exitHelp       = exitHead + `130 interrupted.`
	failOnExitHelp = exitHead + `10 violations found, with --fail-on; 130 interrupted.` // of commands that have it
)

func main() {
	// The first interrupt stops reading and deciding; the second one ends at once,
	// because the handler is gone by then.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	runtime.MemProfileRate = 0 // until a profile is asked for
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		limitMemory()
	}
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var profiles profiles
	root := newRootCommand()
	profiles.addFlags(root)
	over := func() {}
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := refuseStdin(cmd); err != nil {
			return err
		}
		if err := applySettings(cmd); err != nil {
			return err
		}
		if err := cmp.Or(checkChoices(cmd), checkWorkers(cmd)); err != nil {
			return err
		}
		log := console.Logger(cmd)
		known := settingVariables(root)
		for _, name := range unknownVariables(known, os.Environ()) {
			log.Warn(fmt.Sprintf("environment variable %s is ignored, it is that of no flag; %s", name,
				advice(name, "", known, "variables are named like flags, as in ROBOTSAUDIT_OUTPUT")))
		}
		if err := configureRemote(cmd); err != nil {
			return err
		}
		over = acknowledge(cmd)
		return profiles.start(cmd)
	}
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &console.Output{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	checkCompletionArgs(root)
	cmd, err := root.ExecuteContextC(ctx)
	over()
	if stopErr := profiles.stop(); err == nil {
		err = stopErr
	}
	var status exitStatus
	if out.Err != nil && (err == nil || errors.As(err, &status)) { // not every command looks at what printing came to
		err = out.Err
	}
	if err != nil && !errors.As(err, &status) {
		console.Logger(cmd).Error(advise(err, cmd).Error())
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

// advise adds what to do about errors whose text does not.
func advise(err error, cmd *cobra.Command) error {
	again, disk := "run the same command again", "the disk of the temporary folder"
	check, _ := cmd.Flags().GetBool("check")
	keeps := cmd.Flags().Lookup("output") != nil && cmd.Name() != "extract" && !check
	switch {
	case keeps && (cmd.Flags().Lookup("to") != nil || cmd.Flags().Lookup("html") != nil):
		disk = "the disk" // of a file that a flag names, which is in the error
	case keeps:
		disk = "the disk of the output folder"
	}
	switch {
	case slices.Contains(cmd.Flags().Args(), facts.Stdin):
		again += ", with the same standard input"
	case keeps && cmd.Flags().Lookup("reread") != nil:
		again += ", it goes on where it stopped"
	}
	var output *console.OutputError
	switch {
	case errors.As(err, &output):
		return fmt.Errorf("standard output cannot be written (%w); send it elsewhere, and run the same command again",
			err)
	case durable.IsFull(err):
		return fmt.Errorf("%s is full (%w); make room and %s", disk, err, again)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted; %s", again)
	}
	return err
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:     "robotsaudit",
		Version: versionText(),
		Short:   "Show from web archives what crawlers were allowed to fetch",
		Long: `robotsaudit reads web archives (WARC), reconstructs every origin's robots.txt as it
stood at the time of the crawl, and decides for every captured fetch whether it was
permitted, with the proof. It needs no network, but for archives that lie elsewhere.

Many machines, as under Slurm, share an audit in stages: see 'robotsaudit plan --help'.

` + failOnExitHelp,
		Example: `  robotsaudit audit crawl.warc.gz -o out          one archive; tables and report.html in out
  robotsaudit audit archives/ -o out              all archives in a folder
  robotsaudit audit @list.txt -o out --agent GPTBot --agent CCBot
                                                  and what these crawlers would have been allowed
  robotsaudit report out                          the report for people, out/report.html
  robotsaudit match robots.txt GPTBot /private/   one question to one robots.txt`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs, // one that names no command: cobra would word the error in its own way
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageErrorf("no command given; 'robotsaudit --help' lists them")
			}
			return unknownCommand(cmd, args[0])
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if args := cmd.Flags().Args(); cmd == root && len(args) > 0 { // before the flag, which is another command's
			return unknownCommand(cmd, args[0])
		}
		return flagError(cmd, err)
	})
	root.SetVersionTemplate("robotsaudit {{.Version}}\n")
	root.Flags().Bool("version", false, "print the version")
	root.CompletionOptions.HiddenDefaultCmd = true
	console.AddFlags(root.PersistentFlags())
	root.PersistentFlags().String("config", "",
		"`FILE` in TOML with values of flags, as in output = \"out\"; a table such as [audit] is for that command")
	groupFlags(root)
	root.AddCommand(
		newAuditCommand(), newIngestCommand(), newEvaluateCommand(), newMergeCommand(), newReportCommand(),
		newExportCommand(), newDiffCommand(), newExplainCommand(), newEvidenceCommand(),
		newRecordsCommand(), newExtractCommand(), newMatchCommand(), newAgentsCommand(), newSchemaCommand(),
		newVersionCommand(),
	)
	root.AddCommand(newStageCommands()...)
	checkHelpArgs(root)
	completeFlags(root)
	return root
}

// inputArgs requires at least one archive.
func inputArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && !cmd.Flags().Changed("urls") && !cmd.Flags().Changed("robots") &&
		!cmd.Flags().Changed("access-log") {
		return usageErrorf("no archive given; name a file, a folder or a list, as in: %s", firstExample(cmd))
	}
	if id := cmd.Flags().Lookup("id-column"); id != nil && id.Changed && !cmd.Flags().Changed("urls") {
		return usageErrorf("--id-column names a column of lists of URLs; name these with --urls FILE")
	}
	if cmd.Flags().Changed("robots-bodies") && !cmd.Flags().Changed("robots") {
		return usageErrorf("--robots-bodies has the bodies of tables of robots.txt; name these with --robots FILE")
	}
	if slices.Contains(args, facts.Stdin) && slices.Contains(args, "@"+facts.Stdin) {
		return usageErrorf("standard input is either an archive or a list of inputs: leave out - or @-")
	}
	return nil
}

// fileFlags name files that are read.
var fileFlags = []string{"address-key", "agents-file", "config", "crawler-map", "documents", "ranges", "ranks", "robots", "urls"}

// refuseStdin refuses standard input as a file that a flag names.
func refuseStdin(cmd *cobra.Command) error {
	for _, name := range fileFlags {
		f := cmd.Flags().Lookup(name)
		if f == nil {
			continue
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		switch {
		case !slices.Contains(values, facts.Stdin):
		case name == "urls":
			return usageErrorf("--urls -: lists are read from files here; give one on standard input as the input " +
				"-, or write it to a file")
		default:
			return usageErrorf("--%s -: standard input is not read here; write it to a file and name that", name)
		}
	}
	return nil
}

// exactly requires n arguments; missing is the error, with the name of the command in it.
func exactly(n int, missing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usageErrorf(missing, cmd.CommandPath())
		}
		return nil
	}
}

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return leftOver(cmd, cmd.CommandPath(), args[0])
	}
	return nil
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: `  robotsaudit version`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "robotsaudit", versionText())
			return err
		},
	}
}

// versionText is the version with what the program was built by and for.
func versionText() string {
	return fmt.Sprintf("%s (%s %s/%s)", report.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
