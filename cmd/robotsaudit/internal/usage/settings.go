package usage

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/internal/object"
)

// Flags that the command line does not give take their value from the environment or from
// the file of --config: of this command (ROBOTSAUDIT_AUDIT_WORKERS, [audit]), or else of all
// that have such a flag (ROBOTSAUDIT_WORKERS, a key at the top).

// fromSettings marks flags that the command line did not give.
const fromSettings = "robotsaudit_settings"

// Given reports whether the command line gives a flag.
func Given(cmd *cobra.Command, name string) bool {
	f := cmd.Flags().Lookup(name)
	return f.Changed && f.Annotations[fromSettings] == nil
}

// variable is the environment variable of a flag.
func variable(parts ...string) string {
	return strings.ToUpper(strings.ReplaceAll("robotsaudit_"+strings.Join(parts, "_"), "-", "_"))
}

// applySettings gives a command's flags the values that the environment and the file have.
func applySettings(cmd *cobra.Command) error {
	apply := func(f *pflag.Flag, where string, values []string) error {
		if err := setFlag(cmd.Flags(), f, values); err != nil {
			return Errorf("%s: %v", where, err)
		}
		return nil
	}
	if err := eachUnset(cmd, func(f *pflag.Flag) error {
		for _, name := range []string{variable(cmd.Name(), f.Name), variable(f.Name)} {
			if v := os.Getenv(name); v != "" {
				return apply(f, "environment variable "+name, splitList(f, v))
			}
		}
		return nil
	}); err != nil {
		return err
	}
	path, err := cmd.Flags().GetString("config")
	if err != nil || path == "" {
		return err
	}
	settings, err := readSettings(cmd.Root(), path)
	if err != nil {
		return err
	}
	return eachUnset(cmd, func(f *pflag.Flag) error {
		for _, key := range []string{cmd.Name() + "." + f.Name, f.Name} {
			if values, ok := settings[key]; ok {
				return apply(f, fmt.Sprintf("%s: %s", path, key), values)
			}
		}
		return nil
	})
}

// isSetting reports whether a flag can have its value from elsewhere.
func isSetting(f *pflag.Flag) bool { return !f.Hidden && f.Name != "help" }

// eachUnset calls f for flags that have no value so far.
func eachUnset(cmd *cobra.Command, f func(*pflag.Flag) error) (err error) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if err == nil && !flag.Changed && isSetting(flag) {
			err = f(flag)
		}
	})
	return err
}

// Variables are the variables of the flags of all commands.
func Variables(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		add := func(f *pflag.Flag) {
			if isSetting(f) {
				names = append(names, variable(f.Name), variable(c.Name(), f.Name))
			}
		}
		c.LocalFlags().VisitAll(add)
		c.InheritedFlags().VisitAll(add)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// splitList makes several values of text, where the flag can have several.
func splitList(f *pflag.Flag, text string) []string {
	if _, ok := f.Value.(pflag.SliceValue); !ok {
		return []string{text}
	}
	values := strings.Split(text, ",")
	for i := range values {
		values[i] = strings.TrimSpace(values[i])
	}
	return values
}

func setFlag(flags *pflag.FlagSet, f *pflag.Flag, values []string) error {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		if err := list.Replace(values); err != nil {
			return err
		}
		f.Changed = true
	} else if len(values) != 1 {
		return fmt.Errorf("--%s takes one value, not a list", f.Name)
	} else if err := flags.Set(f.Name, values[0]); err != nil {
		var invalid *pflag.InvalidValueError
		if errors.As(err, &invalid) {
			err = errors.Unwrap(invalid)
		}
		var number *strconv.NumError
		if errors.As(err, &number) {
			err = number.Err
		}
		return fmt.Errorf("%q is no value of --%s (%v)", values[0], f.Name, err)
	}
	return flags.SetAnnotation(f.Name, fromSettings, []string{"true"})
}

// readSettings reads a file of settings: values by key, COMMAND.FLAG or FLAG.
func readSettings(root *cobra.Command, path string) (map[string][]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, Errorf("--config %s: %v; check the path", path, object.Cause(err))
	}
	var file map[string]any
	if err := toml.Unmarshal(text, &file); err != nil {
		return nil, Errorf("--config %s: %v; check the file", path, err)
	}
	commands := make(map[string]*cobra.Command)
	for _, c := range root.Commands() {
		commands[c.Name()] = c
	}
	settings := make(map[string][]string)
	add := func(key string, value any) (err error) {
		if settings[key], err = textsOf(value); err != nil {
			err = Errorf("--config %s: %s: %v", path, key, err)
		}
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(file)) {
		section, isTable := file[key].(map[string]any)
		command := commands[key]
		known := isTable && command != nil || !isTable && slices.ContainsFunc(root.Commands(),
			func(c *cobra.Command) bool { return hasSetting(c, key) })
		if !known {
			return nil, Errorf("--config %s: unknown key %q; %s", path, key,
				Suggest(key, "", topKeys(root, isTable),
					"keys are names of flags, as in output = \"out\", and tables those of commands, as in [audit]"))
		}
		if !isTable {
			if err := add(key, file[key]); err != nil {
				return nil, err
			}
		}
		for _, name := range slices.Sorted(maps.Keys(section)) {
			if !hasSetting(command, name) {
				return nil, Errorf("--config %s: unknown key %q; %s", path, key+"."+name,
					Suggest(name, key+".", flagNames(command),
						fmt.Sprintf("'robotsaudit %s --help' lists the flags that can be keys", key)))
			}
			if err := add(key+"."+name, section[name]); err != nil {
				return nil, err
			}
		}
	}
	return settings, nil
}

// topKeys lists the keys that a file can have at its top, for tables or for values.
func topKeys(root *cobra.Command, tables bool) (keys []string) {
	for _, c := range root.Commands() {
		if tables {
			keys = append(keys, c.Name())
		} else {
			keys = append(keys, flagNames(c)...)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// hasSetting reports whether a command has a flag that a file can give.
func hasSetting(cmd *cobra.Command, name string) bool {
	f := cmd.Flags().Lookup(name)
	if f == nil {
		f = cmd.InheritedFlags().Lookup(name)
	}
	return f != nil && isSetting(f) && name != "config"
}

// textsOf are the values of a TOML value.
func textsOf(value any) ([]string, error) {
	switch v := value.(type) {
	case string, bool, int64, float64:
		return []string{fmt.Sprint(v)}, nil
	case []any:
		var all []string
		for _, item := range v {
			one, err := textsOf(item)
			if err != nil || len(one) != 1 {
				return nil, errors.New("a list has texts, numbers, true or false")
			}
			all = append(all, one...)
		}
		return all, nil
	}
	return nil, errors.New("a value is a text in quotes, a number, true, false, or a list of these")
}
