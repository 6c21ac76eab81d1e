package html

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/robotsaudit/robotsaudit/report/document"
)

// Charts are SVG without a view box: horizontal places are percentages, so that a chart fills
// any width and its text keeps its size.

// percent is a share of the width of a chart.
type percent float64

func (p percent) String() string { return fmt.Sprintf("%.2f%%", float64(p)) }

// bar is the bar of all fetches of anything but robots.txt.
type bar struct {
	Parts   []barPart
	Widened bool // a part is drawn wider than it is, to be seen
}

type barPart struct {
	document.Class
	X, Width percent
}

// minPart is the least width of a part of a bar.
const minPart = 0.6

func newBar(classes []document.Class) (b bar) {
	var total float64
	for _, c := range classes {
		if c.Count > 0 && slices.Contains(symbols, c.ID) {
			b.Parts = append(b.Parts, barPart{Class: c})
			total += float64(c.Count)
		}
	}
	var drawn float64
	for i := range b.Parts {
		part := &b.Parts[i]
		share := 100 * float64(part.Count) / total
		b.Widened = b.Widened || share < minPart
		part.Width = percent(max(share, minPart))
		drawn += float64(part.Width)
	}
	x := percent(0)
	for i := range b.Parts {
		part := &b.Parts[i]
		part.Width *= percent(100 / drawn)
		part.X = x
		x += part.Width
	}
	return b
}

// chart shows the timeline in three panels above each other, with one axis of time.
type chart struct {
	Panels []panel
	Marks  []mark   // changes of robots.txt
	Legend []string // by fill
	By     string   // names what claims are
	Data   chartData
}

// panel is a series with a scale of its own: violations are few among fetches.
type panel struct {
	Name   string // "Fetches"
	Bars   []column
	Values []label // above bars
	top    int64   // of the highest bar
}

// label is a number at a place.
type label struct {
	X    percent
	Y    float64
	Text string
}

// Top is the value of the highest bar.
func (p panel) Top() string { return humanize.Comma(p.top) }

// values puts numbers above bars, above the highest first, where there is room.
func (p *panel) values(heights []int64, starts []time.Time, unit document.Unit, scale timeScale) {
	const room = 4.0
	periods := make([]int, len(heights))
	for i := range periods {
		periods[i] = i
	}
	slices.SortStableFunc(periods, func(a, b int) int { return cmp.Compare(heights[b], heights[a]) })
	for _, i := range periods {
		x := (scale.at(starts[i]) + scale.at(endOf(starts[i], unit))) / 2
		near := func(l label) bool { return math.Abs(float64(l.X-x)) < room }
		if heights[i] > 0 && !slices.ContainsFunc(p.Values, near) {
			y := panelHeight * (1 - float64(heights[i])/float64(p.top))
			p.Values = append(p.Values, label{x, round(y + 9), humanize.Comma(heights[i])})
		}
	}
}

// column is a part of a bar: of one period and claim.
type column struct {
	X, Width  percent
	Y, Height float64
	Claim     int // index of its fill, below maxClaims
}

// tick names a moment of the axis.
type tick struct {
	X    percent `json:"-"`
	Date string  `json:"date"`
	Text string  `json:"text"`
}

type mark struct {
	X    percent
	Text string
}

// chartData is the data that scripts draw the chart from.
type chartData struct {
	What    string                `json:"what"` // is counted of periods first
	Periods []document.Period     `json:"periods"`
	Ends    []string              `json:"ends"` // of periods
	Counts  []document.ClaimCount `json:"counts"`
	Tops    []int64               `json:"tops"` // of panels
	Ticks   []tick                `json:"ticks"`
}

const (
	panelHeight = 90.0
	maxClaims   = 6 // fills; further claims share the last
)

