package console

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

// Gauge measures how far some work is: bytes or fetches done, of a total.
type Gauge struct {
	What        string
	Done, Total func() int64
	Unit        func(int64) string // an amount, in words
	UnitName    string
}

// Watch shows a gauge until the returned function is called: a line that is drawn
// anew on a terminal, a log line now and then elsewhere, as --progress selects.
func Watch(cmd *cobra.Command, log *slog.Logger, g Gauge) (stop func()) {
	how, err := cmd.Flags().GetString("progress")
	if err != nil || how == "none" {
		return func() {}
	}
	w := cmd.ErrOrStderr()
	drawn := how == "auto" && IsTerminal(w) && isText(log) && !IsQuiet(cmd)
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
					g.report(log, time.Since(start))
				}
				return
			case <-tick.C:
				if elapsed := time.Since(start); drawn {
					fmt.Fprint(w, clearLine+g.line(elapsed, Width(w)))
				} else {
					g.report(log, elapsed)
				}
			}
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}

// report logs progress.
func (g *Gauge) report(log *slog.Logger, elapsed time.Duration) {
	done, total := g.Done(), g.Total()
	Tell(log, slog.LevelInfo, "progress", g.line(elapsed, math.MaxInt),
		slog.String("stage", g.What), slog.Int64("done", done), slog.Int64("total", total),
		slog.String("unit", g.UnitName),
		slog.Float64("seconds", elapsed.Seconds()))
}

// line shows progress, the time left at the rate so far, and that rate, as far as it fits
// into width columns: a line that wraps is not the one that is drawn anew.
func (g *Gauge) line(elapsed time.Duration, width int) string {
	done, total := g.Done(), g.Total()
	rate := float64(done) / elapsed.Seconds()
	parts := []string{g.What + ": " + g.Unit(done)}
	if total > 0 {
		parts = []string{
			fmt.Sprintf("%s: %d %%", g.What, 100*min(done, total)/total),
			fmt.Sprintf(" of %s", g.Unit(total)),
		}
	}
	if rate > 0 && total > done {
		parts = append(parts, ", "+leftText(float64(total-done)/rate))
	}
	parts = append(parts, fmt.Sprintf(", %s/s", g.Unit(int64(rate))))
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

// Width is how many columns a terminal has.
func Width(w io.Writer) int {
	if f := fileOf(w); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// fileOf is the file that is written to; nil: it is none.
func fileOf(w io.Writer) *os.File {
	if o, ok := w.(*Output); ok {
		w = o.Writer
	}
	f, _ := w.(*os.File)
	return f
}

func IsTerminal(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" && readsEscapes(f)
}
