package agents

import (
	"fmt"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/internal/robots"
	"github.com/robotsaudit/robotsaudit/internal/useragent"
)

// TokenFault says what is wrong with a product token, if anything. Many names in
// use are none by RFC 9309 §2.2.1 and work nevertheless (MJ12bot, "ChatGPT Agent"),
// but a robots.txt cannot name one that holds these characters.
func TokenFault(token string) string {
	if _, known := Find(token); known && !strings.Contains(token, "/") {
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
	case strings.Trim(token, "-_ \t\r\n") == "", strings.ContainsAny(token, notInTokens):
		return nameAlone
	}
	return ""
}

// userAgentFault says what to write in place of a User-Agent.
func userAgentFault(userAgent string, isBrowser bool) string {
	name, _ := useragent.Tokens(userAgent, Leading)
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

// TokenDoubt says why a product token may not do what its user means, if anything. A few names in use do
// hold a space; the text after other names is no part of them.
func TokenDoubt(token string) string {
	if _, known := Find(robots.ProductName(token)); known {
		return ""
	}
	name, _, spaced := strings.Cut(token, " ")
	near, isNear := meantBy(token)
	_, isCategory := InCategory(token)
	switch {
	case isCategory:
		return fmt.Sprintf("%q is a product token here; --agents %[1]s of audit and evaluate asks about all crawlers of "+
			"that category, which 'robotsaudit agents %[1]s' lists", token)
	case isNear:
		return fmt.Sprintf("%q is no crawler that 'robotsaudit agents' lists; did you mean %s? Groups that name "+
			"%[2]s are not for %[1]q", token, near.Token)
	case spaced:
		return fmt.Sprintf("%q holds a space, which no product token does (RFC 9309 §2.2.1): only a group that "+
			"names all of it is for it; or is %s meant?", token, name)
	}
	return ""
}

// CategoryDoubt says which category a token may be meant for: it is no crawler that is known, and a letter away from
// one.
func CategoryDoubt(token string) string {
	if _, known := Find(token); known {
		return ""
	}
	var near []string
	for _, name := range Names() {
		if distance(strings.ToLower(token), name) == 1 {
			near = append(near, name)
		}
	}
	if near == nil {
		return ""
	}
	return fmt.Sprintf("%q is no crawler that 'robotsaudit agents' lists; did you mean the category %s?", token,
		strings.Join(near, " or "))
}

// ControlTokenFault says why a token can't be that of the crawler that made an
// archive, if it can't.
func ControlTokenFault(token string) string {
	a, ok := Find(token)
	if !ok || a.Requests != RequestsNever {
		return ""
	}
	return a.Token + " stands in no request, so that no crawler made the archives by that name: to ask what robots.txt says to it, use --agents"
}
