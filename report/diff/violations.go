package diff

import (
	"context"
	"errors"

	"github.com/robotsaudit/robotsaudit/internal/durable"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// NewViolations are the violations of an audit that an earlier one does not have, neither under
// another certainty nor by another rule. It reads the tables violations alone.
func NewViolations(ctx context.Context, old, new *results.Results) (_ *Kind, err error) {
	dir, remove, err := durable.Temporary("")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	fresh := &Kind{List: []Change{}}
	err = eachPair(ctx, dir, old, new, sortViolations, func(before, after *fetch, _ *summary) error {
		if after == nil || before != nil && before.Dated == after.Dated && before.Time == after.Time {
			return nil
		}
		fresh.Total++
		after = after.clone()
		fresh.add(changeOf(after, nil, after.state()))
		return nil
	})
	fresh.sort()
	return fresh, err
}
