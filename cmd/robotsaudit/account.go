package main

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/report"
)

// account is a run's account of itself at its end, in the event summary and in the file of
// --metrics: docs/OPERATIONS.md explains both.
type account struct {
	start    time.Time
	progress *ingest.Progress
	facts    *facts.Set     // nil where the run did not come to any
	totals   *report.Totals // nil where nothing was decided
	asked    int64          // requests that were made of servers before
}

func newAccount() *account {
	asked, _ := object.Traffic()
	return &account{start: time.Now(), progress: new(ingest.Progress), asked: asked}
}

// notWhollyRead counts inputs with missing parts.
func (a *account) notWhollyRead() int64 {
	if a.totals != nil {
		return a.totals.InputsNotWhollyRead
	}
	n := int64(len(a.facts.Failures))
	for _, in := range a.facts.Inputs {
		if in.Refusal != "" || in.Lossy > 0 {
			n++
		}
	}
	return n
}

// summarize logs the event summary of a run that came to its end.
func (a *account) summarize(cmd *cobra.Command, log *slog.Logger, code int) {
	fields := []slog.Attr{
		slog.String("command", cmd.Name()),
		slog.Int("exit_code", code),
		slog.Float64("seconds", time.Since(a.start).Seconds()),
		slog.Int64("inputs_read", a.progress.InputsRead.Load()),
		slog.Int64("inputs_kept", a.progress.InputsKept.Load()),
		slog.Int64("bytes_read", a.progress.BytesRead.Load()),
	}
	if a.facts != nil {
		fields = append(fields,
			slog.Int("inputs", len(a.facts.Inputs)),
			slog.Int64("inputs_not_wholly_read", a.notWhollyRead()),
			slog.Int64("fetches", a.facts.FetchCount()))
	}
	if a.totals != nil {
		fields = append(fields,
			slog.Int64("violations", a.totals.Violations), slog.Int64("unproven", a.totals.Unproven),
			slog.Int64("allowed", a.totals.Allowed), slog.Int64("disallowed",
				a.totals.Disallowed), slog.Int64("unknown", a.totals.Unknown))
	}
	if asked, _ := object.Traffic(); asked > a.asked {
		fields = append(fields, slog.Int64("requests", asked-a.asked))
	}
	tell(log, slog.LevelInfo, "summary", "", fields...)
}

// writeMetrics writes the file of --metrics, for the textfile collector of Prometheus'
// node_exporter.
func (a *account) writeMetrics(cmd *cobra.Command, path string, code int) error {
	var m exposition
	m.gauge("build_info", "Version of the program; always 1.", sample{"version", report.Version(), 1})
	m.gauge("run_exit_code", "Exit code of the last run.", value(code))
	m.gauge("run_end_timestamp_seconds", "When the last run ended, in seconds since 1970.", value(time.Now().Unix()))
	m.gauge("run_duration_seconds", "How long the last run took.", value(time.Since(a.start).Seconds()))
	m.gauge("run_read_bytes", "Bytes of archives that the last run read.", value(a.progress.BytesRead.Load()))
	m.gauge("run_inputs", "Archives that the last run read anew, and those of which it kept what was read before.",
		sample{"state", "kept", float64(a.progress.InputsKept.Load())}, sample{
			"state", "read",
			float64(a.progress.InputsRead.Load()),
		})
	if a.facts != nil {
		m.gauge("inputs", "Archives in the output folder.", value(len(a.facts.Inputs)))
		m.gauge("inputs_not_wholly_read", "Archives of which something could not be read.", value(a.notWhollyRead()))
	}
	if t := a.totals; t != nil {
		m.gauge("fetches", "Fetches by verdict.", sample{"verdict", "allowed", float64(t.Allowed)},
			sample{"verdict", "disallowed", float64(t.Disallowed)}, sample{"verdict", "unknown", float64(t.Unknown)})
		m.gauge("violations", "Fetches in the table violations.",
			sample{"certainty", "certain", float64(t.ViolationsCertain)}, sample{
				"certainty", "probable",
				float64(t.ViolationsProbable),
			})
		m.gauge("unproven", "Fetches in the table unproven.", sample{"certainty", "contested", float64(t.Contested)},
			sample{"certainty", "possible", float64(t.Possible)})
	}
	return writeWhole(cmd, path, func(w io.Writer) error { _, err := io.WriteString(w, m.String()); return err })
}

// exposition is text in the exposition format of Prometheus.
type exposition struct{ strings.Builder }

// sample is a value, with a label where it has one.
type sample struct {
	label, of string
	value     float64
}

// value is a sample without a label.
func value[N int | int64 | float64](n N) sample { return sample{value: float64(n)} }

func (m *exposition) gauge(name, help string, samples ...sample) {
	name = "robotsaudit_" + name
	fmt.Fprintf(m, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name)
	for _, s := range samples {
		labels := ""
		if s.label != "" {
			labels = fmt.Sprintf("{%s=%q}", s.label, s.of)
		}
		fmt.Fprintf(m, "%s%s %s\n", name, labels, strconv.FormatFloat(s.value, 'f', -1, 64))
	}
}
