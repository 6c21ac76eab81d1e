package report

import (
	"slices"
	"strings"
)

// What the schema says of columns by their names and types alone, so that a new table has it
// for nothing.

// Type is a type of columns.
type Type struct {
	Name    string `json:"name"`
	Parquet string `json:"parquet"`
	DuckDB  string `json:"duckdb"`
}

var types = []Type{
	{"STRING", "BYTE_ARRAY, String", "VARCHAR"},
	{"BOOLEAN", "BOOLEAN", "BOOLEAN"},
	{"LIST of STRING", "group, List; never null, maybe empty", "VARCHAR[]"},
	{
		"LIST of STRUCT (word STRING, robots_id INT64)", "group, List; never null, maybe empty",
		"STRUCT(word VARCHAR, robots_id BIGINT)[]",
	},
	{"INT16", "INT32, Int(16)", "SMALLINT"},
	{"INT32", "INT32", "INTEGER"},
	{"INT64", "INT64", "BIGINT"},
	{"DOUBLE", "DOUBLE", "DOUBLE"},
	{"TIMESTAMP", "INT64, Timestamp in microseconds, adjusted to UTC", "TIMESTAMP WITH TIME ZONE"},
}

// units are the units of numbers, by the last part of the name.
var units = []struct{ suffix, unit string }{
	{"_ms", "millisecond"},
	{"_seconds", "second"},
	{"offset", "byte"},
	{"length", "byte"},
	{"_size", "byte"},
	{"_bytes", "byte"},
}

// unitOf is the unit of a column; "" where it counts, or is no number.
func unitOf(c *Column) string {
	if c.Type != "INT32" && c.Type != "INT64" && c.Type != "DOUBLE" {
		return ""
	}
	for _, u := range units {
		if strings.HasSuffix(c.Name, u.suffix) {
			return u.unit
		}
	}
	return ""
}

// severalOf lists the kinds of values that a text may hold several of, joined by commas.
var severalOf = []string{"tag_note", "tag_contradiction", "hint"}

// separatorOf is the separator of several values in a text; "" where it holds one.
func separatorOf(c *Column) string {
	if c.Type == "STRING" &&
		slices.ContainsFunc(c.valueLists, func(list string) bool { return slices.Contains(severalOf, list) }) {
		return ","
	}
	return ""
}

// Join says which columns of a table lead to a row of another. A null leads to none.
type Join struct {
	Columns []string `json:"columns"`
	Table   string   `json:"table"`
	To      []string `json:"to"` // columns there
	But     string   `json:"but,omitempty"`

	having string // another column that the table must have
}

// joins are the joins of every table that has the columns.
var joins = []Join{
	{
		Columns: recordKey, Table: "fetches", To: recordKey,
		But: "Records in one compressed member share a place: compare `url`, too. Lines of logs are no fetches.",
	},
	{
		Columns: []string{"robots_id"}, Table: "robots", To: []string{"robots_id"},
		But: "0 stands for all fetches without a governing capture.",
	},
	{Columns: []string{"contested_robots_id"}, Table: "robots", To: []string{"robots_id"}},
	{
		Columns: []string{"robots_id", "group"}, Table: "robots_agents", To: []string{"robots_id", "group"},
		But: "One row for each token that the group governs.",
	},
	{
		Columns: []string{"origin"}, Table: "host_stats", To: []string{"origin"},
		But: "Origins that logs alone report have no fetches.",
	},
	{
		Columns: []string{"agent"}, having: "agent_source", Table: "agent_stats", To: []string{"agent"},
		But: "Letter case may differ, and rare tokens may share the row `(others)`.",
	},
}

// joinsOf lists the joins of a table.
func joinsOf(table string, columns []Column) (list []Join) {
	lacks := func(name string) bool {
		return !slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name })
	}
	for _, j := range joins {
		if j.Table != table && !slices.ContainsFunc(j.Columns, lacks) && (j.having == "" || !lacks(j.having)) {
			list = append(list, j)
		}
	}
	return list
}
