package main

import (
	"fmt"
	"iter"
	"os"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/object"
)

// readTokens reads product tokens, one a line, # begins a comment.
func readTokens(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, usageErrorf("--agents-file %s: %v; check the path", path, object.Cause(err))
	}
	var tokens []string
	for number, line := range numberedLines(text) {
		token, _, _ := strings.Cut(line, "#")
		token = strings.TrimSpace(token)
		if token == "" {
			continue
		}
		if fault := agents.TokenFault(token); fault != "" {
			return nil, usageErrorf("--agents-file %s: line %d: %q is no product token: %s", path, number, token, fault)
		}
		tokens = append(tokens, token)
	}
	if len(tokens) == 0 {
		return nil, usageErrorf("--agents-file %s: it names no token; put one on each line", path)
	}
	return tokens, nil
}

// nothing stands for an empty User-Agent or token in a crawler map.
const nothing = "-"

// readCrawlerMap reads rules of the form PATTERN => TOKEN, one a line. A line that
// begins with # is a comment; a User-Agent may hold a #, so none begins elsewhere.
func readCrawlerMap(path string) (evaluate.CrawlerMap, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, usageErrorf("--crawler-map %s: %v; check the path", path, object.Cause(err))
	}
	var rules evaluate.CrawlerMap
	for number, line := range numberedLines(text) {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		rule, fault := parseCrawlerRule(line)
		if fault != "" {
			return nil, usageErrorf("--crawler-map %s: line %d: %s", path, number, fault)
		}
		rules = append(rules, rule)
	}
	if len(rules) == 0 {
		return nil, usageErrorf("--crawler-map %s: it holds no rule; write one a line, as in: Mozilla/5.0 (X11;* => MyCrawler", path)
	}
	return rules, nil
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

// numberedLines yields the lines of a text, without the space around them, by their
// numbers from 1. A byte order mark is no part of the first, and may tell of UTF-16.
func numberedLines(text []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		text, _, _ = transform.Bytes(unicode.BOMOverride(transform.Nop), text) // which has no errors
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			if !yield(number, strings.TrimSpace(line)) {
				return
			}
		}
	}
}
