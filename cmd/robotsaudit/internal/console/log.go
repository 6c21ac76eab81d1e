package console

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// AddFlags adds the options of messages while a command runs.
func AddFlags(flags *pflag.FlagSet) {
	flags.String("log-format", "text", "`FORMAT` of log lines on standard error: text or json")
	flags.Bool("quiet", false, "no summary; of log lines only warnings and errors")
	flags.String("progress", "auto",
		"`HOW` it is shown: auto (a line, on a terminal), plain (log lines), often (one a second) or none")
}

// Logger returns the logger that --log-format and --quiet select.
func Logger(cmd *cobra.Command) *slog.Logger {
	w, level := cmd.ErrOrStderr(), slog.LevelInfo
	if IsQuiet(cmd) {
		level = slog.LevelWarn
	}
	if format, _ := cmd.Flags().GetString("log-format"); format == "json" {
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
	}
	h := &textHandler{w: w, level: level}
	if IsTerminal(w) {
		h.before = clearLine
	}
	return slog.New(h)
}

// IsQuiet reports whether a command is to print neither a summary nor what is no warning.
func IsQuiet(cmd *cobra.Command) bool {
	quiet, err := cmd.Flags().GetBool("quiet")
	return err == nil && quiet
}

// WantsSummary reports whether a command is to print what its run came to. With --metrics -, standard
// output is for programs.
func WantsSummary(cmd *cobra.Command) bool {
	metrics, _ := cmd.Flags().GetString("metrics")
	return !IsQuiet(cmd) && metrics != "-"
}

// isText reports whether log lines are for a person.
func isText(log *slog.Logger) bool {
	_, text := log.Handler().(*textHandler)
	return text
}

// Tell logs an event: for a person as a message, where there is one, for a machine with its
// name and fields, which docs/OPERATIONS.md explains.
func Tell(log *slog.Logger, level slog.Level, event, message string, fields ...slog.Attr) {
	if !isText(log) {
		fields = append([]slog.Attr{slog.String("event", event)}, fields...)
		log.LogAttrs(context.Background(), level, cmp.Or(message, event), fields...)
	} else if message != "" {
		log.Log(context.Background(), level, message)
	}
}

// textHandler writes log records as lines for a person: no time, no level.
type textHandler struct {
	before string // removes a progress line
	level  slog.Level
	mu     sync.Mutex
	w      io.Writer
}

func (h *textHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level }

func (h *textHandler) Handle(_ context.Context, r slog.Record) error {
	line := h.before + "robotsaudit: " + OneLine(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		line += " " + a.Key + "=" + OneLine(a.Value.String())
		return true
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := fmt.Fprintln(h.w, line)
	return err
}

func (h *textHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h *textHandler) WithGroup(string) slog.Handler      { return h }

// OneLine escapes what would break a line or command a terminal: names and reasons
// come from archives and lists.
func OneLine(s string) string {
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
