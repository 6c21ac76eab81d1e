package wacz

// Limits on the memory and time that a zip file can take.
const (
	maxDirectory = 32 << 20  // bytes of a zip file's directory
	maxPackage   = 8 << 20   // bytes of the datapackage.json of a WACZ
	maxEntryName = 1 << 10   // bytes of the name of an entry
	maxRewinds   = 64        // times that a deflated entry is inflated from its start, in search of places in it
	keepRecent   = 128 << 10 // bytes of a deflated entry that are remembered
	// bytes of a deflated entry before the place where damage shows in which the next true block may begin
	blockReach     = 256 << 10
	maxBlockSearch = 1 << 30  // bytes inflated in search of blocks after damage, in one deflated entry
	longBlocks     = 1 << 20  // bytes after which blocks that end in damage are not tried one by one
	blockCost      = 64 << 10 // bytes that looking at one candidate for a block counts for, at least
	scanCost       = 64       // bytes that looking for blocks in one byte counts for
	maxExpansion   = 1032     // bytes that one byte of deflated data can stand for, at most
)

// Limits are those above, by name: they shape what is read of a file.
var Limits = map[string]int64{
	"maxDirectory":   maxDirectory,
	"maxPackage":     maxPackage,
	"maxEntryName":   maxEntryName,
	"maxRewinds":     maxRewinds,
	"keepRecent":     keepRecent,
	"blockReach":     blockReach,
	"maxBlockSearch": maxBlockSearch,
	"longBlocks":     longBlocks,
	"blockCost":      blockCost,
	"scanCost":       scanCost,
	"maxExpansion":   maxExpansion,
}

// Bounds of what is read at a time. They shape the work, and nothing that is read.
const fileBuffer = 64 << 10 // bytes read from a file at once
