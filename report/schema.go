package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// What a column means is said in the comment of its field, where whoever changes the field
// sees it: a struct tag would be one long line that no editor wraps. A field without a comment
// means what the column of that name in fetches means. Comments of optional columns end with
// what null means: "Null: not recorded." A program does not know its comments, so go generate
// copies them into a file, and a test compares.

//go:generate go test -run ^TestGenerated -update .

//go:embed columns.json
var columnComments []byte // by row type and field

// Schema describes the result tables.
type Schema struct {
	Version string        `json:"schema_version"`
	Types   []Type        `json:"types"`
	Tables  []TableSchema `json:"tables"`
}

// TableSchema is a table with its columns.
type TableSchema struct {
	Table
	Joins   []Join   `json:"joins,omitempty"`
	Columns []Column `json:"columns"`
}

// Column describes a column. Meanings are Markdown.
type Column struct {
	Name      string  `json:"name"`
	Type      string  `json:"type"`
	Unit      string  `json:"unit,omitempty"`
	Nullable  bool    `json:"nullable"`
	Null      string  `json:"null,omitempty"` // what null means
	Meaning   string  `json:"meaning"`
	Separator string  `json:"separator,omitempty"` // between values, if a text may hold several
	Values    []Value `json:"values,omitempty"`    // nil: any

	structName string // the struct that declares the field
	valueLists []string
}

// LoadSchema returns the schema of the tables that this program writes.
func LoadSchema() (*Schema, error) {
	var comments map[string]map[string]string
	if err := json.Unmarshal(columnComments, &comments); err != nil {
		return nil, fmt.Errorf("columns.json: %w", err)
	}
	s := &Schema{Version: SchemaVersion, Types: types}
	for _, t := range tables {
		columns := columnsOf(t, comments)
		s.Tables = append(s.Tables, TableSchema{*t.about(), joinsOf(t.about().Name, columns), columns})
	}
	return s, nil
}

// Find returns a table by its name.
func (s *Schema) Find(name string) (TableSchema, bool) {
	for _, t := range s.Tables {
		if t.Name == name {
			return t, true
		}
	}
	return TableSchema{}, false
}

func columnsOf(t anyTable, comments map[string]map[string]string) (columns []Column) {
	for _, f := range FieldsOf(t.rowType()) {
		c := Column{Name: f.Name, Type: typeName(&f), Nullable: f.Optional, structName: structOf(t.rowType(), &f)}
		comment := comments[c.structName][f.StructField.Name]
		if comment == "" {
			comment = fetchComment(f.Name, comments)
		}
		var null string
		c.Meaning, null, _ = strings.Cut(comment, " Null: ")
		if c.Nullable {
			c.Null = strings.TrimSuffix(null, ".")
		}
		if lists := f.Tag.Get("values"); lists != "" {
			c.valueLists = strings.Split(lists, ",")
		}
		for _, list := range c.valueLists {
			c.Values = append(c.Values, valuesOf[list]...)
		}
		c.Unit, c.Separator = unitOf(&c), separatorOf(&c)
		columns = append(columns, c)
	}
	return columns
}

// structOf is the name of the struct that declares a field of a row type.
func structOf(row reflect.Type, f *Field) string {
	for _, i := range f.Index[:len(f.Index)-1] {
		row = row.Field(i).Type
	}
	return row.Name()
}

// fetchComment is the comment of a column of fetches.
func fetchComment(name string, comments map[string]map[string]string) string {
	row := FetchesTable.rowType()
	for _, f := range FieldsOf(row) {
		if f.Name == name {
			return comments[structOf(row, &f)][f.StructField.Name]
		}
	}
	return ""
}

var typeNames = map[reflect.Kind]string{
	reflect.String: "STRING", reflect.Bool: "BOOLEAN", reflect.Int16: "INT16", reflect.Int32: "INT32",
	reflect.Int64: "INT64", reflect.Float64: "DOUBLE",
}

// typeName is the type of a column in the words of docs/SCHEMA.md.
func typeName(f *Field) string {
	switch {
	case f.IsTime:
		return "TIMESTAMP"
	case f.Type.Kind() == reflect.Pointer:
		return typeNames[f.Type.Elem().Kind()]
	case f.Type.Kind() != reflect.Slice:
		return typeNames[f.Type.Kind()]
	case f.Type.Elem().Kind() != reflect.Struct:
		return "LIST of " + typeNames[f.Type.Elem().Kind()]
	}
	var fields []string
	for _, part := range FieldsOf(f.Type.Elem()) {
		fields = append(fields, part.Name+" "+typeName(&part))
	}
	return "LIST of STRUCT (" + strings.Join(fields, ", ") + ")"
}
