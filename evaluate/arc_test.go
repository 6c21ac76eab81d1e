package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSameCrawlAsARC: a crawl that was written as WARC and as ARC has the same
// fetches and verdicts. What may differ is where the User-Agent is from: an ARC
// holds no requests, so it is that of its version block, which in this crawl is
// the same. Nor does it hold durations, which leave a doubt.
func TestSameCrawlAsARC(t *testing.T) {
	t.Parallel()
	var told [2][]string
	for i, name := range []string{"aut-example.warc.gz", "aut-example.arc.gz"} {
		path := filepath.Join("..", "..", "shared", "warc", "real", name)
		if _, err := os.Stat(path); err != nil {
			t.Skip("skipped: ../shared/warc is absent")
		}
		out := t.TempDir()
		ingestFiles(t, out, []string{path})
		s := &everyResult{recorder: newRecorder()}
		runInto(t, openFacts(t, out), DecideOptions{}, s)
		for j, text := range s.told {
			s.told[j] = strings.Replace(text, " +order_doubt", "", 1)
		}
		slices.Sort(s.told)
		told[i] = s.told
	}
	if len(told[0]) != 261 {
		t.Errorf("%d fetches, want 261", len(told[0]))
	}
	inWARC, inARC := map[string]int{}, map[string]int{}
	for i, m := range []map[string]int{inWARC, inARC} {
		for _, text := range told[i] {
			m[text]++
		}
	}
	for text, n := range inWARC {
		if inARC[text] != n {
			t.Errorf("%d in the WARC, %d in the ARC: %s", n, inARC[text], text)
		}
	}
	for text, n := range inARC {
		if inWARC[text] == 0 {
			t.Errorf("%d in the ARC alone: %s", n, text)
		}
	}
}

// everyResult is a recorder of fetches that have no record id.
type everyResult struct {
	*recorder
	told []string
}

func (s *everyResult) Result(r *Result) error {
	s.told = append(s.told, fmt.Sprintf("%s %s %d %q %s %d", r.Fetch.URL,
		r.Fetch.Time().UTC().Format("20060102150405"), r.Fetch.Status, r.Agent, resultText(r), r.Age))
	return nil
}
