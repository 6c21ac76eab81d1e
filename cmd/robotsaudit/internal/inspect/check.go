package inspect

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/records"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
)

// Check reads archives and prints what is wrong with them, as a linter does.
func Check(cmd *cobra.Command, args []string, flags *inputs.Flags, format string, verbose bool) error {
	out := bufio.NewWriter(cmd.OutOrStdout())
	var p checkPrinter = &textCheck{w: out, verbose: verbose}
	if format == "json" {
		p = &jsonCheck{json.NewEncoder(out)}
	}
	inputs, failures, err := inputs.Expand(cmd, args, flags.URLs)
	if err != nil {
		return err
	}
	faults := int64(len(failures))
	slices.SortStableFunc(failures,
		func(a, b *ingest.InputError) int { return cmp.Compare(absolute(a.Arg), absolute(b.Arg)) })
	// reportFailures prints the failures whose place is before a path, among the inputs.
	reportFailures := func(before string) error {
		for len(failures) > 0 && (before == "" || absolute(failures[0].Arg) < before) {
			if err := p.failure(failures[0].Arg, failures[0].Reason); err != nil {
				return err
			}
			failures = failures[1:]
		}
		return nil
	}
	opt := records.CheckOptions{
		Workers: flags.Options.Workers, Stdin: cmd.InOrStdin(),
		VerifyDigests: flags.Options.VerifyDigests,
	}
	err = records.Check(cmd.Context(), inputs, opt, func(c *records.Checked) error {
		faults += c.InputStats.Issues
		if err := reportFailures(c.Path); err != nil {
			return err
		}
		if c.Failure != "" {
			faults++
			return cmp.Or(p.failure(c.Name, c.Failure), out.Flush())
		}
		for issue, err := range c.Issues {
			if err := cmp.Or(err, p.issue(c.Name, issue)); err != nil {
				return err
			}
		}
		return cmp.Or(p.closing(c), out.Flush())
	})
	if err == nil {
		err = cmp.Or(reportFailures(""), p.total())
	}
	err = errors.Join(err, out.Flush())
	switch {
	case err != nil:
		return err
	case len(inputs) == 0:
		return usage.ExitFailed
	case faults > 0:
		return usage.ExitUnread
	}
	return nil
}

// absolute is a path in the form of input paths, as far as a missing one has any.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return filepath.ToSlash(abs)
	}
	return path
}

// checkPrinter prints what a check found.
type checkPrinter interface {
	issue(file string, i *facts.Issue) error
	closing(*records.Checked) error
	failure(file, reason string) error // of an input that could not be read at all
	total() error
}

// textCheck prints a line for each archive, and a last one of all. If it is verbose, each issue has a
// line, for editors, too.
type textCheck struct {
	w       io.Writer
	verbose bool
	kinds   map[string]int // issues of the archive in hand

	archives, records, issues int64
	broken                    []string // archives that are not intact
}

func (t *textCheck) issue(file string, i *facts.Issue) error {
	if !t.verbose {
		if t.kinds == nil {
			t.kinds = make(map[string]int)
		}
		t.kinds[i.Kind.String()]++
		return nil
	}
	place := ""
	if i.Offset >= 0 {
		place = fmt.Sprintf("%d:", i.Offset)
	}
	_, err := fmt.Fprintf(t.w, "%s:%s %s: %s (%s)\n", console.OneLine(file), place, i.Kind, console.OneLine(i.Detail),
		console.OneLine(i.Action))
	return err
}

func (t *textCheck) closing(c *records.Checked) error {
	t.archives++
	t.records += recordCount(c)
	t.issues += c.InputStats.Issues
	state := "intact"
	if c.InputStats.Lossy > 0 || c.Digests.Mismatched > 0 || c.Refusal != "" {
		state = "not intact"
		t.broken = append(t.broken, console.OneLine(c.Name))
	}
	if n := c.InputStats.Issues; n > 0 {
		state += ", " + report.Count(n, "issue")
	}
	if kinds := slices.Sorted(maps.Keys(t.kinds)); len(kinds) > 0 {
		state += ": " + strings.Join(kinds, ", ")
	}
	clear(t.kinds)
	if t.verbose {
		state += opinionText(c)
	}
	_, err := fmt.Fprintf(t.w, "%s: %s, %s; %s\n", console.OneLine(c.Name), report.Count(recordCount(c), "record"),
		report.Count(c.Fetches, "fetch"), state)
	return err
}

