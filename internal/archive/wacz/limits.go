package wacz

import _ "embed"

// Limits on the memory and time that a zip file can take.
const (
	maxDirectory = 32 << 20  // bytes of a zip file's directory
	maxPackage   = 8 << 20   // bytes of the datapackage.json of a WACZ
	maxEntryName = 1 << 10   // bytes of the name of an entry
	maxRewinds   = 64        // times that a deflated entry is inflated from its start, in search of places in it
	keepRecent   = 128 << 10 // bytes of a deflated entry that are remembered
)

// Limits is this file: other limits make other facts.
//
//go:embed limits.go
var Limits string

// Bounds of what is read at a time. They shape the work, and nothing that is read.
const fileBuffer = 64 << 10 // bytes read from a file at once
