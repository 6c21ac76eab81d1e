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
	"github.com/robotsaudit/robotsaudit/report/ci"
	"github.com/robotsaudit/robotsaudit/report/csv"
	"github.com/robotsaudit/robotsaudit/report/diff"
	"github.com/robotsaudit/robotsaudit/report/document"
	"github.com/robotsaudit/robotsaudit/report/figures"
	"github.com/robotsaudit/robotsaudit/report/forms"
	"github.com/robotsaudit/robotsaudit/report/html"
	"github.com/robotsaudit/robotsaudit/report/jsonld"
	"github.com/robotsaudit/robotsaudit/report/markdown"
	"github.com/robotsaudit/robotsaudit/report/results"
)

func newReportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Write an audit as HTML, Markdown, JSON, CSV and other forms",
		Long: `Read the results in DIR, which 'robotsaudit audit' or 'evaluate' wrote, and write them

  as a report in one HTML file (--html; DIR/report.html if nothing else is asked for), which
    needs no network: the answer, what to do, every violation with its proof, what is unknown
    and why. With --brief two pages to print, without the violations one by one;
    'audit' and 'evaluate' write it, too;
  as a report in Markdown (--markdown), at most 1 MiB, which the summary of a GitHub job
    takes: the same in short;
  as the report's own data (--json), for programs that show it in their own way;
  as a dataset card (--dataset-card) for those who publish the tables on the Hugging Face
    Hub: README.md, which names each table's file and says how the dataset was made;
  as a dataset of Croissant 1.1 (--croissant) for programs that load datasets: each file with
    its SHA-256, each column with its meaning; DIR/croissant.json, next to the tables;
  as provenance of W3C PROV in JSON-LD (--prov) for archives: the program, its settings, all
    inputs, and the files made of them, with digests. docs/DOCUMENTS.md has each field;
  as CSV for spreadsheets (--csv): a file for each table of which people make lists and
    sums, UTF-8 with a byte order mark. A cell that a spreadsheet could take for a formula
    begins with an apostrophe; characters that cannot be seen are escapes such as \u202e;
  as SARIF 2.1.0 (--sarif): a result per violation, at the record in its archive; of more
    than 5,000 the most certain ones;
  as JUnit XML (--junit): a test case per origin, which fails where there are violations;
    of more than 5,000 origins those that fail;
  as forms, each figure with the query that gives it, and what archives cannot show left to
    the provider (docs/DOCUMENTS.md): the EU's public summary of training content
    (--eu-summary; Markdown, JSON, the list of domain names as CSV), and the documentation
    of California's AB 2013 (--ab2013).

FILE may be - for standard output. Archives are not read. The same results and options give
the same bytes: the report has the date that --date gives, or none. The output keeps
--title and --operator for the reports of later runs. --against adds what changed since an
earlier audit. A report of a part of the audit (--since and the like) has it in its title.

` + usage.ExitHelp,
		Example: `  robotsaudit report out
  robotsaudit report out --html report.html --operator 'Example Library' --date 2025-06-30
  robotsaudit report out --html brief.html --brief
  robotsaudit report out --markdown - >> "$GITHUB_STEP_SUMMARY"
  robotsaudit report out --dataset-card out/README.md --title 'robots.txt in our crawl'
  robotsaudit report out-2025 --html report.html --against out-2024
  robotsaudit report out --croissant out/croissant.json --prov out/prov.json
  robotsaudit report out --since 2025-05-01 --until 2025-05-31 --host example.org --html may.html
  robotsaudit report out --since 2025-05-01 --text -
  robotsaudit report out --eu-summary summary --operator-of CCBot
  robotsaudit report out --csv spreadsheets --sarif violations.sarif --junit junit.xml`,
	}
	f.add(cmd.Flags())
	outfolder.RunOn(cmd, &f.output, "", func(cmd *cobra.Command, _ []string) error {
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

// reportFlags are the options of reporting.
type reportFlags struct {
	output    string
	html      string
	markdown  string
	text      string
	json      string
	card      string
	croissant string
	prov      string
	csv       string
	sarif     string
	junit     string
	euFolder  string
	ab2013    string
	sme       bool
	against   string
	document  figures.ReportOptions
	figures   *figures.Figures // of an audit in hand, else read from the tables
	written   []string         // files
	part      outfolder.PartFlags
}

func (f *reportFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.html, "html", "", "write the report as HTML to `FILE`")
	flags.StringVar(&f.markdown, "markdown", "", "write the report as Markdown to `FILE`")
	flags.StringVar(&f.text, "text", "", "write the summary, as 'robotsaudit audit' prints it, to `FILE`")
	flags.StringVar(&f.json, "json", "", "write the data of the report as JSON to `FILE`")
	flags.StringVar(&f.card, "dataset-card", "",
		"write a dataset card of the Hugging Face Hub to `FILE`, mostly DIR/README.md")
	flags.StringVar(&f.croissant, "croissant", "",
		"write the tables as a Croissant dataset to `FILE`, mostly DIR/croissant.json")
	flags.StringVar(&f.prov, "prov", "", "write how the tables were made, as W3C PROV, to `FILE`")
	flags.StringVar(&f.csv, "csv", "", "write CSV files into `FOLDER`, made where there is none")
	flags.StringVar(&f.sarif, "sarif", "", "write the violations as SARIF to `FILE`")
	flags.StringVar(&f.junit, "junit", "", "write the origins as JUnit XML to `FILE`")
	flags.StringVar(&f.euFolder, "eu-summary", "",
		"write the EU's public summary of training content, as far as archives show it, into `FOLDER`")
	flags.BoolVar(&f.sme, "sme", false, "--eu-summary of a small or medium-sized enterprise: the top 5 % of domain names, at most 1,000")
	flags.StringVar(&f.ab2013, "ab2013", "", "write the documentation of California's AB 2013, as far as archives show it, to `FILE`")
	flags.StringVar(&f.document.Title, "title", "", "`TITLE` of this report and of later ones")
	flags.StringVar(&f.document.Operator, "operator", "", "`WHO` ran the crawl, for this report and later ones")
	flags.StringVar(&f.document.Date, "date", "", "`DATE` of the report, as it is to be written")
	flags.StringVar(&f.against, "against", "", "output `OLD` of an earlier audit: the report shows what changed since")
	flags.BoolVar(&f.document.Brief, "brief", false, "write the report in two pages of print, without the findings one by one")
	f.part.AddTo(flags)
	inputs.AddStore(flags)
}

// A rendering is a file to be written.
type rendering struct {
	path   string // "": not asked for
	render func(io.Writer) error
}

// renderings are the files that flags name.
func (f *reportFlags) renderings(cmd *cobra.Command, r *results.Results) []rendering {
	makeOnce := sync.OnceValues(func() (*document.Document, error) { return f.makeDocument(cmd, r) })
	ofDocument := func(render func(io.Writer, *document.Document) error) func(io.Writer) error {
		return func(w io.Writer) error {
			doc, err := makeOnce()
			if err != nil {
				return err
			}
			return render(w, doc)
		}
	}
	return append(f.forms(cmd, r), []rendering{
		{f.html, ofDocument(html.Render)},
		{f.markdown, ofDocument(markdown.Render)},
		{f.text, func(w io.Writer) error {
			counted, err := figures.Read(cmd.Context(), r)
			if err != nil {
				return err
			}
			return counted.WriteText(w, r.Audit(), textOptions(cmd, true))
		}},
		{f.json, ofDocument(func(w io.Writer, doc *document.Document) error { return console.Encoder(w, "").Encode(doc) })},
		{f.card, ofDocument(func(w io.Writer, doc *document.Document) error { return markdown.Card(w, doc, r) })},
		{f.croissant, func(w io.Writer) error { return jsonld.Croissant(cmd.Context(), w, r, f.document.Title) }},
		{f.prov, func(w io.Writer) error { return jsonld.Prov(cmd.Context(), w, r) }},
		{f.sarif, func(w io.Writer) error { return ci.SARIF(cmd.Context(), w, r) }},
		{f.junit, func(w io.Writer) error { return ci.JUnit(cmd.Context(), w, r) }},
	}...)
}

// forms are the files of forms.
func (f *reportFlags) forms(cmd *cobra.Command, r *results.Results) (files []rendering) {
	counted := sync.OnceValues(func() (*forms.Figures, error) { return forms.Read(cmd.Context(), r) })
	add := func(path string, write func(*forms.Figures, io.Writer) error) {
		files = append(files, rendering{path, func(w io.Writer) error {
			filled, err := counted()
			if err != nil {
				return err
			}
			return write(filled, w)
		}})
	}
	add(f.ab2013, func(filled *forms.Figures, w io.Writer) error { return filled.AB2013().WriteMarkdown(w) })
	if f.euFolder != "" {
		add(filepath.Join(f.euFolder, "summary.md"), func(filled *forms.Figures, w io.Writer) error { return filled.EU(f.sme).WriteMarkdown(w) })
		add(filepath.Join(f.euFolder, "summary.json"), func(filled *forms.Figures, w io.Writer) error { return filled.EU(f.sme).WriteJSON(w) })
		add(filepath.Join(f.euFolder, "domains.csv"), func(filled *forms.Figures, w io.Writer) error { return filled.WriteDomains(w, f.sme) })
	}
	return files
}

func (f *reportFlags) run(cmd *cobra.Command) error {
	if err := f.part.Resolve(); err != nil {
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
	beside := f.html+f.markdown+f.text+f.json+f.card+f.croissant+f.prov+f.csv+f.sarif+f.junit+f.euFolder+f.ab2013 == ""
	if beside {
		f.html = filepath.Join(r.Dir(), report.HTMLFile)
	}
	files := f.renderings(cmd, r)
	if err := f.check(files, beside); err != nil {
		return err
	}
	if err := makeFolder(f.euFolder, "--eu-summary"); err != nil {
		return err
	}
	if err := f.write(cmd, files); err != nil {
		return err
	}
	if beside && r.Dir() != f.output { // a store's
		s, err := stages.OpenStore(f.output)
		if err != nil {
			return err
		}
		return s.Put(cmd.Context(), f.html, report.HTMLFile)
	}
	return f.writeCSV(cmd, r)
}

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

// write writes files.
func (f *reportFlags) write(cmd *cobra.Command, files []rendering) error {
	for _, file := range files {
		if file.path == "" {
			continue
		}
		if err := console.WriteWhole(cmd, file.path, file.render); err != nil {
			return err
		}
		f.written = append(f.written, file.path)
	}
	return nil
}

// open opens the results, and the facts, from which the report quotes robots.txt. Those in a store it
// can do without.
func (f *reportFlags) open(cmd *cobra.Command) (*results.Results, func(), error) {
	r, end, err := outfolder.Read(cmd, f.output, true)
	if err == nil || object.IsRemote(f.output) || cmd.Context().Err() != nil {
		return r, end, err
	}
	alone, end, otherErr := outfolder.Read(cmd, f.output, false)
	if otherErr != nil {
		return nil, nil, otherErr
	}
	console.Logger(cmd).Warn(fmt.Sprintf("%v; the report does not quote robots.txt", err))
	return alone, end, nil
}

// check refuses what cannot be meant. Only next to the tables, no flag names a file.
func (f *reportFlags) check(files []rendering, beside bool) error {
	toOutput := 0
	named := make(map[string]bool)
	for _, file := range files {
		switch {
		case file.path == "-":
			toOutput++
		case file.path != "" && named[file.path]:
			return usage.Errorf("%s is named for two formats; name a file for each", file.path)
		}
		named[file.path] = true
		if err := usage.RefuseFolder(file.path); err != nil && !beside {
			return err
		}
	}
	switch {
	case beside && !f.part.Part.IsZero():
		return usage.Errorf("DIR/%s is of the whole audit; name a file for the report of a part (%s), as in --html part.html",
			report.HTMLFile, &f.part.Part)
	case f.card+f.croissant+f.prov != "" && !f.part.Part.IsZero():
		return usage.Errorf("--dataset-card, --croissant and --prov describe whole tables; leave out --since, --until, " +
			"--host, --crawler-only and --operator-of")
	case toOutput > 1:
		return usage.Errorf("one format alone can go to standard output")
	case f.document.Brief && (beside || f.html+f.markdown+f.json == ""):
		return usage.Errorf("--brief is of a report; name its file with --html FILE, --markdown FILE or --json FILE")
	case f.csv == "-":
		return usage.Errorf("--csv writes several files; name a folder")
	case f.euFolder == "-":
		return usage.Errorf("--eu-summary writes several files; name a folder")
	case f.sme && f.euFolder == "":
		return usage.Errorf("--sme is of --eu-summary FOLDER; add it, or leave out --sme")
	}
	return cmp.Or(usage.RefuseFile(f.csv), usage.RefuseFile(f.euFolder))
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

// makeFolder makes the folder that a flag names, if it does.
func makeFolder(path, flag string) error {
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return fmt.Errorf("the folder %s cannot be made (%w); give another with %s", path, object.Cause(err), flag)
	}
	return nil
}

func (f *reportFlags) writeCSV(cmd *cobra.Command, r *results.Results) error {
	if f.csv == "" {
		return nil
	}
	if err := makeFolder(f.csv, "--csv"); err != nil {
		return err
	}
	var files []rendering
	for _, file := range csv.Files {
		if file.IsWhole && !f.part.Part.IsZero() {
			continue
		}
		files = append(files, rendering{
			filepath.Join(f.csv, file.Name), func(w io.Writer) error { return file.Write(cmd.Context(), w, r) },
		})
	}
	return f.write(cmd, files)
}
