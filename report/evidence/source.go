package evidence

import (
	"context"

	"github.com/robotsaudit/robotsaudit/internal/archive/input"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/records"
)

// source is an archive, or a crawler's log, from which records are copied.
type source struct {
	*records.Archive
	isLog bool
	form  warc.Form
}

// openSource opens an archive or an entry of it.
func openSource(ctx context.Context, in facts.Input, entry, tmp string, isLog bool) (*source, error) {
	a, err := records.Open(ctx, in, entry, tmp)
	if err != nil {
		return nil, err
	}
	s := &source{Archive: a, isLog: isLog}
	_, s.form = s.sniff()
	return s, nil
}

// sniff finds the form of the archive, with a reader at its beginning.
func (s *source) sniff() (*input.Source, warc.Form) {
	from := input.At(s, 0)
	return from, warc.Sniff(from, func([]byte) bool { return s.isLog })
}
