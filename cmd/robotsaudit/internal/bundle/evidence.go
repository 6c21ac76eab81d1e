// Package bundle has the commands evidence and verify: bundles of the records that violations rest on, made and
// verified.
package bundle

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/evaluation"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/evidence"
	"github.com/robotsaudit/robotsaudit/report/prose"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// NewCommand makes the command.
func NewCommand() *cobra.Command {
	var opt evidence.Options
	var asked evaluation.Asked
	cmd := &cobra.Command{
		Use:   "evidence DIR --to FILE [WHAT…]",
		Short: "Bundle the records that violations rest on",
		Long: `Evidence copies from the archives of the audit in DIR exactly the records that its
violations rest on, byte for byte, into one WARC file: the fetch and its request, the
robots.txt that governed it and every other copy that had a say, with the records that
redirects and revisits led to. Its first record is a manifest in JSON.

WHAT names disallowed fetches: a URL, a WARC-Record-ID, FILE:OFFSET as in the tables, the name
of a finding as reports print it, or the number of a row of violations, from 1. Without any, all
violations are bundled.

--drop bundles what 'robotsaudit export DIR drop' lists with the same options because robots.txt
disallowed it, or because a page or its origin restricts a purpose; the unproven, too. --agents
asks what robots.txt disallowed to others, in place of the crawler that made the archives.

'robotsaudit verify FILE' decides the findings again, from the bundle alone.

` + usage.ExitHelp,
		Example: `  robotsaudit evidence out --to bundle.warc.gz
  robotsaudit evidence out --to one.warc.gz https://example.com/private/
  robotsaudit evidence out --to dropped.warc.gz --drop
  robotsaudit evidence out --to dropped.warc.gz --drop --agents GPTBot --purpose train
  robotsaudit evidence out --to bundle.warc.gz --archives /mnt/archives`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				opt.Dir, opt.What = args[0], args[1:]
			}
			ofLists := cmd.Flags().Changed("agents") || cmd.Flags().Changed("purpose")
			switch {
			case ofLists && !opt.Drop:
				return usage.Errorf("--agents and --purpose say what lists drop: add --drop")
			case opt.Dir == "":
				return usage.Errorf("no output folder given; name it, as in: %s", usage.FirstExample(cmd))
			}
			if err := usage.RefuseFile(opt.Dir); err != nil {
				return err
			}
			switch {
			case opt.To == "":
				return usage.Errorf("no file given for the bundle; add --to FILE, as in: %s", usage.FirstExample(cmd))
			case opt.Archives != "" && !usage.IsFolder(opt.Archives):
				return usage.Errorf("--archives %s: there is no such folder; check the path", opt.Archives)
			case opt.To == facts.Stdin:
				return usage.Errorf("--to needs a file, for the bundle is verified once it is whole; name one, such " +
					"as bundle.warc.gz")
			}
			if err := usage.RefuseFolder(opt.To); err != nil {
				return err
			}
			if info, err := os.Stat(opt.To); err == nil && !info.Mode().IsRegular() {
				return usage.Errorf("%s is no file, and the bundle is verified once it is whole; name a file", opt.To)
			}
			for _, use := range asked.Uses() {
				opt.Purposes = append(opt.Purposes, use.String())
			}
			var err error
			if opt.Agents, err = asked.Tokens(); err != nil {
				return err
			}
			return outfolder.In(cmd, opt.Dir, func(r *results.Results) error {
				opt.Dir = r.Dir()
				return write(cmd, opt)
			}, opt.To)
		},
	}
	cmd.Flags().StringVar(&opt.To, "to", "", "`FILE` to write the bundle to, such as bundle.warc.gz")
	cmd.Flags().BoolVar(&opt.Drop, "drop", false,
		"bundle what 'export DIR drop' lists with the same options: also what is unproven")
	asked.AddTo(cmd.Flags())
	cmd.Flags().StringVar(&opt.Archives, "archives", "",
		"folder `DIR` in which the archives are now, if they have been moved")
	inputs.AddStore(cmd.Flags())
	return cmd
}

