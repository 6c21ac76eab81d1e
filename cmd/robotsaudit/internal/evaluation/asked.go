package evaluation

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/figures"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// Asked are what is asked beside the verdicts on the crawler itself: what robots.txt says to other tokens, and what is
// said against purposes, as of a moment.
type Asked struct {
	Purposes []string
	AsOf     string

	agents, categories []string
	agentsFile         string
}

// AddTo adds the flags that decide which fetches a list drops.
func (l *Asked) AddTo(flags *pflag.FlagSet) {
	flags.StringArrayVar(&l.agents, "agent", nil,
		"what robots.txt says to product token `TOKEN` counts (repeatable)")
	flags.StringVar(&l.agentsFile, "agents-file", "",
		"`FILE` of more such tokens, one a line; # begins a comment")
	flags.StringArrayVar(&l.categories, "agents", nil,
		"more such tokens: all that 'robotsaudit agents' lists of `CATEGORY` "+strings.Join(agents.Names(), ", ")+
			" (repeatable)")
	flags.StringArrayVar(&l.Purposes, "purpose", nil,
		"what pages and origins say against `PURPOSE` counts, too: archive, index or train (repeatable)")
}

// IsZero reports whether no option is given.
func (l *Asked) IsZero() bool {
	return len(l.agents)+len(l.categories)+len(l.Purposes) == 0 && l.agentsFile+l.AsOf == ""
}

// Tokens lists the tokens of the what-if.
func (l *Asked) Tokens() ([]string, error) {
	for _, token := range l.agents {
		if fault := agents.TokenFault(token); fault != "" {
			return nil, usage.Errorf("--agent %q is no product token: %s", token, fault)
		}
	}
	list := slices.Clone(l.agents)
	for _, category := range l.categories {
		if _, ok := agents.InCategory(category); !ok {
			return nil, usage.Errorf("--agents: unknown category %q: use %s, or --agent for a token", category,
				strings.Join(agents.Names(), ", "))
		}
		list = append(list, agents.Tokens(category)...)
	}
	if l.agentsFile != "" {
		more, err := readTokens(l.agentsFile)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return evaluate.DistinctTokens(list), nil
}

// Uses lists the purposes of --purpose, each once.
func (l *Asked) Uses() (uses []tag.Use) {
	for _, purpose := range l.Purposes {
		use, _ := tag.ParseUse(purpose) // one of the choices
		uses = append(uses, use)
	}
	slices.Sort(uses)
	return slices.Compact(uses)
}

// EvaluateCommand is the command that makes the audit in an output with the tokens and all else that a list
// requires, besides what it was made with.
func (l *Asked) EvaluateCommand(output string, made report.Settings, tokens []string) string {
	more := prose.Option("--agent", l.agents...) + prose.Option("--agents", l.categories...)
	if l.agentsFile != "" {
		more += prose.Option("--agents-file", l.agentsFile)
	}
	more += prose.Option("--purpose", l.Purposes...)
	if l.AsOf != "" {
		more += prose.Option("--as-of", l.AsOf)
		made.AsOf = evaluate.AsOf{}
	}
	made.Agents, made.Purposes = without(made.Agents, tokens), without(made.Purposes, l.Purposes)
	return figures.EvaluateCommand(prose.ShellWord(output), &made) + more
}

// without lists the values that are not among others, in any letter case.
func without(values, others []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool {
		return slices.ContainsFunc(others, func(o string) bool { return strings.EqualFold(o, v) })
	})
}
