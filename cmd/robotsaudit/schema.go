package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/report"
)

func newSchemaCommand() *cobra.Command {
	var format string
	var flags bool
	cmd := &cobra.Command{
		Use:   "schema [TABLE]",
		Short: "Describe the tables that an audit writes, and their columns",
		Long: `Schema describes every result table, or the one named TABLE: what a row is, its key, its
order, and how it joins others; and of each column its type and unit, what it means, what
null means, and the values that it can have, where these are few. With --format json it is
a data dictionary for programs. docs/SCHEMA.md says the same.

With --flags it describes the commands and their flags instead, as JSON: for each flag its type
and default, the values that it can have, where these are few, and what it means.`,
		Example: `  robotsaudit schema violations
  robotsaudit schema --format json | jq -r '.tables[].name'
  robotsaudit schema fetches --format json | jq -r '.tables[0].columns[].name'
  robotsaudit schema --flags | jq -r '.commands[].name'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags {
				if err := noArgs(cmd, args); err != nil {
					return err
				}
				return console.Encoder(cmd.OutOrStdout(), "  ").Encode(describeFlags(cmd.Root()))
			}
			schema, err := report.LoadSchema()
			if err != nil {
				return err
			}
			if err := onlyTable(cmd, schema, args); err != nil {
				return err
			}
			return console.PrintAs(cmd, format, schema, schema.WriteText)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of the output: text or json")
	cmd.Flags().BoolVar(&flags, "flags", false, "describe the commands and their flags, as JSON, and no table")
	cmd.ValidArgs = report.TableNames()
	return cmd
}

// onlyTable leaves of a schema the table that args name, if they name one.
func onlyTable(cmd *cobra.Command, schema *report.Schema, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if err := noArgs(cmd, args[1:]); err != nil {
		return err
	}
	table, ok := schema.Find(args[0])
	if !ok {
		return usageErrorf("there is no table %q; %s", args[0],
			advice(args[0], "", report.TableNames(), "'robotsaudit schema' describes them all"))
	}
	schema.Tables = []report.TableSchema{table}
	return nil
}

// flagSchema describes the command line, for programs that call this one.
type flagSchema struct {
	Commands []commandSchema `json:"commands"`
}

type commandSchema struct {
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

// describeFlags describes the flags of all commands, by name, but for hidden ones and help.
func describeFlags(root *cobra.Command) (s flagSchema) {
	for _, c := range root.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		command := commandSchema{Name: c.Name(), Use: c.Use, Meaning: c.Short, Flags: []flagMeaning{}}
		c.InheritedFlags() // which c.Flags() has from now on
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !isSetting(f) {
				return
			}
			value, meaning := pflag.UnquoteUsage(f)
			choices := choicesOf(c, f)
			if f.Name == "profile" || f.Name == "agents" {
				choices = offers[f.Name]()
			}
			command.Flags = append(command.Flags,
				flagMeaning{f.Name, f.Value.Type(), value, f.DefValue, choices, meaning})
		})
		s.Commands = append(s.Commands, command)
	}
	return s
}
