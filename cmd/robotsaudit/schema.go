package main

import (
	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
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
				if err := usage.NoArgs(cmd, args); err != nil {
					return err
				}
				return usage.Describe(cmd.OutOrStdout(), cmd.Root())
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
