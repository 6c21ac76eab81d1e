package reading

import (
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
)

// Damage of any kind is an issue of the same name.
func TestIssueKinds(t *testing.T) {
	for kind := warc.DamageNone + 1; kind.String() != "unknown"; kind++ {
		if int(kind) >= len(issueKinds) || issueKinds[kind].String() != kind.String() {
			t.Errorf("%s damage is no issue of that name", kind)
		}
	}
}
