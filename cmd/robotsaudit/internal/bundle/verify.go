package bundle

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
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
the findings that the records prove, at most 100, and what the maker of the bundle only claims.
--full lists all findings, and the fields of the manifest that are proven or claimed.

FINDING is the name of one, as reports print it: only such findings are listed. If FILE is a
report, its findings are looked up among the proven ones.

A verified bundle does not show that the archives were true. For that, compare the records with
them. docs/EVIDENCE.md has the details.

` + usage.ExitHelp,
		Example: `  robotsaudit verify bundle.warc.gz
  robotsaudit verify bundle.warc.gz report.html
  robotsaudit verify --full january.warc.gz february.warc.gz
  robotsaudit verify bundle.warc.gz f-138a3dfb7d`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			v := verifier{cmd: cmd, full: full, named: make(map[string]bool), proven: make(map[string]bool)}
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
	cmd.Flags().BoolVar(&full, "full", false, "list all findings, and the fields that are proven or claimed")
	return cmd
}

// maxListed is the number of findings that are listed without --full.
const maxListed = 100

// verifier verifies bundles, and prints what they prove.
type verifier struct {
	cmd     *cobra.Command
	full    bool
	named   map[string]bool // the findings that are asked for; true: proven
	reports []namedReport
	proven  map[string]bool // if there are reports, the names of all findings that are proven
}

// namedReport is a report, with the findings that it shows.
type namedReport struct {
	path  string
	names []string
}

// run verifies all bundles, also after one that is refused.
func (v *verifier) run(files []string) error {
	bundles, err := v.readReports(files)
	if err != nil {
		return err
	}
	failed := len(bundles) == 0
	for _, path := range bundles {
		proven, err := v.verify(path)
		var refused *evidence.RefusedError
		switch {
		case errors.As(err, &refused) && refused.NoBundle:
			console.Logger(v.cmd).Error(fmt.Sprintf("%s is no bundle of 'robotsaudit evidence': %s", path,
				console.OneLine(refused.Reason)))
		case errors.As(err, &refused):
			console.Logger(v.cmd).Error(fmt.Sprintf("%s is refused: %s; it proves nothing: get it again from whoever made it",
				path, console.OneLine(refused.Reason)))
		case err != nil:
			return err
		}
		failed = failed || !proven
	}
	for _, r := range v.reports {
		if len(bundles) == 0 {
			console.Logger(v.cmd).Error(r.path + " is a report, and carries no proof: name its bundle, too")
			continue
		}
		v.printReport(r)
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

// readReports reads the reports among files, and returns the other files.
func (v *verifier) readReports(files []string) (bundles []string, err error) {
	for _, path := range files {
		names, is, err := namesInPage(path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s cannot be read (%w); check the path", path, object.Cause(err))
		case is:
			v.reports = append(v.reports, namedReport{path, names})
		default:
			bundles = append(bundles, path)
		}
	}
	return bundles, nil
}

// maxPage bounds the part of a report whose names are read.
const maxPage = 256 << 20

var nameInPage = regexp.MustCompile(`id="(f-[0-9a-f]{10})(?:-[0-9]+)?"`)

// namesInPage returns the names of the findings that an HTML page shows, and whether the file is a page at all.
func namesInPage(path string) (names []string, is bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	if start, _ := r.Peek(64); !bytes.HasPrefix(bytes.TrimLeft(start, "\ufeff \t\r\n"), []byte("<")) {
		return nil, false, nil
	}
	page, err := io.ReadAll(io.LimitReader(r, maxPage))
	seen := make(map[string]bool)
	for _, match := range nameInPage.FindAllSubmatch(page, -1) {
		if name := string(match[1]); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names, true, err
}

// printReport says which findings of a report are proven.
func (v *verifier) printReport(r namedReport) {
	var others []string
	for _, name := range r.names {
		if !v.proven[name] {
			others = append(others, name)
		}
	}
	out := v.cmd.OutOrStdout()
	fmt.Fprintf(out, "%s shows %s by name. Proven here: %s.\n", r.path,
		report.Count(int64(len(r.names)), "finding"), humanize.Comma(int64(len(r.names)-len(others))))
	if len(others) > 0 {
		fmt.Fprintln(out, "Not proven here, so only claimed by the report:")
		for line := range slices.Chunk(others, 7) {
			fmt.Fprintf(out, "  %s\n", strings.Join(line, " "))
		}
	}
}

// lists reports whether a finding is listed, the nth that is proven, and notes that it is proven.
func (v *verifier) lists(p *evidence.BundleFinding, nth int) bool {
	name := nameOf(p)
	if len(v.reports) > 0 && name != "" {
		v.proven[name] = true
	}
	if _, asked := v.named[name]; asked {
		v.named[name] = true
		return true
	}
	return len(v.named) == 0 && (v.full || nth <= maxListed)
}

// verify recomputes the claims of a bundle, and reports whether all are proven.
func (v *verifier) verify(path string) (proven bool, err error) {
	findings, remove, err := durable.File("") // for them until it is clear that the bundle is not refused
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	lines, seen := bufio.NewWriter(findings), 0
	of, err := evidence.Verify(v.cmd.Context(), path, func(p *evidence.BundleFinding) error {
		seen++
		if !v.lists(p, seen) {
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
	fmt.Fprintf(out, "%s: ", path)
	printVerified(out, of)
	if of.Violations == 0 {
		return true, nil
	}
	if err := lines.Flush(); err != nil {
		return false, err
	}
	if _, err := io.Copy(out, io.NewSectionReader(findings, 0, 1<<62)); err != nil {
		return false, err
	}
	if more := seen - maxListed; more > 0 && !v.full && len(v.named) == 0 {
		fmt.Fprintf(out, "  and %s more (--full)\n", humanize.Comma(int64(more)))
	}
	fmt.Fprintf(out, "They were decided again from %s of %s, of which no byte has changed. Profile: %s.\n",
		report.Count(of.Records, "record"), report.Count(of.Archives, "archive"), console.OneLine(of.Settings.Profile))
	v.printClaims(of)
	return proven, nil
}

// printClaims says what is only claimed, in words, and with --full by fields of the manifest.
func (v *verifier) printClaims(of *evidence.Verification) {
	out := v.cmd.OutOrStdout()
	claimed := []string{
		"who made the records, and that servers sent what stands in them",
		"that nothing was left out, such as a robots.txt that allows the fetches",
		"the names of the archives, and where the records stand there",
		"the settings of the audit, and the program: robotsaudit " + console.OneLine(of.Version),
		"the bundle's own date, if no record that counts has that date",
	}
	if of.Uncited > 0 {
		claimed = append(claimed, "what belongs to "+report.Count(of.Uncited, "record")+" on which no proven finding rests")
	}
	fmt.Fprintf(out, "Only claimed by whoever made the bundle:\n  %s\n", strings.Join(claimed, "\n  "))
	for _, other := range of.Settings.Foreign() {
		fmt.Fprintf(out, "Not as in this program: %s\n", console.OneLine(other))
	}
	if v.full {
		proven, claimed := evidence.Fields()
		fmt.Fprintf(out, "Fields of the manifest that the records prove:\n  %s\n", strings.Join(proven, "\n  "))
		fmt.Fprintf(out, "Fields that are only claimed:\n  %s\n", strings.Join(claimed, "\n  "))
	}
}

// provenLine says in a line what a finding proves. Of what lists drop it names no crawler as the one that broke a rule.
func provenLine(p *evidence.BundleFinding) string {
	fetch := fmt.Sprintf("%s, fetched %s", p.URL, p.FetchTime)
	rule := "robots.txt was " + p.Reason
	if p.Rule != "" {
		rule = fmt.Sprintf("line %d of %s: %s", p.RuleLine, p.RobotsURL, p.Rule)
	}
	switch {
	case p.Restricts != "":
		return fmt.Sprintf("%s: restricted for %s, %s: %s", fetch, p.Purpose, p.Certainty, strings.Join(p.Statements, "; "))
	case p.Certainty == "":
		return fmt.Sprintf("%s: disallowed to %s, whoever fetched it: %s", fetch, p.Agent, rule)
	}
	line := fmt.Sprintf("%s: %s fetched %s at %s: %s", p.Certainty, cmp.Or(p.Agent, "an unknown crawler"), p.URL,
		p.FetchTime, rule)
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
