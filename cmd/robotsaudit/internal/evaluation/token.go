package evaluation

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/object"
)

// readTokens reads product tokens, one a line, # begins a comment.
func readTokens(path string) ([]string, error) {
	var tokens []string
	err := readLines("agents-file", path, func(line string) string {
		token, _, _ := strings.Cut(line, "#")
		if token = strings.TrimSpace(token); token == "" {
			return ""
		}
		if fault := agents.TokenFault(token); fault != "" {
			return fmt.Sprintf("%q is no product token: %s", token, fault)
		}
		tokens = append(tokens, token)
		return ""
	})
	if err == nil && len(tokens) == 0 {
		err = usage.Errorf("--agents-file %s: it names no token; put one on each line", path)
	}
	return tokens, err
}

// nothing stands for an empty User-Agent or token in a crawler map.
const nothing = "-"

// readCrawlerMap reads rules of the form PATTERN => TOKEN, one a line. A line that
// begins with # is a comment; a User-Agent may hold a #, so none begins elsewhere.
func readCrawlerMap(path string) (evaluate.CrawlerMap, error) {
	var rules evaluate.CrawlerMap
	err := readLines("crawler-map", path, func(line string) string {
		if line == "" || strings.HasPrefix(line, "#") {
			return ""
		}
		rule, fault := parseCrawlerRule(line)
		rules = append(rules, rule)
		return fault
	})
	if err == nil && len(rules) == 0 {
		err = usage.Errorf("--crawler-map %s: it holds no rule; write one a line, as in: Mozilla/5.0 (X11;* => MyCrawler", path)
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

// readLines calls read for each line, without the space around it, of the file that a flag names, up
// to the first that has a fault. A byte order mark is no part of the first line, and may announce UTF-16.
func readLines(flag, path string, read func(line string) (fault string)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return usage.Errorf("--%s %s: %v; check the path", flag, path, object.Cause(err))
	}
	text, _, _ = transform.Bytes(unicode.BOMOverride(transform.Nop), text) // which has no errors
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if fault := read(strings.TrimSpace(line)); fault != "" {
			return usage.Errorf("--%s %s: line %d: %s", flag, path, number, fault)
		}
	}
	return nil
}
