package robots

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
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
	units   refSide
	line    int
}

// A refSide is a pattern or a path as what is compared one by one, in each reading.
type refSide [4][]string

var (
	refEOL   = regexp.MustCompile("\r\n|\r|\n")
	refLines = func() (lines [3][]*regexp.Regexp) {
		const typos = `useragent|user agent|dissallow|dissalow|disalow|diasllow|disallaw`
		for i, forms := range [3][]string{
			{`(user-agent|allow|disallow)[ \t]*:[ \t]*(.*?)`},
			{`(` + typos + `)[ \t]*:[ \t]*(.*?)`, `(user-agent|allow|disallow|` + typos + `)[ \t]+([^: \t]+)`},
			{
				`(user-agent|allow|disallow|` + typos + `)[^:]*:[ \t]*(.*?)`,
				`(user-agent|allow|disallow|useragent|dissallow|dissalow|disalow|diasllow|disallaw)[^: \t]*[ \t]+([^: \t]+)`,
			},
		} {
			for _, form := range forms {
				lines[i] = append(lines[i], regexp.MustCompile(`(?is)^[ \t]*`+form+`[ \t]*$`))
			}
		}
		return lines
	}()
)

// refKey returns which of the three keys one stands for.
func refKey(key string) string {
	switch strings.ToLower(key[:1]) {
	case "u":
		return "user-agent"
	case "a":
		return "allow"
	}
	return "disallow"
}

// refParse reads a file as strictly as the grammar is; with leniency 1 misspelt keys
// and missing colons too, with 2 keys that only begin like a record's name.
func refParse(body string, leniency int) *reference {
	body = strings.TrimPrefix(body, "\xEF\xBB\xBF")
	r := &reference{}
	ruled := true // the next user-agent line starts a group
	for i, line := range refEOL.Split(body, -1) {
		line, _, _ = strings.Cut(line, "#")
		key, value := "", ""
		for strictness, forms := range refLines {
			for _, form := range forms {
				if m := form.FindStringSubmatch(line); m != nil && key == "" && strictness <= leniency {
					key, value = refKey(m[1]), m[2]
				}
			}
		}
		if key == "" {
			continue
		}
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
		pattern := refNormal(value, true)
		g.rules = append(g.rules, refRule{key == "allow", pattern, refPatternUnits(pattern), i + 1})
	}
	return r
}

