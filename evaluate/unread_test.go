package evaluate

import (
	"bytes"
	"testing"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/cdxj"
)

// TestUnreadIsNoCapture: a row of an index tells of no capture if it points to a record that is none. One
// with another place may be of a capture in the same second.
func TestUnreadIsNoCapture(t *testing.T) {
	t.Parallel()
	capture := rec{url: home + "/robots.txt", at: "-1h", body: closed}
	head, misdirected := capture, capture
	head.method, misdirected.asked = "HEAD", []string{"Host: b.example"}
	for name, c := range map[string]struct {
		asked rec
		moved int64
		want  string
	}{
		"a HEAD":                   {head, 0, certain},
		"of another host":          {misdirected, 0, certain},
		"a HEAD at another place":  {head, 1, "disallowed fresh rule possible +unread_capture"},
		"a capture":                {capture, 0, certain},
		"a capture, by its second": {capture, 1, certain},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := archive{rec{url: home + "/robots.txt", at: "-2h", body: closed}}
			all := append(before, c.asked, page(c.want))
			row := cdxj.Record{Key: "a)/robots.txt", Time: noon.Add(-time.Hour), URL: home + "/robots.txt", Status: "200", Filename: "0.warc", Length: 9}
			row.Offset = int64(bytes.LastIndex(append(before, c.asked).bytes(), []byte("WARC/1."))) + c.moved
			auditLogs(t, Options{}, []archive{all}, row.Append(nil))
		})
	}
}
