package evaluate

import (
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
)

// TestUnreadOfRival: of captures of one moment in two archives, either may be the latest. If one of them
// failed, a row counts at any age, whichever is cited.
func TestUnreadOfRival(t *testing.T) {
	t.Parallel()
	row := warctest.CDXJLine{
		Key: "a)/robots.txt", Time: noon.Add(-48 * time.Hour), URL: home + "/robots.txt",
		Status: "200", Filename: "9.warc", Length: 9,
	}
	rules, failure := robotsTxt("-1h", closed), rec{url: home + "/robots.txt", at: "-1h", status: "503 x"}
	failed := page("disallowed fresh unreachable probable +unreadable_copy")
	for name, c := range map[string][]archive{
		"the rules are cited":    {{failure}, {rules, page("disallowed fresh rule probable +unreadable_copy")}},
		"the failure is cited":   {{rules}, {failure, failed}},
		"the rules came later":   {{failure, rules, page(certain)}},
		"the failure came later": {{rules, failure, failed}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			auditLogs(t, DecideOptions{}, c, row.Append(nil))
		})
	}
}
