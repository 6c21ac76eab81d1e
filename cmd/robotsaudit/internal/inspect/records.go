// Package inspect has the commands that look into archives without an audit: records lists their records, extract
// writes one of them, or all of robots.txt, and Check says what is wrong with them.
package inspect

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/internal/cdx"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/records"
	"github.com/robotsaudit/robotsaudit/internal/weburl"
)

// NewRecordsCommand makes the command records.
func NewRecordsCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "records ARCHIVE...",
		Short: "List the records of archives, a line each",
		Long: `Records lists every record of archives, in their order: where it is, which 'extract' takes,
its length there, type and date, status and media type of a response, and the URL, with tabs
between them and "-" for nothing. Standard error has what cannot be read.

--format jsonl gives an object a line, with the names of the columns of the tables.
--format cdxj gives the index that pywb's cdxj-indexer would write, of responses, revisits,
resources and metadata with a URL, in the order of the archive: sort it with LC_ALL=C sort.

` + usage.ExitHelp,
		Example: `  robotsaudit records crawl.warc.gz
  robotsaudit records --format jsonl archives/ | jq -r 'select(.fetch_status == 404).url'
  robotsaudit records --format cdxj crawl.warc.gz | LC_ALL=C sort > crawl.cdxj`,
		Args: inputs.Args,
		RunE: func(cmd *cobra.Command, args []string) error {
			log := console.Logger(cmd)
			out := bufio.NewWriter(cmd.OutOrStdout())
			printRecord := recordPrinters[format](out)
			inputs, failures, err := inputs.Find(cmd, log, args, nil)
			if err != nil {
				return err
			}
			unread := len(failures) > 0
			opt := records.ListOptions{Stdin: cmd.InOrStdin(), Digests: format == "cdxj"}
			for _, in := range inputs {
				opt.Issue = func(i *facts.Issue) error {
					unread = true
					log.Error(fmt.Sprintf("%s: %s: %s (%s)", placeOf(shown(in), i.Entry, i.Offset), i.Kind, i.Detail, i.Action))
					return nil
				}
				_, err := records.List(cmd.Context(), in, opt, func(r *records.Listed) error {
					leftOut, err := printRecord(in, r)
					if leftOut != "" {
						unread = true
						log.Warn(fmt.Sprintf("%s: left out: %s", placeOf(shown(in), r.Entry, r.Offset), leftOut))
					}
					return err
				})
				var output *console.OutputError
				switch {
				case errors.As(err, &output), cmd.Context().Err() != nil:
					return err
				case err != nil:
					unread = true
					log.Error(fmt.Sprintf("%s: cannot be read (%v)", shown(in), err))
				}
				if err := out.Flush(); err != nil {
					return err
				}
			}
			if unread {
				return usage.ExitUnread
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of the lines: text, jsonl or cdxj")
	inputs.AddBase(cmd.Flags(), inputs.RelativeLines)
	inputs.AddStore(cmd.Flags())
	return cmd
}

// shown is the path of an input as 'extract' takes it: short, where that is possible.
func shown(in ingest.Input) string {
	if in.Path == facts.Stdin {
		return in.Path
	}
	here, err := os.Getwd()
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err == nil {
		if rel, err := filepath.Rel(here, in.Path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return in.Path
}

// placeOf is where something stands in an archive; an offset below 0 is that of the whole.
func placeOf(file, entry string, offset int64) string {
	if entry != "" {
		file += "/" + entry
	}
	if offset < 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, offset)
}

// A recordPrinter prints a record, or returns why it leaves it out.
type recordPrinter func(ingest.Input, *records.Listed) (leftOut string, err error)

// recordPrinters make the printers of the formats.
var recordPrinters = map[string]func(io.Writer) recordPrinter{
	"text": func(w io.Writer) recordPrinter {
		return func(in ingest.Input, r *records.Listed) (string, error) { return "", printText(w, in, r) }
	},
	"jsonl": func(w io.Writer) recordPrinter {
		enc := console.Encoder(w, "")
		return func(in ingest.Input, r *records.Listed) (string, error) { return "", enc.Encode(newRecordLine(in, r)) }
	},
	"cdxj": func(w io.Writer) recordPrinter { return (&cdxjRecords{w: w}).print },
}

func printText(w io.Writer, in ingest.Input, r *records.Listed) error {
	status := ""
	if r.HTTP && r.Status >= 0 {
		status = fmt.Sprint(r.Status)
	}
	dash := func(s string) string { return cmp.Or(console.OneLine(s), "-") }
	_, err := fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", console.OneLine(placeOf(shown(in), r.Entry, r.Offset)), r.Length,
		dash(r.Type), dash(r.Date), dash(status), dash(mediaType(r)), dash(r.URL))
	return err
}

// mediaType is that of a response, or of the record where that is none.
func mediaType(r *records.Listed) string {
	s := r.ContentType
	if r.HTTP {
		s = r.MediaType
	}
	s, _, _ = strings.Cut(s, ";")
	return strings.TrimSpace(s)
}

// recordLine has the names that the tables have, where they have one.
type recordLine struct {
	Filename    string  `json:"warc_filename"`
	Offset      int64   `json:"warc_record_offset"`
	Length      int64   `json:"warc_record_length"`
	ID          *string `json:"warc_record_id"`
	Type        string  `json:"record_type"`
	Date        *string `json:"warc_date"`
	URL         *string `json:"url"`
	SURTKey     *string `json:"url_surtkey"`
	Status      *int16  `json:"fetch_status"`
	ContentType *string `json:"content_type"`
	Digest      *string `json:"content_digest"`
	Streamed    bool    `json:"streamed"`
	Resynced    bool    `json:"resynced"`
}

func newRecordLine(in ingest.Input, r *records.Listed) recordLine {
	line := recordLine{
		Filename: placeOf(in.Name, r.Entry, -1), Offset: r.Offset, Length: r.Length, ID: orNull(r.ID), Type: r.Type,
		Date: orNull(r.Date),
		URL:  orNull(r.URL), ContentType: orNull(r.ContentType), Digest: orNull(r.PayloadDigest), Streamed: r.Streamed,
		Resynced: r.Resynced,
	}
	if r.HTTP {
		line.ContentType = orNull(r.MediaType)
		if r.Status >= 0 {
			line.Status = &r.Status
		}
	}
	if r.URL != "" {
		line.SURTKey = orNull(surtKey(r.URL))
	}
	return line
}

func surtKey(url string) string {
	u, _ := weburl.Parse(url)
	return u.SURTKey()
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

type cdxjRecords struct {
	w    io.Writer
	line []byte // reused
}

// print writes a line for what cdxj-indexer has in an index: what was fetched or made, and no
// fields about that.
func (p *cdxjRecords) print(in ingest.Input, r *records.Listed) (leftOut string, err error) {
	switch {
	case r.URL == "": // nobody could look it up
		return "", nil
	case r.Type == "response", r.Type == "revisit", r.Type == facts.TypeARC.String():
	case (r.Type == "resource" || r.Type == "metadata") && r.ContentType != "application/warc-fields":
	default:
		return "", nil
	}
	if r.Time.IsZero() {
		return fmt.Sprintf("its date cannot be read: %q", r.Date), nil
	}
	line := cdx.CDXJLine{
		Key: surtKey(r.URL), Time: r.Time, URL: r.URL, Digest: r.PayloadDigest, Length: r.Length,
		Offset: r.Offset, Filename: placeOf(in.Name, r.Entry, -1),
	}
	if r.Stored {
		line.Length = r.Size
	}
	isHTTP := r.HTTP && (strings.HasPrefix(r.URL, "http:") || strings.HasPrefix(r.URL, "https:"))
	if isHTTP && r.Status >= 0 {
		line.Status = fmt.Sprint(r.Status)
	}
	switch {
	case r.Type == "revisit":
		line.MediaType = new("warc/revisit")
	case isHTTP && r.MediaType != "":
		line.MediaType = firstWord(r.MediaType)
	case r.Type == "resource", r.Type == "metadata":
		line.MediaType = firstWord(r.ContentType)
	}
	p.line = line.Append(p.line[:0])
	_, err = p.w.Write(p.line)
	return "", err
}

// firstWord is a media type without its parameters; nil where there is none.
func firstWord(s string) *string {
	if s == "" {
		return nil
	}
	if i := strings.IndexFunc(s, func(c rune) bool { return c == ';' || unicode.IsSpace(c) }); i >= 0 {
		s = s[:i]
	}
	return &s
}
