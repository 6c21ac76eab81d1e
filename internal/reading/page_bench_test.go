package reading

import (
	"bytes"
	"strings"
	"testing"

	"github.com/robotsaudit/robotsaudit/internal/archive/httpmsg"
	"github.com/robotsaudit/robotsaudit/internal/archive/warc"
	"github.com/robotsaudit/robotsaudit/internal/facts"
)

// A page without statements about use costs its first bytes, once.
func BenchmarkScanPage(b *testing.B) {
	page := []byte("<html><head><title>t</title><meta charset=utf-8></head><body>" +
		strings.Repeat("<p class=x>some text</p>", 4<<10))
	e := &NewCommitter(facts.NewAccount(0, "", facts.Discard{}), Options{}).extractor
	d := &draft{record: new(warc.Record), exchange: new(exchange)}
	d.exchange.MIMEType = "text/html"
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.scanPage(d, &httpmsg.Head{}, bytes.NewReader(page)); err != nil {
			b.Fatal(err)
		}
	}
}
