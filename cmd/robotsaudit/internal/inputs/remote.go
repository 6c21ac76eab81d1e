package inputs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/stages"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/report"
)

// AddRemote adds the flags for access to archives that lie elsewhere.
func AddRemote(flags *pflag.FlagSet) {
	AddStore(flags)
	flags.Int("https-requests", 0,
		"`N` requests at a time to one web server, for https://… (default: 4 to data.commoncrawl.org, elsewhere "+
			"as many as are needed)")
}

// AddStore adds the flags for access to object stores.
func AddStore(flags *pflag.FlagSet) {
	flags.String("s3-endpoint", "", "`URL` of an object store that is not Amazon's, for s3://…")
	flags.Bool("s3-anonymous", false, "do not sign requests to object stores: for what is public")
}

// What --base is for.
const (
	RelativeLines    = "relative lines of lists"
	VerifiedArchives = "the archives that indexes name"
)

// AddBase adds the flag for the place of archives.
func AddBase(flags *pflag.FlagSet, based string) {
	flags.String("base", "", "`PLACE` that "+based+" are meant from: a URL such as s3://commoncrawl/, or a folder")
	if strings.HasPrefix(based, RelativeLines) {
		flags.Bool("trust-lists", false,
			"lists of inputs that lie on servers may name anything, as those on this machine may; else only what "+
				"lies below --base, or in the list's own host or bucket")
	}
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
	opt.Requests, _ = flags.GetInt("https-requests")
	if opt.Requests < 0 {
		return usage.Errorf("--https-requests %d: give at least 1, or leave it out", opt.Requests)
	}
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

// Expand finds the inputs that a command's arguments name, and lists of URLs.
func Expand(cmd *cobra.Command, args, lists []string) ([]ingest.Input, []*ingest.InputError, error) {
	base, _ := cmd.Flags().GetString("base")
	trust, _ := cmd.Flags().GetBool("trust-lists")
	id, _ := cmd.Flags().GetString("id-column")
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
		Base: base, TrustLists: trust, URLs: lists, IDColumn: id, Robots: tables, Bodies: bodies,
		AccessLogs: logs, AccessLog: how,
	})
	return inputs, failures, nil
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
