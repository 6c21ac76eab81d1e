package robots

import (
	"strconv"
	"strings"
)

// maxDelay bounds the delays that are taken at their word, in microseconds. Nobody waits longer than a day between two
// requests: such a value means something else, or keeps crawlers out, for which there is Disallow.
const maxDelay = 24 * 60 * 60 * 1_000_000

// CrawlDelay reads the value of a crawl-delay record: how many microseconds a crawler is asked to wait between two
// requests. It is not part of RFC 9309. ok is false where the value is no number, negative or longer than a day.
func CrawlDelay(value string) (micros int64, ok bool) {
	whole, fraction, _ := strings.Cut(value, ".")
	if digits := whole + fraction; digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	micros, err := strconv.ParseInt("0"+whole+(fraction + "000000")[:6], 10, 64)
	return micros, err == nil && micros <= maxDelay
}
