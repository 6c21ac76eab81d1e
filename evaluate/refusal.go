package evaluate

import (
	"net/http"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// Refusal is why a server refused what was asked for, as its answer states it.
type Refusal uint8

// The refusals. The zero value is that the answer is none.
const (
	NotRefused Refusal = iota
	RefusedChallenge
	RefusedAuth
	RefusedPayment
	RefusedForbidden
	RefusedRate
	RefusedLegal
)

// Refusals is indexed by Refusal.
var Refusals = []words.Word{
	RefusedChallenge: {
		Name: "challenge",
		Meaning: "The answer asks for a proof that the client is no crawler, whatever its status. Known ones alone: " +
			"[Challenges](SEMANTICS.md#challenges).",
	},
	RefusedAuth:      {Name: "auth", Meaning: "401: credentials are missing (RFC 9110 §15.5.2)."},
	RefusedPayment:   {Name: "payment", Meaning: "402: to be paid for (RFC 9110 §15.5.3)."},
	RefusedForbidden: {Name: "forbidden", Meaning: "403: refused, for whatever reason (RFC 9110 §15.5.4)."},
	RefusedRate:      {Name: "rate", Meaning: "429: too many requests (RFC 6585 §4)."},
	RefusedLegal:     {Name: "legal", Meaning: "451: refused for legal reasons (RFC 7725 §3)."},
}

func (r Refusal) String() string { return words.Name(Refusals, r) }

var refusals = map[int16]Refusal{
	http.StatusUnauthorized: RefusedAuth, http.StatusPaymentRequired: RefusedPayment,
	http.StatusForbidden: RefusedForbidden, http.StatusTooManyRequests: RefusedRate,
	http.StatusUnavailableForLegalReasons: RefusedLegal,
}

// refusalOf reads a refusal off an answer by HTTP.
func refusalOf(f *facts.Fetch, isChallenge bool) Refusal {
	switch {
	case !strings.HasPrefix(f.Origin, "http"):
		return NotRefused
	case isChallenge:
		return RefusedChallenge
	}
	return refusals[f.Status]
}
