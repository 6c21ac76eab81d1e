package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/spf13/cobra"
)

// newLogger returns the logger that --log-format asks for.
func newLogger(cmd *cobra.Command) (*slog.Logger, error) {
	format, err := cmd.Flags().GetString("log-format")
	if err != nil {
		return nil, err
	}
	switch format {
	case "text":
		return newTextLogger(cmd.ErrOrStderr()), nil
	case "json":
		return slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil)), nil
	}
	return nil, usageErrorf("--log-format %q: use text or json", format)
}

// newTextLogger returns a logger whose records are lines for a person.
func newTextLogger(w io.Writer) *slog.Logger {
	h := &textHandler{w: w}
	if isTerminal(w) {
		h.before = clearLine
	}
	return slog.New(h)
}

// textHandler writes log records as lines for a person: no time, no level.
type textHandler struct {
	before string // removes a progress line
	mu     sync.Mutex
	w      io.Writer
}

func (h *textHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

func (h *textHandler) Handle(_ context.Context, r slog.Record) error {
	line := h.before + "robotsaudit: " + oneLine(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		line += " " + a.Key + "=" + oneLine(a.Value.String())
		return true
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := fmt.Fprintln(h.w, line)
	return err
}

func (h *textHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h *textHandler) WithGroup(string) slog.Handler      { return h }

// oneLine escapes what would break a line or command a terminal: names and reasons
// come from archives and lists.
func oneLine(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString("; ")
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
