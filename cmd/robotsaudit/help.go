package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// operatorFlags are those that the help lists in a section of their own: they are for
// scripts and schedulers, and no result depends on them.
var operatorFlags = []string{"log-format", "quiet", "progress", "config", "metrics", "wait-lock"}

// helpWidth is how many columns help takes at most.
const helpWidth = 100

// groupFlags has the help of all commands list the flags for operators apart.
func groupFlags(root *cobra.Command) {
	cobra.AddTemplateFunc("flagsFor", func(cmd *cobra.Command, operators bool) string {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if slices.Contains(operatorFlags, f.Name) == operators {
				flags.AddFlag(f)
			}
		})
		return strings.TrimRight(flags.FlagUsagesWrapped(helpWidth), "\n")
	})
	root.SetUsageTemplate(strings.NewReplacer(
		"{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}", "{{flagsFor . false}}",
		"Global Flags:", "Flags for operators (the environment can set all flags: ROBOTSAUDIT_OUTPUT stands for --output):",
		"{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}", "{{flagsFor . true}}",
	).Replace(root.UsageTemplate()))
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
		return usageErrorf("unknown shell %q; '%s --help' lists them", args[0], cmd.CommandPath())
	}
}

// checkHelpArgs has 'help' refuse what is no command.
func checkHelpArgs(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(cmd *cobra.Command, args []string) error {
		of, rest, _ := root.Find(args)
		if of == root && len(args) > 0 {
			return unknownCommand(root, args[0])
		}
		return noArgs(cmd, rest)
	}
}
