package ingest

import (
	"time"

	"github.com/robotsaudit/robotsaudit/internal/facts"
	"github.com/robotsaudit/robotsaudit/internal/recordid"
	"github.com/robotsaudit/robotsaudit/internal/tag"
)

// Limits: every cap on what one record can make the reader hold. A value that
// meets its cap is cut, the row says so in its Flags or an Issue does.
const (
	maxRecordHeader  = 1 << 20          // octets of one record's WARC header
	maxHTTPHead      = 1 << 20          // octets of one HTTP head
	maxWarcinfo      = 1 << 20          // octets of one warcinfo block
	maxMetadata      = 1 << 20          // octets read of one metadata block
	maxFieldValue    = 256              // octets of a media type, date, range, digest or list of codings
	maxWord          = 64               // octets of a WARC-Type or WARC-Truncated
	maxMethod        = 32               // octets of a request method
	maxFieldName     = 64               // octets of the name of a field that is read
	maxValidator     = 1 << 10          // octets of an ETag, Last-Modified, If-None-Match or If-Modified-Since
	maxHost          = 1 << 10          // octets of a Host field
	maxAddress       = 64               // octets of the IP address of an ARC record
	maxKinds         = 64               // WARC-Types of one input that are counted apart
	maxHopsFromSeed  = 1 << 10          // octets of the path from the seed
	maxRecordID      = recordid.MaxSize // octets of a WARC-Record-ID
	maxRequestHead   = 64 << 10         // octets read of one request
	maxURL           = 64 << 10         // octets of a URL or Location
	maxUserAgent     = 4 << 10          // octets of a User-Agent or a warcinfo value
	maxPolicyHeaders = 64 << 10         // octets of all policy header lines of one response
	maxPolicyLine    = tag.MaxLine + 64 // octets of one policy header line, with its name
	firstPage        = 32 << 10         // octets of a page, as stored, that are read first: nearly every head ends in them
	morePage         = 256 << 10        // octets of it that are read next
	maxPolicyBody    = 8 << 20          // octets of a policy capture's body, stored and decoded
	maxPending       = 32 << 20         // octets of fetches and requests that wait for each other
	maxTargets       = 4096             // robots.txt redirect targets remembered in one input
	maxTarget        = 8 << 10          // octets of one of them; a longer one is found by reading again
	maxCodings       = 8                // content codings of one response
	maxDecoderMemory = 64 << 20         // octets that a zstd content coding may take
	maxDigestCodings = 2                // content codings undone to compare a digest with what they leave
	maxDigestDecoded = 1 << 30          // octets that they may leave
	maxCrawls        = facts.MaxCrawls  // different warcinfo records of one input told in the summary
	maxWarcinfos     = 1024             // warcinfo records remembered in one input
	maxDictionary    = 16 << 20         // octets of a zstd dictionary, decompressed
	maxZstdWindow    = 64 << 20         // octets that a zstd frame may look back
	maxZipDirectory  = 8 << 20          // octets of a zip file's directory
	maxPackage       = 8 << 20          // octets of the datapackage.json of a WACZ
	maxEntryName     = 1 << 10          // octets of the name of an entry
	maxRewinds       = 64               // times that a deflated entry is inflated from its start, in search of places in it
	keepRecent       = 2 * readBuffer   // octets of a deflated entry that are remembered
	maxReinflate     = 1 << 30          // octets of a deflated entry inflated to read one record again
	blockReach       = 256 << 10        // octets of a deflated entry before the place where damage shows in which the next true block may begin
	maxBlockSearch   = 1 << 30          // octets inflated in search of blocks behind damage, in one deflated entry
	longBlocks       = 1 << 20          // octets behind which blocks that end in damage are not tried one by one
	scanCost         = 64               // octets that looking for blocks in one octet counts for
	maxExpansion     = 1032             // octets that one octet of deflated data can stand for, at most
	pairingWindow    = 4 << 10          // records within which a request finds its response
	metadataWindow   = 64               // records within which metadata finds its fetch, once that has its request
	maxLogLine       = 4 << 20          // octets of a line of a crawler's log; page lists have the page's text in it
	maxPages         = 256 << 10        // pages of the page lists of one WACZ
	maxLogFaults     = 100              // lines of one log that cannot be read and are told one by one
	maxClockSkew     = 5 * time.Minute  // by which the server's Date may lie from the WARC-Date
	maxConcurrent    = 64               // WARC-Concurrent-To fields of one record
	maxSegmented     = 1024             // segmented records remembered in one input
	maxRepeated      = 8                // contradicting fields of one record that are named
	maxAlike         = 16               // inputs of one size and fingerprint with which another is compared
	maxHeaderMembers = 16               // members that one record header lies in
	maxMissedEnd     = 4 << 20          // octets by which a damaged gzip stream that seems cut may differ in length from what it says
	maxSearch        = 32 << 30         // octets decompressed in search of members behind damage, in one input
	candidateCost    = 64 << 10         // octets that looking at one candidate counts for, at least
	maxVisited       = 1 << 20          // members remembered in one search
	maxProof         = 1 << 30          // octets read in search of true ends and of records behind damage, in one plain input
	maxProofOne      = 64 << 20         // octets behind the beginning of a block where its true end is looked for
	maxBlockReads    = 4                // times that the bytes behind the first damage of a plain input are hashed in search of records
	maxChains        = 64 << 10         // records of a plain input that seem to be open at one place, behind damage
	maxLineEnds      = 16               // bytes of line ends between two records of a chain
	beginOctets      = 512              // octets that a framing sees of what follows
	sniffBytes       = 64 << 10         // octets of a file that tell its container
	sniffMember      = 4 << 20          // octets of its first member, decompressed, that are read to tell
)

