package robots

import "strings"

const (
	second = 1_000_000 // microseconds
	// maxDelay bounds the delays that are taken at their word. Nobody waits longer
	// than a day between two requests: such a value means something else, or keeps
	// crawlers out, for which there is Disallow.
	maxDelay = 24 * 60 * 60 * second
)

// CrawlDelay reads the value of a crawl-delay record: how many microseconds a crawler is asked to wait between two
// requests. It is not part of RFC 9309. ok is false where the value is no number, negative or longer than a day.
func CrawlDelay(value string) (micros int64, ok bool) {
	whole, fraction, _ := strings.Cut(value, ".")
	if whole+fraction == "" {
		return 0, false
	}
	for i := 0; i < len(whole); i++ {
		digit := int64(whole[i]) - '0'
		if digit < 0 || digit > 9 || micros > maxDelay {
			return 0, false
		}
		micros = micros*10 + digit*second
	}
	for i, part := 0, int64(second); i < len(fraction); i++ {
		digit := int64(fraction[i]) - '0'
		if digit < 0 || digit > 9 {
			return 0, false
		}
		part /= 10
		micros += digit * part
	}
	return micros, micros <= maxDelay
}
