package main

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// TestCollectEarly holds a large buffer: it must not entitle to garbage of its size.
func TestCollectEarly(t *testing.T) {
	buffer := make([]byte, 64<<20)
	collectEarly()
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"}}
	deadline := time.Now().Add(10 * time.Second)
	for {
		runtime.GC()
		metrics.Read(samples)
		live, goal := samples[0].Value.Uint64(), samples[1].Value.Uint64()
		if live > uint64(len(buffer)) && goal < live+live/4 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("with %d octets in use, the next collection comes at %d", live, goal)
		}
		time.Sleep(10 * time.Millisecond)
	}
	runtime.KeepAlive(buffer)
}
