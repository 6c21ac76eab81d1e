package reading

import (
	_ "embed"
	"time"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/rowreading"
	"github.com/robotsaudit/robotsaudit/internal/tag"
	"github.com/robotsaudit/robotsaudit/internal/tag/markup"
)

// Limits: every cap on what one record can make the reader hold. A value that
// meets its cap is cut; Flags of the row or an Issue report it.
const (
	maxHTTPHead     = 1 << 20                    // bytes of one HTTP head
	maxWarcinfo     = 1 << 20                    // bytes of one warcinfo block
	maxMetadata     = 1 << 20                    // bytes read of one metadata block
	maxWord         = rowreading.MaxWord         // bytes of a WARC-Type or WARC-Truncated
	maxKinds        = 64                         // WARC-Types of one input that are counted apart
	maxHopsFromSeed = rowreading.MaxHopsFromSeed // bytes of the path from the seed
	maxRequestHead  = 64 << 10                   // bytes read of one request
	// bytes of a page, as stored, that are read first: nearly every head ends in them
	firstPage        = 32 << 10
	firstLicence     = 8 << 10              // bytes of a stored XML document that are searched for its root
	morePage         = 256 << 10            // bytes of it that are read next
	maxPending       = 32 << 20             // bytes of fetches and requests that wait for each other
	maxTargets       = 4096                 // robots.txt redirect targets remembered in one input
	maxTarget        = 8 << 10              // bytes of one of them; a longer one is found by reading again
	maxDigestCodings = 2                    // content codings undone to compare a digest with what they leave
	maxDigestDecoded = 1 << 30              // bytes that they may leave
	maxCrawls        = facts.MaxCrawls      // different warcinfo records of one input in the summary
	pairingWindow    = 4 << 10              // records within which a request finds its response
	maxSameID        = 16                   // requests or fetches of one id, and fetches of one request
	metadataWindow   = 64                   // records within which metadata finds its fetch, once that has its request
	maxPages         = 256 << 10            // pages of the page lists of one WACZ
	maxFault         = rowreading.MaxFault  // bytes of the text of a fault
	maxListedAgent   = rowreading.MaxAgent  // bytes of a crawler's name in a list of URLs
	maxListID        = rowreading.MaxListID // bytes of the user's own name of a row in it
	maxClockSkew     = 5 * time.Minute      // by which the server's Date may lie from the WARC-Date
	maxSegmented     = 1024                 // segmented records remembered in one input
	maxRuns          = 4096                 // runs of a crawler distinguished in one archive
	// fetches that are dated before their neighbour, so that the order of a run may show nothing
	minBacks = 3
	maxBack  = 10 * time.Minute
	// Date fields, and hosts that sent them, which show the clock of a run; how many are kept; and how far it may be
	// off, in seconds, to count as right
	minDates = 10
	minHosts = 3
	maxDates = 256
	maxOff   = 5
	maxAlike = facts.MaxAlike // inputs of one size and fingerprint with which another is compared
)

// limits is this file: other limits make other facts.
//
//go:embed limits.go
var limits string

// borrowed are the limits of other packages that this file, and those in warc, httpmsg, wacz and indexed, name; and
// those of the pages' tags.
var borrowed = map[string]int{
	"facts.MaxAlike": facts.MaxAlike, "facts.MaxCrawls": facts.MaxCrawls, "recordid.MaxSize": recordid.MaxSize,
	"tag.MaxItems": tag.MaxItems, "tag.MaxLine": tag.MaxLine, "markup.MaxScan": markup.MaxScan,
}

// Bounds of what is read or held at a time. They shape the work, and no fact.
const (
	sniffIndex   = 64 << 10 // bytes that identify an index
	toldSegments = 1024     // segments of one record whose places Pair reports
)