type limit struct {
	name  string
	value int64
}

// limits are those that shape the facts, so that facts made with others are made again:
// all of the above, and those of the pages' tags.
var limits = []limit{
	{"maxRecordHeader", maxRecordHeader},
	{"maxHTTPHead", maxHTTPHead},
	{"maxWarcinfo", maxWarcinfo},
	{"maxMetadata", maxMetadata},
	{"maxFieldValue", maxFieldValue},
	{"maxWord", maxWord},
	{"maxMethod", maxMethod},
	{"maxFieldName", maxFieldName},
	{"maxValidator", maxValidator},
	{"maxHost", maxHost},
	{"maxAddress", maxAddress},
	{"maxKinds", maxKinds},
	{"maxHopsFromSeed", maxHopsFromSeed},
	{"maxRecordID", maxRecordID},
	{"maxRequestHead", maxRequestHead},
	{"maxURL", maxURL},
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
	{"maxWarcinfos", maxWarcinfos},
	{"maxDictionary", maxDictionary},
	{"maxZstdWindow", maxZstdWindow},
	{"maxZipDirectory", maxZipDirectory},
	{"maxPackage", maxPackage},
	{"maxEntryName", maxEntryName},
	{"maxRewinds", maxRewinds},
	{"keepRecent", keepRecent},
	{"maxReinflate", maxReinflate},
	{"blockReach", blockReach},
	{"maxBlockSearch", maxBlockSearch},
	{"longBlocks", longBlocks},
	{"scanCost", scanCost},
	{"maxExpansion", maxExpansion},
	{"pairingWindow", pairingWindow},
	{"metadataWindow", metadataWindow},
	{"maxLogLine", maxLogLine},
	{"maxPages", maxPages},
	{"maxLogFaults", maxLogFaults},
	{"maxClockSkew", int64(maxClockSkew)},
	{"maxConcurrent", maxConcurrent},
	{"maxSegmented", maxSegmented},
	{"maxRepeated", maxRepeated},
	{"maxAlike", maxAlike},
	{"maxHeaderMembers", maxHeaderMembers},
	{"maxMissedEnd", maxMissedEnd},
	{"maxSearch", maxSearch},
	{"candidateCost", candidateCost},
	{"maxVisited", maxVisited},
	{"maxProof", maxProof},
	{"maxProofOne", maxProofOne},
	{"maxBlockReads", maxBlockReads},
	{"maxChains", maxChains},
	{"maxLineEnds", maxLineEnds},
	{"beginOctets", beginOctets},
	{"sniffBytes", sniffBytes},
	{"sniffMember", sniffMember},
	{"tag.MaxLine", tag.MaxLine},
	{"tag.MaxItems", tag.MaxItems},
	{"tag.MaxScan", tag.MaxScan},
}

// Bounds of what is read or held at a time. They shape the work, and no fact.
const (
	taskBytes      = 128 << 20 // octets of consecutive inputs in one task
	taskInputs     = 4096      // inputs in one task
	readBuffer     = 64 << 10  // octets read from a file at once
	maxAhead       = 1 << 20   // octets decompressed ahead of a record in memory
	aheadPart      = 1 << 20   // octets of a file that are inflated ahead at a time
	aheadKept      = 40 << 10  // octets kept of the content of a member that is inflated ahead: its heads and the first of pagePrefixes
	maxAheadPart   = 16 << 20  // octets kept of a part of the file that is inflated ahead
	maxAheadMember = 64 << 20  // octets of a member up to which it is inflated ahead
)
