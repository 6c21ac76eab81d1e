package outfolder

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
)

// notWhollyRead counts inputs with missing parts.
func (j *Job) notWhollyRead() int64 {
	if j.Totals != nil {
		return j.Totals.InputsNotWhollyRead
	}
	return int64(len(j.Facts.Failures)) + j.Facts.Totals.NotWhole
}

// summarize logs the event summary of a run that came to its end.
func (j *Job) summarize(code usage.ExitCode) {
	fields := []slog.Attr{
		slog.String("command", j.Cmd.Name()),
		slog.Int("exit_code", int(code)),
		slog.Float64("seconds", time.Since(j.start).Seconds()),
		slog.Int64("inputs_read", j.Progress.InputsRead.Load()),
		slog.Int64("inputs_kept", j.Progress.InputsKept.Load()),
		slog.Int64("bytes_read", j.Progress.BytesRead.Load()),
	}
	if j.Facts != nil {
		fields = append(fields,
			slog.Int("inputs", int(j.Facts.Totals.Count)),
			slog.Int64("inputs_not_wholly_read", j.notWhollyRead()),
			slog.Int64("fetches", j.Facts.Totals.Fetches))
	}
	if j.Totals != nil {
		fields = append(fields,
			slog.Int64("violations", j.Totals.Violations), slog.Int64("unproven", j.Totals.Unproven),
			slog.Int64("allowed", j.Totals.Allowed), slog.Int64("disallowed", j.Totals.Disallowed),
			slog.Int64("unknown", j.Totals.Unknown))
	}
	if j.Fresh != nil {
		fields = append(fields, slog.Int64("new_violations", *j.Fresh))
	}
	if asked, _ := object.Traffic(); asked > j.asked {
		fields = append(fields, slog.Int64("requests", asked-j.asked))
	}
	console.Tell(j.Log, slog.LevelInfo, "summary", "", fields...)
}

// writeMetrics writes the file of --metrics, for the textfile collector of Prometheus'
// node_exporter.
func (j *Job) writeMetrics(code usage.ExitCode) error {
	var m exposition
	m.gauge("build_info", "Version of the program; always 1.", labelled("version", report.Version(), 1))
	m.gauge("run_exit_code", "Exit code of the last run.", value(int(code)))
	m.gauge("run_end_timestamp_seconds", "When the last run ended, in seconds since 1970.", value(time.Now().Unix()))
	m.gauge("run_duration_seconds", "How long the last run took.", value(time.Since(j.start).Seconds()))
	m.gauge("run_read_bytes", "Bytes of archives that the last run read.", value(j.Progress.BytesRead.Load()))
	m.gauge("run_inputs", "Archives that the last run read anew, and those of which it kept what was read before.",
		labelled("state", "kept", j.Progress.InputsKept.Load()), labelled("state", "read", j.Progress.InputsRead.Load()))
	if j.Facts != nil {
		m.gauge("inputs", "Archives in the output folder.", value(int(j.Facts.Totals.Count)))
		m.gauge("inputs_not_wholly_read", "Archives of which something could not be read.", value(j.notWhollyRead()))
	}
	if t := j.Totals; t != nil {
		m.gauge("fetches", "Fetches by verdict.", labelled("verdict", words.Allowed.String(), t.Allowed),
			labelled("verdict", words.Disallowed.String(), t.Disallowed),
			labelled("verdict", words.Unknown.String(), t.Unknown))
		m.gauge("violations", "Fetches in the table violations.",
			labelled("certainty", words.Certain.String(), t.ViolationsCertain),
			labelled("certainty", words.Probable.String(), t.ViolationsProbable))
		m.gauge("unproven", "Fetches in the table unproven.",
			labelled("certainty", words.Contested.String(), t.Contested),
			labelled("certainty", words.Possible.String(), t.Possible))
	}
	if j.Fresh != nil {
		m.gauge("new_violations", "Violations that the run before did not have.", value(*j.Fresh))
	}
	return console.WriteWhole(j.Cmd, j.metrics, func(w io.Writer) error {
		_, err := io.WriteString(w, m.String())
		return err
	})
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

func labelled(label, of string, n int64) sample { return sample{label, of, float64(n)} }

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
