package bundle

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/evidence"
	"github.com/robotsaudit/robotsaudit/report/finding"
)

// NewVerifyCommand makes the command that verifies bundles.
func NewVerifyCommand() *cobra.Command {
	var full bool
	cmd := &cobra.Command{
		Use:   "verify FILE… [FINDING…]",
		Short: "Decide the findings of bundles of evidence again, from their records alone",
		Long: `Verify needs bundles of 'robotsaudit evidence' and nothing else. It compares the SHA-256 of
every record, decides every fetch again, and compares the result with the manifest. It lists
what the records prove, and what the maker of the bundle only claims. --full lists each finding.
FINDING is the name of one, as reports print it: only such findings are listed.

A verified bundle does not show that the archives were true. For that, compare the records with
them. docs/EVIDENCE.md has the details.

` + usage.ExitHelp,
		Example: `  robotsaudit verify bundle.warc.gz
  robotsaudit verify --full january.warc.gz february.warc.gz
  robotsaudit verify bundle.warc.gz f-138a3dfb7d`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			v := verifier{cmd: cmd, full: full, named: make(map[string]bool)}
			var files []string
			for _, arg := range args {
				switch err := usage.RefuseFolder(arg); {
				case err != nil:
					return err
				case arg == facts.Stdin:
					return usage.Errorf("a bundle is read more than once; save it, and give its path")
				}
				if id, is := finding.ParseName(arg); is {
					v.named[id] = false
				} else {
					files = append(files, arg)
				}
			}
			if len(files) == 0 {
				return usage.Errorf("no bundle given; name one, as in: %s", usage.FirstExample(cmd))
			}
			return v.run(files)
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "list every finding that is proven")
	return cmd
}

// verifier verifies bundles, and prints what they prove.
type verifier struct {
	cmd   *cobra.Command
	full  bool
	named map[string]bool // the findings that are asked for; true: proven
}

// run verifies all bundles, also after one that is refused.
func (v *verifier) run(files []string) error {
	failed := false
	for _, path := range files {
		proven, err := v.verify(path)
		var refused *evidence.RefusedError
		switch {
		case errors.As(err, &refused):
			console.Logger(v.cmd).Error(fmt.Sprintf("%s is refused: %s; it proves nothing: get it again from whoever made it",
				path, console.OneLine(refused.Reason)))
		case err != nil:
			return err
		}
		failed = failed || !proven
	}
	for _, name := range slices.Sorted(maps.Keys(v.named)) {
		if !v.named[name] {
			failed = true
			console.Logger(v.cmd).Error(fmt.Sprintf("no proven finding has the name %s; --full lists them (a fetch "+
				"without a WARC-Record-ID has no name there)", name))
		}
	}
	if failed {
		return usage.ExitFailed
	}
	return nil
}

// lists reports whether a finding is listed, and notes that it is proven.
func (v *verifier) lists(p *evidence.BundleFinding) bool {
	name := nameOf(p)
	if _, asked := v.named[name]; asked {
		v.named[name] = true
		return true
	}
	return v.full && len(v.named) == 0
}

// verify recomputes the claims of a bundle, and reports whether all are proven.
func (v *verifier) verify(path string) (proven bool, err error) {
	findings, remove, err := durable.File("") // for them until it is clear that the bundle is not refused
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	lines := bufio.NewWriter(findings)
	of, err := evidence.Verify(v.cmd.Context(), path, func(p *evidence.BundleFinding) error {
		if !v.lists(p) {
			return nil
		}
		_, err := fmt.Fprintf(lines, "  %s\n", console.OneLine(provenLine(p)))
		return err
	})
	if err != nil {
		return false, err
	}
	out := v.cmd.OutOrStdout()
	proven = of.Proven == of.Violations
	if proven && console.IsQuiet(v.cmd) {
		return true, nil
	}
	fmt.Fprintf(out, "%s: %s of %s, unchanged; profile %s; made by robotsaudit %s.\n", path,
		report.Count(of.Records, "record"), report.Count(of.Archives, "archive"), console.OneLine(of.Settings.Profile),
		console.OneLine(of.Version))
	printVerified(out, of)
	if err := lines.Flush(); err != nil {
		return false, err
	}
	if _, err := io.Copy(out, io.NewSectionReader(findings, 0, 1<<62)); err != nil {
		return false, err
	}
	printClaims(out, of)
	return proven, nil
}

// printClaims lists the fields that the records prove, and what is only claimed.
func printClaims(out io.Writer, v *evidence.Verification) {
	proven, claimed := evidence.Fields()
	if v.Uncited > 0 {
		claimed = append(claimed,
			fmt.Sprintf("what belongs to %s on which no proven finding rests", report.Count(v.Uncited, "record")))
	}
	claimed = append(claimed, "that nothing was left out", "its own date, if no record cited is of that date")
	fmt.Fprintf(out, "Proven by the records:\n  %s\n", strings.Join(proven, "\n  "))
	fmt.Fprintf(out, "Only claimed by the manifest:\n  %s\n", strings.Join(claimed, "\n  "))
	for _, other := range v.Settings.Foreign() {
		fmt.Fprintf(out, "Not as in this program: %s\n", console.OneLine(other))
	}
}

// provenLine says in a line what a finding proves. Of what lists drop it names no crawler as the one that broke a rule.
func provenLine(p *evidence.BundleFinding) string {
	fetch := fmt.Sprintf("%s, fetched %s", p.URL, p.FetchTime)
	rule := "robots.txt: " + p.Reason
	if p.Rule != "" {
		rule = fmt.Sprintf("line %d of %s: %s", p.RuleLine, p.RobotsURL, p.Rule)
	}
	switch {
	case p.Restricts != "":
		return fmt.Sprintf("%s: restricted for %s, %s: %s", fetch, p.Purpose, p.Certainty, strings.Join(p.Statements, "; "))
	case p.Certainty == "":
		return fmt.Sprintf("%s: disallowed to %s, whoever fetched it: %s", fetch, p.Agent, rule)
	}
	line := fmt.Sprintf("%s: %s by %s: %s", p.Certainty, fetch, cmp.Or(p.Agent, "an unknown crawler"), rule)
	if name := nameOf(p); name != "" {
		line = name + " " + line
	}
	return line
}

// nameOf is the name that reports give a finding on a fetch; "" where they have another: that of a record without an
// ID is by its place, which no record proves.
func nameOf(p *evidence.BundleFinding) string {
	at, err := time.Parse(time.RFC3339Nano, p.FetchTime)
	if err != nil || p.RecordID == "" || p.Certainty == "" || p.Restricts != "" {
		return ""
	}
	return finding.ID(p.RecordID, p.Origin, at.UnixMicro())
}
