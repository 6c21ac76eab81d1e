package cdx

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// TestColumns reads the user's own names of rows, from the column id or those that --columns names, as each form of
// list has them.
func TestColumns(t *testing.T) {
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
	type spoilt struct {
		URL  float64 `parquet:"url"`
		Date string  `parquet:"date"`
		ID   float64 `parquet:"id"`
	}
	const url, date = "http://h/", "2024-05-01T12:00:00Z"
	row := url + "," + date
	for name, c := range map[string]struct {
		list          []byte
		columns, want string // an error, if it has a space
	}{
		"CSV":               {[]byte("url,date,id\n" + row + ",-\n"), "", "-"},
		"CSV, before":       {[]byte("ID,url,date\n7," + row + "\n"), "", "7"},
		"CSV, another":      {[]byte("url,date,id,doc\n" + row + ",7,a:b\n"), "id=Doc", "a:b"},
		"CSV, none":         {[]byte("url,date\n" + row + "\n"), "", ""},
		"CSV, missing":      {[]byte("url,date,id\n" + row + ",7\n"), "id=doc", "it has no column doc, which --columns names; its columns are url, date, id"},
		"CSV, doubled":      {[]byte("url,date,id,Id\n" + row + ",7,8\n"), "", "its columns id and Id say the same: leave one out, or choose one by --columns"},
		"CSV, of a field":   {[]byte("url,date,id\n" + row + ",7\n"), "id=url,url=uri", "it has no column uri, which --columns names; its columns are url, date, id"},
		"CSV, chosen":       {[]byte("page,seen,url,id\n" + row + ",x,7\n"), "url=page,time=seen,url=uri", "7"},
		"CSV, none chosen":  {[]byte("page,date,id\n" + row + ",7\n"), "id=id", "it has none of the columns url, uri, target_uri, metadata.url, warc_headers.warc-target-uri, meta.warc_headers.warc-target-uri; give one of these names to the column of URLs, or say which it is, as in --columns url=NAME; its columns are page, date, id"},
		"JSON":              {[]byte(`{"url":"http://h/","date":"2024-05-01","id":"<urn:uuid:A>"}`), "", "<urn:uuid:A>"},
		"JSON, a number":    {[]byte(`{"url":"http://h/","date":"2024-05-01","id":12}`), "", "12"},
		"JSON, an object":   {[]byte(`{"url":"http://h/","id":{"a":[1]},"date":"2024-05-01"}`), "", ""},
		"JSON, another":     {[]byte(`{"url":"http://h/","date":"2024-05-01","id":12,"doc":"x"}`), "id=doc", "x"},
		"JSON, nested":      {[]byte(`{"m":{"u":"http://h/","a":{"t":"2024-05-01","x":[{}]}},"id":12}`), "url=m.u,time=M.a.T,id=m.a.t,id=id", "it names the column m.a.t twice"},
		"JSON, deep":        {[]byte(`{"m":{"u":"http://h/","a":{"t":"2024-05-01","x":[{}],"i":"x"}},"id":12}`), "url=m.u,time=M.a.T,id=m.a.i", "x"},
		"Parquet":           {table(t, []texts{{url, date, "a", "b"}}), "", "a"},
		"Parquet, another":  {table(t, []texts{{url, date, "a", "b"}}), "id=doc", "b"},
		"Parquet, missing":  {table(t, []texts{{url, date, "a", "b"}}), "id=docs", "it has no column docs, which --columns names; its columns are url, date, id, Doc"},
		"Parquet, numbers":  {table(t, []numbers{{url, date, -3}}), "", "-3"},
		"Parquet, UUIDs":    {table(t, []uuids{{url, date, [16]byte{1, 15: 2}}}), "", "01000000-0000-0000-0000-000000000002"},
		"Parquet, no names": {table(t, []floats{{url, date, 1.5}}), "", "row 0: its column id has a type that is not read: DOUBLE; the rows count without it"},
		"Parquet, no URLs":  {table(t, []spoilt{{1, date, 1.5}}), "", "its column url has a type that is not read: DOUBLE"},
		"Parquet, asked":    {table(t, []floats{{url, date, 1.5}}), "id=id", "its column id has a type that is not read: DOUBLE"},
	} {
		got := ""
		rows, err := Open(URLList, bytes.NewReader(c.list), int64(len(c.list)), FormatOptions{Columns: c.columns})
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

// TestCorpora reads rows as corpora for language models have them, as lines of JSON and as Parquet.
func TestCorpora(t *testing.T) {
	const url, date, id = "http://h/", "2024-05-01T12:00:00Z", "<urn:uuid:01020304-0506-0708-090a-0b0c0d0e0f10>"
	type headers struct {
		Date string `parquet:"warc-date" json:"warc-date"`
		URI  string `parquet:"warc-target-uri" json:"warc-target-uri"`
		Of   string `parquet:"warc-refers-to" json:"warc-refers-to"`
	}
	type oscar struct {
		Content string  `parquet:"content" json:"content"`
		WARC    headers `parquet:"warc_headers" json:"warc_headers"`
		Meta    struct {
			Quality []string `parquet:"quality_warnings,list" json:"quality_warnings"`
		} `parquet:"metadata" json:"metadata"`
	}
	type oscarRow struct {
		ID   int64  `parquet:"id" json:"id"`
		Text string `parquet:"text" json:"text"`
		Meta struct {
			WARC headers `parquet:"warc_headers" json:"warc_headers"`
		} `parquet:"meta" json:"meta"`
	}
	type dclm struct {
		Text     string             `parquet:"text" json:"text"`
		Language map[string]float64 `parquet:"language_id_whole_page_fasttext" json:"language_id_whole_page_fasttext"`
		Metadata *struct {
			Length string  `parquet:"Content-Length" json:"Content-Length"`
			Date   *string `parquet:"WARC-Date,optional" json:"WARC-Date"`
			ID     string  `parquet:"WARC-Record-ID" json:"WARC-Record-ID"`
			URI    string  `parquet:"WARC-Target-URI" json:"WARC-Target-URI"`
		} `parquet:"metadata,optional" json:"metadata"`
		URL string `parquet:"url" json:"url"`
	}
	type dolma struct {
		ID       string `parquet:"id" json:"id"`
		Text     string `parquet:"text" json:"text"`
		Added    string `parquet:"added" json:"added"`
		Metadata struct {
			URL  string `parquet:"url" json:"url"`
			Date string `parquet:"date_download" json:"date_download"`
		} `parquet:"metadata" json:"metadata"`
	}
	type redPajama struct {
		URL    string `parquet:"url" json:"url"`
		Date   string `parquet:"date_download" json:"date_download"`
		Digest string `parquet:"digest" json:"digest"`
	}
	type culturaX struct {
		Text   string `parquet:"text" json:"text"`
		Time   string `parquet:"timestamp" json:"timestamp"`
		URL    string `parquet:"url" json:"url"`
		Source string `parquet:"source" json:"source"`
	}
	warc := headers{date, url, id}
	var row oscarRow
	row.Meta.WARC = warc
	var fromDCLM dclm
	text := `{"url":"` + url + `","metadata":{"WARC-Date":"` + date + `","WARC-Record-ID":"` + id + `"}}`
	if err := json.Unmarshal([]byte(text), &fromDCLM); err != nil {
		t.Fatal(err)
	}
	var fromDolma dolma
	fromDolma.Metadata.URL, fromDolma.Metadata.Date = url, date
	line := func(row any) []byte {
		b, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, rows := range map[string][2][]byte{
		"OSCAR":          {line(oscar{WARC: warc}), table(t, []oscar{{WARC: warc}})},
		"OSCAR, as rows": {line(row), table(t, []oscarRow{row})},
		"DCLM":           {line(fromDCLM), table(t, []dclm{fromDCLM})},
		"Dolma":          {line(fromDolma), table(t, []dolma{fromDolma})},
		"RedPajama":      {line(redPajama{URL: url, Date: date}), table(t, []redPajama{{URL: url, Date: date}})},
		"CulturaX":       {line(culturaX{URL: url, Time: date}), table(t, []culturaX{{URL: url, Time: date}})},
	} {
		for i, b := range rows {
			if i == 0 && Sniff(b, "") != URLList {
				t.Errorf("%s: JSON lines are not known for a list", name)
			}
			var row Row
			rows, err := Open(URLList, bytes.NewReader(b), int64(len(b)), FormatOptions{})
			if err == nil {
				err = rows.Next(&row)
			}
			if err != nil || row.URL != url || row.Time != date {
				t.Errorf("%s, %d: %v, %q at %q", name, i, err, row.URL, row.Time)
			}
			if (name == "DCLM" || strings.HasPrefix(name, "OSCAR")) && row.RecordID != recordid.Parse(strings.Trim(id, "<>")) {
				t.Errorf("%s, %d: record %q", name, i, row.RecordID)
			}
		}
	}

	// A group that is null has no members.
	null := table(t, []dclm{{URL: url}, fromDCLM})
	rows, err := Open(URLList, bytes.NewReader(null), int64(len(null)), FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got Row
	if err := rows.Next(&got); err == nil || !strings.Contains(err.Error(), "it has no time") {
		t.Errorf("without metadata: %v", err)
	}
	if err := rows.Next(&got); err != nil || got.Time != date {
		t.Errorf("after a row without metadata: %v, %q", err, got.Time)
	}
}
