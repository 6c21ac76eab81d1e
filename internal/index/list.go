package index

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

// listNames are the columns of lists of URLs, listFields the same by name.
var (
	listNames = map[field][]string{
		fieldURL:      {"url", "uri", "target_uri"},
		fieldTime:     {"time", "timestamp", "date", "fetch_time", "warc_date"},
		fieldAgent:    {"agent", "user_agent"},
		fieldRecordID: {"record_id", "warc_record_id"},
	}
	listFields = func() map[string]field {
		m := make(map[string]field)
		for f, names := range listNames {
			for _, name := range names {
				m[name] = f
			}
		}
		return m
	}()
)

// listColumns finds the fields that the columns of a list stand for.
func listColumns(columns []string) (shape []field, err error) {
	var named [fields]string
	for _, c := range columns {
		f := listFields[strings.ToLower(strings.TrimSpace(c))]
		if f != fieldNone && named[f] != "" {
			return nil, fmt.Errorf("its columns %s and %s say the same: leave one out", named[f], c)
		}
		shape = append(shape, f)
		named[f] = c
	}
	for _, f := range [...]field{fieldURL, fieldTime} {
		if named[f] == "" {
			return nil, fmt.Errorf("it has none of the columns %s; give one of these names to the column of %s",
				strings.Join(listNames[f], ", "), map[field]string{fieldURL: "URLs", fieldTime: "times"}[f])
		}
	}
	return shape, nil
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
	if r.split.long {
		return fmt.Errorf("its first line, which should name its columns, is longer than %d bytes", maxRow)
	}
	c, columns, err := csvHeader(header)
	if err != nil {
		return err
	}
	at, err := idColumn(columns, id)
	if at >= 0 {
		c.shape[at] = fieldListID
	}
	// Columns after the last one needed are passed over.
	for len(c.shape) > 0 && c.shape[len(c.shape)-1] == fieldNone {
		c.shape = c.shape[:len(c.shape)-1]
	}
	r.parse = c.parse
	return err
}

func csvHeader(line []byte) (c *csvRows, columns []string, err error) {
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
	c.shape, err = listColumns(columns)
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
