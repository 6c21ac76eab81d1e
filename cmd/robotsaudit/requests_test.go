//go:build unix

package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// requests counts what a server is asked, by the last part of its objects' names, and by kind: "list";
// "head" and "first", the first byte, which tell of an object alone; "get".
type requests struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]map[string]int
}

// countRequests serves what a handler serves, and counts.
func countRequests(t *testing.T, handler http.Handler) *requests {
	t.Helper()
	q := new(requests)
	q.forget()
	q.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, kind := objectOf(r), strings.ToLower(r.Method)
		switch {
		case r.URL.Query().Has("list-type"):
			name, kind = "", "list"
		case r.Header.Get("Range") == "bytes=0-0":
			kind = "first"
		}
		q.mu.Lock()
		if q.asked[name] == nil {
			q.asked[name] = make(map[string]int)
		}
		q.asked[name][kind]++
		q.mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(q.Close)
	return q
}

func objectOf(r *http.Request) string { return r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:] }

// forget returns what was asked so far, a line for each object, and counts anew.
func (q *requests) forget() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(q.asked)) {
		fmt.Fprintf(&text, "%s %v\n", name, q.asked[name])
	}
	q.asked = make(map[string]map[string]int)
	return text.String()
}