// makeBundle writes a bundle, and says of which findings the records are missing.
func makeBundle(cmd *cobra.Command, opt evidence.Options) (*evidence.Bundle, error) {
	b, err := evidence.Write(cmd.Context(), opt)
	var notFound *evidence.NotFoundError
	if errors.As(err, &notFound) {
		return nil, usage.Errorf("%v", err)
	}
	if err != nil {
		return nil, err
	}
	for _, m := range b.Missing {
		console.Logger(cmd).Error(fmt.Sprintf("%s: %s; %s left out that it is evidence of; %s",
			console.OneLine(m.Name), console.OneLine(m.Reason), report.Count(m.Affected, "finding"),
			cmp.Or(m.Cure, "--archives DIR says where it is now")))
	}
	if b.IsEmpty() {
		cure := "--archives DIR says where the archives are now"
		isAnyOf := func(cure string) bool {
			return slices.ContainsFunc(b.Missing, func(m evidence.Missing) bool { return m.Cure == cure })
		}
		switch {
		case isAnyOf(""):
		case isAnyOf(evidence.CureOfTable):
			cure = evidence.CureOfTable + ", too, and run this again"
		case !slices.ContainsFunc(b.Missing, func(m evidence.Missing) bool { return m.Cure != evidence.CureOfLog }):
			cure = evidence.CureOfLog
		default:
			cure = "audit the archives that the index names together with it, and run this again"
		}
		return nil, fmt.Errorf("no bundle is written: the records of %s are missing; %s", report.Count(b.Lacking, "finding"),
			cure)
	}
	return b, nil
}

// write writes a bundle and lists what is in it, and what is not.
func write(cmd *cobra.Command, opt evidence.Options) error {
	b, err := makeBundle(cmd, opt)
	if err != nil {
		return err
	}
	whole := b.Lacking == 0 && b.Proven == b.Violations // it proves all that was asked for
	if whole && console.IsQuiet(cmd) {
		return nil
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s of %s.\n", opt.To,
		report.Count(b.Violations, "finding"), report.Count(b.Records, "record"), report.Count(b.Archives, "archive"))
	printVerified(cmd.OutOrStdout(), &b.Verification)
	if b.Lacking > 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "%s left out: records are missing.\n", report.Count(b.Lacking, "finding"))
	}
	if !whole {
		return usage.ExitUnread
	}
	return nil
}

// printVerified shows the result of recomputing the verdicts.
func printVerified(out io.Writer, v *evidence.Verification) {
	if v.Violations == 0 {
		fmt.Fprintln(out, "No findings, so nothing to verify. This does not prove that there were no violations.")
		return
	}
	var kinds []string
	for i, n := range v.Certainty {
		if n > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %s", humanize.Comma(n), evidence.Certainties[i]))
		}
	}
	for _, more := range [...]struct {
		of   int64
		what string
	}{{v.ForOthers, "disallowed to others"}, {v.Restricted, "restrictions"}} {
		if more.of > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %s", humanize.Comma(more.of), more.what))
		}
	}
	text := report.Count(v.Violations, "finding")
	if v.Proven < v.Violations {
		text = humanize.Comma(v.Proven) + " of " + text
	}
	text += " in this file " + prose.IsAre(v.Violations, "is", "are") + " proven"
	if len(kinds) > 0 {
		text += ": " + strings.Join(kinds, ", ")
	}
	fmt.Fprintln(out, text+".")
	for _, u := range v.Unproven {
		fmt.Fprintf(out, "Not proven: %s, fetched %s: %s\n", console.OneLine(u.URL), console.OneLine(u.Time), console.OneLine(u.Reason))
	}
	if more := v.Violations - v.Proven - int64(len(v.Unproven)); more > 0 {
		fmt.Fprintf(out, "Not proven: %s more.\n", humanize.Comma(more))
	}
}
