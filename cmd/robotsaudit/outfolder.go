package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/stages"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/index"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/prose"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// The output folders of commands, for help.
const (
	makesOutput = "output folder `DIR`, made where there is none (required)"
	ingestsInto = "output folder `DIR`, made where there is none (required without --check)"
	hasFacts    = "output folder `DIR` of 'ingest', 'audit' or 'merge': the same as the argument"
	hasResults  = "output `DIR` of an audit, a folder or s3://BUCKET/PREFIX: the same as the argument"
)

func addOutput(flags *pflag.FlagSet, output *string, what string) {
	flags.StringVarP(output, "output", "o", "", what)
}

// onOutput has a command run on an output, which its first argument names where -o does not, and on n other
// arguments.
func onOutput(cmd *cobra.Command, output *string, n int, run func(cmd *cobra.Command, args []string) error) {
	cmd.Args = cobra.ArbitraryArgs // settings may name the output, too, and are read later
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		call := cmd.CommandPath() + " -o " + prose.ShellWord(*output)
		if len(args) > 0 && !usage.Given(cmd, "output") && (*output == "" || len(args) != n) {
			*output, args = args[0], args[1:]
			call = cmd.CommandPath() + " " + prose.ShellWord(*output)
		}
		switch {
		case *output == "":
			return usage.Errorf("no output folder given; name it, as in: %s", usage.FirstExample(cmd))
		case n > 0 && len(args) == n && !usage.IsFolder(*output) && usage.IsFolder(args[0]):
			return usage.Errorf("the output folder comes first; write: %s %s %s", cmd.CommandPath(), prose.ShellWord(args[0]),
				prose.ShellWord(*output))
		case len(args) < n && !usage.IsFolder(*output) && !strings.HasPrefix(*output, "s3://"):
			return usage.Errorf("%q is no folder; name the output folder first, and then one fetch, as in: %s", *output,
				usage.FirstExample(cmd))
		case len(args) < n:
			return usage.Errorf("name one fetch, as in: %[1]s https://example.com/private/ or: %[1]s 1", call)
		case len(args) > n && usage.Given(cmd, "output") && usage.IsFolder(args[0]):
			return usage.Errorf("%q is one argument too many: -o %s names the output folder, too; leave out one of them",
				args[0], *output)
		case len(args) > n:
			return usage.LeftOver(cmd, call+strings.Join(append([]string{""}, args[:n]...), " "), args[n])
		}
		return run(cmd, args)
	}
}

// withOutput is a call with arguments and an output folder: the last of them, if it is one, or is not there.
func withOutput(call string, args []string) string {
	output := "out"
	if last := len(args) - 1; last > 0 {
		_, absent := os.Stat(args[last])
		if _, err := os.Stat(filepath.Join(args[last], report.AuditFile)); err == nil || absent != nil {
			output, args = args[last], args[:last]
		}
	}
	for _, arg := range args {
		call += " " + prose.ShellWord(arg)
	}
	return call + " -o " + prose.ShellWord(output)
}

// readOutput opens the results in an output that is a folder, or in a store. A local folder has the
// files of a store that are read. Facts in one are there where they are needed. End is called after
// the reading.
func readOutput(cmd *cobra.Command, output string, needsFacts bool) (r *results.Results, end func(), err error) {
	dir, name, end := output, output, func() {}
	if err := usage.RefuseFile(output); err != nil {
		return nil, nil, err
	}
	if object.IsRemote(output) {
		name = strings.TrimSuffix(output, "/")
	}
	if needsFacts || object.IsRemote(output) {
		if dir, end, err = localOutput(cmd, output); err != nil {
			return nil, nil, err
		}
	}
	if r, err = results.OpenCopy(dir, name); err != nil {
		end()
	}
	return r, end, err
}

// inOutput runs f with the results in an output, and their facts, while this process holds its folder.
func inOutput(cmd *cobra.Command, output string, f func(*results.Results) error) (err error) {
	r, end, err := readOutput(cmd, output, true) // before the lock, which makes the folder
	if err != nil {
		return err
	}
	defer end()
	release, err := ingest.Lock(r.Dir())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	return f(r)
}

