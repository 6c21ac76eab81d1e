package outfolder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// WriteFlags are the options of commands that write to an output folder.
type WriteFlags struct {
	Output     string
	metrics    string
	Add, prune bool // what becomes of facts whose archives are not named
}

// AddTo adds the flags: -o with its help, if there is any.
func (f *WriteFlags) AddTo(flags *pflag.FlagSet, output string) {
	if output != "" {
		flags.StringVarP(&f.Output, "output", "o", "", output)
	}
	flags.StringVar(&f.metrics, "metrics", "",
		"write counts of this run to `FILE`, for Prometheus' textfile collector; - is standard output")
}

// AddKeep adds the flags of commands that add to facts.
func (f *WriteFlags) AddKeep(flags *pflag.FlagSet, what string) {
	flags.BoolVar(&f.Add, "add", false, "keep what DIR holds of "+what+" not named now")
	flags.BoolVar(&f.prune, "prune", false, "remove what DIR holds of archives not named now, without a warning")
}

// check refuses options that cannot be meant.
func (f *WriteFlags) check() error {
	switch {
	case f.Add && f.prune:
		return usage.Errorf("--add keeps what is not named, --prune removes it: leave out one of them")
	case object.IsRemote(f.Output):
		return usage.Errorf("-o %s: give a folder; an audit in stages alone writes to a store (docs/SCALE.md)",
			object.Shown(f.Output))
	}
	return usage.RefuseFile(f.Output)
}

// Job is a run that writes to an output folder. It gives an account of itself at its end, in the event summary
// and in the file of --metrics: docs/OPERATIONS.md explains both.
type Job struct {
	*WriteFlags
	Cmd *cobra.Command
	Log *slog.Logger

	Progress *ingest.Progress
	Facts    *facts.Set     // nil if the run ended before it had any
	Totals   *report.Totals // nil where nothing was decided
	Fresh    *int64         // new violations; nil where they were not counted

	start time.Time
	asked int64 // requests that were made of servers before
}

// Run checks the options, gives the warnings that there are, runs do, and reports the result.
func (f *WriteFlags) Run(cmd *cobra.Command, warn func(*slog.Logger), do func(*Job) error) error {
	if f.Output == "" {
		return usage.Errorf("no output folder given; add -o DIR, as in: %s", withOutput(cmd.CommandPath(), cmd.Flags().Args()))
	}
	if err := f.check(); err != nil {
		return err
	}
	asked, _ := object.Traffic()
	j := &Job{
		WriteFlags: f, Cmd: cmd, Log: console.Logger(cmd), Progress: new(ingest.Progress),
		start: time.Now(), asked: asked,
	}
	if warn != nil {
		warn(j.Log)
	}
	if f.metrics != "" { // before hours of work
		folder := filepath.Dir(f.metrics)
		if !usage.IsFolder(folder) {
			return usage.Errorf("--metrics %s: there is no folder %s; make it, or give another place", f.metrics, folder)
		}
		if err := usage.RefuseFolder(f.metrics); err != nil {
			return usage.Errorf("--metrics: %v", err)
		}
	}
	err := do(j)
	code := usage.CodeOf(err)
	if code == usage.ExitDone || code == usage.ExitUnread || code == usage.ExitViolations {
		j.summarize(code)
	}
	if f.metrics != "" {
		if failed := j.writeMetrics(code); failed != nil {
			return errors.Join(err, fmt.Errorf("--metrics: %w", failed))
		}
	}
	return err
}

// Hold runs do while this process holds the output folder, and nobody writes to the folders
// that it reads. Where tables are to be written, the files in their places must be such.
func (j *Job) Hold(tables bool, reads []string, do func() error) (err error) {
	if err := refuseOthers(j.Output); err != nil {
		return err
	}
	release, err := j.lock(reads)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := refuseReadOnly(j.Output); err != nil { // which can be locked
		return err
	}
	if tables {
		if err := RefuseForeign(j.Output); err != nil {
			return err
		}
	}
	return do()
}

// refuseOthers returns an error if a folder holds files, but no audit.
func refuseOthers(dir string) error {
	entries, err := os.ReadDir(dir)
	isOwn := func(e os.DirEntry) bool { return e.Name() == facts.PrivateFolder || e.Name() == report.AuditFile }
	if err != nil || len(entries) == 0 || slices.ContainsFunc(entries, isOwn) {
		return nil // what cannot be read is reported by who writes to it
	}
	return usage.Errorf("the folder %[1]s holds files, and no audit; give an empty folder, or one that is not there, such "+
		"as -o %[2]s", dir, prose.ShellWord(filepath.Join(dir, "audit")))
}

// refuseReadOnly returns an error where an output folder cannot be written to.
func refuseReadOnly(dir string) error {
	_, remove, err := durable.Temporary(filepath.Join(dir, facts.PrivateFolder))
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("output folder %s cannot be written (%w); check its permissions or give another with -o",
			dir, object.Cause(err))
	case err != nil:
		return err
	}
	return remove()
}

// RefuseForeign returns an error where files in the places of tables are none.
func RefuseForeign(dir string) error {
	foreign, err := report.Foreign(dir)
	if err == nil && foreign != "" {
		err = fmt.Errorf("%s in the output folder %s was not written by robotsaudit; move it, or give another "+
			"folder with -o", foreign, dir)
	}
	return err
}

// lock takes the output folder and those that are read: all or none.
func (f *WriteFlags) lock(reads []string) (release func() error, err error) {
	var held []func() error
	release = func() (err error) {
		for _, give := range slices.Backward(held) {
			err = errors.Join(err, give())
		}
		return err
	}
	lock := ingest.Lock
	for _, dir := range slices.Concat([]string{f.Output}, reads) {
		if len(held) > 0 && durable.Same(dir, f.Output) {
			continue
		}
		give, err := lock(dir)
		if err != nil {
			return nil, errors.Join(err, release())
		}
		held, lock = append(held, give), ingest.LockToRead
	}
	return release, nil
}

