package resolve

import (
	"net/http"
	"slices"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// agreement is how a copy of a file compares with the validators that a 304, or the
// request for it, names (RFC 9110 §8.8, §13.1).
type agreement uint8

const (
	unsaid agreement = iota // it has no validator of the kind named
	same
	different
)

// names compares the validators named by the 304 in hand with the copy's. An
// entity tag goes before a date (RFC 9110 §13.2.2).
func (res *resolution) names(c *facts.Capture) agreement {
	if res.CurTags != "" {
		return compareValidators(res.CurTags, entityTags(c.ETag))
	}
	return compareValidators(res.CurModified, modifiedDates(c.LastModified))
}

func (res *resolution) namesValidator() bool { return res.CurTags != "" || res.CurModified != "" }

// validatorsOf returns the entity tag and the date of modification of a copy, as
// namedValidators has those that are named.
func validatorsOf(c *facts.Capture) (list []string) {
	for _, tag := range lines(entityTags(c.ETag)) {
		list = append(list, "tag "+tag)
	}
	for _, date := range lines(modifiedDates(c.LastModified)) {
		list = append(list, "date "+date)
	}
	return list
}

// namedValidators returns what names compares, each validator once.
func (res *resolution) namedValidators() []string {
	kind, named := "tag ", lines(res.CurTags)
	if res.CurTags == "" {
		kind, named = "date ", lines(res.CurModified)
	}
	slices.Sort(named)
	named = slices.Compact(named)
	for i := range named {
		named[i] = kind + named[i]
	}
	return named
}

// lines splits a list with a line for each.
func lines(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == '\n' })
}

// compareValidators compares lists with a line for each validator.
func compareValidators(named, own string) agreement {
	switch {
	case named == "" || own == "":
		return unsaid
	case strings.Contains("\n"+named, "\n"+own):
		return same
	}
	return different
}

// entityTags returns the entity tags of a field, each on a line, compared weakly: W/ is
// left out (RFC 9110 §8.8.3.2). "*" names none.
func entityTags(field string) string {
	var list strings.Builder
	for field != "" {
		field = strings.TrimLeft(field, " \t,")
		field = strings.TrimPrefix(field, "W/")
		opaque, rest, ok := strings.Cut(strings.TrimPrefix(field, `"`), `"`)
		if !strings.HasPrefix(field, `"`) || !ok { // some servers leave out the quotation marks
			opaque, rest, _ = strings.Cut(field, ",")
			opaque = strings.Trim(opaque, " \t\"")
		}
		field = rest
		if opaque != "" && opaque != "*" {
			list.WriteString(opaque + "\n")
		}
	}
	return list.String()
}

// modifiedDates returns dates of modification, each on a line. Dates that can be read
// are compared as such.
func modifiedDates(fields ...string) string {
	var list strings.Builder
	for _, field := range fields {
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		if t, err := http.ParseTime(field); err == nil {
			field = t.UTC().Format(http.TimeFormat)
		}
		list.WriteString(field + "\n")
	}
	return list.String()
}
