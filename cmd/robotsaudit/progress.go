package main

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"time"

	"golang.org/x/term"
)

const (
	barInterval = 200 * time.Millisecond // between redraws on a terminal
	logInterval = 10 * time.Second       // between log lines elsewhere

	clearLine = "\r\x1b[K"
)

// gauge tells how far some work is: bytes or fetches done, of a total.
type gauge struct {
	what        string
	done, total func() int64
	unit        func(int64) string
}

// watch shows a gauge until the returned function is called: a line that is drawn
// anew on a terminal, a log line now and then elsewhere.
func watch(w io.Writer, log *slog.Logger, g gauge) (stop func()) {
	quit := make(chan struct{})
	ended := make(chan struct{})
	start := time.Now()
	onTerminal := isTerminal(w)
	interval := logInterval
	if onTerminal {
		interval = barInterval
	}
	go func() {
		defer close(ended)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				if onTerminal {
					fmt.Fprint(w, clearLine)
				}
				return
			case <-tick.C:
				if elapsed := time.Since(start); onTerminal {
					fmt.Fprint(w, clearLine+g.line(elapsed, widthOf(w)))
				} else {
					log.Info(g.line(elapsed, math.MaxInt))
				}
			}
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}

// line tells progress, the time left at the rate so far, and that rate, as far as it fits
// into width columns: a line that wraps is not the one that is drawn anew.
func (g *gauge) line(elapsed time.Duration, width int) string {
	done, total := g.done(), g.total()
	rate := float64(done) / elapsed.Seconds()
	parts := []string{g.what + ": " + g.unit(done)}
	if total > 0 {
		parts = []string{
			fmt.Sprintf("%s: %d %%", g.what, 100*min(done, total)/total),
			fmt.Sprintf(" of %s", g.unit(total)),
		}
	}
	if rate > 0 && total > done {
		parts = append(parts, ", "+leftText(float64(total-done)/rate))
	}
	parts = append(parts, fmt.Sprintf(", %s/s", g.unit(int64(rate))))
	line := ""
	for _, part := range parts {
		if len(line)+len(part) >= width { // the last column stays free: some terminals wrap when it is filled
			break
		}
		line += part
	}
	return line
}

// leftText tells how many seconds are left. Beyond a day it is a guess, which says no more.
func leftText(seconds float64) string {
	const day = 24 * 60 * 60
	if seconds >= day {
		return "more than a day left"
	}
	return (time.Duration(seconds) * time.Second).String() + " left"
}

// widthOf is how many columns a terminal has.
func widthOf(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// wantsColours reports whether what is written to w may be coloured (https://no-color.org).
func wantsColours(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }
