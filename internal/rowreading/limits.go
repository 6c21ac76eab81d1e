package rowreading

import _ "embed"

// Limits on what one row can make the reader hold.
const (
	MaxFaults       = 100     // faults of one kind in one index, or lines of one log, that are reported one by one
	MaxFault        = 1 << 10 // bytes of the text of a fault
	MaxAgent        = 2 << 10 // bytes of a crawler's name in a list of URLs
	MaxListID       = 1 << 10 // bytes of the user's own name of a row in a list of URLs
	MaxLogLine      = 4 << 20 // bytes of a line of a crawler's log; page lists have the page's text in it
	MaxHopsFromSeed = 1 << 10 // bytes of the path from the seed
	MaxWord         = 64      // bytes of a method, a WARC-Type or WARC-Truncated
)

// Limits is this file: other limits make other facts.
//
//go:embed limits.go
var Limits string
