package usage

import (
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/report/export"
)

// choices are the values of flags that have few. For a flag that means something else in some
// command, the name of the command stands before its own.
var choices = map[string][]string{
	"purpose":        {"archive", "index", "train"},
	"record":         {"fetch", "robots"},
	"log-format":     {"text", "json"},
	"format":         {"text", "json"},
	"export format":  texts(export.Formats),
	"fail-on":        {"violations", "new-violations", "unread"},
	"finish fail-on": {"violations", "unread"},
	"diff fail-on":   {"new-violations"},
	"policies":       {"asked", "named", "none"},
	"progress":       {"auto", "plain", "often", "none"},
	"by":             texts(export.Kinds),
}

// offers are the completions of other flags.
var offers = map[string]func() []string{
	"agents": func() []string { return append(agents.Names(), tokens()...) }, "crawler": tokens, "profile": profileNames,
	"decide": decisions,
}

// choicesOf are the choices for a flag of a command; nil where there are none.
func choicesOf(cmd *cobra.Command, f *pflag.Flag) []string {
	if values, ok := choices[cmd.Name()+" "+f.Name]; ok {
		return values
	}
	return choices[f.Name]
}

// checkChoices refuses a value that is not among the choices of a flag.
func checkChoices(cmd *cobra.Command) (err error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		values := choicesOf(cmd, f)
		if err != nil || values == nil || f.Value.String() == f.DefValue {
			return
		}
		got := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			got = list.GetSlice()
		}
		for _, v := range got {
			switch {
			case slices.Contains(values, v):
			case len(values) == 1:
				err = Errorf("--%s %q: the one value is %s", f.Name, v, values[0])
			case f.Name == "format" || f.Name == "purpose":
				err = Errorf("--%s: unknown %s %q: use %s", f.Name, f.Name, v, Alternatives(values))
			default:
				err = Errorf("--%s %q: use %s", f.Name, v, Alternatives(values))
			}
		}
	})
	return err
}

func texts[S ~string](values []S) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}

// Alternatives lists the values of a flag: a, b or c.
func Alternatives[S ~string](values []S) string {
	list, last := texts(values), len(values)-1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// decisions are what can become of the undecided.
func decisions() (list []string) {
	for _, reason := range append([]string{export.AllReasons}, export.UndecidedReasons()...) {
		list = append(list, reason+"=keep", reason+"=drop")
	}
	return list
}

func tokens() (names []string) {
	for _, a := range agents.All() {
		names = append(names, a.Token)
	}
	return names
}

func profileNames() (names []string) {
	for _, p := range evaluate.Profiles {
		names = append(names, p.String())
	}
	return names
}

// completeFlags gives the shell the values of flags, in all commands.
func completeFlags(cmd *cobra.Command) {
	register := func(f *pflag.Flag) {
		values, ok := offers[f.Name]
		if fixed := choicesOf(cmd, f); fixed != nil {
			values, ok = func() []string { return fixed }, true
		}
		if !ok {
			return
		}
		err := cmd.RegisterFlagCompletionFunc(f.Name,
			func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return values(), cobra.ShellCompDirectiveNoFileComp
			})
		if err != nil { // two flags of one name
			panic(err)
		}
	}
	cmd.LocalFlags().VisitAll(register)
	for _, c := range cmd.Commands() {
		completeFlags(c)
	}
}

// AddProfile adds the choice of a profile.
func AddProfile(flags *pflag.FlagSet, profile *string) {
	flags.StringVar(profile, "profile", evaluate.RFC9309.String(),
		"`PROFILE` by which robots.txt is read: "+english.WordSeries(profileNames(), "or"))
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
