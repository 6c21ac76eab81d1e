package export

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/robotsaudit/robotsaudit/internal/ascii"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// Format is how a list is written.
type Format string

// The formats. Parquet and JSON lines are for programs: they have all columns, and a text is as in the tables. CSV is
// for spreadsheets, with the columns that people read. In a text each line is the key of a row.
const (
	Parquet Format = "parquet"
	CSV     Format = "csv"
	JSONL   Format = "jsonl"
	Text    Format = "txt"
)

// Formats lists the formats.
var Formats = []Format{Parquet, CSV, JSONL, Text}

// rowWriter writes rows.
type rowWriter[T any] interface {
	Write(row *T) error
	Close() error // after the last row
}

// keys are the columns that may be what a list has a row for; the first is.
var keys = []string{"url", "domain", "origin", "surt_host_name"}

// read are the other columns that people read: with the key, no list has more than twelve.
var read = []string{
	"id", "fetches", "dropped", "kept", "fetch_time", "warc_filename", "warc_record_offset", "list", "verdict", "reason",
	"kind", "detail", "certainty", "grounds", "agent", "purpose", "rule", "statement", "statements", "robots_time",
	"reason_url", "offset", "action",
}

// readable are the columns that people read.
func readable(columns []report.Field) (list []report.Field) {
	has := func(name string) bool {
		return slices.ContainsFunc(columns, func(f report.Field) bool { return f.Name == name })
	}
	key := slices.IndexFunc(keys, has)
	for _, f := range columns {
		if slices.Contains(read, f.Name) || key >= 0 && f.Name == keys[key] {
			list = append(list, f)
		}
	}
	return list
}

// newRowWriter starts a list; dir is for temporary files.
func newRowWriter[T any](w io.Writer, format Format, dir string) rowWriter[T] {
	columns := report.FieldsOf(reflect.TypeFor[T]())
	switch format {
	case Parquet:
		return report.NewRowWriter[T](w, dir, "export")
	case CSV:
		return newCSVWriter[T](w, readable(columns))
	}
	return &jsonWriter[T]{out: w, columns: columns}
}

// writeRows writes a row for each entry.
func writeRows[T any](ctx context.Context, l *list, w io.Writer, format Format, rowOf func(*entry) T) error {
	out := newRowWriter[T](w, format, l.dir)
	err := l.each(ctx, func(e *entry) error {
		row := rowOf(e)
		return out.Write(&row)
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// writeKeys writes the key of each entry, a line each.
func (l *list) writeKeys(ctx context.Context, w io.Writer) error {
	return l.each(ctx, func(e *entry) error {
		key := e.key(l.options.By)
		if key == "" && l.options.By == ByRecord {
			return fmt.Errorf("the record at %s:%d has no WARC-Record-ID, by which a text names it; take --format "+
				"csv, or --by url", e.Filename, e.Offset)
		}
		return writeLine(w, key)
	})
}

func writeLine(w io.Writer, key string) error {
	_, err := io.WriteString(w, oneLine(key)+"\n")
	return err
}

// valueOf returns the value of a row in a column: a string, an int64, a bool, a list of texts or of grounds, or nil.
func valueOf(f *report.Field, row reflect.Value) any {
	v, known := f.Value(row)
	switch {
	case !known:
		return nil
	case f.IsTime:
		return time.UnixMicro(v.Int()).UTC().Format("2006-01-02T15:04:05.999999Z")
	case v.CanInt():
		return v.Int()
	default:
		return v.Interface()
	}
}

// csvWriter writes rows as RFC 4180 has it, but for line ends: null is an empty cell. No text is a formula, or changes
// how others are seen.
type csvWriter[T any] struct {
	*csv.Writer
	columns []report.Field
	cells   []string
}

func newCSVWriter[T any](w io.Writer, columns []report.Field) *csvWriter[T] {
	c := &csvWriter[T]{csv.NewWriter(w), columns, make([]string, len(columns))}
	for i := range columns {
		c.cells[i] = columns[i].Name
	}
	c.Writer.Write(c.cells) // Close returns its error
	return c
}

func (c *csvWriter[T]) Write(row *T) error {
	v := reflect.ValueOf(row).Elem()
	for i := range c.columns {
		switch value := valueOf(&c.columns[i], v).(type) {
		case nil:
			c.cells[i] = ""
		case []string:
			c.cells[i] = prose.Cell(strings.Join(value, "; "))
		case []report.Ground:
			c.cells[i] = ""
			for _, g := range value {
				c.cells[i] = strings.TrimPrefix(c.cells[i]+"; "+g.Word, "; ")
			}
		case string:
			c.cells[i] = prose.Cell(value)
		default:
			c.cells[i] = fmt.Sprint(value)
		}
	}
	return c.Writer.Write(c.cells)
}

func (c *csvWriter[T]) Close() error {
	c.Flush()
	return c.Error()
}

// jsonWriter writes each row as a JSON object on a line. Bidirectional controls are escaped.
type jsonWriter[T any] struct {
	out     io.Writer
	columns []report.Field
	line    bytes.Buffer // reused
}

func (j *jsonWriter[T]) Write(row *T) error {
	v := reflect.ValueOf(row).Elem()
	j.line.Reset()
	encoder := json.NewEncoder(&j.line)
	encoder.SetEscapeHTML(false)
	before := byte('{')
	for i := range j.columns {
		j.line.WriteByte(before)
		j.line.WriteString(strconv.Quote(j.columns[i].Name) + ":")
		if err := encoder.Encode(valueOf(&j.columns[i], v)); err != nil {
			return err
		}
		j.line.Truncate(j.line.Len() - 1) // the line end
		before = ','
	}
	j.line.WriteString("}\n")
	_, err := io.WriteString(j.out, escapeBidi(j.line.String(), func(c string) string {
		r, _ := utf8.DecodeRuneInString(c)
		return fmt.Sprintf(`\u%04x`, r)
	}))
	return err
}

func (*jsonWriter[T]) Close() error { return nil }

// oneLine percent-encodes control characters, with which a URL could pass for two lines, or for another one.
func oneLine(s string) string {
	return ascii.Escaped(escapeBidi(s, url.PathEscape), func(c byte) bool { return c < ' ' || c == 0x7f })
}

// escapeBidi replaces the characters that change in which order others are seen.
func escapeBidi(s string, escape func(c string) string) string {
	isBidi := func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }
	for i := strings.IndexFunc(s, isBidi); i >= 0; i = strings.IndexFunc(s, isBidi) {
		_, n := utf8.DecodeRuneInString(s[i:])
		s = strings.ReplaceAll(s, s[i:i+n], escape(s[i:i+n]))
	}
	return s
}
