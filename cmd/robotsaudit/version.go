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
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "robotsaudit", versionText())
			return err
		},
	}
}

// versionText is the version with what the program was built by and for.
func versionText() string {
	return fmt.Sprintf("%s (%s %s/%s)", report.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
