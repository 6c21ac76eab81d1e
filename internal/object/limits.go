package object

import "time"

// limits bound what reading from a network may take. They shape the work, and no fact.
var limits = struct {
	attempts  int           // in a row, before a transfer is given up
	progress  int64         // bytes after which a transfer counts as getting on again
	patience  time.Duration // for which a transfer without progress, or paused by its server, is tried again
	firstWait time.Duration // before the second attempt; doubled each time
	longest   time.Duration // wait between two attempts
	tooFast   time.Duration // first pause of all if a server reports too many requests
	stall     time.Duration // that an answer may take to begin, and each chunk of it to come
	connect   time.Duration // that making a connection may take
	redirects int           // that one request follows
	asked     time.Duration // that a server may require to wait (Retry-After)
	header    int64         // bytes of the header of an answer

	chunk  int64 // bytes that are waited for at once
	block  int64 // bytes of a range that is read at random
	blocks int   // of them that are kept of one object
	run    int   // blocks read in a row after which those that follow are read as a stream
	gap    int64 // bytes that a stream reads to skip them: a new request takes longer
	ahead  int64 // blocks that one request copies at most
}{
	attempts:  8,
	progress:  1 << 20,
	patience:  15 * time.Minute,
	firstWait: 500 * time.Millisecond,
	longest:   5 * time.Minute,
	tooFast:   5 * time.Second,
	stall:     20 * time.Second,
	connect:   15 * time.Second,
	redirects: 5,
	asked:     5 * time.Minute,
	header:    1 << 20,

	chunk:  64 << 10,
	block:  256 << 10,
	blocks: 8,
	run:    4,
	gap:    2 << 20,
	ahead:  16,
}

// commonCrawl is a web server that answers 403 to too many requests, and the number at a time that
// it is known to bear.
var commonCrawl, commonCrawlRequests = "data.commoncrawl.org", 4
