//go:build !wasip1

package object_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/object"
)

// on starts a server at an address of this machine.
func on(t *testing.T, address string, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	l, err := net.Listen("tcp", address+":0")
	if err != nil {
		t.Skipf("skipped: no server can listen on %s (%v)", address, err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// TestRedirects: where a server may send its readers.
func TestRedirects(t *testing.T) {
	const public = "127.0.0.2"
	var secret atomic.Int64
	private := on(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		secret.Add(1)
		serve(w, r)
	})
	to := func(url *string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/content" {
				serve(w, r)
				return
			}
			http.Redirect(w, r, *url, http.StatusFound)
		}
	}
	var target string
	open, inside := on(t, public, to(&target)), on(t, "127.0.0.1", to(&target))
	port := private.URL[strings.LastIndexByte(private.URL, ':'):]
	for _, c := range []struct {
		name, from, to string
		confined       bool
		fault          string // "": it is followed
	}{
		{"on its host", open.URL, "/content", true, ""},
		{"to another host", inside.URL, private.URL + "/", false, ""},
		{
			"to another host, not named by the user", inside.URL, private.URL + "/", true,
			"redirects to another host (127.0.0.1:",
		},
		{
			"to a private address", open.URL, private.URL + "/", false,
			"an address of this machine or of a private network",
		},
		{
			"to a private address by its name", open.URL, "http://localhost" + port + "/", false,
			"an address of this machine or of a private network",
		},
		{"to a file", open.URL, "file:///etc/passwd", false, "to a URL of another kind (file:)"},
		{"to gopher", open.URL, "gopher://h/", false, "to a URL of another kind (gopher:)"},
		{"to no URL", open.URL, "http://[", false, "cannot be used"},
	} {
		t.Run(c.name, func(t *testing.T) {
			object.Hurry(t)
			object.Public(t, public)
			target = c.to
			ctx := t.Context()
			if c.confined {
				ctx = object.Confined(ctx)
			}
			before := secret.Load()
			requests, _ := object.Traffic()
			_, err := object.Stat(ctx, c.from+"/a.warc")
			after, _ := object.Traffic()
			switch {
			case c.fault == "" && err != nil:
				t.Error(err)
			case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
				t.Errorf("error %v, want %q", err, c.fault)
			case c.fault != "" && after != requests+1:
				t.Errorf("%d attempts", after-requests)
			case c.fault != "" && secret.Load() != before:
				t.Error("the other server was asked")
			}
		})
	}
}

// TestPublicAddresses: addresses of this machine, of private networks and of special use are not
// public, in whatever way they are written.
func TestPublicAddresses(t *testing.T) {
	for _, address := range []string{
		"127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "0.1.2.3", "100.64.0.1",
		"198.18.0.1", "224.0.0.1",
		"255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fec0::1", "ff02::1", "::ffff:127.0.0.1",
		"64:ff9b::7f00:1", "2002:7f00:1::",
	} {
		if object.IsPublic(address) {
			t.Errorf("%s is public", address)
		}
	}
	for _, address := range []string{"1.1.1.1", "93.184.216.34", "2606:4700::1", "::ffff:1.1.1.1", "64:ff9b::101:101"} {
		if !object.IsPublic(address) {
			t.Errorf("%s is not public", address)
		}
	}
}

// TestPermanentFaults: what another attempt cannot mend fails at once.
func TestPermanentFaults(t *testing.T) {
	raw := func(answer string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			c, b, err := w.(http.Hijacker).Hijack()
			if err == nil {
				b.WriteString(answer)
				b.Flush()
				c.Close()
			}
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		fault  string
	}{
		"no HTTP":            {raw("SSH-2.0-OpenSSH_9.2\r\n"), "cannot be used"},
		"a malformed status": {raw("HTTP/1.1 abc OK\r\n\r\n"), "cannot be used"},
		"a malformed header": {raw("HTTP/1.1 200 OK\r\n: x\r\n\r\n"), "cannot be used"},
		"two lengths": {
			raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
			"cannot be used",
		},
		"an unknown coding": {raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: x\r\n\r\n"), "cannot be used"},
		"a header without end": {
			raw("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2<<20) + "\r\n\r\n"),
			"cannot be used",
		},
		"a wait that is absurd": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "99999999999999999999")
			w.WriteHeader(503)
		}, "asks to wait for 8760h0m0s (503, Retry-After), longer than the 5m0s"},
		"a wait of an hour": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
			w.WriteHeader(429)
		}, "asks to wait for "},
	} {
		t.Run(name, func(t *testing.T) {
			object.Hurry(t)
			server := httptest.NewServer(c.answer)
			defer server.Close()
			requests, _ := object.Traffic()
			_, err := object.Stat(t.Context(), server.URL+"/a.warc")
			if after, _ := object.Traffic(); err == nil || !strings.Contains(err.Error(), c.fault) ||
				after != requests+1 {
				t.Errorf("%d attempts, error %v, want %q", after-requests, err, c.fault)
			}
		})
	}
	t.Run("no such host", func(t *testing.T) {
		object.Hurry(t)
		if _, err := object.Stat(t.Context(), "http://host.invalid/a.warc"); err == nil ||
			strings.Contains(err.Error(), "given up") && !strings.Contains(err.Error(), "temporary") {
			t.Error(err)
		}
	})
}

// TestRetryAfter: no request is made before a server allows it.
func TestRetryAfter(t *testing.T) {
	object.Hurry(t)
	var first, second time.Time
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if first.IsZero() {
			first = time.Now()
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(503)
			return
		}
		second = time.Now()
		serve(w, r)
	}))
	defer server.Close()
	if _, err := object.Stat(t.Context(), server.URL+"/a.warc"); err != nil || second.Sub(first) < time.Second {
		t.Errorf("after %v, error %v", second.Sub(first), err)
	}
}

// TestPatience: attempts end, however few they are and however long the server requests to
// wait.
func TestPatience(t *testing.T) {
	object.Hurry(t)
	object.Patience(1500 * time.Millisecond)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(503)
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	began := time.Now()
	for i := range 3 { // others, which wait for the same server
		go object.Stat(ctx, server.URL+fmt.Sprint("/", i))
	}
	if _, err := object.Stat(ctx, server.URL+"/a.warc"); err == nil || ctx.Err() != nil ||
		time.Since(began) > 6*time.Second {
		t.Errorf("after %v, error %v", time.Since(began), err)
	}
}
