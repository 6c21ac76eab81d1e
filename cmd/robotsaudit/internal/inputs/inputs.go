// Package inputs is what a command reads: the arguments and flags that name archives, indexes, lists and logs, wherever
// they lie, and how they are found.
package inputs

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/stages"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/report"
)

// Help says what the arguments may be.
const Help = `INPUT is an archive (.warc, .arc, .wacz; .gz, .zst, .bz2), an index (CDX, CDXJ, Common Crawl's
columnar index), a folder, a glob, - for standard input, or a list of inputs, one a line: @FILE, @-
or FILE.paths.gz. All can lie elsewhere: s3://BUCKET/KEY, s3://BUCKET/PREFIX/, https://…
docs/FORMATS.md describes them, docs/OPERATIONS.md access to servers and stores.`

// Flags are the options of what is read, and how.
type Flags struct {
	URLs    []string
	Options ingest.ReadOptions
}

// AddTo adds the flags; based is what --base is for.
func (f *Flags) AddTo(flags *pflag.FlagSet, based string) {
	flags.StringArrayVar(&f.URLs, "urls", nil,
		"`FILE` of URLs with times: Parquet, CSV or JSON lines (repeatable)")
	flags.StringArray("robots", nil,
		"`FILE` with captures as rows: Parquet, CSV or JSON lines (repeatable)")
	flags.String("columns", "",
		"`NAMES` of columns, unless they are usual ones: url=page,time=meta.seen. The fields: "+ingest.ColumnFields())
	flags.String("robots-bodies", "",
		"folder `DIR` with bodies that --robots names by digest: a file each")
	addAccessLog(flags)
	AddBase(flags, based)
	AddStore(flags)
	flags.BoolVar(&f.Options.DigestInputs, "digest-inputs", false,
		"write the SHA-256 of each archive to audit.json, read twice for it")
	flags.BoolVar(&f.Options.VerifyDigests, "verify-digests", false,
		"check the digests of all records, not of robots.txt alone")
}

// Find finds the archives that args name, and returns the arguments that name none. Some do.
func Find(cmd *cobra.Command, log *slog.Logger, args, urls []string) ([]ingest.Input, []*ingest.InputError, error) {
	inputs, failures, err := expand(cmd, args, urls)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range failures {
		console.Tell(log, slog.LevelError, "input_failed", f.Error(), slog.String("input", f.Arg),
			slog.String("reason", f.Reason))
	}
	if len(inputs) == 0 {
		return nil, nil, usage.ExitFailed
	}
	return inputs, failures, nil
}

// Watch shows how far do is, which reads inputs with options, and logs what it comes to: inputs that
// cannot be read as format has it, "" for nothing to be said.
func Watch(cmd *cobra.Command, log *slog.Logger, progress *ingest.Progress, opt *ingest.ReadOptions, format string,
	do func() error,
) error {
	opt.Progress, opt.Warn = progress, func(msg string) { log.Warn(msg) }
	opt.Read = func(in *ingest.InputResult) {
		var records int64
		for _, n := range in.Records {
			records += n
		}
		fields := []slog.Attr{
			slog.String("input", in.Name), slog.String("path", in.Path), slog.String("container", in.Container),
			slog.Int64("bytes", in.Size), slog.Int64("records", records), slog.Int64("fetches", in.Fetches),
			slog.Int64("robots", in.Robots), slog.Int64("issues", in.Issues), slog.Int64("lossy_issues", in.Lossy),
		}
		if in.Refusal != "" {
			fields = append(fields, slog.String("refusal", in.Refusal))
		}
		console.Tell(log, slog.LevelInfo, "input_done", "", fields...)
	}
	opt.NotRead = func(f *ingest.Failure) {
		message := ""
		if format != "" {
			message = fmt.Sprintf(format, f.Name, f.Reason)
		}
		console.Tell(log, slog.LevelError, "input_failed", message, slog.String("input", f.Name), slog.String("path", f.Path),
			slog.String("reason", f.Reason))
	}
	stop := console.Watch(cmd, log, console.Gauge{
		What: "reading", Done: progress.BytesRead.Load, Total: progress.BytesTotal.Load,
		Unit: report.Bytes, UnitName: "bytes",
	})
	defer stop()
	return do()
}

