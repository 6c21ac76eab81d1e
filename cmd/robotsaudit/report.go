package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/stages"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/diff"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/figures"
	"github.com/robotsaudit/robotsaudit/report/forms"
	"github.com/robotsaudit/robotsaudit/report/html"
	"github.com/robotsaudit/robotsaudit/report/markdown"
	"github.com/robotsaudit/robotsaudit/report/results"
)

func newReportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Write an audit as HTML, Markdown, text, JSON and forms",
		Long: `Read the results in DIR, which 'robotsaudit audit' or 'evaluate' wrote, and write them

  as a report in one HTML file (--html; DIR/report.html if nothing else is asked for), which
    needs no network: the answer, what to do, every violation with its proof, what is unknown
    and why. With --brief two pages to print, without the violations one by one;
    'audit' and 'evaluate' write it, too;
  as a report in Markdown (--markdown), at most 1 MiB, which the summary of a GitHub job
    takes: the same in short;
  as the summary that 'audit' prints (--text);
  as the report's own data (--json), for programs that show it in their own way;
  as the EU's public summary of training content (--eu-summary; Markdown, JSON, the list of
    domain names as CSV, an annex for the provider): each figure with the query that gives it,
    and what archives cannot show left to the provider (docs/DOCUMENTS.md).

Spreadsheets and pipelines take the tables, or what a query makes of them: docs/recipes.sql.

FILE may be - for standard output. Archives are not read. The same results and options give
the same bytes: the report has the date that --date gives, or none. The output keeps
--title and --operator for the reports of later runs. --against adds what changed since an
earlier audit. A report of a part of the audit (--since and the like) has it in its title.

` + usage.ExitHelp,
		Example: `  robotsaudit report out
  robotsaudit report out --html report.html --operator 'Example Library' --date 2025-06-30
  robotsaudit report out --html brief.html --brief
  robotsaudit report out --markdown - >> "$GITHUB_STEP_SUMMARY"
  robotsaudit report out-2025 --html report.html --against out-2024
  robotsaudit report out --since 2025-05-01 --until 2025-05-31 --host example.org --html may.html
  robotsaudit report out --since 2025-05-01 --text -
  robotsaudit report out --eu-summary summary --operator-of CCBot`,
	}
	f.add(cmd.Flags())
	outfolder.RunOn(cmd, &f.dir, "", func(cmd *cobra.Command, _ []string) error {
		if err := f.run(cmd); err != nil {
			return err
		}
		if slices.Contains(f.written, "-") { // standard output is a file
			return nil
		}
		return console.Say(cmd, "Written: %s.", strings.Join(f.written, ", "))
	})
	return cmd
}

// output is a form of the report. Its flag names a file, or a folder of several.
type output struct {
	flag, usage string
	isDocument  bool // --brief shortens it
	files       []outputFile
}

// outputFile is a file of an output, and what writes it.
type outputFile struct {
	name   string // in the folder; "": the flag names the file
	render func(*reporter, io.Writer) error
}

var outputs = []output{
	{"html", "write the report as HTML to `FILE`", true, []outputFile{{"", ofDocument(html.Render)}}},
	{"markdown", "write the report as Markdown to `FILE`", true, []outputFile{{"", ofDocument(markdown.Render)}}},
	{
		"text", "write the summary, as 'robotsaudit audit' prints it, to `FILE`", false,
		[]outputFile{{"", (*reporter).writeText}},
	},
	{"json", "write the data of the report as JSON to `FILE`", true, []outputFile{{"", ofDocument(writeJSON)}}},
	{
		"eu-summary", "write the EU's public summary of training content, as far as archives show it, into `FOLDER`", false,
		[]outputFile{
			{"summary.md", ofForm((*reporter).summary, (*forms.Form).WriteMarkdown)},
			{"summary.json", ofForm((*reporter).summary, (*forms.Form).WriteJSON)},
			{"annex.md", ofForm((*reporter).annex, (*forms.Form).WriteMarkdown)},
			{"annex.json", ofForm((*reporter).annex, (*forms.Form).WriteJSON)},
			{"domains.csv", (*reporter).writeDomains},
		},
	},
}

func (o *output) isFolder() bool { return o.files[0].name != "" }

// reportFlags are the options of reporting.
type reportFlags struct {
	dir      string
	outputs  map[string]*string // what the flags of outputs name
	sme      bool
	against  string
	document figures.ReportOptions
	figures  *figures.Figures // of an audit in hand, else read from the tables
	written  []string         // files
	part     outfolder.PartFlags
}