// localOutput returns an output, or what stands for it where it or its facts are in a store.
func localOutput(cmd *cobra.Command, output string) (dir string, end func(), err error) {
	switch {
	case !object.IsRemote(output):
		plan, err := facts.ReadPlan(output)
		if err != nil || plan == nil || !object.IsRemote(plan.Folder) {
			return output, func() {}, nil // who opens its facts reports the error
		}
	case !strings.HasPrefix(strings.ToLower(output), "s3://"):
		return "", nil, usage.Errorf("%s: results are read from a folder, or from s3://BUCKET/PREFIX",
			object.Shown(output))
	}
	return stages.Mirror(cmd.Context(), output)
}

// writeFlags are the options of commands that write to an output folder.
type writeFlags struct {
	output     string
	waitLock   bool
	force      bool
	metrics    string
	add, prune bool // what becomes of facts whose archives are not named
}

func (f *writeFlags) addTo(flags *pflag.FlagSet, output string, tables bool) {
	addOutput(flags, &f.output, output)
	flags.BoolVar(&f.waitLock, "wait-lock", false, "wait for folders that another robotsaudit uses, instead of failing")
	flags.StringVar(&f.metrics, "metrics", "",
		"write counts of this run to `FILE`, for the textfile collector of Prometheus; - is standard output, which "+
			"has no summary then")
	if tables {
		flags.BoolVar(&f.force, "force", false, "replace files of other programs in DIR that bear the names of results")
	}
}

// addKeep adds the flags of commands that add to facts.
func (f *writeFlags) addKeep(flags *pflag.FlagSet, what string) {
	flags.BoolVar(&f.add, "add", false, "keep what DIR holds of "+what+" not named now")
	flags.BoolVar(&f.prune, "prune", false, "remove what DIR holds of archives not named now, without a warning")
}

// check refuses options that cannot be meant.
func (f *writeFlags) check() error {
	switch {
	case f.add && f.prune:
		return usage.Errorf("--add keeps what is not named, --prune removes it: leave out one of them")
	case object.IsRemote(f.output):
		return usage.Errorf("-o %s: give a folder; an audit in stages alone writes to a store (docs/SCALE.md)",
			object.Shown(f.output))
	}
	return usage.RefuseFile(f.output)
}

