package main

import (
	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/report"
)

func newSchemaCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "schema [TABLE]",
		Short: "Describe the tables that an audit writes, and their columns",
		Long: `Schema describes every result table, or the one named TABLE: what a row is, its key, its
order, and how it joins others; and of each column its type and unit, what it means, what
null means, and the values that it can have, where these are few. With --format json it is
a data dictionary for programs. docs/SCHEMA.md says the same.`,
		Example: `  robotsaudit schema violations
  robotsaudit schema --format json | jq -r '.tables[].name'
  robotsaudit schema fetches --format json | jq -r '.tables[0].columns[].name'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			schema, err := report.LoadSchema()
			if err != nil {
				return err
			}
			if err := onlyTable(cmd, schema, args); err != nil {
				return err
			}
			return printAs(cmd, format, schema, schema.WriteText)
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
