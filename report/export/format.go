package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/robotsaudit/robotsaudit/report"
)

// Format is how a list is written.
type Format string

// The formats. They are for programs: a text stands as it is in the tables. In a text each line is
// the key of a row.
const (
	Parquet Format = "parquet"
	CSV     Format = "csv"
	JSONL   Format = "jsonl"
	Text    Format = "txt"
	Dolma   Format = "dolma" // attributes of documents, see WriteAttributes
)

// Formats lists the formats.
var Formats = []Format{Parquet, CSV, JSONL, Text, Dolma}

// output is where a list goes.
type output struct {
	w      io.Writer
	dir    string // for temporary files
	format Format
}

// writer writes rows.
type writer[T any] struct {
	write func(row *T) error
	close func() error // after the last row
}

func newWriter[T keyed](o output) (writer[T], error) {
	switch o.format {
	case Parquet:
		w := report.NewRowWriter[T](o.w, o.dir, "export")
		return writer[T]{func(row *T) error { return w.Write(*row) }, w.Close}, nil
	case CSV:
		return newCSVWriter[T](o.w)
	case JSONL:
		return writer[T]{jsonTo[T](o.w), func() error { return nil }}, nil
	default:
		return writer[T]{textTo[T](o.w), func() error { return nil }}, nil
	}
}

// columnsOf lists the columns of a row type.
func columnsOf[T any]() []report.Field { return report.FieldsOf(reflect.TypeFor[T]()) }

// valueOf returns the value of a row in a column: a string, an int64 or nil.
func valueOf(f *report.Field, row reflect.Value) any {
	v, known := f.Value(row)
	switch {
	case !known:
		return nil
	case f.IsTime:
		return time.UnixMicro(v.Int()).UTC().Format("2006-01-02T15:04:05.999999Z")
	case v.Kind() == reflect.String:
		return v.String()
	default:
		return v.Int()
	}
}

// newCSVWriter writes rows as RFC 4180 has it, but for line ends: null is an empty cell.
func newCSVWriter[T any](w io.Writer) (writer[T], error) {
	out, columns := csv.NewWriter(w), columnsOf[T]()
	cells := make([]string, len(columns))
	for i := range columns {
		cells[i] = columns[i].Name
	}
	write := func(row *T) error {
		v := reflect.ValueOf(row).Elem()
		for i := range columns {
			switch value := valueOf(&columns[i], v).(type) {
			case string:
				cells[i] = value
			case int64:
				cells[i] = strconv.FormatInt(value, 10)
			default:
				cells[i] = ""
			}
		}
		return out.Write(cells)
	}
	end := func() error {
		out.Flush()
		return out.Error()
	}
	return writer[T]{write, end}, out.Write(cells)
}

// jsonTo writes each row as a JSON object on a line.
func jsonTo[T any](out io.Writer) func(*T) error {
	columns := columnsOf[T]()
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	return func(row *T) error {
		v := reflect.ValueOf(row).Elem()
		line.Reset()
		before := byte('{')
		for i := range columns {
			line.WriteByte(before)
			line.WriteString(strconv.Quote(columns[i].Name) + ":")
			if err := encoder.Encode(valueOf(&columns[i], v)); err != nil {
				return err
			}
			line.Truncate(line.Len() - 1) // the line end
			before = ','
		}
		line.WriteString("}\n")
		_, err := out.Write(line.Bytes())
		return err
	}
}

// textTo writes the keys of rows, a line each.
func textTo[T keyed](out io.Writer) func(*T) error {
	return func(row *T) error {
		key, err := (*row).key()
		if err == nil {
			_, err = io.WriteString(out, oneLine(key)+"\n")
		}
		return err
	}
}

// oneLine percent-encodes control characters, with which a URL could pass for two lines.
func oneLine(s string) string {
	isControl := func(r rune) bool { return r < ' ' || r == 0x7f }
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isControl(r) {
			b.WriteString("%" + strings.ToUpper(strconv.FormatInt(0x100+int64(r), 16)[1:]))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
