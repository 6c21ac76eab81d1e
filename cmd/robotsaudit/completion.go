package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// flagValues are what a shell offers behind a flag. For a flag that means something else in
// some command, the name of the command stands before its own.
var flagValues = map[string]func() []string{
	"agent":        tokens,
	"agents":       agents.Names,
	"crawler":      tokens,
	"profile":      profileNames,
	"purpose":      fixed("archive", "index", "train"),
	"log-format":   fixed("text", "json"),
	"format":       fixed("text", "json"),
	"fail-on":      fixed("violations", "unread"),
	"policies":     fixed("asked", "named", "none"),
	"progress":     fixed("auto", "plain", "none"),
	"unknown":      fixed("drop", "keep"),
	"diff fail-on": fixed("new-violations"),
}

func fixed(values ...string) func() []string { return func() []string { return values } }

func tokens() (names []string) {
	for _, a := range agents.All() {
		names = append(names, a.Token)
	}
	return names
}

func profileNames() (names []string) {
	for _, p := range robots.Profiles {
		names = append(names, p.String())
	}
	return names
}

// completeFlags tells the shell what values flags have, in all commands.
func completeFlags(cmd *cobra.Command) {
	register := func(f *pflag.Flag) {
		values, ok := flagValues[cmd.Name()+" "+f.Name]
		if !ok {
			values, ok = flagValues[f.Name]
		}
		if !ok {
			return
		}
		err := cmd.RegisterFlagCompletionFunc(f.Name, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return values(), cobra.ShellCompDirectiveNoFileComp
		})
		if err != nil { // two flags of one name
			panic(err)
		}
	}
	cmd.LocalFlags().VisitAll(register)
	for _, c := range cmd.Commands() {
		completeFlags(c)
	}
}
