package usage

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// NoArgs refuses arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return LeftOver(cmd, cmd.CommandPath(), args[0])
	}
	return nil
}

// fileFlags name files that are read.
var fileFlags = []string{"ranges", "robots", "urls"}

// refuseStdin refuses standard input as a file that a flag names.
func refuseStdin(cmd *cobra.Command) error {
	for _, name := range fileFlags {
		switch files, _ := cmd.Flags().GetStringArray(name); { // none where the command has no such flag
		case !slices.Contains(files, facts.Stdin):
		case name == "urls":
			return Errorf("--urls -: lists are read from files here; give one on standard input as the input " +
				"-, or write it to a file")
		default:
			return Errorf("--%s -: standard input is not read here; write it to a file and name that", name)
		}
	}
	return nil
}

// outputFlags name files that are written.
var outputFlags = []string{"html", "json", "markdown", "metrics", "text", "to"}

// refuseOverwriting refuses to write to a file that the command line names for reading.
func refuseOverwriting(cmd *cobra.Command) (err error) {
	read := cmd.Flags().Args()
	written := make(map[string]string)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if value := f.Value.String(); slices.Contains(outputFlags, f.Name) {
			written[f.Name] = value
		} else if list, ok := f.Value.(pflag.SliceValue); ok {
			read = append(read, list.GetSlice()...)
		} else {
			read = append(read, value)
		}
	})
	for _, name := range slices.Sorted(maps.Keys(written)) {
		for _, path := range read {
			path = strings.TrimPrefix(path[strings.LastIndexByte(path, '=')+1:], "@") // --ranges TOKEN=FILE, --agents @FILE
			if to := written[name]; to != facts.Stdin && !IsFolder(to) && durable.Same(to, path) {
				return Errorf("--%s %s: that file is read; give another place", name, to)
			}
		}
	}
	return nil
}

// LeftOver refuses an argument after those that a command takes, and says what to write in its place. The call is the
// command line without it.
func LeftOver(cmd *cobra.Command, call, arg string) error {
	if option := optionFor(cmd, arg); option != "" {
		return Errorf("%q is one argument too many; did you mean: %s %s?", arg, call, option)
	}
	if _, err := os.Stat(filepath.Join(arg, report.AuditFile)); err == nil {
		return Errorf("%q is one audit too many; leave it out: %s; or make one audit of several first: "+
			"robotsaudit merge OUT... -o BOTH", arg, call)
	}
	return Errorf("%q is one argument too many; leave it out: %s", arg, call)
}

// optionFor is the option that an argument may be meant for: one of its name, of the ending of a file, of a kind of
// value; "" if none is.
func optionFor(cmd *cobra.Command, arg string) string {
	has := func(name string) bool { return cmd.Flags().Lookup(name) != nil }
	ending := strings.TrimPrefix(filepath.Ext(arg), ".")
	_, isAgent := agents.Find(arg)
	_, isCategory := agents.InCategory(arg)
	_, err := Date("since", arg)
	switch name := map[string]string{"md": "markdown", "txt": "text"}[ending]; {
	case arg != "" && has(arg):
		return "--" + arg
	case ending != "" && has("to"):
		return "--to " + prose.ShellWord(arg)
	case cmp.Or(name, ending) != "" && has(cmp.Or(name, ending)):
		return "--" + cmp.Or(name, ending) + " " + prose.ShellWord(arg)
	case (isCategory || isAgent) && has("agents"):
		return "--agents " + arg
	case err == nil && arg != "" && has("since"):
		return "--since " + arg
	case err == nil && arg != "" && has("as-of"):
		return "--as-of " + arg
	case ending != "" && !IsFolder(arg) && has("host"):
		return "--host " + prose.ShellWord(arg)
	}
	return ""
}

// FirstExample is the first example of a command.
func FirstExample(cmd *cobra.Command) string {
	example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
	return example
}

// RefuseFile refuses a file in the place of a folder, which need not be there.
func RefuseFile(dir string) error {
	if dir == facts.Stdin {
		return Errorf("%q is no folder here; name one", dir)
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		if _, err := os.Stat(filepath.Join(filepath.Dir(dir), report.AuditFile)); err == nil {
			return Errorf("%s is a file, not a folder; name its folder: %s", dir, filepath.Dir(dir))
		}
		return Errorf("%[1]s is a file; name the output folder of an audit, which 'robotsaudit audit %[1]s -o out' makes "+
			"(of a server's log: audit --access-log %[1]s -o out; a bundle: robotsaudit verify %[1]s)", prose.ShellWord(dir))
	}
	return nil
}

// RefuseFolder refuses a folder in the place of a file, which need not be there.
func RefuseFolder(file string) error {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return Errorf("%s is a folder, not a file; name a file", file)
	}
	return nil
}

// IsFolder reports whether a path is that of a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