// Args requires at least one archive.
func Args(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && !cmd.Flags().Changed("urls") && !cmd.Flags().Changed("robots") &&
		!cmd.Flags().Changed("access-log") {
		return usage.Errorf("no archive given; name a file, a folder or a list, as in: %s", usage.FirstExample(cmd))
	}
	if columns := cmd.Flags().Lookup("columns"); columns != nil && columns.Changed {
		err := ingest.CheckColumns(columns.Value.String(), cmd.Flags().Changed("urls"), cmd.Flags().Changed("robots"))
		if err != nil {
			return usage.Errorf("--columns: %v", err)
		}
	}
	if cmd.Flags().Changed("robots-bodies") && !cmd.Flags().Changed("robots") {
		return usage.Errorf("--robots-bodies has the bodies of tables of robots.txt; name these with --robots FILE")
	}
	if slices.Contains(args, facts.Stdin) && slices.Contains(args, "@"+facts.Stdin) {
		return usage.Errorf("standard input is either an archive or a list of inputs: leave out - or @-")
	}
	return nil
}

// AddStore adds the flags for access to object stores.
func AddStore(flags *pflag.FlagSet) {
	flags.String("s3-endpoint", "", "`URL` of an object store that is not Amazon's, for s3://…")
	flags.Bool("s3-anonymous", false, "do not sign requests to object stores: for what is public")
}

// What --base is for.
const (
	RelativeLines    = "relative lines of lists"
	VerifiedArchives = "archives that indexes name"
)

// AddBase adds the flag for the place of archives.
func AddBase(flags *pflag.FlagSet, based string) {
	flags.String("base", "", "`PLACE` that "+based+" are meant from: a URL or a folder")
}

// Configure applies these flags, where a command has them.
func Configure(cmd *cobra.Command) error {
	flags := cmd.Flags()
	if flags.Lookup("s3-endpoint") == nil {
		return nil
	}
	opt := object.Options{UserAgent: fmt.Sprintf("robotsaudit/%s (+https://github.com/robotsaudit/robotsaudit)",
		report.Version())}
	opt.S3Endpoint, _ = flags.GetString("s3-endpoint")
	opt.S3Anonymous, _ = flags.GetBool("s3-anonymous")
	if err := object.Configure(opt); err != nil {
		return usage.Errorf("--s3-endpoint: it %v", err)
	}
	if base, _ := flags.GetString("base"); base != "" && !object.IsRemote(base) && !usage.IsFolder(base) {
		return usage.Errorf("--base %s: there is no such folder; check the path, or give a URL", base)
	}
	if bodies, _ := flags.GetString("robots-bodies"); bodies != "" && !usage.IsFolder(bodies) {
		return usage.Errorf("--robots-bodies %s: there is no such folder; check the path", bodies)
	}
	return nil
}

// expand finds the inputs that a command's arguments name, and lists of URLs.
func expand(cmd *cobra.Command, args, lists []string) ([]ingest.Input, []*ingest.InputError, error) {
	base, _ := cmd.Flags().GetString("base")
	columns, _ := cmd.Flags().GetString("columns")
	tables, _ := cmd.Flags().GetStringArray("robots")
	bodies, _ := cmd.Flags().GetString("robots-bodies")
	if bodies != "" { // the plan is read elsewhere, too
		bodies, _ = filepath.Abs(bodies)
	}
	logs, how, err := accessLogs(cmd)
	if err != nil {
		return nil, nil, err
	}
	inputs, failures := ingest.Expand(cmd.Context(), args, ingest.ExpandOptions{
		Base: base, URLs: lists, Columns: columns, Robots: tables, Bodies: bodies,
		AccessLogs: logs, AccessLog: how,
	})
	return inputs, failures, cmd.Context().Err()
}

// RefuseSecrets refuses inputs, and a base of them, that a plan cannot name, before a server is asked.
// Of lists of inputs the lines count, which the plan refuses.
func RefuseSecrets(cmd *cobra.Command, inputs []string) error {
	base, _ := cmd.Flags().GetString("base")
	tables, _ := cmd.Flags().GetStringArray("robots")
	logs, _ := cmd.Flags().GetStringArray("access-log")
	for _, in := range slices.Concat(inputs, tables, logs, []string{base}) {
		if !object.IsRemote(in) || strings.HasSuffix(object.Shown(in), ".paths.gz") {
			continue
		}
		if path, err := object.Clean(in); err == nil && object.HasSecrets(path) {
			return usage.Errorf("%v", stages.SecretError(path))
		}
	}
	return nil
}
