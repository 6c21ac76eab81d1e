package warc

import (
	_ "embed"

	"github.com/robotsaudit/robotsaudit/internal/recordid"
)

// Limits on the memory and time that one record, or damage, can take.
const (
	MaxRecordHeader  = 1 << 20          // bytes of one record's WARC header
	maxFieldName     = 64               // bytes of the name of a field that is read
	MaxFieldValue    = 256              // bytes of a media type, date, range, digest or list of codings
	maxAddress       = 64               // bytes of the IP address of an ARC record
	MaxRecordID      = recordid.MaxSize // bytes of a WARC-Record-ID
	MaxURL           = 64 << 10         // bytes of a URL or Location
	MaxWarcinfos     = 1024             // warcinfo records remembered in one input
	maxDictionary    = 16 << 20         // bytes of a zstd dictionary, decompressed
	maxWindow        = 64 << 20         // bytes that a zstd frame or an xz block may look back
	MaxConcurrent    = 64               // WARC-Concurrent-To fields of one record
	MaxRepeated      = 8                // contradicting fields of one header of WARC that are named
	maxHeaderMembers = 16               // members that one record header lies in
	maxMissedEnd     = 4 << 20          // bytes by which a seemingly cut gzip stream may miss its stated length
	maxSearch        = 32 << 30         // bytes decompressed in search of members after damage, in one input
	candidateCost    = 64 << 10         // bytes that looking at one candidate counts for, at least
	maxVisited       = 1 << 20          // members remembered in one search
	// bytes read in search of true ends and of records after damage, per plain input
	maxProof      = 1 << 30
	maxProofOne   = 64 << 20 // bytes after the beginning of a block where its true end is looked for
	maxBlockReads = 4        // times that the bytes after the first damage of a plain input are hashed
	maxChains     = 64 << 10 // records of a plain input that seem to be open at one place
	maxLineEnds   = 16       // bytes of line ends between two records of a chain
	beginBytes    = 512      // bytes ahead that a framing sees
	sniffBytes    = 64 << 10 // bytes of a file that decide its container
	sniffMember   = 4 << 20  // bytes of its first member, decompressed, that are read to decide it
)

// Limits is this file: other limits make other facts.
//
//go:embed limits.go
var Limits string

// Bounds of what is read or held at a time. They shape the work, and no record.
const (
	maxAhead  = 1 << 20 // bytes decompressed ahead of a record in memory
	aheadPart = 1 << 20 // bytes of a file that are inflated ahead at a time
	// bytes kept of the content of a member that is inflated ahead: its heads and the first of pagePrefixes
	aheadKept      = 40 << 10
	maxAheadPart   = 16 << 20 // bytes kept of a part of the file that is inflated ahead
	maxAheadMember = 64 << 20 // bytes of a member up to which it is inflated ahead
)
