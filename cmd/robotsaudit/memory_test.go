package main

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// TestLimitMemory checks when the next collection comes: with a small heap before the budget is
// spent, of which other tests may leave little; with a large one some megabytes later; and with
// pointers in it, after about as many bytes as they take.
func TestLimitMemory(t *testing.T) {
	limitMemory()
	awaitGoal(t, 0, headroom/4, budget)
	buffer := make([]byte, 64<<20)
	awaitGoal(t, uint64(len(buffer)), headroom/4, headroom*2)
	runtime.KeepAlive(buffer)
	buffer = nil
	awaitGoal(t, 0, headroom/4, budget)
	pointers := make([]*byte, 8<<20)
	awaitGoal(t, 64<<20, spacious/2, spacious*2)
	runtime.KeepAlive(pointers)
}

// awaitGoal collects until the next collection comes after some bytes of garbage, with
// so many in use.
func awaitGoal(t *testing.T, inUse, least, most uint64) {
	t.Helper()
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"}}
	deadline := time.Now().Add(10 * time.Second)
	for {
		runtime.GC()
		metrics.Read(samples)
		live, goal := samples[0].Value.Uint64(), samples[1].Value.Uint64()
		if live >= inUse && goal >= live+least && goal <= live+most {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("with %d bytes in use, the next collection comes at %d", live, goal)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
