package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

const (
	barInterval = 200 * time.Millisecond // between redraws on a terminal
	logInterval = 10 * time.Second       // between log lines elsewhere

	clearLine = "\r\x1b[K"
)

// gauge tells how far some work is: octets or rows done, of a total.
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
				if line := g.line(time.Since(start)); onTerminal {
					fmt.Fprint(w, clearLine+line)
				} else {
					log.Info(line)
				}
			}
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}

// line tells progress, rate and the time left at that rate.
func (g *gauge) line(elapsed time.Duration) string {
	done, total := g.done(), g.total()
	rate := float64(done) / elapsed.Seconds()
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", g.what, g.unit(done))
	if total > 0 {
		fmt.Fprintf(&b, " of %s (%d %%)", g.unit(total), 100*min(done, total)/total)
	}
	fmt.Fprintf(&b, ", %s/s", g.unit(int64(rate)))
	if rate > 0 && total > done {
		left := time.Duration(float64(total-done)/rate) * time.Second
		fmt.Fprintf(&b, ", %s left", left)
	}
	return b.String()
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}
