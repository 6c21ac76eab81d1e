package usage

import (
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// AddProfile adds the choice of a profile.
func AddProfile(flags *pflag.FlagSet, profile *string) {
	flags.StringVar(profile, "profile", robots.RFC9309.String(),
		"`PROFILE` of the Robots Exclusion Protocol: "+robots.ProfileNames())
}

// AddWorkers adds the number of what is done at a time.
func AddWorkers(flags *pflag.FlagSet, workers *int, what string) {
	flags.IntVar(workers, "workers", runtime.NumCPU(), "`N` "+what)
}

// checkWorkers refuses a number of workers below 1.
func checkWorkers(cmd *cobra.Command) error {
	if workers, err := cmd.Flags().GetInt("workers"); err == nil && workers < 1 {
		return Errorf("--workers %d: at least 1 is needed", workers)
	}
	return nil
}

// Date reads --as-of or another flag: a date, which is the whole day in UTC, or an RFC 3339 date-time; today or
// now.
func Date(flag, s string) (evaluate.AsOf, error) {
	switch s {
	case "":
		return evaluate.AsOf{}, nil
	case "today":
		return evaluate.AsOfDay(time.Now()), nil
	case "now":
		return evaluate.AsOfMoment(time.Now().Truncate(time.Second)), nil
	}
	at, err := evaluate.ParseAsOf(s)
	if err != nil {
		return at, Errorf("--%s %v; write it as 2025-03-01, which is the whole day in UTC, or with a time "+
			"and a zone as 2025-03-01T12:00:00Z; or today or now", flag, err)
	}
	return at, nil
}
