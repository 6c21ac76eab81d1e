package facts

import "github.com/robotsaudit/robotsaudit/internal/weburl"

// CaptureKind is the reason why a capture's body is kept.
type CaptureKind uint8

// The kinds of policy capture. A robots.txt capture is a GET of exactly
// /robots.txt; a target is the captured target of a robots.txt redirect that is
// itself no robots.txt.
const (
	CaptureNone CaptureKind = iota
	CaptureRobots
	CaptureTarget
	CaptureTDMRep
	CaptureAITxt
	CaptureRSL // a licence document (RSL 1.0), known by what it is and not by its path
)

// KindOf recognizes policy by its URL.
func KindOf(u weburl.URL) CaptureKind {
	if u.HasQuery || !weburl.IsFetchScheme(u.Scheme) {
		return CaptureNone
	}
	return KindOfPath(u.Path)
}

// KindOfPath recognises policy by its path. The comparison is exact: /ROBOTS.TXT and
// //robots.txt are ordinary fetches.
func KindOfPath(path string) CaptureKind {
	switch path {
	case "/robots.txt":
		return CaptureRobots
	case "/.well-known/tdmrep.json":
		return CaptureTDMRep
	case "/ai.txt", "/.well-known/ai.txt":
		return CaptureAITxt
	}
	return CaptureNone
}

// Capture is a row of facts: a fetch whose payload is policy, with its body.
type Capture struct {
	Fetch
	Kind         CaptureKind
	ContentRange string

	// Validators (RFC 9110 §8.8, §13.1), as recorded: of the response, and of its
	// request.
	ETag            string
	LastModified    string
	IfNoneMatch     string
	IfModifiedSince string

	BodyDigest string // SHA-256 of the decoded body, raw
	BodyOffset int64  // in the task's pack
	BodySize   int64  // bytes decoded
	Pack       int32  // which task's pack; set on reading, 0 in a task's own runs
}
