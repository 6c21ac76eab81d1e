package report_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/report"
)

// audit reads archives, decides their fetches, and writes tables and audit.json into dir.
func audit(ctx context.Context, dir string, opt evaluate.DecideOptions, archives ...string) (
	a *report.Audit, err error,
) {
	release, err := ingest.Lock(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	inputs, failed := ingest.Expand(ctx, archives, ingest.ExpandOptions{})
	if err := ingest.Ingest(ctx, inputs, ingest.ReadOptions{Dir: dir, Workers: 2, Failed: failed}); err != nil {
		return nil, err
	}
	facts, err := ingest.OpenFacts(dir)
	if err != nil {
		return nil, err
	}
	w, err := report.NewWriter(dir, facts, opt)
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	totals, err := evaluate.Run(ctx, facts, opt, w)
	if err != nil {
		return nil, err
	}
	return w.Commit(totals)
}

// An audit from Go.
func Example() {
	dir, err := os.MkdirTemp("", "audit-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	opt := evaluate.DecideOptions{Agents: []string{"GPTBot"}, Uses: []evaluate.Use{evaluate.UseTrain}}
	a, err := audit(context.Background(), dir, opt, "../testdata/warc")
	if err != nil {
		log.Fatal(err)
	}
	totals := a.Totals
	fmt.Println("fetches:", totals.Fetches)
	fmt.Println("violations:", totals.Violations, "of them certain:", totals.ViolationsCertain)
	fmt.Println("unknown:", totals.Unknown)
	// Output:
	// fetches: 284
	// violations: 42 of them certain: 40
	// unknown: 7
}
