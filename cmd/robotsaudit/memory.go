package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Bounds of memory, in bytes. The program's text, 21 to 23 MB, comes on top.
const (
	budget   = 24 << 20 // of all that Go holds; an audit on a few cores needs less
	headroom = 24 << 20 // for garbage at least, where what is in use leaves less of the budget
	spacious = 64 << 20 // for garbage; where there is more to scan, half of the rest comes on top
)

// limitMemory has garbage collected when memory reaches the budget, and no earlier. Go's
// own measure is a share of the heap in use. Here most of the heap is buffers of bytes: they
// cost the collector nothing, and as much again for garbage would be half of all memory. With
// a limit Go also gives free memory back before it takes more, so that memory does not
// creep up during an audit.
//
// An audit that needs more than the budget gets it, with some megabytes for garbage on top: a limit
// below what is in use would make the collector run all the time. A collection costs what it
// scans, so there is room for about as much garbage as there is to scan. With a fixed room,
// collections would cost four times as much for twice the rows.
func limitMemory() {
	debug.SetGCPercent(-1)
	afterCollection()
}

// afterCollection sets the limit anew, now and after each collection: a little after, as
// cleanups are, and until then the limit before it holds.
func afterCollection() {
	used, scanned := inUse()
	debug.SetMemoryLimit(int64(max(budget, used+max(headroom, min(scanned, (scanned+spacious)/2)))))
	sentinel := new(*byte) // a pointer: objects without share blocks, and live as long
	runtime.AddCleanup(sentinel, func(struct{}) { afterCollection() }, struct{}{})
}

// inUse returns how many bytes Go would hold if there were no garbage: what the limit
// counts, with live objects in place of all. scanned counts the objects with pointers alone.
func inUse() (used, scanned uint64) {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/gc/scan/heap:bytes"},
	}
	metrics.Read(samples)
	bytes := func(i int) uint64 { return samples[i].Value.Uint64() }
	return bytes(0) + bytes(1) - bytes(2) - bytes(3) - bytes(4), bytes(5)
}
