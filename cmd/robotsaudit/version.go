package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/report"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: `  robotsaudit version`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "robotsaudit %s (%s %s/%s)\n", report.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
