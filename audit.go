package robotsaudit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/figures"
	"github.com/robotsaudit/robotsaudit/report/html"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// Options of Audit. All but Inputs and Dir may be left out.
type Options struct {
	// Inputs are archives (WARC, ARC, WACZ), folders of these, globs, lists (@FILE), indexes,
	// crawl logs, or their URLs (s3://, https://).
	Inputs []string
	// URLs are lists of URLs to judge, Robots tables of robots.txt, AccessLogs logs of servers, as docs/FORMATS.md
	// describes them. AccessLog says how the logs are read, such as by the origins of their site.
	URLs, Robots, AccessLogs []string
	AccessLog                ingest.AccessLog
	// Dir is the output folder, made where there is none. Archives that an earlier audit has read into
	// it are not read again; results there are replaced.
	Dir string
	// Workers is how many archives are read, and how many hosts decided, at a time. 0: one a core.
	Workers int

	// Crawler is the product token of the crawler that made the archives. "": the one that each
	// request's User-Agent names.
	Crawler string
	// Profile is the reading of the Robots Exclusion Protocol, by a name that evaluate.ParseProfile
	// takes, such as "google". "": rfc9309.
	Profile string
	// Purposes are what the archives are for: "archive", "index", "train". What pages and origins say
	// against one is then a row of the table restrictions.
	Purposes []string
	// Agents are product tokens of other crawlers, for the tables of the what-if.
	Agents []string
	// AsOf is the moment for which the what-if and restrictions are judged. Zero: each fetch's own.
	AsOf time.Time

	// Warn is called with what the user should know, from one goroutine. It may be nil.
	Warn func(message string)
}

// evaluation are the options of deciding.
func (o *Options) evaluation() (opt evaluate.DecideOptions, err error) {
	opt = evaluate.DecideOptions{
		Crawler: o.Crawler, Agents: evaluate.DistinctTokens(o.Agents),
		Workers: o.Workers,
	}
	for _, token := range append([]string{o.Crawler}, o.Agents...) {
		if fault := agents.TokenFault(token); token != "" && fault != "" {
			return opt, fmt.Errorf("%q is no product token: %s", token, fault)
		}
	}
	if o.Profile != "" {
		if opt.Profile, err = evaluate.ParseProfile(o.Profile); err != nil {
			return opt, err
		}
	}
	for _, purpose := range o.Purposes {
		use, ok := evaluate.ParseUse(purpose)
		if !ok {
			return opt, fmt.Errorf("unknown purpose %q: use archive, index or train", purpose)
		}
		opt.Uses = append(opt.Uses, use)
	}
	if !o.AsOf.IsZero() {
		opt.AsOf = evaluate.AsOfMoment(o.AsOf)
	}
	return opt, nil
}

// Audit reads archives, decides every captured fetch, and writes the results to opt.Dir.
//
// Damage and inputs that cannot be read are no errors where others can: [Results.Issues] yields them.
// Nothing is written where opt names no input. An audit that ends with an error, or with its
// context, leaves the results of the one before; the next call goes on from what was read.
func Audit(ctx context.Context, opt Options) (res *Results, err error) {
	if opt.Dir == "" {
		return nil, errors.New("robotsaudit: Options.Dir names no output folder")
	}
	evaluation, err := opt.evaluation()
	if err != nil {
		return nil, fmt.Errorf("robotsaudit: %w", err)
	}
	named := ingest.ExpandOptions{URLs: opt.URLs, Robots: opt.Robots, AccessLogs: opt.AccessLogs}
	if len(opt.AccessLogs) > 0 {
		if named.AccessLog, err = ingest.FindAccessLog(opt.AccessLog); err != nil {
			return nil, fmt.Errorf("robotsaudit: %w", err)
		}
	}
	inputs, failures := ingest.Expand(ctx, opt.Inputs, named)
	if len(inputs) == 0 {
		return nil, errors.Join(noInput(failures)...)
	}
	release, err := ingest.Lock(opt.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if foreign, err := report.Foreign(opt.Dir); err != nil {
		return nil, err
	} else if foreign != "" {
		return nil, fmt.Errorf("robotsaudit: %s in %s was not written by robotsaudit: move it, or name another folder",
			foreign, opt.Dir)
	}
	reading := ingest.ReadOptions{Dir: opt.Dir, Workers: opt.Workers, Failed: failures, Warn: opt.Warn}
	if err := ingest.Ingest(ctx, inputs, reading); err != nil {
		return nil, err
	}
	facts, err := ingest.OpenFacts(opt.Dir)
	if err != nil {
		return nil, err
	}
	if err := write(ctx, opt.Dir, facts, evaluation); err != nil {
		return nil, err
	}
	return Open(opt.Dir)
}

func noInput(failures []*ingest.InputError) (errs []error) {
	errs = append(errs, errors.New("robotsaudit: Options name no input"))
	for _, f := range failures {
		errs = append(errs, f)
	}
	return errs
}

// write decides facts and writes tables, audit.json and the report.
func write(ctx context.Context, dir string, facts *ingest.Facts, opt evaluate.DecideOptions) error {
	w, err := report.NewWriter(dir, facts, opt)
	if err != nil {
		return err
	}
	defer w.Abandon()
	counted := figures.New(w.Inputs())
	w.Count(counted)
	totals, err := evaluate.Run(ctx, facts, opt, w)
	if err != nil {
		return err
	}
	if _, err := w.Commit(totals); err != nil {
		return err
	}
	tables, err := results.Open(dir)
	if err != nil {
		return err
	}
	doc, err := figures.Build(ctx, tables, counted, figures.ReportOptions{})
	if err != nil {
		return err
	}
	return durable.WriteWhole(filepath.Join(dir, report.HTMLFile),
		func(out io.Writer) error { return html.Render(out, doc) })
}
