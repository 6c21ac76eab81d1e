// Package objecttest starts the object stores of tests.
package objecttest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

const (
	bucket = "bucket" // the one of a store

	// The credentials that the environment holds.
	KeyID  = "AKIAEXAMPLE"
	Secret = "s3cr3t"
)

// Store is an object store on loopback, with a bucket named bucket.
type Store struct {
	*s3mem.Backend
	http.Handler // answers requests as the store does
	URL          string
}

// NewStore starts a store, and sets the credentials for it in the environment. Requests go through
// before, which reports whether it answered, and may be nil.
func NewStore(t *testing.T, before func(http.ResponseWriter, *http.Request) bool) *Store {
	t.Helper()
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": KeyID, "AWS_SECRET_ACCESS_KEY": Secret, "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE":             filepath.Join(t.TempDir(), "none"),
		"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(t.TempDir(), "none"),
	} {
		t.Setenv(name, value)
	}
	held := s3mem.New()
	if err := held.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	s3 := gofakes3.New(held).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before == nil || !before(w, r) {
			s3.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return &Store{held, s3, server.URL}
}

// Put makes an object.
func (s *Store) Put(t *testing.T, key string, content []byte) {
	t.Helper()
	if _, err := s.PutObject(bucket, key, nil, bytes.NewReader(content), int64(len(content)), nil); err != nil {
		t.Fatal(err)
	}
}