// run checks the options and, if there is one, the evaluation; it runs do, and reports the result.
func (f *writeFlags) run(cmd *cobra.Command, e *evaluation, do func(*job) error) error {
	if e != nil {
		if err := e.resolve(); err != nil {
			return err
		}
	}
	if f.output == "" {
		return usage.Errorf("no output folder given; add -o DIR, as in: %s", withOutput(cmd.CommandPath(), cmd.Flags().Args()))
	}
	if err := f.check(); err != nil {
		return err
	}
	asked, _ := object.Traffic()
	j := &job{
		writeFlags: f, cmd: cmd, log: console.Logger(cmd), start: time.Now(), progress: new(ingest.Progress), asked: asked,
	}
	if e != nil {
		e.warn(j.log)
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

// hold runs do while this process holds the output folder, and nobody writes to the folders
// that it reads. Where tables are to be written, the files in their places must be such.
func (j *job) hold(tables bool, reads []string, do func() error) (err error) {
	release, err := j.lock(reads)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := refuseReadOnly(j.output); err != nil { // which can be locked
		return err
	}
	if tables && !j.force {
		if err := refuseForeign(j.output); err != nil {
			return err
		}
	}
	return do()
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

// refuseForeign returns an error where files in the places of tables are none.
func refuseForeign(dir string) error {
	foreign, err := report.Foreign(dir)
	if err == nil && foreign != "" {
		err = fmt.Errorf("%s in the output folder %s was not written by robotsaudit; move it, give another folder "+
			"with -o, or replace it with --force", foreign, dir)
	}
	return err
}

// lockInterval is how often folders that are waited for are tried.
const lockInterval = 200 * time.Millisecond

// lock takes the output folder and those that are read, with --wait-lock once all are free:
// two runs that each held a folder which the other waits for would wait for ever.
func (j *job) lock(reads []string) (release func() error, err error) {
	for told := ""; ; {
		release, used, err := j.tryLock(reads)
		switch {
		case !errors.Is(err, ingest.ErrLocked):
			return release, err
		case !j.waitLock:
			return nil, fmt.Errorf("%w; --wait-lock waits", err)
		case told != used:
			j.log.Info(fmt.Sprintf("output folder %s is in use by another robotsaudit; waiting for it", used))
			told = used
		}
		select {
		case <-j.cmd.Context().Done():
			return nil, j.cmd.Context().Err()
		case <-time.After(lockInterval):
		}
	}
}

// tryLock takes all folders or none; used is the first that another process holds.
func (f *writeFlags) tryLock(reads []string) (release func() error, used string, err error) {
	var held []func() error
	release = func() (err error) {
		for _, give := range slices.Backward(held) {
			err = errors.Join(err, give())
		}
		return err
	}
	lock := ingest.Lock
	for _, dir := range slices.Concat([]string{f.output}, reads) {
		if len(held) > 0 && durable.Same(dir, f.output) {
			continue
		}
		give, err := lock(dir)
		if err != nil {
			return nil, dir, errors.Join(err, release())
		}
		held, lock = append(held, give), ingest.LockToRead
	}
	return release, "", nil
}

// mayHoldFacts returns an error where a folder surely holds no facts, so that taking it would
// make it. Whether it does shows once it is taken: another process may be making them.
func mayHoldFacts(dir string) error {
	if err := usage.RefuseFile(dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, facts.PrivateFolder)); err == nil {
		return nil
	}
	_, err := ingest.OpenFacts(dir)
	return err
}

// dropping returns what warns of archives whose facts go, and refuses that most go. What are the
// arguments of the command.
func (j *job) dropping(what string) func([]ingest.Input, int) error {
	if j.prune {
		return nil
	}
	again := fmt.Sprintf("%s --add %s -o %s", j.cmd.CommandPath(), what, j.output)
	return func(inputs []ingest.Input, of int) error {
		if 2*len(inputs) > of {
			return usage.Errorf("%s has %s, and this run would remove what was read of %d of them: use '%s' to keep it, "+
				"or --prune to remove it", j.output, report.Count(int64(of), "archive"), len(inputs), again)
		}
		var names []string
		for _, in := range inputs[:min(len(inputs), 3)] {
			names = append(names, in.Name)
		}
		if more := len(inputs) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		j.log.Warn(fmt.Sprintf("what was read before of %s not named now is removed (%s); to keep it, stop this run "+
			"and use '%s'; with --prune there is no warning",
			report.Count(int64(len(inputs)), "archive"), strings.Join(names, ", "), again))
		return nil
	}
}

// errDamagedFacts is the error of facts that were damaged after they were made.
var errDamagedFacts = errors.New("is damaged")

// withFacts opens the facts in the output folder, names the inputs that were not wholly read, but for those that
// were named before, and runs do. If that fails because facts are damaged, it drops these, so that their archives
// are read again, and reports it.
func (j *job) withFacts(named []*ingest.InputError, do func() error) (err error) {
	if j.facts, err = ingest.OpenFacts(j.output); err != nil {
		return err
	}
	reportUnread(j.log, j.facts, named)
	err = do()
	var status usage.ExitCode
	var output *console.OutputError
	if err == nil || j.cmd.Context().Err() != nil || durable.IsFull(err) || errors.As(err, &status) || errors.As(err, &output) {
		return err
	}
	dropped, dropErr := j.facts.DropDamaged(j.cmd.Context())
	if dropErr != nil || len(dropped) == 0 {
		return errors.Join(err, dropErr)
	}
	return fmt.Errorf("what was read of %s into the output folder %w (%v) and was removed; 'robotsaudit audit' or "+
		"'ingest' reads the archives again", report.Count(int64(len(dropped)), "archive"), errDamagedFacts, err)
}

const maxUnread = 20 // inputs named on standard error that were not wholly read

// reportUnread names the inputs that were not wholly read, without the failures
// that were reported before.
func reportUnread(log *slog.Logger, facts *facts.Set, told []*ingest.InputError) {
	var lines []string
	for _, f := range facts.Failures {
		if !slices.ContainsFunc(told,
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
		case in.Lossy > 0 && index.IsFormat(in.Container):
			lines = append(lines, in.Name+": has rows that cannot be read; the table issues shows which")
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