func newChart(t *document.Timeline) (c chart) {
	starts := make([]time.Time, 0, len(t.Periods))
	for _, p := range t.Periods {
		start, err := time.Parse(time.DateOnly, p.Start)
		if err != nil {
			return chart{} // no chart of what is no date; the table has it
		}
		starts = append(starts, start)
	}
	if len(starts) == 0 {
		return chart{}
	}
	scale := timeScale{starts[0], endOf(starts[len(starts)-1], t.Unit)}
	c.By = t.By
	for i, claim := range t.Claims {
		if i < maxClaims {
			c.Legend = append(c.Legend, claim)
		} else {
			c.Legend[maxClaims-1] += ", " + claim
		}
	}
	c.Data = chartData{What: t.What, Periods: t.Periods, Counts: t.Counts, Ticks: scale.ticks()}
	for i, start := range starts {
		c.Data.Ends = append(c.Data.Ends, endOf(start, t.Unit).Format(time.DateOnly))
		if t.Periods[i].Changes > 0 {
			c.Marks = append(c.Marks, mark{scale.at(start.Add(endOf(start, t.Unit).Sub(start) / 2)), t.Periods[i].Mark})
		}
	}
	c.Panels = []panel{
		newPanel(t.What, t, starts, scale, func(n document.ClaimCount) int64 { return n.Fetches }),
		newPanel("Violations", t, starts, scale, func(n document.ClaimCount) int64 { return n.Violations }),
		newPanel("Unknown", t, starts, scale, func(n document.ClaimCount) int64 { return n.Unknown }),
	}
	for _, p := range c.Panels {
		c.Data.Tops = append(c.Data.Tops, p.top)
	}
	return c
}

func newPanel(name string, t *document.Timeline, starts []time.Time, scale timeScale,
	value func(document.ClaimCount) int64,
) panel {
	heights := make([]int64, len(starts))
	for _, n := range t.Counts {
		heights[n.Period] += value(n)
	}
	top := max(slices.Max(heights), 1)
	p := panel{Name: name, top: top}
	p.values(heights, starts, t.Unit, scale)
	stacked := make([]int64, len(starts))
	for _, n := range t.Counts {
		v := value(n)
		if v == 0 {
			continue
		}
		stacked[n.Period] += v
		start := starts[n.Period]
		x, end := scale.at(start), scale.at(endOf(start, t.Unit))
		gap := min(0.15, (end-x)/8)
		p.Bars = append(p.Bars, column{
			X: x + gap/2, Width: max(end-x-gap, 0.2),
			Y:      round(panelHeight * (1 - float64(stacked[n.Period])/float64(top))),
			Height: round(panelHeight * float64(v) / float64(top)),
			Claim:  min(n.Claim, maxClaims-1),
		})
	}
	return p
}

// round keeps coordinates short.
func round(v float64) float64 { return math.Round(v*100) / 100 }

// endOf returns where a period ends.
func endOf(start time.Time, unit document.Unit) time.Time {
	switch unit {
	case document.Week:
		return start.AddDate(0, 0, 7)
	case document.Month:
		return start.AddDate(0, 1, 0)
	case document.Year:
		return start.AddDate(1, 0, 0)
	}
	return start.AddDate(0, 0, 1)
}

// timeScale places times on the width of a chart.
type timeScale struct{ start, end time.Time }

func (s timeScale) at(t time.Time) percent {
	return percent(100 * float64(t.Unix()-s.start.Unix()) / float64(s.end.Unix()-s.start.Unix()))
}

// ticks are up to seven round times, far enough from the right end to have room for their text.
func (s timeScale) ticks() (ticks []tick) {
	const maxTicks, lastTick = 6, 90
	for _, step := range tickSteps {
		ticks = ticks[:0]
		for t := step.first(s.start); t.Before(s.end) &&
			len(ticks) <= maxTicks; t = t.AddDate(0, step.months, step.days) {
			if x := s.at(t); !t.Before(s.start) && x <= lastTick {
				ticks = append(ticks, tick{x, t.Format(time.DateOnly), t.Format(step.layout)})
			}
		}
		if len(ticks) <= maxTicks {
			break
		}
	}
	return ticks
}

// tickStep is a distance between ticks.
type tickStep struct {
	months, days int
	layout       string
}

var tickSteps = []tickStep{
	{0, 1, "2 Jan 2006"},
	{0, 7, "2 Jan 2006"},
	{0, 14, "2 Jan 2006"},
	{1, 0, "Jan 2006"},
	{3, 0, "Jan 2006"},
	{6, 0, "Jan 2006"},
	{12, 0, "2006"},
	{24, 0, "2006"},
	{60, 0, "2006"},
	{120, 0, "2006"},
	{1200, 0, "2006"},
}

// first is the first tick at or shortly before a time.
func (s tickStep) first(t time.Time) time.Time {
	switch {
	case s.months >= 12:
		years := s.months / 12
		return time.Date(t.Year()/years*years, 1, 1, 0, 0, 0, 0, time.UTC)
	case s.months > 0:
		return time.Date(t.Year(), (t.Month()-1)/time.Month(s.months)*time.Month(s.months)+1, 1, 0, 0, 0, 0, time.UTC)
	}
	return t
}