func (f *reportFlags) add(flags *pflag.FlagSet) {
	f.outputs = make(map[string]*string)
	for _, o := range outputs {
		f.outputs[o.flag] = flags.String(o.flag, "", o.usage)
	}
	flags.BoolVar(&f.sme, "sme", false, "--eu-summary of a small or medium-sized enterprise: the top 5 % of domain names, at most 1,000")
	flags.StringVar(&f.document.Title, "title", "", "`TITLE` of this report and of later ones")
	flags.StringVar(&f.document.Operator, "operator", "", "`WHO` ran the crawl, for this report and later ones")
	flags.StringVar(&f.document.Date, "date", "", "`DATE` of the report, as it is to be written")
	flags.StringVar(&f.against, "against", "", "output `OLD` of an earlier audit: the report shows what changed since")
	flags.BoolVar(&f.document.Brief, "brief", false, "write the report in two pages of print, without the findings one by one")
	f.part.AddTo(flags)
	inputs.AddStore(flags)
}

// path is what the flag of an output names; "": it is not asked for.
func (f *reportFlags) path(flag string) string {
	if named := f.outputs[flag]; named != nil {
		return *named
	}
	return ""
}

func (f *reportFlags) run(cmd *cobra.Command) error {
	if err := cmp.Or(f.part.Resolve(), f.check()); err != nil {
		return err
	}
	r, end, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer end()
	if err := f.part.Limit(cmd, &r); err != nil {
		return err
	}
	if err := f.remember(cmd, r.Dir()); err != nil {
		return err
	}
	all := newReporter(cmd, f, r)
	asked := false
	for _, o := range outputs {
		if path := f.path(o.flag); path != "" {
			asked = true
			if err := all.write(&o, path); err != nil {
				return err
			}
		}
	}
	if asked {
		return nil
	}
	return all.writeBeside()
}

// reporter writes the outputs of an audit.
type reporter struct {
	*reportFlags
	cmd      *cobra.Command
	results  *results.Results
	document func() (*document.Document, error)
	counted  func() (*forms.Figures, error)
}

func newReporter(cmd *cobra.Command, f *reportFlags, r *results.Results) *reporter {
	return &reporter{
		reportFlags: f, cmd: cmd, results: r,
		document: sync.OnceValues(func() (*document.Document, error) { return f.makeDocument(cmd, r) }),
		counted:  sync.OnceValues(func() (*forms.Figures, error) { return forms.Read(cmd.Context(), r) }),
	}
}

// write writes the files of an output.
func (r *reporter) write(o *output, path string) error {
	if o.isFolder() {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return fmt.Errorf("the folder %s cannot be made (%w); give another with --%s", path, object.Cause(err), o.flag)
		}
	}
	for _, file := range o.files {
		to := path
		if file.name != "" {
			to = filepath.Join(path, file.name)
		}
		if err := console.WriteWhole(r.cmd, to, func(w io.Writer) error { return file.render(r, w) }); err != nil {
			return err
		}
		r.written = append(r.written, to)
	}
	return nil
}

// writeBeside writes the report next to the tables, into a store, too.
func (r *reporter) writeBeside() error {
	path := filepath.Join(r.results.Dir(), report.HTMLFile)
	if err := r.write(&outputs[0], path); err != nil || r.results.Dir() == r.dir {
		return err
	}
	s, err := stages.OpenStore(r.dir)
	if err != nil {
		return err
	}
	return s.Put(r.cmd.Context(), path, report.HTMLFile)
}

func ofDocument(render func(io.Writer, *document.Document) error) func(*reporter, io.Writer) error {
	return func(r *reporter, w io.Writer) error {
		doc, err := r.document()
		if err != nil {
			return err
		}
		return render(w, doc)
	}
}

func ofForm(of func(*reporter, *forms.Figures) *forms.Form, write func(*forms.Form, io.Writer) error,
) func(*reporter, io.Writer) error {
	return func(r *reporter, w io.Writer) error {
		counted, err := r.counted()
		if err != nil {
			return err
		}
		return write(of(r, counted), w)
	}
}

func (r *reporter) summary(f *forms.Figures) *forms.Form { return f.EU(r.sme) }

func (*reporter) annex(f *forms.Figures) *forms.Form { return f.Annex() }

func (r *reporter) writeDomains(w io.Writer) error {
	counted, err := r.counted()
	if err != nil {
		return err
	}
	return counted.WriteDomains(w, r.sme)
}

