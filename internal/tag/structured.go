package tag

import (
	"strconv"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
)

// structuredTags reads one line of Robots-Tag, a List whose Items are product tokens
// and whose Parameters are rules (draft-illyes-repext-03 §3.1.1), or of an X-Robots-Tag like
// one. It reads member by member, so that a mistake in one costs only that one, and every
// tag has the text of its member.
func (p *headerReader) structuredTags(l fieldLine, source Source) {
	var legacy []string
	flush := func() {
		if len(legacy) > 0 {
			// Together, for a prefix governs the members after it and a date may hold a comma.
			joined := l
			joined.value = strings.Join(legacy, ",")
			if source == SourceRobotsTag {
				joined.notes |= NoteMalformed
			}
			p.legacyTags(joined, source)
			legacy = legacy[:0]
		}
	}
	for _, member := range members(l.value) {
		if trim(member) == "" {
			continue
		}
		if len(legacy) > 0 && strings.IndexByte(member, ';') < 0 {
			legacy = append(legacy, member)
			continue
		}
		tags, ok := structuredMember(trim(member))
		if !ok {
			tags, ok = looseMember(trim(member))
		}
		if !ok {
			legacy = append(legacy, member)
			continue
		}
		flush()
		for _, t := range tags {
			p.addTag(t, source, l)
		}
	}
	flush()
}

// structuredMember reads one member. ok is false where it is none, or one that
// only looks like it: "googlebot:noindex" is a valid token of RFC 9651.
func structuredMember(raw string) (tags []Tag, ok bool) {
	text := lowerKeys(raw)
	list, err := httpsfv.UnmarshalList([]string{text})
	if err != nil || len(list) != 1 {
		return nil, false
	}
	item, ok := list[0].(httpsfv.Item)
	if !ok { // an inner list: kept as an unknown word
		t := newTag(raw, "")
		t.Raw, t.Mode, t.Notes = raw, ModeStructured, t.Notes|NoteInnerList
		return []Tag{t}, true
	}
	agent, ok := itemAgent(item.Value)
	if !ok {
		return nil, false
	}
	names := item.Params.Names() // none: a token for which no rule is stated
	switch {
	case strings.IndexByte(agent, ':') >= 0:
		return nil, false
	case len(names) == 0 && findRule(agent) != RuleUnknown:
		t := newTag(agent, "")
		t.Raw, t.Mode, t.Notes = raw, ModeLegacy, t.Notes|NoteRuleToken
		return []Tag{t}, true
	case len(names) == 0 && strings.ContainsAny(agent, ","+blanks):
		return nil, false // a String that holds a list of words names no token
	}
	var notes Notes
	if text != raw {
		notes |= NoteCase
	}
	if findRule(agent) != RuleUnknown {
		notes |= NoteRuleToken
	}
	if countKeys(text) > len(names) {
		notes |= NoteDuplicate
	}
	for _, name := range names[:min(len(names), maxTags)] {
		value, _ := item.Params.Get(name)
		t := structuredTag(name, value)
		t.Agent, t.Raw, t.Mode = agent, raw, ModeStructured
		t.Notes |= notes
		tags = append(tags, t)
	}
	return tags, true
}

// itemAgent is the product token of an Item: a Token or a String.
func itemAgent(v any) (string, bool) {
	switch v := v.(type) {
	case httpsfv.Token:
		return string(v), true
	case string:
		return v, v != ""
	}
	return "", false
}

// structuredTag reads a parameter.
func structuredTag(name string, value any) Tag {
	switch v := value.(type) {
	case bool:
		t := newTag(name, "")
		if !v {
			t.Notes |= NoteFalse
		}
		return t
	case time.Time:
		return newTag(name, v.UTC().Format(time.RFC3339))
	default:
		return newTag(name, bareText(value))
	}
}

// bareText is a bare item as the legacy syntax writes it.
func bareText(value any) string {
	switch v := value.(type) {
	case httpsfv.Token:
		return string(v)
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// lowerKeys returns a member with the names of its parameters in lower case:
// rules are case-insensitive (draft-illyes-repext-03 §3.1.3), RFC 9651's keys are
// not even allowed in upper case. Values and the Item stay.
func lowerKeys(member string) string {
	var b []byte
	key := false
	for i := 0; i < len(member); i++ {
		switch c := member[i]; {
		case c == '"':
			i = skipQuoted(member, i)
		case c == ';':
			key = true
		case c == '=':
			key = false
		case key && ascii.LowerByte(c) != c:
			if b == nil {
				b = []byte(member)
			}
			b[i] = ascii.LowerByte(c)
		}
	}
	if b == nil {
		return member
	}
	return string(b)
}

// countKeys is the number of parameters of a member, those that come twice included.
func countKeys(member string) (n int) {
	for i := 0; i < len(member); i++ {
		switch member[i] {
		case '"':
			i = skipQuoted(member, i)
		case ';':
			n++
		}
	}
	return n
}

func validDictionary(lines []string) bool {
	if len(lines) == 0 {
		return true
	}
	_, err := httpsfv.UnmarshalDictionary(lines)
	return err == nil
}

// looksStructured reports whether an X-Robots-Tag means to be a List: in some
// member a ";" follows a product token, and in none something else. "noindex;
// nofollow" is two rules separated by the wrong byte, and so is "nofoo; noindex".
func looksStructured(value string) bool {
	found := false
	for _, member := range members(value) {
		head, _, ok := strings.Cut(member, ";")
		if !ok {
			continue
		}
		if !isTokenLike(head) || soundsLikeRule(trim(head)) {
			return false
		}
		found = true
	}
	return found
}

// isTokenLike reports whether what stands before a ";" can be a product token, "*"
// or one in quotation marks.
func isTokenLike(head string) bool {
	head = strings.Trim(trim(head), `"`)
	return isAgent(head) && !strings.ContainsAny(head, ":"+blanks) && findRule(head) == RuleUnknown
}

// soundsLikeRule reports whether a word that is in no vocabulary is rather a rule than
// a product token: vendors made up more of "no" and a noun than are known here, and in
// lower case no crawler begins so.
func soundsLikeRule(word string) bool {
	return isValued(word) || strings.HasPrefix(word, "no") && ascii.Lower(word) == word
}

// looseMember reads a member that has a mistake, but the shape of a product token
// with rules: those it was not said for must not be bound by them.
func looseMember(raw string) (tags []Tag, ok bool) {
	head, rest, found := strings.Cut(raw, ";")
	if !found || !isTokenLike(head) {
		return nil, false
	}
	for part := range strings.SplitSeq(rest, ";") {
		e := newElement(part, false)
		if word, value, ok := strings.Cut(part, "="); ok { // no wrong separator here
			e = element{word: trim(word), value: strings.Trim(trim(value), `"`)}
		}
		if e.word == "" {
			continue
		}
		for _, t := range e.tags(ModeLegacy) {
			t.Agent, t.Raw = strings.Trim(trim(head), `"`), raw
			t.Notes |= NoteMalformed
			tags = append(tags, t)
		}
	}
	return tags, true
}
