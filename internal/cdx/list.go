package cdx

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// columnNames are the columns of a kind of list.
type columnNames struct {
	names  map[field][]string // the first is the one that --columns takes for the field
	fields map[string]field   // the fields of all names
	groups map[string]bool    // that hold some of them, which have dots in their names
	asked  [fields]bool       // the names are the user's
	needed []needed
}

// needed is what a list has to have: one of these fields.
type needed struct {
	what   string
	fields []field
}

func newColumnNames(names map[field][]string, needed ...needed) *columnNames {
	c := &columnNames{names: names, fields: make(map[string]field), groups: make(map[string]bool), needed: needed}
	for f, list := range names {
		for _, name := range list {
			c.fields[name] = f
			for i := range len(name) {
				if name[i] == '.' {
					c.groups[name[:i]] = true
				}
			}
		}
	}
	return c
}

// with gives fields the columns that the user names, in place of all others.
func (c *columnNames) with(named map[field][]string) *columnNames {
	names := maps.Clone(c.names)
	for f := range named {
		delete(names, f)
		if other := alike[f]; named[other] == nil {
			delete(names, other)
		}
	}
	for f, list := range named {
		if c.names[f] != nil {
			names[f] = list
		}
	}
	own := newColumnNames(names, c.needed...)
	for f, list := range named {
		if own.asked[f] = c.names[f] != nil; own.asked[f] {
			for _, name := range list { // whatever field has it otherwise
				own.fields[name] = f
			}
		}
	}
	return own
}

// alike are fields of which one takes the place of the other.
var alike = map[field]field{
	fieldBody: fieldBodyBase64, fieldBodyBase64: fieldBody, fieldURL: fieldHost, fieldHost: fieldURL,
}

// nameOf is what --columns calls a field of a list of URLs or a table of robots.txt; "": neither has it.
func nameOf(f field) string {
	for _, known := range [...]*columnNames{urlColumns, robotsColumns} {
		if names := known.names[f]; names != nil {
			return names[0]
		}
	}
	return ""
}

// parseColumns reads what --columns says: FIELD=COLUMN, with commas between. A field may have several columns.
func parseColumns(text string) (named map[field][]string, err error) {
	if text == "" {
		return nil, nil
	}
	named = make(map[field][]string)
	taken := make(map[string]bool)
	for part := range strings.SplitSeq(text, ",") {
		name, column, found := strings.Cut(part, "=")
		name, column = strings.TrimSpace(name), strings.ToLower(strings.TrimSpace(column))
		f := fieldNone
		for of := range fields {
			if nameOf(of) == name && name != "" {
				f = of
			}
		}
		switch {
		case !found || column == "":
			return nil, fmt.Errorf("%q is no FIELD=COLUMN, as in url=page_url,time=meta.seen", part)
		case f == fieldNone:
			return nil, fmt.Errorf("%q is not one of the fields %s", name, ColumnFields())
		case taken[column]:
			return nil, fmt.Errorf("it names the column %s twice", column)
		}
		taken[column] = true
		named[f] = append(named[f], column)
	}
	return named, nil
}

