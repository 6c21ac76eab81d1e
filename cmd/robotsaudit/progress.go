package main

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

const (
	barInterval = 200 * time.Millisecond // between redraws on a terminal
	logInterval = 10 * time.Second       // between log lines elsewhere
	often       = time.Second            // between them with --progress often

	clearLine = "\r\x1b[K"
)

// gauge measures how far some work is: bytes or fetches done, of a total.
type gauge struct {
	what        string
	done, total func() int64
	unit        func(int64) string
	unitName    string
}

// watch shows a gauge until the returned function is called: a line that is drawn
// anew on a terminal, a log line now and then elsewhere, as --progress selects.
func watch(cmd *cobra.Command, log *slog.Logger, g gauge) (stop func()) {
	how, err := cmd.Flags().GetString("progress")
	if err != nil || how == "none" {
		return func() {}
	}
	w := cmd.ErrOrStderr()
	drawn := how == "auto" && isTerminal(w) && isText(log) && !isQuiet(cmd)
	quit := make(chan struct{})
	ended := make(chan struct{})
	start := time.Now()
	interval := logInterval
	switch {
	case drawn:
		interval = barInterval
	case how == "often":
		interval = often
	}
	go func() {
		defer close(ended)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				switch {
				case drawn:
					fmt.Fprint(w, clearLine)
				case !isText(log):
					g.tell(log, time.Since(start))
				}
				return
			case <-tick.C:
				if elapsed := time.Since(start); drawn {
					fmt.Fprint(w, clearLine+g.line(elapsed, widthOf(w)))
				} else {
					g.tell(log, elapsed)
				}
			}
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}

// tell logs progress.
func (g *gauge) tell(log *slog.Logger, elapsed time.Duration) {
	done, total := g.done(), g.total()
	tell(log, slog.LevelInfo, "progress", g.line(elapsed, math.MaxInt),
		slog.String("stage", g.what), slog.Int64("done", done), slog.Int64("total", total),
		slog.String("unit", g.unitName),
		slog.Float64("seconds", elapsed.Seconds()))
}

// line shows progress, the time left at the rate so far, and that rate, as far as it fits
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

// leftText formats how many seconds are left. Beyond a day it is a guess, without detail.
func leftText(seconds float64) string {
	const day = 24 * 60 * 60
	if seconds >= day {
		return "more than a day left"
	}
	return (time.Duration(seconds) * time.Second).String() + " left"
}

// widthOf is how many columns a terminal has.
func widthOf(w io.Writer) int {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

func isTerminal(w io.Writer) bool {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" && readsEscapes(f)
}
