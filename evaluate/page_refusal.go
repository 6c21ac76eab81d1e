package evaluate

import (
	"net/http"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// Refusal is why a server refused what was asked for, as its answer states it.
type Refusal uint8

// The refusals. The zero value is that the answer is none.
const (
	NotRefused Refusal = iota
	// a known challenge, whatever its status: a proof that the client is no crawler is asked for
	RefusedChallenge
	RefusedAuth      // 401 (RFC 9110 §15.5.2)
	RefusedPayment   // 402 (RFC 9110 §15.5.3)
	RefusedForbidden // 403 (RFC 9110 §15.5.4)
	RefusedRate      // 429 (RFC 6585 §4)
	RefusedLegal     // 451 (RFC 7725 §3)
)

func (r Refusal) String() string {
	return [...]string{"", "challenge", "auth", "payment", "forbidden", "rate", "legal"}[r]
}

// refusalOf reads a refusal off an answer by HTTP.
func refusalOf(f *facts.Fetch, isChallenge bool) Refusal {
	switch {
	case !strings.HasPrefix(f.Origin, "http"):
		return NotRefused
	case isChallenge:
		return RefusedChallenge
	}
	switch f.Status {
	case http.StatusUnauthorized:
		return RefusedAuth
	case http.StatusPaymentRequired:
		return RefusedPayment
	case http.StatusForbidden:
		return RefusedForbidden
	case http.StatusTooManyRequests:
		return RefusedRate
	case http.StatusUnavailableForLegalReasons:
		return RefusedLegal
	}
	return NotRefused
}