// ColumnFields are the fields that CheckColumns knows, for messages.
func ColumnFields() string {
	var names []string
	for f := range fields {
		if name := nameOf(f); name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// CheckColumns checks what the user calls the columns of lists and tables: one of these formats has each field.
func CheckColumns(text string, formats ...Format) error {
	named, err := parseColumns(text)
	for f := range fields {
		has := func(of Format) bool { return columnsOf(of).names[f] != nil }
		if named[f] != nil && !slices.ContainsFunc(formats, has) {
			return fmt.Errorf("no input that is named has the field %s: --urls names lists of URLs, --robots tables of "+
				"robots.txt", nameOf(f))
		}
	}
	return err
}

// urlColumns are the columns of lists of URLs, robotsColumns those of tables of robots.txt, as Common Crawl's index,
// tables made of it and monitors of robots.txt call them.
var (
	urlColumns = newColumnNames(map[field][]string{
		fieldURL: {
			"url", "uri", "target_uri", "metadata.url", "warc_headers.warc-target-uri", "meta.warc_headers.warc-target-uri",
		},
		fieldTime: {
			"time", "timestamp", "date", "fetch_time", "warc_date", "date_download", "metadata.warc-date",
			"metadata.date_download", "warc_headers.warc-date", "meta.warc_headers.warc-date",
		},
		fieldAgent: {"agent", "user_agent"},
		fieldRecordID: {
			"record_id", "warc_record_id", "metadata.warc-record-id", "warc_headers.warc-refers-to",
			"meta.warc_headers.warc-refers-to",
		},
		fieldListID: {"id"},
	}, needed{"URLs", []field{fieldURL}}, needed{"times", []field{fieldTime}})

	robotsColumns = newColumnNames(map[field][]string{
		fieldURL:  {"url", "uri", "target_uri", "robots_url", "robots_txt_url"},
		fieldHost: {"host", "hostname", "url_host_name", "domain", "site"},
		fieldTime: {
			"time", "timestamp", "date", "datetime", "fetch_time", "warc_date", "observed", "observed_at", "captured_at",
			"crawled_at", "crawl_date", "fetched_at", "retrieved_at", "checked_at", "snapshot_date",
		},
		fieldStatus: {"status", "fetch_status", "status_code", "statuscode", "http_status", "http_status_code"},
		fieldBody:   {"body", "content", "text", "robots", "robots_txt", "robotstxt", "robots_content", "robots_txt_content"},
		fieldBodyBase64: {
			"body_base64", "body_b64", "content_b64", "content_base64", "robots_txt_b64", "robots_txt_base64",
		},
		fieldDigest: {
			"digest", "body_digest", "content_digest", "payload_digest", "sha1", "sha256", "body_sha1", "body_sha256",
			"content_sha256",
		},
		fieldHeaders:  {"headers", "http_headers", "response_headers"},
		fieldRedirect: {"location", "redirect", "fetch_redirect"},
		fieldMIME:     {"content_type", "mime", "mime_type", "content_mime_type"},
		fieldAgent:    {"agent", "user_agent"},
		fieldError:    {"error", "error_message"},
	}, needed{"URLs or hosts", []field{fieldURL, fieldHost}}, needed{"times", []field{fieldTime}},
		needed{"bodies, of their digests or of statuses", []field{fieldBody, fieldBodyBase64, fieldDigest, fieldStatus}})
)

// columnsOf are the columns of a list of a format.
func columnsOf(f Format) *columnNames {
	if f == RobotsList {
		return robotsColumns
	}
	return urlColumns
}

// find finds the fields that the columns of a list stand for.
func (c *columnNames) find(columns []string) (shape []field, err error) {
	var named [fields]string
	for _, name := range columns {
		f := c.fields[strings.ToLower(strings.TrimSpace(name))]
		shape = append(shape, f)
		if fault := twoNames(&named, f, name, "columns"); fault != "" {
			return nil, errors.New(fault + ", or choose one by --columns")
		}
	}
	has := fmt.Sprintf("%.500s", strings.Join(columns[:min(len(columns), maxColumnsShown)], ", "))
	if missing := c.missing(func(f field) bool { return slices.Contains(shape, f) }); missing != "" {
		return nil, fmt.Errorf("it has no column %s, which --columns names; its columns are %s", missing, has)
	}
	for _, n := range c.needed {
		var names []string
		found := false
		for _, f := range n.fields {
			names = append(names, c.names[f]...)
			found = found || slices.Contains(shape, f)
		}
		if !found {
			return nil, fmt.Errorf("it has none of the columns %s; give one of these names to the column of %s, or say "+
				"which it is, as in --columns %s=NAME; its columns are %s", strings.Join(names, ", "), n.what,
				nameOf(n.fields[0]), has)
		}
	}
	return shape, nil
}

// missing are the columns of the first field that the user has named and a list does not have.
func (c *columnNames) missing(has func(field) bool) string {
	for f := range fields {
		if c.asked[f] && !has(f) {
			return strings.Join(c.names[f], " or ")
		}
	}
	return ""
}

// twoNames is the fault of a name for a field that another one names: which of them counts must not depend on their
// order. A list and its rows have one name for each field.
func twoNames(named *[fields]string, f field, name, what string) (fault string) {
	if f == fieldBodyBase64 {
		f = fieldBody
	}
	if f == fieldNone {
		return ""
	}
	if named[f] != "" {
		return fmt.Sprintf("its %s %s and %s say the same: leave one out", what, named[f], name)
	}
	named[f] = name
	return ""
}

// maxColumnsShown bounds the columns that are listed where one is not there.
const maxColumnsShown = 20

type csvRows struct {
	delimiter byte
	columns   int
	shape     []field
}

// openCSV reads the line that names the columns.
func (r *textReader) openCSV(columns *columnNames) error {
	r.next = r.split.record
	header, err := r.next()
	if err == io.EOF {
		return errors.New("it is empty, where a line should name its columns")
	}
	if errors.As(err, new(*contentError)) {
		r.next = func() ([]byte, error) { return nil, err } // for Next to report
		return nil
	}
	if err != nil {
		return err
	}
	if r.split.Long {
		return fmt.Errorf("its first line, which should name its columns, is longer than %d bytes", r.split.max)
	}
	c, err := csvHeader(header, columns)
	if err != nil {
		return err
	}
	// Columns after the last one needed are passed over.
	for len(c.shape) > 0 && c.shape[len(c.shape)-1] == fieldNone {
		c.shape = c.shape[:len(c.shape)-1]
	}
	r.parse = c.parse
	return nil
}

func csvHeader(line []byte, known *columnNames) (*csvRows, error) {
	c := &csvRows{delimiter: ','}
	for _, delimiter := range []byte("\t;") {
		if bytes.Count(line, []byte{delimiter}) > bytes.Count(line, []byte{c.delimiter}) {
			c.delimiter = delimiter
		}
	}
	columns, err := c.split(line)
	if err != nil {
		return nil, errors.New("its first line, which should name its columns, is no CSV")
	}
	c.columns = len(columns)
	c.shape, err = known.find(columns)
	return c, err
}

func (c *csvRows) split(record []byte) ([]string, error) {
	if !slices.Contains(record, '"') {
		return strings.Split(string(record), string(rune(c.delimiter))), nil
	}
	r := csv.NewReader(bytes.NewReader(record))
	r.Comma, r.FieldsPerRecord = rune(c.delimiter), -1
	return r.Read()
}

func (c *csvRows) parse(text []byte, row *Row) (ok bool, fault string) {
	if len(text) == 0 {
		return false, ""
	}
	values, err := c.split(text)
	if err != nil {
		return false, "it is no CSV: a quote is not closed, or stands alone"
	}
	if len(values) != c.columns {
		return false, fmt.Sprintf("it has %d values, and the first line names %d columns", len(values), c.columns)
	}
	if fault = row.setAll(c.shape, values); fault != "" {
		return false, fault
	}
	if number := row.Time; isDigits(number) && !isCDXTime(number) {
		return false, noUnit
	}
	return true, ""
}
