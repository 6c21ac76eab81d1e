//go:build !wasip1

package object_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/object"
)

// content is the object on the servers of these tests.
var content = func() []byte {
	b := make([]byte, 100<<10)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(b)
	return b
}()

// serve serves content as a good server does.
func serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", `"v1"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// open opens the object of a server.
func open(t *testing.T, url string) (object.Object, string, object.Info, error) {
	t.Helper()
	path, err := object.Clean(url)
	if err != nil {
		t.Fatal(err)
	}
	info, err := object.Stat(t.Context(), path)
	if err != nil {
		return nil, path, info, err
	}
	o, err := object.Open(t.Context(), path, info)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o, path, info, nil
}

// readWhole reads the object of a server in order.
func readWhole(t *testing.T, url string) ([]byte, error) {
	o, path, info, err := open(t, url)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(o)
	o.Close()
	if err == nil {
		err = object.Unchanged(t.Context(), path, info)
	}
	return b, err
}

// isFirst reports whether a request is Stat's.
func isFirst(r *http.Request) bool { return r.Header.Get("Range") == "bytes=0-0" }

// hangUp breaks a connection as a crash does.
func hangUp(w http.ResponseWriter) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
}

// rangeStart is the first offset of the requested range.
func rangeStart(r *http.Request) int {
	first, _, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Range"), "bytes="), "-")
	from, _ := strconv.Atoi(first)
	return from
}

// some sends n bytes of the requested range, under a header that promises all.
func some(w http.ResponseWriter, r *http.Request, n int) {
	from := rangeStart(r)
	w.Header().Set("ETag", `"v1"`)
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
	w.Header().Set("Content-Length", fmt.Sprint(len(content)-from))
	w.WriteHeader(http.StatusPartialContent)
	w.Write(content[from:min(len(content), from+n)])
	http.NewResponseController(w).Flush()
}

