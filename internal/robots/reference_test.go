package robots

import (
	"regexp"
	"slices"
	"strings"
)

// reference decides as RFC 9309 reads, sentence by sentence, without a thought
// to speed. It shares no code with the package.
type reference struct {
	groups []refGroup
}

type refGroup struct {
	agents []string
	rules  []refRule
}

type refRule struct {
	allow   bool
	pattern string // normalised
	line    int
}

var (
	refEOL  = regexp.MustCompile("\r\n|\r|\n")
	refLine = regexp.MustCompile(`(?is)^[ \t]*(user-agent|allow|disallow)[ \t]*:[ \t]*(.*?)[ \t]*$`)
)

func refParse(body string) *reference {
	body = strings.TrimPrefix(body, "\xEF\xBB\xBF")
	r := &reference{}
	ruled := true // the next user-agent line starts a group
	for i, line := range refEOL.Split(body, -1) {
		line, _, _ = strings.Cut(line, "#")
		m := refLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		key, value := strings.ToLower(m[1]), m[2]
		if key == "user-agent" {
			if ruled {
				r.groups = append(r.groups, refGroup{})
				ruled = false
			}
			g := &r.groups[len(r.groups)-1]
			g.agents = append(g.agents, value)
			continue
		}
		if len(r.groups) == 0 {
			continue
		}
		ruled = true
		if value == "" || value[0] != '/' && value[0] != '*' || strings.ContainsFunc(value, func(c rune) bool {
			return c < 0x20 && c != '\t'
		}) {
			continue
		}
		g := &r.groups[len(r.groups)-1]
		g.rules = append(g.rules, refRule{key == "allow", refNormal(value, true), i + 1})
	}
	return r
}

// refNormal brings a pattern or a path into its normal form.
func refNormal(s string, isPattern bool) string {
	const (
		safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
		hex  = "0123456789abcdefABCDEF"
	)
	encode := func(b byte) string { return "%" + upperHex[b>>4:b>>4+1] + upperHex[b&15:b&15+1] }
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		b := s[i]
		switch {
		case b == '%' && i+2 < len(s) && strings.IndexByte(hex, s[i+1]) >= 0 && strings.IndexByte(hex, s[i+2]) >= 0:
			v := strings.Index("0123456789ABCDEF", strings.ToUpper(s[i+1:i+2]))*16 +
				strings.Index("0123456789ABCDEF", strings.ToUpper(s[i+2:i+3]))
			if strings.IndexByte(safe, byte(v)) >= 0 {
				out.WriteByte(byte(v))
			} else {
				out.WriteString(encode(byte(v)))
			}
			i += 2
		case b >= 0x80, b == '*' && !isPattern, b == '$' && !(isPattern && i == len(s)-1):
			out.WriteString(encode(b))
		default:
			out.WriteByte(b)
		}
	}
	return out.String()
}

// decide returns the verdict, and the line of the rule that gave it, else 0.
func (r *reference) decide(token, path string) (allowed bool, line int) {
	if path == "/robots.txt" {
		return true, 0
	}
	if path == "" {
		path = "/"
	}
	path = refNormal(path, false)
	rules, matched := r.combined(func(agent string) bool {
		if agent == "*" {
			return false
		}
		agent, _, _ = strings.Cut(agent, "/")
		agent = strings.TrimRight(agent, " \t*")
		return agent != "" && refFold(agent) == refFold(token)
	})
	if !matched {
		rules, _ = r.combined(func(agent string) bool { return agent == "*" })
	}
	best := refRule{allow: true}
	found := false
	for _, rule := range rules {
		if !refMatch(rule.pattern, path) {
			continue
		}
		longer := len(rule.pattern) > len(best.pattern)
		tie := len(rule.pattern) == len(best.pattern) && rule.allow && !best.allow
		if !found || longer || tie {
			best, found = rule, true
		}
	}
	return best.allow, best.line
}

// combined returns the rules of all groups with a user-agent line that is meant.
func (r *reference) combined(meant func(agent string) bool) (rules []refRule, matched bool) {
	for _, g := range r.groups {
		if slices.ContainsFunc(g.agents, meant) {
			rules, matched = append(rules, g.rules...), true
		}
	}
	return rules, matched
}

func refFold(s string) string {
	b := []byte(s)
	for i := range b {
		if 'A' <= b[i] && b[i] <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// refMatch keeps the set of all places that the pattern so far can end at.
func refMatch(pattern, path string) bool {
	at := map[int]bool{0: true}
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '$' && i == len(pattern)-1 {
			return at[len(path)]
		}
		next := make(map[int]bool)
		for j := range at {
			switch {
			case pattern[i] == '*':
				for ; j <= len(path); j++ {
					next[j] = true
				}
			case j < len(path) && path[j] == pattern[i]:
				next[j+1] = true
			}
		}
		at = next
	}
	return len(at) > 0
}
