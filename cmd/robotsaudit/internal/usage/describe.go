package usage

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
)

// flagSchema describes the command line, for programs that call this one.
type flagSchema struct {
	Commands []commandSchema `json:"commands"`
}

type commandSchema struct {
	Name    string        `json:"name"`
	Use     string        `json:"use"` // with its arguments: "audit INPUT... -o DIR"
	Meaning string        `json:"meaning"`
	Flags   []flagMeaning `json:"flags"`
}

type flagMeaning struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`              // bool, int, string, or a list: stringArray, stringSlice (with commas)
	Value   string   `json:"value,omitempty"`   // what a value is, as in the help: "FILE"
	Default string   `json:"default"`           // as text
	Choices []string `json:"choices,omitempty"` // all values that the flag can have, where these are few
	Meaning string   `json:"meaning"`
}

// Describe writes, as JSON, what the flags of all commands are, by name, but for hidden ones and help.
func Describe(w io.Writer, root *cobra.Command) error {
	var s flagSchema
	for _, c := range root.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		command := commandSchema{Name: c.Name(), Use: c.Use, Meaning: c.Short, Flags: []flagMeaning{}}
		c.InheritedFlags() // which c.Flags() has from now on
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !isSetting(f) {
				return
			}
			value, meaning := pflag.UnquoteUsage(f)
			choices := choicesOf(c, f)
			if f.Name == "profile" || f.Name == "agents" {
				choices = offers[f.Name]()
			}
			command.Flags = append(command.Flags,
				flagMeaning{f.Name, f.Value.Type(), value, f.DefValue, choices, meaning})
		})
		s.Commands = append(s.Commands, command)
	}
	return console.Encoder(w, "  ").Encode(s)
}
