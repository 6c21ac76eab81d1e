package facts

import "cmp"

// Sink receives the facts of one input in record order.
type Sink interface {
	Fetch(*Fetch) error
	Capture(c *Capture, body []byte) error
	Issue(Issue) error
	Event(*LogEvent) error
	Other(*Fetch) error // a record of TypeOther
}

// Discard is a Sink that keeps nothing.
type Discard struct{}

func (Discard) Fetch(*Fetch) error             { return nil }
func (Discard) Capture(*Capture, []byte) error { return nil }
func (Discard) Issue(Issue) error              { return nil }
func (Discard) Event(*LogEvent) error          { return nil }
func (Discard) Other(*Fetch) error             { return nil }

// Account is where the facts of an input, or of an entry of it, go, and what they count.
type Account struct {
	Input int32
	Entry string // of a WACZ; "": none
	Out   Sink
	Stats InputStats
}

// NewAccount makes an account without any facts.
func NewAccount(input int32, entry string, out Sink) *Account {
	return &Account{Input: input, Entry: entry, Out: out, Stats: InputStats{Records: make(map[string]int64)}}
}

// Of what was lost in an input, the first places are shown at once, in so many bytes each.
const (
	shownLost = 3
	maxLost   = 300
)

// Report passes an issue on, of the account's entry unless it names one.
func (a *Account) Report(i Issue) error {
	i.Input = a.Input
	i.Entry = cmp.Or(i.Entry, a.Entry)
	a.Stats.Issues++
	if i.Kind.Lossy() {
		a.Stats.Lossy++
		if len(a.Stats.Lost) < shownLost {
			a.Stats.Lost = append(a.Stats.Lost, AtMost(i.Detail, maxLost))
		}
	}
	return a.Out.Issue(i)
}