// maxBroken bounds the archives that the last line names.
const maxBroken = 10

func (t *textCheck) total() error {
	text := "all intact"
	if n := len(t.broken); n > 0 {
		text = fmt.Sprintf("%d not intact: %s", n, strings.Join(t.broken[:min(n, maxBroken)], ", "))
		if n > maxBroken {
			text += fmt.Sprintf(" and %d more", n-maxBroken)
		}
	}
	if t.issues > 0 {
		text += ". " + report.Count(t.issues, "issue")
		if !t.verbose {
			text += "; --verbose shows each"
		}
	}
	_, err := fmt.Fprintf(t.w, "%s, %s: %s.\n", report.Count(t.archives, "archive"), report.Count(t.records, "record"),
		text)
	return err
}

func (t *textCheck) failure(file, reason string) error {
	t.archives++
	t.broken = append(t.broken, console.OneLine(file))
	_, err := fmt.Fprintf(t.w, "%s: %s: %s (not read)\n", console.OneLine(file), words.IssueUnreadable, console.OneLine(reason))
	return err
}

func recordCount(c *records.Checked) (n int64) {
	for _, of := range c.Records {
		n += of
	}
	return n
}

// opinionText states in words another reader's opinion of an input. It is no issue:
// that reader verifies no checksums and no boundaries.
func opinionText(c *records.Checked) string {
	o, own := c.SecondOpinion, recordCount(c)
	if !o.Asked {
		return ""
	}
	text := "; slyrz/warc sees "
	switch {
	case o.Records == own:
		text += "as many records"
	case o.Records < own:
		text += fmt.Sprintf("%s, %d fewer", report.Count(o.Records, "record"), own-o.Records)
	default:
		text += fmt.Sprintf("%s, %d more, whose ends it does not verify", report.Count(o.Records, "record"),
			o.Records-own)
	}
	switch {
	case o.Stopped != "":
		text += " and stops: " + console.OneLine(o.Stopped)
	case o.Records < own:
		text += ", without an error"
	}
	return text
}

// jsonCheck prints a JSON object a line.
type jsonCheck struct{ enc *json.Encoder }

type issueLine struct {
	Type     string `json:"type"` // "issue"
	File     string `json:"file"`
	Offset   *int64 `json:"offset"` // null: the input as a whole
	Length   *int64 `json:"length"` // null: not known
	RecordID string `json:"record_id,omitempty"`
	Kind     string `json:"kind"`
	Detail   string `json:"detail"`
	Action   string `json:"action"`
}

type fileLine struct {
	Type          string            `json:"type"` // "file"
	File          string            `json:"file"`
	Container     string            `json:"container"`
	Records       map[string]int64  `json:"records"`
	Fetches       int64             `json:"fetches"`
	Robots        int64             `json:"robots"`
	Issues        int64             `json:"issues"`
	Digests       facts.DigestStats `json:"digests"`
	SecondOpinion *opinionLine      `json:"second_opinion"` // null: not asked
}

type opinionLine struct {
	Reader  string `json:"reader"`
	Records int64  `json:"records"`
	Stopped string `json:"stopped,omitempty"`
}

func (j *jsonCheck) total() error { return nil }

func (j *jsonCheck) issue(file string, i *facts.Issue) error {
	return j.enc.Encode(issueLine{
		Type: "issue", File: file, Offset: known(i.Offset), Length: known(i.Length), RecordID: i.RecordID.String(),
		Kind: i.Kind.String(), Detail: i.Detail, Action: i.Action,
	})
}

func known(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

func (j *jsonCheck) closing(c *records.Checked) error {
	line := fileLine{
		Type: "file", File: c.Name, Container: c.Container, Records: c.Records, Fetches: c.Fetches, Robots: c.Robots,
		Issues: c.InputStats.Issues, Digests: c.Digests,
	}
	if o := c.SecondOpinion; o.Asked {
		line.SecondOpinion = &opinionLine{"slyrz/warc", o.Records, o.Stopped}
	}
	return j.enc.Encode(line)
}

func (j *jsonCheck) failure(file, reason string) error {
	return j.enc.Encode(issueLine{
		Type: "issue", File: file, Kind: words.IssueUnreadable.String(), Detail: reason,
		Action: "not read",
	})
}
