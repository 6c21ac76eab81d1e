package use

import (
	"fmt"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/resolve"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// Where a page names more tokens than have a row, the row of all others answers for
// none of the rest.
func TestManyAgents(t *testing.T) {
	for n, want := range map[int]resolve.Source{
		maxAgentSets: resolve.SourceOwn, maxAgentSets + 1: resolve.SourceUnknown,
	} {
		p := &Page{}
		for i := range n {
			p.Tags = append(p.Tags, tag.ReadHeaders(fmt.Sprintf("X-Robots-Tag: bot%d: noindex", i)).Tags...)
		}
		p.addSets(nil, "")
		if p.From != want || len(p.Sets) != maxAgentSets {
			t.Errorf("%d tokens: %d rows, from %q", n, len(p.Sets), p.From)
		}
	}
}

// TestFileOf: of two licence documents that speak in one line, the one that makes the statement is named.
func TestFileOf(t *testing.T) {
	permits, prohibits := new(facts.Capture), new(facts.Capture)
	page := Page{Signals: []Signal{
		{tag.Signal{Source: tag.SourceLicence, Line: 3, Raw: "permits all"}, permits},
		{tag.Signal{Source: tag.SourceLicence, Line: 3, Raw: "prohibits all"}, prohibits},
	}}
	if got := page.FileOf(&Statement{tag.SourceLicence, 3, "prohibits all"}); got != prohibits {
		t.Errorf("%p, want %p", got, prohibits)
	}
}
