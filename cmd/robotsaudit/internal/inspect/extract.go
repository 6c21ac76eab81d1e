package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/records"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/evidence"
	"github.com/robotsaudit/robotsaudit/report/prose"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// NewExtractCommand makes the command extract.
func NewExtractCommand() *cobra.Command {
	var f extraction
	cmd := &cobra.Command{
		Use:   "extract ARCHIVE:OFFSET... | -o DIR --robots-txt FOLDER",
		Short: "Write the record at a place to standard output, or all robots.txt to archives",
		Long: `Extract writes the record that begins at OFFSET in ARCHIVE, decompressed: its header, its
block and the line ends behind it. Places are those of the tables and of 'records': for a
WACZ, ARCHIVE is the file, a slash and the name of the entry; of a crawler's log the line is
written. Records of one compressed member have the same place: all are written, or the one
with --id.

With -o, ARCHIVE is a warc_filename of the tables in DIR, wherever the archive is; without,
it is a path.

Nothing is written before the record has been read to its end and found whole.

--robots-txt writes all captures of robots.txt of the audit in DIR to a new FOLDER, byte for byte,
with the records that redirects and revisits led to, and their requests and warcinfo records: an
archive for each that holds any, named in the same order. The order of records in an archive
counts, and between archives none does, so one file of all would state more. FOLDER alone gives
the same states of robots.txt, for audits of lists, logs and indexes.

` + usage.ExitHelp,
		Example: `  robotsaudit extract crawl.warc.gz:2925
  robotsaudit extract crawl.wacz/archive/data.warc.gz:1997 --payload > robots.txt
  robotsaudit extract -o out crawl.warc.gz:2925 --headers
  robotsaudit extract pages.warc.gz:0 pages.warc.gz:512 > two.warc
  robotsaudit extract -o out --robots-txt robots
  robotsaudit audit robots --urls fineweb.parquet -o answers --agents GPTBot`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.robots != "" && (f.dir == "" || len(args) > 0 || f.payload || f.headers || f.id != ""):
				return usage.Errorf("--robots-txt FOLDER goes with -o DIR, and with nothing else")
			case f.robots != "":
				if _, err := os.Lstat(f.robots); err == nil {
					return usage.Errorf("%s exists; name a new folder", f.robots)
				}
				return outfolder.In(cmd, f.dir, func(r *results.Results) error {
					found, err := evidence.WriteRobots(cmd.Context(), r.Dir(), f.robots)
					if err != nil {
						return err
					}
					for _, m := range found.Missing {
						console.Logger(cmd).Error(fmt.Sprintf("%s: %s; %s left out that it is needed for", console.OneLine(m.Name), console.OneLine(m.Reason),
							report.Count(m.Affected, "capture")))
					}
					text := fmt.Sprintf("%s: %s of robots.txt, %s, of %s.", f.robots, report.Count(found.Captures, "capture"),
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
			case len(args) == 0:
				return usage.Errorf("no place given; name one, as in: %s crawl.warc.gz:2925", cmd.CommandPath())
			case f.payload && f.headers:
				return usage.Errorf("--payload and --headers exclude each other; give one of them")
			case f.id != "" && len(args) > 1:
				return usage.Errorf("--id picks one record of one place; give one place")
			}
			return f.run(cmd, args)
		},
	}
	cmd.Flags().StringVarP(&f.dir, "output", "o", "",
		"output `DIR` of the audit whose tables name ARCHIVE: a folder, or s3://BUCKET/PREFIX")
	cmd.Flags().BoolVar(&f.payload, "payload", false,
		"write the payload alone, its transfer and content codings undone")
	cmd.Flags().BoolVar(&f.headers, "headers", false, "write the record's header and the HTTP head alone")
	cmd.Flags().StringVar(&f.robots, "robots-txt", "",
		"write all captures of robots.txt, and the records that they came to, to archives in a new `FOLDER`")
	inputs.AddStore(cmd.Flags())
	cmd.Flags().StringVar(&f.id, "id", "", "write only the record with this WARC-Record-ID, `URN`")
	return cmd
}

// extraction writes records.
type extraction struct {
	dir, id, robots  string
	payload, headers bool

	log  *slog.Logger
	file *os.File // of what is to be written
	ids  []string // of the records at the place in hand
	rest bool     // something is missing from what was written
}

func (f *extraction) run(cmd *cobra.Command, places []string) (err error) {
	f.log = console.Logger(cmd)
	var remove func() error
	if f.file, remove, err = durable.File(""); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	find := func(name string) (ingest.Input, string, error) {
		ctx := cmd.Context()
		if name == facts.Stdin {
			return ingest.Input{Path: name, Name: name}, "", nil
		}
		for file := name; ; {
			in, err := facts.FindInput(ctx, file)
			switch {
			case err == nil:
				return in, entryOf(name, file), nil
			case errors.Is(err, object.ErrNoFile):
				return in, "", usage.Errorf("%s is no file; name an archive", file)
			case ctx.Err() != nil:
				return in, "", ctx.Err()
			case object.IsRemote(name) && !strings.Contains(strings.ToLower(name), ".wacz/"):
				return in, "", fmt.Errorf("%s: %w", in.Name, err)
			}
			slash := strings.LastIndexByte(file, '/')
			if slash <= 0 || strings.HasSuffix(file[:slash], ":/") {
				return in, "", fmt.Errorf("%s: no such file; check the path, or add -o DIR if it is a name of the tables there", object.Shown(name))
			}
			file = file[:slash]
		}
	}
	if f.dir != "" {
		if err := usage.RefuseFile(f.dir); err != nil {
			return err
		}
		dir, end, err := outfolder.Local(cmd, f.dir)
		if err != nil {
			return err
		}
		defer end()
		set, err := ingest.OpenFacts(dir)
		if err != nil {
			return err
		}
		find = func(name string) (ingest.Input, string, error) { return findInput(set, f.dir, name) }
	}
	for _, place := range places {
		if err := f.extract(cmd.Context(), place, find, cmd.InOrStdin()); err != nil {
			return err
		}
	}
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(cmd.OutOrStdout(), f.file); err != nil {
		return err
	}
	if f.rest {
		return usage.ExitUnread
	}
	return nil
}

// extract adds what is at a place to the file.
func (f *extraction) extract(ctx context.Context, place string, find func(string) (ingest.Input, string, error),
	stdin io.Reader,
) error {
	name, digits, ok := facts.SplitPlace(place)
	switch found, err := os.Stat(place); { // without an offset
	case err == nil && found.IsDir():
		return usage.Errorf("%s is a folder; name the place, as in: robotsaudit extract -o %s crawl.warc.gz:2925", place,
			prose.ShellWord(place))
	case err == nil:
		return usage.Errorf("%q is no place; give ARCHIVE:OFFSET, as in %[1]s:2925; 'robotsaudit records %[1]s' lists the "+
			"places", place)
	}
	offset, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || offset < 0 {
		return usage.Errorf("%q is no place; give ARCHIVE:OFFSET, as in crawl.warc.gz:2925", object.Shown(place))
	}
	place = object.Shown(name) + ":" + digits
	in, entry, err := find(name)
	if err != nil {
		return err
	}
	f.ids = nil
	written := false
	err = records.At(ctx, in, entry, offset, stdin, func(r *records.Found) error {
		f.ids = append(f.ids, r.ID)
		if id := strings.Trim(f.id, "<>"); id != "" && !recordid.Parse(id).Is(recordid.Parse(r.ID)) {
			return nil
		}
		if written && (f.payload || f.headers) {
			return usage.Errorf("%s: several records have this place; add --id with one of %s", place,
				strings.Join(f.ids, ", "))
		}
		written = true
		switch {
		case f.payload:
			remarks, err := r.WritePayload(f.file)
			for _, remark := range remarks {
				f.rest = true
				f.log.Warn(place + ": " + remark)
			}
			return err
		case f.headers:
			return r.WriteHeaders(f.file)
		}
		_, err := r.WriteTo(f.file)
		return err
	})
	var none *records.NoRecordError
	var noArchive *records.NoArchiveError
	var damaged *records.DamagedError
	switch {
	case errors.As(err, &noArchive):
		return usage.Errorf("%s: %v", place, noArchive)
	case errors.As(err, &none):
		return usage.Errorf("%s: %v; 'robotsaudit records %s' lists the places", place, none, shown(in))
	case errors.As(err, &damaged):
		f.log.Error(fmt.Sprintf("%s: the record is not whole, and nothing is written: %v", place, damaged))
		return usage.ExitUnread
	case f.dir != "" && errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w; if the archive is elsewhere now, leave out -o and give its path", place, err)
	case err == nil && !written:
		return usage.Errorf("%s: no record there has the id %s; it is one of %s", place, f.id, strings.Join(f.ids, ", "))
	}
	return err
}

// findInput finds the archive that has a name in the tables.
func findInput(set *ingest.Facts, dir, name string) (in ingest.Input, entry string, err error) {
	for _, given := range []string{name, unescaped(name)} { // the tables escape bytes that are no UTF-8
		for file := given; file != ""; file = file[:max(strings.LastIndexByte(file, '/'), 0)] {
			for _, in := range set.Inputs() {
				if in.Name == file {
					return in, entryOf(given, file), nil
				}
			}
		}
	}
	if set.Totals.Indexed > 0 {
		return in, "", usage.Errorf("the audit in %s did not read an archive %q, which an index may name; leave out "+
			"-o and give its path", dir, name)
	}
	return in, "", usage.Errorf("the audit in %s has no archive %q; name one as warc_filename has it, or leave out "+
		"-o and give a path", dir, name)
}

// entryOf is the name of an entry, which goes on after that of its file and a slash.
func entryOf(name, file string) string { return strings.TrimPrefix(name[len(file):], "/") }

func unescaped(name string) string {
	if raw, err := url.PathUnescape(name); err == nil {
		return raw
	}
	return name
}
