package cdx

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// columnNames are the columns of a kind of list.
type columnNames struct {
	names  map[field][]string
	fields map[string]field // the same, by name
	needed []needed
}

// needed is what a list has to have: one of these fields.
type needed struct {
	what   string
	fields []field
}

func newColumnNames(names map[field][]string, needed ...needed) columnNames {
	c := columnNames{names, make(map[string]field), needed}
	for f, list := range names {
		for _, name := range list {
			c.fields[name] = f
		}
	}
	return c
}

// urlColumns are the columns of lists of URLs, robotsColumns those of tables of robots.txt, as Common Crawl's index,
// tables made of it and monitors of robots.txt call them.
var (
	urlColumns = newColumnNames(map[field][]string{
		fieldURL: {"url", "uri", "target_uri", "metadata.url", "warc_headers.warc-target-uri"},
		fieldTime: {
			"time", "timestamp", "date", "fetch_time", "warc_date", "date_download", "metadata.warc-date",
			"metadata.date_download", "warc_headers.warc-date",
		},
		fieldAgent:    {"agent", "user_agent"},
		fieldRecordID: {"record_id", "warc_record_id", "metadata.warc-record-id", "warc_headers.warc-refers-to"},
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
			"body_b64", "body_base64", "content_b64", "content_base64", "robots_txt_b64", "robots_txt_base64",
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
		return &robotsColumns
	}
	return &urlColumns
}

// find finds the fields that the columns of a list stand for.
func (c *columnNames) find(columns []string) (shape []field, err error) {
	var named [fields]string
	for _, name := range columns {
		f := c.fields[strings.ToLower(strings.TrimSpace(name))]
		shape = append(shape, f)
		if fault := twoNames(&named, f, name, "columns"); fault != "" {
			return nil, errors.New(fault)
		}
	}
	for _, n := range c.needed {
		var names []string
		found := false
		for _, f := range n.fields {
			names = append(names, c.names[f]...)
			found = found || slices.Contains(shape, f)
		}
		if !found {
			return nil, fmt.Errorf("it has none of the columns %s; give one of these names to the column of %s",
				strings.Join(names, ", "), n.what)
		}
	}
	return shape, nil
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

// defaultID is the column with the user's own names of rows, unless another is asked for.
const defaultID = "id"

// maxColumnsShown bounds the columns that are listed where the one that is asked for is not there.
const maxColumnsShown = 20

// idColumn finds the column with the user's own names of rows: the one that is asked for, or else id. -1: there
// is none.
func idColumn(columns []string, asked string) (at int, err error) {
	at = -1
	for i, c := range columns {
		switch {
		case !strings.EqualFold(strings.TrimSpace(c), cmp.Or(asked, defaultID)):
		case at >= 0:
			return at, fmt.Errorf("its columns %s and %s could both be the ids of rows; give one of them another name",
				columns[at], c)
		default:
			at = i
		}
	}
	if at < 0 && asked != "" {
		return at, fmt.Errorf("it has no column %s, which --id-column names; its columns are %s", asked,
			strings.Join(columns[:min(len(columns), maxColumnsShown)], ", "))
	}
	return at, nil
}

type csvRows struct {
	delimiter byte
	columns   int
	shape     []field
}

// openCSV reads the line that names the columns.
func (r *textReader) openCSV(id string) error {
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
	c, columns, err := csvHeader(header, columnsOf(r.format))
	if err != nil {
		return err
	}
	if r.format == URLList {
		at, fault := idColumn(columns, id)
		if err = fault; at >= 0 {
			c.shape[at] = fieldListID
		}
	}
	// Columns after the last one needed are passed over.
	for len(c.shape) > 0 && c.shape[len(c.shape)-1] == fieldNone {
		c.shape = c.shape[:len(c.shape)-1]
	}
	r.parse = c.parse
	return err
}

func csvHeader(line []byte, known *columnNames) (c *csvRows, columns []string, err error) {
	c = &csvRows{delimiter: ','}
	for _, delimiter := range []byte("\t;") {
		if bytes.Count(line, []byte{delimiter}) > bytes.Count(line, []byte{c.delimiter}) {
			c.delimiter = delimiter
		}
	}
	if columns, err = c.split(line); err != nil {
		return nil, nil, errors.New("its first line, which should name its columns, is no CSV")
	}
	c.columns = len(columns)
	c.shape, err = known.find(columns)
	return c, columns, err
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
