package report

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/dustin/go-humanize/english"

	"github.com/robotsaudit/robotsaudit/internal/cdx"
	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

const (
	maxLabel = 60 // bytes shown of a name
	fewNames = 3
)

// Inputs are sums over the inputs of an audit. There may be hundreds of thousands, so none is held: audit.json has
// an AuditInput of each, and write and ReadAudit pass them one by one.
type Inputs struct {
	Archives, Indexes, Lists int
	Logs                     int   // access logs
	Tables                   int   // of robots.txt
	Rows                     int64 // of Tables: captures
	Size                     int64
	Resynced                 int64 // records read after damage
	Unanswered               int64 // requests without a response
	Unhashed                 int64 // inputs without a SHA-256

	// where robots.txt lies that indexes lack: the first few names in order, and one more
	RobotsLists, RobotsArchives []string
}

// Count is the number of inputs.
func (i *Inputs) Count() int64 { return int64(i.Archives + i.Indexes + i.Lists + i.Logs + i.Tables) }

// AreLogs reports whether all fetches come from access logs.
func (i *Inputs) AreLogs() bool { return i.Logs > 0 && i.Archives+i.Indexes+i.Lists == 0 }

// Noun is what the results call a fetch. Who reads the log of a site asks for the requests to it.
func (i *Inputs) Noun() string {
	if i.AreLogs() {
		return "request"
	}
	return "fetch"
}

// Sources is what the results call all inputs.
func (i *Inputs) Sources() string {
	if i.AreLogs() {
		return "inputs"
	}
	return "archives"
}

// String counts archives, and also indexes, lists of URLs, access logs, and tables of robots.txt.
func (i *Inputs) String() string {
	var parts []string
	for _, kind := range [...]struct {
		n         int
		one, many string
	}{
		{i.Archives, "archive", ""},
		{i.Indexes, "index", "indexes"},
		{i.Lists, "list of URLs", "lists of URLs"},
		{i.Logs, "access log", ""},
		{i.Tables, "table of robots.txt", "tables of robots.txt"},
	} {
		if kind.n > 0 || i.Count() == 0 && parts == nil {
			parts = append(parts, english.Plural(kind.n, kind.one, kind.many))
		}
	}
	return english.WordSeries(parts, "and")
}

func (i *Inputs) add(in *AuditInput) {
	switch {
	case in.Container == cdx.URLList.String():
		i.Lists++
	case in.Container == cdx.RobotsList.String():
		i.Tables++
	case in.Container == cdx.AccessLog.String():
		i.Logs++
	case HasRows(in.Container):
		i.Indexes++
	default:
		i.Archives++
	}
	i.Rows += in.Records[facts.TypeRow.String()]
	i.Size += in.Size
	i.Resynced += in.Resynced
	i.Unanswered += in.Unanswered
	if in.SHA256 == nil {
		i.Unhashed++
	}
	for _, crawl := range in.CommonCrawls {
		addName(&i.RobotsLists, "crawl-data/"+Shown(crawl, maxLabel)+"/robotstxt.paths.gz")
	}
	for _, archive := range in.RobotsIn {
		addName(&i.RobotsArchives, Shown(archive, maxLabel))
	}
}

// HasRows reports whether inputs of a container are indexes, lists, tables or logs: they hold no records.
func HasRows(container string) bool { return cdx.IsFormat(container) }

func addName(names *[]string, name string) {
	if at, found := slices.BinarySearch(*names, name); !found && at <= fewNames {
		*names = slices.Insert(*names, at, name)
		*names = (*names)[:min(len(*names), fewNames+1)]
	}
}

// write writes audit.json, with the inputs of a set, and adds them to a.Inputs.
func (a *Audit) write(path string, set *facts.Set) error {
	b, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	at := bytes.Index(b, []byte(`  "unreadable": `)) // before it, the list of inputs stands
	return durable.WriteWhole(path, func(file io.Writer) error {
		w := bufio.NewWriter(file)
		fmt.Fprintf(w, `%s  "inputs": [`, b[:at])
		separator, end := "\n    ", ""
		for r, err := range set.Results(context.Background()) {
			if err != nil {
				return err
			}
			in := auditInput(r)
			a.Inputs.add(in)
			b, err := json.MarshalIndent(in, "    ", "  ")
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s%s", separator, b)
			separator, end = ",\n    ", "\n  "
		}
		fmt.Fprintf(w, "%s],\n%s\n", end, b[at:])
		return w.Flush()
	})
}

func auditInput(in *facts.InputResult) *AuditInput {
	return &AuditInput{
		Name: locator(in.Name), Size: in.Size, Fingerprint: in.Fingerprint,
		SHA256: known(in.SHA256, in.SHA256 != ""), Container: in.Container,
		AccessLog: auditLog(in.AccessLog),
		Records:   in.Records, Fetches: in.Fetches, Robots: in.Robots, Issues: in.Issues, Resynced: in.Resynced,
		LogEvents: in.Events, Unanswered: in.Unanswered,
		Indexed: in.Indexed, IndexedRobots: in.IndexedRobots, CommonCrawls: in.CommonCrawls, RobotsIn: in.RobotsIn,
		Digests: in.Digests, Crawls: in.Crawls, Titles: in.Titles,
	}
}

// auditLog describes how a log was read, by the text of facts.AccessLog. It names no folder.
func auditLog(text string) (l AuditLog) {
	a, err := facts.ParseAccessLog(text)
	if text == "" || err != nil { // facts hold it whole
		return l
	}
	l = AuditLog{Sites: a.Sites, Format: a.Format}
	for _, r := range a.Ranges {
		l.Ranges = append(l.Ranges, LogRanges{Agent: r.Token, Name: filepath.Base(r.Path), SHA256: r.Sum})
	}
	return l
}

// ReadAudit reads audit.json, and calls each for the inputs, in their order. When it returns false, nothing more is
// read.
func ReadAudit(from io.Reader, each func(*AuditInput) bool) (*Audit, error) {
	a, d := new(Audit), json.NewDecoder(from)
	input := func() error {
		in := new(AuditInput)
		if err := d.Decode(in); err != nil {
			return err
		}
		if a.Inputs.add(in); !each(in) {
			return errEnough
		}
		return nil
	}
	err := within(d, '{', func() error {
		name, err := d.Token()
		if err == nil && name == "inputs" {
			return within(d, '[', input)
		}
		var value json.RawMessage
		if err := cmp.Or(err, d.Decode(&value)); err != nil {
			return err
		}
		return json.Unmarshal(fmt.Appendf(nil, "{%q: %s}", name, value), a)
	})
	switch {
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		err = errors.New("unexpected end of JSON input")
	case err == errEnough:
		err = nil
	}
	return a, err
}

var errEnough = errors.New("no more inputs are wanted")

// within calls each before every element of the object or array that comes next, which begins with a delimiter.
func within(d *json.Decoder, begin json.Delim, each func() error) error {
	if t, err := d.Token(); err != nil || t != begin {
		return cmp.Or(err, fmt.Errorf("%v is not %v", t, begin))
	}
	for d.More() {
		if err := each(); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}
