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
		"`FILE` with the requests to a site, as its server logs them: the common or combined format of Apache or nginx, "+
			"JSON lines, W3C's #Fields; also compressed, and - for standard input (repeatable); see docs/FORMATS.md")
	flags.String("line-format", "",
		"`TEXT` that is the format of the lines in --access-log, in the syntax of nginx's log_format or Apache's LogFormat; without it, "+
			"the usual formats")
	flags.StringArray("site", nil,
		"`ORIGIN` whose requests count, such as https://example.org; it is needed where the lines name no host, or "+
			"neither scheme nor port (repeatable)")
	flags.StringArray("ranges", nil,
		"`FILE` with the addresses of a crawler, as its operator publishes them (gptbot.json), or TOKEN=FILE, where its "+
			"name is not the crawler's; requests in that name from elsewhere count as forged (repeatable)")
	flags.String("address-key", "",
		"`FILE` with a key of at least 16 bytes: the addresses of clients come hashed by it; without it they are left out")
	flags.Bool("keep-addresses", false, "keep the addresses of clients as they are")
}

// accessLogs are the logs that a command's flags name, and how to read them.
func accessLogs(cmd *cobra.Command) (logs []string, how ingest.AccessLog, err error) {
	flags := cmd.Flags()
	logs, _ = flags.GetStringArray("access-log")
	how.Format, _ = flags.GetString("line-format")
	how.Sites, _ = flags.GetStringArray("site")
	how.Key, _ = flags.GetString("address-key")
	how.Keep, _ = flags.GetBool("keep-addresses")
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
	case len(logs) == 0 && (how.Format != "" || len(how.Sites)+len(ranges) > 0 || how.Key != "" || how.Keep):
		return nil, how, usage.Errorf("--line-format, --site, --ranges, --address-key and --keep-addresses are about " +
			"--access-log: name a log")
	case how.Key != "" && how.Keep:
		return nil, how, usage.Errorf("--address-key hashes addresses, and --keep-addresses does not: give one of them")
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
