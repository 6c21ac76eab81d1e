package forms

import (
	"strings"

	"github.com/robotsaudit/robotsaudit/report"
)

// refused finds what crawlers received from URLs after the server had refused them there. Rows of one origin stand
// together, sorted by time.
type refused struct {
	overcome counts
	origin   string
	open     map[[2]string][]refusal // by crawler and URL of the origin
}

type refusal struct {
	kind string
	at   int64
}

func newRefused(overcome counts) *refused {
	return &refused{overcome: overcome, open: make(map[[2]string][]refusal)}
}

// see takes the next fetch.
func (r *refused) see(row *report.FetchRow) {
	if row.Origin != r.origin {
		r.origin = strings.Clone(row.Origin)
		clear(r.open)
	}
	if row.FetchTime == nil {
		return
	}
	key, at := [2]string{row.Agent, row.URL}, *row.FetchTime
	switch open := r.open[key]; {
	case row.Refusal != "":
		key = [2]string{strings.Clone(row.Agent), strings.Clone(row.URL)}
		r.open[key] = append(open, refusal{strings.Clone(row.Refusal), at})
	case open != nil && isContent(row):
		delete(r.open, key)
		for _, x := range open {
			if x.at < at {
				r.overcome.add(x.kind)
			} else {
				r.open[key] = append(r.open[key], x)
			}
		}
	}
}
