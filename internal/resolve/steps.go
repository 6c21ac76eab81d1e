package resolve

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/words"
)

// StepKind is how a capture led to another record.
type StepKind byte

// The kinds of step.
const (
	StepHop      StepKind = 'h' // the target of a redirect
	StepOriginal StepKind = 'o' // the original of a revisit
	StepCopy     StepKind = 'c' // the copy that a 304 renews
	StepRival    StepKind = 'r' // to which the redirect of the hop before, a revisit or a 304 may have led instead
	StepNamed    StepKind = 'n' // what a revisit names, and what has another payload
	stepPlace    StepKind = 'p' // another place of a record
	stepLine     StepKind = 'l' // a line of crawl.log: how long the record took; Index and Offset: its place and length
)

// Step is a record that a capture led to.
type Step struct {
	Kind StepKind
	facts.Spot
	Offset    int64 // in the archive; -1: an index lists the record, which is in another
	Time      facts.Time
	Millis    int32  // that the fetch took; -1: not said
	UserAgent string // of its request
}

func stepTo(kind StepKind, f *facts.Fetch) Step {
	step := Step{kind, facts.SpotOf(f), f.Offset, f.Time(), f.Millis, f.UserAgent}
	if f.Archive != "" {
		step.Offset = -1
	}
	return step
}

// appendStep appends what StepText has of a step.
func appendStep(b []byte, step Step) []byte {
	b = append(b, byte(step.Kind))
	for _, n := range [...]int64{
		int64(step.Input), step.Index, int64(step.Run), step.Offset, step.Time.Micros, int64(step.Time.Precision),
		int64(step.Millis),
	} {
		b = append(strconv.AppendInt(b, n, stepBase), ':')
	}
	return strconv.AppendQuote(strconv.AppendQuote(b, step.Entry), step.UserAgent)
}

// stepBase is that of the numbers of steps, which are carried from round to round.
const stepBase = 36

// addStep notes a record that the resolution goes on with.
func (s *State) addStep(kind StepKind, f *facts.Fetch) {
	var text [256]byte // most are shorter
	s.StepText = string(appendStep(append(text[:0], s.StepText...), stepTo(kind, f)))
}

// hasStep reports whether a step to a record was noted. A name of an entry could look like one.
func (s *State) hasStep(kind StepKind, f *facts.Fetch) bool {
	var text [96]byte
	step := stepTo(kind, f)
	return strings.Contains(s.StepText, string(appendStep(text[:0], step))) && slices.Contains(s.Steps(), step)
}

// Steps returns the records that the capture led to through redirects, revisits and 304s, in
// order.
func (s *State) Steps() []Step { return stepsOf(s.StepText) }

// Led returns the steps that were requests: for targets of redirects, and for copies that 304s renew. A line of an
// access log led to none.
func (s *State) Led() []Step {
	if s.StepText == "" || s.Type == facts.TypeAccessLog {
		return nil
	}
	return slices.DeleteFunc(s.Steps(), func(step Step) bool { return step.Kind != StepHop && step.Kind != StepCopy })
}

// Itself returns the capture as the first of the records that Applied returns.
func (s *State) Itself() Step { return stepTo(StepHop, &s.Fetch) }

// Applied returns the records whose dates count for the content applied: the capture itself and
// those that its redirects led to. A revisit or 304 renews its original, whose date counts for nothing.
func (s *State) Applied() []Step {
	applied := []Step{s.Itself()}
	if s.Outcome == words.OutcomeUnresolved || s.Hops == 0 {
		return applied
	}
	for _, step := range s.Steps() {
		if step.Kind == StepHop && len(applied) <= maxHops {
			applied = append(applied, step)
		}
	}
	return applied
}

// OldestApplied returns the oldest of them.
func (s *State) OldestApplied() Step {
	if s.StepText == "" { // as of most captures
		return s.Itself()
	}
	return slices.MinFunc(s.Applied(), func(a, b Step) int { return cmp.Compare(a.Time.Micros, b.Time.Micros) })
}

// addPlaces notes further places of the capture itself, or of the record noted last in CopyText, and the line of a log
// that states how long it took.
func (s *State) addPlaces(places []facts.Spot, line Step) {
	text := []byte(s.CopyText)
	for _, at := range places {
		text = appendStep(text, Step{Kind: stepPlace, Spot: at})
	}
	if line.Kind == stepLine {
		text = appendStep(text, line)
	}
	s.CopyText = string(text)
}

// addPlacesOf notes further places of a record to which the capture led.
func (s *State) addPlacesOf(c *facts.Capture, g *originCaptures) {
	at := facts.SpotOf(&c.Fetch)
	if places, line := g.copies[at], g.durations[at]; len(places) > 0 || line.Kind == stepLine {
		s.CopyText = string(appendStep([]byte(s.CopyText), stepTo(StepHop, &c.Fetch)))
		s.addPlaces(places, line)
	}
}

// Lines yields the lines of logs that state how long the capture and the records to which redirects led it took.
func (s *State) Lines() iter.Seq[*facts.LogEvent] {
	return func(yield func(*facts.LogEvent) bool) {
		for _, step := range stepsOf(s.CopyText) {
			line := facts.LogEvent{Input: step.Input, Entry: step.Entry, Offset: step.Index, Length: step.Offset}
			if step.Kind == stepLine && !yield(&line) {
				return
			}
		}
	}
}

// Twins yields further places of the capture and of the records to which redirects and 304s led it, each after the
// place that stands for all. Of a record that several archives hold, each of them may show in which order it and
// others came.
func (s *State) Twins() iter.Seq2[facts.Spot, facts.Spot] {
	return func(yield func(first, other facts.Spot) bool) {
		first := facts.SpotOf(&s.Fetch)
		for _, step := range stepsOf(s.CopyText) {
			switch {
			case step.Kind == stepLine:
			case step.Kind != stepPlace:
				first = step.Spot
			case !yield(first, step.Spot):
				return
			}
		}
	}
}

// placesOf returns the further places of the capture itself, in a CopyText.
func placesOf(text string) (places []facts.Spot) {
	for _, step := range stepsOf(text) {
		if step.Kind != stepPlace {
			break
		}
		places = append(places, step.Spot)
	}
	return places
}

func stepsOf(text string) (steps []Step) {
	for text != "" {
		step := Step{Kind: StepKind(text[0])}
		var numbers [7]int64
		rest := text[1:]
		for i := range numbers {
			var number string
			number, rest, _ = strings.Cut(rest, ":")
			numbers[i], _ = strconv.ParseInt(number, stepBase, 64)
		}
		entry, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return steps
		}
		rest = rest[len(entry):]
		agent, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return steps
		}
		step.Input, step.Index, step.Run, step.Offset = int32(numbers[0]), numbers[1], int32(numbers[2]), numbers[3]
		step.Time, step.Millis = facts.Time{
			Micros:    numbers[4],
			Precision: facts.Precision(numbers[5]),
		}, int32(numbers[6])
		step.Entry, _ = strconv.Unquote(entry)
		step.UserAgent, _ = strconv.Unquote(agent)
		steps, text = append(steps, step), rest[len(agent):]
	}
	return steps
}
