package evaluate

import (
	"bytes"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/cdx"
)

// TestUnreadIsNoCapture: a row of an index is no capture if it points to a record that is none. One
// with another place may be of a capture in the same second.
func TestUnreadIsNoCapture(t *testing.T) {
	t.Parallel()
	capture := rec{url: home + "/robots.txt", at: "-1h", body: closed}
	const nothing, something = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "sha1:YIARRCXO6UYLRJTT475KYZXWVXYQDBYV"
	head, misdirected := capture, capture
	head.method, misdirected.asked = "HEAD", []string{"Host: b.example"}
	digested := head
	digested.warc = []string{"WARC-Payload-Digest: " + nothing}
	for name, c := range map[string]struct {
		asked        rec
		moved        int64
		name, digest string
		want         string
	}{
		"a HEAD":                           {head, 0, "0.warc", "", certain},
		"of another host":                  {misdirected, 0, "0.warc", "", certain},
		"a HEAD at another place":          {head, 1, "0.warc", "", "disallowed fresh rule possible +unread_capture"},
		"a HEAD, of an archive that moved": {digested, 0, "9.warc", nothing, certain},
		"at a HEAD's place, elsewhere": {
			digested, 0, "9.warc", something,
			"disallowed fresh rule possible +unread_capture",
		},
		"a HEAD, as an index has its digest": {digested, 0, "0.warc", something, certain},
		"a capture":                          {capture, 0, "0.warc", "", certain},
		"a capture, by its second":           {capture, 1, "0.warc", "", certain},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := archive{rec{url: home + "/robots.txt", at: "-2h", body: closed}}
			all := append(before, c.asked, page(c.want))
			row := cdx.CDXJLine{
				Key: "a)/robots.txt", Time: noon.Add(-time.Hour), URL: home + "/robots.txt",
				Status: "200", Digest: c.digest, Filename: c.name, Length: 9,
			}
			row.Offset = int64(bytes.LastIndex(append(before, c.asked).bytes(), []byte("WARC/1."))) + c.moved
			auditLogs(t, DecideOptions{}, []archive{all}, row.Append(nil))
		})
	}
}

// TestUnreadOfRival: of captures of one moment in two archives, either may be the latest. If one of them
// failed, a row counts at any age, whichever is cited.
func TestUnreadOfRival(t *testing.T) {
	t.Parallel()
	row := cdx.CDXJLine{
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
