package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/records"
	"github.com/robotsaudit/robotsaudit/report/explain"
	"github.com/robotsaudit/robotsaudit/report/results"
)

func newExplainCommand() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain DIR WHAT",
		Short: "Explain the verdict on one fetch, step by step",
		Long: `Explain shows how the verdict on one fetch of the audit in DIR came about: the captures of
robots.txt around its moment, the one that governs and how it was reached, what each copy
says that the crawler may have acted on, the group, the rule and those that lost, the open
readings that were tried, and the sentence of docs/SEMANTICS.md behind each step. It shows what
the page and its site state against its use, and which lists of 'robotsaudit export' keep the page,
drop it or leave it undecided.

WHAT is a URL, a WARC-Record-ID, FILE:OFFSET as in the tables, the name of a finding as reports
print it, or the number of a row of violations, from 1. Of a URL that was fetched several times,
--at says which fetch is meant. If it was not fetched at that time, explain shows what would have
held then.

--record fetch writes the fetch's record in place of the explanation, and --record robots the one
of the robots.txt that governs it: header, block and the line ends after it, decompressed, or the
line of a crawler's log. Nothing is written of a record that is not whole.

Otherwise the archives are not read, but for a robots.txt behind a redirect that is not kept
beside the tables. The settings are those of the audit.

` + usage.ExitHelp,
		Example: `  robotsaudit explain out https://example.com/private/
  robotsaudit explain out crawl.warc.gz:1234 --full
  robotsaudit explain out f-138a3dfb7d
  robotsaudit explain out 1 --format json
  robotsaudit explain out 1 --record robots > robots.warc
  robotsaudit explain out https://example.com/ --purpose train --agents GPTBot
  robotsaudit explain out https://example.com/ --at 2025-03-01T12:00:00Z --agents GPTBot`,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.agent, "agents", "",
		"explain what held for the product token `TOKEN`, not for the crawler that made the fetch")
	flags.StringArrayVar(&f.purposes, "purpose", nil,
		"explain what a list of 'export' with --purpose `PURPOSE` makes of the page: archive, index or train "+
			"(repeatable); all are shown otherwise")
	flags.StringVar(&f.at, "at", "", "`TIME` of the fetch: 2025-03-01T12:00:00Z, or 2025-03-01 for its first moment")
	flags.StringVar(&f.format, "format", "text", "`FORMAT` of the output: text or json")
	flags.StringVar(&f.record, "record", "", "write the `RECORD` itself, byte for byte: fetch, or the robots that governs it")
	flags.BoolVar(&f.full, "full", false, "write all that is known, not at most about sixty lines")
	f.part.AddTo(flags)
	inputs.AddStore(flags)
	outfolder.RunOn(cmd, &f.output, "one fetch, as in: %[1]s https://example.com/private/ or: %[1]s 1",
		func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) })
	return cmd
}

type explainFlags struct {
	output, agent, at, format, record string
	purposes                          []string
	full                              bool
	part                              outfolder.PartFlags
}

func (f *explainFlags) run(cmd *cobra.Command, what string) error {
	question, err := f.question(what)
	if err != nil {
		return err
	}
	return outfolder.In(cmd, f.output, func(r *results.Results) error {
		if err := f.part.Limit(cmd, &r); err != nil {
			return err
		}
		set, err := ingest.OpenFacts(r.Dir())
		if err != nil {
			return err
		}
		x, err := explain.New(cmd.Context(), r, set, question)
		if err != nil {
			return f.advise(console.Logger(cmd), err)
		}
		if f.record != "" {
			return f.writeRecord(cmd, set, x)
		}
		if f.format == "json" {
			return x.WriteJSON(cmd.OutOrStdout())
		}
		return x.WriteText(cmd.OutOrStdout(), f.full)
	})
}