// RefuseInputs returns an error where the file of --metrics, or one of the results, is an input of the audit.
func (j *Job) RefuseInputs(inputs iter.Seq[ingest.Input]) error {
	err := refuseInputs(append(report.Files(j.Output), j.metrics), inputs)
	if err != nil {
		j.metrics = ""
	}
	return err
}

// refuseInputs returns an error where one of the files that are to be written is an input of an audit. The paths of
// inputs are real.
func refuseInputs(outputs []string, inputs iter.Seq[ingest.Input]) error {
	written := make(map[string]string)
	for _, path := range outputs {
		if path == facts.Stdin {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil { // it is there
			if real, err = filepath.Abs(real); err == nil {
				written[filepath.ToSlash(real)] = path
			}
		}
	}
	if len(written) == 0 {
		return nil
	}
	for in := range inputs {
		if path, isOutput := written[in.Path]; isOutput {
			return usage.Errorf("%s is an input of the audit, and is not written to; give another place", path)
		}
	}
	return nil
}

// MayHoldFacts returns an error where a folder surely holds no facts, so that taking it would
// make it. Whether it does shows once it is taken: another process may be making them.
func MayHoldFacts(dir string) error {
	if err := usage.RefuseFile(dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, facts.PrivateFolder)); err == nil {
		return nil
	}
	_, err := ingest.OpenFacts(dir)
	return err
}

// Dropping returns what warns of archives whose facts go, and refuses that most go. What are the
// arguments of the command.
func (j *Job) Dropping(what string) func([]ingest.Input, int) error {
	if j.prune {
		return nil
	}
	again := fmt.Sprintf("%s --add %s -o %s", j.Cmd.CommandPath(), what, j.Output)
	return func(inputs []ingest.Input, of int) error {
		if 2*len(inputs) > of {
			return usage.Errorf("%s has %s, and this run would remove what was read of %d of them: use '%s' to keep it, "+
				"or --prune to remove it", j.Output, report.Count(int64(of), "archive"), len(inputs), again)
		}
		var names []string
		for _, in := range inputs[:min(len(inputs), 3)] {
			names = append(names, in.Name)
		}
		if more := len(inputs) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		j.Log.Warn(fmt.Sprintf("what was read before of %s not named now is removed (%s); to keep it, stop this run "+
			"and use '%s'; with --prune there is no warning",
			report.Count(int64(len(inputs)), "archive"), strings.Join(names, ", "), again))
		return nil
	}
}

// ErrDamagedFacts is the error of facts that were damaged after they were made.
var ErrDamagedFacts = errors.New("is damaged")

// WithFacts opens the facts in the output folder, names the inputs that were not wholly read, but for those that
// were named before, and runs do. If that fails because facts are damaged, it drops these, so that their archives
// are read again, and reports it.
func (j *Job) WithFacts(named []*ingest.InputError, do func() error) (err error) {
	if j.Facts, err = ingest.OpenFacts(j.Output); err != nil {
		return err
	}
	if err := j.RefuseInputs(inputsOf(j.Facts)); err != nil {
		return err
	}
	ReportUnread(j.Log, j.Facts, named)
	err = do()
	var status usage.ExitCode
	var output *console.OutputError
	if err == nil || j.Cmd.Context().Err() != nil || durable.IsFull(err) || errors.As(err, &status) ||
		errors.As(err, &output) {
		return err
	}
	dropped, dropErr := j.Facts.DropDamaged(j.Cmd.Context())
	if dropErr != nil || len(dropped) == 0 {
		return errors.Join(err, dropErr)
	}
	return fmt.Errorf("what was read of %s into the output folder %w (%v) and was removed; 'robotsaudit audit' or "+
		"'ingest' reads the archives again", report.Count(int64(len(dropped)), "archive"), ErrDamagedFacts, err)
}

const maxUnread = 20 // inputs named on standard error that were not wholly read

// ReportUnread names the inputs that were not wholly read, without the failures
// that were reported before.
func ReportUnread(log *slog.Logger, facts *facts.Set, named []*ingest.InputError) {
	var lines []string
	for _, f := range facts.Failures {
		if !slices.ContainsFunc(named,
			func(t *ingest.InputError) bool { return t.Arg == f.Name && t.Reason == f.Reason }) {
			lines = append(lines, f.Name+": "+f.Reason)
		}
	}
	for in, err := range facts.Results(context.Background()) {
		if facts.Totals.NotWhole == 0 || err != nil { // who needs the file of inputs reports that
			break
		}
		switch {
		case in.Refusal != "":
			lines = append(lines, in.Name+": "+in.Refusal)
		case in.Lossy > 0 && report.HasRows(in.Container):
			lines = append(lines, fmt.Sprintf("%s: %s cannot be read; the table issues shows which: %s", in.Name,
				report.Count(in.Lossy, "row"), strings.Join(in.Lost, "; ")))
		case in.Lossy > 0:
			lines = append(lines, in.Name+
				": damaged, not wholly read; the table issues shows where, fetch it again if you can")
		}
	}
	for _, line := range lines[:min(len(lines), maxUnread)] {
		log.Error(line)
	}
	if more := len(lines) - maxUnread; more > 0 {
		log.Error(fmt.Sprintf("and %d more inputs were not wholly read; the table issues names them", more))
	}
}

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
	m.gauge("run_inputs", "Archives that the last run read, and archives of which it kept what an earlier run read.",
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
