package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/evaluation"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/internal/words"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/evidence"
	"github.com/robotsaudit/robotsaudit/report/export"
	"github.com/robotsaudit/robotsaudit/report/figures"
	"github.com/robotsaudit/robotsaudit/report/prose"
	"github.com/robotsaudit/robotsaudit/report/results"
)

func newExportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export DIR LIST",
		Short: "Write the lists that a data pipeline needs: what to keep, drop or look at, and why",
		Long: `Make a list of the audit in DIR, with the reason in each row. The archives are not read.

LIST is keep, drop or undecided: every fetch of a page is in exactly one of these. all has the rows
of all three; the column list says which. Fetches of robots.txt itself are in none. If several
reasons hold, what drops counts first, then what leaves the fetch undecided, and of these the
first here:

` + causesHelp() + `

--decide REASON=keep or REASON=drop decides what is undecided for a reason, and all=… all that is
undecided but not_a_page. A reason counts more than all.
The command prints how many rows each list has, by reason.

LIST can also be a cause that the summary counts under "What to do":
` + usage.Alternatives(figures.Causes()) + `.
It then has the rows of violations, unproven, fetches, restrictions or issues that are counted
there, and in txt their URLs; with --by, what holds their fetches.

robots in place of a list writes all captures of robots.txt, byte for byte, to archives in a new
folder (--to FOLDER), with the records that redirects and revisits led to. The archives of the
audit are read for it. The order of records in an archive counts, and between archives none does:
each archive that holds any gives one. An audit of the folder finds the same states of robots.txt.

--by says what a row is. A group is dropped if any of its fetches is, else undecided if any is;
the reason is that of the first of the worst. Answers that are no page decide groups of nothing
else. The columns fetches, dropped and kept count the fetches.
  record  a fetch (default)       url     a URL as recorded
  origin  scheme, host and port   domain  a registered domain, or a host that has none
  host    a surt_host_name, as in Common Crawl's host index: com,example, also for www

--agents, --purpose and --as-of must be among those that the audit was made with.
FORMAT is parquet, csv, jsonl or txt, where each line is what --by says: of records the
WARC-Record-ID, or the id in a list of URLs. By default it is that of FILE's name, or csv. csv is
for spreadsheets: it has the columns that people read, and no text in it is a formula. parquet and
jsonl are for programs: they have all columns.

` + usage.ExitHelp,
		Example: `  robotsaudit export out keep --purpose train --to keep.parquet
  robotsaudit export out drop --agents ai --by url --format txt
  robotsaudit export out undecided --to look.csv
  robotsaudit export out robots --to robots
  robotsaudit export out path --format txt
  robotsaudit export out keep --since 2025-05-01 --until 2025-05-31 --to may.csv
  robotsaudit export out all --decide all=drop,tags_unknown=keep --to all.parquet
  robotsaudit export out drop --agents GPTBot --by host --to hosts.csv`,
	}
	f.add(cmd.Flags())
	outfolder.RunOn(cmd, &f.output, "a list, as in: %[1]s drop", func(cmd *cobra.Command, args []string) error {
		f.list = args[0]
		return f.run(cmd)
	})
	cmd.ValidArgsFunction = func(
		_ *cobra.Command, args []string, _ string,
	) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 1 {
			return lists(), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	return cmd
}

// exportFlags are the options of exporting.
type exportFlags struct {
	output  string
	options export.Options
	list    string
	asked   evaluation.Asked // what a list can require
	decide  []string
	format  string
	to      string
	part    outfolder.PartFlags
}

func (f *exportFlags) add(flags *pflag.FlagSet) {
	f.asked.AddTo(flags)
	flags.StringVar(&f.asked.AsOf, "as-of", "",
		"make sure that --agents and --purpose are judged as of `DATE`, as the audit was made")
	flags.StringSliceVar(&f.decide, "decide", nil,
		"keep or drop what is undecided for a reason, `REASON=keep|drop`, as in tags_unknown=keep; all is each but "+
			"not_a_page (repeatable, or with commas)")
	flags.StringVar((*string)(&f.options.By), "by", string(export.ByRecord), "what a row is, `BY` "+usage.Alternatives(export.Kinds))
	flags.StringVar(&f.format, "format", "", "`FORMAT` of the list: "+usage.Alternatives(export.Formats))
	flags.StringVar(&f.to, "to", "-", "write the list to `FILE`; - is standard output")
	f.part.AddTo(flags)
	inputs.AddStore(flags)
}

// allLists has the rows of all three lists.
const allLists = "all"

// lists are the lists that can be asked for.
func lists() []string {
	names := []string{words.Keep.String(), words.Drop.String(), words.Leave.String(), allLists, robotsList}
	return append(names, figures.Causes()...)
}

