// Robotsaudit shows, from web archives alone, what crawlers were allowed to fetch.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/bundle"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/match"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
)

func main() {
	// The first interrupt stops reading and deciding; the second one ends at once,
	// because the handler is gone by then.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	runtime.MemProfileRate = 0 // samples take half a megabyte
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		limitMemory()
	}
	os.Exit(int(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)))
}

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) usage.ExitCode {
	root := newRootCommand()
	over := func() {}
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := usage.Check(cmd); err != nil {
			return err
		}
		if err := inputs.Configure(cmd); err != nil {
			return err
		}
		over = acknowledge(cmd)
		return nil
	}
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &console.Output{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	checkCompletionArgs(root)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // or that without descriptions
		unquoteUsage(root)
	}
	cmd, err := root.ExecuteContextC(ctx)
	over()
	var status usage.ExitCode
	if out.Err != nil && (err == nil || errors.As(err, &status)) { // not every command looks at what printing came to
		err = out.Err
	}
	if err != nil && !errors.As(err, &status) {
		console.Logger(cmd).Error(advise(err, cmd).Error())
	}
	return usage.CodeOf(err)
}

// advise adds what to do about errors whose text does not.
func advise(err error, cmd *cobra.Command) error {
	again, disk := "run the same command again", "the disk of the temporary folder"
	has := func(flag string) bool { return cmd.Flags().Lookup(flag) != nil }
	switch {
	case has("to"), has("html"):
		disk = "the disk" // of a file that a flag names, which is in the error
	case has("metrics"), has("output"):
		disk = "the disk of the output folder"
	}
	switch {
	case slices.Contains(cmd.Flags().Args(), facts.Stdin):
		again += ", with the same standard input"
	case has("reread"):
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

` + usage.FailOnExitHelp,
		Example: `  robotsaudit audit crawl.warc.gz -o out          one archive; tables and report.html in out
  robotsaudit audit archives/ -o out              all archives in a folder
  robotsaudit audit @list.txt -o out --agents GPTBot --agents CCBot
                                                  and what these crawlers would have been allowed
  robotsaudit report out                          the report for people, out/report.html
  robotsaudit match robots.txt GPTBot /private/   one question to one robots.txt`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("robotsaudit {{.Version}}\n")
	root.Flags().Bool("version", false, "print the version")
	root.CompletionOptions.HiddenDefaultCmd = true
	console.AddFlags(root.PersistentFlags())
	root.AddCommand(
		newAuditCommand(), newIngestCommand(), newEvaluateCommand(), newMergeCommand(), newReportCommand(),
		newExportCommand(), newDiffCommand(), newExplainCommand(), bundle.NewCommand(), bundle.NewVerifyCommand(),
		match.NewCommand(), newAgentsCommand(),
		newSchemaCommand(), newVersionCommand(),
	)
	root.AddCommand(newStageCommands()...)
	usage.SetUp(root)
	return root
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: `  robotsaudit version`,
		Args:    usage.NoArgs,
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

// checkCompletionArgs has 'completion' refuse what is no shell.
func checkCompletionArgs(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"})
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return usage.Errorf("unknown shell %q; '%s --help' lists them", args[0], cmd.CommandPath())
	}
}

// unquoteUsage removes the backquotes around the names of values, which help alone takes out.
func unquoteUsage(cmd *cobra.Command) {
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
	}
	for _, below := range cmd.Commands() {
		unquoteUsage(below)
	}
}

// patience is how long an interrupted command may take to stop what it does. What it has
// not put in its place by then does not count, as after any other end.
const patience = 1500 * time.Millisecond

// acknowledge waits for the interrupt of a command, confirms it at once, and sees that it
// is obeyed. over is to be called when the command has ended.
func acknowledge(cmd *cobra.Command) (over func()) {
	log := console.Logger(cmd)
	warned := make(chan struct{})
	warn := func() { log.Warn("stopping; once more ends at once"); close(warned) }
	unheard := context.AfterFunc(cmd.Context(), warn)
	late, give := context.WithCancel(context.WithoutCancel(cmd.Context()))
	context.AfterFunc(cmd.Context(), func() {
		select {
		case <-late.Done():
		case <-time.After(patience):
			log.Error(advise(context.Canceled, cmd).Error())
			os.Exit(int(usage.ExitInterrupted))
		}
	})
	return func() {
		if !unheard() {
			<-warned
		} else if cmd.Context().Err() != nil { // the command was quicker
			warn()
		}
		give()
	}
}
