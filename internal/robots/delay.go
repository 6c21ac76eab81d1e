package robots

import "strings"

const (
	second = 1_000_000 // microseconds
	// maxDelay bounds the delays that are taken at their word. Nobody waits longer
	// than a day between two requests: such a value means something else, or keeps
	// crawlers out, for which there is Disallow.
	maxDelay = 24 * 60 * 60 * second
)

// Delay returns how many microseconds a crawler is asked to wait between two
// requests, by a crawl-delay or request-rate record. Neither is part of RFC 9309. ok
// is false where the record is another, or where its value is none: negative, no
// number, longer than a day, or a rate that holds at some hours or permits several
// requests at once.
func (r Record) Delay() (micros int64, ok bool) {
	switch r.Key {
	case "crawl-delay":
		return duration(r.Value, second)
	case "request-rate":
		documents, span, found := strings.Cut(r.Value, "/")
		if !found || strings.Trim(documents, " \t") != "1" {
			return 0, false
		}
		span = strings.ToLower(strings.Trim(span, " \t"))
		unit := int64(second)
		switch {
		case strings.HasSuffix(span, "h"):
			unit = 60 * 60 * second
		case strings.HasSuffix(span, "m"):
			unit = 60 * second
		}
		return duration(strings.TrimRight(span, "smh"), unit)
	}
	return 0, false
}

// duration reads a decimal number of units.
func duration(s string, unit int64) (micros int64, ok bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	if whole+fraction == "" {
		return 0, false
	}
	for i := 0; i < len(whole); i++ {
		digit := int64(whole[i]) - '0'
		if digit < 0 || digit > 9 || micros > maxDelay {
			return 0, false
		}
		micros = micros*10 + digit*unit
	}
	for i, part := 0, unit; i < len(fraction); i++ {
		digit := int64(fraction[i]) - '0'
		if digit < 0 || digit > 9 {
			return 0, false
		}
		part /= 10
		micros += digit * part
	}
	return micros, micros <= maxDelay
}
