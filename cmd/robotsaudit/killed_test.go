//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/parquet-go/parquet-go"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
)

// killedInputs are archives and indexes, in three tasks: an index and an archive of robots.txt; a
// large archive; an index and an archive.
func killedInputs(t *testing.T) map[string][]byte {
	t.Helper()
	archive := readFile(t, "../../testdata/warc/crawl-b-2.warc")
	const size = 128 << 20 // of a task
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
	large := bytes.NewBuffer(make([]byte, 0, size+4096))
	fmt.Fprintf(large, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2025-03-03T09:00:00Z\r\nWARC-Record-ID: "+
		"<urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"+
		"WARC-Target-URI: http://example.com/large\r\nContent-Type: application/http; "+
		"msgtype=response\r\nContent-Length: %d\r\n\r\n%s", len(head)+size, head)
	large.Write(bytes.Repeat([]byte("x"), size))
	large.WriteString("\r\n\r\n")
	type row struct {
		URL    string    `parquet:"url"`
		Time   time.Time `parquet:"fetch_time,timestamp(millisecond)"`
		Status int16     `parquet:"fetch_status"`
	}
	var table bytes.Buffer
	w := parquet.NewGenericWriter[row](&table)
	_, err := w.Write([]row{{"http://h/table", time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC), 200}})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"1-index.cdxj":      []byte(`h)/p0 20240501120000 {"url": "http://h/p0", "status": "200", "filename": "b.warc.gz", "offset": "1", "length": "2"}` + "\n"),
		"2-robots.warc.gz":  robotsOfPages("T11:00:00Z"),
		"3-large.warc":      large.Bytes(),
		"part-4.gz.parquet": table.Bytes(),
		"part-5.warc":       append(warctest.Plain(warctest.Warcinfo("urn:info", "software: x\r\n")), archive...),
	}
}

// holding has a server hold back the rest of an object, once some of it was sent.
type holding struct {
	object  string
	held    atomic.Bool
	reached chan bool
}

type heldWriter struct {
	http.ResponseWriter
	r       *http.Request
	left    int
	reached chan bool
}

func (w *heldWriter) Write(p []byte) (int, error) {
	if len(p) < w.left {
		w.left -= len(p)
		return w.ResponseWriter.Write(p)
	}
	w.ResponseWriter.Write(p[:w.left])
	close(w.reached)
	<-w.r.Context().Done()
	panic(http.ErrAbortHandler)
}

// serve holds back an object when it is first read.
func (h *holding) serve(of http.Handler, size int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if objectOf(r) == h.object && r.Method == http.MethodGet && r.Header.Get("Range") != "bytes=0-0" &&
			!h.held.Swap(true) {
			w = &heldWriter{w, r, size, h.reached}
		}
		of.ServeHTTP(w, r)
	})
}

// TestKilled kills an audit while it reads archives and indexes of a store, or of a web server. The
// same command then reads again what the task in hand has, and nothing of tasks that were done. Its
// results equal the results of an audit that nobody killed.
func TestKilled(t *testing.T) {
	held := newStore(t)
	files := killedInputs(t)
	var names []string
	for name, content := range files {
		if _, err := held.PutObject("bucket", "in/"+name, nil, bytes.NewReader(content), int64(len(content)),
			nil); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	clean := filepath.Join(t.TempDir(), "clean")
	command(t, 0, "audit", "--quiet", "-o", clean, "s3://bucket/in/")
	want := outputsOf(t, clean)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		object string // that is read when the program is killed
		web    bool
		again  string // what is asked then
	}{
		{
			"archive in a store", "3-large.warc", false,
			" map[list:1]\n3-large.warc map[get:1]\npart-4.gz.parquet map[get:2]\npart-5.warc map[get:1]\n",
		},
		{
			"index in a store", "part-4.gz.parquet", false,
			" map[list:1]\npart-4.gz.parquet map[get:2]\npart-5.warc map[get:1]\n",
		},
		{"archive of a web server", "3-large.warc", true, "1-index.cdxj map[first:1]\n2-robots.warc.gz map[first:1]\n" +
			"3-large.warc map[first:2 get:1]\npart-4.gz.parquet map[first:2 get:2]\npart-5.warc map[first:2 get:1]\n"},
		{
			"index of a web server", "part-4.gz.parquet", true,
			"1-index.cdxj map[first:1]\n2-robots.warc.gz map[first:1]\n" +
				"3-large.warc map[first:1]\npart-4.gz.parquet map[first:2 get:2]\npart-5.warc map[first:2 get:1]\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := &holding{object: test.object, reached: make(chan bool)}
			var handler http.Handler = gofakes3.New(held).Server()
			if test.web {
				handler = &fileServer{files: files, asked: make(map[string]int), ranges: true}
			}
			server := countRequests(t, h.serve(handler, len(files[test.object])/2))
			out := filepath.Join(t.TempDir(), "out")
			args := []string{"audit", "--workers", "1", "--quiet", "-o", out}
			if test.web {
				for _, name := range names {
					args = append(args, server.URL+"/"+name)
				}
			} else {
				t.Setenv("AWS_ENDPOINT_URL", server.URL)
				args = append(args, "s3://bucket/in/")
			}
			cmd := exec.Command(program)
			cmd.Args = append([]string{"robotsaudit"}, args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case <-h.reached:
			case err := <-ended:
				t.Fatalf("it ended before it was killed: %v", err)
			}
			cmd.Process.Kill()
			<-ended
			server.forget()
			command(t, 0, args...)
			if got := server.forget(); got != test.again {
				t.Errorf("asked again for\n%s\nwant\n%s", got, test.again)
			}
			sameResults(t, outputsOf(t, out), want)
		})
	}
}
