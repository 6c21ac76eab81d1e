package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	heapBudget     = 24 << 20 // octets of heap that are used before any is collected
	initialPercent = 600      // makes the first collection come at the budget: the runtime's least heap is 4 MiB at 100
	leastPercent   = 50       // growth over what lives, where more lives than the budget has room for
)

// steadyHeap lets the heap fill a fixed budget before it is collected, and lets
// it grow by half of what lives where that needs more. Small audits then collect
// hardly ever, and large ones hold about the same memory as middle-sized ones.
func steadyHeap() {
	debug.SetGCPercent(initialPercent)
	runtime.SetFinalizer(&sentinel{}, (*sentinel).collected)
}

// sentinel is garbage from the start, so that its finalizer runs after every
// collection.
type sentinel struct{ _ [16]byte }

func (s *sentinel) collected() {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	live := int64(max(sample[0].Value.Uint64(), 1))
	debug.SetGCPercent(int(max(leastPercent, min(initialPercent, 100*(heapBudget-live)/live))))
	runtime.SetFinalizer(s, (*sentinel).collected)
}
