package main

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
)

// variablePrefix begins the environment variables of the program, and of its repository.
const variablePrefix = "ROBOTSAUDIT_"

// repositoryVariables are the variables of this repository's tests and scripts, without their prefix.
var repositoryVariables = []string{
	"BUNDLES", "CI_CACHE", "CRAWLERS_NAMESPACE", "DAMAGE", "INDEXES", "LONG_TESTS", "PROBES", "PROGRAM", "PYTHON",
	"TESTDATA_NAMESPACE", "VENVS", "VERSION",
}

// warnOfVariables names the environment variables that nobody reads.
func warnOfVariables(root *cobra.Command, log *slog.Logger) {
	known := usage.Variables(root)
	for _, name := range unknownVariables(known, os.Environ()) {
		log.Warn(fmt.Sprintf("environment variable %s is ignored, it is that of no flag; %s", name,
			usage.Suggest(name, "", known, "variables are named like flags, as in ROBOTSAUDIT_OUTPUT")))
	}
}

// unknownVariables lists the names in an environment that are neither settings nor the repository's.
func unknownVariables(known, environ []string) (names []string) {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		short, ours := strings.CutPrefix(name, variablePrefix)
		if ours && value != "" && !slices.Contains(known, name) && !slices.Contains(repositoryVariables, short) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