// writeCause writes the list of a cause.
func (f *exportFlags) writeCause(cmd *cobra.Command, r *results.Results, format export.Format) error {
	settings := &r.Audit().Settings
	if f.list == figures.CauseUse && len(settings.Purposes) == 0 {
		f.asked.Purposes = []string{"train"}
		return usage.Errorf("which pages restrict their use depends on the purpose; decide again for one, as in: %s",
			f.asked.EvaluateCommand(f.output, *settings, nil))
	}
	var n int64
	err := console.WriteWhole(cmd, f.to, func(w io.Writer) (err error) {
		n, err = export.WriteCause(cmd.Context(), w, r, f.list, f.options.By, format)
		return err
	})
	unit := "row"
	if f.options.By != export.ByRecord {
		unit = f.unit()
	}
	text := fmt.Sprintf("%s: %s.", f.list, report.Count(n, unit))
	switch {
	case err != nil:
		return err
	case f.to == "-":
		console.Logger(cmd).Info(text)
		return nil
	}
	return console.Say(cmd, "%s: %s", f.to, text)
}

func (f *exportFlags) run(cmd *cobra.Command) error {
	if f.list == robotsList {
		return exportRobots(cmd, f.output, f.to)
	}
	format, err := f.resolve()
	if err != nil {
		return err
	}
	options := f.options
	if format == export.Parquet && f.to == "-" && console.IsTerminal(cmd.OutOrStdout()) {
		return usage.Errorf("Parquet is nothing for a terminal; add --to FILE")
	}
	r, end, err := outfolder.Read(cmd, f.output, false, f.to)
	if err != nil {
		return err
	}
	defer end()
	if err := usage.RefuseFolder(f.to); err != nil {
		return err
	}
	if err := f.part.Limit(cmd, &r); err != nil {
		return err
	}
	if slices.Contains(figures.Causes(), f.list) {
		return f.writeCause(cmd, r, format)
	}
	var missing *export.MissingError
	if _, err := options.Check(r); errors.As(err, &missing) {
		return usage.Errorf("the audit in %s was made without %s; make it anew with: %s", f.output,
			firstOf(missing.What), f.asked.EvaluateCommand(f.output, r.Audit().Settings, options.Agents))
	} else if err != nil {
		return err
	}
	var summary export.Summary
	err = console.WriteWhole(cmd, f.to, func(w io.Writer) (err error) {
		summary, err = export.Write(cmd.Context(), w, r, options, format)
		return err
	})
	switch {
	case err != nil:
		return err
	case f.to == "-":
		console.Logger(cmd).Info(f.summary(&summary, r.Audit().Settings.Purposes))
		return nil
	}
	what := map[words.Fate]string{words.Keep: " to keep", words.Drop: " to drop", words.Leave: " to decide"}[options.List]
	n := summary.Count(options.List)
	if options.List == words.NoFate {
		n = summary.Total()
	}
	return console.Say(cmd, "%s: %s%s.\n%s", f.to, report.Count(n, f.unit()), what,
		f.summary(&summary, r.Audit().Settings.Purposes))
}

// resolve checks the options.
func (f *exportFlags) resolve() (format export.Format, err error) {
	o := &f.options
	format = export.Format(cmp.Or(f.format, strings.TrimPrefix(filepath.Ext(f.to), "."), string(export.CSV)))
	switch {
	case !slices.Contains(lists(), f.list):
		return format, usage.Errorf("there is no list %q; %s", f.list,
			usage.Suggest(f.list, "", lists(), "use "+usage.Alternatives(lists())))
	case !slices.Contains(export.Formats, format):
		return format, usage.Errorf("the name %s shows no format; add --format %s", f.to, usage.Alternatives(export.Formats))
	}
	if slices.Contains(figures.Causes(), f.list) {
		switch {
		case f.list == figures.CauseUnread && o.By != export.ByRecord:
			return format, usage.Errorf("the list %s is of inputs: it takes no --by %s", f.list, o.By)
		case len(f.decide) > 0 || !f.asked.IsZero():
			return format, usage.Errorf("the list %s has what the report counts: it takes no --decide, --agents, --purpose "+
				"and --as-of", f.list)
		}
		return format, f.part.Resolve()
	}
	o.List = words.ParseFate(f.list) // none for all
	if err := f.part.Resolve(); err != nil {
		return format, err
	}
	if o.Decide, err = export.ParseChoices(f.decide); err != nil {
		return format, usage.Errorf("--decide %v", err)
	}
	if o.Agents, err = f.asked.Tokens(); err != nil {
		return format, err
	}
	for _, use := range f.asked.Uses() {
		o.Purposes = append(o.Purposes, use.String())
	}
	if o.AsOf, err = usage.Date("as-of", f.asked.AsOf); err != nil {
		return format, err
	}
	if !o.AsOf.IsZero() && len(o.Agents)+len(o.Purposes) == 0 {
		return format, usage.Errorf("--as-of judges nothing without --agents or --purpose: what the crawler itself " +
			"was allowed does not depend on it; add one of them")
	}
	return format, nil
}

