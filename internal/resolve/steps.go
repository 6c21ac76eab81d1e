package resolve

import (
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// StepKind is how a capture led to another record.
type StepKind byte

// The kinds of step.
const (
	StepHop      StepKind = 'h' // the target of a redirect
	StepOriginal StepKind = 'o' // the original of a revisit, or the copy that a 304 renews
	StepRival    StepKind = 'r' // another record to which the redirect of the hop before may have led
	StepNamed    StepKind = 'n' // what a revisit names, and what has another payload
)

// Step is a record that a capture led to.
type Step struct {
	Kind StepKind
	facts.Spot
}

// addStep notes a record that the resolution goes on with.
func (s *State) addStep(kind StepKind, f *facts.Fetch) {
	b := append([]byte(s.StepText), byte(kind))
	b = strconv.AppendInt(b, int64(f.Input), 10)
	b = append(b, ':')
	b = strconv.AppendInt(b, f.Index, 10)
	b = append(b, ':')
	s.StepText = string(strconv.AppendQuote(b, f.Entry))
}

// Steps returns the records that the capture led to through redirects, revisits and 304s, in
// order.
func (s *State) Steps() []Step { return stepsOf(s.StepText) }

func stepsOf(text string) (steps []Step) {
	for text != "" {
		input, rest, _ := strings.Cut(text[1:], ":")
		index, rest, _ := strings.Cut(rest, ":")
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return steps
		}
		step := Step{Kind: StepKind(text[0])}
		n, _ := strconv.ParseInt(input, 10, 32)
		step.Input = int32(n)
		step.Index, _ = strconv.ParseInt(index, 10, 64)
		step.Entry, _ = strconv.Unquote(quoted)
		steps, text = append(steps, step), rest[len(quoted):]
	}
	return steps
}
