package evaluate_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
)

// read makes the facts of archives in a new folder.
func read(ctx context.Context, archives ...string) (facts *evaluate.Facts, dir string, err error) {
	if dir, err = os.MkdirTemp("", "facts-*"); err != nil {
		return nil, "", err
	}
	inputs, failed := ingest.Expand(ctx, archives, ingest.ExpandOptions{})
	if err := ingest.Ingest(ctx, inputs, ingest.ReadOptions{Dir: dir, Workers: 1, Failed: failed}); err != nil {
		return nil, dir, err
	}
	facts, err = ingest.OpenFacts(dir)
	return facts, dir, err
}

// counter is a Sink that counts why fetches were disallowed.
type counter struct {
	evaluate.NoSink
	classes map[string]int
}

func (c *counter) Result(r *evaluate.Result) error {
	if r.Verdict == evaluate.Disallowed {
		c.classes[r.Certainty.String()]++
	}
	return nil
}

// All fetches, decided.
func ExampleRun() {
	ctx := context.Background()
	facts, dir, err := read(ctx, "../testdata/warc")
	defer os.RemoveAll(dir)
	if err != nil {
		log.Fatal(err)
	}
	disallowed := counter{classes: make(map[string]int)}
	totals, err := evaluate.Run(ctx, facts, evaluate.DecideOptions{}, &disallowed)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(totals.Disallowed, "of", totals.Fetches, "fetches were disallowed:", disallowed.classes)
	// Output:
	// 51 of 284 fetches were disallowed: map[certain:40 contested:5 possible:4 probable:2]
}

// One origin, and a fetch that was never made.
func ExampleResolved_Origin() {
	ctx := context.Background()
	facts, dir, err := read(ctx, "../testdata/warc")
	defer os.RemoveAll(dir)
	if err != nil {
		log.Fatal(err)
	}
	resolved, err := evaluate.Resolve(ctx, facts, evaluate.DecideOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer resolved.Close()
	origin, err := resolved.Origin(ctx, "http://turning.example")
	if err != nil {
		log.Fatal(err)
	}
	for st := range origin.Captures() {
		fmt.Println("captured", st.Time().UTC().Format(time.DateTime), st.Outcome)
	}
	for _, hour := range []int{7, 19} {
		at := time.Date(2025, 3, 10, hour, 0, 0, 0, time.UTC)
		result, err := origin.Decide(evaluate.NewFetch("http://turning.example/a/draft.html", "ExampleBot/1.0", at))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(at.Format(time.TimeOnly), result.Verdict, result.Evidence, result.Reason)
	}
	// Output:
	// captured 2025-03-10 06:00:36 rules
	// captured 2025-03-10 18:00:09 rules
	// 07:00:00 allowed fresh no_matching_rule
	// 19:00:00 disallowed fresh rule
}