// refNormal brings a pattern or a path into its normal form.
func refNormal(s string, isPattern bool) string {
	const (
		safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
		hex  = "0123456789abcdefABCDEF"
	)
	encode := func(b byte) string { return fmt.Sprintf("%%%02X", b) }
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

// decide returns the verdict in a reading, and the line of the rule that gave it,
// else 0.
func (r *reference) decide(token, path string, equal Readings) (allowed bool, line int) {
	rules, matched := r.combined(r.names(token))
	if !matched {
		rules, _ = r.combined(func(agent string) bool { return agent == "*" })
	}
	return refDecide(rules, path, equal)
}

var (
	refOperator = regexp.MustCompile(`^([^ \t]*![ \t]+)+`)
	refVersion  = regexp.MustCompile(`^([^ ]+(?: +[^ ]+)*) +[vV]?[0-9][0-9.]*[^0-9.]?$`)
)

// names returns what user-agent lines name a token by: all of it, or without the version that it ends
// in, if no line has that.
func (r *reference) names(token string) func(agent string) bool {
	token = refFold(refOperator.ReplaceAllString(token, ""))
	is := func(name string) func(string) bool {
		return func(agent string) bool {
			if agent == "*" {
				return false
			}
			agent, _, _ = strings.Cut(agent, "/")
			agent = refOperator.ReplaceAllString(strings.TrimRight(agent, " \t*"), "")
			return agent != "" && refFold(agent) == name
		}
	}
	if _, matched := r.combined(is(token)); matched {
		return is(token)
	}
	if m := refVersion.FindStringSubmatch(token); m != nil {
		return is(m[1])
	}
	return is(token)
}

// aside decides by each group that has the token's first word among others in a user-agent line, and that
// no line names in the exact way.
func (r *reference) aside(token, path string, equal Readings) (allows, forbids bool) {
	own := r.names(token)
	word, _, _ := strings.Cut(refOperator.ReplaceAllString(token, ""), " ")
	if word == "" || strings.ContainsAny(word, "/*") ||
		regexp.MustCompile(`^[vV]?[0-9][0-9.]*[^0-9.]?$`).MatchString(word) {
		return false, false
	}
	word = refFold(word)
	isEnd := func(s string, at int) bool {
		return at < 0 || at == len(s) || strings.IndexByte("abcdefghijklmnopqrstuvwxyz0123456789_.-", s[at]) < 0
	}
	has := func(s string) bool {
		for i := 0; i+len(word) <= len(s); i++ {
			if s[i:i+len(word)] == word && isEnd(s, i-1) && isEnd(s, i+len(word)) {
				return true
			}
		}
		return false
	}
	for _, g := range r.groups {
		if slices.ContainsFunc(g.agents, own) || !slices.ContainsFunc(g.agents, func(a string) bool {
			for _, hyphen := range "\u2010\u2011\u2012\u2013\u2014\u2212" {
				a = strings.ReplaceAll(a, string(hyphen), "-")
			}
			return has(refFold(a))
		}) {
			continue
		}
		if allowed, _ := refDecide(g.rules, path, equal); allowed {
			allows = true
		} else {
			forbids = true
		}
	}
	return allows, forbids
}

// refDecide decides by some rules.
func refDecide(rules []refRule, path string, equal Readings) (allowed bool, line int) {
	if path == "/robots.txt" {
		return true, 0
	}
	if path == "" {
		path = "/"
	}
	units := refPathUnits(refNormal(path, false))
	best := refRule{allow: true}
	found := false
	for _, rule := range rules {
		if !refGlob(rule.units[0], units[0]) && (equal == 0 || !refGlob(rule.units[equal], units[equal])) {
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

// refFile is a file with all leniencies.
type refFile [3]*reference

func newRefFile(body string) (f refFile) {
	for leniency := range f {
		f[leniency] = refParse(body, leniency)
	}
	return f
}

// refSets are the sets of readings that are tried.
var refSets = func() (sets []Readings) {
	for set := range ReadLenient << 1 {
		sets = append(sets, set, set|ReadAgentName)
	}
	return sets
}()

// against returns the readings against the decision on a path, where nothing lies
// beyond the limit: of all sets of readings those that hold no other.
func (files *refFile) against(token, path string) (all Readings) {
	if allowed, _ := files[0].decide(token, path, 0); allowed {
		if still, _ := files[0].decide(token, path, ReadUnsafe); !still {
			all |= ReadUnsafe
		}
		if _, forbids := files[0].aside(token, path, 0); forbids {
			all |= ReadAgentName
		}
		return all
	}
	var sets []Readings
	for _, set := range refSets {
		encoding := set & (ReadReserved | ReadUnsafe)
		allows := false
		for leniency, file := range files {
			if (leniency > 0) == (set&ReadLenient != 0) {
				allowed, _ := file.decide(token, path, encoding)
				if set&ReadAgentName != 0 {
					allowed, _ = file.aside(token, path, encoding)
				}
				allows = allows || allowed
			}
		}
		if allows {
			sets = append(sets, set)
		}
	}
	for _, set := range sets {
		if !slices.ContainsFunc(sets, func(part Readings) bool { return part != set && part&set == part }) {
			all |= set
		}
	}
	if refNormal(path, false) == "/robots.txt" {
		all |= ReadRobotsTxtEncoded
	}
	return all
}

func refPatternUnits(pattern string) (s refSide) {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	if !anchored {
		pattern += "*"
	}
	for r := range s {
		s[r] = refUnits(pattern, Readings(r), true)
	}
	return s
}

func refPathUnits(path string) (s refSide) {
	for r := range s {
		s[r] = refUnits(path, Readings(r), false)
	}
	return s
}

// refUnits cuts a text into what is compared one by one: its bytes, but one unit for
// a byte of the reading in either form. A wildcard is "*".
func refUnits(s string, equal Readings, isPattern bool) (units []string) {
	const unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
	for i := 0; i < len(s); i++ {
		b, width := s[i], 1
		if v, err := strconv.ParseUint(s[i+1:min(i+3, len(s))], 16, 8); b == '%' && i+2 < len(s) && err == nil {
			b, width = byte(v), 3
		}
		reading := ReadUnsafe
		switch {
		case strings.IndexByte(":/?#[]@!$&'()*+,;=", b) >= 0:
			reading = ReadReserved
		case strings.IndexByte(unreserved, b) >= 0:
			reading = 0
		}
		switch {
		case isPattern && s[i] == '*':
			units = append(units, "*")
		case reading&equal != 0:
			units = append(units, "either form of "+strconv.Itoa(int(b)))
			i += width - 1
		case s[i] == '*':
			units = append(units, "a star")
		default:
			units = append(units, s[i:i+1])
		}
	}
	return units
}

// refGlob reports whether a pattern matches all of a text. It keeps the set of all
// places that the pattern so far can end at.
func refGlob(pattern, text []string) bool {
	at, next := make([]bool, len(text)+1), make([]bool, len(text)+1)
	at[0] = true
	for _, unit := range pattern {
		clear(next)
		ends := false
		for i, reached := range at {
			switch {
			case !reached:
			case unit == "*":
				for ; i < len(next); i++ {
					next[i], ends = true, true
				}
			case i < len(text) && text[i] == unit:
				next[i+1], ends = true, true
			}
			if unit == "*" && ends {
				break
			}
		}
		if !ends {
			return false
		}
		at, next = next, at
	}
	return at[len(text)]
}
