package usage

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// sections are the flags that the help lists in sections of their own. No result depends on the ones for operators:
// they are for scripts and schedulers.
var sections = map[string][]string{
	"operators": {"log-format", "quiet", "progress", "config", "metrics", "wait-lock"},
	"part":      {"since", "until", "host", "crawler-only"},
}

// helpWidth is how many columns help takes at most.
const helpWidth = 100

// groupFlags has the help of all commands list the flags of sections apart.
func groupFlags(root *cobra.Command) {
	cobra.AddTemplateFunc("flagsFor", func(cmd *cobra.Command, section string) string {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			isApart := slices.Contains(sections["operators"], f.Name) || slices.Contains(sections["part"], f.Name)
			if slices.Contains(sections[section], f.Name) || section == "" && !isApart {
				flags.AddFlag(f)
			}
		})
		return strings.TrimRight(flags.FlagUsagesWrapped(helpWidth), "\n")
	})
	root.SetUsageTemplate(strings.NewReplacer(
		"{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}", `{{flagsFor . ""}}{{with flagsFor . "part"}}

Flags that limit it to a part of the audit:
{{.}}{{end}}`,
		"Global Flags:", "Flags for operators (the environment can set all flags: ROBOTSAUDIT_OUTPUT stands for --output):",
		"{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}", `{{flagsFor . "operators"}}`,
	).Replace(root.UsageTemplate()))
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
		return NoArgs(cmd, rest)
	}
}
