package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Bounds of what may become garbage before it is collected.
const (
	headroom = 4 << 20 // octets
	least    = 15      // percent of the heap in use
	most     = 100
)

// collectEarly has garbage collected whenever there are some megabytes of it. Go's own
// measure is a share of the heap in use, which here is buffers of octets for the most
// part: they cost the collector nothing, and half as much again for garbage would be
// half of all memory.
func collectEarly() {
	debug.SetGCPercent(most)
	afterCollection()
}

// afterCollection sets the share anew, now and after each collection.
func afterCollection() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if n := live[0].Value.Uint64(); n > 0 {
		debug.SetGCPercent(int(min(most, max(least, headroom*100/n))))
	}
	sentinel := new(*byte) // a pointer: objects without share blocks, and live as long
	runtime.AddCleanup(sentinel, func(struct{}) { afterCollection() }, struct{}{})
}