// TestServers reads from servers that fail, lie or stall: the result is the object's content, or
// an error that states what to do.
func TestServers(t *testing.T) {
	tests := []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request, n int) // n: requests before it, but for Stat's
		fault  string                                              // "": the content comes
	}{
		{"good", nil, ""},
		{"fails at times", func(w http.ResponseWriter, r *http.Request, n int) {
			if n%3 != 2 {
				w.WriteHeader([]int{500, 503, 429}[n%3])
				return
			}
			serve(w, r)
		}, ""},
		{"breaks off", func(w http.ResponseWriter, r *http.Request, n int) {
			some(w, r, 20<<10)
			hangUp(w)
		}, ""},
		{"sends less than it promises at times", func(w http.ResponseWriter, r *http.Request, n int) {
			some(w, r, 30<<10)
		}, ""},
		{"ignores ranges", func(w http.ResponseWriter, r *http.Request, n int) {
			r.Header.Del("Range")
			serve(w, r)
		}, ""},
		{"ignores ranges and breaks off", func(w http.ResponseWriter, r *http.Request, n int) {
			r.Header.Del("Range")
			if n > 2 {
				serve(w, r)
				return
			}
			w.Header().Set("ETag", `"v1"`)
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			w.Write(content[:30<<10])
			http.NewResponseController(w).Flush()
			hangUp(w)
		}, ""},
		{
			"always fails", func(w http.ResponseWriter, r *http.Request, n int) { w.WriteHeader(500) },
			"given up after 8 attempts: the server fails (500); try again later",
		},
		{"promises more than there is", func(w http.ResponseWriter, r *http.Request, n int) {
			some(w, r, 0)
		}, "the server ends before all is there"},
		{"drips", func(w http.ResponseWriter, r *http.Request, n int) {
			object.Stall(50 * time.Millisecond)
			some(w, r, 0)
			from := rangeStart(r)
			for at := from; r.Context().Err() == nil; at++ {
				time.Sleep(5 * time.Millisecond)
				w.Write(content[at : at+1])
				http.NewResponseController(w).Flush()
			}
		}, "the server sends next to nothing"},
		{"changes", func(w http.ResponseWriter, r *http.Request, n int) {
			w.Header().Set("ETag", `"v2"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		}, "changed while it was read"},
		{"changes and ignores conditions", func(w http.ResponseWriter, r *http.Request, n int) {
			r.Header.Del("If-Match")
			if n == 0 {
				some(w, r, 30<<10)
				hangUp(w)
				return
			}
			w.Header().Set("ETag", `"v2"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		}, "changed while it was read"},
		{"shrinks", func(w http.ResponseWriter, r *http.Request, n int) {
			w.Header().Set("ETag", `"v1"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content[:50]))
		}, "changed while it was read"},
		{"forgets the version", func(w http.ResponseWriter, r *http.Request, n int) {
			r.Header.Del("If-Match")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		}, "no longer tells the version"},
		{"sends another range", func(w http.ResponseWriter, r *http.Request, n int) {
			r.Header.Set("Range", "bytes=10-")
			serve(w, r)
		}, "another range"},
		{
			"goes away", func(w http.ResponseWriter, r *http.Request, n int) { http.NotFound(w, r) },
			"there is no such object (404)",
		},
		{"redirects on and on", func(w http.ResponseWriter, r *http.Request, n int) {
			http.Redirect(w, r, fmt.Sprint("/", n), http.StatusFound)
		}, "redirects more than 5 times"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			object.Hurry(t)
			object.Small()
			var n atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if test.answer == nil || isFirst(r) {
					serve(w, r)
					return
				}
				test.answer(w, r, int(n.Add(1)-1))
			}))
			defer server.Close()
			b, err := readWhole(t, server.URL+"/a.warc.gz")
			switch {
			case test.fault == "" && (err != nil || !bytes.Equal(b, content)):
				t.Errorf("%d bytes, error %v", len(b), err)
			case test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)):
				t.Errorf("error %v, want %q", err, test.fault)
			case !bytes.HasPrefix(content, b):
				t.Errorf("what was read before the error is not the content")
			}
		})
	}
}

// TestStatOfServers calls Stat on servers that report little.
func TestStatOfServers(t *testing.T) {
	object.Hurry(t)
	modified := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   object.Info
		fault  string
	}{
		{"no tag", func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", modified, bytes.NewReader(content))
		}, object.Info{Size: int64(len(content)), MTime: modified.UnixNano()}, ""},
		{"empty", func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", modified, bytes.NewReader(nil))
		}, object.Info{MTime: modified.UnixNano()}, ""},
		{"no length", func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).Flush()
			w.Write(content)
		}, object.Info{}, "does not tell its size"},
		{
			"denied", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(403) },
			object.Info{},
			"access is denied (403)",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.answer)
			defer server.Close()
			_, _, info, err := open(t, server.URL)
			if test.fault == "" && (err != nil || info != test.want) || test.fault != "" &&
				(err == nil || !strings.Contains(err.Error(), test.fault)) {
				t.Errorf("%+v, error %v", info, err)
			}
		})
	}
}

// TestTLS refuses to go from https to http.
func TestTLS(t *testing.T) {
	object.Hurry(t)
	plain := httptest.NewServer(http.HandlerFunc(serve))
	defer plain.Close()
	server := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	defer server.Close()
	object.Trust(t, server.Certificate())
	if _, _, _, err := open(t, server.URL); err == nil || !strings.Contains(err.Error(), "from https to http") {
		t.Errorf("error %v", err)
	}
}

// TestReadAt reads at random, in a row, and in turn with Read. Requests are few: near bytes are
// read once, and blocks in a row in one request.
func TestReadAt(t *testing.T) {
	object.Hurry(t)
	object.Small()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		serve(w, r)
	}))
	defer server.Close()
	o, _, _, err := open(t, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(struct {
		io.Reader
		io.ReaderAt
	}{o, o}, content); err != nil {
		t.Error(err)
	}
	before := requests.Load()
	b := make([]byte, len(content))
	if n, err := o.ReadAt(b, 0); n != len(b) || err != nil || !bytes.Equal(b, content) {
		t.Errorf("%d bytes, error %v", n, err)
	}
	if n := requests.Load() - before; n > 6 {
		t.Errorf("%d requests for what is in a row", n)
	}
	before = requests.Load()
	for range 1000 {
		at := rand.IntN(4 << 10)
		if _, err := o.ReadAt(b[:100], int64(at)); err != nil || !bytes.Equal(b[:100], content[at:at+100]) {
			t.Fatalf("at %d: error %v", at, err)
		}
	}
	if n := requests.Load() - before; n > 2 {
		t.Errorf("%d requests for what is near", n)
	}
}

// TestSkip leaves out blocks of a stream: few are read and thrown away in the same request, for more
// there is a new one.
func TestSkip(t *testing.T) {
	object.Hurry(t)
	object.Small()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		serve(w, r)
	}))
	defer server.Close()
	o, _, _, err := open(t, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 4<<10)
	for i := range 6 { // blocks in a row, which become a stream
		if _, err := o.ReadAt(b, int64(i)<<12); err != nil {
			t.Fatal(err)
		}
	}
	for _, block := range []int64{8, 9, 20} {
		before := requests.Load()
		if _, err := o.ReadAt(b, block<<12); err != nil || !bytes.Equal(b, content[block<<12:][:4<<10]) {
			t.Errorf("block %d: other bytes, error %v", block, err)
		}
		if n, want := requests.Load()-before, block/20; n != want {
			t.Errorf("block %d: %d requests", block, n)
		}
	}
}

// TestReadBetweenBlocks reads in order between blocks in a row, which become a stream: both read their own place.
func TestReadBetweenBlocks(t *testing.T) {
	object.Hurry(t)
	object.Small()
	server := httptest.NewServer(http.HandlerFunc(serve))
	defer server.Close()
	o, _, _, err := open(t, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	b, ahead, read := make([]byte, 4<<10), make([]byte, 30_000), 0
	for i := range 12 {
		if _, err := o.ReadAt(b, int64(i)<<12); err != nil || !bytes.Equal(b, content[i<<12:][:4<<10]) {
			t.Fatalf("block %d: other bytes, error %v", i, err)
		}
		if i%5 < 4 {
			continue
		}
		n, err := io.ReadFull(o, ahead)
		if err != nil || !bytes.Equal(ahead, content[read:read+n]) {
			t.Fatalf("in order, at %d: other bytes, error %v", read, err)
		}
		read += n
	}
}

// TestReadAtOfStreams: a server that ignores ranges cannot be read at random, and the error
// states it.
func TestReadAtOfStreams(t *testing.T) {
	object.Hurry(t)
	object.Small()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Range")
		serve(w, r)
	}))
	defer server.Close()
	o, _, _, err := open(t, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	var b [10]byte
	if _, err := o.ReadAt(b[:], 50<<10); err == nil || !strings.Contains(err.Error(), "copy the file to a disk first") {
		t.Errorf("error %v", err)
	}
	if o.Random() {
		t.Error("it says that it can")
	}
}

// TestTooFast has Common Crawl's server answer 403: all wait, and the content is right. It never
// has more than four requests at a time.
func TestTooFast(t *testing.T) {
	object.Hurry(t)
	var mu sync.Mutex
	var now, most, refused int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now++
		most = max(most, now)
		refuse := refused < 10 && now > 1
		if refuse {
			refused++
		}
		mu.Unlock()
		defer func() { mu.Lock(); now--; mu.Unlock() }()
		if agent := r.UserAgent(); !strings.Contains(agent, "+https://github.com/robotsaudit/robotsaudit") {
			t.Errorf("User-Agent %q", agent)
		}
		if refuse {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		time.Sleep(time.Millisecond)
		serve(w, r)
	}))
	defer server.Close()
	object.IsCommonCrawl(strings.TrimPrefix(server.URL, "http://"))
	var readers sync.WaitGroup
	for i := range 12 {
		readers.Go(func() {
			if b, err := readWhole(t, fmt.Sprint(server.URL, "/", i)); err != nil || !bytes.Equal(b, content) {
				t.Errorf("%d bytes, error %v", len(b), err)
			}
		})
	}
	readers.Wait()
	if most > 4 || refused == 0 {
		t.Errorf("%d requests at a time, %d refused", most, refused)
	}
}

// TestSecrets gives URLs with a user, a password and a signature: the server gets them, also after
// it broke off, and nobody else.
func TestSecrets(t *testing.T) {
	object.Hurry(t)
	const query, user, password = "X-Amz-Signature=s3cr3t&x=1", "us3r", "p4ss"
	fails := false
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text := fmt.Sprint(r.URL, r.Header); strings.Contains(text, "s3cr3t") ||
			r.Header.Get("Authorization") != "" {
			t.Errorf("another server is told %s", text)
		}
		serve(w, r)
	}))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, p, _ := r.BasicAuth()
		switch {
		case u != user || p != password || r.URL.RawQuery != query:
			t.Errorf("asked for %s by %s, %s", r.URL, u, p)
		case fails:
			hangUp(w)
		default:
			http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1), http.StatusFound)
		}
	}))
	defer server.Close()
	given := strings.Replace(server.URL, "://", "://"+user+":"+password+"@", 1) + "/a.warc.gz?" + query
	if b, err := readWhole(t, given); err != nil || !bytes.Equal(b, content) {
		t.Errorf("%d bytes, error %v", len(b), err)
	}
	path, err := object.Clean(given)
	if err != nil || path != server.URL+"/a.warc.gz" || object.Shown("@"+given) != "@"+path {
		t.Errorf("shown as %q and %q, error %v", path, object.Shown(given), err)
	}
	if _, err := object.Clean(given + "2"); err == nil {
		t.Error("two URLs have one path")
	}
	fails = true
	_, err = object.Stat(t.Context(), path)
	if err == nil || strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), password) {
		t.Errorf("error %v", err)
	}
}

// TestCancel ends a wait for a server that sends nothing.
func TestCancel(t *testing.T) {
	object.Hurry(t)
	object.Stall(time.Hour)
	asked := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isFirst(r) {
			serve(w, r)
			return
		}
		some(w, r, 10)
		close(asked)
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	info, err := object.Stat(ctx, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	o, err := object.Open(ctx, server.URL, info)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	go func() { <-asked; cancel() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, o); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
