// Package outfolder is the output folder of an audit, as commands have it: the flags that name it and a part of it, the
// results in it, which may lie in a store, and the Job that writes to it while no other process does.
package outfolder

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/stages"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/prose"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Makes is the output folder of a command that makes one, for help.
const Makes = "output folder `DIR`, made where there is none (required)"

// RunOn has a command run on an output, its first argument, and on another one if missing says what to write where that
// is missing, as a format of the call without it.
func RunOn(cmd *cobra.Command, output *string, missing string, run func(cmd *cobra.Command, args []string) error) {
	n := min(len(missing), 1)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage.Errorf("no output folder given; name it, as in: %s", usage.FirstExample(cmd))
		}
		*output, args = args[0], args[1:]
		call := cmd.CommandPath() + " " + prose.ShellWord(*output)
		isOutput := usage.IsFolder(*output) || strings.HasPrefix(*output, "s3://")
		switch {
		case len(args) > n:
			return usage.LeftOver(cmd, call+strings.Join(append([]string{""}, args[:n]...), " "), args[n])
		case len(args) == n && n > 0 && !isOutput && usage.IsFolder(args[0]):
			return usage.Errorf("the output folder comes first; write: %s %s %s", cmd.CommandPath(),
				prose.ShellWord(args[0]), prose.ShellWord(*output))
		case len(args) < n && !isOutput:
			return usage.Errorf("%q is no folder; name the output folder first, which 'robotsaudit audit INPUT... -o out' "+
				"makes, as in: %s", *output, usage.FirstExample(cmd))
		case len(args) < n:
			return usage.Errorf("name "+missing, call)
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

// Read opens the results in an output that is a folder, or in a store. A local folder has the
// files of a store that are read. Facts in one are there where they are needed. End is called after
// the reading. No file that will be written may be an input of the audit.
func Read(cmd *cobra.Command, output string, needsFacts bool, written ...string) (
	r *results.Results, end func(), err error,
) {
	dir, name, end := output, output, func() {}
	if err := usage.RefuseFile(output); err != nil {
		return nil, nil, err
	}
	if object.IsRemote(output) {
		name = strings.TrimSuffix(output, "/")
	}
	if needsFacts || object.IsRemote(output) {
		if dir, end, err = local(cmd, output); err != nil {
			return nil, nil, err
		}
	}
	if r, err = results.OpenCopy(dir, name); err == nil {
		err = refuseInputs(written, func(yield func(ingest.Input) bool) {
			if set, err := ingest.OpenFacts(dir); err == nil { // else its inputs are not known
				inputsOf(set)(yield)
			}
		})
	}
	if err != nil {
		end()
	}
	return r, end, err
}

// inputsOf yields the inputs of facts.
func inputsOf(set *ingest.Facts) iter.Seq[ingest.Input] {
	return func(yield func(ingest.Input) bool) {
		set.Inputs()(func(_ int32, in ingest.Input) bool { return yield(in) })
	}
}

// In runs f with the results in an output, and their facts, while this process holds its folder.
func In(cmd *cobra.Command, output string, f func(*results.Results) error, written ...string) (err error) {
	r, end, err := Read(cmd, output, true, written...) // before the lock, which makes the folder
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

// local returns an output, or what stands for it where it or its facts are in a store.
func local(cmd *cobra.Command, output string) (dir string, end func(), err error) {
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

// PartFlags are the options that limit a command to a part of an audit.
type PartFlags struct {
	since, until, crawler, operatorOf string
	hosts                             []string
	Part                              results.Part
}

// AddTo adds the flags.
func (f *PartFlags) AddTo(flags *pflag.FlagSet) {
	flags.StringVar(&f.since, "since", "",
		"only fetches from `DATE` on: 2025-05-01, a day in UTC, or a moment as 2025-05-01T12:00:00Z; or today or now")
	flags.StringVar(&f.until, "until", "", "only fetches up to `DATE`, that day or moment included")
	flags.StringArrayVar(&f.hosts, "host", nil,
		"only fetches from `HOST`: example.org, without www.example.org; or *.example.org, its subdomains (repeatable)")
	flags.StringVar(&f.crawler, "crawler-only", "",
		"only fetches by the crawler with product token `TOKEN`; - is crawlers without a name")
	flags.StringVar(&f.operatorOf, "operator-of", "",
		"only fetches by the crawlers of the operator of `TOKEN`: GPTBot is all of OpenAI (see 'robotsaudit agents')")
}

// Resolve reads the part that the flags name.
func (f *PartFlags) Resolve() (err error) {
	p := &f.Part
	if p.Since, err = usage.Date("since", f.since); err != nil {
		return err
	}
	if p.Until, err = usage.Date("until", f.until); err != nil {
		return err
	}
	if !p.Since.IsZero() && !p.Until.IsZero() && p.Since.First().After(p.Until.Last()) {
		return usage.Errorf("--since %s is after --until %s; exchange them", f.since, f.until)
	}
	for _, s := range f.hosts {
		host, err := results.ParseHost(s)
		if err != nil {
			return usage.Errorf("--host: %v", err)
		}
		p.Hosts = append(p.Hosts, host)
	}
	if p.Crawler = f.crawler; f.crawler != "" && f.crawler != results.NoCrawler {
		if fault := agents.TokenFault(f.crawler); fault != "" {
			return usage.Errorf("--crawler-only: %q is no product token: %s", f.crawler, fault)
		}
	}
	if f.operatorOf == "" {
		return nil
	}
	known, isKnown := agents.Find(f.operatorOf)
	switch {
	case f.crawler != "":
		return usage.Errorf("--crawler-only is one crawler, and --operator-of all of an operator; leave out one")
	case !isKnown || known.Operator == "":
		return usage.Errorf("--operator-of: no operator of %q is known; 'robotsaudit agents' has the ones that are", f.operatorOf)
	case known.Kind == agents.Software:
		return usage.Errorf("--operator-of: %s is software that anybody runs, so its operator is not known; "+
			"name it with --crawler-only", known.Token)
	}
	p.Operator = known.Operator
	return nil
}

// Limit limits results to the part. At least one of them must have fetches of it.
func (f *PartFlags) Limit(cmd *cobra.Command, all ...**results.Results) error {
	var absent *results.AbsentError
	there := false
	for _, r := range all {
		var err error
		if *r, err = (*r).Limit(cmd.Context(), f.Part); err == nil {
			err = (*r).CheckPart(cmd.Context())
		}
		if err != nil && !errors.As(err, &absent) {
			return err
		}
		there = there || err == nil
	}
	if !there {
		return usage.Errorf("%v", absent)
	}
	return nil
}
