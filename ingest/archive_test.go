package ingest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	robotsBody = "User-agent: *\nDisallow: /private/\n"
	ok200      = "HTTP/1.1 200 OK\r\n\r\nbody"
)

const arcAgent = `<arcmetadata xmlns:arc="http://archive.org/arc/1.0/"><arc:software>crawler</arc:software>
<arc:http-header-user-agent>bot/1 &amp; more</arc:http-header-user-agent><arc:robots>classic</arc:robots></arcmetadata>`

func equal[T any](t *testing.T, what string, got, want T, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// resultsOf are what reading the inputs of a set came to.
func resultsOf(t *testing.T, set *Facts) (all []InputResult) {
	t.Helper()
	for r, err := range set.Results(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *r)
	}
	return all
}
