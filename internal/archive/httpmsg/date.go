package httpmsg

import "net/http"

// ParseDate reads an HTTP date (RFC 9110 §5.6.7), and returns the seconds since 1970.
func ParseDate(text string) (seconds int64, ok bool) {
	t, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return t.Unix(), true
}
