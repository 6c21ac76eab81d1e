package scenario

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
)

// usualAgent is the User-Agent of requests that name none.
const usualAgent = "TestBot/1.0"

// write writes the archives of a scenario into dir, indexes in a form, and returns their paths, in order.
func (s *scenario) write(t *testing.T, dir, form string) (paths []string) {
	t.Helper()
	zips := map[string]*zip.Writer{}
	for _, a := range s.archives {
		content := a.bytes(t, s, form)
		name, entry, inZip := strings.Cut(a.name, "/")
		path := filepath.Join(dir, name)
		if !inZip {
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
			continue
		}
		if zips[name] == nil {
			file, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			zips[name] = zip.NewWriter(file)
			paths = append(paths, path)
		}
		w, err := zips[name].CreateHeader(&zip.FileHeader{Name: "archive/" + entry, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range zips {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

func (a *archive) isARC() bool { return strings.Contains(a.name, ".arc") }

// isIndex reports whether an archive is none, but an index or a list of URLs.
func (a *archive) isIndex() bool { return strings.HasSuffix(a.name, ".cdxj") || a.isList() }

func (a *archive) isList() bool { return strings.HasSuffix(a.name, ".csv") }

// listed are the lines of a list of URLs.
func (a *archive) listed() []byte {
	var b bytes.Buffer
	b.WriteString("url,timestamp,user_agent\n")
	for _, r := range a.records {
		fmt.Fprintf(&b, "%s,%s,%s\n", r.url, r.date, r.keys["agent"])
	}
	return b.Bytes()
}

// isTable reports whether an archive is none, but a table of robots.txt.
func (a *archive) isTable() bool { return isTable(a.name) }

func isTable(path string) bool { return strings.HasSuffix(path, ".jsonl") }

// rows are the rows of a table of robots.txt. An entity tag names the record.
func (a *archive) rows(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, r := range a.records {
		headers := map[string]string{"ETag": r.id()}
		for _, line := range r.heads {
			name, value, _ := strings.Cut(line, ": ")
			headers[name] = value
		}
		row := map[string]any{"url": r.url, "time": r.date, "status": r.status, "headers": headers}
		if body, ok := r.keys["body"]; ok {
			row["body"] = body
		}
		if agent, ok := r.keys["agent"]; ok {
			row["user_agent"] = agent
		}
		if err := json.NewEncoder(&b).Encode(row); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// indexForms are the forms in which indexes are written, the usual one first.
var indexForms = []string{"cdxj", "cdx-11", "cdx-9", "cc-index"}

// indexRow is a row of an index, as Common Crawl's table has it.
type indexRow struct {
	URL      string    `parquet:"url"`
	Time     time.Time `parquet:"fetch_time,timestamp(millisecond)"`
	Status   int16     `parquet:"fetch_status"`
	Digest   *string   `parquet:"content_digest"`
	MIME     string    `parquet:"content_mime_type"`
	Filename string    `parquet:"warc_filename"`
	Offset   int32     `parquet:"warc_record_offset"`
	Length   int32     `parquet:"warc_record_length"`
}

// row is the row of a record in an index.
func (r *record) row() indexRow {
	at, _ := time.Parse(time.RFC3339, r.date)
	row := indexRow{r.url, at, -1, nil, "text/html", "pages.warc.gz", int32(1000 * r.number), 10}
	if r.verb == "revisit" {
		row.MIME = "warc/revisit"
	} else if status, err := strconv.ParseInt(r.status, 10, 16); err == nil && verbs[r.verb].status {
		row.Status = int16(status)
	}
	if digest, ok := r.keys["digest"]; ok {
		row.Digest = new(digestOf(digest))
	}
	return row
}

// index is an index of a form.
func (a *archive) index(t *testing.T, form string) []byte {
	t.Helper()
	var b bytes.Buffer
	if form == "cc-index" {
		w := parquet.NewGenericWriter[indexRow](&b)
		for _, r := range a.records {
			if _, err := w.Write([]indexRow{r.row()}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	switch form {
	case "cdx-11":
		b.WriteString(" CDX N b a m s k r M S V g\n")
	case "cdx-9":
		b.WriteString(" CDX N b a m s k r V g\n")
	}
	for _, r := range a.records {
		row := r.row()
		line := warctest.CDXJLine{
			Key: "com,example)/", Time: row.Time, URL: row.URL, MediaType: &row.MIME,
			Length: int64(row.Length), Offset: int64(row.Offset), Filename: row.Filename,
		}
		if row.Digest != nil {
			line.Digest = *row.Digest
		}
		if row.Status >= 0 {
			line.Status = fmt.Sprint(row.Status)
		}
		if form == "cdxj" {
			b.Write(line.Append(nil))
			continue
		}
		fmt.Fprintf(&b, "%s %s %s %s %s %s -", line.Key, line.Time.Format("20060102150405"), line.URL, row.MIME,
			cmp.Or(line.Status, "-"), cmp.Or(line.Digest, "-"))
		if form == "cdx-11" {
			fmt.Fprintf(&b, " - %d", line.Length)
		}
		fmt.Fprintf(&b, " %d %s\n", line.Offset, line.Filename)
	}
	return b.Bytes()
}

func (a *archive) bytes(t *testing.T, s *scenario, form string) []byte {
	t.Helper()
	switch {
	case a.isList():
		return a.listed()
	case a.isTable():
		return a.rows(t)
	case a.isIndex():
		return a.index(t, form)
	}
	var b bytes.Buffer
	gzipped := strings.HasSuffix(a.name, ".gz")
	var pieces []string
	switch {
	case a.isARC():
		pieces = append(pieces, arcVersion())
	case a.name != "crawl.log":
		pieces = append(pieces, warcRecord("warcinfo", "application/warc-fields",
			[]string{"WARC-Date: 2024-01-01T00:00:00Z"}, "software: "+cmp.Or(s.options["software"], "Wget/1.25.0")+
				"\r\n"))
	}
	for _, r := range a.records {
		switch {
		case r.verb == "log":
			pieces = append(pieces, r.logLine())
		case r.verb == "again":
			pieces = append(pieces, s.labels[r.keys["of"]].warcRecords(s)...)
		case r.verb == "damage":
			b.Write(flush(&pieces, gzipped))
			b.Write(damagedRecord(gzipped))
		case a.isARC():
			pieces = append(pieces, fmt.Sprintf("%s 192.0.2.1 %s text/html %d\n%s\n", r.url, r.date, len(r.block()),
				r.block()))
		default:
			pieces = append(pieces, r.warcRecords(s)...)
		}
	}
	b.Write(flush(&pieces, gzipped))
	return b.Bytes()
}

// digestOf is the payload digest of a text.
func digestOf(text string) string {
	sum := sha1.Sum([]byte(text))
	return base32.StdEncoding.EncodeToString(sum[:])
}

// flush joins records, each a gzip member where they are gzipped.
func flush(pieces *[]string, gzipped bool) []byte {
	var b bytes.Buffer
	for _, p := range *pieces {
		if gzipped {
			b.Write(gzipOf(p))
		} else {
			b.WriteString(p)
		}
	}
	*pieces = nil
	return b.Bytes()
}

func gzipOf(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s)) // to memory: no error
	w.Close()
	return b.Bytes()
}

// damagedRecord is a gzip member with a wrong checksum, or else a record with a wrong length.
func damagedRecord(gzipped bool) []byte {
	r := &record{
		number: 999, verb: "get", status: "200", date: "2024-04-01T00:00:00Z", url: "http://damaged.example/",
		keys: map[string]string{"request": "none"},
	}
	plain := strings.Join(r.warcRecords(nil), "")
	if !gzipped {
		return []byte(strings.Replace(plain, "Content-Length: ", "Content-Length: 9", 1))
	}
	member := gzipOf(plain)
	member[len(member)-6] ^= 1
	return member
}

func arcVersion() string {
	block := "1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n"
	return fmt.Sprintf("filedesc://a.arc 0.0.0.0 20240501000000 text/plain %d\n%s\n", len(block), block)
}

// logLine is a line of Heritrix's crawl.log.
func (r *record) logLine() string {
	begin := "-"
	if took := r.keys["took"]; took != "" {
		begin = strings.NewReplacer("-", "", "T", "", ":", "", "Z", "000").Replace(r.date) + "+" + took
	}
	return fmt.Sprintf("%s %5s          - %s L http://via.example/ unknown #001 %s - - -\n",
		strings.Replace(r.date, "Z", ".000Z", 1), r.status, r.url, begin)
}

// id returns the WARC-Record-ID of a record. Ids fall from record to record: nothing may
// take their order for that of the records.
func (r *record) id() string {
	if id := r.keys["id"]; id != "" {
		return id
	}
	return fmt.Sprintf("urn:uuid:00000000-0000-4000-8000-%012d", 1000-r.number)
}

// warcRecords returns the record and that of its request, in their order.
func (r *record) warcRecords(s *scenario) []string {
	own := r.warcRecord(s)
	if r.verb == "request" || r.verb == "warcinfo" || r.verb == "metadata" || r.verb == "resource" ||
		r.verb == "dns" || r.url == "" {
		return []string{own}
	}
	fields := []string{"WARC-Target-URI: " + r.url, "WARC-Concurrent-To: <" + r.id() + ">"}
	if asked := cmp.Or(r.keys["asked"], r.date); asked != "" {
		fields = append(fields, "WARC-Date: "+asked)
	}
	ask := warcRecord("request", "application/http; msgtype=request", fields, r.requestBlock(strings.ToUpper(r.verb)))
	switch r.keys["request"] {
	case "none":
		return []string{own}
	case "after":
		return []string{own, ask}
	}
	return []string{ask, own}
}

func (r *record) requestBlock(method string) string {
	if method != "HEAD" && method != "POST" && method != "CONNECT" {
		method = "GET"
	}
	path, host := "/", "a.example"
	if u, err := url.Parse(r.url); err == nil {
		path, host = u.RequestURI(), u.Host
	}
	asked := strings.Join(r.asked, "\r\n")
	lines := []string{method + " " + path + " HTTP/1.1"}
	if !strings.HasPrefix(asked, "Host:") {
		lines = append(lines, "Host: "+host)
	}
	switch agent, given := r.keys["agent"]; {
	case !given:
		lines = append(lines, "User-Agent: "+usualAgent)
	case agent != "-":
		lines = append(lines, "User-Agent: "+agent)
	}
	return strings.Join(append(lines, r.asked...), "\r\n") + "\r\n\r\n"
}

func (r *record) warcRecord(s *scenario) string {
	fields := []string{"WARC-Record-ID: <" + r.id() + ">"}
	if r.url != "" {
		fields = append(fields, "WARC-Target-URI: "+r.url)
	}
	if r.date != "" {
		fields = append(fields, "WARC-Date: "+r.date)
	} else if r.verb == "warcinfo" {
		fields = append(fields, "WARC-Date: 2024-01-01T00:00:00Z")
	}
	fields = append(fields, r.warc...)
	if digest, ok := r.keys["digest"]; ok {
		fields = append(fields, "WARC-Payload-Digest: sha1:"+digestOf(digest))
	}
	if label := r.keys["refers"]; label != "" {
		fields = append(fields, "WARC-Refers-To-Target-URI: "+s.labels[label].url,
			"WARC-Refers-To-Date: "+s.labels[label].date)
	}
	if label := r.keys["refers-id"]; label != "" {
		fields = append(fields, "WARC-Refers-To: <"+s.labels[label].id()+">")
	}
	if label := r.keys["of"]; label != "" {
		fields = append(fields, "WARC-Concurrent-To: <"+s.labels[label].id()+">")
	}
	const response = "application/http; msgtype=response"
	switch r.verb {
	case "warcinfo":
		var block strings.Builder
		if r.keys["agent"] != "" {
			block.WriteString("http-header-user-agent: " + r.keys["agent"] + "\r\n")
		}
		if r.keys["robots"] != "" {
			block.WriteString("robots: " + r.keys["robots"] + "\r\n")
		}
		block.WriteString(r.keys["info"])
		return warcRecord("warcinfo", "application/warc-fields", fields, block.String())
	case "request":
		return warcRecord("request", "application/http; msgtype=request", fields, r.requestBlock(r.keys["method"]))
	case "metadata":
		return warcRecord("metadata", "application/warc-fields", fields,
			"via: "+cmp.Or(r.keys["via"], "http://x.example/")+"\r\nfetchTimeMs: "+cmp.Or(r.keys["took"], "1")+"\r\n")
	case "dns":
		return warcRecord("response", "text/dns", fields, "20240501120000\na.example. 60 IN A 192.0.2.1\n")
	case "resource":
		return warcRecord("resource", "text/plain", fields, r.keys["body"])
	case "revisit":
		fields = append(fields, "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest")
		return warcRecord("revisit", response, fields, r.block())
	case "notmodified":
		fields = append(fields, "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified")
		return warcRecord("revisit", response, fields, r.block())
	}
	return warcRecord("response", response, fields, r.block())
}

// block is the HTTP message of a response.
func (r *record) block() string {
	body := r.keys["body"]
	if r.keys["http"] == "none" { // HTTP/0.9, or no HTTP at all
		return body
	}
	heads := r.heads
	switch coding := r.keys["coding"]; {
	case coding != "":
		heads = append(heads, "Content-Encoding: gzip")
		body = string(gzipOf(body))
		if coding == "gzip-cut" {
			body = body[:len(body)-4]
		}
	case r.keys["coded"] == "gzip": // and declared nowhere
		body = string(gzipOf(body))
	}
	message := strings.Join(append([]string{cmp.Or(r.keys["line"], "HTTP/1.1 "+r.status+" x")}, heads...), "\r\n") +
		"\r\n\r\n" + body
	if interim := r.keys["interim"]; interim != "" {
		return interim + "\r\n\r\n" + message
	}
	return message
}

func warcRecord(kind, mediaType string, fields []string, block string) string {
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\n%s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, strings.Join(fields, "\r\n"), mediaType, len(block), block)
}
