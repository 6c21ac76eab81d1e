package evaluation

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/figures"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// Asked are what is asked beside the verdicts on the crawler itself: what robots.txt says to other tokens, and what is
// said against purposes, as of a moment.
type Asked struct {
	Purposes []string
	AsOf     string

	agents []string
}

// addAgents adds the flag that names other crawlers, for what its help says.
func (l *Asked) addAgents(flags *pflag.FlagSet, what string) {
	flags.StringArrayVar(&l.agents, "agents", nil, what+": `WHO` is a token, a category ("+
		strings.Join(agents.Names(), ", ")+") or @FILE of these, one a line (repeatable)")
}

// AddTo adds the flags that decide which fetches a list drops.
func (l *Asked) AddTo(flags *pflag.FlagSet) {
	l.addAgents(flags, "what robots.txt says to these crawlers counts")
	flags.StringArrayVar(&l.Purposes, "purpose", nil,
		"what pages and origins say against `PURPOSE` counts, too: archive, index or train (repeatable)")
}

// IsZero reports whether no option is given.
func (l *Asked) IsZero() bool {
	return len(l.agents)+len(l.Purposes) == 0 && l.AsOf == ""
}

// Tokens lists the tokens of the what-if.
func (l *Asked) Tokens() ([]string, error) {
	var list []string
	for _, who := range l.agents {
		tokens, fault := tokensOf(who)
		if path, isFile := strings.CutPrefix(who, "@"); isFile {
			var err error
			if tokens, err = readTokens(path); err != nil {
				return nil, err
			}
		} else if fault != "" {
			return nil, usage.Errorf("--agents %s", fault)
		}
		list = append(list, tokens...)
	}
	return evaluate.DistinctTokens(list), nil
}

// tokensOf are the tokens of a category, or the one that a word is.
func tokensOf(who string) (tokens []string, fault string) {
	if _, ok := agents.InCategory(who); ok {
		return agents.Tokens(who), ""
	}
	if fault := agents.TokenFault(who); fault != "" {
		return nil, fmt.Sprintf("%q is no product token: %s", who, fault)
	}
	return []string{who}, ""
}

// Uses lists the purposes of --purpose, each once.
func (l *Asked) Uses() (uses []evaluate.Use) {
	for _, purpose := range l.Purposes {
		use, _ := evaluate.ParseUse(purpose) // one of the choices
		uses = append(uses, use)
	}
	slices.Sort(uses)
	return slices.Compact(uses)
}

// EvaluateCommand is the command that makes the audit in an output with the tokens and all else that a list
// requires, besides what it was made with.
func (l *Asked) EvaluateCommand(output string, made report.Settings, tokens []string) string {
	if l.AsOf != "" {
		made.AsOf = evaluate.AsOf{}
	}
	made.Agents, made.Purposes = without(made.Agents, tokens), without(made.Purposes, l.Purposes)
	return figures.EvaluateCommand(prose.ShellWord(output), &made) + l.Flags()
}

// Flags are the flags as a command line has them.
func (l *Asked) Flags() string {
	flags := prose.Option("--agents", l.agents...) + prose.Option("--purpose", l.Purposes...)
	if l.AsOf != "" {
		flags += prose.Option("--as-of", l.AsOf)
	}
	return flags
}

// without lists the values that are not among others, in any letter case.
func without(values, others []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool {
		return slices.ContainsFunc(others, func(o string) bool { return strings.EqualFold(o, v) })
	})
}

// readTokens reads product tokens and categories, one a line, # begins a comment.
func readTokens(path string) ([]string, error) {
	var tokens []string
	err := readLines("agents", path, func(line string) string {
		who, _, _ := strings.Cut(line, "#")
		if who = strings.TrimSpace(who); who == "" {
			return ""
		}
		more, fault := tokensOf(who)
		tokens = append(tokens, more...)
		return fault
	})
	if err == nil && len(tokens) == 0 {
		err = usage.Errorf("--agents @%s: it names no token; put one on each line", path)
	}
	return tokens, err
}

// nothing stands for an empty User-Agent or token in a crawler map.
const nothing = "-"

// readCrawlerMap reads rules of the form PATTERN => TOKEN, one a line. A line that
// begins with # is a comment; a User-Agent may hold a #, so none begins elsewhere.
func readCrawlerMap(path string) (evaluate.CrawlerMap, error) {
	var rules evaluate.CrawlerMap
	err := readLines("crawler", path, func(line string) string {
		if line == "" || strings.HasPrefix(line, "#") {
			return ""
		}
		rule, fault := parseCrawlerRule(line)
		rules = append(rules, rule)
		return fault
	})
	if err == nil && len(rules) == 0 {
		err = usage.Errorf("--crawler @%s: it holds no rule; write one a line, as in: Mozilla/5.0 (X11;* => MyCrawler", path)
	}
	return rules, err
}

// parseCrawlerRule reads one rule. The last => counts: a User-Agent may hold others,
// a token holds none.
func parseCrawlerRule(line string) (rule evaluate.CrawlerRule, fault string) {
	i := strings.LastIndex(line, "=>")
	if i < 0 {
		return rule, fmt.Sprintf("%q has no =>; write PATTERN => TOKEN", line)
	}
	pattern, token := strings.TrimSpace(line[:i]), strings.TrimSpace(line[i+2:])
	if pattern == "" {
		return rule, "there is no pattern before =>; write - for fetches without a User-Agent"
	}
	if pattern != nothing {
		rule.Pattern = pattern
	}
	if token == nothing {
		return rule, ""
	}
	if fault := agents.TokenFault(token); fault != "" {
		return rule, fmt.Sprintf("%q is no product token: %s, or - where the crawler is not known", token, fault)
	}
	if fault := agents.ControlTokenFault(token); fault != "" {
		return rule, fault
	}
	rule.Token = token
	return rule, ""
}

// readLines calls read for each line, without the space around it, of the file that a flag names as @FILE, up
// to the first that has a fault. A byte order mark is no part of the first line, and may announce UTF-16.
func readLines(flag, path string, read func(line string) (fault string)) error {
	if path == facts.Stdin {
		return usage.Errorf("--%s @-: standard input is not read here; write it to a file and name that", flag)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return usage.Errorf("--%s @%s: %v; check the path", flag, path, object.Cause(err))
	}
	text, _, _ = transform.Bytes(unicode.BOMOverride(transform.Nop), text) // which has no errors
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if fault := read(strings.TrimSpace(line)); fault != "" {
			return usage.Errorf("--%s @%s: line %d: %s", flag, path, number, fault)
		}
	}
	return nil
}
