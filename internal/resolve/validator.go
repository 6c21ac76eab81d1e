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
// entity tag goes before a date (RFC 9110 §13.2.2). The payload digest of a revisit is that of
// what was not modified (WARC 1.1 §6.7.3): another one differs, whatever the validators say.
func (res *resolution) names(c *facts.Capture) agreement {
	tags := compareValidators(res.CurTags, entityTags(c.ETag))
	dates := compareValidators(res.CurModified, modifiedDate(c.LastModified))
	switch {
	case contradictDigests(c.PayloadDigest, res.CurDigest):
		return different
	case res.CurTags == "" || tags == unsaid && dates == different:
		return dates
	}
	return tags
}

func (res *resolution) namesValidator() bool { return res.CurTags != "" || res.CurModified != "" }

// validatorsOf returns the entity tag and the date of modification of a copy, as
// namedValidators has those that are named.
func validatorsOf(c *facts.Capture) (list []string) {
	for _, tag := range lines(entityTags(c.ETag)) {
		list = append(list, "tag "+tag)
	}
	for _, date := range lines(modifiedDate(c.LastModified)) {
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

// modifiedDate returns a date of modification, on a line. One that can be read is compared as such.
func modifiedDate(field string) string {
	if field = strings.TrimSpace(field); field == "" {
		return ""
	}
	if t, err := http.ParseTime(field); err == nil {
		field = t.UTC().Format(http.TimeFormat)
	}
	return field + "\n"
}
