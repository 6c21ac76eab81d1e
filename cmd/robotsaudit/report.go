package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/report/ci"
	"github.com/robotsaudit/robotsaudit/report/csv"
	"github.com/robotsaudit/robotsaudit/report/results"
)

func newReportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report -o DIR",
		Short: "Write an audit for people and pipelines to read: CSV, SARIF, JUnit",
		Long: `Read the results in DIR, which 'robotsaudit audit' or 'evaluate' wrote, and write them

  as CSV for spreadsheets (--csv): one file a table, UTF-8 with a byte order mark. A cell
    that a spreadsheet could take for a formula begins with an apostrophe; characters
    that cannot be seen are escapes such as \u202e;
  as SARIF 2.1.0 (--sarif): a result per violation, at the record in its archive; of more
    than 5,000 the most certain ones;
  as JUnit XML (--junit): a test case per origin, which fails where there are violations;
    of more than 5,000 origins those that fail.

FILE may be - for standard output. The archives are not read.

` + exitHelp,
		Example: `  robotsaudit report -o out --csv spreadsheets
  robotsaudit report -o out --sarif violations.sarif --junit junit.xml
  robotsaudit report -o out --sarif - | jq '.runs[0].results | length'`,
		Args: noArgs,
	}
	f.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.run(cmd) }
	return cmd
}

// reportFlags are the options of reporting.
type reportFlags struct {
	output string
	csv    string
	sarif  string
	junit  string
}

func (f *reportFlags) add(flags *pflag.FlagSet) {
	flags.StringVarP(&f.output, "output", "o", "", "output folder `DIR` of an audit (required)")
	flags.StringVar(&f.csv, "csv", "", "write CSV files into `FOLDER`, made where there is none")
	flags.StringVar(&f.sarif, "sarif", "", "write the violations as SARIF to `FILE`")
	flags.StringVar(&f.junit, "junit", "", "write the origins as JUnit XML to `FILE`")
}

// rendering is a file to be written.
type rendering struct {
	path   string // "": not asked for
	render func(context.Context, io.Writer, *results.Results) error
}

func (f *reportFlags) run(cmd *cobra.Command) error {
	if f.output == "" {
		return usageErrorf("no output folder given; add -o DIR")
	}
	files := []rendering{
		{f.sarif, func(_ context.Context, w io.Writer, r *results.Results) error { return ci.SARIF(w, r) }},
		{f.junit, func(_ context.Context, w io.Writer, r *results.Results) error { return ci.JUnit(w, r) }},
	}
	if err := f.check(files); err != nil {
		return err
	}
	r, err := results.Open(f.output)
	if err != nil {
		return err
	}
	for _, file := range files {
		if file.path == "" {
			continue
		}
		if err := writeWhole(cmd, file.path, func(w io.Writer) error { return file.render(cmd.Context(), w, r) }); err != nil {
			return err
		}
	}
	return f.writeCSV(cmd, r)
}

// check refuses what cannot be meant.
func (f *reportFlags) check(files []rendering) error {
	asked, toOutput := f.csv != "", 0
	for _, file := range files {
		asked = asked || file.path != ""
		if file.path == "-" {
			toOutput++
		}
	}
	switch {
	case !asked:
		return usageErrorf("nothing to write; add --csv, --sarif or --junit")
	case toOutput > 1:
		return usageErrorf("one format alone can go to standard output")
	case f.csv == "-":
		return usageErrorf("--csv writes several files; name a folder")
	}
	return nil
}

func (f *reportFlags) writeCSV(cmd *cobra.Command, r *results.Results) error {
	if f.csv == "" {
		return nil
	}
	if err := os.MkdirAll(f.csv, 0o777); err != nil {
		return err
	}
	for _, file := range csv.Files {
		write := func(w io.Writer) error { return file.Write(cmd.Context(), w, r) }
		if err := writeWhole(cmd, filepath.Join(f.csv, file.Name), write); err != nil {
			return err
		}
	}
	return nil
}
