package ingest

import (
	"context"

	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// Shard makes the facts of some of an audit's inputs in a folder that is there and empty, as one
// task with one file of each kind. What is made on the way is in opt.Dir. Failed are the inputs that
// could not be read.
func Shard(ctx context.Context, inputs []Input, opt Options, to string) (failed []Failure, err error) {
	if err := Ingest(ctx, inputs, opt); err != nil {
		return nil, err
	}
	set, err := OpenFacts(opt.Dir)
	if err != nil {
		return nil, err
	}
	return set.Failures, facts.Join(ctx, to, set.Fingerprint, set.Tasks)
}

// Fingerprint identifies what shapes facts besides the inputs: facts with another one are not read.
func Fingerprint(verifyDigests bool) string {
	o := Options{VerifyDigests: verifyDigests}
	return fingerprint(o.mode())
}

// CanReread gives facts that were put together elsewhere the means to read archives again.
func CanReread(set *Facts) { set.Reread = reread }

// FindCopies finds the inputs that hold the same bytes as one before them: path of an input → that
// of the other.
func FindCopies(ctx context.Context, results []InputResult) map[string]string {
	return findCopies(ctx, results, nil)
}
