package index

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// listNames are the columns of lists of URLs.
var listNames = [...]name{
	{"url", fieldURL},
	{"uri", fieldURL},
	{"target_uri", fieldURL},
	{"time", fieldTime},
	{"timestamp", fieldTime},
	{"date", fieldTime},
	{"fetch_time", fieldTime},
	{"warc_date", fieldTime},
	{"agent", fieldAgent},
	{"user_agent", fieldAgent},
	{"record_id", fieldRecordID},
	{"warc_record_id", fieldRecordID},
}

// listColumns finds the fields that the columns of a list stand for.
func listColumns(columns []string) (shape []field, err error) {
	var named [fields]string
	for _, c := range columns {
		f := nameOf(listNames[:], strings.ToLower(strings.TrimSpace(c)))
		if f != fieldNone && named[f] != "" {
			return nil, fmt.Errorf("its columns %s and %s say the same: leave one out", named[f], c)
		}
		shape = append(shape, f)
		named[f] = c
	}
	for _, f := range [...]field{fieldURL, fieldTime} {
		if named[f] == "" {
			return nil, fmt.Errorf("it has none of the columns %s; give one of these names to the column of %s",
				strings.Join(listNamesOf(f), ", "), map[field]string{fieldURL: "URLs", fieldTime: "times"}[f])
		}
	}
	return shape, nil
}

// listNamesOf are the names that a field has in lists.
func listNamesOf(f field) (names []string) {
	for _, n := range listNames {
		if n.field == f {
			names = append(names, n.name)
		}
	}
	return names
}

// csvRows parses records of CSV.
type csvRows struct {
	delimiter byte
	columns   int
	shape     []field
}

// openCSV reads the line that names the columns.
func (r *textReader) openCSV() error {
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
	c, err := csvHeader(header)
	r.parse = c.parse
	return err
}

// csvHeader finds the delimiter and the columns.
func csvHeader(line []byte) (*csvRows, error) {
	c := &csvRows{delimiter: ','}
	for _, delimiter := range []byte("\t;") {
		if bytes.Count(line, []byte{delimiter}) > bytes.Count(line, []byte{c.delimiter}) {
			c.delimiter = delimiter
		}
	}
	columns, err := c.split(line)
	if err != nil {
		return c, errors.New("its first line, which should name its columns, is no CSV")
	}
	c.columns = len(columns)
	c.shape, err = listColumns(columns)
	// Columns after the last one needed are passed over.
	for len(c.shape) > 0 && c.shape[len(c.shape)-1] == fieldNone {
		c.shape = c.shape[:len(c.shape)-1]
	}
	return c, err
}

// split returns the values of a record.
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
