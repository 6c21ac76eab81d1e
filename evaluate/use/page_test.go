package use

import (
	"fmt"
	"testing"

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
