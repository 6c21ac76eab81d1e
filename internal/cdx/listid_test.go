package cdx

import (
	"bytes"
	"strings"
	"testing"
)

// TestListIDs reads the user's own names of rows, from the column id or another, as each form of list has them.
func TestListIDs(t *testing.T) {
	type texts struct {
		URL  string `parquet:"url"`
		Date string `parquet:"date"`
		ID   string `parquet:"id"`
		Doc  string `parquet:"Doc"`
	}
	type numbers struct {
		URL  string `parquet:"url"`
		Date string `parquet:"date"`
		ID   int64  `parquet:"id"`
	}
	type uuids struct {
		URL  string   `parquet:"url"`
		Date string   `parquet:"date"`
		ID   [16]byte `parquet:"id,uuid"`
	}
	type floats struct {
		URL  string  `parquet:"url"`
		Date string  `parquet:"date"`
		ID   float64 `parquet:"id"`
	}
	const url, date = "http://h/", "2024-05-01T12:00:00Z"
	row := url + "," + date
	for name, c := range map[string]struct {
		list         []byte
		column, want string // an error, if it has a space
	}{
		"CSV":               {[]byte("url,date,id\n" + row + ",-\n"), "", "-"},
		"CSV, before":       {[]byte("ID,url,date\n7," + row + "\n"), "", "7"},
		"CSV, another":      {[]byte("url,date,id,doc\n" + row + ",7,a:b\n"), "Doc", "a:b"},
		"CSV, none":         {[]byte("url,date\n" + row + "\n"), "", ""},
		"CSV, missing":      {[]byte("url,date,id\n" + row + ",7\n"), "doc", "it has no column doc, which --id-column names; its columns are url, date, id"},
		"CSV, doubled":      {[]byte("url,date,id,Id\n" + row + ",7,8\n"), "", "its columns id and Id could both be the ids of rows; give one of them another name"},
		"CSV, of a field":   {[]byte("url,date,id\n" + row + ",7\n"), "URL", "the column URL of --id-column is read as what it is, and every list has it; leave the option out, or name another column"},
		"JSON":              {[]byte(`{"url":"http://h/","date":"2024-05-01","id":"<urn:uuid:A>"}`), "", "<urn:uuid:A>"},
		"JSON, a number":    {[]byte(`{"url":"http://h/","date":"2024-05-01","id":12}`), "", "12"},
		"JSON, an object":   {[]byte(`{"url":"http://h/","id":{"a":[1]},"date":"2024-05-01"}`), "", ""},
		"JSON, another":     {[]byte(`{"url":"http://h/","date":"2024-05-01","id":12,"doc":"x"}`), "doc", "x"},
		"Parquet":           {table(t, []texts{{url, date, "a", "b"}}), "", "a"},
		"Parquet, another":  {table(t, []texts{{url, date, "a", "b"}}), "doc", "b"},
		"Parquet, missing":  {table(t, []texts{{url, date, "a", "b"}}), "docs", "it has no column docs, which --id-column names; its columns are url, date, id, Doc"},
		"Parquet, numbers":  {table(t, []numbers{{url, date, -3}}), "", "-3"},
		"Parquet, UUIDs":    {table(t, []uuids{{url, date, [16]byte{1, 15: 2}}}), "", "01000000-0000-0000-0000-000000000002"},
		"Parquet, no names": {table(t, []floats{{url, date, 1.5}}), "", ""},
		"Parquet, asked":    {table(t, []floats{{url, date, 1.5}}), "id", "its column id has a type that is not read: DOUBLE"},
	} {
		got := ""
		rows, err := Open(URLList, bytes.NewReader(c.list), int64(len(c.list)), FormatOptions{IDColumn: c.column})
		if err == nil {
			var row Row
			if err = rows.Next(&row); err == nil {
				got = row.ListID
			}
		}
		if err != nil {
			got = err.Error()
		}
		if got != c.want || (err != nil) != strings.Contains(c.want, " ") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