func (r *reporter) writeText(w io.Writer) error {
	counted, err := figures.Read(r.cmd.Context(), r.results)
	if err != nil {
		return err
	}
	return counted.WriteText(w, r.results.Audit(), textOptions(r.cmd, true))
}

func writeJSON(w io.Writer, doc *document.Document) error { return console.Encoder(w, "").Encode(doc) }

// remember keeps the title and the operator that the command line gives in an output folder, and takes
// from there what it does not give, so that the report of each later run has them.
func (f *reportFlags) remember(cmd *cobra.Command, dir string) error {
	path := filepath.Join(dir, facts.PrivateFolder, "report.json")
	kept := make(map[string]string)
	if b, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(b, &kept); err != nil {
			return fmt.Errorf("%s is damaged (%w); remove it, and give --title and --operator again", path, err)
		}
	}
	changed := false
	for name, value := range map[string]*string{"title": &f.document.Title, "operator": &f.document.Operator} {
		if flag := cmd.Flags().Lookup(name); flag == nil || !flag.Changed {
			*value = kept[name]
		} else if kept[name] != *value {
			kept[name], changed = *value, true
		}
	}
	if !changed {
		return nil
	}
	if err := durable.ReplaceJSON(path, kept); err != nil {
		console.Logger(cmd).Warn(fmt.Sprintf("--title and --operator are not kept for later reports (%v)", object.Cause(err)))
	}
	return nil
}

// open opens the results, and the facts, from which the report quotes robots.txt. Those in a store it
// can do without.
func (f *reportFlags) open(cmd *cobra.Command) (*results.Results, func(), error) {
	var written []string
	for _, o := range outputs {
		for _, file := range o.files {
			if path := f.path(o.flag); path != "" {
				written = append(written, filepath.Join(path, file.name))
			}
		}
	}
	r, end, err := outfolder.Read(cmd, f.dir, true, written...)
	if err == nil || object.IsRemote(f.dir) || cmd.Context().Err() != nil {
		return r, end, err
	}
	alone, end, otherErr := outfolder.Read(cmd, f.dir, false, written...)
	if otherErr != nil {
		return nil, nil, otherErr
	}
	console.Logger(cmd).Warn(fmt.Sprintf("%v; the report does not quote robots.txt", err))
	return alone, end, nil
}

// check refuses what cannot be meant.
func (f *reportFlags) check() error {
	toOutput, asked, isDocument := 0, false, false
	named := make(map[string]bool)
	for _, o := range outputs {
		path := f.path(o.flag)
		if path == "" {
			continue
		}
		asked, isDocument = true, isDocument || o.isDocument
		switch refuse := usage.RefuseFolder; {
		case o.isFolder() && path == facts.Stdin:
			return usage.Errorf("--%s writes several files; name a folder", o.flag)
		case path == facts.Stdin:
			toOutput++
		case named[path]:
			return usage.Errorf("%s is named for two formats; name a file for each", path)
		default:
			if o.isFolder() {
				refuse = usage.RefuseFile
			}
			if err := refuse(path); err != nil {
				return err
			}
		}
		named[path] = true
	}
	switch {
	case !asked && !f.part.Part.IsZero():
		return usage.Errorf("DIR/%s is of the whole audit; name a file for the report of a part (%s), as in --html part.html",
			report.HTMLFile, &f.part.Part)
	case toOutput > 1:
		return usage.Errorf("one format alone can go to standard output")
	case f.document.Brief && !isDocument:
		return usage.Errorf("--brief is of a report; name its file with --html FILE, --markdown FILE or --json FILE")
	case f.sme && f.path("eu-summary") == "":
		return usage.Errorf("--sme is of --eu-summary FOLDER; add it, or leave out --sme")
	}
	return nil
}

// makeDocument makes the compliance report.
func (f *reportFlags) makeDocument(cmd *cobra.Command, r *results.Results) (*document.Document, error) {
	ctx := cmd.Context()
	options := f.document
	if f.against != "" {
		old, end, err := outfolder.Read(cmd, f.against, false)
		if err != nil {
			return nil, err
		}
		defer end()
		if old, err = old.Limit(ctx, f.part.Part); err != nil {
			return nil, err
		}
		if options.Changes, err = diff.Compare(ctx, old, r); err != nil {
			return nil, err
		}
	}
	if f.figures == nil {
		var err error
		if f.figures, err = figures.Read(ctx, r); err != nil {
			return nil, err
		}
	}
	return figures.Build(ctx, r, f.figures, options)
}
