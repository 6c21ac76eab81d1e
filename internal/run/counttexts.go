package run

import "context"

// CountTexts calls f with the texts of rows in run files, and how many neighbours have each: a text
// again, as often as it is met.
func CountTexts[T any](ctx context.Context, paths []string, spec Spec[T], text func(*T) string, f func(value string, rows int64)) error {
	for _, path := range paths {
		value, rows := "", int64(0)
		for row, err := range Merge(ctx, []string{path}, spec, MergeOptions[T]{}) {
			if err != nil {
				return err
			}
			if v := text(row); v != value {
				if rows > 0 {
					f(value, rows)
				}
				value, rows = v, 0
			}
			rows++
		}
		if rows > 0 {
			f(value, rows)
		}
	}
	return nil
}
