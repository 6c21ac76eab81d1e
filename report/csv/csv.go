// Package csv writes tables of an audit as CSV files for people's spreadsheets.
//
// The files are UTF-8 with a byte order mark, because Excel takes a file without one for the
// system's old encoding and garbles every other letter. Quotes and line ends follow RFC
// 4180. A text that a spreadsheet could take for a formula begins with an apostrophe;
// characters that cannot be seen are written as escapes, such as \x00 or \u202e. Programs should
// read the Parquet tables, which have texts as they are.
package csv

import (
	"context"
	"encoding/csv"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// File is a table to be written.
type File struct {
	Name    string // of the file
	IsWhole bool   // it has all rows, also of a part
	Write   func(context.Context, io.Writer, *results.Results) error
}

// Files are the tables that people make lists and sums of. The others have a row per fetch.
var Files = []File{
	fileOf(report.ViolationsTable),
	fileOf(report.UnprovenTable),
	fileOf(report.RestrictionsTable),
	fileOf(report.RobotsTable),
	fileOf(report.HostStatsTable),
	fileOf(report.AgentStatsTable),
	fileOf(report.ExclusionsTable),
	fileOf(report.IssuesTable),
}

func fileOf[R any](table report.TableOf[R]) File {
	return File{table.Name + ".csv", table.Name == report.IssuesTable.Name, func(ctx context.Context, w io.Writer, r *results.Results) error {
		columns := report.FieldsOf(reflect.TypeFor[R]())
		isCounted := table.Name == report.HostStatsTable.Name || table.Name == report.AgentStatsTable.Name
		if isCounted && !r.Part().IsZero() {
			columns = slices.DeleteFunc(columns, func(f report.Field) bool { return r.IsUncounted(f.Name) })
		}
		return write(w, columns, results.Rows(ctx, r, table))
	}}
}

const byteOrderMark = "\ufeff"

func write[R any](w io.Writer, columns []report.Field, rows func(func(*R, error) bool)) error {
	if _, err := io.WriteString(w, byteOrderMark); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	record := make([]string, len(columns))
	for i, c := range columns {
		record[i] = c.Name
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		v := reflect.ValueOf(row).Elem()
		for i := range columns {
			record[i] = cell(&columns[i], v)
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// cell writes the value of a row in a column: null and an empty text as nothing.
func cell(f *report.Field, row reflect.Value) string {
	v, known := f.Value(row)
	switch {
	case !known:
		return ""
	case f.IsTime:
		return time.UnixMicro(v.Int()).UTC().Format("2006-01-02 15:04:05.999999")
	case v.Kind() == reflect.String:
		return defused(visible(v.String()))
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case v.Kind() == reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case v.Kind() == reflect.Slice:
		list := slices.Clone(v.Interface().([]string))
		for i := range list {
			list[i] = visible(list[i])
		}
		return defused(strings.Join(list, "; "))
	default:
		return strconv.FormatInt(v.Int(), 10)
	}
}

// formulaStarts are the characters that spreadsheets take for the beginning of a formula, in the
// widths of East Asia, too.
const formulaStarts = "=+-@\t\r＝＋－＠"

// defused is a text that no spreadsheet takes for a formula.
func defused(s string) string {
	if r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " ")); s != "" && strings.ContainsRune(formulaStarts, r) {
		return "'" + s
	}
	return s
}

// visible writes what cannot be seen as escapes: control and format characters, odd spaces. A
// backslash stays one.
func visible(s string) string {
	if strings.IndexFunc(s, isHidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isHidden(r) {
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isHidden(r rune) bool {
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
