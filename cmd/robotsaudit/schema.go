package main

import (
	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/report"
)

func newSchemaCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "schema [TABLE]",
		Short: "Describe the tables that an audit writes, and their columns",
		Long: `Schema describes every result table, or the one named TABLE: what a row is, its key, its
order, and how it joins others; and of each column its type and unit, what it means, what
null means, and the values that it can have, where these are few, each with its meaning.

With --format json it is a data dictionary for programs. Without TABLE that also describes the
commands: for each flag its type and default, its values, where these are few, and its meaning.`,
		Example: `  robotsaudit schema violations
  robotsaudit schema --format json | jq -r '.tables[].name'
  robotsaudit schema fetches --format json | jq -r '.tables[0].columns[].name'
  robotsaudit schema --format json | jq -r '.commands[].name'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			schema, err := report.LoadSchema()
			if err != nil {
				return err
			}
			if err := onlyTable(cmd, schema, args); err != nil {
				return err
			}
			description := struct {
				*report.Schema
				Commands []usage.Command `json:"commands,omitempty"`
			}{Schema: schema}
			if len(args) == 0 {
				description.Commands = usage.Describe(cmd.Root())
			}
			return console.PrintAs(cmd, format, description, schema.WriteText)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of the output: text or json")
	cmd.ValidArgs = report.TableNames()
	return cmd
}

// onlyTable leaves of a schema the table that args name, if they name one.
func onlyTable(cmd *cobra.Command, schema *report.Schema, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if err := usage.NoArgs(cmd, args[1:]); err != nil {
		return err
	}
	table, ok := schema.Find(args[0])
	if !ok {
		return usage.Errorf("there is no table %q; %s", args[0],
			usage.Suggest(args[0], "", report.TableNames(), "'robotsaudit schema' describes them all"))
	}
	schema.Tables = []report.TableSchema{table}
	return nil
}