// writeRecord writes the record of the fetch, or of the robots.txt that governs it, once it is found whole.
func (f *explainFlags) writeRecord(cmd *cobra.Command, set *ingest.Facts, x *explain.Explanation) (err error) {
	at := x.Fetch.Record
	if f.record == "robots" {
		i := slices.IndexFunc(x.Captures, func(c evaluate.ExplainedCapture) bool { return c.Governs() })
		if i < 0 {
			return usage.Errorf("no captured robots.txt governs this fetch, so there is no record of one")
		}
		at = x.Captures[i].Record
	}
	if at.File == "" {
		return usage.Errorf("nobody made this fetch, so there is no record of it; leave out --at")
	}
	place := fmt.Sprintf("%s:%d", console.OneLine(at.File), at.Offset)
	in, entry, found := records.FindInput(set, at.File)
	if !found {
		return fmt.Errorf("%s: an index or a list names this archive, and it is not among the inputs; audit it together "+
			"with the index", place)
	}
	file, remove, err := durable.File("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	err = records.Write(cmd.Context(), file, in, entry, at.Offset, recordid.Parse(at.ID))
	var damaged *records.DamagedError
	switch {
	case errors.As(err, &damaged):
		console.Logger(cmd).Error(fmt.Sprintf("%s: the record is not whole, and nothing is written: %v", place, damaged))
		return usage.ExitUnread
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w; put the archive back where it was", place, err)
	case err != nil:
		return fmt.Errorf("%s: %w", place, err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(cmd.OutOrStdout(), file)
	return err
}

// question is the question in the flags.
func (f *explainFlags) question(what string) (q evaluate.Question, err error) {
	if err := f.part.Resolve(); err != nil {
		return q, err
	}
	q.What, q.Agent = what, f.agent
	for _, purpose := range f.purposes {
		use, _ := evaluate.ParseUse(purpose) // one of the choices
		q.Uses = append(q.Uses, use)
	}
	if _, isCategory := agents.InCategory(f.agent); isCategory || strings.HasPrefix(f.agent, "@") {
		return q, usage.Errorf("--agents %s: one crawler can be explained at a time; name it by its token", f.agent)
	}
	if f.agent != "" {
		if fault := agents.TokenFault(f.agent); fault != "" {
			return q, usage.Errorf("--agents: %q is no product token: %s", f.agent, fault)
		}
	}
	if f.at == "" {
		return q, nil
	}
	at, err := evaluate.ParseAsOf(f.at)
	if err != nil {
		return q, usage.Errorf("--at %q is no time; write it as 2025-03-01, or with a time and a zone as 2025-03-01T12:00:00Z", f.at)
	}
	q.At = at.First()
	return q, nil
}

// maxSuggested bounds the fetches that are named where several are meant.
const maxSuggested = 20

// advise suggests what to do where no one fetch is named.
func (f *explainFlags) advise(log *slog.Logger, err error) error {
	var many *evaluate.AmbiguousError
	var none *evaluate.NotFoundError
	var row *explain.NoRowError
	var name *explain.NameError
	part := f.part.Part.String()
	switch {
	case errors.As(err, &none) && part != "":
		return usage.Errorf("no fetch of the audit that %q may name is of %s; leave out --since, --until, --host and "+
			"--crawler-only, or choose others", none.What, part)
	case errors.As(err, &many):
		for _, s := range many.Fetches[:min(len(many.Fetches), maxSuggested)] {
			log.Error(fmt.Sprintf("fetched %s by %s: %s:%d", cmp.Or(s.Time.String(), "(unknown)"),
				cmp.Or(s.Agent, "(unknown)"), s.Record.File, s.Record.Offset))
		}
		return usage.Errorf("%q names %d fetches; say which with --at TIME, or name its place FILE:OFFSET (above, up "+
			"to %d of them)", many.What, many.Total, maxSuggested)
	case errors.As(err, &none) && none.IsURL:
		return usage.Errorf("no archive of the audit holds a fetch of %q; add --at TIME to ask what would have held then", none.What)
	case errors.As(err, &none) && !none.At.IsZero():
		return usage.Errorf("no fetch of the audit is named %q and was made at %s; leave out --at", none.What,
			none.At.UTC().Format(time.RFC3339Nano))
	case errors.As(err, &none):
		return usage.Errorf("no fetch of the audit is named %q; give a URL with its scheme, a WARC-Record-ID, "+
			"FILE:OFFSET as in the tables, or the number of a row of violations", none.What)
	case errors.As(err, &row), errors.As(err, &name):
		return usage.Errorf("%v", err)
	}
	return err
}
