package usage

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// SetUp completes the root command, once it has all others: its help, its mistakes, the completion of flags.
func SetUp(root *cobra.Command) {
	root.Args = cobra.ArbitraryArgs // one that names no command: cobra would word the error in its own way
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Errorf("no command given; 'robotsaudit --help' lists them")
		}
		return unknownCommand(cmd, args[0])
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if args := cmd.Flags().Args(); cmd == root && len(args) > 0 { // before the flag, which is another command's
			return unknownCommand(cmd, args[0])
		}
		return flagError(cmd, err)
	})
	groupFlags(root)
	checkHelpArgs(root)
	completeFlags(root)
}

// Check refuses what cannot be meant in any command.
func Check(cmd *cobra.Command) error {
	for _, check := range [...]func(*cobra.Command) error{refuseStdin, refuseOverwriting, checkChoices, checkWorkers} {
		if err := check(cmd); err != nil {
			return err
		}
	}
	return nil
}

// sections are the flags that help lists below headings of their own. No result depends on the ones for operators: they
// are for scripts and schedulers.
var sections = [...]struct {
	heading string
	flags   []string
}{
	{"Lists of URLs, tables of robots.txt:", []string{"urls", "robots", "robots-bodies", "columns"}},
	{"Access logs:", []string{"access-log", "line-format", "site", "ranges"}},
	{"Indexes:", []string{"base", "verify"}},
	{"Servers and stores:", []string{"s3-endpoint", "s3-anonymous"}},
	{"Flags that limit it to a part of the audit:", []string{"since", "until", "host", "crawler-only", "operator-of"}},
	{"Flags for operators:", []string{"log-format", "quiet", "progress", "metrics"}},
}

// helpWidth is how many columns help takes at most.
const helpWidth = 100

// groupFlags has the help of all commands list the flags of sections apart.
func groupFlags(root *cobra.Command) {
	cobra.AddTemplateFunc("flagSections", func(cmd *cobra.Command) string {
		var sets [len(sections) + 1]pflag.FlagSet // the first is of the others
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			at := 0
			for i, s := range sections {
				if slices.Contains(s.flags, f.Name) {
					at = i + 1
				}
			}
			sets[at].AddFlag(f)
		})
		text := sets[0].FlagUsagesWrapped(helpWidth)
		for i, s := range sections {
			if below := sets[i+1].FlagUsagesWrapped(helpWidth); below != "" && cmd != root {
				text += "\n" + s.heading + "\n" + below
			}
		}
		return strings.TrimRight(text, "\n")
	})
	root.SetUsageTemplate(strings.NewReplacer(
		"{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}", "{{flagSections .}}",
		`{{if .HasAvailableInheritedFlags}}

Global Flags:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}`, "",
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

// Command describes a command, for programs that call this one.
type Command struct {
	Name    string        `json:"name"`
	Use     string        `json:"use"` // with its arguments: "audit INPUT... -o DIR"
	Meaning string        `json:"meaning"`
	Flags   []flagMeaning `json:"flags"`
}

type flagMeaning struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`              // bool, int, string, or a list: stringArray, stringSlice (with commas)
	Value   string   `json:"value,omitempty"`   // what a value is, as in the help: "FILE"
	Default string   `json:"default"`           // as text
	Choices []string `json:"choices,omitempty"` // all values that the flag can have, where these are few
	Meaning string   `json:"meaning"`
}

// Describe returns the commands and their flags, by name, but for hidden ones and help.
func Describe(root *cobra.Command) []Command {
	var commands []Command
	for _, c := range root.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		command := Command{Name: c.Name(), Use: c.Use, Meaning: c.Short, Flags: []flagMeaning{}}
		c.InheritedFlags() // which c.Flags() has from now on
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			value, meaning := pflag.UnquoteUsage(f)
			choices := choicesOf(c, f)
			if f.Name == "profile" {
				choices = offers[f.Name]()
			}
			command.Flags = append(command.Flags,
				flagMeaning{f.Name, f.Value.Type(), value, f.DefValue, choices, meaning})
		})
		commands = append(commands, command)
	}
	return commands
}
