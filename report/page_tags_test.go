package report

import (
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/evaluate/verdict"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// A date has its moment in a column, whether it has come or not. Whether it restricts depends on the moment
// that the page is judged at.
func TestDateOfTag(t *testing.T) {
	w, err := NewWriter(t.TempDir(), testFacts("a.warc.gz"), evaluate.DecideOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := testFetch("http://a.example", "/")
	tags := tag.ReadHeaders("X-Robots-Tag: unavailable_after: 25 Jun 2030 15:00:00 PST, unavailable_after: never, noindex").Tags
	from := time.Date(2030, 6, 25, 23, 0, 0, 0, time.UTC)
	for at, restricts := range map[time.Time]bool{from: false, from.Add(time.Second): true, {}: false} {
		r := evaluate.Result{Finding: verdict.Finding{Fetch: &f}, Page: &evaluate.Page{At: at, Tags: tags}}
		for i, want := range []*int64{new(from.UnixMicro()), nil, nil} {
			row := w.pageTagRow(&r, &tags[i])
			if got := row.RestrictsFrom; (got == nil) != (want == nil) || got != nil && *got != *want {
				t.Errorf("%s: restricts from %v, want %v", tags[i].Raw, got, want)
			}
			if row.Restricts != "publication" {
				t.Errorf("%s: restricts %q", tags[i].Raw, row.Restricts)
			}
		}
		row := w.effectiveRow(&r, &evaluate.AgentSet{Set: tag.Effective(tags, "")})
		if row.RestrictsArchive != restricts || !row.RestrictsIndex || row.RestrictsTrain {
			t.Errorf("at %v: archive %t, index %t, train %t", at, row.RestrictsArchive, row.RestrictsIndex,
				row.RestrictsTrain)
		}
	}
}