// firstOf names the first few of what an audit lacks: a category has more than a hundred tokens.
func firstOf(what []string) string {
	const few = 3
	text := strings.Join(what[:min(few, len(what))], " ")
	if more := len(what) - few; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// summary counts the rows of the three lists, by reason. The audit asked for purposes.
func (f *exportFlags) summary(s *export.Summary, purposes []string) string {
	text := "Of " + report.Count(s.Total(), f.unit())
	if part := f.part.Part.String(); part != "" {
		text += " (" + part + ")"
	}
	for fate, verb := range [...]string{words.Keep: "to be kept", words.Leave: "undecided", words.Drop: "to be dropped"} {
		if verb == "" {
			continue
		}
		text += fmt.Sprintf(", %s %s", humanize.Comma(s.Count(words.Fate(fate))), verb)
		var reasons []string
		for cause, n := range s.Fates[fate] {
			if n > 0 {
				reasons = append(reasons, fmt.Sprintf("%s %s", humanize.Comma(n), words.Cause(cause)))
			}
		}
		if len(reasons) > 0 {
			text += " (" + strings.Join(reasons, ", ") + ")"
		}
	}
	text += "."
	if s.Sealed > 0 && f.options.List != words.Drop && f.options.List != words.Leave {
		text += fmt.Sprintf(" %s may carry a reservation inside, which is not read.", report.Count(s.Sealed, "kept file"))
	}
	if len(purposes) > 0 && len(f.options.Purposes) == 0 && f.options.List != words.Drop {
		text += " What pages and sites say of their use does not count here; it does with" + prose.Option("--purpose", purposes...) + "."
	}
	switch {
	case s.Count(words.Leave) == 0 || f.options.List == words.Leave:
	case f.options.List == words.Keep && 100*s.Count(words.Keep) < s.Total():
		text += f.undecided(s)
	default:
		text += " The list undecided has the undecided, --decide decides them."
	}
	return text
}

// undecided says why less than one in a hundred is kept, and which command keeps what is undecided for most.
func (f *exportFlags) undecided(s *export.Summary) string {
	most := words.NoCause
	for cause, n := range s.Fates[words.Leave] {
		if n > s.Fates[words.Leave][most] {
			most = words.Cause(cause)
		}
	}
	meaning := strings.ReplaceAll(words.Causes[most].Meaning, "`", "")
	kept := "Less than 1 %"
	if s.Count(words.Keep) == 0 {
		kept = "Nothing"
	}
	return fmt.Sprintf(" %s is kept, because most is undecided, as %s: %s To keep that: robotsaudit export %s keep%s%s",
		kept, most, meaning, prose.ShellWord(f.output), f.asked.Flags(), prose.Option("--decide", most.String()+"=keep"))
}

// unit is what a row of the list is.
func (f *exportFlags) unit() string {
	switch f.options.By {
	case export.ByRecord:
		return "fetch"
	case export.ByURL:
		return "URL"
	}
	return string(f.options.By)
}

// causesHelp lists the reasons of rows.
func causesHelp() string {
	var b strings.Builder
	for c := range words.Cause(len(words.Causes)) {
		if c != words.NoCause {
			meaning := strings.ReplaceAll(words.Causes[c].Brief(), "`", "")
			fmt.Fprintf(&b, "  %-10s %-16s %s\n", c.Fate(), c, meaning)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// robotsList is the list of export that is archives: all of robots.txt.
const robotsList = "robots"

// exportRobots writes all captures of robots.txt of an audit to archives in a new folder.
func exportRobots(cmd *cobra.Command, dir, to string) error {
	if to == "-" {
		return usage.Errorf("robots.txt is written to a new folder; name it with --to FOLDER")
	}
	if _, err := os.Lstat(to); err == nil {
		return usage.Errorf("%s exists; name a new folder", to)
	}
	return outfolder.In(cmd, dir, func(r *results.Results) error {
		found, err := evidence.WriteRobots(cmd.Context(), r.Dir(), to)
		if err != nil {
			return err
		}
		for _, m := range found.Missing {
			console.Logger(cmd).Error(fmt.Sprintf("%s: %s; %s left out that it is needed for", console.OneLine(m.Name),
				console.OneLine(m.Reason), report.Count(m.Affected, "capture")))
		}
		text := fmt.Sprintf("%s: %s of robots.txt, %s, of %s.", to, report.Count(found.Captures, "capture"),
			report.Count(found.Records, "record"), report.Count(found.Archives, "archive"))
		if found.Reported > 0 {
			text += fmt.Sprintf(" %s left out that only an index or a list reports.", report.Count(found.Reported, "capture"))
		}
		if err := console.Say(cmd, "%s", text); err != nil || found.Lacking == 0 {
			return err
		}
		console.Logger(cmd).Error(report.Count(found.Lacking, "record") + " not found in the archives, and left out")
		return usage.ExitUnread
	})
}
