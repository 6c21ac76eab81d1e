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
	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/robots"
)

// tokenFault says what is wrong with a product token, if anything. Many names in
// use are none by RFC 9309 §2.2.1 and work nevertheless (MJ12bot, "ChatGPT Agent"),
// but a robots.txt cannot name one that holds these characters.
func tokenFault(token string) string {
	if _, known := agents.Find(token); known && !strings.Contains(token, "/") {
		return ""
	}
	if isBrowser := strings.HasPrefix(ascii.Lower(token), "mozilla/"); isBrowser || strings.ContainsAny(token, "()") {
		return userAgentFault(token, isBrowser)
	}
	name, _, versioned := strings.Cut(token, "/")
	if i := strings.LastIndexByte(name, ' '); i > 0 && strings.Trim(name[i:], " .0123456789") == "" {
		name, versioned = name[:i], true
	}
	if list := strings.FieldsFunc(token, func(r rune) bool { return r == ',' || r == ';' }); len(list) > 1 {
		return "write each token by itself, " + strings.TrimSpace(list[0]) + " and " + strings.TrimSpace(list[1])
	}
	switch {
	case versioned && strings.TrimSpace(name) != "" && !strings.ContainsAny(name, "*#:"):
		return fmt.Sprintf("leave out the version and write %s", strings.TrimSpace(name))
	case strings.TrimSpace(token) == "", strings.ContainsAny(token, notInTokens):
		return nameAlone
	}
	return ""
}

// userAgentFault says what to write in place of a User-Agent.
func userAgentFault(userAgent string, isBrowser bool) string {
	name, _ := robots.TokensFromUserAgent(userAgent, agents.Leading)
	switch {
	case name != "" && !strings.ContainsAny(name, notInTokens):
		return "it is a User-Agent; write " + name
	case isBrowser:
		return "it is a browser's User-Agent, which names no crawler; give the name by which robots.txt addresses the crawler, such as CCBot"
	}
	return nameAlone
}

const (
	nameAlone   = "give the crawler's name alone, such as CCBot"
	notInTokens = "*#:;,()/"
)

// tokenDoubt says why a product token may not do what its user means, if anything. A
// few names in use do hold a space; behind others stands what is no part of them.
func tokenDoubt(token string) string {
	if _, known := agents.Find(robots.ProductName(token)); known {
		return ""
	}
	name, _, spaced := strings.Cut(token, " ")
	near, isNear := agents.Near(token)
	switch {
	case isNear:
		return fmt.Sprintf("%q is no crawler that 'robotsaudit agents' lists; did you mean %s? Groups that name %[2]s are not for %[1]q", token, near.Token)
	case spaced:
		return fmt.Sprintf("%q holds a space, which no product token does (RFC 9309 §2.2.1): only a group that names all of it is for it; or is %s meant?", token, name)
	}
	return ""
}

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
		if fault := tokenFault(token); fault != "" {
			return nil, usageErrorf("--agents-file %s: line %d: %q is no product token: %s", path, number, token, fault)
		}
		tokens = append(tokens, token)
	}
	if len(tokens) == 0 {
		return nil, usageErrorf("--agents-file %s: it names no token; put one on each line", path)
	}
	return tokens, nil
}

// controlTokenFault says why a token can't be that of the crawler that made an
// archive, if it can't.
func controlTokenFault(token string) string {
	a, ok := agents.Find(token)
	if !ok || a.Requests != agents.RequestsNever {
		return ""
	}
	return a.Token + " stands in no request, so that no crawler made the archives by that name: to ask what robots.txt says to it, use --agent"
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
	if fault := tokenFault(token); fault != "" {
		return rule, fmt.Sprintf("%q is no product token: %s, or - where the crawler is not known", token, fault)
	}
	if fault := controlTokenFault(token); fault != "" {
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
