package httpmsg

import _ "embed"

// Limits on the memory that one message can take. A value that meets its cap is cut, and
// the head reports it.
const (
	maxMethod = 32 // bytes of a request method
	// bytes of a first line in which a status line of another protocol is looked for
	maxStatusLine    = 256
	maxValidator     = 1 << 10    // bytes of an ETag, Last-Modified, If-None-Match or If-Modified-Since
	maxHost          = 1 << 10    // bytes of a Host field
	MaxUserAgent     = 4 << 10    // bytes of a User-Agent or a warcinfo value
	MaxPolicyHeaders = 64 << 10   // bytes of all policy header lines of one response
	maxPolicyLine    = 8<<10 + 64 // bytes of one policy header line, with its name: tag.MaxLine, and some
	MaxBody          = 8 << 20    // bytes of a decoded body
	maxLanguages     = 64         // bytes of a list of languages: Common Crawl lists three
	maxCodings       = 8          // content codings of one response
	maxDecoderMemory = 64 << 20   // bytes that a zstd content coding may take
)

// Limits is this file: other limits make other facts.
//
//go:embed limits.go
var Limits string
