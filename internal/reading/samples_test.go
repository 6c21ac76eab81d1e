package reading

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"runtime"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
)

// metadataRecord is one as Heritrix writes it.
func metadataRecord(id, url, block string, fields ...string) warctest.Record {
	return warctest.Record{Type: "metadata", ID: id, URL: url, Fields: append(fields, "Content-Type: text/anvl"), Block: block}
}

// nestedZeros is 100 GB of zeros in gzip in gzip: 300 KB.
func nestedZeros() string {
	const piece = 16 << 20
	var once bytes.Buffer
	w, _ := flate.NewWriter(&once, flate.BestSpeed)
	w.Write(make([]byte, piece))
	w.Flush() // on a whole byte: what follows needs nothing before it
	var twice bytes.Buffer
	z, _ := gzip.NewWriterLevel(&twice, gzip.BestSpeed)
	z.Write(warctest.Gzip("")[:10])
	for range 100_000_000_000 / piece {
		z.Write(once.Bytes())
	}
	z.Close()
	return twice.String()
}

// peakHeap returns the largest heap seen while f ran, above that before it.
func peakHeap(f func()) (peak uint64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	f()
	close(stop)
	<-done
	return peak - min(peak, before)
}
