package csv

import (
	"bytes"
	"encoding/csv"
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/audittest"
	"github.com/robotsaudit/robotsaudit/report/results"
)

func TestCells(t *testing.T) {
	type row struct {
		Text   string   `parquet:"text"`
		Maybe  *string  `parquet:"maybe,optional"`
		List   []string `parquet:"list,list"`
		Number int64    `parquet:"number"`
		Known  *bool    `parquet:"known,optional"`
		Time   *int64   `parquet:"time,optional,timestamp(microsecond)"`
		Line   int32    `parquet:"line,optional"`
	}
	rows := []*row{
		{},
		{"plain", new(""), []string{"a", "b; c"}, -5, new(true), new(int64(1)), 7},
		{"=1+1", new("+1"), []string{"@x", "=y"}, 0, new(false), new(int64(1e15)), 0},
		{"-1", new("\t=1"), []string{"\r"}, 0, nil, nil, 0},
		{"  =1", new("＝1"), nil, 0, nil, nil, 0},
		{"a,\"b\"\nc\x00", new("\u202etxt.exe\u200b"), []string{"é日本 \\n"}, 0, nil, nil, 0},
	}
	var b bytes.Buffer
	if err := write(&b, report.FieldsOf(reflect.TypeFor[row]()), seq(rows)); err != nil {
		t.Fatal(err)
	}
	want := "\ufeff" + strings.ReplaceAll(`text,maybe,list,number,known,time,line
,,,0,,,
plain,,a; b; c,-5,true,1970-01-01 00:00:00.000001,7
'=1+1,'+1,'@x; =y,0,false,2001-09-09 01:46:40,
'-1,\t=1,\r,0,,,
'  =1,'＝1,,0,,,
"a,""b""\nc\x00",\u202etxt.exe\u200b,é日本 \n,0,,,
`, "\n", "\r\n")
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func seq[T any](rows []*T) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// Every row of an audit is a line, with the columns of its table.
func TestFiles(t *testing.T) {
	r, err := results.Open(audittest.Audit(t, audittest.Everything, "../../testdata/warc"))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := report.LoadSchema()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Files {
		var b bytes.Buffer
		if err := f.Write(t.Context(), &b, r); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(b.Bytes(), []byte("\ufeff")))).ReadAll()
		if err != nil {
			t.Fatal(f.Name, err)
		}
		table, _ := schema.Find(strings.TrimSuffix(f.Name, ".csv"))
		var columns []string
		for _, c := range table.Columns {
			columns = append(columns, c.Name)
		}
		if diff := cmp.Diff(columns, lines[0]); diff != "" {
			t.Errorf("%s (-table +file):\n%s", f.Name, diff)
		}
		if got, want := int64(len(lines)-1), r.Audit().Tables[table.Name]; got != want {
			t.Errorf("%s has %d rows, the table %d", f.Name, got, want)
		}
	}
}
