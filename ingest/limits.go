package ingest

import (
	"time"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// Limits: every cap on what one record can make the reader hold. A value that
// meets its cap is cut, the row says so in its Flags or an Issue does.
const (
	maxHTTPHead      = 1 << 20          // bytes of one HTTP head
	maxWarcinfo      = 1 << 20          // bytes of one warcinfo block
	maxMetadata      = 1 << 20          // bytes read of one metadata block
	maxWord          = 64               // bytes of a WARC-Type or WARC-Truncated
	maxMethod        = 32               // bytes of a request method
	maxValidator     = 1 << 10          // bytes of an ETag, Last-Modified, If-None-Match or If-Modified-Since
	maxHost          = 1 << 10          // bytes of a Host field
	maxKinds         = 64               // WARC-Types of one input that are counted apart
	maxHopsFromSeed  = 1 << 10          // bytes of the path from the seed
	maxRequestHead   = 64 << 10         // bytes read of one request
	maxUserAgent     = 4 << 10          // bytes of a User-Agent or a warcinfo value
	maxPolicyHeaders = 64 << 10         // bytes of all policy header lines of one response
	maxPolicyLine    = tag.MaxLine + 64 // bytes of one policy header line, with its name
	firstPage        = 32 << 10         // bytes of a page, as stored, that are read first: nearly every head ends in them
	morePage         = 256 << 10        // bytes of it that are read next
	maxPolicyBody    = 8 << 20          // bytes of a policy capture's body, stored and decoded
	maxPending       = 32 << 20         // bytes of fetches and requests that wait for each other
	maxTargets       = 4096             // robots.txt redirect targets remembered in one input
	maxTarget        = 8 << 10          // bytes of one of them; a longer one is found by reading again
	maxCodings       = 8                // content codings of one response
	maxDecoderMemory = 64 << 20         // bytes that a zstd content coding may take
	maxDigestCodings = 2                // content codings undone to compare a digest with what they leave
	maxDigestDecoded = 1 << 30          // bytes that they may leave
	maxCrawls        = facts.MaxCrawls  // different warcinfo records of one input told in the summary
	maxZipDirectory  = 8 << 20          // bytes of a zip file's directory
	maxPackage       = 8 << 20          // bytes of the datapackage.json of a WACZ
	maxEntryName     = 1 << 10          // bytes of the name of an entry
	maxRewinds       = 64               // times that a deflated entry is inflated from its start, in search of places in it
	keepRecent       = 2 * readBuffer   // bytes of a deflated entry that are remembered
	maxReinflate     = 1 << 30          // bytes of a deflated entry inflated to read one record again
	blockReach       = 256 << 10        // bytes of a deflated entry before the place where damage shows in which the next true block may begin
	maxBlockSearch   = 1 << 30          // bytes inflated in search of blocks behind damage, in one deflated entry
	longBlocks       = 1 << 20          // bytes behind which blocks that end in damage are not tried one by one
	blockCost        = 64 << 10         // bytes that looking at one candidate for a block counts for, at least
	scanCost         = 64               // bytes that looking for blocks in one byte counts for
	maxExpansion     = 1032             // bytes that one byte of deflated data can stand for, at most
	pairingWindow    = 4 << 10          // records within which a request finds its response
	metadataWindow   = 64               // records within which metadata finds its fetch, once that has its request
	maxLogLine       = 4 << 20          // bytes of a line of a crawler's log; page lists have the page's text in it
	maxPages         = 256 << 10        // pages of the page lists of one WACZ
	maxLogFaults     = 100              // lines of one log that cannot be read and are told one by one
	maxClockSkew     = 5 * time.Minute  // by which the server's Date may lie from the WARC-Date
	maxSegmented     = 1024             // segmented records remembered in one input
	maxAlike         = 16               // inputs of one size and fingerprint with which another is compared
)

type limit struct {
	name  string
	value int64
}

// limits are those that shape the facts, so that facts made with others are made again:
// all of the above, and those of the pages' tags. warc.Limits count, too.
var limits = []limit{
	{"maxHTTPHead", maxHTTPHead},
	{"maxWarcinfo", maxWarcinfo},
	{"maxMetadata", maxMetadata},
	{"maxWord", maxWord},
	{"maxMethod", maxMethod},
	{"maxValidator", maxValidator},
	{"maxHost", maxHost},
	{"maxKinds", maxKinds},
	{"maxHopsFromSeed", maxHopsFromSeed},
	{"maxRequestHead", maxRequestHead},
	{"maxUserAgent", maxUserAgent},
	{"maxPolicyHeaders", maxPolicyHeaders},
	{"maxPolicyLine", maxPolicyLine},
	{"firstPage", firstPage},
	{"morePage", morePage},
	{"maxPolicyBody", maxPolicyBody},
	{"maxPending", maxPending},
	{"maxTargets", maxTargets},
	{"maxTarget", maxTarget},
	{"maxCodings", maxCodings},
	{"maxDecoderMemory", maxDecoderMemory},
	{"maxDigestCodings", maxDigestCodings},
	{"maxDigestDecoded", maxDigestDecoded},
	{"maxCrawls", maxCrawls},
	{"maxZipDirectory", maxZipDirectory},
	{"maxPackage", maxPackage},
	{"maxEntryName", maxEntryName},
	{"maxRewinds", maxRewinds},
	{"keepRecent", keepRecent},
	{"maxReinflate", maxReinflate},
	{"blockReach", blockReach},
	{"maxBlockSearch", maxBlockSearch},
	{"longBlocks", longBlocks},
	{"blockCost", blockCost},
	{"scanCost", scanCost},
	{"maxExpansion", maxExpansion},
	{"pairingWindow", pairingWindow},
	{"metadataWindow", metadataWindow},
	{"maxLogLine", maxLogLine},
	{"maxPages", maxPages},
	{"maxLogFaults", maxLogFaults},
	{"maxClockSkew", int64(maxClockSkew)},
	{"maxSegmented", maxSegmented},
	{"maxAlike", maxAlike},
	{"tag.MaxLine", tag.MaxLine},
	{"tag.MaxItems", tag.MaxItems},
	{"tag.MaxScan", tag.MaxScan},
}

// Bounds of what is read or held at a time. They shape the work, and no fact.
const (
	taskBytes  = 128 << 20 // bytes of consecutive inputs in one task
	readBuffer = 64 << 10  // bytes read from a file at once
	taskInputs = 4096      // inputs in one task

	maxToldSegments = 1024 // segments of one record whose places Pair tells
)
