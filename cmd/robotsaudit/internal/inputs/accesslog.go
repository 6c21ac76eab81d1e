package inputs

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// addAccessLog adds the flags for access logs.
func addAccessLog(flags *pflag.FlagSet) {
	flags.StringArray("access-log", nil,
		"`FILE` of requests, as a site's server logs them; - is standard input (repeatable)")
	flags.String("line-format", "",
		"their format, `TEXT` in the syntax of nginx or Apache, unless it is a usual one")
	flags.StringArray("site", nil,
		"`ORIGIN` whose requests count, such as https://example.org (repeatable)")
	flags.StringArray("ranges", nil,
		"`FILE` with the addresses of a crawler, or TOKEN=FILE; others count as forged (repeatable)")
}

// accessLogs are the logs that a command's flags name, and how to read them.
func accessLogs(cmd *cobra.Command) (logs []string, how ingest.AccessLog, err error) {
	flags := cmd.Flags()
	logs, _ = flags.GetStringArray("access-log")
	how.Format, _ = flags.GetString("line-format")
	how.Sites, _ = flags.GetStringArray("site")
	ranges, _ := flags.GetStringArray("ranges")
	for _, arg := range ranges {
		token, path, found := strings.Cut(arg, "=")
		if !found {
			path = arg
			token = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		}
		if fault := agents.TokenFault(token); fault != "" {
			return nil, how, usage.Errorf("--ranges %s: %q is no product token: %s", arg, token, fault)
		}
		how.Ranges = append(how.Ranges, ingest.LogRanges{Token: token, Path: path})
	}
	switch {
	case len(logs) == 0 && (how.Format != "" || len(how.Sites)+len(ranges) > 0):
		return nil, how, usage.Errorf("--line-format, --site and --ranges are about --access-log: name a log")
	case slices.Contains(logs, facts.Stdin) && (slices.Contains(flags.Args(), facts.Stdin) || slices.Contains(flags.Args(), "@"+facts.Stdin)):
		return nil, how, usage.Errorf("standard input is either an access log or another input: leave out one -")
	case len(logs) == 0:
		return nil, how, nil
	}
	if how, err = ingest.FindAccessLog(how); err != nil {
		return nil, how, usage.Errorf("%v", err)
	}
	return logs, how, nil
}
