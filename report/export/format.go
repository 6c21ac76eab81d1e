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
type writer[T any] interface {
	write(row *T) error
	close() error // after the last row
}

func newWriter[T keyed](o output) (writer[T], error) {
	switch o.format {
	case Parquet:
		return &parquetWriter[T]{out: report.NewRowWriter[T](o.w, o.dir, "export")}, nil
	case CSV:
		w := &csvWriter[T]{out: csv.NewWriter(o.w), columns: columnsOf[T]()}
		return w, w.header()
	case JSONL:
		return newJSONWriter[T](o.w), nil
	default:
		return &textWriter[T]{out: o.w}, nil
	}
}

// parquetWriter writes rows as Parquet.
type parquetWriter[T any] struct{ out *report.RowWriter[T] }

func (w *parquetWriter[T]) write(row *T) error { return w.out.Write(*row) }
func (w *parquetWriter[T]) close() error       { return w.out.Close() }

// columnsOf lists the columns of a row type.
func columnsOf[T any]() []report.Field { return report.FieldsOf(reflect.TypeFor[T]()) }

// valueOf returns what a row has in a column: a string, an int64 or nil.
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

// csvWriter writes rows as RFC 4180 has it, but for line ends: null is an empty cell.
type csvWriter[T any] struct {
	out     *csv.Writer
	columns []report.Field
	cells   []string
}

func (w *csvWriter[T]) header() error {
	for _, c := range w.columns {
		w.cells = append(w.cells, c.Name)
	}
	return w.out.Write(w.cells)
}

func (w *csvWriter[T]) write(row *T) error {
	v := reflect.ValueOf(row).Elem()
	for i := range w.columns {
		switch value := valueOf(&w.columns[i], v).(type) {
		case string:
			w.cells[i] = value
		case int64:
			w.cells[i] = strconv.FormatInt(value, 10)
		default:
			w.cells[i] = ""
		}
	}
	return w.out.Write(w.cells)
}

func (w *csvWriter[T]) close() error {
	w.out.Flush()
	return w.out.Error()
}

// jsonWriter writes each row as a JSON object on a line.
type jsonWriter[T any] struct {
	out     io.Writer
	columns []report.Field
	line    bytes.Buffer
	encoder *json.Encoder // to line
}

func newJSONWriter[T any](out io.Writer) *jsonWriter[T] {
	w := &jsonWriter[T]{out: out, columns: columnsOf[T]()}
	w.encoder = json.NewEncoder(&w.line)
	w.encoder.SetEscapeHTML(false)
	return w
}

func (w *jsonWriter[T]) write(row *T) error {
	v := reflect.ValueOf(row).Elem()
	w.line.Reset()
	before := byte('{')
	for i := range w.columns {
		w.line.WriteByte(before)
		w.line.WriteString(strconv.Quote(w.columns[i].Name) + ":")
		if err := w.encoder.Encode(valueOf(&w.columns[i], v)); err != nil {
			return err
		}
		w.line.Truncate(w.line.Len() - 1) // the line end
		before = ','
	}
	w.line.WriteString("}\n")
	_, err := w.out.Write(w.line.Bytes())
	return err
}

func (w *jsonWriter[T]) close() error { return nil }

// textWriter writes the keys of rows, a line each.
type textWriter[T keyed] struct{ out io.Writer }

func (w *textWriter[T]) write(row *T) error {
	key, err := (*row).key()
	if err == nil {
		_, err = io.WriteString(w.out, oneLine(key)+"\n")
	}
	return err
}

func (w *textWriter[T]) close() error { return nil }

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
