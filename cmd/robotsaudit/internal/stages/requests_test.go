package stages_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
	"github.com/robotsaudit/robotsaudit/internal/object"
	"github.com/robotsaudit/robotsaudit/internal/object/objecttest"
)

// What finish asks a store for grows with the ranges, and not with the inputs.
func TestRequestsOfFinish(t *testing.T) {
	const few, many = 12, 48
	byRanges := make(map[int]int64)
	for _, ranges := range []int{1, 5} {
		byRanges[ranges] = requestsOfFinish(t, few, ranges)
		if n := requestsOfFinish(t, many, ranges); n > byRanges[ranges] {
			t.Errorf("%d ranges: %d requests for %d inputs, %d for %d", ranges, n, many, byRanges[ranges], few)
		}
	}
	if byRanges[5] > 5*byRanges[1] {
		t.Errorf("requests by ranges: %d", byRanges)
	}
	t.Logf("requests by ranges: %d", byRanges)
}

func requestsOfFinish(t *testing.T, inputs, ranges int) int64 {
	t.Helper()
	archives := t.TempDir()
	for i := range inputs {
		origin := fmt.Sprintf("http://h%d.example", i%8)
		archive := warctest.Plain(
			warctest.Response(fmt.Sprintf("urn:r%d", i), origin+"/robots.txt",
				"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /private\n"),
			warctest.Response(fmt.Sprintf("urn:f%d", i), fmt.Sprintf("%s/private/%d", origin, i), "HTTP/1.1 200 OK\r\n\r\nx"),
		)
		if err := os.WriteFile(filepath.Join(archives, fmt.Sprintf("%d.warc", i)), archive, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var requests atomic.Int64
	store := objecttest.NewStore(t, func(http.ResponseWriter, *http.Request) bool {
		requests.Add(1)
		return false
	})
	if err := object.Configure(object.Options{S3Endpoint: store.URL, UserAgent: "test"}); err != nil {
		t.Fatal(err)
	}
	defer object.Configure(object.Options{})
	s := planned(t, "s3://bucket/facts", 3, evaluate.DecideOptions{}, archives)
	s.into("s3://bucket/out")
	s.ingested(1)
	for n := range ranges {
		s.ok(1, func() error { return s.decide(n, ranges) })
	}
	before := requests.Load()
	s.ok(1, s.finish)
	return requests.Load() - before
}
